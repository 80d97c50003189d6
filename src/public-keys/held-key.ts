/**
 * Asymmetric keys in native memory: their import, what they are, and their release.
 */
import { makeError, failure, type MillraceError } from '../base/errors.js';
import { At, Flag, frame, NO_HASH, Operation, Status } from '../base/frame.js';
import { NO_BYTES, part, sizeOf } from '../base/intrinsics.js';
import { KeyForm, PublicKeyAlgorithm } from '../base/protocol.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import { localEngines, noUses } from '../engines/engines.js';
import { release, type Prepared } from '../request/key.js';
import { algorithmNames, type PublicKeyAlgorithmName } from './algorithm-names.js';
import type { Buffer } from '#platform/base/runtime.js';
import { providePublicKeys } from '#platform/engines/key-parts.js';

providePublicKeys();

/** The parameters that a key of RSA-PSS prescribes. Hashes are numbers of the catalog. */
export interface Restriction {
  readonly hash: number;
  readonly mgf1Hash: number;
  /** The least number of bytes of the salt. */
  readonly saltLength: number;
}

/** The engines that hold an asymmetric key, and what it is. */
export interface HeldKey extends Prepared {
  readonly algorithm: PublicKeyAlgorithmName;
  readonly algorithmNumber: PublicKeyAlgorithm;
  readonly isPrivate: boolean;
  /** The bits of an RSA modulus, else 0. */
  readonly modulusBits: number;
  readonly restriction: Restriction | undefined;
  /** The size that the key's object tells. */
  readonly size: number;
  /** The predicted nanoseconds of an operation with it. */
  readonly cost: number;
}

/** A number for every algorithm: one beyond an array could come from Object.prototype. */
export type ByAlgorithm = Readonly<Record<PublicKeyAlgorithm, number>>;

/** Bytes of raw public keys; 0 for RSA. */
export const PUBLIC_KEY_BYTES: ByAlgorithm = [
  32, 32, 65, 97, 133, 0, 0, 800, 1184, 1568, 1312, 1952, 2592, 1216,
];

