/**
 * The header of an age file (https://c2sp.org/age): a version line, a stanza for each recipient,
 * with the file key that it wraps, and a MAC by that key.
 *
 *   age-encryption.org/v1
 *   -> X25519 XEl0dJ6y3C7KZkgmgWUicg63EyXJiwBJW8PdYJ/cYBE
 *   qRS0AMjdjPvZ/WT08U2KL4G+PIooA3hy38SvLpvaC1E
 *   --- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s
 */
import { joined, NO_BYTES, part, sizeOf } from '../../base/arguments.js';
import { makeError } from '../../base/errors.js';
import { wipe, type Secret } from '../../base/secret-memory.js';
import { secretResult } from '../../base/secret-results.js';
import { hmacParser } from '../../operations/digest-readers.js';
import { runSync } from '../../scheduling/run.js';
import {
  allocateApart,
  base64,
  bytesOfText,
  textOf,
  utf8,
  viewOf,
  type Buffer,
} from '#platform/base/runtime.js';
import { equalBytes } from '../chunk-format.js';

/** One recipient's part of a header. */
export interface Stanza {
  readonly type: string;
  readonly args: readonly string[];
  readonly body: Uint8Array;
}

/** A header that was read. Its MAC was not checked. */
export interface Header {
  readonly stanzas: readonly Stanza[];
  readonly mac: Uint8Array;
  /** What the MAC is of. */
  readonly bytes: Uint8Array;
}

export const FILE_KEY_SIZE = 16;
/** The most bytes of a header: 10,000 recipients with X25519, 600 with hybrid keys. */
export const HEADER_MAX_BYTES = 2 ** 20;
const MAC_SIZE = 32;
const START = 'age-encryption.org/';
const VERSION = `${START}v1`;
const LINE_FEED = 10;
const BODY_COLUMNS = 64;

/** Returns base64 without padding. */
export function encode(bytes: Uint8Array): string {
  return base64(view(bytes)).replace(/=+$/, '');
}

/** Decodes base64 without padding; undefined if it is not what {@link encode} returns. */
export function decode(text: string): Buffer | undefined {
  const bytes = bytesOfText(text, 'base64');
  return encode(bytes) === text ? bytes : undefined;
}

