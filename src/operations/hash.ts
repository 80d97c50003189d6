/**
 * Hash calls, with an encoding or options.
 */
import { bytes, data, range, sizeOf, unsigned } from '../base/arguments.js';
import { At, frame, Operation, type Route } from '../base/frame.js';
import {
  beginRequest,
  setEngines,
  setResult,
  setRoute,
  setTarget,
  Form,
} from '../request/request.js';
import { shownName } from '../base/nearest.js';
import type { HashFacts } from '../catalog/facts.js';
import { OUTPUT_MAX } from '../catalog/parameters.js';
import { readEnginePreference, type EnginePreference } from '../engines/engines.js';
import { detached, makeError, wrongType } from '../base/errors.js';
import { isBytesView, isLost, isUint8Array } from '../base/intrinsics.js';
import { setKeyInput, type KeyMaterial } from '../request/key-input.js';
import { bare } from '../base/option-names.js';
import { checkNames, isPromise, slowBare, unreadable, type Accepted } from '../base/options.js';
import { readRoute, type RouteOptions } from '../scheduling/routes.js';
import { encodeShort, isShort, textScratch } from '../request/input-buffer.js';
import { checkTextSize } from '../request/text-size.js';
import { checkKeyGiven, readParameters, type GivenParameters } from './hash-parameters.js';
import { encodeTuple } from './tuple.js';
import type { HashOptions, TargetOptions } from '../calls/digests.js';

const forms: Readonly<Record<string, Form | undefined>> = {
  __proto__: null as never,
  buffer: Form.Buffer,
  hex: Form.Hex,
  '0xhex': Form.PrefixedHex,
  base64: Form.Base64,
  base64url: Form.Base64url,
  bigint: Form.BigInt,
};

/** The names of the encodings. */
export const encodingNames: readonly string[] = Object.keys(forms);
/** All of them but the last, for messages. */
const ENCODINGS = "'buffer', 'hex', '0xhex', 'base64', 'base64url'";

type Fields = HashOptions & Partial<TargetOptions>;

/**
 * Fills the request of a hash or HMAC from its parsed arguments. A short string is encoded into the
 * scratch memory.
 */
export function fillParsed(
  operation: Operation,
  facts: HashFacts,
  request: DigestRequest,
  source: Uint8Array | string,
  key: KeyMaterial | undefined,
): void {
  if (typeof source === 'string') {
    beginRequest(operation, facts.id, textScratch, 0, encodeShort(source, textScratch));
  } else {
    const size = sizeOf(source);
    if (size === 0 && isLost(source)) throw detached('data');
    beginRequest(operation, facts.id, source, 0, size);
  }
  if (key !== undefined) setKeyInput(key);
  frame[At.SeedLow] = request.seedLow;
  frame[At.SeedHigh] = request.seedHigh;
  if (request.target === undefined) setResult(request.size, request.form);
  else setTarget(request.target, request.targetOffset, request.size);
  if (request.route !== undefined) setRoute(request.route);
  if (request.preference !== undefined) setEngines(request.preference);
}

/** Reads the message of a hash: as {@link readData}, or the items of a tuple. */
export function readMessage(
  value: unknown,
  request: DigestRequest,
  { tuple }: HashFacts,
): Uint8Array | string {
  return tuple ? encodeTuple(value, 'data') : readData(value, request);
}

/** Reads data: bytes, or a short string unchanged unless the call borrows its source. */
export function readData(value: unknown, { target }: DigestRequest): Uint8Array | string {
  // Native code and fillParsed find out whether one without bytes is detached.
  if (isUint8Array(value)) return value;
  return typeof value === 'string' && target === undefined && isShort(value)
    ? value
    : data(value, 'data');
}

/** The parsed options of hash and hmac. */
export interface DigestRequest {
  readonly size: number;
  form: Form;
  target: Uint8Array | undefined;
  targetOffset: number;
  seedLow: number;
  seedHigh: number;
  /** The key in it is not parsed yet; `hashKey` of hash-parameters.ts parses it. */
  parameters: GivenParameters | undefined;
  route: Route | undefined;
  /** The requested engines. */
  preference: EnginePreference | undefined;
}

/** Parses an encoding or an options object. All getters run here, before any memory is read. */
export function digestRequest(
  value: unknown,
  facts: HashFacts,
  accepted: Accepted<any>,
): DigestRequest {
  if (typeof value === 'string' || value === undefined)
    return encodedRequest(value, facts, Form.Buffer);
  if (typeof value !== 'object' || value === null || isBytesView(value)) throw notForm(value);
  let given: Fields & RouteOptions;
  try {
    // A hash with parameters has names that are not in `bare`.
    given =
      slowBare && facts.parameters === null
        ? bare({ ...value })
        : ({ ...value, __proto__: null } as object);
  } catch (error) {
    throw unreadable(value, 'options', error);
  }
  // Only an object without names may be a promise: a check of every one takes longer.
  if (checkNames(given, 'options', accepted) === 0 && isPromise(value)) throw notForm(value);
  return digestOf(given, facts, Form.Buffer);
}

function notForm(value: unknown): Error {
  return wrongType('encoding', `${ENCODINGS}, 'bigint' or an options object`, value);
}

