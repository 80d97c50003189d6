/** Numbers as bytes in the standards of Keccak's family: big-endian, with their count of bytes. */
import { sizeOf } from '../base/intrinsics.js';
import { secretMemory } from '../base/secret-memory.js';

/** Returns `left_encode` of SP 800-185: the count of bytes, then the number. */
export function leftEncode(number: number | bigint): Uint8Array {
  const bytes = bytesOf(number);
  return Uint8Array.of(bytes.length, ...bytes);
}

function bytesOf(number: number | bigint): number[] {
  const bytes: number[] = [];
  for (let rest = BigInt(number); rest > 0n || bytes.length === 0; rest >>= 8n)
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
