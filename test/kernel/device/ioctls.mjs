// The ioctls of /dev/crypto. Each command in the table below has two functions: one returns the
// memory ranges that the caller's structure names, the other computes.

import {
  Command,
  Flag,
  authenticatedSize,
  copySize,
  cryptSize,
  infoSize,
  parseAuthenticated,
  parseCrypt,
  parseSession,
  sessionInfo,
  sessionSize,
  withSession,
  withSize,
} from './abi.mjs';
import { Errno, Refusal, Session, describeSession, endsHash } from './sessions.mjs';

/**
 * The sessions of all open files. `options`:
 *   accelerated  numbers of ciphers and MACs with an accelerator
 *   missing      numbers of ciphers and MACs that the kernel does not have
 */
export class Device {
  constructor({ accelerated = [], missing = [] } = {}) {
    this.accelerated = new Set(accelerated);
    this.missing = new Set(missing);
    this.files = new Map();
    this.counts = {
      created: 0,
      freed: 0,
      crypts: 0,
      authenticated: 0,
      copies: 0,
      bytes: 0,
      largest: 0,
      refused: {},
    };
    this.lastFile = 0n;
    this.lastSession = 0;
  }

  open() {
    this.lastFile += 1n;
    this.files.set(this.lastFile, new Map());
    return this.lastFile;
  }

  release(file) {
    this.counts.freed += this.files.get(file)?.size ?? 0;
    this.files.delete(file);
  }

  /** Returns the numbers of open sessions and of computed messages. */
  account() {
    return {
      files: this.files.size,
      sessions: [...this.files.values()].reduce((sum, sessions) => sum + sessions.size, 0),
      ...this.counts,
    };
  }

  /**
   * Returns `{ output }`, or `{ reads, writes }` to request the ioctl again with that memory.
   * Throws Refusal.
   */
  ioctl({ file, command, argument, input, outputSize, compatible }) {
    const { structure, ranges, run } = this.#command(compatible ? undefined : command);
    if (input.length < structure)
      return { reads: [{ address: argument, size: structure }], writes: [] };
    const given = input.subarray(0, structure);
    const sessions = this.files.get(file);
    if (sessions === undefined) throw new Refusal(Errno.EBADF);
    const { reads, writes } = ranges(sessions, given);
    const all = [{ address: argument, size: structure }, ...reads];
    const complete =
      input.length === total(all) &&
      outputSize ===
        total(writes.map((each) => (each === 'structure' ? { size: structure } : each)));
    if (!complete)
      return { reads: all, writes: writes.map((each) => (each === 'structure' ? all[0] : each)) };
    return { output: run(sessions, given, divide(input.subarray(structure), reads)) };
  }

