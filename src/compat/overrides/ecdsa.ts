/** ECDSA over the curves of NIST and secp256k1, and Schnorr signatures, of @noble/curves. */
import { isShared, NO_BYTES, sizeOf } from '../../base/intrinsics.js';
import { RawCurve, RawOperation } from '../../base/protocol.js';
import { findHash } from '../../catalog/catalog.js';
import { fastInto } from '../../operations/fast-path.js';
import { judgeRaw, runRaw } from '../../operations/raw-keys.js';
import { isPlain, randomBytes, readBytes, withFunctions, type Read } from './bytes.js';

/** A curve of noble. */
type Noble = any;
type Bytes = Uint8Array<ArrayBuffer>;

/** What is known about a curve. */
interface Facts {
  readonly curve: RawCurve;
  /** Bytes of a coordinate. */
  readonly size: number;
  readonly hash: string;
}

export const facts: Readonly<Record<string, Facts>> = {
  secp256k1: { curve: RawCurve.Secp256k1, size: 32, hash: 'sha256' },
  p256: { curve: RawCurve.P256, size: 32, hash: 'sha256' },
  p384: { curve: RawCurve.P384, size: 48, hash: 'sha384' },
  p521: { curve: RawCurve.P521, size: 66, hash: 'sha512' },
};

/** Longer digests are for the original, which takes up to 8 KiB. */
const DIGEST_MAX = 128;

/** How a message is signed. */
interface Signing {
  readonly prehash: boolean;
  readonly lowS: boolean;
  readonly format: unknown;
  readonly entropy: Uint8Array;
}

