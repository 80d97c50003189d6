/**
 * WebAssembly for long messages: hash-wasm's compression with the states of this engine.
 *
 * Compilation is asynchronous, so hashes start in JavaScript; those passed to {@link prepareWasm}
 * then switch to WebAssembly, within the same synchronous calls and with the same states. The
 * library's saved states are the interface. Their layout is not documented, so each hash is tested
 * before use, and one that differs from JavaScript stays in JavaScript. So do all hashes where a
 * page's Content-Security-Policy lacks 'wasm-unsafe-eval'.
 *
 * Speed of 64 KiB on one core in Node 20, relative to JavaScript: sha256 1.4, blake2s 1.8, blake3
 * 2.2, sha1 2.6, sha3 3.4, sha512 4, md5 8, xxh3 10, blake2b 12, xxh64 14. Not xxh32, which
 * JavaScript computes as fast, nor shake128, which the library lacks.
 */
import {
  createBLAKE2b,
  createBLAKE2s,
  createBLAKE3,
  createMD5,
  createRIPEMD160,
  createSHA1,
  createSHA256,
  createSHA3,
  createSHA512,
  createXXHash128,
  createXXHash3,
  createXXHash64,
  type IHasher,
} from 'hash-wasm';
import { hashes as catalog } from '../../catalog/catalog-table.js';
import { takesRawKey } from '../../catalog/parameters.js';
import { Blake2, type CountedBlocks } from './blake2.js';
import { Blake3, type Chunks } from './blake3.js';
import { PLAIN, type Blocks, type HashParams, type PortableHash } from './contract.js';
import { write32 } from './fields.js';
import { hashes } from './index.js';
import { Sponge } from './keccak.js';
import { MerkleDamgard } from './merkle-damgard.js';
import { noteSwitch } from './wasm-switches.js';
import { Xxh3 } from './xxh/xxh3.js';
import type { Runs } from './xxh/xxh3-long.js';
import { Xxh64 } from './xxh/xxh64.js';

/** Bytes before a saved state, which identify the library's hash. */
const PREFIX = 4;

const prepared = new Map<number, Promise<boolean>>();

/**
 * Makes this thread use WebAssembly for messages of more than a few kilobytes, from the resolution
 * of the promise. Resolves with false if that is impossible; the results are the same, only slower.
 */
export function prepareWasm(id: number): Promise<boolean> {
  let result = prepared.get(id);
  if (result === undefined) {
    result = prepare(catalog[id]!.name, hashes[id]!).catch(() => false);
    prepared.set(id, result);
  }
  return result;
}

async function prepare(name: string, hash: PortableHash): Promise<boolean> {
  if (name === 'md5-sha1')
    return (await Promise.all([prepareWasm(0), prepareWasm(1)])).every(Boolean);
  if (hash instanceof MerkleDamgard) {
    const [make, offset] = merkleDamgard[name]!;
    return tried(hash, blocks(await make(), offset));
  }
  if (hash instanceof Sponge) {
    const rate = catalog.find((each) => each.name === name)!.blockSize;
    // The library supports the rates of SHA-3, not that of SHAKE128.
    const size = (200 - rate) * 4;
    return size === 128 ? false : tried(hash, blocks(await createSHA3(size as 224), 0));
  }
  if (hash instanceof Blake2)
    return tried(hash, await (name === 'blake2b512' ? blake2b() : blake2s()));
  if (hash instanceof Blake3) return tried(hash, chunks(await createBLAKE3()));
  if (hash instanceof Xxh64) return tried(hash, blocks(await createXXHash64(0, 0), 0));
  // With a seed: without one the library uses its built-in secret.
  if (hash instanceof Xxh3)
    return tried(
      hash,
      runs(await (name === 'xxh3-64' ? createXXHash3(1, 0) : createXXHash128(1, 0))),
    );
  return false;
}

/** The constructor of each hash, and the offset of the words in its state. */
const merkleDamgard: Readonly<
  Record<string, readonly [make: () => Promise<IHasher>, offset: number]>
> = {
  md5: [createMD5, 8],
  sha1: [createSHA1, 0],
  ripemd160: [createRIPEMD160, 8],
  sha224: [createSHA256, 72],
  sha256: [createSHA256, 72],
  sha384: [createSHA512, 136],
  sha512: [createSHA512, 136],
  'sha512-224': [createSHA512, 136],
  'sha512-256': [createSHA512, 136],
};

/** A message long enough for every accelerator, with a partial block at its end. */
const TRIAL = /* @__PURE__ */ Uint8Array.from(
  { length: 20_000 },
  (_, index) => (index * index + (index >>> 7)) & 255,
);

