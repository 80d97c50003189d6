/** Keys as JWK (RFC 7517, RFC 7518, RFC 8037, and the drafts of AKP for ML-DSA and ML-KEM). */
import { joined } from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { NO_BYTES, part } from '../base/intrinsics.js';
import { KeyForm, PublicKeyAlgorithm } from '../base/protocol.js';
import { decodeBase64 } from '../base/secret-base64.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { native } from '../engines/binding.js';
import { release } from '../request/key.js';
import { algorithmNames } from './algorithm-names.js';
import { checkOneOf, header, INTEGER, pkcs1Numbers, SEQUENCE } from './encodings.js';
import { exportBytes, FIELD_BYTES, importKey, publicKeyOf, type HeldKey } from './held-key.js';
import { base64url, viewOf, type Buffer } from '#platform/base/runtime.js';

/**
 * A key as JWK (RFC 7517): `kty` is `EC`, `OKP`, `RSA` with two primes, or `AKP` for ML-DSA and
 * ML-KEM, of which `priv` is the seed. Other members, such as `kid` and `use`, are not read.
 */
export interface JsonWebKey {
  /** The family: `EC`, `OKP`, `RSA` or `AKP`. */
  readonly kty?: string | undefined;
  /** The curve: `P-256`, `P-384`, `P-521`, `Ed25519` or `X25519`. */
  readonly crv?: string | undefined;
  /** The algorithm of `AKP`, such as `ML-DSA-65`. */
  readonly alg?: string | undefined;
  /** The first coordinate of a point, or the public key of `OKP`; base64url, as all that follow. */
  readonly x?: string | undefined;
  /** The second coordinate of a point. */
  readonly y?: string | undefined;
  /** The private key of `EC` and `OKP`, or the private exponent of `RSA`. */
  readonly d?: string | undefined;
  /** The modulus of `RSA`. */
  readonly n?: string | undefined;
  /** The public exponent. */
  readonly e?: string | undefined;
  /** The first prime. */
  readonly p?: string | undefined;
  /** The second prime. */
  readonly q?: string | undefined;
  /** d modulo p - 1. */
  readonly dp?: string | undefined;
  /** d modulo q - 1. */
  readonly dq?: string | undefined;
  /** The inverse of q modulo p. */
  readonly qi?: string | undefined;
  /** The public key of `AKP`. */
  readonly pub?: string | undefined;
  /** The seed of `AKP`. */
  readonly priv?: string | undefined;
  readonly [name: string]: unknown;
}

/** How the keys of a `kty` are written. */
interface KeyType {
  /** The member that names the algorithm, and the names; undefined for RSA. */
  readonly by: 'crv' | 'alg' | undefined;
  readonly names: readonly string[];
  /** The number of the first of them. */
  readonly first: PublicKeyAlgorithm;
  readonly publicForm: KeyForm;
  readonly privateForm: KeyForm;
  /** The members of a public key, in the order of the form; those of a private key follow. */
  readonly publicMembers: readonly string[];
  readonly privateMembers: readonly string[];
}

const upperNames = (from: PublicKeyAlgorithm, to: PublicKeyAlgorithm): string[] =>
  algorithmNames.slice(from, to + 1).map((name) => name.toUpperCase());

