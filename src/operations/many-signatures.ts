/** signMany and verifyMany: from arguments to a request, or to jobs on the worker threads. */
import { argument, bytes, range, sizeOf } from '../base/arguments.js';
import { detached, makeError, wrongType } from '../base/errors.js';
import { At, Flag, frame, Operation, Route } from '../base/frame.js';
import { copyInto, isRevoked } from '../base/intrinsics.js';
import { signOptionNames, targetOptionNames, verifyOptionNames } from '../base/option-names.js';
import { accepted, isOptions, ownOptions } from '../base/options.js';
import { SignatureScheme } from '../base/protocol.js';
import type { PackedKeys } from '../calls/public-keys.js';
import type { EnginePreference } from '../engines/engines.js';
import { algorithmNames } from '../public-keys/algorithm-names.js';
import { PUBLIC_KEY_BYTES, reserveKey, type HeldKey } from '../public-keys/held-key.js';
import { isAsymmetricKey } from '../public-keys/key-objects.js';
import { algorithmOf, readPrivateKey, readPublicKey } from '../public-keys/keys.js';
import { release } from '../request/key.js';
import {
  beginRequest,
  clearRequest,
  Form,
  request,
  setEngines,
  setIv,
  setKey,
  setTag,
  setTarget,
} from '../request/request.js';
import { encodeResult } from '../request/result.js';
import type { Completion } from '../scheduling/completions.js';
import { canCopy } from '../scheduling/copies.js';
import { defaultRoute } from '../scheduling/cost-model.js';
import { deferResult } from '../scheduling/deferred-results.js';
import { routedSync, runFilled } from '../scheduling/run.js';
import { jobCount, spansOf, submitJobs, type BatchJobs } from './batch/jobs.js';
import {
  consecutive,
  measure,
  readSources,
  sizesFor,
  type Messages,
  type Sizes,
} from './batch/messages.js';
import type { Span } from './batch/request.js';
import { digestForm, readPlace, type Place } from './hash.js';
import {
  hold,
  letGo,
  parserFor,
  readCallOptions,
  wrongKey,
  type EngineAndRoute,
  type Options,
  type ParserOf,
} from './public-key-arguments.js';
import {
  checkScheme,
  readSigning,
  schemeOf,
  setSigning,
  signatureSize,
  type Signing,
} from './signatures.js';
import { allocateApart, type Buffer } from '#platform/base/runtime.js';

/** A call that was read; {@link runSync} or {@link startMany} lets its keys go. */
export interface ManySignatures extends EngineAndRoute {
  readonly verifies: boolean;
  readonly signing: Signing;
  /** One after the other. */
  readonly messages: Messages;
  readonly signatures: Messages | undefined;
  /** Of each item the sizes of message and signature, and the handle of the key. */
  readonly items: Sizes;
  readonly keys: Keys;
  /** The bytes of all results. */
  readonly size: number;
  readonly form: Form;
  readonly place: Place | undefined;
}

/** The keys of a call. */
interface Keys {
  /** Those that are held: one for each item, one for all, or one that stands for raw keys. */
  readonly held: HeldKey[];
  readonly scheme: SignatureScheme;
  /** Public keys one after the other, and the bytes of each. */
  readonly raw: Uint8Array | undefined;
  readonly rawSize: number;
}

export const signManyParser: ParserOf<ManySignatures> = parserFor(
  'signMany',
  'algorithm, messages, keys',
  (given, options) => read(false, given, options),
  signOptionNames,
  targetOptionNames,
);

export const verifyManyParser: ParserOf<ManySignatures> = parserFor(
  'verifyMany',
  'algorithm, messages, keys, signatures',
  (given, options) => read(true, given, options),
  verifyOptionNames,
);

const packedKeys = accepted('packed keys', 'data algorithm');

/** The predicted nanoseconds to verify with a raw key. */
const RAW_KEY_NS = 40_000;

/** What a signature costs beside its message, as bytes of that. */
const ITEM_BYTES = 16_384;

