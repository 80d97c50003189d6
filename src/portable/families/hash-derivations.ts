/** Derivations that take a few hashes: HKDF (RFC 5869), which extracts a key and expands it. */
import { Operation, Status } from '../../base/protocol.js';
import { secretMemory, wipe } from '../../base/secret-memory.js';
import { refuse } from '../windows.js';
import type { FamilyHash } from './hash.js';
import { withHmac, type MacSizes } from './hmac.js';

/** The inputs of a derivation, by their places in a request. */
interface Inputs {
  readonly secret: Uint8Array;
  readonly iv: Uint8Array;
  readonly aad: Uint8Array;
  readonly target: Uint8Array;
}

/** Checks the sizes and derives. */
type HashDerivation = (hash: FamilyHash, sizes: MacSizes, inputs: Inputs) => void;

/** The derivations of this module by their operations. */
export const hashDerivations: readonly (readonly [Operation, HashDerivation])[] = [
  [
    Operation.Hkdf,
    (hash, sizes, { secret, iv, aad, target }) => {
      if (target.length > 255 * sizes.digestSize) refuse(Status.OutputSize);
      hkdf(hash, sizes, secret, iv, aad, target);
    },
  ],
  [
    Operation.HkdfExtract,
    (hash, sizes, { secret, iv, target }) => {
      if (target.length !== sizes.digestSize) refuse(Status.OutputSize);
      hkdfExtract(hash, sizes, secret, iv, target);
    },
  ],
  [
    Operation.HkdfExpand,
    (hash, sizes, { secret, aad, target }) => {
      if (target.length > 255 * sizes.digestSize) refuse(Status.OutputSize);
      if (secret.length < sizes.digestSize) refuse(Status.KeySize);
      hkdfExpand(hash, sizes, secret, aad, target);
    },
  ],
];

/** Extracts a key and expands it to at most 255 digests. */
export function hkdf(
  hash: FamilyHash,
  sizes: MacSizes,
  secret: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  target: Uint8Array,
): void {
  const key = secretMemory(sizes.digestSize);
  try {
    hkdfExtract(hash, sizes, secret, salt, key);
    hkdfExpand(hash, sizes, key, info, target);
  } finally {
    wipe(key);
  }
}

/** Extracts a key of one digest. An empty salt means none. */
export function hkdfExtract(
  hash: FamilyHash,
  sizes: MacSizes,
  secret: Uint8Array,
  salt: Uint8Array,
  target: Uint8Array,
): void {
  withHmac(hash, sizes, salt, (extractor) => extractor.mac(secret, target));
}

/** Expands a key to at most 255 digests. */
export function hkdfExpand(
  hash: FamilyHash,
  sizes: MacSizes,
  key: Uint8Array,
  info: Uint8Array,
  target: Uint8Array,
): void {
  const { digestSize } = sizes;
  // T(n - 1) || info || n
  const message = secretMemory(digestSize + info.length + 1);
  message.set(info, digestSize);
  const digest = message.subarray(0, digestSize);
  try {
    withHmac(hash, sizes, key, (expander) => {
      for (let round = 1, at = 0; at < target.length; round++, at += digestSize) {
        message[message.length - 1] = round;
        expander.mac(round === 1 ? message.subarray(digestSize) : message, digest);
        target.set(digest.subarray(0, Math.min(digestSize, target.length - at)), at);
      }
    });
  } finally {
    wipe(message);
  }
}
