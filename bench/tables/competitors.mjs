// Calls for which another library, another route or the plain loop was as fast as Millrace, or is
// close to it.
//
//   forms     a function for each competitor that returns the call; the first is Millrace's.
//             Undefined if the competitor is not installed
//   wait      `sync` returns the result, `promise` a promise of it
//   inFlight  calls in flight (promise only)
//   per       operations in one call
//   bytes     of one operation: the table shows GB/s
//   measure   `call` instead of the rate: the time until the call returns, after a pause in which
//             the workers have fallen asleep
//   tail      the table also shows p99/p50
//   programs  true if the calls start programs

import { execFile } from 'node:child_process';
import crypto from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

import { competitors } from '../../cli/bench/competitors/all.mjs';
import { load as importPackage, requirePackage } from '../../cli/bench/packages.mjs';
import { bytes as label } from '../../cli/bench/report.mjs';
import { choose, enterRow, loadCompetitors, promised } from '../../cli/bench/runner.mjs';
import { root } from '../../tools/steps.mjs';

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;
const key = crypto.randomBytes(32);
const nonce = crypto.randomBytes(12);

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} wait `sync` or `promise`
 * @property {number} [inFlight]
 * @property {number} [per]
 * @property {number} [bytes]
 * @property {string} [measure]
 * @property {boolean} [tail]
 * @property {boolean} [programs]
 * @property {boolean} [verified]
 * @property {(libraries: any) => any} forms
 */

/** Returns Millrace and the other libraries; undefined for one that is not installed. */
export async function load() {
  const require = createRequire(new URL('../../package.json', import.meta.url));
  const present = async (found) => {
    try {
      return await found();
    } catch {
      return undefined;
    }
  };
  const hashWasm = await present(() => requirePackage('hash-wasm'));
  return {
    millrace: require('millrace'),
    promises: require('millrace/promises'),
    bcrypt: await present(() => requirePackage('bcrypt')),
    cryptoAsync: await present(() => requirePackage('@ronomon/crypto-async')),
    hashtree: await present(() => requirePackage('@chainsafe/hashtree')),
    napiBlake: await present(() => requirePackage('@napi-rs/blake-hash')),
    nodeRsCrc32: await present(() => requirePackage('@node-rs/crc32')),
    nobleBlake3: await present(() => importPackage('@noble/hashes/blake3.js')),
    wasmCrc32: await hashWasm?.createCRC32(),
  };
}

/** @returns {Row} */
const sync = (name, forms, more = {}) => ({ name, wait: 'sync', forms, ...more });
/** @returns {Row} */
const waits = (name, forms, more = {}) => ({ name, wait: 'promise', inFlight: 1, forms, ...more });

/**
 * A row of `millrace bench`, by its definition: here it has a separate process, and the fastest
 * rounds count.
 *
 * @returns {Row}
 */
function ofBench(name, definition, size, options = /** @type {any} */ ({})) {
  const { wait = 'sync', ...more } = options;
  const { messages: per = 1 } = definition;
  const inFlight = more.inFlight ?? 1;
  const forms = () =>
    benchForms({ ...definition, alsoSync: wait !== 'sync' }, size, wait, inFlight);
  const shared = { verified: true, per, ...more };
  return wait === 'sync' ? sync(name, forms, shared) : waits(name, forms, { ...shared, inFlight });
}

/**
 * Returns the calls of all competitors that have the job, with equal answers; the error of those
 * that cannot be loaded or answer differently.
 */
async function benchForms(definition, size, wait, inFlight) {
  // Those do not compete, or keep the process alive.
  const others = competitors.filter(({ name }) => name !== 'own loop' && name !== 'piscina');
  const able = others.filter((each) => choose(each, definition, wait).length > 0);
  const { ready, missing } = await loadCompetitors(able);
  const { candidates, wrong } = await enterRow(definition, size, wait, ready, inFlight);
  if (wrong.some((name) => name.startsWith('millrace')))
    throw new Error(`another result: ${wrong.join(', ')}`);
  return Object.fromEntries([
    ...candidates.map(({ competitor, form, calls }) => [
      `${competitor.name} ${form.name}`,
      wait === 'sync' ? calls : calls.map((call) => promised(call, form.wait)),
    ]),
    ...wrong.map((name) => [name, new Error('another result')]),
    ...missing.map(({ name, reason }) => [name, new Error(reason)]),
  ]);
}

