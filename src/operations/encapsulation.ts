/** encapsulate and decapsulate: from arguments to a request. */
import { argument, findBytes, NO_BYTES, part, range, sizeOf } from '../base/arguments.js';
import { Operation } from '../base/frame.js';
import {
  decapsulateOptionNames,
  encapsulateOptionNames,
  targetOptionNames,
} from '../base/option-names.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import { CIPHERTEXT_BYTES, type HeldKey } from '../public-keys/held-key.js';
import { readPrivateKey, readPublicKey } from '../public-keys/keys.js';
import { Form, setFinish, setResult, type Parser } from '../request/request.js';
import { readPlace } from './hash.js';
import {
  beginWithKey,
  parserFor,
  readCallOptions,
  setOutput,
  wrongKey,
  type Options,
} from './public-key-arguments.js';
import { allocate, type Buffer } from '#platform/base/runtime.js';

export const encapsulateParser: Parser = parserFor(
  'encapsulate',
  'key',
  fillEncapsulate,
  encapsulateOptionNames,
);

export const decapsulateParser: Parser = parserFor(
  'decapsulate',
  'key, ciphertext',
  fillDecapsulate,
  decapsulateOptionNames,
  targetOptionNames,
);

/** Bytes of a shared secret. */
const SECRET_BYTES = 32;

function fillEncapsulate(given: ArrayLike<unknown>, options: Options): void {
  const call = readCallOptions(options);
  const held = readPublicKey(argument(given, 0), 'key');
  const size = ciphertextSize(held);
  beginWithKey(Operation.Encapsulate, 0, NO_BYTES, '', held, call);
  setResult(SECRET_BYTES + size, Form.Secret);
  setFinish({ succeed: divided, fail: undefined });
}

/** Returns the secret and the ciphertext after it, each in its own memory. */
function divided(made: unknown): { readonly sharedKey: Buffer; readonly ciphertext: Buffer } {
  const both = made as Secret<Buffer>;
  const sharedKey = secretResult(SECRET_BYTES);
  const ciphertext = allocate(both.length - SECRET_BYTES);
  sharedKey.set(part(both, 0, SECRET_BYTES));
  ciphertext.set(part(both, SECRET_BYTES, ciphertext.length));
  wipe(both, 0, SECRET_BYTES);
  return { sharedKey, ciphertext };
}

function fillDecapsulate(given: ArrayLike<unknown>, options: Options): void {
  const { target, targetOffset } = options;
  const call = readCallOptions(options);
  const place = readPlace(target, targetOffset, undefined);
  if (place !== undefined) range(place.targetOffset, SECRET_BYTES, sizeOf(place.target), 'target');
  const ciphertext = findBytes(argument(given, 1), 'ciphertext');
  const held = readPrivateKey(argument(given, 0), 'key');
  ciphertextSize(held);
  beginWithKey(Operation.Decapsulate, 0, ciphertext, 'ciphertext', held, call);
  setOutput(SECRET_BYTES, Form.Secret, place);
}

/** Returns the bytes of a ciphertext for a key of ML-KEM or X-Wing. */
function ciphertextSize(held: HeldKey): number {
  const size = CIPHERTEXT_BYTES[held.algorithmNumber];
  if (size === 0) throw wrongKey('key', held, 'ML-KEM or X-Wing');
  return size;
}
