/** The hashes of millrace/portable: one function each, with a running form. */
import { makeError, wrongType } from '../../base/errors.js';
import { isUint8Array } from '../../base/intrinsics.js';
import { none, ownOptions, type Accepted, type Words } from '../../base/options.js';
import { takesNo } from '../../catalog/parameters.js';
import { PLAIN, type HashParams, type Recipe } from '../families/hash.js';
import { encoded, encodingOf, type Digest, type Encoding } from './encodings.js';
import { accepted, data, memory, message, unsigned } from './inputs.js';
import type { Bytes, Data, Result } from './inputs.js';
import { OUTPUT_MAX, type LongOutput } from './long-output.js';
import { Running, type RunningSteps } from './running.js';

/** A message that is hashed in parts. */
export type RunningHash = Running;

/** Options of hashes without seed, key or output size. */
export interface DigestOptions<E extends Encoding = Encoding> {
  /** The digest's encoding; `'buffer'`, a Uint8Array, by default. */
  readonly encoding?: E | undefined;
}

/** Options of an extendable output. */
export interface OutputOptions {
  /**
   * The digest's size in bytes, 1 to 2^30; for blake2b512 1 to 64, for blake2s256 1 to 32. By
   * default `outputLength` of the function.
   */
  readonly outputLength?: number | undefined;
}

/** Options of a keyed hash. */
export interface KeyOptions {
  /**
   * 32 bytes for blake3, 1 to 64 for blake2b512, 1 to 32 for blake2s256; any for KMAC, which needs
   * one.
   */
  readonly key?: Bytes;
}

/** Options of BLAKE2's salt. */
export interface SaltOptions {
  /** 16 bytes for blake2b512, 8 for blake2s256; a string means its UTF-8 encoding. */
  readonly salt?: Data;
}

/** Options of BLAKE2's personalization. */
export interface PersonalizationOptions {
  /** 16 bytes for blake2b512, 8 for blake2s256; a string means its UTF-8 encoding. */
  readonly personalization?: Data;
}

/** Options of BLAKE3's key derivation. */
export interface ContextOptions {
  /** The context, which no other use shares; the message is the key material. Excludes `key`. */
  readonly context?: string;
}

/** Options of the hashes of SP 800-185 and of KangarooTwelve. */
export interface CustomizationOptions {
  /** The customization string; a string means its UTF-8 encoding. */
  readonly customization?: Data;
}

/** Options of cSHAKE. */
export interface FunctionNameOptions {
  /** The function name, which NIST assigns; use `customization` for your own. */
  readonly functionName?: Data;
}

/** Options of TurboSHAKE. */
export interface DomainOptions {
  /** The domain separation byte, 1 to 127; 31 by default. */
  readonly domain?: number | undefined;
}

/** Options of ParallelHash. */
export interface BlockSizeOptions {
  /** The size of a block in bytes; 8192 by default. */
  readonly blockSize?: number | undefined;
}

/** Options of a seeded hash. */
export interface SeedOptions {
  /** 32 bits for xxh32, 64 for the others; 0 by default. */
  readonly seed?: number | bigint | undefined;
}

/** Options of a hash that has no others. */
export interface NoOptions {
  /** Not accepted. */
  readonly seed?: undefined;
  /** Not accepted. */
  readonly key?: undefined;
  /** Not accepted. */
  readonly salt?: undefined;
}

/**
 * A hash, with `Extra` among its options. Call it with a whole message, or start one with `create`.
 */
export interface HashFunction<Extra extends object = NoOptions, Source = Data> {
  /**
   * Returns the digest of `data`.
   *
   * @param data bytes, or a string for its UTF-8 encoding; of a TupleHash an array of them
   * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
   *   ERR_OUTPUT_SIZE, ERR_KEY_SIZE
   */
  (data: Source): Result;
  <E extends Encoding>(data: Source, encoding: E): Digest<E>;
  <E extends Encoding = 'buffer'>(data: Source, options: DigestOptions<E> & Extra): Digest<E>;
  /** Starts a message that arrives in parts; of a TupleHash each part is an item. */
  create(options?: Extra): RunningHash;
  /** The standard name, for example `sha256`. */
  readonly algorithm: string;
  /** The digest's size in bytes; the default size of an output of any length. */
  readonly outputLength: number;
  /** The block size of the hash in bytes. */
  readonly blockSize: number;
}

const recipes = /* @__PURE__ */ new WeakMap<object, Recipe>();

/**
 * Returns the implementation of a hash function that is an argument; `name` is the argument's name.
 */
export function recipeOf(value: unknown, name: string): Recipe {
  const found = typeof value === 'function' ? recipes.get(value) : undefined;
  if (found === undefined)
    throw wrongType(name, 'a hash of millrace/portable, such as its sha256', value);
  if (found.hmac !== false) return found;
  throw makeError('ERR_ARGUMENT_VALUE', `${name}: there is no HMAC over ${found.name}`);
}

/**
 * Makes a hash function. `paramsOf` reads the parameters that it takes; `long` is for hashes that
 * can have long output.
 */