/**
 * Keeps the accelerator if it gives the same digest in one call and in two, with a seed or key too.
 */
function tried<T>(
  hash: PortableHash & { accelerate(accelerator: T | undefined): void },
  accelerator: T,
): boolean {
  const id = hashes.indexOf(hash);
  const { digestSize, stateSize, seedBits, parameters } = catalog[id]!;
  const special: HashParams = {
    seed: seedBits > 0 ? 0x89abcdefn : 0n,
    key: parameters !== null && takesRawKey(parameters) ? TRIAL.subarray(0, 32) : undefined,
  };
  const digests = [undefined, accelerator].map((each) => {
    hash.accelerate(each);
    const result = new Uint8Array(2 * digestSize);
    const half = result.length / 2;
    const state = new Uint8Array(stateSize);
    hash.digest(PLAIN, TRIAL, result.subarray(0, half));
    hash.update(special, new Uint8Array(0), TRIAL.subarray(0, 7001), state);
    hash.finish(special, state, TRIAL.subarray(7001), result.subarray(half));
    return result.join();
  });
  if (digests[0] !== digests[1]) {
    hash.accelerate(undefined);
    return false;
  }
  noteSwitch(id, (on) => hash.accelerate(on ? accelerator : undefined));
  return true;
}

/** Returns an accelerator: a library's hash that resumes with these words. */
function blocks(library: IHasher, offset: number): Blocks {
  const fresh = library.init().save();
  return (words, source) => {
    const at = PREFIX + offset;
    fresh.set(words, at);
    const after = library.load(fresh).update(source).save();
    words.set(after.subarray(at, at + words.length));
    fresh.fill(0, at, at + words.length);
    after.fill(0);
    library.init();
  };
}

async function blake2b(): Promise<CountedBlocks> {
  return countedBlocks(await createBLAKE2b(512), 64);
}

async function blake2s(): Promise<CountedBlocks> {
  return countedBlocks(await createBLAKE2s(256), 32);
}

/** Returns an accelerator for states with a byte count after the words. */
function countedBlocks(library: IHasher, size: number): CountedBlocks {
  const fresh = library.init().save();
  return (words, source, length) => {
    fresh.set(words, PREFIX);
    write32(fresh, PREFIX + size, length | 0);
    write32(fresh, PREFIX + size + 4, Math.floor(length / 2 ** 32));
    const after = library.load(fresh).update(source).save();
    words.set(after.subarray(PREFIX, PREFIX + size));
    fresh.fill(0, PREFIX, PREFIX + size);
    after.fill(0);
    library.init();
  };
}

/**
 * The parts of BLAKE3's state: key, the chunk at work (its value, number, flags), and the stack of
 * chaining values.
 */
const enum At3 {
  Key = PREFIX,
  Value = PREFIX + 32,
  Number = PREFIX + 64,
  Flags = PREFIX + 138,
  Depth = PREFIX + 144,
  Stack = PREFIX + 145,
}

function chunks(library: IHasher): Chunks {
  const fresh = library.init().save();
  return (place, source) => {
    fresh.set(place.key, At3.Key);
    fresh.set(place.key, At3.Value);
    write32(fresh, At3.Number, place.chunks | 0);
    write32(fresh, At3.Number + 4, Math.floor(place.chunks / 2 ** 32));
    fresh[At3.Flags] = place.flags;
    fresh[At3.Depth] = place.depth;
    fresh.set(place.subtrees.subarray(0, 32 * place.depth), At3.Stack);
    const after = library.load(fresh).update(source).save();
    const view = new DataView(after.buffer, after.byteOffset);
    place.chunks =
      view.getUint32(At3.Number, true) + view.getUint32(At3.Number + 4, true) * 2 ** 32;
    place.depth = after[At3.Depth]!;
    place.subtrees.set(after.subarray(At3.Stack, At3.Stack + 32 * place.depth));
    fresh.fill(0, PREFIX);
    after.fill(0);
    library.init();
  };
}

/** The parts of XXH3's state: lanes, secret, and the number of the next stripe in its block. */
const enum AtXxh3 {
  Lanes = PREFIX,
  Secret = PREFIX + 64,
  Number = PREFIX + 520,
}

function runs(library: IHasher): Runs {
  const fresh = library.init().save();
  return (lanes, source, secret, number) => {
    fresh.set(lanes, AtXxh3.Lanes);
    fresh.set(secret, AtXxh3.Secret);
    write32(fresh, AtXxh3.Number, number);
    const after = library.load(fresh).update(source).save();
    lanes.set(after.subarray(AtXxh3.Lanes, AtXxh3.Lanes + 64));
  };
}
