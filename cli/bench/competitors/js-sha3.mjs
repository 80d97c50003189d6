// js-sha3: JavaScript, hex strings. The Keccak of many Ethereum libraries.

import { requirePackage, version } from '../packages.mjs';

export const name = 'js-sha3';

export function load() {
  const { keccak256, sha3_256 } = requirePackage(name);
  return { hashes: { keccak256, 'sha3-256': sha3_256 }, version: version(name) };
}

export function prepare({ hashes }, inputs) {
  inputs.sha3 = hashes[inputs.algorithm];
}

const hash = { group: 'hash', wait: 'sync' };

export const forms = [
  {
    name: 'hash',
    ...hash,
    output: 'bigint',
    make:
      (_tools, { sha3, source }) =>
      () =>
        BigInt('0x' + sha3(source)),
  },
  {
    name: 'hash',
    ...hash,
    output: 'hex',
    make:
      (_tools, { sha3, source }) =>
      () =>
        sha3(source),
  },
  {
    name: 'hash',
    ...hash,
    output: 'buffer',
    make:
      (_tools, { sha3, source }) =>
      () =>
        sha3.arrayBuffer(source),
  },
  {
    name: 'hash',
    group: 'text',
    wait: 'sync',
    output: 'hex',
    make:
      (_tools, { sha3, text }) =>
      () =>
        sha3(text),
  },
  {
    name: 'update',
    group: 'hasher',
    wait: 'sync',
    output: 'hex',
    make:
      (_tools, { sha3, parts: [a, b, c] }) =>
      () =>
        sha3.update(a).update(b).update(c).hex(),
  },
  {
    name: 'loop of hash',
    group: 'many',
    wait: 'sync',
    output: 'buffer',
    make:
      (_tools, { sha3, sources }) =>
      () =>
        sources.map((source) => sha3(source)),
  },
];
