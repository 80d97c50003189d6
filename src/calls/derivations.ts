/** The types of what key derivations and password hashes take. HKDF's own are in hkdf.ts. */
import type { Bytes, Data } from '../base/arguments.js';
import type { Argon2Algorithm, ScryptCostOptions } from '../base/kdf-costs.js';
import type { EngineOptions } from '../engines/engines.js';
import type { SecretInput } from '../request/key-input.js';

/** The progress of a derivation. */
export interface DerivationProgress {
  /** From 0 to 1. */
  readonly fraction: number;
}

/** Options of asynchronous derivations. */
export interface DerivationCallOptions extends EngineOptions {
  /**
   * Aborting cancels: a waiting derivation rejects with the signal's reason at once, a running one
   * stops within a few milliseconds.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called on the event loop about every 50 ms while a derivation progresses, and with 1 before it
   * succeeds. An exception becomes an uncaughtException.
   */
  readonly onProgress?: ((progress: DerivationProgress) => void) | undefined;
}

/** The cost of an scrypt. Each number has two names, as in node:crypto; give one of them. */
export interface ScryptOptions extends ScryptCostOptions, EngineOptions {
  /**
   * The most bytes of memory, counted as in node:crypto: `128 * r * (N + p + 2)` must not exceed
   * it. 32 MiB by default. If it suffices for several lanes, they run together.
   */
  readonly maxmem?: number | undefined;
}

/** The cost of an Argon2; the defaults are OWASP's recommendation. */
export interface Argon2Cost {
  /** KiB of memory, at least 8 for each lane; 19456 (19 MiB) by default. */
  readonly memory?: number | undefined;
  /** Passes over the memory; 2 by default. */
  readonly passes?: number | undefined;
  /** Lanes; 1 by default. They run in sequence, on one core. */
  readonly parallelism?: number | undefined;
}

/** The parameters of Argon2, with the names of node:crypto. */
export interface Argon2Parameters extends Argon2Cost, EngineOptions {
  /** The password or other input that a key is derived from. */
  readonly message: SecretInput;
  /** The salt: at least 8 bytes, different for each password. */
  readonly nonce: Data;
  /** Bytes of the result, at least 4; 32 by default. */
  readonly tagLength?: number | undefined;
  /** A key stored apart from the derived keys. */
  readonly secret?: SecretInput;
  /** Additional input that the result depends on. */
  readonly associatedData?: Data;
  /** 0x13 (RFC 9106) by default, or 0x10. */
  readonly version?: 0x10 | 0x13 | undefined;
}

/** The parameters of an asynchronous call. */
export interface Argon2CallParameters extends Argon2Parameters, DerivationCallOptions {}

/** The parameters of a password hash. */
export interface HashPasswordOptions extends Argon2Cost, Omit<ScryptOptions, 'maxmem' | 'cost'> {
  /**
   * `'argon2id'` by default, with 19 MiB and 2 passes; `'scrypt'` defaults to N=131072, r=8, p=1,
   * 128 MiB. Both follow OWASP. `'bcrypt'` is for systems that read nothing else: it needs no
   * memory and refuses passwords of more than 72 bytes.
   */
  readonly algorithm?: Argon2Algorithm | 'scrypt' | 'bcrypt' | undefined;
  /**
   * For bcrypt the base-2 logarithm of its rounds, 4 to 31; 12 by default, a quarter of a second.
   * For scrypt an alias of `N`.
   */
  readonly cost?: number | undefined;
  /** A key stored apart from the hashes; verification needs it. Argon2 only. */
  readonly secret?: SecretInput;
  /** Bytes of the random salt, 8 to 64; 16 by default. */
  readonly saltLength?: number | undefined;
  /** Bytes of the hash, 16 to 64; 32 by default. */
  readonly hashLength?: number | undefined;
  /** Replaces the random salt; for tests. */
  readonly salt?: Bytes;
}

/** Limits on a password hash, and the secret it was made with. */
export interface VerifyPasswordOptions extends EngineOptions {
  /** The secret given to {@link hashPassword}. */
  readonly secret?: SecretInput;
  /** The most bytes of memory that a hash may require; 256 MiB by default. */
  readonly maxMemory?: number | undefined;
  /**
   * The most milliseconds that a hash may require, as predicted for one slow core; 5000 by default.
   * A derivation that takes more than twice this time plus a second stops with ERR_WORK_LIMIT.
   */
  readonly maxTime?: number | undefined;
}
