// xxhash-addon (native): the C library itself, behind Buffers.

import { requirePackage, version } from '../packages.mjs';

export const name = 'xxhash-addon';

export function load() {
  const { XXHash32, XXHash64, XXHash3 } = requirePackage(name);
  return {
    classes: { xxh32: XXHash32, xxh64: XXHash64, 'xxh3-64': XXHash3 },
    version: version(name),
  };
}

export function prepare({ classes }, inputs) {
  inputs.XXHash = classes[inputs.algorithm];
}

const hash = { group: 'hash', wait: 'sync' };

export const forms = [
  {
    name: 'hash',
    ...hash,
    algorithm: 'xxh32',
    output: 'bigint',
    make:
      (_tools, { XXHash, source }) =>
      () =>
        XXHash.hash(source).readUInt32BE(),
  },
  {
    name: 'hash',
    ...hash,
    algorithm: 'xxh64',
    output: 'bigint',
    make:
      (_tools, { XXHash, source }) =>
      () =>
        XXHash.hash(source).readBigUInt64BE(),
  },
  {
    name: 'hash',
    ...hash,
    algorithm: 'xxh3-64',
    output: 'bigint',
    make:
      (_tools, { XXHash, source }) =>
      () =>
        XXHash.hash(source).readBigUInt64BE(),
  },
  {
    name: 'hash',
    ...hash,
    output: 'hex',
    make:
      (_tools, { XXHash, source }) =>
      () =>
        XXHash.hash(source).toString('hex'),
  },
];