function read(verifies: boolean, given: ArrayLike<unknown>, options: Options): ManySignatures {
  const { encoding, target, targetOffset } = options;
  const form = digestForm(encoding, Form.Buffer);
  const place = readPlace(target, targetOffset, encoding);
  const call = readCallOptions(options);
  const signing = readSigning(verifies, argument(given, 0), options);
  const messages = readSources(argument(given, 1), false, 'messages');
  const { count } = messages;
  const signatures = verifies ? readSources(argument(given, 3), false, 'signatures') : undefined;
  if (signatures !== undefined) checkCount(signatures.count, 'signatures', count);
  signatures?.list?.forEach((each, index) => {
    if (typeof each === 'string') throw wrongType(`signatures[${index}]`, 'bytes', each);
  });
  // Last, as this may run code of the caller; memory is read afterwards.
  const keys = readKeys(verifies, signing, argument(given, 2), count);
  try {
    const [source, tag] = [inMemory(messages, 'messages'), inMemory(signatures, 'signatures')];
    const { held, raw, scheme } = keys;
    if (raw !== undefined) checkMemory(raw, count * keys.rawSize, 'keys.data');
    if (place !== undefined && scheme === SignatureScheme.EcdsaDer)
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        "options.target: signatures in DER differ in size; pass dsaEncoding: 'ieee-p1363'",
      );
    const items = sizesFor(3 * count);
    const { numbers } = items;
    let size = verifies ? count : 0;
    for (let index = 0, at = 0; index < count; index++, at += 3) {
      const key = held.length > 1 ? held[index]! : held[0]!;
      numbers[at] = sizeIn(source!, index);
      numbers[at + 1] = verifies ? sizeIn(tag!, index) : placeSize(key, scheme);
      numbers[at + 2] = raw === undefined ? key.handles[0]! : 0;
      if (!verifies) size += numbers[at + 1]!;
    }
    if (place !== undefined) range(place.targetOffset, size, sizeOf(place.target), 'target');
    const own = { messages: source!, signatures: tag, items, keys, size };
    return { verifies, signing, form, place, ...call, ...own };
  } catch (error) {
    end(keys.held);
    throw error;
  }
}