const hash = (algorithm, output = 'buffer') => ({ group: 'hash', algorithm, output });
const sealing = (algorithm, keyForm, output) => ({
  group: 'aead',
  algorithm,
  operation: 'seal',
  key: keyForm,
  output,
});
const scrypt = (N) => ({
  group: 'kdf',
  algorithm: 'scrypt',
  operation: `N=${N} r=8 p=1`,
  output: 'buffer',
  parameters: { N, r: 8, p: 1, maxmem: 64 * MiB },
});

const digests = [
  ...['sha256', 'sha512'].flatMap((name) =>
    [16 * KiB, MiB].map((size) =>
      ofBench(`${name} ${label(size)}`, hash(name), size, { bytes: size }),
    ),
  ),
  ...[256, KiB].map((size) => ofBench(`blake3 ${label(size)}`, hash('blake3'), size)),
  sync('blake3 keyed, 32 B', ({ millrace, nobleBlake3, napiBlake }) => {
    const source = crypto.randomBytes(32);
    return {
      millrace: () => millrace.hash('blake3', source, { key }),
      '@noble/hashes': nobleBlake3 && (() => Buffer.from(nobleBlake3.blake3(source, { key }))),
      '@napi-rs/blake-hash':
        napiBlake && (() => napiBlake.Blake3Hasher.newKeyed(key).update(source).digestBuffer()),
    };
  }),
  ...['crc32', 'crc32c'].map((name) =>
    sync(
      `${name} 16 KiB`,
      ({ millrace, nodeRsCrc32, wasmCrc32 }) => {
        const source = crypto.randomBytes(16 * KiB);
        const plain = name === 'crc32' ? /** @type {any} */ (zlib).crc32 : undefined;
        return {
          millrace: () => millrace.hash(name, source, 'bigint'),
          'node:zlib': plain && (() => plain(source)),
          '@node-rs/crc32': nodeRsCrc32 && (() => nodeRsCrc32[name](source)),
          'hash-wasm':
            plain && wasmCrc32 && (() => Number(`0x${wasmCrc32.init().update(source).digest()}`)),
        };
      },
      { bytes: 16 * KiB },
    ),
  ),
  ofBench('xxh3-64 1 MiB', hash('xxh3-64', 'bigint'), MiB, { bytes: MiB }),
  ...['xxh64', 'xxh32', 'keccak256'].map((name) =>
    ofBench(`${name} 64 B, BigInt`, hash(name, 'bigint'), 64),
  ),
  ofBench('sha256 64 B, hex', hash('sha256', 'hex'), 64),
  ofBench('sha256 64 B, Buffer', hash('sha256'), 64),
  sync('sha256 64 B into a target, beside a new Buffer', ({ millrace }) => {
    const source = crypto.randomBytes(64);
    const options = { target: Buffer.alloc(32) };
    return {
      millrace: () => (millrace.hash('sha256', source, options), options.target),
      'millrace, new Buffer': () => millrace.hash('sha256', source),
    };
  }),
  ...[1, 4, 16, 64].map((count) =>
    sync(
      `hashPairs: ${count} pairs of sha256 nodes`,
      ({ millrace, hashtree }) => {
        const nodes = crypto.randomBytes(count * 64);
        const [ours, theirs] = [Buffer.alloc(count * 32), Buffer.alloc(count * 32)];
        return {
          millrace: () => (millrace.hashPairs('sha256', nodes, ours), ours),
          hashtree: hashtree && (() => (hashtree.hashInto(nodes, theirs), theirs)),
        };
      },
      { per: count },
    ),
  ),
  ofBench(
    'hashMany: 10,000 messages of 64 B, array',
    { ...hash('sha256'), group: 'many', operation: 'array', messages: 10_000 },
    64,
  ),
  sync(
    'hashMany: 10,000 messages of 64 B, packed',
    ({ millrace, hashtree }) => {
      const data = crypto.randomBytes(10_000 * 64);
      return {
        millrace: () => millrace.hashMany('sha256', { data, size: 64 }),
        hashtree: hashtree && (() => hashtree.hash(data)),
      };
    },
    { per: 10_000 },
  ),
  ...[
    ['blake3', 'blake3'],
    ['blake2b512', 'blake2b'],
    ['blake2s256', 'blake2s'],
  ].map(([name, theirs]) =>
    sync(
      `hashMany: 64 messages of 1 KiB, ${name}`,
      ({ millrace, napiBlake }) => {
        const sources = Array.from({ length: 64 }, () => crypto.randomBytes(KiB));
        return {
          millrace: () => millrace.hashMany(name, sources),
          'millrace, one by one': () => sources.map((source) => millrace.hash(name, source)),
          '@napi-rs/blake-hash':
            napiBlake && (() => sources.map((source) => napiBlake[theirs](source))),
        };
      },
      { per: 64 },
    ),
  ),
  ...[64, KiB, 16 * KiB].map((size) => {
    const count = size > KiB ? 64 : 1000;
    return sync(
      `hasher.update ${label(size)}`,
      ({ millrace }) => {
        const source = crypto.randomBytes(size);
        const run = (createHash) => () => {
          const hasher = createHash('sha256');
          for (let index = 0; index < count; index++) hasher.update(source);
          return hasher.digest('hex');
        };
        return { millrace: run(millrace.createHash), 'node:crypto': run(crypto.createHash) };
      },
      { per: count },
    );
  }),
];

