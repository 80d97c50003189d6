/**
 * Reads a request (the numbers of the frame and the byte arguments) as {@link Work}. What runs it
 * checks the sizes.
 */
import { At, Flag, Operation, Purpose, Status } from '../base/frame.js';
import {
  isCipher,
  isDerivation,
  isMac,
  isMany,
  isOperation,
  isPublicKey,
} from '../base/operations.js';
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { AsymmetricKey, type Keys, type PreparedKey } from './keys.js';
import { isSize, made, NOTHING, overlap, part, range, refuse, whole } from './windows.js';
import type { Work } from './work.js';

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

/** Returns the work of a request. A result without a target gets its own memory. */
export function workOf(frame: Float64Array, given: Given, keys: Keys): Work {
  const operation: Operation = frame[At.Operation]!;
  const algorithm = frame[At.Algorithm]!;
  const flags = frame[At.Flags]!;
  if (!isKnown(operation, algorithm)) refuse(Status.Argument);
  const key = frame[At.Key] === 0 ? undefined : keys.key(frame[At.Key]!);
  if (key !== undefined) checkKey(key, operation, algorithm);
  // Only many signatures have keys elsewhere.
  else if (isPublicKey(operation)) refuse(Status.Unavailable);
  const input = (flag: Flag, bytes: Uint8Array | undefined, offset: At, size: At): Uint8Array =>
    (flags & flag) !== 0 ? range(bytes, frame[offset]!, frame[size]!) : NOTHING;
  let source =
    (flags & Flag.HasViews) !== 0
      ? NOTHING
      : range(given.source, frame[At.SourceOffset]!, frame[At.SourceSize]!);
  const replies = (flags & Flag.HasTarget) === 0;
  let target = replies
    ? reply(frame[At.TargetSize]!)
    : range(given.target, frame[At.TargetOffset]!, frame[At.TargetSize]!);
  let tag =
    operation === Operation.Squeeze
      ? range(given.tag, frame[At.TagOffset]!, frame[At.TagSize]!)
      : input(Flag.HasTag, given.tag, At.TagOffset, At.TagSize);
  switch (operation) {
    case Operation.Encrypt:
      if (replies) target = made(source.length);
      else if (overlap(target, tag)) refuse(Status.Overlap);
      // The completion returns the tag; its place was only checked for overlap.
      if (frame[At.Slot]! >= 0) tag = made(tag.length);
      break;
    case Operation.Seal:
      if (!replies) [target, tag] = withoutTag(target, frame[At.TagSize]!);
      else [target, tag] = [made(source.length), reply(frame[At.TagSize]!)];
      break;
    case Operation.Open:
      [source, tag] = withoutTag(source, frame[At.TagSize]!);
      if (replies) target = made(source.length);
      break;
    case Operation.Decrypt:
      if (replies) target = made(source.length);
      break;
    default:
  }
  return {
    operation,
    algorithm,
    numbers: frame,
    key,
    purpose: key?.purpose,
    secret: key?.bytes ?? input(Flag.HasKey, given.key, At.KeyOffset, At.KeySize),
    iv: input(Flag.HasIv, given.iv, At.IvOffset, At.IvSize),
    aad:
      operation === Operation.Agree
        ? keys.asymmetric(frame[At.Count]!).bytes
        : input(Flag.HasAad, given.aad, At.AadOffset, At.AadSize),
    tag,
    source,
    target,
    views: viewsOf(frame, given),
    call: undefined,
  };
}

/** Refuses a key for another algorithm. */
function checkKey(key: PreparedKey, operation: Operation, algorithm: number): void {
  if (isDerivation(operation)) refuse(Status.Argument);
  if (isPublicKey(operation)) {
    if (!(key instanceof AsymmetricKey)) refuse(Status.KeyAlgorithm);
    return;
  }
  const purpose = isCipher(operation)
    ? Purpose.Cipher
    : isMac(operation)
      ? Purpose.Mac
      : Purpose.Hash;
  if (key.purpose !== purpose || key.algorithm !== algorithm) refuse(Status.KeyAlgorithm);
}

function isKnown(operation: Operation, algorithm: number): boolean {
  if (!isOperation(operation)) return false;
  if (isDerivation(operation) || isPublicKey(operation)) return true;
  if (
    operation === Operation.HashFile ||
    operation === Operation.HashFiles ||
    operation === Operation.CipherUpdate
  )
    return false;
  return Object.hasOwn(isCipher(operation) ? ciphers : hashes, algorithm);
}

function reply(size: number): Uint8Array {
  return isSize(size) && size <= REPLY_MAX ? made(size) : refuse(Status.Argument);
}

function withoutTag(sealed: Uint8Array, tagSize: number): [Uint8Array, Uint8Array] {
  if (!isSize(tagSize) || tagSize > sealed.length) refuse(Status.Argument);
  const size = sealed.length - tagSize;
  return [part(sealed, 0, size), part(sealed, size, tagSize)];
}

function viewsOf(frame: Float64Array, { source }: Given): Uint8Array[] | undefined {
  if ((frame[At.Flags]! & Flag.HasViews) === 0 || !isMany(frame[At.Operation]!)) return undefined;
  const [start, count] = [frame[At.SourceOffset]!, frame[At.Count]!];
  if (!isSize(count)) refuse(Status.Argument);
  return Array.from({ length: count }, (_, index) =>
    whole((source as readonly Uint8Array[])[start + index]),
  );
}
