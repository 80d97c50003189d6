/**
 * The operations with keys of P-384, P-521 and RSA, by WebCrypto. It has the hashes SHA-1, SHA-256,
 * SHA-384 and SHA-512, and hashes messages itself.
 */
import {
  At,
  EncryptionPadding,
  KeyForm,
  NO_HASH,
  Operation,
  PublicKeyAlgorithm,
  SignatureScheme,
  Status,
} from '../base/frame.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import { hashes } from '../catalog/catalog-table.js';
import {
  bitsOf,
  derOf,
  fieldOf,
  imported,
  isRsa,
  openKey,
  partsOf,
  sizeBytes,
  type OpenKey,
} from './asymmetric-keys.js';
import { hashOf as digestOf } from './digests.js';
import { fromDer, toDer } from './ecdsa-signatures.js';
import { PLAIN } from './families/hash.js';
import type { AsymmetricKey } from './keys.js';
import { writeNumber } from './numbers.js';
import { NOTHING, Refusal, refuse } from './windows.js';
import type { Work } from './work.js';

/** The part of WebCrypto that is used. */
interface Subtle {
  importKey(
    format: string,
    key: Uint8Array,
    algorithm: object,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<object>;
  exportKey(format: string, key: object): Promise<ArrayBuffer>;
  generateKey(
    algorithm: object,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<{ readonly privateKey: object }>;
  sign(algorithm: object, key: object, data: Uint8Array): Promise<ArrayBuffer>;
  verify(algorithm: object, key: object, tag: Uint8Array, data: Uint8Array): Promise<boolean>;
  deriveBits(algorithm: object, key: object, bits: number): Promise<ArrayBuffer>;
  encrypt(algorithm: object, key: object, data: Uint8Array): Promise<ArrayBuffer>;
  decrypt(algorithm: object, key: object, data: Uint8Array): Promise<ArrayBuffer>;
}

function subtle(): Subtle {
  const { crypto } = globalThis as { crypto?: { subtle?: Subtle } };
  return crypto?.subtle ?? lacks('SubtleCrypto here: a page needs a secure context');
}

/** Computes an operation with a key that was checked. Resolves to what belongs in the target. */
export async function computeLater(work: Work, key: OpenKey | undefined): Promise<Uint8Array> {
  const { operation, numbers, target, aad } = work;
  if (key === undefined) return generate(work);
  const isPadded =
    operation === Operation.PrivateDecrypt ||
    (operation === Operation.Sign && numbers[At.Count] === SignatureScheme.EcdsaDer);
  const result =
    operation === Operation.Agree
      ? agree(key, openKey(aad))
      : operation === Operation.Sign || operation === Operation.VerifySignature
        ? signOrVerify(work, key)
        : encryptOrDecrypt(work, key);
  return fitting(target, await result, isPadded);
}

const hashNames = {
  __proto__: null,
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
} as object as Readonly<Record<string, string>>;

/** Refuses what native code has beside WebCrypto. */
function lacks(what: string): never {
  throw new Refusal(
    Status.Unavailable,
    `the portable engine leaves P-384, P-521 and RSA to WebCrypto, which has no ${what}`,
  );
}

/** Returns the name and the size of a work's hash, which MGF1 has to take, too. */
function hashOf({ numbers }: Work): readonly [hash: string, digestSize: number] {
  const { id, name, digestSize } = hashes[numbers[At.Algorithm]!] ?? refuse(Status.SignatureHash);
  const mgf1 = numbers[At.MaxTime]!;
  if (mgf1 !== NO_HASH && mgf1 !== id) lacks('other hash for MGF1');
  return [hashNames[name] ?? lacks(name), digestSize];
}

/** Returns WebCrypto's algorithm of a key's curve. */
const curveOf = (algorithm: number, name: string): object => ({
  __proto__: null,
  name,
  namedCurve: algorithm === PublicKeyAlgorithm.P384 ? 'P-384' : 'P-521',
});

/** Returns the key of WebCrypto, which checks it. */
async function importKey(key: OpenKey, as: object, ...usages: string[]): Promise<object> {
  // RSA-PSS keys are told by their identifier, which WebCrypto does not read.
  const algorithm = isRsa(key.algorithm) ? PublicKeyAlgorithm.Rsa : key.algorithm;
  const form = key.isPrivate ? KeyForm.Pkcs8 : KeyForm.Spki;
  const der = derOf(algorithm, form, partsOf(key));
  try {
    return await subtle().importKey(key.isPrivate ? 'pkcs8' : 'spki', der, as, false, usages);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return refuse(Status.KeyValue);
  } finally {
    wipe(der);
  }
}

/** Returns the bits of an RSA key's modulus. */
const modulusBits = (key: OpenKey): number => bitsOf(partsOf(key)[0]!);

async function signOrVerify(work: Work, key: OpenKey): Promise<Uint8Array> {
  const { operation, numbers, source, tag } = work;
  const field = fieldOf(key.algorithm);
  const signs = operation === Operation.Sign;
  const isPss = numbers[At.Count] === SignatureScheme.RsaPss;
  const isDer = numbers[At.Count] === SignatureScheme.EcdsaDer;
  const [hash, digestSize] = hashOf(work);
  if (numbers[At.SeedLow] === 1) lacks('signatures of digests');
  const name = field !== undefined ? 'ECDSA' : isPss ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5';
  const as = field === undefined ? { __proto__: null, name, hash } : curveOf(key.algorithm, name);
  const bits = field === undefined ? modulusBits(key) : 0;
  let saltLength = numbers[At.MessageSize]!;
  const most = Math.ceil((bits - 1) / 8) - digestSize - 2;
  if (isPss && most < 0) refuse(Status.MessageSize);
  if (isPss && saltLength > most) refuse(Status.SaltLength);
  const isAny = isPss && saltLength === -3 && !signs;
  if (saltLength < 0) saltLength = saltLength === -1 ? digestSize : most;
  const ready = await importKey(key, as, signs ? 'sign' : 'verify');
  const params = { __proto__: null, name, hash, saltLength };
  if (signs) {
    const signature = new Uint8Array(await subtle().sign(params, ready, source));
    return isDer ? toDer(signature) : signature;
  }
  const signature = isDer ? fromDer(tag, field!) : tag;
  const size = field === undefined ? Math.ceil(bits / 8) : 2 * field;
  if (signature?.length !== size) return Uint8Array.of(0);
  if (isAny) params.saltLength = saltLengthIn(signature, key, numbers[At.Algorithm]!);
  return Uint8Array.of(Number(await subtle().verify(params, ready, signature, source)));
}

/** Returns a big-endian number. */
const numberOf = (bytes: Uint8Array): bigint =>
  bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);

/**
 * Returns the length of the salt in a signature of RSA-PSS (RFC 8017, 9.1.2), which WebCrypto has
 * to be told; any length that fits if it is no signature. All of its inputs are public.
 */
function saltLengthIn(signature: Uint8Array, key: OpenKey, id: number): number {
  const [modulus, exponent] = partsOf(key).map(numberOf) as [bigint, bigint];
  const base = numberOf(signature);
  let power = 1n;
  for (const bit of exponent.toString(2))
    power = (((power * power) % modulus) * (bit === '1' ? base : 1n)) % modulus;
  const bits = modulusBits(key) - 1;
  const encoded = new Uint8Array(Math.ceil(bits / 8));
  writeNumber(power, encoded);
  const { digestSize } = hashes[id]!;
  // The padding, a 1 and the salt, under a mask that MGF1 makes from the digest after them.
  const end = encoded.length - digestSize - 1;
  const input = new Uint8Array(digestSize + 4);
  input.set(encoded.subarray(end, -1));
  const mask = new Uint8Array(digestSize);
  for (let at = 0; at < end; at++) {
    if (at % digestSize === 0) {
      input[digestSize + 3] = at / digestSize;
      digestOf(id).digest(PLAIN, input, mask);
    }
    const byte = encoded[at]! ^ mask[at % digestSize]!;
    const unused = at === 0 ? 8 * encoded.length - bits : 0;
    if ((byte & (255 >> unused)) !== 0) return end - at - 1;
  }
  return 0;
}

async function agree(own: OpenKey, peer: OpenKey): Promise<Uint8Array> {
  const as = curveOf(own.algorithm, 'ECDH');
  const key = await importKey(own, as, 'deriveBits');
  const params = { __proto__: null, name: 'ECDH', public: await importKey(peer, as) };
  return new Uint8Array(await subtle().deriveBits(params, key, 8 * fieldOf(own.algorithm)!));
}

async function encryptOrDecrypt(work: Work, key: OpenKey): Promise<Uint8Array> {
  const { operation, numbers, aad, source } = work;
  if (numbers[At.Count] !== EncryptionPadding.Oaep) lacks('PKCS#1 v1.5 encryption');
  const [hash, digestSize] = hashOf(work);
  const name = 'RSA-OAEP';
  const as = { __proto__: null, name, hash };
  const params = { __proto__: null, name, label: aad };
  const size = Math.ceil(modulusBits(key) / 8);
  if (operation === Operation.PublicEncrypt) {
    if (source.length > size - 2 * digestSize - 2) refuse(Status.MessageSize);
    return new Uint8Array(
      await subtle().encrypt(params, await importKey(key, as, 'encrypt'), source),
    );
  }
  if (source.length !== size) refuse(Status.CiphertextSize);
  const ready = await importKey(key, as, 'decrypt');
  try {
    return new Uint8Array(await subtle().decrypt(params, ready, source));
  } catch {
    return refuse(Status.Decryption);
  }
}

/** The numbers of new RSA keys. */
const NEW_BITS_MIN = 2048;
const NEW_BITS_MAX = 8192;
const NEW_BITS_STEP = 128;

async function generate({ numbers, key }: Work): Promise<Uint8Array> {
  const algorithm = numbers[At.Algorithm]!;
  const [bits, exponent] = [numbers[At.Count]!, numbers[At.MessageSize]!];
  let as = curveOf(algorithm, 'ECDSA');
  if (isRsa(algorithm)) {
    if (bits < NEW_BITS_MIN || bits > NEW_BITS_MAX || bits % NEW_BITS_STEP !== 0)
      refuse(Status.ModulusSize);
    if (!(exponent >= 3 && exponent % 2 === 1 && exponent < 2 ** 32)) refuse(Status.Exponent);
    if (numbers[At.SeedLow] !== NO_HASH) lacks('keys that are restricted to a hash');
    const bytes = [24, 16, 8, 0].map((shift) => (exponent >>> shift) & 255);
    const publicExponent = Uint8Array.from(bytes.slice(bytes.findIndex((byte) => byte > 0)));
    const name = 'RSASSA-PKCS1-v1_5';
    as = { __proto__: null, name, hash: 'SHA-256', modulusLength: bits, publicExponent };
  }
  const { privateKey } = await subtle().generateKey(as, true, ['sign', 'verify']);
  const der = new Uint8Array(await subtle().exportKey('pkcs8', privateKey)) as Secret;
  const bytes = imported(KeyForm.Pkcs8, 0, der);
  wipe(der);
  bytes[0] = algorithm;
  (key as AsymmetricKey).fill(bytes);
  return NOTHING;
}

/** Returns a result of the target's size; of a padded one the last two bytes are the size. */
export function fitting(target: Uint8Array, result: Uint8Array, isPadded: boolean): Uint8Array {
  const room = target.length - (isPadded ? 2 : 0);
  if (isPadded ? result.length > room : result.length !== room) refuse(Status.OutputSize);
  if (!isPadded) return result;
  const bytes = new Uint8Array(target.length);
  bytes.set(result);
  bytes.set(sizeBytes(result.length), room);
  return bytes;
}