const keyTypes: Readonly<Record<string, KeyType | undefined>> = {
  __proto__: null as never,
  EC: {
    by: 'crv',
    names: upperNames(PublicKeyAlgorithm.P256, PublicKeyAlgorithm.P521),
    first: PublicKeyAlgorithm.P256,
    publicForm: KeyForm.PublicRaw,
    privateForm: KeyForm.PrivateRaw,
    publicMembers: ['x', 'y'],
    privateMembers: ['d'],
  },
  OKP: {
    by: 'crv',
    names: ['Ed25519', 'X25519'],
    first: PublicKeyAlgorithm.Ed25519,
    publicForm: KeyForm.PublicRaw,
    privateForm: KeyForm.PrivateRaw,
    publicMembers: ['x'],
    privateMembers: ['d'],
  },
  RSA: {
    by: undefined,
    names: [],
    first: PublicKeyAlgorithm.Rsa,
    publicForm: KeyForm.Pkcs1Public,
    privateForm: KeyForm.Pkcs1,
    publicMembers: ['n', 'e'],
    privateMembers: ['d', 'p', 'q', 'dp', 'dq', 'qi'],
  },
  AKP: {
    by: 'alg',
    names: upperNames(PublicKeyAlgorithm.MlKem512, PublicKeyAlgorithm.MlDsa87),
    first: PublicKeyAlgorithm.MlKem512,
    publicForm: KeyForm.PublicRaw,
    privateForm: KeyForm.Seed,
    publicMembers: ['pub'],
    privateMembers: ['priv'],
  },
};

/** Names that messages may show, as they are no secrets. */
const otherNames = ['oct', 'Ed448', 'X448', 'secp256k1', 'P-192', 'P-224'];

/** A JWK without prototype and getters. */
type OwnJwk = Readonly<Record<string, unknown>>;

/** Imports a key. */
export function importJwk(jwk: OwnJwk, argument: string, wantsPrivate: boolean): HeldKey {
  const kty = named(jwk, 'kty', Object.keys(keyTypes), argument);
  const { by, names, first, publicMembers, privateMembers, publicForm, privateForm } =
    keyTypes[kty]!;
  const algorithm: PublicKeyAlgorithm =
    by === undefined ? first : first + names.indexOf(named(jwk, by, names, argument));
  if (wantsPrivate && jwk[privateMembers[0]!] === undefined)
    throw makeError(
      'ERR_ARGUMENT_TYPE',
      `${argument} must be a private key, not a public one: it has no ${privateMembers[0]}`,
    );
  if (wantsPrivate && jwk['oth'] !== undefined)
    throw makeError('ERR_KEY_NOT_SUPPORTED', `${argument}.oth: RSA keys must have two primes`);
  const all = wantsPrivate ? [...publicMembers, ...privateMembers] : publicMembers;
  const numbers: Secret[] = [];
  let bytes: Secret | undefined;
  try {
    for (const name of all) numbers.push(member(jwk, name, argument, FIELD_BYTES[algorithm]));
    let form = wantsPrivate ? privateForm : publicForm;
    if (kty === 'RSA') {
      bytes = pkcs1(numbers, argument);
    } else if (kty === 'EC') {
      const [x, y, d = NO_BYTES] = numbers as [Secret, Secret, Secret?];
      bytes = joined([d, Uint8Array.of(4), x, y], secretMemory);
      if (wantsPrivate) form = KeyForm.PrivateAndPoint;
    }
    const key = importKey(form, bytes ?? numbers.at(-1)!, argument, algorithm);
    if (!wantsPrivate || bytes !== undefined || native.equal(publicBytes(key), numbers[0]!) === 1)
      return key;
    release(key);
    throw makeError(
      'ERR_KEY_INVALID',
      `${argument}: ${publicMembers[0]} is not the public key of ${privateMembers[0]}`,
    );
  } finally {
    if (bytes !== undefined) wipe(bytes);
    for (const number of numbers) wipe(number);
  }
}

/** Returns the value of a member that must be one of some names. */
function named(jwk: OwnJwk, name: string, names: readonly string[], argument: string): string {
  const value = jwk[name];
  checkOneOf(names, value, `${argument}.${name}`, 'ERR_KEY_NOT_SUPPORTED', otherNames);
  return value as string;
}

/**
 * Returns the bytes of a member. Numbers of a field get leading zeros to its size, or lose those
 * that exceed it.
 */
