/** The size of a secret in bytes, without a copy of it. */
import { sizeOf } from './intrinsics.js';
import { SecretCopy } from './secret-copy.js';

/** Returns the bytes of a secret; of a string those of its UTF-8 encoding. */
export function secretSize(secret: string | Uint8Array | SecretCopy): number {
  if (typeof secret === 'string') return utf8Size(secret);
  return SecretCopy.is(secret) ? secret.bytes.length : sizeOf(secret);
}

/** A lone surrogate becomes U+FFFD, of three bytes. */
function utf8Size(text: string): number {
  let size = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at)!;
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code >= 0x10000) at++;
  }
  return size;
}
