/** Keys as JWK (RFC 7517, RFC 7518, RFC 8037, and the drafts of AKP for ML-DSA and ML-KEM). */
import { makeError, wrongType, type MillraceError } from '../base/errors.js';
import { part } from '../base/intrinsics.js';
import { shownName } from '../base/nearest.js';
import { KeyForm, PublicKeyAlgorithm } from '../base/protocol.js';
import { decodeBase64 } from '../base/secret-base64.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { native } from '../engines/binding.js';
import { release } from '../request/key.js';
import { algorithmNames, exportBytes, importKey, publicKeyOf, type HeldKey } from './held-key.js';
import { base64url, viewOf } from '#platform/base/runtime.js';

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
  /** The members of a public key, in the order of their list; those of a private key follow. */
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
    publicForm: KeyForm.PublicCoordinates,
    privateForm: KeyForm.PrivateCoordinates,
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
    publicForm: KeyForm.PublicComponents,
    privateForm: KeyForm.PrivateComponents,
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
  const type = keyTypes[named(jwk, 'kty', Object.keys(keyTypes), argument)]!;
  const { by, names, first, publicMembers, privateMembers, publicForm, privateForm } = type;
  const algorithm =
    by === undefined ? first : first + names.indexOf(named(jwk, by, names, argument));
  if (wantsPrivate && jwk[privateMembers[0]!] === undefined)
    throw makeError(
      'ERR_ARGUMENT_TYPE',
      `${argument} must be a private key, not a public one: it has no ${privateMembers[0]}`,
    );
  if (wantsPrivate && jwk['oth'] !== undefined)
    throw makeError('ERR_KEY_NOT_SUPPORTED', `${argument}.oth: RSA keys must have two primes`);
  const isList = publicMembers.length > 1;
  const members = isList && wantsPrivate ? [...publicMembers, ...privateMembers] : publicMembers;
  // The coordinates may have more leading zeros than the field.
  const most = by === 'crv' ? FIELD_BYTES[algorithm]! : LIST_MAX;
  if (isList) {
    const list = packed(jwk, members, argument, most);
    try {
      return importKey(wantsPrivate ? privateForm : publicForm, list, argument, algorithm);
    } finally {
      wipe(list);
    }
  }
  const publicBytes = member(jwk, publicMembers[0]!, argument);
  if (!wantsPrivate) return importKey(publicForm, publicBytes, argument, algorithm);
  const secret = member(jwk, privateMembers[0]!, argument);
  try {
    const key = importKey(privateForm, secret, argument, algorithm);
    if (hasPublic(key, publicBytes)) return key;
    release(key);
    throw makeError(
      'ERR_KEY_INVALID',
      `${argument}: ${publicMembers[0]} is not the public key of ${privateMembers[0]}`,
    );
  } finally {
    wipe(secret);
  }
}

/** Bytes of the fields of NIST's curves, by algorithm. */
const FIELD_BYTES: readonly number[] = [0, 0, 32, 48, 66];

/** The most bytes of a number in a list. */
const LIST_MAX = 0xffff;

/** Returns the value of a member that must be one of some names. */
function named(jwk: OwnJwk, name: string, names: readonly string[], argument: string): string {
  const value = jwk[name];
  const expected = names.map((each) => `'${each}'`).join(', ');
  if (typeof value !== 'string')
    throw wrongType(`${argument}.${name}`, `one of ${expected}`, value);
  if (names.includes(value)) return value;
  throw makeError(
    'ERR_KEY_NOT_SUPPORTED',
    `${argument}.${name} must be one of ${expected}, not ` +
      shownName(value, [...names, ...otherNames]),
  );
}

/** Returns the text of a member. */
function textOf(jwk: OwnJwk, name: string, argument: string): string {
  const text = jwk[name];
  if (typeof text === 'string') return text;
  throw wrongType(`${argument}.${name}`, 'a base64url string', text);
}

/** Returns the bytes of a member. */
function member(jwk: OwnJwk, name: string, argument: string): Secret {
  const text = textOf(jwk, name, argument);
  const memory = secretMemory(Math.floor((text.length * 3) / 4));
  const size = decodeBase64(text, 0, text.length, memory, 0);
  if (size < 0) throw notBase64(name, argument);
  return part(memory, 0, size) as Secret;
}

function notBase64(name: string, argument: string): MillraceError {
  return makeError('ERR_KEY_ENCODING', `${argument}.${name} must be base64url`);
}

/** Returns members as a list of numbers without the leading zeros that exceed `most` bytes. */
function packed(jwk: OwnJwk, names: readonly string[], argument: string, most: number): Secret {
  const texts = names.map((name) => textOf(jwk, name, argument));
  const list = secretMemory(texts.reduce((sum, text) => sum + 2 + ((text.length * 3) >> 2), 0));
  let at = 0;
  for (const [index, text] of texts.entries()) {
    let size = decodeBase64(text, 0, text.length, list, at + 2);
    let zeros = 0;
    while (size - zeros > most && list[at + 2 + zeros] === 0) zeros++;
    size -= zeros;
    if (size < 0 || size > most) {
      wipe(list);
      throw size < 0
        ? notBase64(names[index]!, argument)
        : makeError('ERR_KEY_SIZE', `${argument}.${names[index]} must have at most ${most} bytes`);
    }
    if (zeros > 0) list.copyWithin(at + 2, at + 2 + zeros, at + 2 + zeros + size);
    list[at] = size & 0xff;
    list[at + 1] = size >> 8;
    at += 2 + size;
  }
  return part(list, 0, at) as Secret;
}

/** Returns true if the bytes are the raw public key of a private one. */
function hasPublic(key: HeldKey, bytes: Uint8Array): boolean {
  const publicKey = publicKeyOf(key);
  try {
    return native.equal(exportBytes(publicKey, KeyForm.PublicRaw), bytes) === 1;
  } finally {
    release(publicKey);
  }
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
  const all = [...publicMembers, ...(isPrivate ? privateMembers : [])];
  const bytes = exportBytes(key, isPrivate ? privateForm : publicForm);
  try {
    if (publicMembers.length > 1) {
      let at = 0;
      for (const name of all) {
        const size = bytes[at]! + 256 * bytes[at + 1]!;
        define(made, name, textOfBytes(part(bytes, at + 2, size)));
        at += 2 + size;
      }
      return made;
    }
    if (isPrivate) {
      const publicKey = publicKeyOf(key);
      try {
        define(made, publicMembers[0]!, textOfBytes(exportBytes(publicKey, publicForm)));
      } finally {
        release(publicKey);
      }
    }
    define(made, all.at(-1)!, textOfBytes(bytes));
    return made;
  } finally {
    wipe(bytes);
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
