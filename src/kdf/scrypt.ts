/**
 * scrypt (RFC 7914), with the arguments of node:crypto.
 */
import { data, NO_BYTES, options as optionsOf, sizeOf, unsigned } from '../request/arguments.js';
import { At, frame, Operation } from '../request/frame.js';
import { beginRequest, setIv, setResult, Form } from '../request/request.js';
import { engineNames, type EngineOptions } from '../engines/engines.js';
import { makeError } from '../request/errors.js';
import { setKeyInput } from '../request/key-input.js';
import {
  keySize,
  readPassword,
  type DerivationParser,
  derivationNames,
  type DerivationCallOptions,
} from './derive.js';
import { accepted, type Accepted, type Names } from '../request/options.js';

/** The cost of an scrypt. Each number has two names, as in node:crypto; give one of them. */
export interface ScryptOptions extends EngineOptions {
  /** Cost: a power of two above 1; 16384 by default. Time and memory are proportional to it. */
  readonly N?: number | undefined;
  /** An alias of `N`. */
  readonly cost?: number | undefined;
  /** Block size; 8 by default. Time and memory are proportional to it. */
  readonly r?: number | undefined;
  /** An alias of `r`. */
  readonly blockSize?: number | undefined;
  /** Parallelization; 1 by default. Time is proportional to it; memory is not. */
  readonly p?: number | undefined;
  /** An alias of `p`. */
  readonly parallelization?: number | undefined;
  /**
   * The most bytes of memory, counted as in node:crypto: `128 * r * (N + p + 2)` must not exceed
   * it. 32 MiB by default. If it suffices for several lanes, they run together.
   */
  readonly maxmem?: number | undefined;
}

/** The names of the three numbers. */
export const scryptCostNames: Names<Omit<ScryptOptions, 'maxmem' | keyof EngineOptions>> = {
  N: true,
  cost: true,
  r: true,
  blockSize: true,
  p: true,
  parallelization: true,
};

type Fields = ScryptOptions & DerivationCallOptions;
const takes: Accepted<keyof Fields> = accepted('scrypt(password, salt, keylen)', {
  ...scryptCostNames,
  ...engineNames,
  ...derivationNames,
  maxmem: true,
});

/** A checked cost. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** The default of node:crypto, in bytes. */
const MAXMEM = 32 * 1024 * 1024;

/** `(password, salt, keylen[, options])`. */
export const scryptParser: DerivationParser = {
  fill: fillScrypt,
  options: 3,
  name: 'options',
  takes,
};

function fillScrypt(given: ArrayLike<unknown>, count: number): void {
  if (count < 3)
    throw makeError('ERR_MISSING_ARGUMENT', 'scrypt needs a password, a salt and keylen');
  const options = optionsOf<Fields>(count > 3 ? given[3] : undefined, 'options', takes);
  const cost = scryptCost(options, { N: 16384, r: 8, p: 1 });
  const asked: unknown = options.maxmem;
  const maxmem = asked === undefined ? MAXMEM : unsigned(asked, 'options.maxmem');
  const needed = memoryOf(cost);
  if (needed > maxmem) {
    const { N, r, p } = cost;
    throw makeError(
      'ERR_MEMORY_LIMIT',
      `options.maxmem must be at least ${needed} bytes for scrypt with N=${N}, r=${r}, p=${p}, ` +
        `not ${maxmem}`,
    );
  }
  const size = keySize(given[2], 'keylen');
  setScryptOf(cost, maxmem, given[0], given[1], size);
}

/** Fills the request of an scrypt with a checked cost. */
export function setScryptOf(
  { N, r, p }: ScryptCost,
  maxmem: number,
  passwordGiven: unknown,
  saltGiven: unknown,
  size: number,
): void {
  const salt = data(saltGiven, 'salt');
  const password = readPassword(passwordGiven, 'password');
  beginRequest(Operation.Scrypt, 0, NO_BYTES, 0, 0);
  setKeyInput(password);
  setIv(salt, 0, sizeOf(salt));
  frame[At.Count] = N;
  frame[At.MessageSize] = r;
  frame[At.SeedLow] = p;
  frame[At.MaxMemory] = maxmem;
  setResult(size, Form.Secret);
}

/** Returns the bytes of memory, counted as in node:crypto. */
export function memoryOf({ N, r, p }: ScryptCost): number {
  return 128 * r * (N + p + 2);
}

/** Reads and checks a cost. All getters of the options run here. */
export function scryptCost(options: ScryptOptions, fallback: ScryptCost): ScryptCost {
  const N = one(options, 'N', 'cost', fallback.N);
  const r = one(options, 'r', 'blockSize', fallback.r);
  const p = one(options, 'p', 'parallelization', fallback.p);
  if (N < 2 || N > 2 ** 52 || 2 ** Math.round(Math.log2(N)) !== N) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.N (cost) must be a power of two above 1, not ${N}`,
    );
  }
  if (r < 1)
    throw makeError('ERR_ARGUMENT_VALUE', `options.r (blockSize) must be at least 1, not ${r}`);
  if (N >= 2 ** (16 * r))
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.N (cost) must be less than 2^(16r), which is ${2 ** (16 * r)}, not ${N}`,
    );
  if (p < 1 || p * r >= 2 ** 30) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.p (parallelization) must be at least 1, and p * r less than 2^30; not p=${p} ` +
        `with r=${r}`,
    );
  }
  return { N, r, p };
}

function one(
  options: ScryptOptions,
  short: 'N' | 'r' | 'p',
  long: 'cost' | 'blockSize' | 'parallelization',
  fallback: number,
): number {
  const [first, second]: unknown[] = [options[short], options[long]];
  if (first !== undefined && second !== undefined) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.${short} and options.${long} are the same: give one of them`,
    );
  }
  if (first !== undefined) return unsigned(first, `options.${short}`);
  return second === undefined ? fallback : unsigned(second, `options.${long}`);
}
