/** HKDF (RFC 5869): extract, then expand. */
import type { PortableMac } from '../hashes/contract.js';

/** Returns the MAC of a key. */
export type PrepareKey = (key: Uint8Array) => PortableMac;

/** Extracts a key of one digest. An empty salt means none. */
export function hkdfExtract(
  prepare: PrepareKey,
  secret: Uint8Array,
  salt: Uint8Array,
  target: Uint8Array,
): void {
  const extractor = prepare(salt);
  extractor.mac(secret, target);
  extractor.dispose();
}

/** Expands a key to at most 255 digests. */
export function hkdfExpand(
  prepare: PrepareKey,
  digestSize: number,
  key: Uint8Array,
  info: Uint8Array,
  target: Uint8Array,
): void {
  const expander = prepare(key);
  // T(n - 1) || info || n
  const message = new Uint8Array(digestSize + info.length + 1);
  message.set(info, digestSize);
  const digest = message.subarray(0, digestSize);
  for (let round = 1, at = 0; at < target.length; round++, at += digestSize) {
    message[message.length - 1] = round;
    expander.mac(round === 1 ? message.subarray(digestSize) : message, digest);
    target.set(digest.subarray(0, Math.min(digestSize, target.length - at)), at);
  }
  expander.dispose();
  message.fill(0);
}

/**
 * Derives a key of at most 255 digests with the MAC that `prepare` keys. An empty salt means none.
 */
export function hkdf(
  prepare: PrepareKey,
  digestSize: number,
  secret: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  target: Uint8Array,
): void {
  const key = new Uint8Array(digestSize);
  hkdfExtract(prepare, secret, salt, key);
  hkdfExpand(prepare, digestSize, key, info, target);
  key.fill(0);
}
