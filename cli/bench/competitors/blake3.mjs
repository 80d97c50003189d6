// blake3 2.1 as its tarball is: WebAssembly. Its install script would download a native addon, for
// releases up to Node 17 only; version 3.0.0 depends on a blake3-wasm 2.1.7 that was never
// published.

import { requirePackage, version } from '../packages.mjs';

export const name = 'blake3';

export function load() {
  return { blake3: requirePackage(name), version: `${version(name)} (wasm)` };
}

export function prepare() {}

const blake3 = { algorithm: 'blake3', wait: 'sync' };

export const forms = [
  {
    name: 'hash',
    group: 'hash',
    ...blake3,
    output: 'bigint',
    make:
      ({ blake3 }, { source }) =>
      () =>
        BigInt('0x' + blake3.hash(source).toString('hex')),
  },
  {
    name: 'hash',
    group: 'hash',
    ...blake3,
    output: 'hex',
    make:
      ({ blake3 }, { source }) =>
      () =>
        blake3.hash(source).toString('hex'),
  },
  {
    name: 'hash',
    group: 'hash',
    ...blake3,
    output: 'buffer',
    make:
      ({ blake3 }, { source }) =>
      () =>
        blake3.hash(source),
  },
  {
    name: 'createHash',
    group: 'hasher',
    ...blake3,
    output: 'hex',
    make:
      ({ blake3 }, { parts: [a, b, c] }) =>
      () =>
        blake3.createHash().update(a).update(b).update(c).digest('hex'),
  },
];
