/**
 * KeyObjects and CryptoKeys as keys. Their bytes never change, so one that is used again is
 * prepared once for each algorithm. The prepared key is in native memory as long as the object
 * lives and wiped after it was collected. The first use exports the bytes for itself: many
 * KeyObjects serve one call, and preparing a key costs more than an HMAC.
 */
import type { HashFacts } from '../catalog/facts.js';
import { automatic, defaultEngine, type EnginePreference } from '../engines/engines.js';
import { Purpose } from '../base/frame.js';
import { isBytesView, isUint8Array, sizeOf } from '../base/intrinsics.js';
import { isKey, keyEngines, onRelease, type Key } from '../request/key.js';
import type { KeyMaterial } from '../request/key-input.js';
import { readSecret, SecretKinds } from '../base/secret-copy.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { macTarget, prepareKey, type Target } from './key.js';
import { exportHandle, secretHandle } from '#platform/base/runtime.js';

interface Kept {
  readonly target: Target;
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
 * Returns a prepared key of the caller, or the one prepared from its KeyObject or CryptoKey.
 * Returns undefined for other values, if the call has to export the key itself, and for an object
 * if the call asks for engines. The caller must reference the key while it uses its handle.
 */
export function givenKey(
  value: unknown,
  target: Target,
  asked: EnginePreference | undefined,
): Key | undefined {
  if (isKey(value)) return value;
  // Most keys are bytes, about which Node.js need not be asked.
  if (asked !== undefined || isBytesView(value)) return undefined;
  const handle = secretHandle(value);
  return typeof handle === 'object' ? keptFor(handle, target, defaultEngine.preference) : undefined;
}

/**
 * Returns the key prepared from the KeyObject of an HMAC as {@link givenKey} does, or a copy of its
 * bytes, which the caller wipes.
 */
export function keptMacKeyOrBytes(value: object, facts: HashFacts): Key | Secret | undefined {
  const handle = secretHandle(value);
  if (typeof handle !== 'object') return undefined;
  return (
    keptFor(handle, macTarget(facts), automatic) ?? (exportHandle(handle) as Secret | undefined)
  );
}

function keptFor(handle: object, target: Target, preference: EnginePreference): Key | undefined {
  const keys = kept.get(handle);
  if (keys === undefined) {
    kept.set(handle, USED);
    return undefined;
  }
  for (let index = 0; index < keys.length; index++) {
    const each = keys[index]!;
    if (each.target === target && each.preference === preference) return each.key;
  }
  // A key in the kernel takes a socket.
  if (count >= KEPT_MAX || !preference.engines.every(({ here }) => here)) return undefined;
  const bytes = exportHandle(handle) as Secret | undefined;
  if (bytes === undefined) return undefined;
  let key: Key;
  try {
    const argument = target.purpose === Purpose.Hash ? 'options.key' : 'key';
    key = prepareKey(target, bytes, preference, argument);
  } finally {
    wipe(bytes);
  }
  count += 1;
  onRelease(key, forget);
  // The default engines may have changed: keys prepared for other ones are dropped.
  const others = keys.filter((each) => each.target !== target || each.preference === automatic);
  kept.set(handle, [...others, { target, preference, key }]);
  return key;
}

/** Reads a key of an HMAC that may be a string. */
export function readTextKey(
  value: unknown,
  facts: HashFacts,
  asked: EnginePreference | undefined,
): KeyMaterial {
  if (typeof value === 'string' || (isUint8Array(value) && sizeOf(value) > 0)) return value;
  const target = macTarget(facts);
  const key = givenKey(value, target, asked);
  if (key !== undefined) return keyEngines(key, target.name);
  return readSecret(value, 'key', SecretKinds.Text | SecretKinds.Prepared);
}
