// @napi-rs/blake-hash (native): the same Rust crates as ours, behind another binding.

import { requirePackage, version } from '../packages.mjs';

export const name = '@napi-rs/blake-hash';

export function load() {
  return { blake: requirePackage(name), version: version(name) };
}

export function prepare() {}

const blake3 = { algorithm: 'blake3', wait: 'sync' };

export const forms = [
  {
    name: 'blake3',
    group: 'hash',
    ...blake3,
    output: 'bigint',
    make:
      ({ blake }, { source }) =>
      () =>
        BigInt('0x' + blake.blake3(source).toString('hex')),
  },
  {
    name: 'blake3',
    group: 'hash',
    ...blake3,
    output: 'hex',
    make:
      ({ blake }, { source }) =>
      () =>
        blake.blake3(source).toString('hex'),
  },
  {
    name: 'blake3',
    group: 'hash',
    ...blake3,
    output: 'buffer',
    make:
      ({ blake }, { source }) =>
      () =>
        blake.blake3(source),
  },
  {
    name: 'Blake3Hasher',
    group: 'hasher',
    ...blake3,
    output: 'hex',
    make:
      ({ blake }, { parts: [a, b, c] }) =>
      () =>
        new blake.Blake3Hasher().update(a).update(b).update(c).digest('hex'),
  },
];