/** Returns a curve like the original's, with native functions. */
export function overEcdsa(original: Noble, read: Read, { curve, size, hash }: Facts): Noble {
  const isFirst = read !== readBytes;
  const hashFacts = findHash(hash)!;
  const isSecp256k1 = curve === RawCurve.Secp256k1;
  const defaults: Signing = {
    prehash: !isFirst,
    lowS: isSecp256k1 || !isFirst,
    format: isFirst ? undefined : 'compact',
    entropy: NO_BYTES,
  };

  const Signature = isFirst && isSecp256k1 ? overSignature(original, read) : original.Signature;

  /** Reads options; undefined if the original is to. */
  const readOptions = (rest: readonly unknown[]): Signing | undefined => {
    const [given] = rest;
    if (given === undefined) return defaults;
    if (typeof given !== 'object' || given === null) return undefined;
    const options = { ...given } as Record<string, unknown>;
    if (Object.keys(options).some((name) => !names.includes(name))) return undefined;
    const { lowS, prehash = defaults.prehash, format = defaults.format, extraEntropy } = options;
    // The versions 1 differ in what options without it mean.
    const low = lowS ?? (isFirst ? undefined : defaults.lowS);
    if (typeof low !== 'boolean' || typeof prehash !== 'boolean') return undefined;
    const entropy = readEntropy(extraEntropy);
    return entropy && { prehash, lowS: low, format, entropy };
  };

  const readEntropy = (value: unknown): Uint8Array | undefined => {
    if (value === true) return randomBytes(size);
    // Early versions refuse false.
    if (value === undefined || (value === false && original.lengths !== undefined)) return NO_BYTES;
    return value === false ? undefined : read(value);
  };

  const digestOf = (message: unknown, prehash: boolean): Uint8Array | undefined => {
    const bytes = read(message);
    if (bytes === undefined) return undefined;
    if (prehash) {
      const digest = new Uint8Array(hashFacts.digestSize);
      return fastInto(hashFacts, bytes, digest) ? digest : undefined;
    }
    const digestSize = sizeOf(bytes);
    return digestSize > 0 && digestSize <= DIGEST_MAX && !isShared(bytes) ? bytes : undefined;
  };

  /**
   * Returns r and s, after the recovery number where it is wanted or of no cost; undefined for what
   * the original is to answer.
   */
  const signed = (message: unknown, secretKey: unknown, signing: Signing): Bytes | undefined => {
    const digest = digestOf(message, signing.prehash);
    const key = read(secretKey);
    const { lowS, entropy, format } = signing;
    if (digest === undefined || key === undefined || sizeOf(key) !== size) return undefined;
    const isRecovered = isFirst || isSecp256k1 || format === 'recovered';
    const signature = new Uint8Array((isRecovered ? 1 : 0) + 2 * size);
    const operation = lowS ? RawOperation.EcSignLow : RawOperation.EcSign;
    return runRaw(operation, signature, digest, key, entropy, curve) ? signature : undefined;
  };

  /** Returns a signature as the original has it; undefined for another format. */
  const shape = (signature: Bytes, format: unknown): unknown => {
    if (isFirst) {
      const [r, s] = [signature.subarray(1, 1 + size), signature.subarray(1 + size)];
      return format === undefined
        ? new Signature(numberOf(r), numberOf(s), signature[0])
        : undefined;
    }
    if (format === 'recovered') return signature;
    const compact = isSecp256k1 ? signature.slice(1) : signature;
    if (format === 'compact') return compact;
    return format === 'der' ? original.Signature.fromBytes(compact).toBytes('der') : undefined;
  };

  /** Returns a point in one of its two forms. */
  const newPoint = (isCompressed: unknown): Bytes | undefined =>
    typeof isCompressed === 'boolean'
      ? new Uint8Array(1 + (isCompressed ? size : 2 * size))
      : undefined;

  const getPublicKey = (secretKey: unknown, isCompressed: unknown = true): Bytes => {
    const [key, point] = [read(secretKey), newPoint(isCompressed)];
    return key !== undefined &&
      point !== undefined &&
      runRaw(RawOperation.EcPublicKey, point, key, undefined, undefined, curve)
      ? point
      : original.getPublicKey(secretKey, isCompressed);
  };

  return withFunctions(original, {
    Signature,
    keygen(seed: unknown) {
      const secretKey = original.utils.randomSecretKey(seed);
      return { secretKey, publicKey: getPublicKey(secretKey) };
    },
    getPublicKey,
    getSharedSecret(secretKey: unknown, publicKey: unknown, isCompressed: unknown = true): Bytes {
      const [key, peer, point] = [read(secretKey), read(publicKey), newPoint(isCompressed)];
      return key !== undefined &&
        peer !== undefined &&
        point !== undefined &&
        runRaw(RawOperation.EcMultiply, point, key, peer, undefined, curve)
        ? point
        : original.getSharedSecret(secretKey, publicKey, isCompressed);
    },
    sign(message: unknown, secretKey: unknown, ...rest: unknown[]): unknown {
      const signing = readOptions(rest);
      const signature = signing && signed(message, secretKey, signing);
      const shaped = signature && shape(signature, signing!.format);
      return shaped ?? original.sign(message, secretKey, ...rest);
    },
    verify(signature: unknown, message: unknown, publicKey: unknown, ...rest: unknown[]): boolean {
      const signing = readOptions(rest);
      const isCompact = signing?.format === (isFirst ? undefined : 'compact');
      const digest = signing && isCompact ? digestOf(message, signing.prehash) : undefined;
      const [bytes, key] = [read(signature), read(publicKey)];
      if (digest !== undefined && bytes !== undefined && key !== undefined && !isDer(bytes)) {
        const operation = signing!.lowS ? RawOperation.EcVerifyLow : RawOperation.EcVerify;
        const valid = judgeRaw(operation, NO_BYTES, digest, bytes, key, curve);
        if (valid !== undefined) return valid;
      }
      return original.verify(signature, message, publicKey, ...rest);
    },
    recoverPublicKey(signature: unknown, message: unknown, ...rest: unknown[]): Bytes {
      const signing = readOptions(rest);
      const digest = signing && isSecp256k1 ? digestOf(message, signing.prehash) : undefined;
      const [bytes, point] = [readBytes(signature), new Uint8Array(1 + size)];
      return digest !== undefined &&
        bytes !== undefined &&
        runRaw(RawOperation.EcRecover, point, digest, bytes)
        ? point
        : original.recoverPublicKey(signature, message, ...rest);
    },
  });
}

