// @node-rs/xxhash (native, Rust): BigInts, for xxh32 numbers.

import { requirePackage, version } from '../packages.mjs';

export const name = '@node-rs/xxhash';

export function load() {
  const { xxh32, xxh64, xxh3, Xxh64 } = requirePackage(name);
  return {
    hashes: { xxh32, xxh64, 'xxh3-64': xxh3.xxh64 },
    hashers: { xxh64: Xxh64, 'xxh3-64': xxh3.Xxh3 },
    version: version(name),
  };
}

export function prepare({ hashes, hashers }, inputs) {
  inputs.xxhash = hashes[inputs.algorithm];
  inputs.Hasher = hashers[inputs.algorithm];
}

const hash = { group: 'hash', wait: 'sync' };
const text = { group: 'text', wait: 'sync' };

export const forms = [
  {
    name: 'one-shot',
    ...hash,
    output: 'bigint',
    make:
      (_tools, { xxhash, source }) =>
      () =>
        xxhash(source),
  },
  {
    name: 'one-shot',
    ...hash,
    output: 'hex',
    make:
      (_tools, { xxhash, source }) =>
      () =>
        xxhash(source).toString(16).padStart(16, '0'),
  },
  {
    name: 'one-shot',
    ...text,
    output: 'bigint',
    make:
      (_tools, { xxhash, text }) =>
      () =>
        xxhash(text),
  },
  {
    name: 'class',
    group: 'hasher',
    wait: 'sync',
    output: 'hex',
    make:
      (_tools, { Hasher, parts: [a, b, c] }) =>
      () =>
        new Hasher().update(a).update(b).update(c).digest().toString(16).padStart(16, '0'),
  },
];