const keysAndCiphers = [
  ofBench(
    'hmac-sha256 64 B, prepared key',
    { group: 'hmac', algorithm: 'hmac-sha256', output: 'buffer', key: 'prepared' },
    64,
  ),
  sync('verifyHmac 64 B, prepared key, beside its parts', ({ millrace }) => {
    const source = crypto.randomBytes(64);
    const prepared = millrace.createKey('hmac-sha256', key);
    const mac = millrace.hmac('sha256', prepared, source);
    return {
      millrace: () => millrace.verifyHmac('sha256', { key: prepared, source, mac }),
      'millrace, hmac and timingSafeEqual': () =>
        millrace.timingSafeEqual(millrace.hmac('sha256', prepared, source), mac),
    };
  }),
  sync('timingSafeEqual 32 B', ({ millrace }) => {
    const [left, right] = [Buffer.from(key), Buffer.from(key)];
    return {
      millrace: () => millrace.timingSafeEqual(left, right),
      'node:crypto': () => crypto.timingSafeEqual(left, right),
    };
  }),
  ...['aes-256-gcm', 'hmac-sha256'].map((name) =>
    sync(`createKey ${name}`, ({ millrace }) => ({
      millrace: () => millrace.createKey(name, key).size,
      'node:crypto': () => crypto.createSecretKey(key).symmetricKeySize,
    })),
  ),
  ...[64, KiB, 16 * KiB, MiB].map((size) => sealRow('aes-256-gcm', size)),
  sealRow('chacha20-poly1305', MiB),
  ...[64, KiB].map((size) =>
    sync(`aes-256-gcm open ${label(size)} into a new Buffer, beside seal`, ({ millrace }) => {
      const prepared = millrace.createKey('aes-256-gcm', key);
      const text = crypto.randomBytes(size);
      const options = { key: prepared, nonce, source: text };
      const sealed = millrace.seal('aes-256-gcm', options);
      const opening = { ...options, source: sealed };
      return {
        millrace: () => millrace.open('aes-256-gcm', opening).length,
        'millrace, seal': () => millrace.seal('aes-256-gcm', options).length - 16,
      };
    }),
  ),
  ofBench(
    'chacha20-poly1305 open 256 B',
    { ...sealing('chacha20-poly1305', 'raw', 'buffer'), operation: 'open' },
    256,
  ),
  ...['aes-256-ctr', 'aes-256-gcm'].flatMap((name) =>
    [64, 16 * KiB].map((size) =>
      sync(`createCipher, update and final: ${name} ${label(size)}`, ({ millrace }) => {
        const source = crypto.randomBytes(size);
        const iv = name === 'aes-256-ctr' ? crypto.randomBytes(16) : nonce;
        const whole = (cipher) => {
          const text = cipher.update(source);
          cipher.final();
          return text;
        };
        return {
          millrace: () => whole(millrace.createCipher(name, { key, iv })),
          'node:crypto': () => whole(crypto.createCipheriv(name, key, iv)),
        };
      }),
    ),
  ),
];

