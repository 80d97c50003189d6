/**
 * The request: the record that a call fills with its arguments before it runs.
 *
 * Numbers go to the frame, which the engines share, and buffers to {@link request}. Both are reused
 * by every call: no user code runs between filling a request and running it, so that no call sees
 * the request of another.
 */
import {
  type Engine,
  type EnginePreference,
  base,
  defaultEngine,
  withKeyEngines,
} from '../engines/engines.js';
import { NO_BYTES } from '../base/arguments.js';
import { At, Flag, Operation, Route, frame } from '../base/frame.js';
import { encodeShort, keyScratch } from './input-buffer.js';
import { release, type Prepared } from './key.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { secretText } from '../base/secret-results.js';

/** The type of the result. */
export const enum Form {
  /** The number of bytes written to `target`. */
  Size,
  Buffer,
  Hex,
  Base64,
  Base64url,
  BigInt,
  /** A derived key in a separate ArrayBuffer, which V8 never moves: the caller can wipe it. */
  Secret,
  /** True if the result is the byte 1. */
  Verdict,
  /** A secret with padding; the last byte is the size of the padding before it. */
  Unpadded,
  /** Hex after `0x`. */
  PrefixedHex,
  /** One Buffer with all digests of a batch. */
  Joined,
  /** Bytes with padding; the last two are their number, little-endian. */
  Sized,
}

/** Makes the result of a call from that of the engine. */
export interface Finish {
  readonly succeed: (made: unknown) => unknown;
  /** Follows an error or a cancellation. */
  readonly fail: (() => void) | undefined;
}

/**
 * Fills the frame and {@link request} from the first `count` arguments. Throws if one is invalid. A
 * call that is `promised` accepts {@link CallOptions}; `asked` are the engines that the caller sets
 * afterwards.
 */
export type FillRequest = (
  given: ArrayLike<unknown>,
  count: number,
  promised?: boolean,
  asked?: EnginePreference,
) => void;

/** Parses the arguments of one function. */
export interface Parser {
  readonly fill: FillRequest;
  /** The numbers of arguments it accepts, without the callback. */
  readonly counts: readonly number[];
  /** The index of the options among the arguments. */
  readonly options: number;
}

/** The request. */
export const request = {
  /** Always present; an array for many messages. The other buffers are undefined if absent. */
  source: NO_BYTES as Uint8Array | readonly Uint8Array[],
  /** The caller's memory. Without one, a new Buffer of `size` bytes is the result. */
  target: undefined as Uint8Array | undefined,
  iv: undefined as Uint8Array | undefined,
  aad: undefined as Uint8Array | undefined,
  tag: undefined as Uint8Array | undefined,
  key: undefined as Uint8Array | undefined,
  /** Size of the result in bytes. */
  size: 0,
  form: Form.Buffer,
  /** The flags for the frame. */
  flags: 0,
  /**
   * The bytes that precede the result, such as a random nonce: their number, 0 if there are none,
   * and the first in the memory of the iv.
   */
  prefix: 0,
  prefixFrom: 0,
  /** True if the caller chose a route. */
  routed: false,
  /** Undefined if the engine's result is that of the call. */
  finish: undefined as Finish | undefined,
  /** The engine that runs the request. */
  engine: base as Engine,
  /** The engines the caller or the key allows; undefined for the default ones. */
  preference: undefined as EnginePreference | undefined,
};

/** Starts a request without key, iv, aad and tag. The parsers add those. */
export function beginRequest(
  operation: Operation,
  algorithm: number,
  source: Uint8Array | readonly Uint8Array[],
  offset: number,
  size: number,
): void {
  frame[At.Operation] = operation;
  frame[At.Algorithm] = algorithm;
  frame[At.Key] = 0;
  frame[At.SourceOffset] = offset;
  frame[At.SourceSize] = size;
  frame[At.TagSize] = 0;
  frame[At.SeedLow] = 0;
  frame[At.SeedHigh] = 0;
  frame[At.Route] = Route.Auto;
  request.source = source;
  request.flags = 0;
  request.prefix = 0;
  request.routed = false;
  const { engine } = defaultEngine;
  frame[At.Engine] = engine.number;
  // A comparison is cheaper than a store with a write barrier.
  if (request.engine !== engine) request.engine = engine;
  if (request.preference !== undefined) request.preference = undefined;
}

