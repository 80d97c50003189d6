/**
 * Decodes a request (the numbers of the frame and the byte arguments) to {@link Work}, and checks
 * every range again, as `Request` in crates/node does.
 */
import { At, Flag, Operation, Status } from '../request/frame.js';
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { derivationOf, isDerivation, memoryOf } from './kdf/index.js';
import type { Keys } from './keys.js';
import { isSize, made, NOTHING, overlap, part, range, refuse, whole } from './windows.js';
import { SIZED, type Work } from './work.js';

/** The byte arguments of `run`. */
export interface Given {
  readonly source: Uint8Array | readonly Uint8Array[];
  readonly target: Uint8Array | undefined;
  readonly iv: Uint8Array | undefined;
  readonly aad: Uint8Array | undefined;
  readonly tag: Uint8Array | undefined;
  readonly key: Uint8Array | undefined;
}

/**
 * The largest result in bytes that the completion buffer may carry; COMPLETION_RESULT_MAX is less.
 */
const REPLY_MAX = 4096;

/**
 * Returns the work of a request. A result without a target gets its own memory. `limit` is the most
 * bytes of memory for derivations, 0 for no limit.
 */
export function workOf(frame: Float64Array, keys: Keys, given: Given, limit: number): Work {
  const operation: Operation = frame[At.Operation]!;
  const algorithm = frame[At.Algorithm]!;
  const flags = frame[At.Flags]!;
  if (!isKnown(operation, algorithm)) refuse(Status.Argument);
  const handle = frame[At.Key]!;
  const work: Work = {
    operation,
    algorithm,
    key: handle === 0 ? undefined : keys.get(handle),
    secret:
      handle === 0 && (flags & Flag.HasKey) !== 0
        ? range(given.key, frame[At.KeyOffset]!, frame[At.KeySize]!)
        : NOTHING,
    seedLow: frame[At.SeedLow]!,
    seedHigh: frame[At.SeedHigh]!,
    target:
      (flags & Flag.HasTarget) !== 0
        ? range(given.target, frame[At.TargetOffset]!, frame[At.TargetSize]!)
        : reply(frame[At.TargetSize]!),
    iv:
      (flags & Flag.HasIv) !== 0
        ? range(given.iv, frame[At.IvOffset]!, frame[At.IvSize]!)
        : NOTHING,
    aad:
      (flags & Flag.HasAad) !== 0
        ? range(given.aad, frame[At.AadOffset]!, frame[At.AadSize]!)
        : NOTHING,
    tag: NOTHING,
    source:
      (flags & Flag.HasViews) !== 0
        ? NOTHING
        : range(given.source, frame[At.SourceOffset]!, frame[At.SourceSize]!),
    views: undefined,
    count: 0,
    size: 0,
    derivation: undefined,
  };
  if (operation >= Operation.Encrypt) addParts(work, frame, flags, given, limit);
  return work;
}

function isKnown(operation: Operation, algorithm: number): boolean {
  if (!(operation >= Operation.Hash)) return false;
  if (operation >= Operation.Scrypt) return isDerivation(operation);
  if (operation === Operation.HashFile || operation === Operation.HashFiles) return false;
  const cipher =
    (operation >= Operation.Encrypt && operation <= Operation.Open) ||
    operation === Operation.SealChunks ||
    operation === Operation.OpenChunks;
  return (cipher ? ciphers : hashes)[algorithm] !== undefined;
}

function reply(size: number): Uint8Array {
  return isSize(size) && size <= REPLY_MAX ? made(size) : refuse(Status.Argument);
}

function addParts(
  work: Work,
  frame: Float64Array,
  flags: number,
  given: Given,
  limit: number,
): void {
  const tag = (): Uint8Array => range(given.tag, frame[At.TagOffset]!, frame[At.TagSize]!);
  const sent = (flags & Flag.HasTarget) === 0;
  switch (work.operation) {
    case Operation.Encrypt:
      if (sent) work.target = made(work.source.length);
      if ((flags & Flag.HasTag) === 0) return;
      work.tag = tag();
      if (!sent && overlap(work.target, work.tag)) refuse(Status.Overlap);
      // The completion returns the tag; its place was only checked for overlap.
      if (frame[At.Slot]! >= 0) work.tag = made(work.tag.length);
      return;
    case Operation.Decrypt:
      if (sent) work.target = made(work.source.length);
      if ((flags & Flag.HasTag) !== 0) work.tag = tag();
      return;
    case Operation.Seal:
      if (!sent) [work.target, work.tag] = withoutTag(work.target, frame[At.TagSize]!);
      else [work.target, work.tag] = [made(work.source.length), reply(frame[At.TagSize]!)];
      return;
    case Operation.Open:
      [work.source, work.tag] = withoutTag(work.source, frame[At.TagSize]!);
      if (sent) work.target = made(work.source.length);
      return;
    case Operation.Squeeze:
      work.tag = tag();
      return;
    case Operation.HashMany:
    case Operation.HmacMany:
    case Operation.SealChunks:
    case Operation.OpenChunks:
      addMessages(work, frame, flags, given);
      return;
    default:
      if (work.operation < Operation.Scrypt) return;
      if ((flags & Flag.HasTag) !== 0) work.tag = tag();
      addDerivation(work, frame, limit);
  }
}

function withoutTag(sealed: Uint8Array, tagSize: number): [Uint8Array, Uint8Array] {
  if (!isSize(tagSize) || tagSize > sealed.length) refuse(Status.Argument);
  const size = sealed.length - tagSize;
  return [part(sealed, 0, size), part(sealed, size, tagSize)];
}

function addMessages(work: Work, frame: Float64Array, flags: number, { source }: Given): void {
  if ((flags & Flag.HasSizes) !== 0) {
    work.size = SIZED;
    return;
  }
  const count = frame[At.Count]!;
  if (!isSize(count)) refuse(Status.Argument);
  work.count = count;
  if ((flags & Flag.HasViews) === 0) {
    work.size = isSize(frame[At.MessageSize]!) ? frame[At.MessageSize]! : refuse(Status.Argument);
    return;
  }
  const start = frame[At.SourceOffset]!;
  const views = new Array<Uint8Array>(count);
  for (let index = 0; index < count; index++)
    views[index] = whole((source as readonly Uint8Array[])[start + index]);
  work.views = views;
}

function addDerivation(work: Work, frame: Float64Array, limit: number): void {
  const derivation = derivationOf(work.operation, frame, work.aad);
  const needed = memoryOf(derivation);
  if (limit > 0 && needed > limit) {
    frame[At.MaxMemory] = needed;
    refuse(Status.KdfMemoryLimit);
  }
  work.derivation = derivation;
}
