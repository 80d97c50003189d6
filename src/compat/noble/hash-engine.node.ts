/** Hashes of millrace/noble-hashes: by the engine that is chosen. */
import {
  parameterBlock,
  takesRawKey,
  type Given,
  type Parameter,
} from '../../catalog/parameters.js';
import { defaultEngine, localEngines } from '../../engines/engines.js';
import { keepsStates, keyStates } from '../../hashers/key-states.js';
import { Running as RunningHash } from '../../hashers/running.js';
import { Phase } from '../../scheduling/steps.js';
import { fastInto } from '../../operations/fast-path.js';
import { hmacFacts } from '../../operations/hmac.js';
import { createHashKey, keyedBlock } from '../../operations/key.js';
import { Operation } from '../../base/frame.js';
import { emptySlots, isUint8Array, part, sizeOf } from '../../base/intrinsics.js';
import type { FreshBytes } from '../../base/platform-types.js';
import { setKeyInput } from '../../request/key-input.js';
import { beginRequest, Form, setKey, setTarget } from '../../request/request.js';
import { runFilled } from '../../scheduling/run.js';
import type { Algorithm } from './algorithms.node.js';

/** A running hash or HMAC. */
export type Running = RunningHash;

/** Blocks that hold only an output size, by hash and size: most calls pass nothing else. */
const sizeBlocks = emptySlots<(Uint8Array | undefined)[]>();

function blockOf({ id }: Algorithm, values: readonly Parameter[]): Uint8Array {
  const [first] = values;
  if (values.length > 1 || first === undefined || first[0] !== 'outputLength')
    return parameterBlock(values);
  const size = first[1] as number;
  if (size > 64) return parameterBlock(values);
  return ((sizeBlocks[id] ??= emptySlots(65))[size] ??= parameterBlock(values));
}

/** Begins a running hash. */
export function begin(algorithm: Algorithm, { size, key, values }: Given): Running {
  const { preference } = defaultEngine;
  if (key !== undefined) {
    const prepared = createHashKey(algorithm, key, values, preference);
    return new RunningHash(algorithm, false, prepared, 0, 0, size);
  }
  if (values.length === 0) return new RunningHash(algorithm, false, undefined, 0, 0, size);
  const engines = localEngines(undefined, 'a hash with parameters');
  const block = blockOf(algorithm, values);
  return new RunningHash(algorithm, false, undefined, 0, 0, size, engines, block);
}

/** Begins a running HMAC; returns undefined if the engine keeps no states. */
export function beginMac(algorithm: Algorithm, key: Uint8Array): Running | undefined {
  const { preference } = defaultEngine;
  if (!keepsStates(preference)) return undefined;
  const facts = hmacFacts(algorithm.name);
  const states = keyStates(facts, key, preference);
  return new RunningHash(facts, true, undefined, 0, 0, facts.digestSize, preference, states);
}

/** Returns the digest of a whole message; undefined if a running hash is to compute it. */
export function digestOf(algorithm: Algorithm, data: unknown): FreshBytes | undefined {
  const digest = new Uint8Array(algorithm.digestSize);
  return isUint8Array(data) && fastInto(algorithm, data, digest) ? digest : undefined;
}

/** Returns the digest of a whole message. */
export function digestWith(
  algorithm: Algorithm,
  { size, key, values }: Given,
  bytes: Uint8Array,
): FreshBytes {
  const target = new Uint8Array(size);
  const secret =
    key === undefined || takesRawKey(algorithm.parameters!) ? key : keyedBlock(key, values);
  const block = secret === undefined && values.length > 0 ? blockOf(algorithm, values) : undefined;
  beginRequest(Operation.Hash, algorithm.id, bytes, 0, sizeOf(bytes));
  if (secret !== undefined) setKeyInput(secret);
  else if (block !== undefined) setKey(block, 0, sizeOf(block));
  setTarget(target, 0, size);
  runFilled();
  return target;
}

/** Writes an HMAC. */
export function writeMac(
  algorithm: Algorithm,
  key: Uint8Array,
  data: Uint8Array,
  target: Uint8Array,
): void {
  beginRequest(Operation.Hmac, hmacFacts(algorithm.name).id, data, 0, sizeOf(data));
  setKey(key, 0, sizeOf(key));
  setTarget(target, 0, target.length);
  runFilled();
}

/** Returns the digest, of this size, in separate memory. It ends the running hash. */
export function resultOf(running: Running, size: number): FreshBytes {
  if (running.keyed || size !== running.facts.digestSize) {
    const digest = new Uint8Array(size);
    writeResult(running, digest);
    return digest;
  }
  // Buffer's pool is shared: callers may use `digest.buffer`.
  return new Uint8Array(running.digest(Form.Buffer) as Uint8Array);
}

/** Fills memory with the digest. It ends the running hash. */
export function writeResult(running: Running, target: Uint8Array): void {
  if (sizeOf(target) > 0) running.digestInto(part(target, 0, sizeOf(target)), 0);
  else running.finalize();
}

/** Ends a running hash. */
export function end(running: Running): void {
  if (running.phase !== Phase.Finalized) running.finalize();
}
