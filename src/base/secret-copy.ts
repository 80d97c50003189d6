/**
 * Reads secrets before a request is filled. Bytes remain the caller's memory; the bytes of a
 * KeyObject or CryptoKey are copied, and the copy is wiped after use.
 *
 * Exporting a forged KeyObject may run the caller's code, so parsers read secrets after all other
 * arguments.
 */
import { detached, wrongType, makeError } from './errors.js';
import {
  bytesOfBuffer,
  bytesOfView,
  isBytesView,
  isLost,
  isUint8Array,
  sizeOf,
} from './intrinsics.js';
import { wipe, type Secret } from './secret-memory.js';
import { exportedSecret, KEY_KINDS, utf8Size } from '#platform/base/runtime.js';

/** A copy of a secret made here, such as the bytes of a KeyObject, which is wiped after use. */
export class SecretCopy {
  readonly #bytes: Secret;
  /** Tells a copy from a prepared key ({@link EnginePreference}), which has engines. */
  readonly engines = undefined;

  constructor(bytes: Secret) {
    this.#bytes = bytes;
  }

  get bytes(): Secret {
    return this.#bytes;
  }

  wipe(): void {
    wipe(this.#bytes);
  }

  /**
   * Returns true for a SecretCopy among the values that Millrace makes of a secret; never pass it
   * an object of the caller other than bytes. Reads an own property: `instanceof` reads prototypes,
   * and a test for a private field takes 100 instructions.
   */
  static is(value: MadeOfSecret): value is SecretCopy {
    return typeof value === 'object' && !isBytesView(value) && value.engines === undefined;
  }
}

/** Bytes, a string, a copy, or the engines that hold a prepared key. */
type MadeOfSecret = Uint8Array | string | SecretCopy | { readonly engines: object } | undefined;

/** The kinds of values that {@link readSecret} accepts. */
export const enum SecretKinds {
  /** Bytes, KeyObject, CryptoKey. */
  Keys = 0,
  /** And strings. */
  Text = 1,
  /** And prepared keys, which only the message mentions; the caller of readSecret handles them. */
  Prepared = 2,
}

/**
 * Reads a secret: a string as it is, bytes as a Uint8Array over the same memory, a KeyObject or
 * CryptoKey as a copy.
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE, which names the kinds that are taken; ERR_DETACHED
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
  if (typeof value === 'string' && (takes & SecretKinds.Text) !== 0) return value;
  const found = isUint8Array(value)
    ? value
    : isBytesView(value)
      ? bytesOfView(value)
      : bytesOfBuffer(value);
  if (found !== undefined) {
    if (sizeOf(found) === 0 && isLost(value as ArrayBufferView)) throw detached(name);
    return found;
  }
  const copy = exportedCopy(value, name);
  if (copy !== undefined) return copy;
  const kinds = [
    ...((takes & SecretKinds.Text) === 0 ? [] : ['a string']),
    ...KEY_KINDS,
    ...((takes & SecretKinds.Prepared) === 0 ? [] : ['a prepared Key']),
  ];
  throw wrongType(name, `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}`, value);
}

/** Returns a copy of the bytes that a KeyObject or CryptoKey exports; else undefined. */
function exportedCopy(value: unknown, name: string): SecretCopy | undefined {
  const exported = exportedSecret(value);
  if (typeof exported === 'string')
    throw makeError('ERR_ARGUMENT_TYPE', `${name} must be ${exported}`);
  // Node.js exports to a separate ArrayBuffer.
  return isUint8Array(exported) ? new SecretCopy(exported as Secret) : undefined;
}

/** Returns the bytes of a secret; of a string those of its UTF-8 encoding. */
export function secretSize(secret: string | Uint8Array | SecretCopy): number {
  if (typeof secret === 'string') return utf8Size(secret);
  return SecretCopy.is(secret) ? secret.bytes.length : sizeOf(secret);
}

/** Wipes a secret if it is a copy, for calls that fail before they use it. */
export function wipeCopy(secret: MadeOfSecret): void {
  if (SecretCopy.is(secret)) secret.wipe();
}
