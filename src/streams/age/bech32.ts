/** Bech32 (BIP 173) without its limit of 90 characters: recipients and identities of age. */
import { secretMemory, wipe, type Secret } from '../../base/secret-memory.js';

const DIGITS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_DIGITS = 6;

/** Returns the checksum of a prefix in lower case and digits. */
function checksum(prefix: string, digits: Iterable<number>): number {
  let sum = 1;
  const add = (digit: number): void => {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ digit;
    for (const [bit, term] of GENERATOR.entries()) if ((top >> bit) & 1) sum ^= term;
  };
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  for (const code of codes) add(code >> 5);
  add(0);
  for (const code of codes) add(code & 31);
  for (const digit of digits) add(digit);
  return sum;
}

/** Returns the text of some bytes, in lower case. */
export function encodeBech32(prefix: string, bytes: Uint8Array): string {
  const digits: number[] = [];
  let [word, bits] = [0, 0];
  for (const byte of bytes) {
    word = ((word & 0xff) << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) digits.push((word >> (bits - 5)) & 31);
  }
  if (bits > 0) digits.push((word << (5 - bits)) & 31);
  const sum = checksum(prefix, [...digits, 0, 0, 0, 0, 0, 0]) ^ 1;
  for (let shift = 25; shift >= 0; shift -= 5) digits.push((sum >> shift) & 31);
  return `${prefix}1${digits.map((digit) => DIGITS[digit]).join('')}`;
}

/** What a text has: its prefix, in the text's case, and the bytes. */
export interface Bech32 {
  readonly prefix: string;
  readonly bytes: Secret;
}

/** Decodes a text; undefined if it is not Bech32. */
export function decodeBech32(text: string): Bech32 | undefined {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return undefined;
  const end = text.lastIndexOf('1');
  if (end < 1 || text.length - end <= CHECKSUM_DIGITS || !/^[!-~]+$/.test(text)) return undefined;
  const digits = Array.from(lower.slice(end + 1), (character) => DIGITS.indexOf(character));
  if (digits.includes(-1) || checksum(lower.slice(0, end), digits) !== 1) return undefined;
  digits.length -= CHECKSUM_DIGITS;
  const bytes = secretMemory(Math.floor((digits.length * 5) / 8));
  let [word, bits, size] = [0, 0, 0];
  for (const digit of digits) {
    word = ((word & 0xfff) << 5) | digit;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[size++] = word >> bits;
  }
  if (bits < 5 && (word & ((1 << bits) - 1)) === 0) return { prefix: text.slice(0, end), bytes };
  wipe(bytes);
  return undefined;
}
