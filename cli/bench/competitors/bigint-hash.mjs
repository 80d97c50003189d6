// bigint-hash 0.2, the original package of the digests: one-shots, a hasher, no hex.

import { needsAddon, requirePackage, version } from '../packages.mjs';

export const name = 'bigint-hash';

export function load() {
  needsAddon(name, 'build/Release/openssl.node');
  return { bigints: requirePackage(name), version: version(name) };
}

/** Names that differ from Millrace's. */
export const hashTypes = { xxh32: 'xxHash32', xxh64: 'xxHash64' };

export function prepare(_tools, inputs) {
  inputs.hashType = hashTypes[inputs.algorithm] ?? inputs.algorithm;
}

const hash = { group: 'hash', wait: 'sync' };
const direct = { group: 'bigint-hash', wait: 'sync', output: 'bigint' };
const text = { group: 'text', wait: 'sync' };
const hasher = { group: 'hasher', wait: 'sync' };
const many = { group: 'many', wait: 'sync' };

export const forms = [
  {
    name: 'hashAsBigInt',
    ...hash,
    output: 'bigint',
    make:
      ({ bigints }, { hashType, source }) =>
      () =>
        bigints.hashAsBigInt(hashType, source),
  },
  {
    name: 'hashAsBigInt',
    ...direct,
    operation: 'hashAsBigInt',
    make:
      ({ bigints }, { hashType, source }) =>
      () =>
        bigints.hashAsBigInt(hashType, source),
  },
  {
    name: 'getHasher',
    ...direct,
    operation: 'getHasher',
    make:
      ({ bigints }, { hashType, source }) =>
      () =>
        bigints.getHasher(hashType).update(source).digestBigInt(),
  },

  {
    name: 'hashAsBuffer',
    ...hash,
    output: 'buffer',
    make:
      ({ bigints }, { hashType, source }) =>
      () =>
        bigints.hashAsBuffer(hashType, source),
  },
  {
    name: 'hashAsBuffer',
    ...hash,
    output: 'hex',
    make:
      ({ bigints }, { hashType, source }) =>
      () =>
        bigints.hashAsBuffer(hashType, source).toString('hex'),
  },

  {
    name: 'getHasher',
    ...text,
    output: 'bigint',
    make:
      ({ bigints }, { hashType, text }) =>
      () =>
        bigints.getHasher(hashType).update(text).digestBigInt(),
  },
  {
    name: 'getHasher',
    ...text,
    output: 'hex',
    make:
      ({ bigints }, { hashType, text }) =>
      () =>
        bigints.getHasher(hashType).update(text).digest().toString('hex'),
  },

  {
    name: 'getHasher',
    ...hasher,
    output: 'hex',
    make:
      ({ bigints }, { hashType, parts: [a, b, c] }) =>
      () =>
        bigints.getHasher(hashType).update(a).update(b).update(c).digest().toString('hex'),
  },

  {
    name: 'loop of hashAsBuffer',
    ...many,
    output: 'buffer',
    make:
      ({ bigints }, { hashType, sources }) =>
      () =>
        sources.map((source) => bigints.hashAsBuffer(hashType, source)),
  },
  {
    name: 'loop of hashAsBuffer',
    ...many,
    output: 'hex',
    make:
      ({ bigints }, { hashType, sources }) =>
      () =>
        sources.map((source) => bigints.hashAsBuffer(hashType, source).toString('hex')),
  },
];
