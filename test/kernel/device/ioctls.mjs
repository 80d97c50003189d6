// The ioctls of /dev/crypto. Each command in the table below has the layout of its structure, and
// two functions: one returns the memory ranges that the caller's structure names, the other
// computes.

import { Command, layouts, parse, sessionInfo, withNumber } from './abi.mjs';
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
    this.counts = { created: 0, freed: 0, crypts: 0, authenticated: 0, largest: 0, refused: {} };
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
    const sessions = [...this.files.values()].reduce((sum, { size }) => sum + size, 0);
    return { files: this.files.size, sessions, ...this.counts };
  }

  /**
   * Returns `{ output }`, or `{ reads, writes }` to request the ioctl again with that memory.
   * Throws Refusal.
   */
  ioctl({ file, command, argument, input, outputSize, compatible }) {
    const { layout, ranges, run } = commands[compatible ? undefined : command] ?? {};
    if (layout === undefined) throw new Refusal(Errno.EINVAL);
    const structure = { address: argument, size: layout.size };
    if (input.length < layout.size) return { reads: [structure], writes: [] };
    const sessions = this.files.get(file);
    if (sessions === undefined) throw new Refusal(Errno.EBADF);
    const given = input.subarray(0, layout.size);
    const asked = parse(layout, given);
    // A session belongs to the open file that created it.
    const session = asked.session === undefined ? undefined : find(sessions, asked.session);
    const { reads = [], writes = [] } = ranges?.(asked, session, { device: this, structure }) ?? {};
    const all = [structure, ...reads];
    if (input.length !== total(all) || outputSize !== total(writes)) return { reads: all, writes };
    const memory = divide(input.subarray(layout.size), reads);
    return { output: run(asked, session, { device: this, sessions, given, memory }) };
  }

  count(kind, size) {
    this.counts[kind]++;
    this.counts.largest = Math.max(this.counts.largest, size);
  }
}

const commands = {
  [Command.createSession]: {
    layout: layouts.session,
    ranges: (asked, _, { device, structure }) => {
      describeSession(asked, device.missing);
      const key = { address: asked.key, size: asked.keySize };
      return {
        reads: [key, { address: asked.macKey, size: asked.macKeySize }],
        writes: [structure],
      };
    },
    run: (asked, _, { device, sessions, given, memory: [key, macKey] }) => {
      const facts = describeSession(asked, device.missing);
      const accelerated = device.accelerated.has(asked.cipher || asked.mac);
      sessions.set(++device.lastSession, new Session(facts, key, macKey, accelerated));
      device.counts.created++;
      return withNumber(given, 40, device.lastSession);
    },
  },

  [Command.freeSession]: {
    layout: layouts.number,
    run: (asked, _, { device, sessions }) => {
      sessions.delete(asked.session);
      device.counts.freed++;
      return Buffer.alloc(0);
    },
  },

  [Command.crypt]: {
    layout: layouts.crypt,
    ranges: ({ source, target, iv, mac, flags, size }, { facts }) => ({
      reads: [
        { address: source, size },
        { address: iv, size: facts.cipher && iv !== 0n ? facts.cipher.ivSize : 0 },
      ],
      writes: [
        ...(facts.cipher ? [{ address: target, size }] : []),
        ...(facts.mac && endsHash(flags, size) ? [{ address: mac, size: facts.mac.size }] : []),
      ],
    }),
    run: ({ flags, size }, session, { device, memory: [source, iv] }) => {
      device.count('crypts', size);
      return session.cipher?.crypt(source, iv) ?? session.mac.hash(flags, source);
    },
  },

  [Command.authenticatedCrypt]: {
    layout: layouts.authenticated,
    // Only plain AEADs: the modes for TLS and SRTP have flags.
    ranges: (asked, { facts }, { structure }) => {
      const { aad, aadSize, source, target, iv, size, decrypts } = asked;
      const { tagSize = 0, ivSize } = facts.cipher ?? {};
      const tag = asked.tagSize || tagSize;
      if (
        tagSize === 0 ||
        asked.flags !== 0 ||
        (asked.ivSize || ivSize) !== ivSize ||
        ![4, 8, 12, 13, 14, 15, 16].includes(tag) ||
        (decrypts && size < tag)
      )
        throw new Refusal(Errno.EINVAL);
      return {
        reads: [
          { address: aad, size: aadSize },
          { address: source, size },
          { address: iv, size: ivSize },
        ],
        writes: [structure, { address: target, size: decrypts ? size - tag : size + tag }],
      };
    },
    run: (asked, { cipher }, { device, given, memory: [aad, source, iv] }) => {
      device.count('authenticated', asked.size);
      const tagSize = asked.tagSize || cipher.facts.tagSize;
      const output = cipher[asked.decrypts ? 'open' : 'seal'](iv, aad, source, tagSize);
      return Buffer.concat([withNumber(given, 8, output.length), output]);
    },
  },

  [Command.sessionInfo]: {
    layout: layouts.info,
    ranges: (_, session, { structure }) => ({ writes: [structure] }),
    run: (asked, session) => sessionInfo(asked.session, session),
  },

  [Command.copyHash]: {
    layout: layouts.copy,
    run: (asked, { mac }, { sessions }) => {
      const { mac: source } = find(sessions, asked.from);
      if (!mac || !source) throw new Refusal(Errno.EINVAL);
      mac.copyFrom(source);
      return Buffer.alloc(0);
    },
  },
};

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
