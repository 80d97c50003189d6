// @noble/hashes: JavaScript, Uint8Arrays in and out. ethereum-cryptography hands on the same
// functions.

import { load as read, version } from '../packages.mjs';

export const name = '@noble/hashes';

export async function load() {
  const { sha256, sha512 } = await read('@noble/hashes/sha2.js');
  const { keccak_256, sha3_256 } = await read('@noble/hashes/sha3.js');
  const { blake3 } = await read('@noble/hashes/blake3.js');
  const { md5, sha1 } = await read('@noble/hashes/legacy.js');
  const { bytesToHex, utf8ToBytes } = await read('@noble/hashes/utils.js');
  return {
    hashes: { blake3, keccak256: keccak_256, md5, sha1, sha256, 'sha3-256': sha3_256, sha512 },
    bytesToHex,
    utf8ToBytes,
    version: version(name),
  };
}

export function prepare({ hashes }, inputs) {
  inputs.noble = hashes[inputs.algorithm];
}

const hash = { group: 'hash', wait: 'sync' };
const text = { group: 'text', wait: 'sync' };
const hasher = { group: 'hasher', wait: 'sync' };
const many = { group: 'many', wait: 'sync' };

export const forms = [
  {
    name: 'hash',
    ...hash,
    output: 'bigint',
    make:
      ({ bytesToHex }, { noble, source }) =>
      () =>
        BigInt('0x' + bytesToHex(noble(source))),
  },
  {
    name: 'hash',
    ...hash,
    output: 'hex',
    make:
      ({ bytesToHex }, { noble, source }) =>
      () =>
        bytesToHex(noble(source)),
  },
  {
    name: 'hash',
    ...hash,
    output: 'buffer',
    make:
      (_tools, { noble, source }) =>
      () =>
        noble(source),
  },

  {
    name: 'hash',
    ...text,
    output: 'hex',
    make:
      ({ bytesToHex, utf8ToBytes }, { noble, text }) =>
      () =>
        bytesToHex(noble(utf8ToBytes(text))),
  },

  {
    name: 'create',
    ...hasher,
    output: 'hex',
    make:
      ({ bytesToHex }, { noble, parts: [a, b, c] }) =>
      () =>
        bytesToHex(noble.create().update(a).update(b).update(c).digest()),
  },

  {
    name: 'loop of hash',
    ...many,
    output: 'buffer',
    make:
      (_tools, { noble, sources }) =>
      () =>
        sources.map((source) => noble(source)),
  },
  {
    name: 'loop of hash',
    ...many,
    output: 'hex',
    make:
      ({ bytesToHex }, { noble, sources }) =>
      () =>
        sources.map((source) => bytesToHex(noble(source))),
  },
];
