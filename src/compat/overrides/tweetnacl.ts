/** tweetnacl by native code. */
import { copyInto, isShared, NO_BYTES, part, sizeOf } from '../../base/intrinsics.js';
import { RawOperation } from '../../base/protocol.js';
import { secretCopy, wipe } from '../../base/secret-memory.js';
import { findHash } from '../../catalog/catalog.js';
import { fastInto } from '../../operations/fast-path.js';
import { judgeRaw, runRaw } from '../../operations/raw-keys.js';
import { isBytes } from './bytes.js';
import { isCanonical } from './curves.js';

/** The exports of tweetnacl. */
type Nacl = any;
/** Bytes as tweetnacl returns them. */
type Bytes = Uint8Array<ArrayBuffer>;

const sha512 = findHash('sha512')!;

/** Bytes of the tag of a box, and of the zeros before a message and before a box. */
const [TAG, ZEROS, BOX_ZEROS] = [16, 32, 16];

/**
 * Returns an object like tweetnacl, of which the functions are native. What native code refuses,
 * such as arguments of other types and sizes, the original answers.
 */
export function overTweetnacl(original: Nacl): Nacl {
  /** The function that the program has set for random bytes. */
  let random: ((target: Uint8Array, size: number) => void) | undefined;
  /** Returns random bytes at the front of an array of this size, as the original asks for them. */
  const randomSecret = (size: number): Bytes => {
    const secret = new Uint8Array(size);
    if (random === undefined) secret.set(original.randomBytes(32));
    else random(secret, 32);
    return secret;
  };
  /** What opening a box that is not authentic returns: null, in version 0.14 false. */
  const refused: unknown = original.secretbox.open(
    NO_BYTES,
    new Uint8Array(original.secretbox.nonceLength),
    new Uint8Array(original.secretbox.keyLength),
  );

  const secretbox = (msg: unknown, nonce: unknown, key: unknown): Bytes => {
    if (isBytes(msg) && isBytes(nonce) && isBytes(key)) {
      // The original's result is the end of such memory, too.
      const target = new Uint8Array(ZEROS + sizeOf(msg)).subarray(ZEROS - TAG);
      if (runRaw(RawOperation.BoxSeal, target, msg, nonce, key)) return target;
    }
    return original.secretbox(msg, nonce, key);
  };

  const open = (box: unknown, nonce: unknown, key: unknown): unknown => {
    // Another thread could change a box after it was authenticated.
    if (isBytes(box) && isBytes(nonce) && isBytes(key) && sizeOf(box) >= TAG && !isShared(box)) {
      const target = new Uint8Array(BOX_ZEROS + sizeOf(box)).subarray(ZEROS);
      const authentic = judgeRaw(RawOperation.BoxOpen, target, box, nonce, key);
      if (authentic !== undefined) return authentic ? target : refused;
    }
    return original.secretbox.open(box, nonce, key);
  };

  const before = (publicKey: unknown, secretKey: unknown): Bytes => {
    if (isBytes(publicKey) && isBytes(secretKey)) {
      const target = new Uint8Array(32);
      if (runRaw(RawOperation.BoxKey, target, publicKey, secretKey)) return target;
    }
    return original.box.before(publicKey, secretKey);
  };

  const scalarMult = (n: unknown, p: unknown): Bytes => {
    if (isBytes(n) && isBytes(p)) {
      const target = new Uint8Array(32);
      if (runRaw(RawOperation.X25519, target, n, p)) return target;
    }
    return original.scalarMult(n, p);
  };

  const base = (n: unknown): Bytes => {
    if (isBytes(n)) {
      const target = new Uint8Array(32);
      if (runRaw(RawOperation.X25519Public, target, n)) return target;
    }
    return original.scalarMult.base(n);
  };

  const boxPair = (secretKey: unknown): unknown => {
    if (isBytes(secretKey)) {
      const publicKey = new Uint8Array(32);
      if (runRaw(RawOperation.X25519Public, publicKey, secretKey))
        return { publicKey, secretKey: new Uint8Array(secretKey) };
    }
    return original.box.keyPair.fromSecretKey(secretKey);
  };

  /** Writes a signature; returns false for what the original is to answer. */
  const signInto = (target: Uint8Array, msg: unknown, secretKey: unknown): boolean =>
    isBytes(msg) &&
    isBytes(secretKey) &&
    // Another thread could change the message between its two hashes.
    !isShared(msg) &&
    runRaw(RawOperation.Ed25519Sign, target, msg, secretKey);

  const detached = (msg: unknown, secretKey: unknown): Bytes => {
    const signature = new Uint8Array(64);
    return signInto(signature, msg, secretKey) ? signature : original.sign.detached(msg, secretKey);
  };

  const sign = (msg: unknown, secretKey: unknown): Bytes => {
    if (isBytes(msg)) {
      const signed = copyInto(new Uint8Array(64 + sizeOf(msg)), msg, 64);
      if (signInto(signed.subarray(0, 64), signed.subarray(64), secretKey)) return signed;
    }
    return original.sign(msg, secretKey);
  };

  /** Returns the verdict on a signature; undefined if the original is to answer. */
  const verdict = (msg: Uint8Array, sig: Uint8Array, key: Uint8Array): boolean | undefined => {
    const valid = judgeRaw(RawOperation.Ed25519Verify, NO_BYTES, msg, sig, key);
    // The original also takes an s beyond the order, and encodings of points that are not canonical.
    return valid === false && (sig[63]! > 15 || !isCanonical(key)) ? undefined : valid;
  };

  const verify = (msg: unknown, sig: unknown, publicKey: unknown): boolean =>
    (isBytes(msg) && isBytes(sig) && isBytes(publicKey)
      ? verdict(msg, sig, publicKey)
      : undefined) ?? original.sign.detached.verify(msg, sig, publicKey);

  // `arguments` counts: version 0.14 takes no third one.
  function openSigned(signedMsg: unknown, publicKey: unknown): unknown {
    const size = isBytes(signedMsg) ? sizeOf(signedMsg) - 64 : -1;
    if (arguments.length === 2 && size >= 0 && isBytes(publicKey)) {
      const signature = part(signedMsg as Uint8Array, 0, 64);
      const message = copyInto(new Uint8Array(size), part(signedMsg as Uint8Array, 64, size), 0);
      if (runRaw(RawOperation.Ed25519Verify, NO_BYTES, message, signature, publicKey))
        return message;
    }
    return Reflect.apply(original.sign.open, undefined, arguments);
  }

  const seededPair = (secretKey: Bytes): { publicKey: Bytes; secretKey: Bytes } | undefined => {
    const seed = secretCopy(secretKey.subarray(0, 32));
    const done = runRaw(RawOperation.Ed25519KeyPair, secretKey, seed);
    wipe(seed);
    return done ? { publicKey: secretKey.slice(32), secretKey } : undefined;
  };

  const fromSeed = (seed: unknown): unknown => {
    if (isBytes(seed) && sizeOf(seed) === 32) {
      const pair = seededPair(copyInto(new Uint8Array(64), seed, 0));
      if (pair !== undefined) return pair;
    }
    return original.sign.keyPair.fromSeed(seed);
  };

  const hash = (msg: unknown): Bytes => {
    const digest = new Uint8Array(64);
    return isBytes(msg) && fastInto(sha512, msg, digest) ? digest : original.hash(msg);
  };

  /** As bcrypt-pbkdf calls it. */
  const lowlevelHash = (out: unknown, m: unknown, n: unknown): unknown => {
    if (isBytes(out) && sizeOf(out) === 64 && isBytes(m) && n === sizeOf(m)) {
      const digest = new Uint8Array(64);
      if (fastInto(sha512, m, digest)) {
        copyInto(out, digest, 0);
        return 0;
      }
    }
    return original.lowlevel.crypto_hash(out, m, n);
  };

  // The functions of the original call one another by their names, too.
  const nacl: Nacl = {
    ...original,
    lowlevel: { ...original.lowlevel, crypto_hash: lowlevelHash },
    secretbox: Object.assign(secretbox, original.secretbox, { open }),
    scalarMult: Object.assign(scalarMult, original.scalarMult, { base }),
    box: Object.assign(
      (msg: unknown, nonce: unknown, publicKey: unknown, secretKey: unknown) =>
        nacl.secretbox(msg, nonce, nacl.box.before(publicKey, secretKey)),
      original.box,
      {
        before,
        after: secretbox,
        open: Object.assign(
          (msg: unknown, nonce: unknown, publicKey: unknown, secretKey: unknown) =>
            nacl.secretbox.open(msg, nonce, nacl.box.before(publicKey, secretKey)),
          { after: open },
        ),
        keyPair: Object.assign(() => boxPair(randomSecret(32)), { fromSecretKey: boxPair }),
      },
    ),
    sign: Object.assign(sign, original.sign, {
      open: openSigned,
      detached: Object.assign(detached, { verify }),
      keyPair: Object.assign(() => fromSecret(randomSecret(64)), original.sign.keyPair, {
        fromSeed,
      }),
    }),
    hash: Object.assign(hash, original.hash),
    setPRNG(set: typeof random): void {
      random = set;
      original.setPRNG(set);
    },
  };
  const fromSecret = (secret: Bytes): unknown =>
    seededPair(secret) ?? original.sign.keyPair.fromSeed(secret.subarray(0, 32));
  return nacl;
}