/** Restricts the engines to the preference and, with a prepared key, to those that hold the key. */
export function setEngines(asked: EnginePreference): void {
  const preference =
    request.preference?.handles === undefined ? asked : withKeyEngines(request.preference, asked);
  const engine = preference.engines[0]!;
  frame[At.Engine] = engine.number;
  if (request.engine !== engine) request.engine = engine;
  request.preference = preference;
  if (preference.handles !== undefined) frame[At.Key] = preference.handles[0]!;
}

/** Writes the result to the caller's memory. An asynchronous call borrows it and the source. */
export function setTarget(target: Uint8Array, offset: number, size: number): void {
  frame[At.TargetOffset] = offset;
  frame[At.TargetSize] = size;
  request.target = target;
  request.size = size;
  request.form = Form.Size;
  request.flags |= Flag.HasTarget;
}

/** Returns the result in a new Buffer, or as text or BigInt. */
export function setResult(size: number, form: Form): void {
  frame[At.TargetOffset] = 0;
  frame[At.TargetSize] = size;
  request.size = size;
  request.form = form;
}

/** Sets a key given as bytes. */
export function setKey(key: Uint8Array, offset: number, size: number): void {
  frame[At.KeyOffset] = offset;
  frame[At.KeySize] = size;
  request.key = key;
  request.flags |= Flag.HasKey;
}

/**
 * Encodes a short string into the scratch memory for keys, which is wiped once the call has used or
 * copied it. Returns its size in bytes.
 */
export function encodeKey(key: string): number {
  scratchKey = encodeShort(key, keyScratch);
  return scratchKey;
}

let scratchKey = 0;

/** Returns a secret string as bytes, which are wiped once the call has used or copied them. */
export function ownSecret(text: string): Uint8Array {
  const secret = secretText(text);
  deferWipe(secret);
  return secret;
}

/** Wipes `secret`, a copy made here, once the call has used or copied it. */
export function deferWipe(secret: Secret): void {
  ownSecrets.push(secret);
  ownsMore = true;
}

const ownSecrets: Secret[] = [];

/** True if the call owns secrets or keys, or finishes its result: most do not. */
let ownsMore = false;

/** Releases `key`, which was prepared for this call alone, once the call has used it. */
export function deferRelease(key: Prepared): void {
  ownKeys.push(key);
  ownsMore = true;
}

const ownKeys: Prepared[] = [];

/** Makes the result of the call from that of the engine. */
export function setFinish(finish: Finish): void {
  request.finish = finish;
  ownsMore = true;
}

/** Sets the iv or nonce. */
export function setIv(iv: Uint8Array, offset: number, size: number): void {
  frame[At.IvOffset] = offset;
  frame[At.IvSize] = size;
  request.iv = iv;
  request.flags |= Flag.HasIv;
}

/**
 * Reserves the first bytes of the result for the iv. Call it after {@link setIv} and after the
 * target is set; the target's size includes the iv.
 */
export function setPrefix(size: number, from: number = frame[At.IvOffset]!): void {
  frame[At.TargetOffset]! += size;
  frame[At.TargetSize]! -= size;
  request.prefix = size;
  request.prefixFrom = from;
}

/** Sets additional authenticated data. */
export function setAad(aad: Uint8Array, offset: number, size: number): void {
  if (size === 0) return;
  frame[At.AadOffset] = offset;
  frame[At.AadSize] = size;
  request.aad = aad;
  request.flags |= Flag.HasAad;
}

/** Sets a detached tag: an output of encryption, an input of decryption. */
export function setTag(tag: Uint8Array, offset: number, size: number): void {
  frame[At.TagOffset] = offset;
  frame[At.TagSize] = size;
  request.tag = tag;
  request.flags |= Flag.HasTag;
}

/** Sets the route. */
export function setRoute(route: Route): void {
  frame[At.Route] = route;
  request.routed = true;
}

/**
 * Drops the references to the caller's memory, so that the record keeps no key alive, and wipes
 * copies of secrets.
 */
export function clearRequest(): void {
  if (scratchKey > 0) {
    wipe(keyScratch, 0, scratchKey);
    scratchKey = 0;
  }
  if (ownsMore) releaseOwned();
  request.source = NO_BYTES;
  request.target = undefined;
  request.iv = undefined;
  request.aad = undefined;
  request.tag = undefined;
  request.key = undefined;
}

function releaseOwned(): void {
  ownsMore = false;
  request.finish = undefined;
  while (ownSecrets.length > 0) wipe(ownSecrets.pop()!);
  while (ownKeys.length > 0) release(ownKeys.pop()!);
}
