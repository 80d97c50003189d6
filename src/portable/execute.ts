/**
 * Runs one operation, on the caller's thread or in a worker, with the checks of crates/node. The
 * key derivations are in kdf/.
 */
import { Operation, Purpose, Status } from '../request/frame.js';
import { ciphers, hashes as catalog } from '../catalog/catalog-table.js';
import { hashes, macOfStates, macStates, prepareMac } from './hashes/index.js';
import {
  PLAIN,
  StateError,
  type HashParams,
  type PortableHash,
  type PortableMac,
} from './hashes/contract.js';
import { givenParams } from './hashes/parameters.js';
import { prepareCipher } from './ciphers/index.js';
import type { PortableCipher } from './ciphers/contract.js';
import { openChunks, sealChunks } from './chunks.js';
import { derive, Refused, type DerivationInput, type Progress } from './kdf/index.js';
import { hashMany, hmacMany } from './batch.js';
import { checkParams, checkTarget, type Work } from './work.js';
import { copyOf, made, overlap, Refusal, refuse } from './windows.js';

/** Runs an operation and returns its status. */
export function perform(work: Work, progress?: Progress): Status {
  try {
    run(work, progress);
    return Status.Done;
  } catch (error) {
    return statusOf(error);
  }
}

/** Returns the status of a thrown value. */
export function statusOf(error: unknown): Status {
  if (error instanceof Refusal || error instanceof Refused) return error.status;
  if (error instanceof StateError) return Status.State;
  // V8 says "Array buffer allocation failed", other engines "out of memory".
  if (error instanceof RangeError && /alloc|memory|length/i.test(error.message))
    return Status.Memory;
  return Status.Internal;
}

function run(work: Work, progress: Progress | undefined): void {
  switch (work.operation) {
    case Operation.Hash:
      return hash(work);
    case Operation.Hmac:
      return withMac(work, (mac) => mac.mac(work.source, digestTarget(work)));
    case Operation.Encrypt:
    case Operation.Seal:
      return withCipher(work, encrypt);
    case Operation.Decrypt:
    case Operation.Open:
      return withCipher(work, decrypt);
    case Operation.Update:
      return update(work);
    case Operation.Finish:
      return finish(work);
    case Operation.Squeeze:
      return squeeze(work);
    case Operation.MacBegin:
      return macBegin(work);
    case Operation.MacUpdate:
      return macUpdate(work);
    case Operation.MacFinish:
      return runningMacOf(work).finish(work.aad, work.source, digestTarget(work));
    case Operation.HashMany:
      return hashMany(work, hashOf(work), paramsOf(work));
    case Operation.HmacMany:
      if (catalog[work.algorithm]!.hmac) return withMac(work, (mac) => hmacMany(work, mac));
      return refuse(Status.NotSupported);
    case Operation.SealChunks:
      return withCipher(work, sealChunks);
    case Operation.OpenChunks:
      return withCipher(work, openChunks);
    default:
      return derived(work, progress);
  }
}

// hashes

function hash(work: Work): void {
  const params = paramsOf(work);
  checkParams(work, params);
  checkTarget(work, params);
  hashOf(work).digest(params, work.source, work.target);
}

function update(work: Work): void {
  const params = paramsOf(work);
  const hash = hashOf(work);
  advance(
    work,
    () => checkParams(work, params),
    (state, source, next) => hash.update(params, state, source, next),
  );
}

function macBegin({ algorithm, source, target }: Work): void {
  const { hmac, stateSize } = catalog[algorithm]!;
  if (!hmac) refuse(Status.NotSupported);
  if (target.length !== 2 * stateSize) refuse(Status.OutputSize);
  if (overlap(source, target)) refuse(Status.Argument);
  macStates(algorithm, source, target);
}

function macUpdate(work: Work): void {
  const mac = runningMacOf(work);
  advance(
    work,
    () => {},
    (state, source, next) => mac.update(state, source, next),
  );
}

function advance(
  work: Work,
  check: () => void,
  step: (state: Uint8Array, source: Uint8Array, next: Uint8Array) => void,
): void {
  const { target: next, source, iv, aad: state } = work;
  if (overlap(next, source) || overlap(next, iv)) refuse(Status.Overlap);
  check();
  if (next.length !== catalog[work.algorithm]!.stateSize) refuse(Status.OutputSize);
  if (iv.length === 0) {
    step(state, source, next);
    return;
  }
  step(state, iv, next);
  step(next, source, next);
}

function finish(work: Work): void {
  const params = paramsOf(work);
  checkParams(work, params);
  checkTarget(work, params);
  hashOf(work).finish(params, work.aad, work.source, work.target);
}

function squeeze(work: Work): void {
  const { target, tag: next, aad: state, source } = work;
  if ([next, state, source].some((other) => overlap(target, other)) || overlap(next, source))
    refuse(Status.Overlap);
  const params = paramsOf(work);
  const facts = catalog[work.algorithm]!;
  const hash = hashOf(work);
  if (!facts.xof || hash.squeeze === undefined) return refuse(Status.NotSupported);
  checkParams(work, params);
  if (next.length !== facts.stateSize) refuse(Status.OutputSize);
  hash.squeeze(params, state, source, target, next);
}

function hashOf({ algorithm }: Work): PortableHash {
  return hashes[algorithm]!;
}

/** Returns seed, key and parameters. */
function paramsOf(work: Work): HashParams {
  const { key, secret, seedLow, seedHigh } = work;
  if (key === undefined && secret.length === 0 && seedLow === 0 && seedHigh === 0) return PLAIN;
  const seed = (BigInt(seedHigh) << 32n) | BigInt(seedLow);
  const given = hashKey(work);
  return given === undefined ? { seed, key: undefined } : givenParams(seed, given);
}

