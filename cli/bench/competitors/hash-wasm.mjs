// hash-wasm (WebAssembly). Its one-shots are promises; its hashers are made once, before the clock
// starts, and begun anew by init().

import { requirePackage, version } from '../packages.mjs';

export const name = 'hash-wasm';

export async function load() {
  const wasm = requirePackage(name);
  return {
    wasm,
    hashers: {
      blake3: await wasm.createBLAKE3(),
      keccak256: await wasm.createKeccak(256),
      md5: await wasm.createMD5(),
      sha1: await wasm.createSHA1(),
      sha256: await wasm.createSHA256(),
      'sha3-256': await wasm.createSHA3(256),
      sha512: await wasm.createSHA512(),
      'xxh3-64': await wasm.createXXHash3(),
      xxh32: await wasm.createXXHash32(),
      xxh64: await wasm.createXXHash64(),
    },
    oneShots: {
      blake3: wasm.blake3,
      keccak256: (data) => wasm.keccak(data, 256),
      sha256: wasm.sha256,
      'sha3-256': (data) => wasm.sha3(data, 256),
      xxh64: wasm.xxhash64,
    },
    version: version(name),
  };
}

export function prepare({ hashers, oneShots }, inputs) {
  inputs.hasher = hashers[inputs.algorithm];
  inputs.oneShot = oneShots[inputs.algorithm];
}

const hash = { group: 'hash', wait: 'sync' };
const text = { group: 'text', wait: 'sync' };
const hasher = { group: 'hasher', wait: 'sync' };
const many = { group: 'many', wait: 'sync' };

export const forms = [
  {
    name: 'hasher',
    ...hash,
    output: 'bigint',
    make:
      (_tools, { hasher, source }) =>
      () =>
        BigInt('0x' + hasher.init().update(source).digest('hex')),
  },
  {
    name: 'hasher',
    ...hash,
    output: 'hex',
    make:
      (_tools, { hasher, source }) =>
      () =>
        hasher.init().update(source).digest('hex'),
  },
  {
    name: 'hasher',
    ...hash,
    output: 'buffer',
    make:
      (_tools, { hasher, source }) =>
      () =>
        hasher.init().update(source).digest('binary'),
  },
  {
    name: 'one-shot',
    group: 'hash',
    wait: 'promise',
    output: 'hex',
    make:
      (_tools, { oneShot, source }) =>
      () =>
        oneShot(source),
  },

  {
    name: 'hasher',
    ...text,
    output: 'bigint',
    make:
      (_tools, { hasher, text }) =>
      () =>
        BigInt('0x' + hasher.init().update(text).digest('hex')),
  },
  {
    name: 'hasher',
    ...text,
    output: 'hex',
    make:
      (_tools, { hasher, text }) =>
      () =>
        hasher.init().update(text).digest('hex'),
  },

  {
    name: 'hasher',
    ...hasher,
    output: 'hex',
    make:
      (_tools, { hasher, parts: [a, b, c] }) =>
      () =>
        hasher.init().update(a).update(b).update(c).digest('hex'),
  },

  {
    name: 'loop of hasher',
    ...many,
    output: 'buffer',
    make:
      (_tools, { hasher, sources }) =>
      () =>
        sources.map((source) => hasher.init().update(source).digest('binary')),
  },
  {
    name: 'loop of hasher',
    ...many,
    output: 'hex',
    make:
      (_tools, { hasher, sources }) =>
      () =>
        sources.map((source) => hasher.init().update(source).digest('hex')),
  },
];
