/** The tag of a decryption as an argument. */
import { bytes, sizeOf } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import type { CipherFacts } from '../catalog/facts.js';
import { allocate, type Buffer } from '#platform/base/runtime.js';

/** Returns a copy of the tag of a decryption. */
export function copiedTag(value: unknown, facts: CipherFacts, tagSize: number): Buffer {
  if (!facts.aead) throw noTag('authTag', facts);
  const tag = bytes(value, 'authTag');
  if (sizeOf(tag) !== tagSize)
    throw makeError(
      'ERR_TAG_SIZE',
      `authTag must be ${tagSize} bytes (options.authTagLength) for ${facts.name}, ` +
        `not ${sizeOf(tag)}`,
    );
  const copy = allocate(tagSize);
  copy.set(tag);
  return copy;
}

/** Returns the error for an option of a tag that the cipher does not have. */
export function noTag(name: string, facts: CipherFacts): Error {
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `${name} must be absent: ${facts.name} does not authenticate`,
  );
}