/** Returns the key or the block; a copy where it overlaps the target. */

function hashKey({ key, secret, algorithm, target }: Work): Uint8Array | undefined {
  if (key !== undefined)
    return key.purpose === Purpose.Hash && key.algorithm === algorithm
      ? key.bytes
      : refuse(Status.KeyAlgorithm);
  if (secret.length === 0) return undefined;
  return overlap(secret, target) ? copyOf(secret) : secret;
}

// HMAC

/** Calls `use` with the prepared key, or with one prepared for this call. */
function withMac(work: Work, use: (mac: PortableMac) => void): void {
  if (work.key !== undefined) {
    use(macOf(work));
    return;
  }
  if (!catalog[work.algorithm]!.hmac) refuse(Status.NotSupported);
  const mac = prepareMac(work.algorithm, work.secret);
  try {
    use(mac);
  } finally {
    mac.dispose();
  }
}

/** Returns the key of a running HMAC: a prepared key, or one made from its states. */
function runningMacOf(work: Work): PortableMac {
  const { key, secret, algorithm } = work;
  if (key !== undefined) return macOf(work);
  if (!catalog[algorithm]!.hmac || secret.length !== 2 * catalog[algorithm]!.stateSize)
    return refuse(Status.State);
  return macOfStates(algorithm, secret);
}

function macOf({ key, algorithm }: Work): PortableMac {
  if (key === undefined) return refuse(Status.Argument);
  return key.mac !== undefined && key.algorithm === algorithm
    ? key.mac
    : refuse(Status.KeyAlgorithm);
}

function digestTarget({ algorithm, target }: Work): Uint8Array {
  return target.length === catalog[algorithm]!.digestSize ? target : refuse(Status.OutputSize);
}

// ciphers

function withCipher(work: Work, use: (work: Work, cipher: PortableCipher) => void): void {
  const { key, secret, algorithm } = work;
  if (key !== undefined) {
    use(
      work,
      key.cipher !== undefined && key.algorithm === algorithm
        ? key.cipher
        : refuse(Status.KeyAlgorithm),
    );
    return;
  }
  if (secret.length !== ciphers[algorithm]!.keySize) refuse(Status.KeySize);
  const cipher = prepareCipher(algorithm, secret);
  try {
    use(work, cipher);
  } finally {
    cipher.dispose();
  }
}

function encrypt(work: Work, cipher: PortableCipher): void {
  const { iv, aad, source, target, tag } = work;
  if (!checkCipher(work)) cipher.apply!(iv, source, target);
  else cipher.seal!(iv, overlap(aad, target) ? copyOf(aad) : aad, source, target, tag);
}

function decrypt(work: Work, cipher: PortableCipher): void {
  const { iv, aad, source, target, tag } = work;
  if (!checkCipher(work)) cipher.apply!(iv, source, target);
  else if (!cipher.open!(iv, overlap(aad, target) ? copyOf(aad) : aad, source, target, tag))
    refuse(Status.Authentication);
}

/** Maximum bytes of an AEAD tag and of an iv (AES-GCM's). */
const TAG_MAX = 16;
const IV_MAX = 128;

/** Refuses sizes that the cipher does not take. Returns true for an AEAD. */
function checkCipher({ algorithm, iv, aad, source, target, tag }: Work): boolean {
  const facts = ciphers[algorithm]!;
  if (tag.length > TAG_MAX) refuse(Status.TagSize);
  if (iv.length > IV_MAX) refuse(Status.IvSize);
  if (!facts.aead && (tag.length > 0 || aad.length > 0)) refuse(Status.TagSize);
  if (target.length !== source.length) refuse(Status.Argument);
  if (!ivFits(facts, iv.length)) refuse(Status.IvSize);
  if (facts.aead) {
    if (!tagFits(facts, tag.length)) refuse(Status.TagSize);
    if (aad.length > facts.maxAad) refuse(Status.AadTooLarge);
  }
  if (source.length > facts.maxSource) refuse(Status.SourceTooLarge);
  return facts.aead;
}

/** GCM takes nonces of other sizes (SP 800-38D). */
export function ivFits(
  { ivSize, ivMax }: { readonly ivSize: number; readonly ivMax: number },
  size: number,
): boolean {
  return size === ivSize || (size >= 1 && size <= ivMax);
}

/** GCM takes short tags, but not of every size (SP 800-38D). */
export function tagFits(
  { tagMin, tagSize }: { readonly tagMin: number; readonly tagSize: number },
  size: number,
): boolean {
  return (
    size <= tagSize && (tagMin === 4 ? size === 4 || size === 8 || size >= 12 : size >= tagMin)
  );
}

// derivations

/** Returns the inputs of a derivation. */
export function inputOf({ secret, iv, aad, tag }: Work): DerivationInput {
  return { password: secret, salt: iv, aad, secret: tag };
}

function derived(work: Work, progress: Progress | undefined): void {
  const { derivation, target, secret, iv, aad, tag, key } = work;
  if (derivation === undefined || key !== undefined) refuse(Status.Argument);
  // The result must not overlap an input.
  const apart = [secret, iv, aad, tag].some((input) => overlap(input, target));
  const result = apart ? made(target.length) : target;
  derive(derivation, inputOf(work), result, progress);
  if (!apart) return;
  target.set(result);
  result.fill(0);
}
