/**
 * hash and hmac with options on the calling thread. Short digests go to native code in one call,
 * without a request; other calls, and those that native code refuses, fill one.
 */
import type { HashFacts } from '../catalog/facts.js';
import { defaultEngine } from '../engines/engines.js';
import { isUint8Array } from '../base/arguments.js';
import { At, Flag, frame, Operation } from '../base/frame.js';
import { encodeShort, TEXT_OFFSET, textScratch } from '../request/input-buffer.js';
import type { KeyMaterial } from '../request/key-input.js';
import { WHOLE } from '../base/protocol.js';
import { clearRequest, Form } from '../request/request.js';
import { encodeResult } from '../request/result.js';
import { SecretCopy } from '../base/secret-copy.js';
import { SMALL_BYTES, stage, takeStaged, wipeStage } from '../base/secret-results.js';
import { routedSync, runFilled } from '../scheduling/run.js';
import { fastHex } from './fast-path.js';
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

/** Returns undefined if native code does not serve the call in one step. */
function runDirect(
  operation: Operation,
  facts: HashFacts,
  request: DigestRequest,
  source: Uint8Array | string,
  key: KeyMaterial | undefined,
): unknown {
  const { size, form, target } = request;
  if (size > SMALL_BYTES || request.route !== undefined || request.preference !== undefined)
    return undefined;
  let { engine } = defaultEngine;
  let handle = 0;
  let keyBytes: Uint8Array | undefined;
  if (key !== undefined) {
    if (isUint8Array(key)) {
      keyBytes = key;
    } else {
      if (typeof key === 'string' || SecretCopy.is(key)) return undefined;
      engine = key.engines[0]!;
      handle = key.handles![0]!;
    }
  }
  const { direct } = engine;
  if (direct === undefined) return undefined;
  const text = typeof source === 'string';
  const sourceSize = text ? encodeShort(source, textScratch) : WHOLE;
  const { seedLow, seedHigh } = request;
  const plain = key === undefined && seedLow === 0 && seedHigh === 0 && size === facts.digestSize;
  if (form === Form.Hex && plain) return fastHex(facts, source, TEXT_OFFSET, sourceSize);
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