/** Bytes of a coordinate on a curve of NIST; 0 for others. */
export const FIELD_BYTES: ByAlgorithm = [0, 0, 32, 48, 66, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/** Bytes of an encapsulated secret; 0 for keys without. */
export const CIPHERTEXT_BYTES: ByAlgorithm = [0, 0, 0, 0, 0, 0, 0, 768, 1088, 1568, 0, 0, 0, 1120];

/** Bits of curves; of others those of {@link PUBLIC_KEY_BYTES}. */
const CURVE_BITS: ByAlgorithm = [255, 255, 256, 384, 521, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/**
 * Reserves the handle of a key, which {@link Operation.ImportKey} or `GenerateKey` fills. The
 * caller passes it to {@link filledKey}, or to `release` if it stays empty.
 *
 * @throws MillraceError ERR_ENGINE_UNAVAILABLE
 */
export function reserveKey(): Prepared {
  const { engines, names } = localEngines(undefined, 'asymmetric keys');
  for (const engine of engines) {
    const handle = engine.binding.reserveKey();
    if (handle >= 0)
      return { algorithm: '', engines: [engine], handles: [handle], names, uses: noUses() };
    if (handle !== -Status.Unavailable) throw failure(-handle);
  }
  throw makeError(
    'ERR_ENGINE_UNAVAILABLE',
    `the ${engines[0]!.name} engine has no asymmetric keys: configure({ engine: 'native' })`,
  );
}

/** Returns the key in a handle that was filled. */
export function filledKey({ engines, handles, names, uses }: Prepared): HeldKey {
  frame[At.Key] = handles[0]!;
  const status = engines[0]!.binding.describeKey();
  if (status !== Status.Done) throw failure(status);
  const number = frame[At.Algorithm]! as PublicKeyAlgorithm;
  const hash = frame[At.SeedLow]!;
  return {
    algorithm: algorithmNames[number]!,
    algorithmNumber: number,
    engines,
    handles,
    names,
    uses,
    isPrivate: frame[At.MessageSize] === 1,
    modulusBits: frame[At.Count]!,
    size: CURVE_BITS[number] || 8 * PUBLIC_KEY_BYTES[number] || frame[At.Count]!,
    cost: frame[At.Cost]!,
    restriction:
      hash === NO_HASH
        ? undefined
        : { hash, mgf1Hash: frame[At.SeedHigh]!, saltLength: frame[At.MaxTime]! },
  };
}

/** Imports a key. Error messages name it `argument`. */
export function importKey(
  form: KeyForm,
  bytes: Uint8Array,
  argument: string,
  algorithm: PublicKeyAlgorithm = 0,
  passphrase: Uint8Array = NO_BYTES,
): HeldKey {
  const reserved = reserveKey();
  try {
    const engine = reserved.engines[0]!;
    frame[At.Operation] = Operation.ImportKey;
    frame[At.Algorithm] = algorithm;
    frame[At.Slot] = -1;
    frame[At.Flags] = Flag.HasTarget | Flag.HasAad;
    frame[At.Key] = reserved.handles[0]!;
    frame[At.SourceOffset] = 0;
    frame[At.SourceSize] = sizeOf(bytes);
    frame[At.TargetOffset] = 0;
    frame[At.TargetSize] = 0;
    frame[At.AadOffset] = 0;
    frame[At.AadSize] = sizeOf(passphrase);
    frame[At.Count] = form;
    frame[At.Engine] = engine.number;
    const status = engine.binding.run(bytes, NO_BYTES, undefined, passphrase, undefined, undefined);
    if (status !== Status.Done) throw importFailure(status, argument, engine.binding.lastReason());
    return filledKey(reserved);
  } catch (error) {
    release(reserved);
    throw error;
  }
}

/** Returns the error of an import, which names the argument. */
function importFailure(status: number, argument: string, reason: string): MillraceError {
  const { code, message } = failure(status, 0, reason);
  const named = message.startsWith('key ')
    ? argument + message.slice(3)
    : `${argument}: ${message}`;
  return makeError(code, named);
}

/** Returns the public key of a private one. The caller releases it. */
export function publicKeyOf({ engines, handles, names }: HeldKey): HeldKey {
  const engine = engines[0]!;
  frame[At.Key] = handles[0]!;
  const handle = engine.binding.publicKeyOf();
  if (handle < 0) throw failure(-handle);
  return filledKey({ algorithm: '', engines: [engine], handles: [handle], names, uses: noUses() });
}

/** How a private key is encrypted. */
export interface KeyEncryption {
  /** The index in {@link keyCiphers}. */
  readonly cipher: number;
  readonly iterations: number;
  readonly passphrase: Secret;
}

/** The ciphers of private keys, in the order of the crate public-keys. */
export const keyCiphers = ['aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc', 'des-ede3-cbc'] as const;

/** The greatest size of most encodings in bytes. */
const EXPORT_BYTES = 4096;

/** That of all encrypted keys: another try would derive another key. */
const ENCRYPTED_BYTES = 16_384;

/** Returns a key in another encoding, alone in an ArrayBuffer, so that the caller can wipe it. */
export function exportBytes(
  { engines, handles }: HeldKey,
  form: KeyForm,
  encryption?: KeyEncryption,
): Secret<Buffer> {
  const { binding } = engines[0]!;
  let memory = secretResult(encryption === undefined ? EXPORT_BYTES : ENCRYPTED_BYTES);
  try {
    for (;;) {
      frame[At.Key] = handles[0]!;
      frame[At.Algorithm] = encryption?.cipher ?? 0;
      frame[At.Count] = encryption?.iterations ?? 0;
      const size = binding.exportKey(form, memory, encryption?.passphrase ?? NO_BYTES);
      if (size < 0) throw failure(-size, 0, binding.lastReason());
      if (size > memory.length) {
        memory = secretResult(size);
        continue;
      }
      const exported = secretResult(size);
      exported.set(part(memory, 0, size));
      return exported;
    }
  } finally {
    wipe(memory);
  }
}
