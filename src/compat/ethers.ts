/**
 * Makes ethers 6 compute with Millrace: `register(ethers)` sets its hooks for hashes, HMAC and key
 * derivation. Random numbers and signatures remain those of ethers.
 *
 * @packageDocumentation
 */
import { sizeOf } from '../base/arguments.js';
import { Operation } from '../base/frame.js';
import { scryptMemory, type ScryptCost } from '../base/kdf-costs.js';
import { beginRequest, setKey, setTarget } from '../request/request.js';
import { makeError } from '../base/errors.js';
import { findHash } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { derivePromise, deriveSync } from '../kdf/derive.js';
import { parserOf } from '../kdf/parsers.js';
import { scryptParser } from '../kdf/password-derivations.js';
import { fastInto } from '../operations/fast-path.js';
import { runFilled } from '../scheduling/run.js';
import { loadEthers } from '#platform/compat/ethers.js';

/** A function of ethers with a hook. */
export interface EthersHook {
  /** Sets the function that computes. */
  register(compute: (...given: any[]) => any): void;
}

/** The functions of ethers 6 that Millrace computes. */
export interface EthersHooks {
  /** Keccak-256. */
  readonly keccak256: EthersHook;
  /** SHA-256. */
  readonly sha256: EthersHook;
  /** SHA-512. */
  readonly sha512: EthersHook;
  /** RIPEMD-160. */
  readonly ripemd160: EthersHook;
  /** HMAC with SHA-256 or SHA-512. */
  readonly computeHmac: EthersHook;
  /** PBKDF2. */
  readonly pbkdf2: EthersHook;
  /** scrypt on the worker pool. */
  readonly scrypt: EthersHook;
  /** scrypt, synchronous. */
  readonly scryptSync: EthersHook;
}

/** The functions that {@link register} sets, by their names in ethers. */
const hooks: Record<keyof EthersHooks, (...given: any[]) => unknown> = {
  keccak256: digest('keccak256'),
  sha256: digest('sha256'),
  sha512: digest('sha512'),
  ripemd160: digest('ripemd160'),
  computeHmac: mac,
  pbkdf2: (password, salt, iterations, dkLen, algorithm) =>
    unpooled(deriveSync(parserOf('pbkdf2'), [password, salt, iterations, dkLen, algorithm], 5)),
  scrypt: async (password, salt, N, r, p, dkLen, onProgress) => {
    const options = { ...cost(N, r, p), ...progress(onProgress) };
    return unpooled(await derivePromise(scryptParser, [password, salt, dkLen, options]));
  },
  scryptSync: (password, salt, N, r, p, dkLen) =>
    unpooled(deriveSync(scryptParser, [password, salt, dkLen, cost(N, r, p)], 4)),
};

/**
 * Registers Millrace's keccak256, sha256, sha512, ripemd160, HMAC, PBKDF2 and scrypt with ethers,
 * and returns the names that it has registered.
 *
 * @example
 * ```js
 * import * as ethers from 'ethers';
 * import { register } from 'millrace/ethers';
 *
 * register(ethers); // ['keccak256', 'sha256', …]
 * ```
 *
 * @param ethers the namespace of ethers 6 (`import * as ethers from 'ethers'`); without it the
 *   installed package
 * @throws MillraceError ERR_ARGUMENT_TYPE if it lacks the hooks of ethers 6 or they are locked,
 *   ERR_NOT_SUPPORTED if ethers is neither passed nor installed
 */
export function register(ethers?: object): string[] {
  const target = (ethers ?? installed()) as Readonly<Record<string, EthersHook | undefined>>;
  const names = Object.keys(hooks) as (keyof EthersHooks)[];
  const missing = names.filter((name) => typeof target[name]?.register !== 'function');
  if (missing.length > 0) {
    throw makeError(
      'ERR_ARGUMENT_TYPE',
      `register takes the namespace of ethers 6: this has no ${missing.join(', ')} with a hook`,
    );
  }
  for (const name of names) target[name]!.register(hooks[name]);
  return names;
}

function installed(): object {
  let reason = '';
  try {
    const ethers = loadEthers();
    if (ethers !== undefined) return ethers;
  } catch (error) {
    reason = `: ${(error as Error).message.split('\n')[0]}`;
  }
  throw makeError('ERR_NOT_SUPPORTED', `ethers cannot be loaded; pass it to register${reason}`);
}

/** Returns a hash with the arguments of ethers: it passes bytes and encodes the result itself. */
function digest(name: string): (data: Uint8Array) => Uint8Array {
  const facts = findHash(name)!;
  return (data) => {
    const target = new Uint8Array(facts.digestSize);
    return fastInto(facts, data, target) ? target : compute(Operation.Hash, facts, data, target);
  };
}

function mac(algorithm: 'sha256' | 'sha512', key: Uint8Array, data: Uint8Array): Uint8Array {
  const facts = findHash(algorithm)!;
  return compute(Operation.Hmac, facts, data, new Uint8Array(facts.digestSize), key);
}

function compute(
  operation: Operation,
  { id }: HashFacts,
  data: Uint8Array,
  target: Uint8Array,
  key?: Uint8Array,
): Uint8Array {
  beginRequest(operation, id, data, 0, sizeOf(data));
  if (key !== undefined) setKey(key, 0, sizeOf(key));
  setTarget(target, 0, target.length);
  runFilled();
  return target;
}

/** Returns the cost with the memory that it needs: ethers limits the cost itself. */
function cost(N: number, r: number, p: number): ScryptCost & { maxmem: number } {
  return { N, r, p, maxmem: scryptMemory({ N, r, p }) };
}

function progress(onProgress: unknown): object {
  if (typeof onProgress !== 'function') return {};
  return { onProgress: ({ fraction }: { fraction: number }) => void onProgress(fraction) };
}

/** Returns a Uint8Array instead of a Buffer; a derived key has a separate ArrayBuffer. */
function unpooled(result: unknown): Uint8Array {
  const { buffer, byteOffset, length } = result as Uint8Array;
  return new Uint8Array(buffer, byteOffset, length);
}
