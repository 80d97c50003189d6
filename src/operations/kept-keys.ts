/**
 * KeyObjects and CryptoKeys as keys. Their bytes never change, so one that is used again is
 * prepared once for each algorithm. The prepared key is in native memory as long as the object
 * lives and wiped after it was collected. The first use exports the bytes for itself: many
 * KeyObjects serve one call, and preparing a key costs more than an HMAC.
 */
import type { CipherFacts, HashFacts } from '../catalog/facts.js';
import { automatic, defaultEngine, type EnginePreference } from '../engines/engines.js';
import { Purpose } from '../base/frame.js';
import { isUint8Array, sizeOf } from '../base/intrinsics.js';
import { isKey, keyEngines, onRelease, type Key } from '../request/key.js';
import type { KeyMaterial } from '../request/key-input.js';
import { readSecret, SecretKinds } from '../base/secret-copy.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { cipherTarget, hashTarget, macName, macTarget, prepareFor } from './key.js';
import { exportHandle, secretHandle } from '#platform/base/runtime.js';

interface Kept {
  readonly algorithm: string;
  readonly preference: EnginePreference;
  readonly key: Key;
}

/**
 * By the handle of the KeyObject, which the object's own properties cannot change. One that was
 * used once has an empty list.
 */
const kept = new WeakMap<object, readonly Kept[]>();
const USED: readonly Kept[] = [];

/**
 * The most kept keys, of up to 4 KiB of native memory. They are wiped by the event loop: a loop
 * that does not return to it would otherwise fill the memory. Other keys are exported by each call.
 */
const KEPT_MAX = 4096;
let count = 0;

function forget(): void {
  count -= 1;
}

/**
 * Returns the key prepared from a KeyObject or CryptoKey; undefined for other values, and if the
 * call has to export the key itself. The caller must reference the key while it uses its handle.
 */
export function keptKey(
  value: unknown,
  purpose: Purpose,
  facts: HashFacts | CipherFacts,
  argument = 'key',
  preference: EnginePreference = defaultEngine.preference,
): Key | undefined {
  // Most keys are bytes, about which Node.js need not be asked.
  if (isUint8Array(value)) return undefined;
  const handle = secretHandle(value);
  return typeof handle === 'object'
    ? keptFor(handle, purpose, facts, argument, preference)
    : undefined;
}

/**
 * Returns the key prepared from a KeyObject as {@link keptKey} does, or a copy of its bytes, which
 * the caller wipes.
 */
export function keptKeyOrBytes(
  value: object,
  purpose: Purpose,
  facts: HashFacts,
  preference: EnginePreference,
): Key | Secret | undefined {
  const handle = secretHandle(value);
  if (typeof handle !== 'object') return undefined;
  return (
    keptFor(handle, purpose, facts, 'key', preference) ??
    (exportHandle(handle) as Secret | undefined)
  );
}

function keptFor(
  handle: object,
  purpose: Purpose,
  facts: HashFacts | CipherFacts,
  argument: string,
  preference: EnginePreference,
): Key | undefined {
  const algorithm = purpose === Purpose.Mac ? macName(facts as HashFacts) : facts.name;
  const keys = kept.get(handle);
  if (keys === undefined) {
    kept.set(handle, USED);
    return undefined;
  }
  for (let index = 0; index < keys.length; index++) {
    const each = keys[index]!;
    if (each.algorithm === algorithm && each.preference === preference) return each.key;
  }
  return keep(handle, purpose, facts, argument, preference, keys);
}

function keep(
  handle: object,
  purpose: Purpose,
  facts: HashFacts | CipherFacts,
  argument: string,
  preference: EnginePreference,
  keys: readonly Kept[],
): Key | undefined {
  // A key in the kernel takes a socket.
  if (count >= KEPT_MAX || !preference.engines.every(({ here }) => here)) return undefined;
  const bytes = exportHandle(handle) as Secret | undefined;
  if (bytes === undefined) return undefined;
  const target =
    purpose === Purpose.Cipher
      ? cipherTarget(facts as CipherFacts)
      : purpose === Purpose.Mac
        ? macTarget(facts as HashFacts)
        : hashTarget(facts as HashFacts);
  let key: Key;
  try {
    key = prepareFor(target, bytes, preference, argument);
  } finally {
    wipe(bytes);
  }
  count += 1;
  onRelease(key, forget);
  // The default engines may have changed: keys prepared for other ones are dropped.
  const others = keys.filter(
    (each) => each.algorithm !== target.name || each.preference === automatic,
  );
  kept.set(handle, [...others, { algorithm: target.name, preference, key }]);
  return key;
}

/**
 * Reads a key of a cipher or HMAC, prepared for it or not. Call it after all other arguments are
 * read (secret-copy.ts). `asked` are the engines that the call asks for, if it does.
 */
export function readKey(
  value: unknown,
  purpose: Purpose,
  facts: HashFacts | CipherFacts,
  asked: EnginePreference | undefined,
): Exclude<KeyMaterial, string> {
  return prepared(value, purpose, facts, asked) ?? readSecret(value, 'key', SecretKinds.Prepared);
}

/** Reads a key of an HMAC that may be a string. */
export function readTextKey(
  value: unknown,
  facts: HashFacts,
  asked: EnginePreference | undefined,
): KeyMaterial {
  if (typeof value === 'string' || (isUint8Array(value) && sizeOf(value) > 0)) return value;
  return (
    prepared(value, Purpose.Mac, facts, asked) ??
    readSecret(value, 'key', SecretKinds.Text | SecretKinds.Prepared)
  );
}

function prepared(
  value: unknown,
  purpose: Purpose,
  facts: HashFacts | CipherFacts,
  asked: EnginePreference | undefined,
): EnginePreference | undefined {
  const key = isKey(value)
    ? value
    : asked === undefined
      ? keptKey(value, purpose, facts)
      : undefined;
  if (key === undefined) return undefined;
  return keyEngines(key, purpose === Purpose.Mac ? macName(facts as HashFacts) : facts.name);
}
