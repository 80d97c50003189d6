/**
 * WebIDL: reads algorithms as dictionaries, each member once and in the standard's order, so that
 * the platform and Millrace see the same values.
 */
import { findCipher, findHash } from '../../catalog/catalog.js';
import type { CipherFacts, HashFacts } from '../../catalog/facts.js';
import { isLost, sizeOf } from '../../base/intrinsics.js';
import { bytesOf, copyOf, exception, isLacking } from './platform.js';

/** The types of members. */
const enum Type {
  Bytes,
  Octet,
  Short,
  Long,
  Hash,
  Name,
  Key,
}

const INTEGER_MAX = [0, 0xff, 0xffff, 0xffff_ffff];

interface Member {
  readonly key: string;
  readonly type: Type;
  readonly required: boolean;
  /** The key in an early draft, which Node.js 24.12 and 25 read. Passed to the platform only. */
  readonly early: string | undefined;
}

/** An algorithm that Millrace serves. */
export interface Served {
  /** The name as the standard writes it. */
  readonly name: string;
  /** True if the platform lacks it: then keys and errors are Millrace's. */
  readonly lacking: boolean;
  /** A hash, also of KMAC. */
  readonly hash: HashFacts | undefined;
  /** The bits of a key that has one size, or those of the default. */
  readonly bits: number | undefined;
  /** The usages of private and public keys, if it has such. */
  readonly usages:
    readonly [forPrivate: readonly string[], forPublic: readonly string[]] | undefined;
}

/** An algorithm that was read. */
export interface Algorithm {
  readonly served: Served;
  /** The members as they were read, for the platform. */
  readonly given: Record<string, unknown>;
  /** The members converted. Absent ones are undefined. */
  readonly bytes: Readonly<Record<string, Uint8Array | undefined>>;
  readonly numbers: Readonly<Record<string, number | undefined>>;
  /** The hash of `hash`. */
  readonly hash: HashFacts | undefined;
  /** The problem; undefined if every member is valid. */
  readonly problem: Error | undefined;
}

/** An algorithm that Millrace does not serve, to pass to the platform. */
export interface Unserved {
  readonly served: undefined;
  readonly given: unknown;
}

const member = (type: Type, required: boolean) => (key: string) => ({
  key,
  type,
  required,
  early: undefined,
});
const [needsBytes, takesBytes] = [member(Type.Bytes, true), member(Type.Bytes, false)];
const [needsLong, takesLong] = [member(Type.Long, true), member(Type.Long, false)];
const takesOctet = member(Type.Octet, false);
const outputLength: Member = { ...needsLong('outputLength'), early: 'length' };
const hash = member(Type.Hash, true)('hash');

/** Digests without parameters, with the names of the catalog. */
const plainHashes = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
const modernHashes = ['SHA3-256', 'SHA3-384', 'SHA3-512'];
const KEYED = ['importKey', 'generateKey', 'keyLength'];
const CIPHERS = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];

type Table = Map<string, { readonly served: Served; readonly members: readonly Member[] }>;
const tables = new Map<string, Table>();
/** All members, so that none is read from Object.prototype. */
const absent: Record<'bytes' | 'numbers', Record<string, undefined>> = { bytes: {}, numbers: {} };

/** Registers an algorithm for operations; names are found in any case. */
function register(
  operations: readonly string[],
  given: Pick<Served, 'name' | 'lacking'> & Partial<Served>,
  members: readonly Member[] = [],
): void {
  const served: Served = { hash: undefined, bits: undefined, usages: undefined, ...given };
  for (const { key, type } of members)
    absent[type === Type.Bytes ? 'bytes' : 'numbers'][key] = undefined;
  for (const operation of operations) {
    let table = tables.get(operation);
    if (table === undefined) tables.set(operation, (table = new Map()));
    for (const name of new Set([served.name, served.name.toUpperCase()]))
      table.set(name, { served, members });
  }
}

function registerHashes(): void {
  for (const name of plainHashes)
    register(['digest'], { name, lacking: false, hash: findHash(name) });
  for (const name of modernHashes)
    register(['digest'], { name, lacking: isLacking('digest', { name }), hash: findHash(name) });
  const extendable: Readonly<Record<string, readonly Member[]>> = {
    cSHAKE: [takesBytes('customization'), takesBytes('functionName'), outputLength],
    TurboSHAKE: [takesOctet('domainSeparation'), outputLength],
    KT: [takesBytes('customization'), outputLength],
  };
  for (const [family, members] of Object.entries(extendable))
    for (const bits of [128, 256]) {
      const name = `${family}${bits}`;
      // The youngest of them: the platform's errors are not needed.
      const lacking = family !== 'cSHAKE' || isLacking('digest', { name, outputLength: 256 });
      register(['digest'], { name, lacking, hash: findHash(name) }, members);
    }
}

