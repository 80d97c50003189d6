/** HKDF (RFC 5869): extract, then expand. */
import type { PortableMac } from '../hashes/contract.js';

/**
 * Derives a key of at most 255 digests with the MAC that `prepare` keys. An empty salt means none.
 */
export function hkdf(
  prepare: (key: Uint8Array) => PortableMac,
  digestSize: number,
  secret: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  target: Uint8Array,
): void {
  const key = new Uint8Array(digestSize);
  const extractor = prepare(salt);
  extractor.mac(secret, key);
  extractor.dispose();
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
  key.fill(0);
  message.fill(0);
}
