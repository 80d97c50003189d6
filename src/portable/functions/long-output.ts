/** Outputs that can be longer than a string. Only bundles with such a hash have it. */
import { makeError } from '../../base/errors.js';
import { encoded, encodingOf, type Digest, type Encoding } from './encodings.js';
import { memory, unsigned, type Result } from './inputs.js';

/** The most bytes of an output that has any length. */
export const OUTPUT_MAX = 0x4000_0000;

/** V8's limits, the lowest of all engines: UTF-16 units of a string, and bytes of a BigInt. */
const STRING_MAX = 0x1fff_ffe8;
const BIGINT_BYTES_MAX = 0x800_0000;

/** The parameters of a hash with a long output. */
export interface LongOutput {
  /** Refuses a size that an encoding cannot hold, before anything is computed. */
  check(size: number, encoding: Encoding): void;
  /** Returns the next part of an output, which `fill` writes. */
  part(size: unknown, encoding: unknown, fill: (target: Result) => void): Digest<Encoding>;
}

export const longOutput: LongOutput = { check, part };

function check(size: number, encoding: Encoding): void {
  const most =
    encoding === 'buffer'
      ? size
      : encoding === 'bigint'
        ? BIGINT_BYTES_MAX
        : encoding === 'hex'
          ? STRING_MAX / 2
          : encoding === '0xhex'
            ? STRING_MAX / 2 - 1
            : (STRING_MAX / 4) * 3;
  if (size > most)
    throw makeError(
      'ERR_OUTPUT_SIZE',
      `${size} bytes are too many for '${encoding}', which takes ${most}; ask for 'buffer'`,
    );
}

function part(size: unknown, encoding: unknown, fill: (target: Result) => void): Digest<Encoding> {
  const wanted = encodingOf(encoding);
  const count = unsigned(size, 'size');
  if (count < 1 || count > OUTPUT_MAX)
    throw makeError('ERR_ARGUMENT_VALUE', `size must be between 1 and ${OUTPUT_MAX}, not ${count}`);
  check(count, wanted);
  const output = memory(count);
  fill(output);
  return encoded(output, wanted) as Digest<Encoding>;
}
