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
  usual as defaultEngine,
  withKeyEngines,
} from '../engines/engines.js';
import { NO_BYTES } from './arguments.js';
import { At, Flag, Operation, Route, frame } from './frame.js';
import { encodeShort, keyScratch } from './input-buffer.js';
import { utf8Apart } from '#platform/runtime.js';

/** What the caller gets. */
export const enum Form {
  /** The number of bytes written to the caller's target. */
  Size,
  Buffer,
  Hex,
  Base64,
  Base64url,
  BigInt,
  /** A derived key, as a Buffer that V8 does not move: who wipes it wipes all there is of it. */
  Secret,
  /** Whether it is a one. */
  Verdict,
}

/**
 * Fills the frame and {@link request} from the first `count` arguments; throws if one is wrong. A call
 * that is `promised` takes the options of {@link CallOptions}.
 */
export type FillRequest = (given: ArrayLike<unknown>, count: number, promised?: boolean) => void;

/** Reads one kind of call. */
export interface Parser {
  readonly fill: FillRequest;
  /** The numbers of arguments it understands, without callback or signal. */
  readonly counts: readonly number[];
}

/** The work being described. */
export const request = {
  /** Always given, many messages as an array; the rest `undefined` where absent. */
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
  /** Frame flags collected so far. */
  flags: 0,
  /**
   * Bytes of the iv that stand before the result, and belong to it: a random nonce; otherwise 0.
   */
  prefix: 0,
  /** Whether a route was asked for. */
  routed: false,
  /** Who computes. */
  engine: base as Engine,
  /**
   * The engines that may, if that was asked for or follows from a key; otherwise the usual ones.
   */
  choice: undefined as EnginePreference | undefined,
};

/** Starts the description of a call without key, iv, aad or tag; parsers add those. */
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
  // To write what is there already costs more than to look.
  if (request.engine !== engine) request.engine = engine;
  if (request.choice !== undefined) request.choice = undefined;
}

/** Who may compute: those that have the key, and, after that, those of them that are asked for. */
export function setEngines(asked: EnginePreference): void {
  const choice =
    request.choice?.handles === undefined ? asked : withKeyEngines(request.choice, asked);
  const engine = choice.engines[0]!;
  frame[At.Engine] = engine.number;
  if (request.engine !== engine) request.engine = engine;
  request.choice = choice;
  if (choice.handles !== undefined) frame[At.Key] = choice.handles[0]!;
}

/**
 * The result goes to the caller's memory, which an asynchronous call borrows together with the
 * source.
 */
export function setTarget(target: Uint8Array, offset: number, size: number): void {
  frame[At.TargetOffset] = offset;
  frame[At.TargetSize] = size;
  request.target = target;
  request.size = size;
  request.form = Form.Size;
  request.flags |= Flag.HasTarget;
}

/** The result is new: a Buffer, or a text made from it. */
export function setResult(size: number, form: Form): void {
  frame[At.TargetOffset] = 0;
  frame[At.TargetSize] = size;
  request.size = size;
  request.form = form;
}

/** A key given as bytes. */
export function setKey(key: Uint8Array, offset: number, size: number): void {
  frame[At.KeyOffset] = offset;
  frame[At.KeySize] = size;
  request.key = key;
  request.flags |= Flag.HasKey;
}

/**
 * Puts a short string into the scratch for keys, which is wiped as soon as the call has used or
 * copied it; its size.
 */
export function encodeKey(key: string): number {
  scratchKey = encodeShort(key, keyScratch);
  return scratchKey;
}

let scratchKey = 0;

/** A secret string as bytes, which are wiped as soon as the call has used or copied them. */
export function ownSecret(text: string): Uint8Array {
  const secret = utf8Apart(text);
  deferWipe(secret);
  return secret;
}

/** Bytes of ours, to be wiped as soon as the call has used or copied them. */
export function deferWipe(secret: Uint8Array): void {
  ownSecrets.push(secret);
}

const ownSecrets: Uint8Array[] = [];

/** An iv or nonce. */
export function setIv(iv: Uint8Array, offset: number, size: number): void {
  frame[At.IvOffset] = offset;
  frame[At.IvSize] = size;
  request.iv = iv;
  request.flags |= Flag.HasIv;
}

/**
 * Keeps the first bytes of the result for the iv. After the description of iv and target, whose
 * size includes it.
 */
export function setPrefix(size: number): void {
  frame[At.TargetOffset]! += size;
  frame[At.TargetSize]! -= size;
  request.prefix = size;
}

/** Additional authenticated data. */
export function setAad(aad: Uint8Array, offset: number, size: number): void {
  if (size === 0) return;
  frame[At.AadOffset] = offset;
  frame[At.AadSize] = size;
  request.aad = aad;
  request.flags |= Flag.HasAad;
}

/** A tag of its own: an output when encrypting, an input when decrypting. */
export function setTag(tag: Uint8Array, offset: number, size: number): void {
  frame[At.TagOffset] = offset;
  frame[At.TagSize] = size;
  request.tag = tag;
  request.flags |= Flag.HasTag;
}

/** How the call is to be run. */
export function setRoute(route: Route): void {
  frame[At.Route] = route;
  request.routed = true;
}

/** Lets go of the caller's memory: the record must not keep a buffer, least of all a key, alive. */
export function clearRequest(): void {
  if (scratchKey > 0) {
    keyScratch.fill(0, 0, scratchKey);
    scratchKey = 0;
  }
  while (ownSecrets.length > 0) ownSecrets.pop()!.fill(0);
  request.source = NO_BYTES;
  request.target = undefined;
  request.iv = undefined;
  request.aad = undefined;
  request.tag = undefined;
  request.key = undefined;
}
