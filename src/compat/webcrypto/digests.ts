/** digest, sign and verify. */
import { native } from '../../engines/binding.js';
import type { Parameter } from '../../catalog/parameters.js';
import { parameterBlock } from '../../catalog/parameters.js';
import type { HashFacts } from '../../catalog/facts.js';
import { fastInto } from '../../operations/fast-path.js';
import { extendedKey } from '../../operations/key.js';
import { keyEngines } from '../../request/key.js';
import { sizeOf } from '../../base/arguments.js';
import { Operation } from '../../base/frame.js';
import { setKeyInput } from '../../request/key-input.js';
import { beginRequest, Form, setEngines, setResult } from '../../request/request.js';
import { secretCopy, secretMemory, wipe } from '../../base/secret-memory.js';
import type { Algorithm } from './dictionaries.js';
import type { Kept } from './keys.js';
import { bytesOf, secretOf } from './platform.js';
import {
  check,
  digestCost,
  enginesOf,
  mayRunNow,
  refuseOperation,
  run,
  runNow,
  type Result,
} from './run.js';

/** Returns the digest of a BufferSource. */
export function digest(algorithm: Algorithm, data: unknown): Result {
  const { served, problem } = algorithm;
  const source = bytesOf(data)!;
  check(served, problem, source);
  const facts = served.hash!;
  const size = sizeOf(source);
  const cost = digestCost(Operation.Hash, facts, size);
  if (facts.parameters === null) {
    const fill = (): void => fillHash(facts, source, facts.digestSize);
    if (!mayRunNow(cost)) return run(Infinity, fill);
    const target = secretMemory(facts.digestSize);
    return fastInto(facts, source, target) ? (target.buffer as ArrayBuffer) : runNow(fill);
  }
  const values = parametersOf(algorithm);
  const result = outputSize(algorithm);
  if (result === 0) return secretMemory(0).buffer as ArrayBuffer;
  return run(cost, () => {
    fillHash(facts, source, result);
    if (values.length > 0) setKeyInput(parameterBlock(values));
  });
}

/** Returns the bytes of an extendable output. */
function outputSize({ served, numbers }: Algorithm): number {
  const bits = numbers.outputLength!;
  if (bits % 8 !== 0) refuseOperation(served, 'outputLength must be a multiple of 8');
  // Versions of Node.js differ.
  if (bits === 0) refuseOperation(served, 'outputLength must not be 0');
  return bits / 8;
}

function parametersOf({ served, bytes, numbers }: Algorithm): Parameter[] {
  const values: Parameter[] = [];
  for (const name of ['customization', 'functionName'] as const) {
    const value = bytes[name];
    if (value !== undefined && value.length > 0) values.push([name, value]);
  }
  const domain = numbers.domainSeparation;
  if (domain !== undefined) {
    if (domain < 1 || domain > 127)
      refuseOperation(served, 'domainSeparation must be from 1 to 127');
    values.push(['domain', domain]);
  }
  return values;
}

function fillHash(facts: HashFacts, source: Uint8Array, size: number): void {
  beginRequest(Operation.Hash, facts.id, source, 0, sizeOf(source));
  setResult(size, Form.Secret);
}

/** Returns the HMAC or KMAC of a BufferSource. */
export function sign(algorithm: Algorithm, kept: Kept, data: unknown): Result {
  const source = bytesOf(data)!;
  check(algorithm.served, algorithm.problem, source);
  const hash = kept.hash!;
  const size = sizeOf(source);
  const engines = enginesOf(kept);
  if (kept.name === 'HMAC') {
    const cost = digestCost(Operation.Hmac, hash, size);
    const fill = (): void => {
      beginRequest(Operation.Hmac, hash.id, source, 0, size);
      setEngines(engines);
      setResult(hash.digestSize, Form.Secret);
    };
    if (!mayRunNow(cost)) return run(Infinity, fill);
    // Memory that V8 does not move: verify wipes it.
    const target = secretMemory(hash.digestSize);
    return fastInto(hash, source, target, engines.handles![0], engines.engines[0])
      ? (target.buffer as ArrayBuffer)
      : runNow(fill);
  }
  const result = outputSize(algorithm);
  const values = parametersOf(algorithm);
  if (result !== hash.digestSize) values.push(['outputLength', result]);
  const all = keyEngines(extendedKey(kept.key!, hash, values), hash.name);
  return run(digestCost(Operation.Hash, hash, size), () => {
    fillHash(hash, source, result);
    setEngines(all);
  });
}

/** Returns true if a signature is right, in a time that depends on its size only. */
export function verify(
  algorithm: Algorithm,
  kept: Kept,
  signature: unknown,
  data: unknown,
): boolean | Promise<boolean> {
  const { served, problem } = algorithm;
  const given = bytesOf(signature)!;
  check(served, problem, given);
  // Copied, because the code may be ready only after the caller has changed it.
  const copy = secretCopy(given);
  const right = sign(algorithm, kept, data);
  return right instanceof Promise ? right.then((made) => isSame(made, copy)) : isSame(right, copy);
}

function isSame(right: ArrayBuffer, given: Uint8Array): boolean {
  const secret = secretOf(right);
  try {
    return native.equal(secret, given) === 1;
  } finally {
    wipe(secret);
  }
}
