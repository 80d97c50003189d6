// The demo: hashes a file, seals and opens it on all cores, checks that it is unchanged and that a
// forgery is rejected, and compares the speed with node:crypto.
//
//   npm start [-- FILE]        default: the running Node executable, some tens of MB

import crypto from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { readArguments } from './arguments.js';
import { bench } from './bench/main.mjs';
import progress from './progress.js';
import ui from './ui.js';

const { bold, dim, green } = ui.colours(1);

const CHUNK_BYTES = 1 << 20;
const TAG_BYTES = 16;
/** The demo keeps three copies of the file in memory. */
const MAX_FILE_BYTES = 1 << 30;
const algorithm = 'aes-256-gcm';
const hashes = ['sha256', 'sha512', 'sha3-256', 'blake2b512', 'blake3', 'xxh3-64'];

await demo(process.argv.slice(2)).catch(ui.fail);

async function demo(args) {
  const { operands } = readArguments([], args);
  if (operands.length > 1) throw new ui.UserError('expected one file: npm start -- FILE');
  const [path = process.execPath] = operands;
  const file = ui.attempt(path, () => readFile(path));
  const { threads } = millrace.configure({});
  printLine(
    `${bold(basename(path))}, ${ui.size(file.length)}, ` +
      `${threads} ${ui.plural(threads, 'worker thread')}\n`,
  );
  const digests = await hashAll(file);
  await roundTrip(file, threads * 4);
  printLine('');
  for (const [name, hex] of digests) printLine(`${name.padEnd(10)}  ${dim(hex)}`);
  printLine(`\n${bold('Messages of 1 MiB beside node:crypto')}`);
  const rows = { algorithms: `sha256,${algorithm}`, sizes: '1M', match: 'callback', quick: true };
  check(
    (await bench({ ...rows, competitors: 'node:crypto,own loop' }, ['async'])) === 0,
    'a result of the benchmark',
  );
}

/** Computes all hashes of the file at once, one job each. */
async function hashAll(file) {
  const bar = progressBar('hashing', hashes.length * file.length);
  /** @type {[string, string][]} */
  const digests = await Promise.all(
    hashes.map(async (name) => {
      const target = Buffer.alloc(64);
      // With a target the source is not copied; it must not change meanwhile.
      const size = await promises.hash(name, file, { target });
      bar.add(file.length);
      return [name, target.toString('hex', 0, size)];
    }),
  );
  for (const [name, digest] of digests) {
    if (!crypto.getHashes().includes(name)) continue; // blake3 and xxHash are not in Node
    const expected = crypto.createHash(name).update(file).digest('hex');
    check(digest === expected, `${name} differs from the result of node:crypto`);
  }
  bar.end(`${hashes.length} hashes; equal to those of node:crypto, where it has them`);
  return digests;
}

/** Seals the file in chunks and opens them, then opens a forged one, which must fail. */
async function roundTrip(file, inFlight) {
  const count = Math.max(1, Math.ceil(file.length / CHUNK_BYTES));
  const rawKey = crypto.randomBytes(32);
  const key = millrace.createKey(algorithm, rawKey);
  const sealed = Buffer.alloc(file.length + count * TAG_BYTES);
  const opened = Buffer.alloc(file.length);
  // One nonce for each chunk: eight random bytes and a counter.
  const prefix = crypto.randomBytes(8);
  const chunks = Array.from({ length: count }, (_, i) => {
    const nonce = Buffer.alloc(12);
    prefix.copy(nonce);
    nonce.writeUInt32BE(i, 8);
    const source = file.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
    const targetOffset = i * (CHUNK_BYTES + TAG_BYTES);
    const text = sealed.subarray(targetOffset, targetOffset + source.length + TAG_BYTES);
    return {
      seal: { key, nonce, source, target: sealed, targetOffset },
      open: { key, nonce, source: text, target: opened, targetOffset: i * CHUNK_BYTES },
    };
  });

  const bar = progressBar('sealing and opening', 2 * file.length);
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  await inParallel(chunks, inFlight, async ({ seal }) =>
    bar.add(await promises.seal(algorithm, seal)),
  );
  await inParallel(chunks, inFlight, async ({ open }) =>
    bar.add(await promises.open(algorithm, open)),
  );
  await sleep(3); // until its timer has seen the end
  histogram.disable();
  check(opened.equals(file), 'the opened chunks differ from the file');
  const { open, seal } = chunks.at(-1);
  const decipher = crypto.createDecipheriv(algorithm, rawKey, open.nonce);
  decipher.setAuthTag(open.source.subarray(-TAG_BYTES));
  const asNode = Buffer.concat([
    decipher.update(open.source.subarray(0, -TAG_BYTES)),
    decipher.final(), // throws if it does not authenticate
  ]);
  check(asNode.equals(seal.source), 'the result of node:crypto differs from the file');
  bar.end(`${algorithm}, ${count} chunks sealed and opened: equal to the file; node:crypto agrees`);

  // One bit flipped, in the ciphertext and in the tag.
  for (const place of [0, -1]) {
    const source = Buffer.from(open.source);
    source[(source.length + place) % source.length] ^= 1;
    const outcome = await promises.open(algorithm, { key, nonce: open.nonce, source }).then(
      () => 'opened',
      (error) => error.code,
    );
    check(outcome === 'ERR_AUTHENTICATION', `a flipped bit was not rejected (${outcome})`);
  }
  printLine(`${green('ok')}  a flipped bit is rejected (ERR_AUTHENTICATION)`);
  key.dispose();
  rawKey.fill(0);
  // It records the time between two ticks of a 1 ms timer.
  const delay = Math.max(0, histogram.max / 1e6 - 1).toFixed(1);
  printLine(`\nlargest event-loop delay while sealing and opening: ${bold(`${delay} ms`)}`);
}

/** Calls `job` with each item, at most `limit` at once. */
async function inParallel(items, limit, job) {
  const pending = items.values();
  const lane = async () => {
    for (const item of pending) await job(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
}

function readFile(path) {
  const { size } = statSync(path);
  if (size > MAX_FILE_BYTES)
    throw new ui.FileError(
      path,
      `has ${ui.size(size)}; the limit of the demo is ${ui.size(MAX_FILE_BYTES)}`,
    );
  return readFileSync(path);
}

function check(holds, otherwise) {
  if (!holds) throw new ui.UserError(`WRONG: ${otherwise}`);
}

function printLine(text) {
  ui.print(`${text}\n`);
}

/** Returns a progress bar over `total` bytes; end() replaces it by one line. */
function progressBar(title, total) {
  const line = progress.startProgress(title, { total });
  return {
    add: (bytes) => line.add(bytes),
    end(done) {
      line.end();
      printLine(`${green('ok')}  ${done}`);
    },
  };
}
