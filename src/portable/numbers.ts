/**
 * Bytes as an unsigned BigInt and back, in both byte orders, at any width, by way of hexadecimal
 * text, which engines read and write in a time that grows as the text does.
 */

/** The byte that a pair of digits spells, by the two codes. */
const digitOf = new Uint8Array(128);
for (let digit = 0; digit < 16; digit++) digitOf[digit.toString(16).charCodeAt(0)] = digit;

/**
 * The number that bytes spell, most significant first; undefined if that is more than memory has.
 */
export function numberOf(
  bytes: Uint8Array,
  hex: (bytes: Uint8Array) => string,
): bigint | undefined {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  if (start === bytes.length) return 0n;
  // More than any engine takes: the error shall be that of a number too large, not of a text.
  if (bytes.length - start > NUMBER_MAX) return tooLarge();
  return BigInt(`0x${hex(start === 0 ? bytes : bytes.subarray(start))}`);
}

/** Bytes of the largest BigInt of V8, which has the largest. */
const NUMBER_MAX = 2 ** 27;

/** Fails as the engine does. */
function tooLarge(): bigint {
  return 1n << (8n * BigInt(NUMBER_MAX) + 8n);
}

/**
 * The low bytes of the number's magnitude, most significant first, padded with zeros to the size of
 * the target.
 */
export function writeNumber(number: bigint, target: Uint8Array): void {
  const magnitude = number < 0n ? -number : number;
  const text = magnitude.toString(16);
  let at = target.length - 1;
  let end = text.length;
  for (; at >= 0 && end > 1; at--, end -= 2) {
    target[at] = (digitOf[text.charCodeAt(end - 2)]! << 4) | digitOf[text.charCodeAt(end - 1)]!;
  }
  if (at >= 0 && end === 1) target[at--] = digitOf[text.charCodeAt(0)]!;
  if (at >= 0) target.fill(0, 0, at + 1);
}
