/** The size of a secret in bytes, without a copy of it. */
import { sizeOf } from './intrinsics.js';
import { SecretCopy } from './secret-copy.js';
import { utf8Size } from '#platform/base/runtime.js';

/** Returns the bytes of a secret; of a string those of its UTF-8 encoding. */
export function secretSize(secret: string | Uint8Array | SecretCopy): number {
  if (typeof secret === 'string') return utf8Size(secret);
  return SecretCopy.is(secret) ? secret.bytes.length : sizeOf(secret);
}
