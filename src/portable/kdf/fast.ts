/** Derivations where one may wait, as in a worker: by WebAssembly where that is faster than JavaScript and has the parameters. */
import { check, derive, put, verdict } from './derive.js';
import type { Derivation, DerivationInput, Progress, Scheme } from './contract.js';

/** As {@link derive}. What WebAssembly computes tells of no progress but its end. */
export async function deriveFast(derivation: Derivation, input: DerivationInput, target: Uint8Array, progress?: Progress): Promise<void> {
  check(derivation, input, target.length);
  const scheme = schemeOf(derivation);
  const hashInput = derivation.what === 'verify' ? { ...input, salt: derivation.salt, aad: new Uint8Array(0) } : input;
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

/** Undefined where it cannot be done so: parameters the library has not, or a place that compiles no WebAssembly. */
async function byWasm(scheme: Scheme, input: DerivationInput, size: number): Promise<Uint8Array | undefined> {
  if (input.password.length === 0 || size === 0 || scheme.what === 'bcrypt') return undefined;
  if (scheme.what === 'argon2' && (scheme.version !== 0x13 || input.aad.length > 0)) return undefined;
  try {
    const wasm = await import('./wasm.js');
    return await (scheme.what === 'argon2' ? wasm.argon2(scheme, input, size) : wasm.scryptBytes(scheme, input, size));
  } catch {
    return undefined;
  }
}