/** Parses options that were read, with known names; `plain` is the form without an encoding. */
export function digestOf(
  given: Fields & RouteOptions,
  facts: HashFacts,
  plain: Form,
): DigestRequest {
  const { encoding, outputLength, seed, key, target, targetOffset, route, engine } = given;
  const preference = engine === undefined ? undefined : readEnginePreference(engine);
  const form = digestForm(encoding, plain);
  const size = outputSize(outputLength, facts);
  checkTextSize(size, form);
  const request = plainRequest(size, form);
  request.preference = preference;
  if (seed !== undefined) {
    const { seedLow, seedHigh } = splitSeed(seed, facts);
    request.seedLow = seedLow;
    request.seedHigh = seedHigh;
  }
  request.route = readRoute(route);
  request.parameters = readParameters(given, key, size, facts);
  const place = readPlace(target, targetOffset, encoding);
  if (place !== undefined) {
    // Many digests need more memory: batch/arguments.ts.
    if (plain !== Form.Joined) range(place.targetOffset, size, sizeOf(place.target), 'target');
    request.target = place.target;
    request.targetOffset = place.targetOffset;
  }
  return request;
}

/** The caller's memory for a result. */
export interface Place {
  readonly target: Uint8Array;
  readonly targetOffset: number;
}

/** Reads where digests go; undefined without a target. */
export function readPlace(
  target: unknown,
  targetOffset: unknown,
  encoding: unknown,
): Place | undefined {
  if (target === undefined) {
    if (targetOffset === undefined) return undefined;
    throw makeError('ERR_MISSING_ARGUMENT', 'options.targetOffset needs options.target');
  }
  if (encoding !== undefined)
    throw makeError('ERR_ARGUMENT_VALUE', 'options.encoding and options.target exclude each other');
  return {
    target: bytes(target, 'options.target'),
    targetOffset: targetOffset === undefined ? 0 : unsigned(targetOffset, 'options.targetOffset'),
  };
}

/** Returns the request of a call without other options; `plain` is the form without an encoding. */
export function encodedRequest(
  encoding: string | undefined,
  facts: HashFacts,
  plain: Form,
): DigestRequest {
  if (!facts.direct) checkKeyGiven(facts);
  return plainRequest(facts.digestSize, digestForm(encoding, plain));
}

function plainRequest(size: number, form: Form): DigestRequest {
  return {
    size,
    form,
    target: undefined,
    targetOffset: 0,
    seedLow: 0,
    seedHigh: 0,
    parameters: undefined,
    route: undefined,
    preference: undefined,
  };
}

/** Returns the form for an encoding's name or undefined, and undefined for any other value. */
export function fastForm(encoding: unknown): Form | undefined {
  if (encoding === undefined) return Form.Buffer;
  return typeof encoding === 'string' ? forms[encoding] : undefined;
}

/** Returns the form of an encoding; `plain` without one. */
export function digestForm(encoding: unknown, plain: Form): Form {
  if (encoding === undefined) return plain;
  const form = fastForm(encoding);
  if (form !== undefined) return form;
  const expected = `${ENCODINGS} or 'bigint'`;
  if (typeof encoding !== 'string') throw wrongType('encoding', expected, encoding);
  const shown = shownName(encoding, encodingNames);
  throw makeError('ERR_ARGUMENT_VALUE', `encoding must be ${expected}, not ${shown}`);
}

/** Returns the digest's size in bytes: fixed, or the requested length. */
export function outputSize(outputLength: unknown, facts: HashFacts): number {
  if (outputLength === undefined) return facts.digestSize;
  const size = unsigned(outputLength, 'options.outputLength');
  if (facts.xof ? size >= 1 && size <= OUTPUT_MAX : size === facts.digestSize) return size;
  const most = facts.parameters?.outputLength?.[1];
  if (most !== undefined && size >= 1 && size <= most) return size;
  const allowed =
    facts.xof || most !== undefined ? `between 1 and ${most ?? OUTPUT_MAX}` : facts.digestSize;
  throw makeError(
    'ERR_OUTPUT_SIZE',
    `options.outputLength must be ${allowed} bytes for ${facts.name}, not ${size}`,
  );
}

const NO_SEED = { seedLow: 0, seedHigh: 0 };

/** Returns the seed as two 32-bit numbers. */
export function splitSeed(
  seed: unknown,
  facts: HashFacts,
): Pick<DigestRequest, 'seedLow' | 'seedHigh'> {
  if (seed === undefined) return NO_SEED;
  if (typeof seed !== 'number' && typeof seed !== 'bigint')
    throw wrongType('options.seed', 'an unsigned integer or BigInt', seed);
  if (facts.seedBits === 0)
    throw makeError('ERR_ARGUMENT_VALUE', `options.seed: ${facts.name} takes no seed`);
  if (typeof seed === 'number') unsigned(seed, 'options.seed');
  const wide = BigInt(seed);
  if (wide < 0n || wide >> BigInt(facts.seedBits) !== 0n) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.seed must be an unsigned integer of ${facts.seedBits} bits for ${facts.name}`,
    );
  }
  return { seedLow: Number(wide & 0xffffffffn), seedHigh: Number(wide >> 32n) };
}
