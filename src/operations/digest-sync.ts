/**
 * hash and hmac with options on the calling thread. Short digests go to native code in one call,
 * without a request; other calls, and those that native code refuses, fill one.
 */
import type { HashFacts } from '../catalog/facts.js';
import { defaultEngine } from '../engines/engines.js';
import { isUint8Array, sizeOf } from '../base/arguments.js';
import { At, Flag, frame, Operation } from '../base/frame.js';
import { emptySlots } from '../base/intrinsics.js';
import { encodeShort, TEXT_OFFSET, textScratch } from '../request/input-buffer.js';
import type { KeyMaterial } from '../request/key-input.js';
import { WHOLE } from '../base/protocol.js';
import { clearRequest, Form } from '../request/request.js';
import { encodeResult } from '../request/result.js';
import { SecretCopy } from '../base/secret-copy.js';
import { SMALL_BYTES, stage, takeStaged, wipeStage } from '../base/secret-results.js';
import { routedSync, runFilled } from '../scheduling/run.js';
import { fastBigInt, fastBuffer, fastHex, fastInto, fastPrefixedHex } from './fast-path.js';
import { digestRequest, fillParsed, readData, readMessage, type DigestRequest } from './hash.js';
import { hashKey } from './hash-parameters.js';
import { hashTable, hmacTable } from './digest-readers.js';
import { hmacFacts } from './hmac.js';
import { readTextKey } from './kept-keys.js';
import { allocate } from '#platform/base/runtime.js';

/** Runs `hash(algorithm, data, options)`. */
export function hashSync(facts: HashFacts, data: unknown, options: unknown): unknown {
  const { plain } = facts.parameters === null ? hashTable : hashTable.parameters;
  const request = digestRequest(options, facts, plain);
  const source = readMessage(data, request, facts);
  const key = hashKey(request.parameters, facts, request.preference);
  return runDigest(Operation.Hash, facts, request, source, key);
}

/** Runs `hmac(algorithm, key, data[, encoding | options])`. */
export function hmacSync(
  algorithm: unknown,
  key: unknown,
  data: unknown,
  options: unknown,
): unknown {
  const facts = hmacFacts(algorithm);
  const request = digestRequest(options, facts, hmacTable.plain);
  const source = readData(data, request);
  const secret = readTextKey(key, facts, request.preference);
  return runDigest(Operation.Hmac, facts, request, source, secret);
}

/** Runs a parsed call. */
export function runDigest(
  operation: Operation,
  facts: HashFacts,
  request: DigestRequest,
  source: Uint8Array | string,
  key: KeyMaterial | undefined,
): unknown {
  const digest = runDirect(operation, facts, request, source, key);
  if (digest !== undefined) return digest;
  try {
    fillParsed(operation, facts, request, source, key);
    if (request.route !== undefined) throw routedSync();
  } catch (error) {
    clearRequest();
    throw error;
  }
  return runFilled();
}

/** The digests without a key and a seed that an engine makes in one call. */
const fastForms = emptySlots<typeof fastBuffer | typeof fastHex | typeof fastBigInt>();
fastForms[Form.Buffer] = fastBuffer;
fastForms[Form.Hex] = fastHex;
fastForms[Form.PrefixedHex] = fastPrefixedHex;
fastForms[Form.BigInt] = fastBigInt;

/** Returns undefined if the engine does not serve the call in one step. */
function runDirect(
  operation: Operation,
  facts: HashFacts,
  request: DigestRequest,
  source: Uint8Array | string,
  key: KeyMaterial | undefined,
): unknown {
  const { size, form, target, preference } = request;
  if (size > SMALL_BYTES || request.route !== undefined) return undefined;
  let engine = preference === undefined ? defaultEngine.engine : preference.engines[0]!;
  let handle = 0;
  let keyBytes: Uint8Array | undefined;
  if (key !== undefined) {
    // The request finds out whether the key is prepared for these engines.
    if (preference !== undefined) return undefined;
    if (isUint8Array(key)) {
      keyBytes = key;
    } else {
      if (typeof key === 'string' || SecretCopy.is(key)) return undefined;
      engine = key.engines[0]!;
      handle = key.handles![0]!;
    }
  }
  const sourceSize = typeof source === 'string' ? encodeShort(source, textScratch) : WHOLE;
  const { seedLow, seedHigh } = request;
  if (key === undefined && seedLow === 0 && seedHigh === 0 && size === facts.digestSize) {
    if (target === undefined) {
      const fast = fastForms[form];
      if (fast !== undefined) return fast(facts, source, TEXT_OFFSET, sourceSize, 0, engine);
    } else if (sizeOf(target) === size) {
      return fastInto(facts, source as Uint8Array, target, 0, engine) ? size : undefined;
    }
  }
  const { direct } = engine;
  if (direct === undefined) return undefined;
  const staged = target === undefined && (key !== undefined || form !== Form.Buffer);
  const place = target ?? (staged ? stage(size) : allocate(size));
  frame[At.Operation] = operation;
  frame[At.Algorithm] = facts.id;
  frame[At.Key] = handle;
  frame[At.Flags] = keyBytes === undefined ? 0 : Flag.HasKey;
  frame[At.SourceOffset] = TEXT_OFFSET;
  frame[At.SourceSize] = sourceSize;
  frame[At.TargetOffset] = request.targetOffset;
  frame[At.TargetSize] = size;
  frame[At.SeedLow] = seedLow;
  frame[At.SeedHigh] = seedHigh;
  // The request finds out why native code refuses a call.
  if (direct.digest(source, place, keyBytes) !== 0) return undefined;
  if (target !== undefined) return size;
  if (!staged) return place;
  if (form === Form.Buffer) return takeStaged(stage(size));
  const encoded = encodeResult(stage(size), form);
  if (key !== undefined) wipeStage();
  return encoded;
}
