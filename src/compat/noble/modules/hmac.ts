/** HMAC (RFC 2104). */
import { detached } from '../../../base/errors.js';
import { isLost, sizeOf } from '../../../base/intrinsics.js';
import type { FreshBytes } from '../../../base/platform-types.js';
import { beginMac, writeMac } from '#platform/compat/noble/hash-engine.js';
import { checkBytes, message } from '../checks.js';
import { macOf, type AnyHash } from '../derivations.js';
import { RunningHash, type Hash } from '../hash-objects.js';
import { backed, original, type MajorVersion, type Maker } from '../original.js';

/** The function `hmac`, with `hmac.create` for a message in parts. */
export interface HmacFunction {
  (hash: AnyHash, key: Uint8Array, data: Uint8Array): FreshBytes;
  /** Returns a running HMAC for a message in parts. */
  create(hash: AnyHash, key: Uint8Array): Hash;
}

/** Returns an HMAC, in memory of the kind that `allocate` returns. */
export function macIn<Memory extends Uint8Array>(
  major: MajorVersion,
  hash: AnyHash,
  key: Uint8Array,
  data: Uint8Array,
  allocate: (size: number) => Memory,
): Memory {
  const spec = macOf(hash);
  if (spec === undefined) return original(major, 'hashes', 'hmac', 'hmac')(hash, key, data);
  const keyBytes = keyOf(major, key);
  const bytes = message(major, data);
  // The checks above run the caller's code, and no bytes are a key.
  if (sizeOf(keyBytes) === 0 && isLost(keyBytes)) throw detached('key');
  const target = allocate(spec.outputLen);
  writeMac(spec.facts, keyBytes, bytes, target);
  return target;
}

function keyOf(major: MajorVersion, key: unknown): Uint8Array {
  return major === 1 ? message(major, key) : checkBytes(major, key, 'key');
}

export const hmac: Maker<HmacFunction> = /* @__PURE__ */ backed('hmac', 'hmac', (major) => {
  const mac = (hash: AnyHash, key: Uint8Array, data: Uint8Array): FreshBytes =>
    macIn(major, hash, key, data, (size) => new Uint8Array(size));
  const create = (hash: AnyHash, key: Uint8Array): Hash => {
    const spec = macOf(hash);
    const running = spec && beginMac(spec.facts, keyOf(major, key));
    if (running === undefined) return original(major, 'hashes', 'hmac', 'hmac').create(hash, key);
    return new RunningHash({ ...spec!, kind: 'md', xof: false }, running);
  };
  return Object.assign(mac, { create });
});
