// xxhash-wasm (WebAssembly): BigInts, for xxh32 numbers. No XXH3.

import { requirePackage, version } from '../packages.mjs';

export const name = 'xxhash-wasm';

export async function load() {
  return { xxhash: await requirePackage(name)(), version: version(name) };
}

export function prepare() {}

const xxh32 = { algorithm: 'xxh32', wait: 'sync' };
const xxh64 = { algorithm: 'xxh64', wait: 'sync' };

export const forms = [
  {
    name: 'h32Raw',
    group: 'hash',
    ...xxh32,
    output: 'bigint',
    make:
      ({ xxhash }, { source }) =>
      () =>
        xxhash.h32Raw(source),
  },
  {
    name: 'h64Raw',
    group: 'hash',
    ...xxh64,
    output: 'bigint',
    make:
      ({ xxhash }, { source }) =>
      () =>
        xxhash.h64Raw(source),
  },
  {
    name: 'h64Raw',
    group: 'hash',
    ...xxh64,
    output: 'hex',
    make:
      ({ xxhash }, { source }) =>
      () =>
        xxhash.h64Raw(source).toString(16).padStart(16, '0'),
  },
  {
    name: 'h64',
    group: 'text',
    ...xxh64,
    output: 'bigint',
    make:
      ({ xxhash }, { text }) =>
      () =>
        xxhash.h64(text),
  },
  {
    name: 'create64',
    group: 'hasher',
    ...xxh64,
    output: 'hex',
    make:
      ({ xxhash }, { parts: [a, b, c] }) =>
      () =>
        xxhash.create64().update(a).update(b).update(c).digest().toString(16).padStart(16, '0'),
  },
];
