/**
 * Hashes with parameters: the key, salt, customization or output size of noble's options. A whole
 * message is one request; `create()` begins a running hash.
 */
import { parameterBlock, takesRawKey, type Parameter } from '../../catalog/parameters.js';
import { defaultEngine, localEngines } from '../../engines/engines.js';
import { Running } from '../../hashers/running.js';
import { OUTPUT_MAX } from '../../operations/hash.js';
import { keyedBlock } from '../../operations/hash-parameters.js';
import { createHashKey } from '../../operations/key.js';
import { sizeOf } from '../../base/arguments.js';
import { Operation } from '../../base/frame.js';
import { isUint8Array } from '../../base/intrinsics.js';
import { setKeyInput } from '../../request/key-input.js';
import { beginRequest, setKey, setTarget } from '../../request/request.js';
import { runFilled } from '../../scheduling/run.js';
import type { HashFacts } from '../../catalog/facts.js';
import { message } from './checks.js';
import type { Line } from './original.js';

/** The options of a call, as Millrace has them. */
export interface Parameters {
  /** Bytes of the digest. */
  readonly size: number;
  readonly key?: Uint8Array | undefined;
  /** The others, with the size if the digest depends on it. */
  readonly values?: readonly Parameter[] | undefined;
}

/** Blocks that hold only an output size, by hash and size: most calls pass nothing else. */
const sizeBlocks: Uint8Array[][] = [];

function blockOf({ id }: HashFacts, values: readonly Parameter[]): Uint8Array {
  const [first] = values;
  if (values.length > 1 || first === undefined || first[0] !== 'outputLength')
    return parameterBlock(values);
  const size = first[1] as number;
  if (size > 64) return parameterBlock(values);
  return ((sizeBlocks[id] ??= [])[size] ??= parameterBlock(values));
}

/** Begins a running hash. */
export function beginWith(facts: HashFacts, { size, key, values = [] }: Parameters): Running {
  const { preference } = defaultEngine;
  if (key !== undefined) {
    const prepared = createHashKey(facts, key, values, preference);
    return new Running(facts, false, prepared, 0, 0, size);
  }
  if (values.length === 0) return new Running(facts, false, undefined, 0, 0, size);
  const engines = localEngines(undefined, 'a hash with parameters');
  return new Running(facts, false, undefined, 0, 0, size, engines, blockOf(facts, values));
}

/** Returns the digest of a whole message. */
export function digestWith(
  facts: HashFacts,
  { size, key, values = [] }: Parameters,
  bytes: Uint8Array,
): Uint8Array {
  const target = new Uint8Array(size);
  const secret =
    key === undefined || takesRawKey(facts.parameters!) ? key : keyedBlock(key, values);
  const block = secret === undefined && values.length > 0 ? blockOf(facts, values) : undefined;
  beginRequest(Operation.Hash, facts.id, bytes, 0, sizeOf(bytes));
  if (secret !== undefined) setKeyInput(secret);
  else if (block !== undefined) setKey(block, 0, sizeOf(block));
  setTarget(target, 0, size);
  runFilled();
  return target;
}

/** Returns the size that an option asks for; undefined for one that noble serves or refuses. */
export function sizeOption(size: unknown, usual: number): number | undefined {
  if (size === undefined) return usual;
  return isNumber(size, OUTPUT_MAX) ? size : undefined;
}

/** Returns true for an integer from 1 to `most`. */
export function isNumber(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

/** Returns true for bytes that a parameter can hold. */
export function isParameter(value: unknown): value is Uint8Array {
  return isUint8Array(value) && sizeOf(value) <= OUTPUT_MAX;
}

/** Returns bytes, or in line 1 those of a string; undefined for what noble refuses. */
export function inputOf(line: Line, value: unknown): Uint8Array | undefined {
  if (line === 1 && typeof value === 'string') return message(line, value);
  return isParameter(value) ? value : undefined;
}

/** Returns true for an options object; noble refuses every other value. */
export function isPlain(options: unknown): boolean {
  return Object.prototype.toString.call(options) === '[object Object]';
}
