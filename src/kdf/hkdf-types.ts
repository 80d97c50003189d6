/** The types of `hkdf` with its two parts, `hkdf.extract` and `hkdf.expand`. */
import type { HashAlgorithm } from '../catalog/catalog.js';
import type { EngineOptions } from '../engines/engines.js';
import type { Data } from '../base/arguments.js';
import type { SecretInput } from '../request/key-input.js';
import type { Callback } from '../scheduling/completions.js';
import type { Buffer } from '#platform/base/runtime.js';
import type { DerivationCallOptions } from './derive.js';

/** HKDF as exported by `millrace`. */
export interface Hkdf {
  (
    digest: HashAlgorithm,
    ikm: SecretInput,
    salt: Data,
    info: Data,
    keylen: number,
    options?: EngineOptions,
  ): Buffer;
  (
    digest: HashAlgorithm,
    ikm: SecretInput,
    salt: Data,
    info: Data,
    keylen: number,
    callback: Callback<Buffer>,
  ): void;
  (
    digest: HashAlgorithm,
    ikm: SecretInput,
    salt: Data,
    info: Data,
    keylen: number,
    options: DerivationCallOptions | undefined,
    callback: Callback<Buffer>,
  ): void;
  /** Extracts a uniform key, of one digest, from a secret. */
  readonly extract: HkdfExtract;
  /** Expands a uniform key to keys of any size; each `info` gives an independent one. */
  readonly expand: HkdfExpand;
}

/** The first part of HKDF (RFC 5869, section 2.2). */
export interface HkdfExtract {
  (digest: HashAlgorithm, ikm: SecretInput, salt: Data, options?: EngineOptions): Buffer;
  (digest: HashAlgorithm, ikm: SecretInput, salt: Data, callback: Callback<Buffer>): void;
  (
    digest: HashAlgorithm,
    ikm: SecretInput,
    salt: Data,
    options: DerivationCallOptions | undefined,
    callback: Callback<Buffer>,
  ): void;
}

/** The second part of HKDF (RFC 5869, section 2.3). */
export interface HkdfExpand {
  (
    digest: HashAlgorithm,
    prk: SecretInput,
    info: Data,
    keylen: number,
    options?: EngineOptions,
  ): Buffer;
  (
    digest: HashAlgorithm,
    prk: SecretInput,
    info: Data,
    keylen: number,
    callback: Callback<Buffer>,
  ): void;
  (
    digest: HashAlgorithm,
    prk: SecretInput,
    info: Data,
    keylen: number,
    options: DerivationCallOptions | undefined,
    callback: Callback<Buffer>,
  ): void;
}

/** HKDF as exported by `millrace/promises`. */
export interface HkdfPromises {
  (
    digest: HashAlgorithm,
    ikm: SecretInput,
    salt: Data,
    info: Data,
    keylen: number,
    options?: DerivationCallOptions,
  ): Promise<Buffer>;
  /** Extracts a uniform key, of one digest, from a secret. */
  readonly extract: (
    digest: HashAlgorithm,
    ikm: SecretInput,
    salt: Data,
    options?: DerivationCallOptions,
  ) => Promise<Buffer>;
  /** Expands a uniform key to keys of any size; each `info` gives an independent one. */
  readonly expand: (
    digest: HashAlgorithm,
    prk: SecretInput,
    info: Data,
    keylen: number,
    options?: DerivationCallOptions,
  ) => Promise<Buffer>;
}
