/** The hashes of millrace/portable: one function each, with a running form. */
import { makeError, wrongType } from '../../base/errors.js';
import { takesNo } from '../../catalog/parameters.js';
import { accepted, type Accepted } from '../../base/options.js';
import { Unclonable } from '../../base/unclonable.js';
import { PLAIN, type HashParams, type Recipe } from '../families/hash.js';
import { encoded, encodingOf, resultOf, type Digest, type Encoding } from './encodings.js';
import {
  data,
  memory,
  message,
  NO_BYTES,
  options as optionsOf,
  unsigned,
  type Bytes,
  type Data,
  type Result,
} from './inputs.js';

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
    throw wrongType(name, 'a hash of millrace/portable, such as its sha256,', value);
  if (found.hmac !== false) return found;
  throw makeError('ERR_ARGUMENT_VALUE', `${name}: there is no HMAC over ${found.name}`);
}

/** Makes a hash function. */
export function makeHash<Extra extends object = NoOptions, Source = Data>(
  recipe: Recipe,
  parametersOf = noParameters,
): HashFunction<Extra, Source> {
  const { name: algorithm, hash, digestSize, blockSize } = recipe;
  const own = {
    outputLength: true,
    key: true,
    seed: true,
    salt: true,
    personalization: true,
    context: true,
    customization: true,
    functionName: true,
    domain: true,
    blockSize: true,
  } as const;
  const takes: Accepted<keyof AllOptions> = accepted(`${algorithm}(data)`, {
    encoding: true,
    ...own,
  });
  const takesBeginning: Accepted<keyof BeginOptions> = accepted(`${algorithm}.create`, own);
  function call(given: unknown, second?: unknown): unknown {
    if (arguments.length === 0) throw makeError('ERR_MISSING_ARGUMENT', `${algorithm} needs data`);
    let digest: Result;
    let encoding: Encoding;
    let params = PLAIN;
    if (second === undefined || typeof second === 'string') {
      if (recipe.keyRequired) throw noKey(algorithm);
      encoding = encodingOf(second);
      digest = memory(digestSize);
    } else {
      const request = optionsOf<AllOptions>(second, 'options', takes);
      encoding = encodingOf(request.encoding);
      const given = read(request, recipe, parametersOf);
      params = given.params;
      digest = resultOf(given.size, encoding);
    }
    hash.digest(params, hash.encodeItems?.(given, data) ?? message(given, 'data'), digest);
    return encoded(digest, encoding);
  }
  const create = (given?: unknown): RunningHash => {
    const request = optionsOf<BeginOptions>(given, 'options', takesBeginning);
    const { params, size } = read(request, recipe, parametersOf);
    return new RunningHash(recipe, params, size);
  };
  recipes.set(call, recipe);
  return Object.assign(call, {
    create,
    algorithm,
    outputLength: digestSize,
    blockSize,
  }) as unknown as HashFunction<Extra, Source>;
}

/** Returns the error for a MAC without a key. */
export function noKey(algorithm: string): Error {
  return makeError('ERR_MISSING_ARGUMENT', `options.key must be given: ${algorithm} is a MAC`);
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

function read(
  given: BeginOptions,
  recipe: Recipe,
  parametersOf: ReadParameters,
): { size: number; params: HashParams } {
  const { outputLength, seed } = given;
  const size = sizeOf(outputLength, recipe);
  const params = parametersOf(given, recipe, size);
  if (seed === undefined && params.key === undefined && params.parameters === undefined)
    return { size, params: PLAIN };
  return { size, params: { seed: seedOf(seed, recipe), ...params } };
}

const OUTPUT_MAX = 2 ** 30;

function sizeOf(outputLength: unknown, { name, digestSize, xof, parameters }: Recipe): number {
  if (outputLength === undefined) return digestSize;
  const size = unsigned(outputLength, 'options.outputLength');
  if (xof ? size >= 1 && size <= OUTPUT_MAX : size === digestSize) return size;
  const most = parameters?.outputLength?.[1];
  if (most !== undefined && size >= 1 && size <= most) return size;
  const allowed = xof || most !== undefined ? `between 1 and ${most ?? OUTPUT_MAX}` : digestSize;
  throw makeError(
    'ERR_OUTPUT_SIZE',
    `options.outputLength must be ${allowed} bytes for ${name}, not ${size}`,
  );
}

function seedOf(seed: unknown, { name, seedBits = 0 }: Recipe): bigint {
  if (seed === undefined) return 0n;
  if (typeof seed !== 'number' && typeof seed !== 'bigint')
    throw wrongType('options.seed', 'an unsigned integer or BigInt', seed);
  if (seedBits === 0) throw makeError('ERR_ARGUMENT_VALUE', `options.seed: ${name} takes no seed`);
  const wide = BigInt(typeof seed === 'number' ? unsigned(seed, 'options.seed') : seed);
  if (wide >= 0n && wide >> BigInt(seedBits) === 0n) return wide;
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `options.seed must be an unsigned integer of ${seedBits} bits for ${name}`,
  );
}

/** Reads the parameters of a hash that takes some; {@link noParameters} refuses them. */
export type ReadParameters = (
  given: ParameterOptions,
  recipe: Recipe,
  size: number,
) => Pick<HashParams, 'key' | 'parameters'>;

const NO_PARAMETERS = { key: undefined };

const noParameters: ReadParameters = (given, recipe) => {
  for (const name of parameterNames)
    if (given[name] !== undefined) throw takesNoParameter(name, recipe);
  return NO_PARAMETERS;
};