function registerMacs(): void {
  const hmac = { name: 'HMAC', lacking: false };
  register(['sign', 'verify'], hmac);
  register(KEYED, hmac, [hash, takesLong('length')]);
  for (const bits of [128, 256]) {
    const name = `KMAC${bits}`;
    const lacking = isLacking('importKey', { name });
    const kmac = { name, lacking, hash: findHash(name), bits };
    register(['sign', 'verify'], kmac, [takesBytes('customization'), outputLength]);
    register(KEYED, kmac, [takesLong('length')]);
  }
}

function registerCiphers(): void {
  const aead = [takesBytes('additionalData'), needsBytes('iv'), takesOctet('tagLength')];
  const length = member(Type.Short, true)('length');
  const counter = [needsBytes('counter'), member(Type.Octet, true)('length')];
  for (const [name, operations, members] of [
    ['AES-GCM', CIPHERS, aead],
    ['AES-CTR', CIPHERS, counter],
    ['AES-KW', ['wrapKey', 'unwrapKey'], []],
  ] as const) {
    const aes = { name, lacking: false };
    register(operations, aes, members);
    register(['importKey'], aes);
    register(['generateKey', 'keyLength'], aes, [length]);
  }
  const name = 'ChaCha20-Poly1305';
  const chacha = { name, lacking: isLacking('importKey', { name }), bits: 256 };
  register(CIPHERS, chacha, aead);
  register(KEYED, chacha);
}

function registerDerivations(): void {
  const salt = needsBytes('salt');
  for (const [name, members] of [
    ['HKDF', [hash, needsBytes('info'), salt]],
    ['PBKDF2', [hash, needsLong('iterations'), salt]],
  ] as const) {
    register(['importKey', 'keyLength'], { name, lacking: false });
    register(['deriveBits'], { name, lacking: false }, members);
  }
  for (const name of ['Argon2d', 'Argon2i', 'Argon2id']) {
    const served = { name, lacking: isLacking('importKey', { name }) };
    register(['importKey', 'keyLength'], served);
    register(['deriveBits'], served, [
      takesBytes('associatedData'),
      needsLong('memory'),
      needsBytes('nonce'),
      needsLong('parallelism'),
      needsLong('passes'),
      takesBytes('secretValue'),
      takesOctet('version'),
    ]);
  }
}

function registerPublicKeys(): void {
  const curve = member(Type.Name, true)('namedCurve');
  const rsa = [needsLong('modulusLength'), needsBytes('publicExponent'), hash];
  const peer = member(Type.Key, true)('public');
  const signs = [['sign'], ['verify']] as const;
  const agrees = [['deriveKey', 'deriveBits'], []] as const;
  const opens = [
    ['decrypt', 'unwrapKey'],
    ['encrypt', 'wrapKey'],
  ] as const;
  const encapsulates = [
    ['decapsulateKey', 'decapsulateBits'],
    ['encapsulateKey', 'encapsulateBits'],
  ] as const;
  const lattices = (family: string, sizes: number[]): string[] =>
    sizes.map((size) => `${family}-${size}`);
  const context = [takesBytes('context')];
  for (const [names, usages, generated, imported, operations, members] of [
    [['ECDSA'], signs, [curve], [curve], ['sign', 'verify'], [hash]],
    [['Ed25519'], signs, [], [], ['sign', 'verify'], []],
    [lattices('ML-DSA', [44, 65, 87]), signs, [], [], ['sign', 'verify'], context],
    [['RSASSA-PKCS1-v1_5'], signs, rsa, [hash], ['sign', 'verify'], []],
    [['RSA-PSS'], signs, rsa, [hash], ['sign', 'verify'], [needsLong('saltLength')]],
    [['RSA-OAEP'], opens, rsa, [hash], CIPHERS, [takesBytes('label')]],
    [['ECDH'], agrees, [curve], [curve], ['deriveBits'], [peer]],
    [['X25519'], agrees, [], [], ['deriveBits'], [peer]],
    [
      lattices('ML-KEM', [512, 768, 1024]),
      encapsulates,
      [],
      [],
      ['encapsulate', 'decapsulate'],
      [],
    ],
  ] as const)
    for (const name of names) {
      const lacking = name.startsWith('ML-') && isLacking('importKey', { name });
      const served = { name, lacking, usages };
      register(['generateKey'], served, generated);
      register(['importKey'], served, imported);
      register(operations, served, members);
    }
}

registerHashes();
registerMacs();
registerCiphers();
registerDerivations();
registerPublicKeys();

const tableOf = tables.get.bind(tables);
const { getOwnPropertyDescriptor } = Object;
const upper = Function.prototype.call.bind(String.prototype.toUpperCase) as (
  text: string,
) => string;
const find = Function.prototype.call.bind(Map.prototype.get) as (
  table: Table,
  name: string,
) => ReturnType<Table['get']>;

