/**
 * Derivations that hash-wasm computes faster than JavaScript; asynchronous, because each compiles
 * WebAssembly.
 */
import { argon2d, argon2i, argon2id, scrypt } from 'hash-wasm';
import type { Argon2Cost, DerivationInput, ScryptCost } from './contract.js';

const argon2Kinds = [argon2d, argon2i, argon2id] as const;

/**
 * 50 ms for 19 MiB and two passes, where JavaScript takes 224 ms. Not for empty passwords,
 * associated data or version 0x10.
 */
export function argon2(
  cost: Argon2Cost,
  { password, salt, secret }: DerivationInput,
  size: number,
): Promise<Uint8Array> {
  const { kind, memory: memorySize, passes: iterations, lanes: parallelism } = cost;
  return argon2Kinds[kind]({
    password,
    salt,
    secret,
    memorySize,
    iterations,
    parallelism,
    hashLength: size,
    outputType: 'binary',
  });
}

/** 43 ms for N=16384, r=8, where JavaScript takes 76 ms. Not for empty passwords. */
export function scryptBytes(
  { n, r, p }: ScryptCost,
  { password, salt }: DerivationInput,
  size: number,
): Promise<Uint8Array> {
  return scrypt({
    password,
    salt,
    costFactor: n,
    blockSize: r,
    parallelism: p,
    hashLength: size,
    outputType: 'binary',
  });
}
