/** The options of hashers. */
import {
  copyOptionNames,
  plainCreateHashOptionNames,
  createHmacOptionNames,
  hashParameterOptionNames,
} from '../base/option-names.js';
import type { Bytes } from '../base/arguments.js';
import type { EngineOptions } from '../engines/engines.js';
import { refuseParameter } from '../operations/hash-parameters.js';
import type { HashFacts } from '../catalog/facts.js';
import { accepted, type Accepted, type Words } from '../base/options.js';
import type { TransformOptions } from '#platform/hashers/hasher-stream.js';
import { streamNames } from '#platform/base/stream-types.js';
import type { BufferEncoding } from '#platform/base/runtime.js';
import type { Encoding, HashOptions, HashParameterOptions } from '../calls/digests.js';

/** The result of a digest: as {@link Encoding} says, or text in any other encoding of Buffer. */
export type DigestEncoding = Encoding | BufferEncoding;

/** Options of {@link createHash}, in addition to those of stream.Transform. */
export interface CreateHashOptions
  extends
    TransformOptions,
    Pick<HashOptions, 'outputLength' | 'seed' | 'key'>,
    HashParameterOptions,
    EngineOptions {
  /**
   * A state from {@link Hasher.exportState} to resume from, of the same algorithm, key, seed and
   * parameters.
   */
  readonly state?: Bytes | undefined;
}

/** The options that every hash takes. */
type PlainCreateHashOptions = Omit<CreateHashOptions, keyof HashParameterOptions>;

/** The option tables of a function, for hashes without and with parameters. */
export interface HashTables<Name extends PropertyKey> {
  (facts: HashFacts): Accepted<any>;
  /** Makes tables with different names incompatible types. It does not exist at run time. */
  readonly exactly?: (name: Name) => Name;
}

/** Makes the option tables of a function. */
export function hashTables<Text extends string>(
  signature: string,
  ...own: Text[]
): HashTables<Words<Text> | keyof HashParameterOptions> {
  const plain = { ...accepted(signature, ...own), refuse: refuseParameter };
  const all = accepted<any>(signature, ...own, hashParameterOptionNames);
  return ({ parameters }) => (parameters === null ? plain : all);
}

export const hashTakes: HashTables<keyof (PlainCreateHashOptions & HashParameterOptions)> =
  hashTables('createHash(algorithm)', ...streamNames, plainCreateHashOptionNames);

/** Options of {@link createHmac}, in addition to those of stream.Transform. */
export interface CreateHmacOptions extends TransformOptions, EngineOptions {
  /** A state from {@link Hasher.exportState} to resume from, of the same algorithm and key. */
  readonly state?: Bytes | undefined;
}

export const hmacTakes: Accepted<keyof CreateHmacOptions> = accepted(
  'createHmac(algorithm, key)',
  ...streamNames,
  createHmacOptionNames,
);

/** Options of {@link Hasher.copy}, in addition to those of stream.Transform. */
export interface CopyOptions extends TransformOptions {
  /**
   * The size in bytes of the copy's digest, for an extendable output; by default that of the
   * original.
   */
  readonly outputLength?: number | undefined;
}

export const copyTakes: Accepted<keyof CopyOptions> = accepted(
  'copy',
  ...streamNames,
  copyOptionNames,
);
