/** Key derivation and key wrapping of families' modules. */
import { outOfMemory } from '../../base/errors.js';
import { secretCopy } from '../../base/secret-memory.js';
import { Status } from '../../base/protocol.js';
import { refuse } from '../windows.js';
import { layOut, within, type Family } from './family.js';

/** The function of a module with a derivation: numbers, then addresses and sizes. */
export interface DeriveCalls {
  derive(...given: number[]): number;
}

/** Takes the completed fraction of the work. Returns true if it shall end. */
export type Report = (fraction: number) => unknown;

let report: Report | undefined;

const tell = (fraction: number): unknown => (fraction < 1 ? report?.(fraction) : undefined);

/** The import of the modules: functions that take the completed fraction of the work. */
export const progressOf: object = {
  javascript: { progress: tell, pause: (fraction: number) => Number(tell(fraction) === true) },
};

/** More memory is given back after a derivation: the end of an instance does that, in time. */
let keptBytes = 8 * 2 ** 20;

/** Keeps the memory of a derivation for the next one, in a worker, which ends when it idles. */
export function keepMemory(): void {
  keptBytes = Infinity;
}

/** The most bytes that a module's memory can have. */
const MEMORY_MAX = 0x1_0000_0000;

/**
 * Derives a key of `size` bytes with a function that takes `before`, the address and the size of
 * each input, `after`, and the target's. `memory` is what it needs, in bytes. `progress` is called
 * about once per millisecond.
 *
 * @throws MillraceError ERR_OUT_OF_MEMORY
 */
export function derive(
  family: Family<DeriveCalls>,
  memory: number,
  before: readonly number[],
  inputs: readonly Uint8Array[],
  after: readonly number[],
  target: Uint8Array,
  progress?: Report,
): void {
  if (memory > MEMORY_MAX) throw outOfMemory(memory);
  const places = layOut(family, [...inputs, target]);
  const calls = family.open();
  const [result = 0, end = 0] = places.slice(-2);
  const given = inputs.flatMap(({ length }, index) => [places[index]!, length]);
  report = progress;
  let done = false;
  try {
    const status = calls.derive(...before, ...given, ...after, result, target.length);
    if (status === Status.Memory) throw outOfMemory(memory);
    if (status !== 0) refuse(status);
    target.set(family.bytes().subarray(result, result + target.length));
    done = true;
  } finally {
    report = undefined;
    // The working memory is overwritten already.
    const large = family.bytes().length > keptBytes;
    family.wipe(end);
    if (large || !done) family.drop();
  }
}

/** The functions of the module with key wrapping. */
export interface WrapCalls {
  wrap(
    padded: number,
    key: number,
    keySize: number,
    source: number,
    size: number,
    target: number,
  ): number;
  /** Returns the size of the key; 0 if it is not authentic. */
  unwrap(
    padded: number,
    key: number,
    keySize: number,
    source: number,
    size: number,
    target: number,
  ): number;
}

/** Wraps or unwraps a key; returns an empty one if it is not authentic. */
export function wrapWith(
  family: Family<WrapCalls>,
  call: 'wrap' | 'unwrap',
  padded: boolean,
  key: Uint8Array,
  source: Uint8Array,
  targetSize: number,
): ReturnType<Uint8Array['slice']> {
  const inputs = [key, source, new Uint8Array(targetSize)];
  return within(family, inputs, (calls, [first = 0, second = 0, third = 0]) => {
    const found = calls[call](Number(padded), first, key.length, second, source.length, third);
    const size = call === 'wrap' ? targetSize : found;
    const result = family.bytes().subarray(third, third + size);
    return secretCopy(result) as ReturnType<Uint8Array['slice']>;
  });
}
