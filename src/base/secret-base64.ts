/**
 * Decodes texts of secrets to memory of the caller. `Buffer.from` and `atob` leave copies. No table
 * is indexed by a digit: time and cache lines would tell it.
 */

/** A text: its UTF-16 units or its bytes. */
type Text = string | Uint8Array;

function codeAt(text: Text, index: number): number {
  return typeof text === 'string' ? text.charCodeAt(index) : text[index]!;
}

/** Returns `value` if a code lies between two others, else 0. */
function within(code: number, before: number, after: number, value: number): number {
  return (((before - code) & (code - after)) >> 31) & value;
}

/** Returns the value of a digit of base64 or base64url, -1 for other characters. */
function sextet(code: number): number {
  return (
    within(code, 0x40, 0x5b, code - 64) +
    within(code, 0x60, 0x7b, code - 70) +
    within(code, 0x2f, 0x3a, code + 5) +
    within(code, 0x2a, 0x2c, 63) +
    within(code, 0x2c, 0x2e, 63) +
    within(code, 0x2e, 0x30, 64) +
    within(code, 0x5e, 0x60, 64) -
    1
  );
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/**
 * Decodes base64 or base64url, with or without padding, white space between the digits. The target
 * may be the text's memory from its beginning. Returns the number of bytes, -1 for other text.
 */
export function decodeBase64(
  text: Text,
  start: number,
  end: number,
  target: Uint8Array,
  offset: number,
): number {
  let [word, bits, size, padding] = [0, 0, 0, 0];
  for (let index = start; index < end; index++) {
    const code = codeAt(text, index);
    if (isSpace(code)) continue;
    if (code === 0x3d) {
      padding += 1;
      continue;
    }
    const digit = sextet(code);
    if (digit < 0 || padding > 0) return -1;
    word = ((word & 0x3f) << 6) | digit;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    target[offset + size] = word >> bits;
    size += 1;
  }
  return bits === 6 || padding > 2 ? -1 : size;
}

/** Decodes hex in its own memory. Returns the number of bytes, -1 for other text. */
export function decodeHex(text: Uint8Array): number {
  if (text.length % 2 === 1) return -1;
  let valid = 0;
  for (let index = 0; index < text.length; index += 2) {
    const [high, low] = [hexDigit(text[index]!), hexDigit(text[index + 1]!)];
    valid |= high | low;
    text[index / 2] = (high << 4) | low;
  }
  return valid < 0 ? -1 : text.length / 2;
}

function hexDigit(code: number): number {
  const lower = code | 0x20;
  return within(code, 0x2f, 0x3a, code - 47) + within(lower, 0x60, 0x67, lower - 86) - 1;
}