const jobs = [
  ...[4 * KiB, 16 * KiB].map((size) =>
    ofBench(`sha256 ${label(size)} by promise, 16 in flight`, hash('sha256'), size, {
      wait: 'promise',
      inFlight: 16,
    }),
  ),
  ...[16 * KiB, 64 * KiB, MiB].map((size) =>
    waits(
      `sha256 ${label(size)} by promise, one at a time, beside the synchronous call`,
      ({ millrace, promises }) => {
        const source = crypto.randomBytes(size);
        return {
          millrace: () => promises.hash('sha256', source),
          'millrace, synchronous': async () => millrace.hash('sha256', source),
        };
      },
      { bytes: size },
    ),
  ),
  ...['aes-256-gcm', 'chacha20-poly1305'].flatMap((name) =>
    [16, 64, 256].flatMap((inFlight) =>
      ['copied', 'lent'].map((memory) =>
        ofBench(
          `${name} seal 1 MiB by promise, ${inFlight} in flight, ${memory}`,
          sealing(name, 'raw', memory === 'lent' ? 'into' : 'buffer'),
          MiB,
          { wait: 'promise', inFlight, bytes: MiB },
        ),
      ),
    ),
  ),
  ...[MiB, 64 * MiB].map((size) =>
    ofBench(`one blake3 of ${label(size)} by promise, copied`, hash('blake3'), size, {
      wait: 'promise',
      bytes: size,
    }),
  ),
  ofBench('one sha256 of 64 MiB by promise, copied', hash('sha256'), 64 * MiB, {
    wait: 'promise',
    bytes: 64 * MiB,
  }),
  ...[64 * KiB, MiB, GiB].map((size) =>
    waits(
      `main thread held by one lent sha256 of ${label(size)}, workers asleep`,
      ({ promises, cryptoAsync }) => {
        const source = Buffer.alloc(size, 1);
        const [ours, theirs] = [Buffer.alloc(32), Buffer.alloc(32)];
        const windows = ['sha256', source, 0, size, theirs, 0];
        const hash = promised((done) => cryptoAsync.hash(...windows, done), 'callback');
        return {
          millrace: () => promises.hash('sha256', source, { target: ours }).then(() => ours),
          'crypto-async': cryptoAsync && (() => hash().then(() => theirs)),
        };
      },
      { measure: 'call' },
    ),
  ),
];

const derivations = [
  ...[1024, 4096, 16384].map((N) =>
    ofBench(`scrypt ${N}/8/1, one at a time`, scrypt(N), 32, { wait: 'callback' }),
  ),
  ofBench('scrypt 16384/8/1, 16 in flight', scrypt(16384), 32, {
    wait: 'callback',
    inFlight: 16,
    tail: true,
  }),
  sync('verifyPassword of bcrypt, cost 10', ({ millrace, bcrypt }) => {
    const stored = millrace.hashPassword('a password', { algorithm: 'bcrypt', cost: 10 });
    return {
      millrace: () => millrace.verifyPassword('a password', stored),
      bcrypt: bcrypt && (() => bcrypt.compareSync('a password', stored)),
    };
  }),
];

