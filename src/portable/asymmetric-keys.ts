/**
 * Asymmetric keys: import, export, description. A key is the number of its algorithm, 1 if it is
 * private, and then, if a module knows the algorithm, its bytes there: the raw private key, the raw
 * public key, and the seed of ML-KEM and ML-DSA if it is known. Keys of P-384, P-521 and RSA, with
 * which only WebCrypto computes (webcrypto-keys.ts), are a list as crates/portable-keys reads it.
 */
import { At, KeyForm, NO_HASH, PublicKeyAlgorithm, Status } from '../base/frame.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { Family } from './families/family.js';
import { callModule, type KeyCalls } from './families/public-keys.js';
import { AsymmetricKey } from './keys.js';
import { module as ed25519Text } from './modules/ed25519.js';
import { module as encodingsText } from './modules/key-encodings.js';
import { module as mlDsaText } from './modules/ml-dsa.js';
import { module as mlKemText } from './modules/ml-kem.js';
import { module as p256Text } from './modules/p256.js';
import { module as x25519Text } from './modules/x25519.js';
import { NOTHING, Refusal, refuse } from './windows.js';

/** An algorithm of a module: the number of its parameter set, and bytes of raw keys. */
interface KeyAlgorithm {
  readonly family: Family<KeyCalls>;
  readonly set: number;
  readonly privateSize: number;
  readonly publicSize: number;
}

const encodings = /* @__PURE__ */ new Family<KeyCalls>('key-encodings', encodingsText);

/** The algorithms of modules, by PublicKeyAlgorithm. */
export const algorithms: readonly (KeyAlgorithm | undefined)[] = /* @__PURE__ */ (() => {
  const algorithmOf = (
    family: Family<KeyCalls>,
    set: number,
    privateSize: number,
    publicSize: number,
  ): KeyAlgorithm => ({ family, set, privateSize, publicSize });
  // The stacks of the larger modules have these sizes in tools/wasm.mjs.
  const mlKem = new Family<KeyCalls>('ml-kem', mlKemText, {}, 98_304);
  const mlDsa = new Family<KeyCalls>('ml-dsa', mlDsaText, {}, 1_048_576);
  return [
    algorithmOf(new Family('ed25519', ed25519Text), 0, 32, 32),
    algorithmOf(new Family('x25519', x25519Text), 0, 32, 32),
    algorithmOf(new Family('p256', p256Text, {}, 131_072), 0, 32, 65),
    undefined,
    undefined,
    undefined,
    undefined,
    algorithmOf(mlKem, 0, 1632, 800),
    algorithmOf(mlKem, 1, 2400, 1184),
    algorithmOf(mlKem, 2, 3168, 1568),
    algorithmOf(mlDsa, 0, 2560, 1312),
    algorithmOf(mlDsa, 1, 4032, 1952),
    algorithmOf(mlDsa, 2, 4896, 2592),
  ];
})();

/** Bytes of a coordinate on a curve of NIST, otherwise undefined. */
export function fieldOf(algorithm: number): number | undefined {
  switch (algorithm) {
    case PublicKeyAlgorithm.P256:
      return 32;
    case PublicKeyAlgorithm.P384:
      return 48;
    case PublicKeyAlgorithm.P521:
      return 66;
    default:
      return undefined;
  }
}

export const isRsa = (algorithm: number): boolean =>
  algorithm === PublicKeyAlgorithm.Rsa || algorithm === PublicKeyAlgorithm.RsaPss;

export const isMlKem = (algorithm: number): boolean =>
  algorithm >= PublicKeyAlgorithm.MlKem512 && algorithm <= PublicKeyAlgorithm.MlKem1024;

/** A key whose bytes are read. */
export interface OpenKey {
  readonly algorithm: PublicKeyAlgorithm;
  readonly isPrivate: boolean;
  /** Its bytes after the head. */
  readonly bytes: Uint8Array;
}

export function openKey(bytes: Uint8Array): OpenKey {
  if (bytes.length === 0) refuse(Status.KeyDisposed);
  return { algorithm: bytes[0]!, isPrivate: bytes[1] === 1, bytes: bytes.subarray(2) };
}

/** Opens a key that must be private or public. */
export function keyFor(bytes: Uint8Array, isPrivate: boolean): OpenKey {
  const key = openKey(bytes);
  return key.isPrivate === isPrivate ? key : refuse(Status.KeyUse);
}