export function view(bytes: Uint8Array): Buffer {
  return viewOf(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function latin1(bytes: Uint8Array): string {
  return textOf(view(bytes), 'latin1');
}

/** Returns the error for a header that is malformed. */
export function malformed(what: string): Error {
  return makeError('ERR_FORMAT', `the header of the age file is malformed: ${what}`);
}

/** Collects the bytes of a header. */
export class HeaderReader {
  #bytes: Uint8Array = allocateApart(4096);
  #size = 0;
  #lineAt = 0;
  /** True once the last line was taken. */
  complete = false;

  /** Takes input from `at`; returns how many bytes of it belong to the header. */
  take(input: Uint8Array, at: number): number {
    const begin = at;
    while (!this.complete && at < sizeOf(input)) {
      const found = input.indexOf(LINE_FEED, at);
      const end = found < 0 ? sizeOf(input) : found + 1;
      this.#append(part(input, at, end - at));
      at = end;
      if (found < 0) break;
      this.complete = this.#bytes.subarray(this.#lineAt, this.#lineAt + 3).every(isDash);
      this.#lineAt = this.#size;
    }
    return at - begin;
  }

  #append(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > HEADER_MAX_BYTES) throw malformed(`it is longer than ${HEADER_MAX_BYTES} bytes`);
    if (size > this.#bytes.length) {
      const longer = allocateApart(Math.max(size, 2 * this.#bytes.length));
      longer.set(part(this.#bytes, 0, this.#size));
      this.#bytes = longer;
    }
    this.#bytes.set(bytes, this.#size);
    this.#size = size;
    const start = utf8(START).subarray(0, size);
    if (!equalBytes(start, part(this.#bytes, 0, start.length))) throw notAge();
  }

  /** Reads the complete header. */
  read(): Header {
    const text = latin1(part(this.#bytes, 0, this.#size));
    const lines = text.slice(0, -1).split('\n');
    const [version] = lines;
    if (version !== VERSION)
      throw makeError('ERR_FORMAT', `the version of the age file is not ${VERSION}`);
    const stanzas: Stanza[] = [];
    let at = 1;
    while (at < lines.length - 1) at = readStanza(lines, at, stanzas);
    if (stanzas.length === 0) throw malformed('it has no recipient');
    const last = lines.at(-1)!;
    const mac = last.startsWith('--- ') ? decode(last.slice(4)) : undefined;
    if (mac?.length !== MAC_SIZE) throw malformed('its MAC is not 32 bytes in base64');
    return { stanzas, mac, bytes: part(this.#bytes, 0, text.length - last.length + 2) };
  }
}

const isDash = (byte: number): boolean => byte === 0x2d;

/** Returns the error for input that is no age file. */
export function notAge(): Error {
  return makeError(
    'ERR_FORMAT',
    `not an age file: it begins neither with ${START} nor with -----BEGIN AGE ENCRYPTED FILE-----`,
  );
}

/** Reads the stanza at a line. Returns the line after it. */
function readStanza(lines: readonly string[], at: number, stanzas: Stanza[]): number {
  const [mark, type, ...args] = lines[at++]!.split(' ');
  const words = [type ?? '', ...args];
  if (mark !== '->' || !words.every((word) => /^[!-~]+$/.test(word)))
    throw malformed(`line ${at} does not begin a recipient`);
  let text = '';
  for (let line: string; ; text += line) {
    if (at >= lines.length - 1) throw malformed('its last recipient has no end');
    line = lines[at++]!;
    if (line.length < BODY_COLUMNS) {
      text += line;
      break;
    }
    if (line.length > BODY_COLUMNS) throw malformed(`line ${at} is longer than 64 characters`);
  }
  const body = decode(text);
  if (body === undefined) throw malformed(`the lines to ${at} are not base64`);
  stanzas.push({ type: type!, args, body });
  return at;
}

/** Returns the bytes of a header. */
export function writeHeader(stanzas: readonly Stanza[], fileKey: Secret<Uint8Array>): Buffer {
  const parts = stanzas.map(({ type, args, body }) => {
    const text = encode(body);
    const lines = [];
    // The last line is shorter than the others, and may be empty.
    for (let at = 0; at <= text.length; at += BODY_COLUMNS)
      lines.push(`${text.slice(at, at + BODY_COLUMNS)}\n`);
    return `-> ${[type, ...args].join(' ')}\n${lines.join('')}`;
  });
  const start = `${VERSION}\n${parts.join('')}---`;
  return utf8(`${start} ${encode(macOf(utf8(start), fileKey))}\n`);
}

/**
 * Checks the MAC of a header.
 *
 * @throws MillraceError ERR_AUTHENTICATION
 */
export function checkMac({ bytes, mac }: Header, fileKey: Secret<Uint8Array>): void {
  if (!equalBytes(macOf(bytes, fileKey), mac))
    throw makeError(
      'ERR_AUTHENTICATION',
      'authentication failed: the header of the age file was changed',
    );
}

function macOf(header: Uint8Array, fileKey: Secret<Uint8Array>): Uint8Array {
  const key = deriveKey(fileKey, NO_BYTES, 'header');
  try {
    return hmac(key, header);
  } finally {
    wipe(key);
  }
}

/**
 * Returns the first 32 bytes of HKDF (RFC 5869) with SHA-256: one HMAC extracts a key, another
 * expands it. `hkdf` would do it, but loads all derivations, which takes 4 ms.
 */
export function deriveKey(secret: Uint8Array, salt: Uint8Array, info: string): Secret<Buffer> {
  const key = hmac(salt, secret);
  try {
    return hmac(key, joined([utf8(info), Uint8Array.of(1)], allocateApart));
  } finally {
    wipe(key);
  }
}

function hmac(key: Uint8Array, source: Uint8Array): Secret<Buffer> {
  const target = secretResult(MAC_SIZE);
  runSync(hmacParser.fill, ['sha256', key, source, { target }], 4);
  return target;
}
