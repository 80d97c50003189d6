/** A range of what functions of the caller read: its options and its limits. */
import { bytes, sizeOf, unsigned } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import { abortSignal } from '../scheduling/run.js';
import type { ReadRange } from '../calls/outboards.js';

/** The most bytes of one result. */
const RANGE_MAX = 2 ** 30;

/** The options of a range. */
interface RangeOptions {
  readonly start?: number | undefined;
  readonly end: number;
  readonly signal?: AbortSignal | undefined;
}

/** A range of a message, and a function that reads bytes of the file that has it. */
export interface RangeReader {
  readonly start: number;
  readonly end: number;
  readonly take: (from: number, to: number) => Promise<Uint8Array>;
}

/** Checks a range of a message of at most `sizeMax` bytes. */
export function rangeReader(read: ReadRange, options: RangeOptions, sizeMax: number): RangeReader {
  const start = options.start === undefined ? 0 : unsigned(options.start, 'options.start');
  const end = unsigned(options.end, 'options.end');
  if (end < start || end - start > RANGE_MAX || end > sizeMax)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.end must be from options.start (${start}) to ${RANGE_MAX} more, not ${end}`,
    );
  const signal = abortSignal(options.signal);
  signal?.throwIfAborted();
  const take = async (from: number, to: number): Promise<Uint8Array> => {
    const taken = bytes(await read(from, to), 'the result of read');
    signal?.throwIfAborted();
    if (sizeOf(taken) <= to - from) return taken;
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `read(${from}, ${to}) must return at most ${to - from} bytes, not ${sizeOf(taken)}`,
    );
  };
  return { start, end, take };
}
