/**
 * Packages of public-key cryptography with their hot functions computed by native code, for the
 * packages that take their places in `overrides`: `@millrace/tweetnacl` and others. A program that
 * has the original can also call these functions itself. Node.js only.
 *
 * Each function returns another object like the original, which it leaves as it is. What native
 * code refuses, and everything with an engine other than the native one, the original computes.
 *
 * @packageDocumentation
 */
import { overCurves } from './overrides/curves.js';
import { overPostQuantum } from './overrides/post-quantum.js';
import { overTweetnacl } from './overrides/tweetnacl.js';

/**
 * Returns an object like tweetnacl whose functions are native: `box`, `secretbox`, `sign`,
 * `scalarMult`, `hash` with all of theirs, and `lowlevel.crypto_hash`. `verify`, `randomBytes` and
 * the rest of `lowlevel` are the original's.
 *
 * @example
 * ```js
 * import original from 'tweetnacl';
 * import { tweetnacl } from 'millrace/overrides';
 *
 * const nacl = tweetnacl(original);
 * const message = new Uint8Array([1, 2, 3]);
 * const { publicKey, secretKey } = nacl.sign.keyPair();
 * const signature = nacl.sign.detached(message, secretKey);
 * nacl.sign.detached.verify(message, signature, publicKey); // true
 * ```
 *
 * @param original tweetnacl of version 0.14 or 1
 */
export function tweetnacl<Nacl extends object>(original: Nacl): Nacl {
  return overTweetnacl(original) as Nacl;
}

/**
 * Returns the exports of a module of `@noble/curves`, of which the curves are native: Ed25519,
 * X25519, P-256, P-384, P-521, secp256k1 and its Schnorr signatures. Native are `getPublicKey`,
 * `keygen`, `sign`, `verify`, `getSharedSecret`, `scalarMult`, and `recoverPublicKey` of secp256k1;
 * points, hash-to-curve and the rest are the original's.
 *
 * @example
 * ```js
 * import * as original from '@noble/curves/ed25519.js';
 * import { nobleCurves } from 'millrace/overrides';
 *
 * const { ed25519 } = nobleCurves(original);
 * const message = new Uint8Array([1, 2, 3]);
 * const { secretKey, publicKey } = ed25519.keygen();
 * ed25519.verify(ed25519.sign(message, secretKey), message, publicKey); // true
 * ```
 *
 * @param module a module of version 1 or 2, such as `@noble/curves/ed25519.js`
 */
export function nobleCurves<Module extends object>(module: Module): Module {
  return overCurves(module) as Module;
}

/**
 * Returns the exports of a module of `@noble/post-quantum`, of which ML-KEM and ML-DSA are native:
 * `keygen`, `encapsulate`, `decapsulate`, `sign`, `verify`, and `getPublicKey` of ML-DSA. With
 * options, or random bytes of the caller, the original computes.
 *
 * @example
 * ```js
 * import * as original from '@noble/post-quantum/ml-kem.js';
 * import { noblePostQuantum } from 'millrace/overrides';
 *
 * const { ml_kem768 } = noblePostQuantum(original);
 * const { secretKey, publicKey } = ml_kem768.keygen();
 * const { cipherText, sharedSecret } = ml_kem768.encapsulate(publicKey);
 * ml_kem768.decapsulate(cipherText, secretKey); // the same as sharedSecret
 * ```
 *
 * @param module a module such as `@noble/post-quantum/ml-kem.js`
 */
export function noblePostQuantum<Module extends object>(module: Module): Module {
  return overPostQuantum(module) as Module;
}