function member(jwk: OwnJwk, name: string, argument: string, field: number): Secret {
  const text = jwk[name];
  if (typeof text !== 'string') throw wrongType(`${argument}.${name}`, 'a base64url string', text);
  const memory = secretMemory(Math.floor((text.length * 3) / 4));
  const size = decodeBase64(text, 0, text.length, memory, 0);
  if (size < 0) {
    wipe(memory);
    throw makeError('ERR_KEY_ENCODING', `${argument}.${name} must be base64url`);
  }
  if (field === 0) return part(memory, 0, size) as Secret;
  try {
    const zeros = Math.max(0, size - field);
    for (let at = 0; at < zeros; at++)
      if (memory[at] !== 0)
        throw makeError('ERR_KEY_SIZE', `${argument}.${name} must have at most ${field} bytes`);
    const aligned = secretMemory(field);
    aligned.set(part(memory, zeros, size - zeros), field - size + zeros);
    return aligned;
  } finally {
    wipe(memory);
  }
}

function withoutZeros(number: Uint8Array): Uint8Array {
  let zeros = 0;
  while (number[zeros] === 0) zeros++;
  return part(number, zeros, number.length - zeros);
}

/** Returns a public RSA key of two numbers, or a private one of eight, in PKCS#1. */
function pkcs1(numbers: readonly Uint8Array[], argument: string): Secret {
  const parts: Uint8Array[] = numbers.length > 2 ? [Uint8Array.of(INTEGER, 1, 0)] : [];
  for (const each of numbers) {
    const number = withoutZeros(each);
    const sign = number.length === 0 || number[0]! >= 128 ? 1 : 0;
    parts.push(header(INTEGER, number.length + sign), new Uint8Array(sign), number);
  }
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  if (size > 0xffff) throw makeError('ERR_KEY_SIZE', `${argument} must have at most 65535 bytes`);
  return joined([header(SEQUENCE, size), ...parts], secretMemory);
}

/** Returns a key as JWK. */
export function exportJwk(key: HeldKey): JsonWebKey {
  const { algorithmNumber: algorithm, isPrivate } = key;
  const kty = Object.keys(keyTypes).find((each) => {
    const { first, names } = keyTypes[each]!;
    return algorithm >= first && algorithm < first + Math.max(names.length, 1);
  });
  if (kty === undefined)
    throw makeError(
      'ERR_KEY_NOT_SUPPORTED',
      `${key.algorithm} keys have no JWK: export them as PEM`,
    );
  const { by, names, first, publicMembers, privateMembers, publicForm, privateForm } =
    keyTypes[kty]!;
  const made: Record<string, string> = { kty };
  if (by !== undefined) define(made, by, names[algorithm - first]!);
  const bytes = exportBytes(key, isPrivate ? privateForm : publicForm);
  try {
    const shown = isPrivate && kty !== 'RSA' ? publicBytes(key) : bytes;
    let numbers: readonly Uint8Array[] = isPrivate ? [shown, bytes] : [shown];
    if (kty === 'EC') {
      const field = FIELD_BYTES[algorithm];
      numbers = [part(shown, 1, field), part(shown, 1 + field, field), bytes];
    } else if (kty === 'RSA') {
      const [version, ...others] = pkcs1Numbers(bytes);
      numbers = isPrivate ? others : [version!, ...others];
    }
    const all = isPrivate ? [...publicMembers, ...privateMembers] : publicMembers;
    all.forEach((name, index) => define(made, name, textOfBytes(numbers[index]!)));
    return made;
  } finally {
    wipe(bytes);
  }
}

/** Returns the raw public key of a private one. */
function publicBytes(key: HeldKey): Buffer {
  const publicKey = publicKeyOf(key);
  try {
    return exportBytes(publicKey, KeyForm.PublicRaw);
  } finally {
    release(publicKey);
  }
}

/** Sets an own property, whatever Object.prototype has. */
function define(jwk: Record<string, string>, name: string, value: string): void {
  Object.defineProperty(jwk, name, {
    __proto__: null,
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  } as PropertyDescriptor);
}

/** Native code encodes a secret in a time that depends on its size only; long texts are public. */
function textOfBytes(bytes: Uint8Array): string {
  return native.base64url(bytes) ?? base64url(viewOf(bytes.buffer, bytes.byteOffset, bytes.length));
}
