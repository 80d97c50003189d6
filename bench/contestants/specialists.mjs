// Packages for the hashes Node has not: hash-wasm (WebAssembly), @napi-rs/blake-hash,
// @node-rs/xxhash and xxhash-addon (native). Synchronous; each is here if it could be installed.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const name = 'specialists';

export async function load() {
  const wasm = tryRequire('hash-wasm');
  const tools = {
    blake3Wasm: await wasm?.createBLAKE3(),
    xxh3Wasm: await wasm?.createXXHash3(),
    blakeAddon: tryRequire('@napi-rs/blake-hash'),
    xxhRust: tryRequire('@node-rs/xxhash'),
    xxhAddon: tryRequire('xxhash-addon'),
  };
  if (Object.values(tools).every((tool) => tool === undefined)) throw new Error('none of its packages is installed');
  return { ...tools, version: '' };
}

export function prepare() {}

function tryRequire(id) {
  try {
    return require(id);
  } catch {
    return undefined;
  }
}

const blake3 = { group: 'hash', algorithm: 'blake3', wait: 'sync', output: 'buffer' };
const xxh3 = { group: 'hash', algorithm: 'xxh3-64', wait: 'sync', output: 'hex' };

export const forms = [
  { name: 'hash-wasm', ...blake3, make: ({ blake3Wasm }, { source }) => () => blake3Wasm.init().update(source).digest('binary') },
  { name: '@napi-rs/blake-hash', ...blake3, make: ({ blakeAddon }, { source }) => () => blakeAddon.blake3(source) },
  { name: 'hash-wasm', ...xxh3, make: ({ xxh3Wasm }, { source }) => () => xxh3Wasm.init().update(source).digest() },
  { name: '@node-rs/xxhash', ...xxh3, make: ({ xxhRust }, { source }) => () => xxhRust.xxh3.xxh64(source).toString(16).padStart(16, '0') },
  { name: 'xxhash-addon', ...xxh3, make: ({ xxhAddon }, { source }) => () => xxhAddon.XXHash3.hash(source).toString('hex') },
];