function checkCount(count: number, name: string, messages: number): void {
  if (count !== messages)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${name} must be as many as the messages, ${messages}, not ${count}`,
    );
}

function checkMemory(packed: Uint8Array, size: number, name: string): void {
  if (sizeOf(packed) !== size) throw detached(name);
}

/** Returns messages one after the other: the caller's memory, or copies of a list. */
function inMemory(messages: Messages | undefined, name: string): Messages | undefined {
  if (messages?.list !== undefined)
    return consecutive(messages.list as Uint8Array[], measure(messages.list, name));
  if (messages !== undefined)
    checkMemory(messages.packed, messages.count * messages.size, `${name}.data`);
  return messages;
}

function sizeIn({ size, sizes }: Messages, index: number): number {
  return sizes === undefined ? size : sizes.numbers[index]!;
}

/** Returns the bytes of a signature's place: one in DER has its size after it. */
function placeSize(key: HeldKey, scheme: SignatureScheme): number {
  return signatureSize(key, scheme) + (scheme === SignatureScheme.EcdsaDer ? 2 : 0);
}

/** Reads keys, which are held until {@link end}. */
function readKeys(verifies: boolean, signing: Signing, value: unknown, count: number): Keys {
  const readKey = verifies ? readPublicKey : readPrivateKey;
  const held: HeldKey[] = [];
  try {
    if (verifies && isPackedKeys(value)) return readRawKeys(signing, value, count, held);
    const list = !isRevoked(value) && Array.isArray(value);
    const length = list ? value.length : 1;
    if (list) checkCount(length, 'keys', count);
    let last: unknown;
    let scheme = SignatureScheme.Default;
    for (let index = 0; index < length; index++) {
      const each: unknown = list ? value[index] : value;
      const repeated = index > 0 && each === last;
      const argument = repeated ? '' : list ? `keys[${index}]` : 'keys';
      const key = repeated ? held[index - 1]! : readKey(each, argument);
      hold(key);
      held.push(key);
      if (repeated) continue;
      const found = schemeOf(signing, key, argument);
      if (index === 0) scheme = found;
      else if (found !== scheme || !isAlike(key, held[0]!))
        throw wrongKey(argument, key, `the kind of keys[0], ${held[0]!.algorithm}`);
      checkScheme(signing, key, scheme);
      last = each;
    }
    return { held, scheme, raw: undefined, rawSize: 0 };
  } catch (error) {
    end(held);
    throw error;
  }
}

/** Returns true for keys that are restricted to the same parameters of PSS. */
function isAlike({ restriction: one }: HeldKey, { restriction: other }: HeldKey): boolean {
  return one?.mgf1Hash === other?.mgf1Hash && one?.saltLength === other?.saltLength;
}

function isPackedKeys(value: unknown): value is PackedKeys {
  const isObject = isOptions(value) && !isRevoked(value) && !isAsymmetricKey(value);
  return isObject && Object.hasOwn(value, 'data');
}

function readRawKeys(signing: Signing, value: object, count: number, held: HeldKey[]): Keys {
  const { data, algorithm } = ownOptions<PackedKeys>(value, 'keys', packedKeys);
  const number = algorithmOf(algorithm, 'keys.algorithm');
  const raw = bytes(data, 'keys.data');
  const rawSize = PUBLIC_KEY_BYTES[number];
  const name = algorithmNames[number]!;
  const prepared = reserveKey();
  const key: HeldKey = {
    ...prepared,
    algorithm: name,
    algorithmNumber: number,
    isPrivate: false,
    modulusBits: 0,
    size: 0,
    cost: RAW_KEY_NS,
    restriction: undefined,
  };
  hold(key);
  held.push(key);
  release(key);
  if (rawSize === 0)
    throw wrongKey('keys.algorithm', key, 'an algorithm that signs, with raw keys');
  const scheme = schemeOf(signing, key, 'keys.algorithm');
  checkScheme(signing, key, scheme);
  if (sizeOf(raw) !== count * rawSize)
    throw makeError(
      'ERR_KEY_SIZE',
      `keys.data must have ${count} keys of ${rawSize} bytes for ${name}, not ${sizeOf(raw)} bytes`,
    );
  return { held, scheme, raw, rawSize };
}

/** Lets the keys of a call go. */
function end(held: readonly HeldKey[]): void {
  for (let index = 0; index < held.length; index++) letGo(held[index]!);
  clearRequest();
}

/** Runs a call on this thread, and returns its result. */
export function runSync(call: ManySignatures): unknown {
  try {
    if (call.route !== undefined) throw routedSync();
    return runHere(call);
  } finally {
    end(call.keys.held);
  }
}

/**
 * Runs a call by the requested route; those of a separate last argument override its own. Returns
 * undefined if it ran inline; the completion then settles at the end of the event-loop iteration.
 */
export function startMany(
  given: ManySignatures,
  user: Completion,
  asked?: Route,
  engines?: EnginePreference,
): BatchJobs | undefined {
  const { held } = given.keys;
  try {
    const { messages } = given;
    const route = asked ?? given.route ?? defaultRoute();
    const call = { ...given, preference: engines ?? given.preference };
    const { count } = messages;
    const total = sizeOf(messages.packed);
    const isInline = route === Route.Inline || (route === Route.Auto && !canCopy(total));
    if (count === 0 || isInline) {
      deferResult(user, runHere(call));
      return undefined;
    }
    let cost = 0;
    for (let index = 0; index < held.length; index++) cost += held[index]!.cost;
    if (held.length === 1) cost *= count;
    const result = allocateApart(call.size);
    // The caller may change packed messages after the call.
    const own = { ...call, messages: copied(messages) };
    return submitJobs(
      user,
      // More than threads: other work may take some of those.
      spansOf(messages, total, ITEM_BYTES, jobCount(route, count, cost, 4)),
      route,
      filling(own, result),
      () => finish(call, result),
    );
  } finally {
    end(held);
  }
}

function copied(messages: Messages): Messages {
  if (messages.sizes !== undefined) return messages;
  const packed = copyInto(allocateApart(sizeOf(messages.packed)), messages.packed, 0);
  return { ...messages, packed };
}

function runHere(call: ManySignatures): unknown {
  const { messages, size } = call;
  const result = allocateApart(size);
  const { count, packed } = messages;
  if (count > 0) {
    filling(call, result)({ first: 0, count, offset: 0, size: sizeOf(packed) });
    runFilled();
  }
  return finish(call, result);
}

/** Returns the function that fills the requests of spans, in their order. */
function filling(call: ManySignatures, result: Uint8Array): (span: Span) => void {
  const { verifies, signing, messages, signatures, items, keys, preference } = call;
  const { held, scheme, raw, rawSize } = keys;
  const { numbers } = items;
  const operation = verifies ? Operation.VerifyMany : Operation.SignMany;
  // The offset of the next signature.
  let start = 0;
  return ({ first, count, offset, size }) => {
    let bytes = 0;
    for (let index = first; index < first + count; index++) bytes += numbers[3 * index + 1]!;
    beginRequest(operation, signing.hash, messages.packed, offset, size);
    setEngines(held[0]!);
    if (preference !== undefined) setEngines(preference);
    frame[At.Key] = 0;
    setSigning(signing, held[0]!, scheme);
    setIv(items.bytes, first * 24, count * 24);
    if (raw !== undefined) {
      frame[At.SeedHigh] = held[0]!.algorithmNumber;
      setKey(raw, first * rawSize, count * rawSize);
    }
    if (signatures !== undefined) setTag(signatures.packed, start, bytes);
    setTarget(result, verifies ? first : start, verifies ? count : bytes);
    request.flags |= Flag.Copied;
    start += bytes;
  };
}

/** Returns the result of the call from those of its items. */
function finish(call: ManySignatures, result: Buffer): unknown {
  const { verifies, items, keys, size, form, place } = call;
  const { numbers } = items;
  if (verifies) return Array.from(result, (verdict) => verdict === 1);
  if (place !== undefined) {
    range(place.targetOffset, size, sizeOf(place.target), 'target');
    copyInto(place.target, result, place.targetOffset);
    return size;
  }
  const made = new Array<unknown>(call.messages.count);
  for (let index = 0, start = 0; index < made.length; index++) {
    const bytes = numbers[3 * index + 1]!;
    let signature = result.subarray(start, start + bytes);
    start += bytes;
    if (keys.scheme === SignatureScheme.EcdsaDer)
      signature = encodeResult(signature, Form.Sized) as Buffer;
    made[index] = encodeResult(signature, form);
  }
  return made;
}
