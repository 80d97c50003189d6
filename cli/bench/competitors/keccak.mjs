// keccak 3 (native, in the shape of node:crypto's Hash): Keccak and SHA-3; it refuses other names.

import { requirePackage, version } from '../packages.mjs';

export const name = 'keccak';

export function load() {
  return { keccak: requirePackage(name), version: version(name) };
}

export function prepare() {}

const sync = { wait: 'sync' };

export const forms = [
  {
    name: 'update',
    group: 'hash',
    ...sync,
    output: 'bigint',
    make:
      ({ keccak }, { algorithm, source }) =>
      () =>
        BigInt('0x' + keccak(algorithm).update(source).digest('hex')),
  },
  {
    name: 'update',
    group: 'hash',
    ...sync,
    output: 'hex',
    make:
      ({ keccak }, { algorithm, source }) =>
      () =>
        keccak(algorithm).update(source).digest('hex'),
  },
  {
    name: 'update',
    group: 'hash',
    ...sync,
    output: 'buffer',
    make:
      ({ keccak }, { algorithm, source }) =>
      () =>
        keccak(algorithm).update(source).digest(),
  },
  {
    name: 'update',
    group: 'text',
    ...sync,
    output: 'hex',
    make:
      ({ keccak }, { algorithm, text }) =>
      () =>
        keccak(algorithm).update(text).digest('hex'),
  },
  {
    name: 'update',
    group: 'hasher',
    ...sync,
    output: 'hex',
    make:
      ({ keccak }, { algorithm, parts: [a, b, c] }) =>
      () =>
        keccak(algorithm).update(a).update(b).update(c).digest('hex'),
  },
  {
    name: 'loop of update',
    group: 'many',
    ...sync,
    output: 'buffer',
    make:
      ({ keccak }, { algorithm, sources }) =>
      () =>
        sources.map((source) => keccak(algorithm).update(source).digest()),
  },
];
