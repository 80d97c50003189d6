/** The curves of @noble/curves 1 and 2 by native code. */
import { isShared, NO_BYTES } from '../../base/intrinsics.js';
import { RawOperation } from '../../base/protocol.js';
import { secretMemory, wipe } from '../../base/secret-memory.js';
import { runRaw } from '../../operations/raw-keys.js';
import { isPlain, readBytes, readHexOrBytes, withFunctions, type Read } from './bytes.js';
import { facts, overEcdsa, overSchnorr } from './ecdsa.js';

/** A curve of noble, or a module with curves. */
type Noble = any;
type Bytes = Uint8Array<ArrayBuffer>;

/** Makes a curve over the original's. */
type Over = (original: Noble, read: Read) => Noble;

/** The curves by their names in noble's modules. */
const curves: Readonly<Record<string, Over>> = {
  ed25519: overEd25519,
  x25519: overX25519,
  schnorr: overSchnorr,
  ...Object.fromEntries(
    Object.entries(facts).map(([name, each]) => [
      name,
      (original: Noble, read: Read) => overEcdsa(original, read, each),
    ]),
  ),
};

/** Other names of curves in version 1. */
const aliases = { secp256r1: 'p256', secp384r1: 'p384', secp521r1: 'p521' };

/** The curves that were made: two modules may have the same one. */
const made = new WeakMap<object, object>();

/** Returns an object like a module of noble, of which the curves are native. */
export function overCurves(module: Noble): Noble {
  // Version 1 takes hex; its curves have their parameters.
  const isFirst = Object.keys(curves).some((name) => module[name]?.CURVE !== undefined);
  const read = isFirst ? readHexOrBytes : readBytes;
  const all = { ...curves };
  for (const [alias, name] of Object.entries(aliases)) all[alias] = curves[name]!;
  const found = Object.entries(all).flatMap(([name, over]) => {
    const original = module[name];
    if (original === undefined) return [];
    if (!made.has(original)) made.set(original, over(original, read));
    return [[name, made.get(original)]];
  });
  return { ...module, ...Object.fromEntries(found) };
}

function overEd25519(original: Noble, read: Read): Noble {
  const getPublicKey = (secretKey: unknown): Bytes => {
    const seed = read(secretKey);
    const pair = secretMemory(64);
    const done = seed !== undefined && runRaw(RawOperation.Ed25519KeyPair, pair, seed);
    const key = done ? pair.slice(32) : undefined;
    wipe(pair);
    return key ?? original.getPublicKey(secretKey);
  };
  return withFunctions(original, {
    keygen(seed: unknown) {
      const secretKey = original.utils.randomSecretKey(seed);
      return { secretKey, publicKey: getPublicKey(secretKey) };
    },
    getPublicKey,
    sign(msg: unknown, secretKey: unknown, ...rest: unknown[]): Bytes {
      const [message, seed] = [read(msg), read(secretKey)];
      // Another thread could change the message between its two hashes.
      if (isPlain(rest) && message !== undefined && seed !== undefined && !isShared(message)) {
        const signature = new Uint8Array(64);
        if (runRaw(RawOperation.Ed25519SignSeed, signature, message, seed)) return signature;
      }
      return original.sign(msg, secretKey, ...rest);
    },
    verify(sig: unknown, msg: unknown, publicKey: unknown, ...rest: unknown[]): boolean {
      const [signature, message, key] = [read(sig), read(msg), read(publicKey)];
      // The original's rule is that of ZIP 215, which takes all that RFC 8032's takes under a
      // canonical key, and more.
      return (
        (isPlain(rest) &&
          signature !== undefined &&
          message !== undefined &&
          key !== undefined &&
          isCanonical(key) &&
          runRaw(RawOperation.Ed25519Verify, NO_BYTES, message, signature, key)) ||
        original.verify(sig, msg, publicKey, ...rest)
      );
    },
  });
}

/** Returns false for the numbers from 2^255 - 19 on, and a few others. */
const isReduced = (bytes: Uint8Array): boolean => (bytes[31]! & 0x7f) < 0x7f || bytes[30]! < 0xff;

/** Returns true if an Ed25519 key is the only encoding of its point; false also for a few others. */
export const isCanonical = (key: Uint8Array): boolean =>
  isReduced(key) && (key[31] !== 0x80 || key[30] !== 0);

function overX25519(original: Noble, read: Read): Noble {
  const product =
    (name: string) =>
    (scalar: unknown, u: unknown): Bytes => {
      const [factor, point] = [read(scalar), read(u)];
      const target = new Uint8Array(32);
      // Early versions refuse other encodings.
      return factor !== undefined &&
        point !== undefined &&
        isReduced(point) &&
        runRaw(RawOperation.X25519, target, factor, point)
        ? target
        : original[name](scalar, u);
    };
  const publicKey =
    (name: string) =>
    (scalar: unknown): Bytes => {
      const [factor, target] = [read(scalar), new Uint8Array(32)];
      return factor !== undefined && runRaw(RawOperation.X25519Public, target, factor)
        ? target
        : original[name](scalar);
    };
  const getPublicKey = publicKey('getPublicKey');
  return withFunctions(original, {
    keygen(seed: unknown) {
      const secretKey = original.utils.randomSecretKey(seed);
      return { secretKey, publicKey: getPublicKey(secretKey) };
    },
    getSharedSecret: product('getSharedSecret'),
    getPublicKey,
    scalarMult: product('scalarMult'),
    scalarMultBase: publicKey('scalarMultBase'),
  });
}