/** Returns a copy of parts one after the other. */
function concatenated(...parts: readonly Uint8Array[]): Secret {
  const bytes = secretMemory(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns the size of a part in two bytes. */
export const sizeBytes = (size: number): Uint8Array => Uint8Array.of(size & 255, size >> 8);

/** Returns the list of parts, after a head. */
const listOf = (parts: readonly Uint8Array[], ...head: number[]): Secret =>
  concatenated(Uint8Array.from(head), ...parts.flatMap((part) => [sizeBytes(part.length), part]));

/** Returns the parts of a list. */
function partsOfList(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const end = at + 2 + bytes[at]! + 256 * bytes[at + 1]!;
    parts.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return parts;
}

/** Returns the parts of a key: the raw ones, or the numbers of RSA. */
export function partsOf({ algorithm, isPrivate, bytes }: OpenKey): Uint8Array[] {
  const of = algorithms[algorithm];
  if (of === undefined) return partsOfList(bytes);
  if (!isPrivate) return [bytes];
  const end = of.privateSize + of.publicSize;
  return [
    bytes.subarray(0, of.privateSize),
    bytes.subarray(of.privateSize, end),
    bytes.subarray(end),
  ];
}

function refuseEncryption(): never {
  throw new Refusal(
    Status.Unavailable,
    'the portable engine neither encrypts nor decrypts private keys: use the native engine, or ' +
      'PKCS#8 without a passphrase, which `openssl pkey` writes and sealWithPassphrase protects',
  );
}

// import

/** Returns the key of an import. */
export function imported(form: KeyForm, algorithm: number, source: Uint8Array): Secret {
  const [found, parts] = parsed(form, algorithm, source);
  try {
    return made(found, form < KeyForm.Spki, parts);
  } finally {
    for (const part of parts) if (part.buffer !== source.buffer) wipe(part as Secret);
  }
}

/** Returns the algorithm and the parts of a key, in the source or in memory of this call. */
function parsed(
  form: KeyForm,
  algorithm: number,
  source: Uint8Array,
): readonly [algorithm: number, parts: Uint8Array[]] {
  const field = fieldOf(algorithm) ?? 0;
  const padded = (number: Uint8Array, size: number): Uint8Array =>
    concatenated(
      new Uint8Array(number.length <= size ? size - number.length : refuse(Status.KeySize)),
      number,
    );
  switch (form) {
    case KeyForm.Pkcs8:
    case KeyForm.Pkcs1:
    case KeyForm.Sec1:
    case KeyForm.Spki:
    case KeyForm.Pkcs1Public: {
      const list = callModule(encodings, 'read', 0, form, source);
      return [list[0]!, partsOfList(list.subarray(1))];
    }
    case KeyForm.EncryptedPkcs8:
      return refuseEncryption();
    default:
  }
  if (!(algorithm >= 0 && algorithm < algorithms.length)) refuse(Status.KeyNotSupported);
  const isPair = form === KeyForm.PrivateAndPoint;
  if (isRsa(algorithm) || (isPair && field === 0)) refuse(Status.KeyUse);
  switch (form) {
    case KeyForm.PrivateAndPoint:
      if (source.length !== 3 * field + 1) refuse(Status.KeySize);
      return [algorithm, [source.subarray(0, field), source.subarray(field), NOTHING]];
    case KeyForm.PrivateRaw:
    case KeyForm.Seed:
      return [algorithm, [field > 0 ? padded(source, field) : source, NOTHING, NOTHING]];
    default:
      return [algorithm, [source]];
  }
}

/** Checks the parts of a key, computes those that are missing, and returns the key. */
export function made(algorithm: number, isPrivate: boolean, parts: Uint8Array[]): Secret {
  const of = algorithms[algorithm];
  if (of === undefined) {
    checkForWebCrypto(algorithm, isPrivate, parts);
    return listOf(parts, algorithm, Number(isPrivate));
  }
  const raw = (kind: boolean, key: Uint8Array): Secret =>
    callModule(of.family, 'import', of.set, Number(kind), key);
  const [first, known = NOTHING, seed = NOTHING] = parts as [Uint8Array];
  const bytes = raw(isPrivate, seed.length > 0 ? seed : first);
  try {
    if (isPrivate) {
      const [again, point] = partsOf({ algorithm, isPrivate, bytes });
      if (seed.length > 0 && first.length > 0) refuseUnlessEqual(again!, first);
      if (known.length > 0) refuseUnlessEqual(point!, raw(false, known));
    }
    return concatenated(Uint8Array.of(algorithm, Number(isPrivate)), bytes);
  } finally {
    wipe(bytes);
  }
}

function refuseUnlessEqual(left: Uint8Array, right: Uint8Array): void {
  let difference = left.length ^ right.length;
  for (let index = 0; index < left.length; index++) difference |= left[index]! ^ right[index]!;
  if (difference !== 0) refuse(Status.KeyValue);
}

const MODULUS_BITS_MIN = 1024;
const MODULUS_BITS_MAX = 16_384;
const EXPONENT_BITS_MAX = 33;

/** Checks the sizes of a key, which WebCrypto checks before it computes with it. */
function checkForWebCrypto(algorithm: number, isPrivate: boolean, parts: Uint8Array[]): void {
  const field = fieldOf(algorithm);
  if (field === undefined) {
    const bits = bitsOf(parts[0]!);
    if (bits < MODULUS_BITS_MIN || bits > MODULUS_BITS_MAX) refuse(Status.ModulusSize);
    const exponent = parts[1]!;
    const size = bitsOf(exponent);
    if (size < 2 || size > EXPONENT_BITS_MAX || exponent.at(-1)! % 2 === 0) refuse(Status.Exponent);
    return;
  }
  const point = parts[isPrivate ? 1 : 0]!;
  // WebCrypto computes neither the point of a compressed one nor that of a scalar.
  if (point.length === 1 + field || (isPrivate && point.length === 0))
    refuse(Status.KeyNotSupported);
  if (point.length !== 1 + 2 * field) refuse(Status.KeySize);
  if (point[0] !== 4) refuse(Status.KeyValue);
}

/** Returns the bits of a number, which may have leading zeros. */
export function bitsOf(number: Uint8Array): number {
  const first = number.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : 8 * (number.length - first) - (Math.clz32(number[first]!) - 24);
}

// export

/** Writes what a key is to the frame. */
export function describeKey(key: AsymmetricKey, frame: Float64Array): void {
  const open = openKey(key.bytes);
  frame[At.Algorithm] = open.algorithm;
  frame[At.Count] = isRsa(open.algorithm) ? bitsOf(partsOf(open)[0]!) : 0;
  frame[At.MessageSize] = Number(open.isPrivate);
  frame[At.SeedLow] = frame[At.SeedHigh] = NO_HASH;
  frame[At.MaxTime] = 0;
  // All run on this thread: none is short enough to go first.
  frame[At.Cost] = Infinity;
}

/** Returns the public key of a private one. */
export function publicKeyOf(key: AsymmetricKey): AsymmetricKey {
  const open = keyFor(key.bytes, true);
  const { algorithm } = open;
  const parts = isRsa(algorithm) ? partsOf(open).slice(0, 2) : [partsOf(open)[1]!];
  return new AsymmetricKey(
    algorithms[algorithm] === undefined
      ? listOf(parts, algorithm, 0)
      : concatenated(Uint8Array.of(algorithm, 0), ...parts),
  );
}

/** Returns a key in DER. */
export const derOf = (algorithm: number, form: KeyForm, parts: Uint8Array[]): Secret => {
  const list = listOf(parts);
  try {
    return callModule(encodings, 'write', algorithm, form, list);
  } finally {
    wipe(list);
  }
};

/** Returns a key in a form. */
export function exportKey(key: AsymmetricKey, form: KeyForm): Secret {
  const open = openKey(key.bytes);
  const { algorithm, isPrivate } = open;
  if (isPrivate !== form < KeyForm.Spki) refuse(Status.KeyUse);
  const parts = partsOf(open);
  const [first, , seed = NOTHING] = parts as [Uint8Array, Uint8Array?, Uint8Array?];
  const field = fieldOf(algorithm);
  switch (form) {
    case KeyForm.Pkcs8:
    case KeyForm.Pkcs1:
    case KeyForm.Sec1:
    case KeyForm.Spki:
    case KeyForm.Pkcs1Public:
      return derOf(algorithm, form, parts);
    case KeyForm.PrivateRaw:
    case KeyForm.PublicRaw:
      return isRsa(algorithm) ? refuse(Status.KeyUse) : concatenated(first);
    case KeyForm.Seed:
      return seed.length > 0 && !isRsa(algorithm) ? concatenated(seed) : refuse(Status.KeyUse);
    case KeyForm.EncryptedPkcs8:
      return refuseEncryption();
    default:
  }
  if (form !== KeyForm.Compressed || field === undefined) return refuse(Status.KeyUse);
  return concatenated(Uint8Array.of(2 + (first.at(-1)! & 1)), first.subarray(1, 1 + field));
}
