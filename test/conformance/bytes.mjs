// Bytes without Buffer: the suite runs where there is none.

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns the bytes that hex digits spell. */
export function hex(text) {
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new Error(`no hex: ${text.slice(0, 40)}`);
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    parseInt(text.slice(2 * index, 2 * index + 2), 16),
  );
}

export function toHex(bytes) {
  let text = '';
  for (const byte of bytes) text += digits[byte];
  return text;
}

export function toBase64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

export function toBase64url(bytes) {
  return toBase64(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}

export function utf8(text) {
  return new TextEncoder().encode(text);
}

/** Returns bytes that look random and are the same everywhere; another seed gives others. */
export function pattern(size, seed = 0) {
  if (size < LONG) return generated(size, seed);
  const name = `${size} ${seed}`;
  if (!long.has(name)) long.set(name, generated(size, seed));
  return long.get(name).slice();
}

/** From here on bytes are kept, as a copy is faster. */
const LONG = 4096;
const long = new Map();

function generated(size, seed) {
  const bytes = new Uint8Array(size);
  let state = (0x9e3779b9 ^ Math.imul(seed + 1, 0x85ebca6b)) >>> 0;
  for (let at = 0; at < size; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/**
 * Returns an argument that JSON holds: `{ hex }` are bytes, `{ bytes }` as many of `pattern`,
 * `{ bigint }` a number.
 */
export function decoded(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decoded);
  if (value.hex !== undefined) return hex(value.hex);
  if (value.bytes !== undefined) return pattern(value.bytes);
  if (value.bigint !== undefined) return BigInt(value.bigint);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, decoded(each)]));
}

export function join(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Returns 64 bits that tell long outputs apart, computed here and not by the library that is
 * checked. Not against forgery.
 */
export function fingerprint(bytes) {
  // Looking up a global takes long in a vm context, as that of edge-runtime.
  const { imul } = Math;
  let one = 0x811c9dc5;
  let two = bytes.length | 0;
  for (let at = 0; at < bytes.length; at++) {
    one = imul(one ^ bytes[at], 0x01000193);
    two = (imul(two, 0x85ebca6b) + bytes[at] + 1) ^ (two >>> 15);
  }
  return `${bytes.length}:${(one >>> 0).toString(16)}:${(two >>> 0).toString(16)}`;
}

/** Returns long outputs by their fingerprint, short ones as hex. */
export function digestOf(bytes) {
  return bytes.length <= 128 ? toHex(bytes) : fingerprint(bytes);
}

const typedArray = Object.getPrototypeOf(Uint8Array);

/**
 * The constructors of all typed arrays that the runtime has, found at run time (Float16Array is of
 * Node.js 24), and DataView.
 */
export const viewTypes = Object.getOwnPropertyNames(globalThis)
  .map((name) => Object.getOwnPropertyDescriptor(globalThis, name).value)
  .filter((value) => typeof value === 'function' && Object.getPrototypeOf(value) === typedArray)
  .concat(DataView);

/** Returns a view of a copy of the bytes; undefined if it has no view of their size. */
export function viewOf(Type, bytes) {
  const { BYTES_PER_ELEMENT: size = 1 } = Type;
  return bytes.length % size === 0 ? new Type(Uint8Array.from(bytes).buffer) : undefined;
}
