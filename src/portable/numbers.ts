/**
 * Bytes as an unsigned BigInt and back, at any size, through hexadecimal text, which engines
 * convert in linear time.
 */

/** The value of a hexadecimal digit by its character code. */
const digitOf = new Uint8Array(128);
for (let digit = 0; digit < 16; digit++) digitOf[digit.toString(16).charCodeAt(0)] = digit;

/** Returns the number in a range of big-endian bytes. */
export function numberOf(
  bytes: Uint8Array,
  hex: (bytes: Uint8Array, start: number, end: number) => string,
  start = 0,
  end = bytes.length,
): bigint {
  while (start < end && bytes[start] === 0) start++;
  if (start === end) return 0n;
  if (end - start <= 8) return wordOf(bytes, start, end);
  // Larger than every engine's limit: throw the error of a large number, not of a long text.
  if (end - start > NUMBER_MAX) return tooLarge();
  return BigInt(`0x${hex(bytes, start, end)}`);
}

const word = new DataView(new ArrayBuffer(8));

/**
 * Returns the number of at most 8 bytes, without the text in between, which takes 4 times as long.
 */
function wordOf(bytes: Uint8Array, start: number, end: number): bigint {
  let [high, low] = [0, 0];
  for (let at = start; at < end; at++) {
    high = (high << 8) | (low >>> 24);
    low = (low << 8) | bytes[at]!;
  }
  word.setInt32(0, high);
  word.setInt32(4, low);
  const number = word.getBigUint64(0);
  word.setInt32(0, 0);
  word.setInt32(4, 0);
  return number;
}

/** Bytes of V8's largest BigInt, which is the largest of all engines. */
const NUMBER_MAX = 2 ** 27;

/** Throws the engine's own error. */
function tooLarge(): bigint {
  return 1n << (8n * BigInt(NUMBER_MAX) + 8n);
}

/**
 * Writes the low bytes of the number's magnitude, big-endian, padded with zeros to the target's
 * size.
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