/** Reads an algorithm for an operation. May run the caller's code, and throws its exceptions. */
export function readAlgorithm(operation: string, given: unknown): Algorithm | Unserved {
  const table = tableOf(operation)!;
  if (typeof given === 'string') {
    const entry = find(table, given) ?? find(table, upper(given));
    return entry === undefined ? { served: undefined, given } : readMembers(entry, {});
  }
  if (!isObject(given)) return { served: undefined, given };
  const own = getOwnPropertyDescriptor(given, 'name');
  const name = (given as { readonly name?: unknown }).name;
  const entry =
    typeof name === 'string' ? (find(table, name) ?? find(table, upper(name))) : undefined;
  if (entry !== undefined) return readMembers(entry, given as Record<string, unknown>);
  // The platform reads the other members, but the name was read.
  return own !== undefined && Object.hasOwn(own, 'value')
    ? { served: undefined, given }
    : { served: undefined, given: Object.create(given, { name: { value: name } }) as object };
}

/** Returns the algorithm of a name as the standard writes it, which has keys. */
export function servedNamed(name: string): Served {
  return find(tableOf('importKey')!, name)!.served;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function readMembers(
  { served, members }: { readonly served: Served; readonly members: readonly Member[] },
  object: Readonly<Record<string, unknown>>,
): Algorithm {
  const given: Record<string, unknown> = { name: served.name };
  if (members.length === 0) return { served, given, ...NONE };
  const bytes: Record<string, Uint8Array | undefined> = { ...absent.bytes };
  const numbers: Record<string, number | undefined> = { ...absent.numbers };
  let facts: HashFacts | undefined;
  let problem: Error | undefined;
  for (let index = 0; index < members.length; index++) {
    const { key, type, required, early } = members[index]!;
    const value = object[key];
    if (value === undefined) {
      if (required) problem ??= new TypeError(`${served.name}: ${key} is required`);
      if (early !== undefined) given[early] = object[early];
      continue;
    }
    given[key] = value;
    if (type === Type.Bytes) {
      const found = bytesOf(value);
      if (found === undefined) problem ??= new TypeError(`${key} is not a BufferSource`);
      bytes[key] = found;
    } else if (type === Type.Hash) {
      const read = readAlgorithm('digest', value);
      given[key] = read.given;
      // Neither the platform nor Millrace combines extendable outputs with HMAC.
      facts = read.served?.hash;
      if (facts === undefined || !facts.hmac) {
        facts = undefined;
        problem ??= exception('NotSupportedError', `${served.name}: hash is not supported`);
      }
    } else if (type === Type.Name) {
      given[key] = `${value as string}`;
    } else if (type !== Type.Key) {
      const number = typeof value === 'number' ? value : toNumber(value);
      given[key] = number;
      const integer = Math.trunc(number);
      if (!(integer >= 0 && integer <= INTEGER_MAX[type]!))
        problem ??= new TypeError(`${key} must be from 0 to ${INTEGER_MAX[type]}`);
      numbers[key] = integer;
    }
  }
  // The caller's code may have detached one after it was read.
  for (let index = 0; index < members.length; index++) {
    const { key, type } = members[index]!;
    if (type !== Type.Bytes) continue;
    const found = bytes[key];
    if (found !== undefined && sizeOf(found) === 0 && isLost(given[key] as ArrayBufferView))
      problem ??= new TypeError(`${key} is detached`);
  }
  return { served, given, bytes, numbers, hash: facts, problem };
}

/**
 * Returns an algorithm with copies of its bytes, for use after an await: Millrace's, or one in the
 * platform, as that of wrapKey in Node.js 20.
 */
export function withCopies(algorithm: Algorithm | Unserved): Algorithm | Unserved {
  if (algorithm.served === undefined)
    return { served: undefined, given: snapshotOf(algorithm.given) };
  const bytes: Record<string, Uint8Array | undefined> = { ...absent.bytes };
  const given = { ...algorithm.given };
  for (const key of Object.keys(algorithm.bytes)) {
    if (!Object.hasOwn(given, key)) continue;
    given[key] = copyOf(given[key]);
    bytes[key] = bytesOf(given[key]);
  }
  return { ...algorithm, given, bytes };
}

/** Reads each member that an object has, and returns an object that inherits from it. */
function snapshotOf(given: unknown): unknown {
  if (!isObject(given)) return given;
  const members = Object.create(null) as PropertyDescriptorMap;
  for (
    let each: object | null = given;
    each !== null && each !== Object.prototype;
    each = Object.getPrototypeOf(each) as object | null
  )
    for (const key of Object.getOwnPropertyNames(each))
      members[key] ??= { value: copyOf((given as Record<string, unknown>)[key]) };
  return Object.create(given, members);
}

const NONE = { ...absent, hash: undefined, problem: undefined };

/** Converts by ToNumber, which throws for a BigInt too. */
function toNumber(value: unknown): number {
  return +(value as number);
}

/** Returns the cipher of a key of so many bytes; undefined if the algorithm is none. */
export function cipherOfKey(name: string, size: number): CipherFacts | undefined {
  if (name === 'ChaCha20-Poly1305') return size === 32 ? findCipher(name) : undefined;
  const isCipher = name === 'AES-GCM' || name === 'AES-CTR';
  return isCipher ? findCipher(`aes-${size * 8}-${name.slice(4)}`) : undefined;
}
