/**
 * Asynchronous derivations in a worker: WebAssembly or WebCrypto where they are faster than
 * JavaScript and support the parameters.
 */
import { pbkdf2 } from '../webcrypto.js';
import { check, derive, put, verdict } from './derive.js';
import type { Derivation, DerivationInput, Pbkdf2, Progress, Scheme } from './contract.js';

/** Like {@link derive}. Only JavaScript reports progress before the end. */
export async function deriveFast(
  derivation: Derivation,
  input: DerivationInput,
  target: Uint8Array,
  progress?: Progress,
): Promise<void> {
  check(derivation, input, target.length);
  if (derivation.what === 'pbkdf2' && derivation.iterations >= PBKDF2_LEAST) {
    const key = await byPlatform(derivation, input, target.length);
    if (key === undefined) return derive(derivation, input, target, progress);
    put(key, target);
    return progress?.(1);
  }
  const scheme = schemeOf(derivation);
  const hashInput =
    derivation.what === 'verify'
      ? { ...input, salt: derivation.salt, aad: new Uint8Array(0) }
      : input;
  const size = derivation.what === 'verify' ? derivation.hash.length : target.length;
  const key = scheme === undefined ? undefined : await byWasm(scheme, hashInput, size);
  if (key === undefined) {
    derive(derivation, input, target, progress);
    return;
  }
  if (derivation.what === 'verify') target.fill(verdict(derivation, key));
  else put(key, target);
  progress?.(1);
}

/** WebCrypto takes 0.25 us for an iteration of SHA-256 and 50 us for a call, JavaScript 1.3 us. */
const PBKDF2_LEAST = 100;

/** Resolves with undefined if WebCrypto cannot derive it; some browsers refuse empty passwords. */
async function byPlatform(
  { hash, iterations }: Pbkdf2,
  { password, salt }: DerivationInput,
  size: number,
): Promise<Uint8Array | undefined> {
  try {
    return await pbkdf2(hash, password, salt, iterations, size);
  } catch {
    return undefined;
  }
}

function schemeOf(derivation: Derivation): Scheme | undefined {
  switch (derivation.what) {
    case 'verify':
      return derivation.scheme;
    case 'scrypt':
    case 'argon2':
      return derivation;
    default:
      return undefined;
  }
}

/** Resolves with undefined if the library lacks the parameters or WebAssembly is disabled. */
async function byWasm(
  scheme: Scheme,
  input: DerivationInput,
  size: number,
): Promise<Uint8Array | undefined> {
  if (input.password.length === 0 || size === 0 || scheme.what === 'bcrypt') return undefined;
  if (scheme.what === 'argon2' && (scheme.version !== 0x13 || input.aad.length > 0))
    return undefined;
  try {
    const wasm = await import('./wasm.js');
    return await (scheme.what === 'argon2'
      ? wasm.argon2(scheme, input, size)
      : wasm.scryptBytes(scheme, input, size));
  } catch {
    return undefined;
  }
}