/** Returns the error for a parameter that a hash does not take. */
export function takesNoParameter(
  name: (typeof parameterNames)[number],
  { name: algorithm, hmac }: Recipe,
): Error {
  if (name !== 'key') return takesNo(name, algorithm);
  const hint = hmac === false ? '' : '; hmac does';
  return makeError('ERR_ARGUMENT_VALUE', `options.key: ${algorithm} takes no key${hint}`);
}

/** The parameters, in the order of their numbers. */
export const parameterNames = [
  'key',
  'salt',
  'personalization',
  'context',
  'customization',
  'functionName',
  'domain',
  'blockSize',
] as const;

/** The update and output functions of a hash or an HMAC. */
export interface RunningSteps {
  update(state: Uint8Array, source: Uint8Array, next: Uint8Array): void;
  finish(state: Uint8Array, rest: Uint8Array, target: Uint8Array): void;
  squeeze?(state: Uint8Array, rest: Uint8Array, target: Uint8Array, next: Uint8Array): void;
}

/** A message that arrives in parts, of a {@link HashFunction} or an HMAC. */
export abstract class Running extends Unclonable {
  /** The standard name of the hash. */
  readonly algorithm: string;
  /** The digest's size in bytes. */
  readonly outputLength: number;
  readonly #steps: RunningSteps;
  readonly #stateSize: number;
  #state: Uint8Array = NO_BYTES;
  #phase: 'open' | 'squeezing' | 'finalized' = 'open';

  /** Made by `create`. */
  constructor(algorithm: string, steps: RunningSteps, size: number, stateSize: number) {
    super();
    this.algorithm = algorithm;
    this.outputLength = size;
    this.#steps = steps;
    this.#stateSize = stateSize;
  }

  /**
   * Adds bytes, or a string's UTF-8 encoding, to the message.
   *
   * @throws MillraceError ERR_ARGUMENT_TYPE, ERR_HASHER_SPENT after the digest
   */
  update(part: Data): this {
    this.#expect('open');
    const source = data(part, 'data');
    const next = this.#state.length > 0 ? this.#state : new Uint8Array(this.#stateSize);
    this.#steps.update(this.#state, source, next);
    this.#state = next;
    return this;
  }

  /**
   * Ends the message and returns its digest. No operation may follow.
   *
   * @throws MillraceError ERR_HASHER_SPENT, ERR_ARGUMENT_VALUE, ERR_ARGUMENT_TYPE
   */
  digest(): Result;
  digest<E extends Encoding>(encoding: E): Digest<E>;
  digest(encoding?: unknown): unknown {
    this.#expect('open');
    const wanted = encodingOf(encoding);
    const digest = resultOf(this.outputLength, wanted);
    this.#steps.finish(this.#state, NO_BYTES, digest);
    this.#state.fill(0);
    this.#phase = 'finalized';
    return encoded(digest, wanted);
  }

  /**
   * Returns the next `size` bytes of an extendable output, 1 to 2^30 at a time. The first
   * call ends the message.
   *
   * @throws MillraceError ERR_HASHER_SPENT after the digest, ERR_ARGUMENT_VALUE, ERR_ARGUMENT_TYPE
   */
  squeeze(size: number): Result;
  squeeze<E extends Encoding>(size: number, encoding: E): Digest<E>;
  squeeze(size: unknown, encoding?: unknown): unknown {
    const { squeeze } = this.#steps;
    if (squeeze === undefined)
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        `squeeze: the output of ${this.algorithm} has a fixed size`,
      );
    if (this.#phase === 'open') this.#phase = 'squeezing';
    this.#expect('squeezing');
    const wanted = encodingOf(encoding);
    const count = unsigned(size, 'size');
    if (count < 1 || count > OUTPUT_MAX)
      throw makeError(
        'ERR_ARGUMENT_VALUE',
        `size must be between 1 and ${OUTPUT_MAX}, not ${count}`,
      );
    const output = resultOf(count, wanted);
    const next = this.#state.length > 0 ? this.#state : new Uint8Array(this.#stateSize);
    squeeze(this.#state, NO_BYTES, output, next);
    this.#state = next;
    return encoded(output, wanted);
  }

  /** Returns an independent copy. */
  copy(): this {
    const copy = this.another() as this;
    copy.#state = this.#state.slice();
    copy.#phase = this.#phase;
    return copy;
  }

  /** Returns an empty message of the same kind. */
  protected abstract another(): Running;

  #expect(phase: 'open' | 'squeezing'): void {
    if (this.#phase === phase) return;
    const reason =
      this.#phase === 'squeezing' ? 'has started its output' : 'has returned its digest';
    throw makeError('ERR_HASHER_SPENT', `this hasher ${reason}: create another`);
  }
}

/** A message that is hashed in parts. */
export class RunningHash extends Running {
  readonly #again: () => RunningHash;

  /** Made by {@link HashFunction.create}. */
  constructor(recipe: Recipe, params: HashParams, size: number) {
    const { name, hash, stateSize } = recipe;
    const steps: RunningSteps = {
      update: (state, source, next) =>
        hash.update(params, state, hash.encodeItems?.([source], data) ?? source, next),
      finish: (state, rest, target) => hash.finish(params, state, rest, target),
    };
    if (hash.squeeze !== undefined)
      steps.squeeze = (state, rest, target, next) =>
        hash.squeeze!(params, state, rest, target, next);
    super(name, steps, size, stateSize);
    this.#again = () => new RunningHash(recipe, params, size);
  }

  protected override another(): RunningHash {
    return this.#again();
  }
}
