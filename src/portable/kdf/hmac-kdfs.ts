/** PBKDF2 and HKDF as functions of the engine, over every hash that has HMAC. */
import type { HashFacts } from '../../catalog/facts.js';
import { hashes } from '../../catalog/catalog-table.js';
import { Status } from '../../request/frame.js';
import { prepareMac } from '../hashes/index.js';
import { pbkdf2 as byPlatform } from '../webcrypto.js';
import { put, refused, word, type Derivation, type Kdf, type Numbers } from './contract.js';
import { hkdf as derive, hkdfExpand as expand, hkdfExtract as extract } from './hkdf.js';
import { libraryIteration } from './hmac-iteration.js';
import { macChain, overChain } from './pbkdf2.js';

interface OverHash extends Derivation {
  /** The hash's number in the catalog. */
  readonly hash: number;
}

interface Pbkdf2 extends OverHash {
  readonly what: 'pbkdf2';
  readonly iterations: number;
}

interface Hkdf extends OverHash {
  readonly what: 'hkdf' | 'hkdf-extract' | 'hkdf-expand';
}

/** WebCrypto takes 0.25 us for an iteration of SHA-256 and 50 us for a call, JavaScript 1.3 us. */
const PLATFORM_LEAST = 100;

export const pbkdf2: Kdf<Pbkdf2> = {
  what: 'pbkdf2',
  read: (numbers) => ({
    what: 'pbkdf2',
    hash: hashOf(numbers),
    iterations: word(numbers.costs[0]),
  }),
  check({ hash, iterations }) {
    macFacts(hash);
    if (iterations === 0) refused(Status.Cost);
  },
  memory: () => 0,
  predict: ({ hash, iterations }, size) =>
    hmacNanoseconds(hash) * blocks(hash, size) * (iterations + 2),
  derive({ hash, iterations }, { password, salt }, target, progress) {
    const { name, digestSize } = macFacts(hash);
    const iteration = libraryIteration(name, password);
    if (iteration !== undefined) return overChain(iteration, salt, iterations, target, progress);
    const mac = prepareMac(hash, password);
    try {
      overChain(macChain(mac, digestSize), salt, iterations, target, progress);
    } finally {
      mac.dispose();
    }
  },
  // Some browsers refuse empty passwords.
  async deriveFast({ hash, iterations }, { password, salt }, target) {
    if (iterations < PLATFORM_LEAST) return false;
    const key = await byPlatform(hash, password, salt, iterations, target.length);
    if (key !== undefined) put(key, target);
    return key !== undefined;
  },
};

export const hkdf: Kdf<Hkdf> = {
  what: 'hkdf',
  read: (numbers) => ({ what: 'hkdf', hash: hashOf(numbers) }),
  check({ hash }, _input, size) {
    if (size > 255 * macFacts(hash).digestSize) refused(Status.OutputSize);
  },
  memory: () => 0,
  predict: ({ hash }, size) => 2 * hmacNanoseconds(hash) * (blocks(hash, size) + 2),
  derive: ({ hash }, { password, salt, aad }, target) =>
    derive((key) => prepareMac(hash, key), macFacts(hash).digestSize, password, salt, aad, target),
};

export const hkdfExtract: Kdf<Hkdf> = {
  what: 'hkdf-extract',
  read: (numbers) => ({ what: 'hkdf-extract', hash: hashOf(numbers) }),
  check({ hash }, _input, size) {
    if (size !== macFacts(hash).digestSize) refused(Status.OutputSize);
  },
  memory: () => 0,
  predict: ({ hash }) => 2 * hmacNanoseconds(hash),
  derive: ({ hash }, { password, salt }, target) =>
    extract((key) => prepareMac(hash, key), password, salt, target),
};

export const hkdfExpand: Kdf<Hkdf> = {
  what: 'hkdf-expand',
  read: (numbers) => ({ what: 'hkdf-expand', hash: hashOf(numbers) }),
  check({ hash }, { password }, size) {
    const { digestSize } = macFacts(hash);
    if (password.length < digestSize) refused(Status.KeySize);
    if (size > 255 * digestSize) refused(Status.OutputSize);
  },
  memory: () => 0,
  predict: ({ hash }, size) => 2 * hmacNanoseconds(hash) * (blocks(hash, size) + 1),
  derive: ({ hash }, { password, aad }, target) =>
    expand((key) => prepareMac(hash, key), macFacts(hash).digestSize, password, aad, target),
};

function hashOf({ hash }: Numbers): number {
  return hashes[hash] === undefined ? refused(Status.NotSupported) : hash;
}

function macFacts(hash: number): HashFacts {
  const facts = hashes[hash]!;
  return facts.hmac ? facts : refused(Status.NotSupported);
}

function blocks(hash: number, size: number): number {
  return Math.ceil(size / Math.max(hashes[hash]!.digestSize, 1));
}

/**
 * Returns the nanoseconds of an HMAC of a short message under a prepared key. JavaScript computes
 * 64-bit words from two numbers.
 */
function hmacNanoseconds(hash: number): number {
  const { name } = hashes[hash]!;
  if (/^(md5|sha1|ripemd160|sha224|sha256)$/.test(name)) return 2000;
  return name.startsWith('sha384') || name.startsWith('sha512') ? 6000 : 16_000;
}