/** Returns the class of signatures of version 1, with native recovery. */
function overSignature(original: Noble, read: Read): Noble {
  const Original: Noble = original.Signature;
  const Point: Noble = original.Point ?? original.ProjectivePoint;
  const over = ({ r, s, recovery }: Noble): Noble => new (Signature as Noble)(r, s, recovery);
  class Signature extends Original {
    addRecoveryBit(recovery: unknown): Noble {
      return over(super.addRecoveryBit(recovery));
    }

    normalizeS(): Noble {
      const made = super.normalizeS();
      return made === this ? this : over(made);
    }

    recoverPublicKey(msgHash: unknown): Noble {
      const { r, s, recovery } = this as Noble;
      const [digest, point] = [read(msgHash), new Uint8Array(65)];
      if (digest !== undefined && [0, 1, 2, 3].includes(recovery)) {
        const numbers = [r, s].map((number: bigint) => number.toString(16).padStart(64, '0'));
        const bytes = Buffer.from(`0${recovery}${numbers.join('')}`, 'hex');
        if (runRaw(RawOperation.EcRecover, point, digest, bytes)) return Point.fromHex(point);
      }
      return super.recoverPublicKey(msgHash);
    }
  }
  for (const name of ['fromBytes', 'fromHex', 'fromCompact', 'fromDER'])
    if (typeof Original[name] === 'function')
      (Signature as Noble)[name] = (...given: unknown[]) => over(Original[name](...given));
  return Signature;
}

/** The options of signatures. */
const names = ['lowS', 'prehash', 'extraEntropy', 'format'];

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/** Returns true if version 1, which knows no format, could read a signature as DER. */
const isDer = (signature: Uint8Array): boolean =>
  signature[0] === 0x30 && signature[1] === sizeOf(signature) - 2;

/** Returns an object like noble's `schnorr`, with native functions. */
export function overSchnorr(original: Noble, read: Read): Noble {
  const getPublicKey = (secretKey: unknown): Bytes => {
    const [key, point] = [read(secretKey), new Uint8Array(33)];
    const curve = RawCurve.Secp256k1;
    return key !== undefined &&
      runRaw(RawOperation.EcPublicKey, point, key, undefined, undefined, curve)
      ? point.slice(1)
      : original.getPublicKey(secretKey);
  };
  return withFunctions(original, {
    keygen(seed: unknown) {
      const secretKey = original.utils.randomSecretKey(seed);
      return { secretKey, publicKey: getPublicKey(secretKey) };
    },
    getPublicKey,
    sign(message: unknown, secretKey: unknown, ...rest: unknown[]): Bytes {
      const [bytes, key] = [read(message), read(secretKey)];
      const random = isPlain(rest) ? randomBytes(32) : read(rest[0]);
      if (bytes !== undefined && key !== undefined && random !== undefined && !isShared(bytes)) {
        const signature = new Uint8Array(64);
        if (runRaw(RawOperation.SchnorrSign, signature, bytes, key, random)) return signature;
      }
      return original.sign(message, secretKey, ...rest);
    },
    verify(signature: unknown, message: unknown, publicKey: unknown): boolean {
      const [sig, bytes, key] = [read(signature), read(message), read(publicKey)];
      const valid =
        sig !== undefined && bytes !== undefined && key !== undefined
          ? judgeRaw(RawOperation.SchnorrVerify, NO_BYTES, bytes, sig, key)
          : undefined;
      return valid ?? original.verify(signature, message, publicKey);
    },
  });
}
