/**
 * UTF-8 for environments that run browser code without these globals, such as Jest with jsdom. The
 * build substitutes these in the CommonJS browser bundle; browsers use their own.
 */

class PlainEncoder {
  encode(text = ''): Uint8Array {
    const bytes: number[] = [];
    for (const letter of text) bytes.push(...bytesOf(letter));
    return Uint8Array.from(bytes);
  }

  encodeInto(text: string, target: Uint8Array): { read: number; written: number } {
    let [read, written] = [0, 0];
    for (const letter of text) {
      const bytes = bytesOf(letter);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += letter.length;
    }
    return { read, written };
  }
}

/** Returns the bytes of one character; a lone surrogate becomes U+FFFD. */
function bytesOf(letter: string): number[] {
  let code = letter.codePointAt(0)!;
  if (code < 0x80) return [code];
  if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
  const tail = (shift: number): number => 0x80 | ((code >> shift) & 0x3f);
  if (code < 0x800) return [0xc0 | (code >> 6), tail(0)];
  if (code < 0x10000) return [0xe0 | (code >> 12), tail(6), tail(0)];
  return [0xf0 | (code >> 18), tail(12), tail(6), tail(0)];
}

class PlainDecoder {
  readonly #fatal: boolean;

  constructor(
    _name = 'utf-8',
    { fatal = false }: { readonly fatal?: boolean; readonly ignoreBOM?: boolean } = {},
  ) {
    this.#fatal = fatal;
  }

  decode(bytes: Uint8Array): string {
    try {
      return letters(bytes);
    } catch (error) {
      if (this.#fatal) throw new TypeError('the bytes are not UTF-8', { cause: error });
    }
    let text = '';
    for (let at = 0; at < bytes.length;) {
      const first = bytes[at]!;
      const size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
      try {
        text += letters(bytes.subarray(at, at + size));
        at += size;
      } catch {
        text += '\ufffd';
        at += 1;
      }
    }
    return text;
  }
}

/** Decodes UTF-8; throws on invalid bytes. */
function letters(bytes: Uint8Array): string {
  return decodeURIComponent(
    Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );
}

/** Encodes text as UTF-8. */
export const TextEncoder: typeof globalThis.TextEncoder = globalThis.TextEncoder ?? PlainEncoder;
/** Decodes UTF-8. */
export const TextDecoder: typeof globalThis.TextDecoder = globalThis.TextDecoder ?? PlainDecoder;
