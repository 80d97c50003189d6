/** The types of HKDF, a function with two parts. */
import type { Data } from '../base/arguments.js';
import type { HashAlgorithm } from '../catalog/catalog.js';
import type { EngineOptions } from '../engines/engines.js';
import type { SecretInput } from '../request/key-input.js';
import type { Callback } from '../scheduling/completions.js';
import type { Buffer } from '#platform/base/runtime.js';
import type { DerivationCallOptions } from './derivations.js';

type Both = [digest: HashAlgorithm, ikm: SecretInput, salt: Data, info: Data, keylen: number];

type Extract = [digest: HashAlgorithm, ikm: SecretInput, salt: Data];

type Expand = [digest: HashAlgorithm, prk: SecretInput, info: Data, keylen: number];

// The rest has a name, too: TypeScript before 5.2 refuses tuples with names for some members only.

/** A derivation as exported by `millrace`: returns the key, or passes it to a callback. */
interface Derives<Given extends unknown[]> {
  (...given: [...given: Given, options?: EngineOptions]): Buffer;
  (...given: [...given: Given, callback: Callback<Buffer>]): void;
  (...given: [...given: Given, options: EngineOptions]): Buffer;
  (
    ...given: [
      ...given: Given,
      options: DerivationCallOptions | undefined,
      callback: Callback<Buffer>,
    ]
  ): void;
}

type DerivesLater<Given extends unknown[]> = (
  ...given: [...given: Given, options?: DerivationCallOptions]
) => Promise<Buffer>;

/** The first part of HKDF (RFC 5869, section 2.2). */
export type HkdfExtract = Derives<Extract>;

/** The second part of HKDF (RFC 5869, section 2.3). */
export type HkdfExpand = Derives<Expand>;

/** HKDF as exported by `millrace`. */
export interface Hkdf extends Derives<Both> {
  /** Extracts a uniform key, of one digest, from a secret. */
  readonly extract: HkdfExtract;
  /** Expands a uniform key to keys of any size; each `info` gives an independent one. */
  readonly expand: HkdfExpand;
}

/** HKDF as exported by `millrace/promises`. */
export interface HkdfPromises extends DerivesLater<Both> {
  /** Extracts a uniform key, of one digest, from a secret. */
  readonly extract: DerivesLater<Extract>;
  /** Expands a uniform key to keys of any size; each `info` gives an independent one. */
  readonly expand: DerivesLater<Expand>;
}
