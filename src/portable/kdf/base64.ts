/** Base64 of password hashes: unpadded, and in canonical form only. */

/** The alphabet of RFC 4648. */
export const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The alphabet of bcrypt. */
export const BCRYPT = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns the bytes of a text and the remaining bits, undefined for an invalid text. */
export function decode(
  alphabet: string,
  text: string,
): { bytes: Uint8Array; left: number } | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let [at, bits, count] = [0, 0, 0];
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value < 0) return undefined;
    bits = (bits << 6) | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = bits >> count;
    bits &= (1 << count) - 1;
  }
  // A single character at the end holds no byte.
  return count < 6 ? { bytes, left: bits } : undefined;
}
