/**
 * Secrets as callers give them, read before the request record is filled: bytes stay the caller's
 * memory, a KeyObject or CryptoKey becomes a copy of its bytes that is ours and is wiped after use.
 *
 * To ask a KeyObject for its bytes may run code of the caller's, if it is a forgery. So parsers
 * read secrets last of all arguments.
 */
import { wrongType, makeError } from './errors.js';
import { bytesOfBuffer, bytesOfView, isBytesView, isUint8Array } from './intrinsics.js';
import { exportedSecret, KEY_KINDS } from '#platform/runtime.js';

/** The bytes of a KeyObject or CryptoKey, in memory of ours. */
export class SecretCopy {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  wipe(): void {
    this.#bytes.fill(0);
  }

  /** Returns true for a SecretCopy. Unlike `instanceof` it asks no prototypes. */
  static is(value: unknown): value is SecretCopy {
    return typeof value === 'object' && value !== null && #bytes in value;
  }
}

/** What {@link readSecret} takes. */
export const enum SecretKinds {
  /** Bytes, KeyObject, CryptoKey. */
  Keys = 0,
  /** And strings. */
  Text = 1,
  /** And prepared keys, which the caller has looked for: for the message only. */
  Prepared = 2,
}

/**
 * Reads a secret: a string as it is, bytes as a Uint8Array over the same memory, a KeyObject or
 * CryptoKey as a copy.
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE, which names the kinds that are taken
 */
export function readSecret(
  value: unknown,
  name: string,
  takes: SecretKinds.Keys | SecretKinds.Prepared,
): Uint8Array | SecretCopy;
export function readSecret(
  value: unknown,
  name: string,
  takes: SecretKinds,
): Uint8Array | SecretCopy | string;
export function readSecret(
  value: unknown,
  name: string,
  takes: SecretKinds,
): Uint8Array | SecretCopy | string {
  if (isUint8Array(value)) return value;
  if (typeof value === 'string' && (takes & SecretKinds.Text) !== 0) return value;
  const found = isBytesView(value)
    ? bytesOfView(value)
    : (bytesOfBuffer(value) ?? copyOf(value, name));
  if (found !== undefined) return found;
  const kinds = [
    ...((takes & SecretKinds.Text) === 0 ? [] : ['a string']),
    ...KEY_KINDS,
    ...((takes & SecretKinds.Prepared) === 0 ? [] : ['a prepared Key']),
  ];
  throw wrongType(name, `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}`, value);
}

function copyOf(value: unknown, name: string): SecretCopy | undefined {
  const exported = exportedSecret(value);
  if (typeof exported === 'string')
    throw makeError('ERR_ARGUMENT_TYPE', `${name} must be ${exported}`);
  return isUint8Array(exported) ? new SecretCopy(exported) : undefined;
}

/** Wipes what {@link readSecret} gave, if it is ours: for calls that end before they use it. */
export function wipeCopy(secret: unknown): void {
  if (SecretCopy.is(secret)) secret.wipe();
}