  #command(command) {
    switch (command) {
      case Command.createSession:
        return {
          structure: sessionSize,
          ranges: (sessions, given) => {
            const asked = parseSession(given);
            describeSession(asked, this.missing);
            return { reads: [asked.key, asked.macKey], writes: ['structure'] };
          },
          run: (sessions, given, [key, macKey]) => {
            const asked = parseSession(given);
            const accelerated =
              this.accelerated.has(asked.cipher) || this.accelerated.has(asked.mac);
            sessions.set(
              ++this.lastSession,
              new Session(describeSession(asked, this.missing), key, macKey, accelerated),
            );
            this.counts.created++;
            return withSession(given, this.lastSession);
          },
        };
      case Command.freeSession:
        return {
          structure: 4,
          ranges: () => ({ reads: [], writes: [] }),
          run: (sessions, given) => {
            find(sessions, given.readUInt32LE(0));
            sessions.delete(given.readUInt32LE(0));
            this.counts.freed++;
            return Buffer.alloc(0);
          },
        };
      case Command.crypt:
        return {
          structure: cryptSize,
          ranges: cryptRanges,
          run: (sessions, given, memory) => this.#crypt(sessions, given, memory),
        };
      case Command.authenticatedCrypt:
        return {
          structure: authenticatedSize,
          ranges: authenticatedRanges,
          run: (sessions, given, memory) => this.#authenticated(sessions, given, memory),
        };
      case Command.sessionInfo:
        return {
          structure: infoSize,
          ranges: (sessions, given) => (
            find(sessions, given.readUInt32LE(0)),
            { reads: [], writes: ['structure'] }
          ),
          run: (sessions, given) =>
            sessionInfo(given.readUInt32LE(0), find(sessions, given.readUInt32LE(0)).names),
        };
      case Command.copyHash:
        return {
          structure: copySize,
          ranges: () => ({ reads: [], writes: [] }),
          run: (sessions, given) => {
            const [target, source] = [
              find(sessions, given.readUInt32LE(0)),
              find(sessions, given.readUInt32LE(4)),
            ];
            if (!target.mac || !source.mac) throw new Refusal(Errno.EINVAL);
            target.mac.copyFrom(source.mac);
            this.counts.copies++;
            return Buffer.alloc(0);
          },
        };
      default:
        throw new Refusal(Errno.EINVAL);
    }
  }

  #crypt(sessions, given, [source, iv]) {
    const asked = parseCrypt(given);
    this.#count('crypts', asked.size);
    const { output, mac, iv: next } = find(sessions, asked.session).crypt(asked, source, iv);
    return Buffer.concat(
      [output, mac, writesIv(asked, iv.length) ? next : undefined].filter(Boolean),
    );
  }

  #authenticated(sessions, given, [aad, source, iv]) {
    const asked = parseAuthenticated(given);
    this.#count('authenticated', asked.size);
    const { cipher } = find(sessions, asked.session);
    const tagSize = asked.tagSize || cipher.facts.tagSize;
    const output = asked.decrypts
      ? cipher.open(iv, aad, source, tagSize)
      : cipher.seal(iv, aad, source, tagSize);
    return Buffer.concat([withSize(given, output.length), output]);
  }

  #count(kind, size) {
    this.counts[kind]++;
    this.counts.bytes += size;
    this.counts.largest = Math.max(this.counts.largest, size);
  }
}

function cryptRanges(sessions, given) {
  const asked = parseCrypt(given);
  const { facts } = find(sessions, asked.session);
  const iv = { address: asked.iv, size: asked.iv === 0n ? 0 : (facts.cipher?.ivSize ?? 0) };
  const writes = [];
  if (facts.cipher) writes.push({ address: asked.target, size: asked.size });
  if (facts.mac && endsHash(asked.flags, asked.size))
    writes.push({ address: asked.mac, size: facts.mac.size });
  if (writesIv(asked, iv.size)) writes.push(iv);
  return { reads: [{ address: asked.source, size: asked.size }, iv], writes };
}

function writesIv({ flags }, ivSize) {
  return (flags & Flag.writeIv) !== 0 && ivSize > 0;
}

// Only plain AEADs: the modes for TLS and SRTP have flags.
function authenticatedRanges(sessions, given) {
  const asked = parseAuthenticated(given);
  const { facts } = find(sessions, asked.session);
  if (!facts.cipher?.aead || asked.flags !== 0) throw new Refusal(Errno.EINVAL);
  const tagSize = asked.tagSize || facts.cipher.tagSize;
  const ivSize = asked.ivSize || facts.cipher.ivSize;
  if (
    ivSize !== facts.cipher.ivSize ||
    ![4, 8, 12, 13, 14, 15, 16].includes(tagSize) ||
    (asked.decrypts && asked.size < tagSize)
  )
    throw new Refusal(Errno.EINVAL);
  return {
    reads: [
      { address: asked.aad, size: asked.aadSize },
      { address: asked.source, size: asked.size },
      { address: asked.iv, size: ivSize },
    ],
    writes: [
      'structure',
      { address: asked.target, size: asked.decrypts ? asked.size - tagSize : asked.size + tagSize },
    ],
  };
}

// A session belongs to the open file that created it.
function find(sessions, number) {
  const session = sessions.get(number);
  if (session === undefined) throw new Refusal(Errno.EINVAL);
  return session;
}

function total(ranges) {
  return ranges.reduce((sum, { size }) => sum + size, 0);
}

function divide(bytes, ranges) {
  let at = 0;
  return ranges.map(({ size }) => bytes.subarray(at, (at += size)));
}
