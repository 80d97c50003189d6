/** Numbers as bytes in the standards of Keccak's family: big-endian, with their count of bytes. */
import { sizeOf } from '../request/intrinsics.js';
import { secretMemory } from '../request/secret-memory.js';

/** Returns `left_encode` of SP 800-185: the count of bytes, then the number. */
export function leftEncode(number: number | bigint): Uint8Array {
  const bytes = bytesOf(number, 1);
  return Uint8Array.of(bytes.length, ...bytes);
}

/** Returns `right_encode` of SP 800-185: the number, then the count of bytes. */
export function rightEncode(number: number | bigint): Uint8Array {
  const bytes = bytesOf(number, 1);
  return Uint8Array.of(...bytes, bytes.length);
}

/** Returns `length_encode` of RFC 9861: as {@link rightEncode}, but zero has no byte. */
export function lengthEncode(number: number | bigint): Uint8Array {
  const bytes = bytesOf(number, 0);
  return Uint8Array.of(...bytes, bytes.length);
}

function bytesOf(number: number | bigint, least: number): number[] {
  const bytes: number[] = [];
  for (let rest = BigInt(number); rest > 0n || bytes.length < least; rest >>= 8n)
    bytes.unshift(Number(rest & 255n));
  return bytes;
}

/** Returns the encoding of a tuple (SP 800-185): each item follows its length in bits. */
export function encodeItems(items: readonly Uint8Array[]): Uint8Array {
  const lengths = items.map((item) => leftEncode(8 * sizeOf(item)));
  const total = items.reduce((sum, item, index) => sum + sizeOf(item) + lengths[index]!.length, 0);
  const encoded = secretMemory(total);
  let at = 0;
  for (const [index, item] of items.entries()) {
    encoded.set(lengths[index]!, at);
    at += lengths[index]!.length;
    if (sizeOf(item) > 0) encoded.set(item, at);
    at += sizeOf(item);
  }
  return encoded;
}