export function makeHash<Extra extends object = NoOptions, Source = Data>(
  recipe: Recipe,
  paramsOf: ReadParameters = noParameters,
  long?: LongOutput,
): HashFunction<Extra, Source> {
  const { name: algorithm, hash, encodeItems, digestSize, blockSize, stateSize } = recipe;
  const takesBeginning: Accepted<keyof BeginOptions> = accepted(`${algorithm}.create`, BEGINNING);
  const takes: Accepted<keyof AllOptions> = accepted(
    `${algorithm}(data)`,
    `encoding ${BEGINNING}` as const,
  );
  const read = (given: BeginOptions): [number, HashParams] => {
    const size = sizeOf(given.outputLength, recipe);
    return [size, paramsOf(given, recipe, size)];
  };
  function call(given: unknown, second?: unknown): unknown {
    if (arguments.length === 0) throw makeError('ERR_MISSING_ARGUMENT', `${algorithm} needs data`);
    if (second === 'bigint' && isUint8Array(given)) {
      const number = hash.number(given, digestSize);
      if (number !== undefined) return number;
    }
    let encoding: Encoding;
    let size = digestSize;
    let params = PLAIN;
    if (second === undefined || typeof second === 'string') {
      encoding = encodingOf(second);
      // Throws.
      if (recipe.keyRequired) read(none);
    } else {
      const request = ownOptions<AllOptions>(second, 'options', takes);
      encoding = encodingOf(request.encoding);
      [size, params] = read(request);
    }
    try {
      long?.check(size, encoding);
      const source = encodeItems?.(given, data) ?? message(given, 'data');
      if (encoding === 'hex') return hash.hex(params, source, size);
      const digest = memory(size);
      hash.digest(params, source, digest);
      return encoded(digest, encoding);
    } finally {
      params.secret.fill(0);
    }
  }
  const create = (given?: unknown): RunningHash => {
    const [size, params] = read(ownOptions<BeginOptions>(given, 'options', takesBeginning));
    const steps: RunningSteps = {
      guard: params.guard,
      update: (state, source, next) =>
        hash.update(params, state, encodeItems?.([source], data) ?? source, next),
      finish: (state, rest, target) => hash.finish(params, state, rest, target),
      squeeze: recipe.xof
        ? (state, target, next) => hash.squeeze!(params, state, target, next)
        : undefined,
    };
    // All copies of the hasher share the steps.
    params.guard?.(steps, params.secret);
    return new Running(algorithm, steps, size, stateSize, long);
  };
  recipes.set(call, recipe);
  return Object.assign(call, {
    create,
    algorithm,
    outputLength: digestSize,
    blockSize,
  }) as unknown as HashFunction<Extra, Source>;
}

/** The options that are parameters. */
export type ParameterOptions = KeyOptions &
  SaltOptions &
  PersonalizationOptions &
  ContextOptions &
  CustomizationOptions &
  FunctionNameOptions &
  DomainOptions &
  BlockSizeOptions;
type BeginOptions = OutputOptions & SeedOptions & ParameterOptions;
type AllOptions = DigestOptions & BeginOptions;

function sizeOf(outputLength: unknown, { name, digestSize, xof, parameters }: Recipe): number {
  if (outputLength === undefined) return digestSize;
  const size = unsigned(outputLength, 'options.outputLength');
  const [least, most] = xof
    ? [1, OUTPUT_MAX]
    : (parameters?.outputLength ?? [digestSize, digestSize]);
  if (size >= least && size <= most) return size;
  const allowed = least === most ? least : `between ${least} and ${most}`;
  throw makeError(
    'ERR_OUTPUT_SIZE',
    `options.outputLength must be ${allowed} bytes for ${name}, not ${size}`,
  );
}

/** Reads the parameters of a hash that takes some; {@link noParameters} refuses them. */
export type ReadParameters = (
  given: ParameterOptions & SeedOptions,
  recipe: Recipe,
  size: number,
) => HashParams;

const noParameters: ReadParameters = (given, recipe) => {
  refuseParameters(given, recipe);
  refuseSeed(given.seed, recipe);
  return PLAIN;
};

/** Refuses all parameters but a seed. */
export function refuseParameters(given: ParameterOptions, recipe: Recipe): void {
  for (const name of parameterNames)
    if (given[name] !== undefined) throw takesNoParameter(name, recipe);
}

/** Refuses a seed. */
export function refuseSeed(seed: unknown, { name }: Recipe): void {
  if (seed === undefined) return;
  checkSeedType(seed);
  throw makeError('ERR_ARGUMENT_VALUE', `options.seed: ${name} takes no seed`);
}

/** Checks that a seed is a number or a BigInt. */
export function checkSeedType(seed: unknown): asserts seed is number | bigint {
  if (typeof seed !== 'number' && typeof seed !== 'bigint')
    throw wrongType('options.seed', 'an unsigned integer or BigInt', seed);
}

/** Returns the error for a parameter that a hash does not take. */
export function takesNoParameter(name: ParameterName, { name: algorithm, hmac }: Recipe): Error {
  if (name !== 'key') return takesNo(name, algorithm);
  const hint = hmac === false ? '' : '; hmac does';
  return makeError('ERR_ARGUMENT_VALUE', `options.key: ${algorithm} takes no key${hint}`);
}

const PARAMETERS = 'key salt personalization context customization functionName domain blockSize';
const BEGINNING = `outputLength seed ${PARAMETERS}` as const;

type ParameterName = Words<typeof PARAMETERS>;

/** The parameters, in the order of their numbers. */
export const parameterNames = /* @__PURE__ */ PARAMETERS.split(' ') as readonly ParameterName[];