const streamsAndFiles = [
  ...['seal', 'open'].map((direction) =>
    waits(
      `${direction}Stream aes-256-gcm, 256 MiB in writes of 1 MiB`,
      async ({ promises }) => {
        const count = 256;
        const options = { algorithm: 'aes-256-gcm', key };
        const part = crypto.randomBytes(MiB);
        const parts = Array.from({ length: count }, () => part);
        const sealing = () => crypto.createCipheriv('aes-256-gcm', key, nonce);
        if (direction === 'seal')
          return {
            millrace: async () => (await drained(parts, promises.sealStream(options))) >= count,
            'node:crypto': async () => (await drained(parts, sealing())) >= count,
          };
        const sealed = await Readable.from(parts).pipe(promises.sealStream(options)).toArray();
        const cipher = sealing();
        const text = parts.map((each) => cipher.update(each));
        cipher.final();
        const opening = () =>
          crypto.createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(cipher.getAuthTag());
        return {
          millrace: () => drained(sealed, promises.openStream(options)),
          'node:crypto': () => drained(text, opening()),
        };
      },
      { bytes: 256 * MiB },
    ),
  ),
  waits(
    "hashFile('blake3') of 1 GiB, beside hashFiles",
    ({ promises }) => ({
      millrace: () => promises.hashFile('blake3', file(), 'hex'),
      'millrace, hashFiles': async () => (await promises.hashFiles('blake3', [file()], 'hex'))[0],
    }),
    { bytes: GiB },
  ),
  waits(
    "hashFile('sha256') of 1 GiB",
    ({ promises }) => ({
      millrace: () => promises.hashFile('sha256', file(), 'hex'),
      'node:crypto of createReadStream': async () => {
        const hasher = crypto.createHash('sha256');
        for await (const part of createReadStream(file(), { highWaterMark: MiB }))
          hasher.update(part);
        return hasher.digest('hex');
      },
    }),
    { bytes: GiB },
  ),
  waits(
    'millrace sum of 1 GiB, blake3',
    () => ({
      millrace: () => run(process.execPath, [command, 'sum', '-a', 'blake3', file()]),
      b3sum: installed('b3sum') && (() => run('b3sum', [file()])),
    }),
    { bytes: GiB, programs: true },
  ),
  waits(
    'millrace seal of 1 GiB to a file, key file',
    () => {
      const sealing = ['seal', '-f', '-a', 'chacha20-poly1305', '-k', file('key', 32)];
      return {
        millrace: () => run(process.execPath, [command, ...sealing, '-o', file('sealed'), file()]),
        age: installed('age') && (() => run('age', ['-r', RECIPIENT, '-o', file('age'), file()])),
      };
    },
    { bytes: GiB, programs: true },
  ),
];

/** @type {Row[]} */
export const rows = [...digests, ...keysAndCiphers, ...jobs, ...derivations, ...streamsAndFiles];

/** On one core, into a target. */
function sealRow(algorithm, size) {
  const more = size >= KiB ? { bytes: size } : {};
  const name = `${algorithm} seal ${label(size)}, prepared key and target`;
  return ofBench(name, sealing(algorithm, 'prepared', 'into'), size, more);
}

/** Writes the parts to a stream, and counts what comes out of it in MiB. */
async function drained(parts, stream) {
  let size = 0;
  for await (const part of Readable.from(parts).pipe(stream)) size += part.length;
  return Math.floor(size / MiB);
}

// Programs and files.

const command = join(root, 'cli', 'main.js');
/** A recipient of age, to which nothing is sent. */
const RECIPIENT = 'age1glluudm7e0qss3cs9mralf0lawps4q4pk0gvle7xaew759gl4y3swyelpu';
let files;

/** Returns the path of a file that is removed at the end; of random bytes if it has a size. */
function file(name = 'large', size = name === 'large' ? GiB : 0) {
  if (files === undefined) {
    files = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
    process.on('exit', () => rmSync(files, { recursive: true, force: true }));
  }
  const path = join(files, name);
  if (size === 0 || existsSync(path)) return path;
  const block = crypto.randomBytes(Math.min(size, 64 * MiB));
  const out = openSync(path, 'wx', 0o600);
  for (let at = 0; at < size; at += block.length) writeSync(out, block);
  closeSync(out);
  return path;
}

function installed(program) {
  return process.env.PATH?.split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Runs a program to its end, and returns what it wrote. */
async function run(program, args) {
  return (await promisify(execFile)(program, args)).stdout;
}
