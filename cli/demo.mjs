// The demo: hashes a file, seals and opens it on all cores, checks that it is unchanged and that a
// forgery is rejected, and compares the speed with node:crypto.
//
//   npm start [-- FILE]        default: the running Node executable, some tens of MB

import crypto from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

import progress from './progress.js';
import ui from './ui.js';

const { bold, dim, green } = ui.colours(1);

const CHUNK_BYTES = 1 << 20;
const TAG_BYTES = 16;
/** The demo keeps three copies of the file in memory. */
const MAX_FILE_BYTES = 1 << 30;
const ROUNDS = 3;
const algorithm = 'aes-256-gcm';
/** @type {[string, number][]} */
const hashes = [
  ['sha256', 32],
  ['sha512', 64],
  ['sha3-256', 32],
  ['blake2b512', 64],
  ['blake3', 32],
  ['xxh3-64', 8],
];

/** Measures the largest delay of the event loop, in milliseconds. */
class LoopDelay {
  largest = 0;

  async during(run) {
    // A new histogram each time: one that is enabled again counts the pause as a delay.
    const histogram = monitorEventLoopDelay({ resolution: 1 });
    histogram.enable();
    await sleep(3); // until its timer is running
    try {
      return await run();
    } finally {
      await sleep(3); // until its timer has seen the end
      histogram.disable();
      // It records the time between two ticks of a 1 ms timer.
      this.largest = Math.max(this.largest, histogram.max / 1e6 - 1);
    }
  }
}

try {
  await demo(process.argv.slice(2));
} catch (error) {
  if (error instanceof ui.BrokenPipe) process.exit(141);
  const expected =
    error instanceof ui.UserError || String(error?.code).startsWith('ERR_PARSE_ARGS');
  console.error(expected ? `millrace: ${error.message}` : error);
  process.exitCode = 1;
}

async function demo(args) {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  if (positionals.length > 1) throw new ui.UserError('expected one file: npm start -- FILE');
  const path = positionals[0] ?? process.execPath;
  const file = readFile(path);
  const { threads } = millrace.configure({});
  printLine(
    `${bold(basename(path))}, ${ui.size(file.length)}, ` +
      `${threads} ${ui.plural(threads, 'worker thread')}\n`,
  );

  const digests = await hashAll(file);
  const work = makeWork(file);
  const inFlight = threads * 4;
  const delay = new LoopDelay();
  await roundTrip(work, inFlight, delay);
  await rejectForgery(work);

  const { rows, longestBlock } = await measure(work, inFlight, delay);

  printLine('');
  for (const [name, hex] of digests) printLine(`${name.padEnd(10)}  ${dim(hex)}`);
  printLine('');
  if (file.length < CHUNK_BYTES)
    printLine(dim('with a file this small the time is mostly that of the calls'));
  printLine(
    ui.table(
      ['1 MiB chunks, MB/s', 'millrace sync>', 'millrace async>', 'node:crypto>', 'async / node>'],
      rows,
      { head: dim },
    ),
  );
  printLine('');
  printLine(
    'largest event-loop delay during the asynchronous calls: ' +
      bold(`${delay.largest.toFixed(1)} ms`),
  );
  work.key.dispose();
  printLine(
    dim(`(the synchronous calls blocked the event loop for up to ${longestBlock.toFixed(0)} ms)`),
  );
}

// Computes all hashes of the file at once, one job each.
async function hashAll(file) {
  const bar = progressBar('hashing', hashes.length * file.length);
  /** @type {[string, Buffer][]} */
  const digests = await Promise.all(
    hashes.map(async ([name, size]) => {
      const target = Buffer.alloc(size);
      // With a target the source is not copied; it must not change meanwhile.
      await promises.hash(name, file, { target });
      bar.add(file.length);
      return [name, target];
    }),
  );
  for (const [name, digest] of digests) {
    if (!crypto.getHashes().includes(name)) continue; // blake3 and xxHash are not in Node
    const expected = crypto.createHash(name).update(file).digest();
    check(digest.equals(expected), `${name} differs from the result of node:crypto`);
  }
  bar.end(`${hashes.length} hashes; equal to those of node:crypto, where it has them`);
  return digests.map(([name, digest]) => [name, digest.toString('hex')]);
}

async function roundTrip(work, inFlight, delay) {
  const bar = progressBar('sealing and opening', 2 * work.file.length);
  await delay.during(async () => {
    await inParallel(work.count, inFlight, async (i) => bar.add(await work.seal.async(i)));
    await inParallel(work.count, inFlight, async (i) => bar.add(await work.open.async(i)));
  });
  check(work.opened.equals(work.file), 'the opened chunks differ from the file');
  const last = work.count - 1;
  const asNode = Buffer.concat(work.open.node(last)); // throws if it does not authenticate
  check(
    asNode.equals(work.file.subarray(last * CHUNK_BYTES)),
    'the result of node:crypto differs from the file',
  );
  bar.end(
    `${algorithm}, ${work.count} chunks sealed and opened: equal to the file; node:crypto agrees`,
  );
}

// Flips one bit, in the ciphertext and in the tag.
async function rejectForgery(work) {
  for (const place of [0, -1]) {
    const forged = Buffer.from(work.sealedChunk(work.count - 1));
    forged[(forged.length + place) % forged.length] ^= 1;
    const nonce = work.nonces[work.count - 1];
    let rejection;
    try {
      await promises.open(algorithm, { key: work.key, nonce, source: forged });
    } catch (error) {
      rejection = error;
    }
    check(
      rejection?.code === 'ERR_AUTHENTICATION',
      `a flipped bit was not rejected (${rejection?.code ?? 'opened'})`,
    );
  }
  printLine(`${green('ok')}  a flipped bit is rejected (ERR_AUTHENTICATION)`);
}

// Measures the three APIs in turn, so that a slow moment of the machine affects all of them. Every
// pass seals the same chunk under the same nonce, which is safe only for the same plaintext.
async function measure(work, inFlight, delay) {
  const kinds = [work.hash, work.seal, work.open];
  const bar = progressBar('measuring', 3 * ROUNDS * kinds.length * work.file.length);
  const times = kinds.map(() => ({ sync: [], async: [], node: [] }));
  let longestBlock = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [k, kind] of kinds.entries()) {
      const blocked = timed(() => runAll(work.count, kind.sync));
      longestBlock = Math.max(longestBlock, blocked);
      times[k].sync.push(blocked);
      bar.add(work.file.length);
      await nextIteration();
      await delay.during(async () => {
        const start = performance.now();
        await inParallel(work.count, inFlight, kind.async);
        times[k].async.push(performance.now() - start);
      });
      bar.add(work.file.length);
      times[k].node.push(timed(() => runAll(work.count, kind.node)));
      bar.add(work.file.length);
      await nextIteration();
    }
  }
  bar.end(`${ROUNDS} rounds of each, medians`);
  const rows = kinds.map(({ name }, k) => {
    const [sync, parallel, node] = ['sync', 'async', 'node'].map(
      (api) => work.file.length / 1e3 / median(times[k][api]),
    );
    return [
      name,
      ...[sync, parallel, node].map((rate) => rate.toFixed(rate < 100 ? 1 : 0)),
      `${(parallel / node || 0).toFixed(1)}x`,
    ];
  });
  return { rows, longestBlock };
}

/** Returns the operations on chunk i, by three APIs. Millrace's return the bytes done. */
function makeWork(file) {
  const count = Math.max(1, Math.ceil(file.length / CHUNK_BYTES));
  const rawKey = crypto.randomBytes(32);
  const key = millrace.createKey(algorithm, rawKey);
  const nodeKey = crypto.createSecretKey(rawKey);
  rawKey.fill(0);
  // One nonce for each chunk: eight random bytes and a counter.
  const prefix = crypto.randomBytes(8);
  const nonces = Array.from({ length: count }, (_, i) => {
    const nonce = Buffer.alloc(12);
    prefix.copy(nonce);
    nonce.writeUInt32BE(i, 8);
    return nonce;
  });
  const chunks = Array.from({ length: count }, (_, i) =>
    file.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
  );
  const sealed = Buffer.alloc(file.length + count * TAG_BYTES);
  const opened = Buffer.alloc(file.length);
  const sealedAt = (i) => i * (CHUNK_BYTES + TAG_BYTES);
  const sealedChunk = (i) =>
    sealed.subarray(sealedAt(i), sealedAt(i) + chunks[i].length + TAG_BYTES);
  const sealOptions = (i) => ({
    key,
    nonce: nonces[i],
    source: chunks[i],
    target: sealed,
    targetOffset: sealedAt(i),
  });
  const openOptions = (i) => ({
    key,
    nonce: nonces[i],
    source: sealedChunk(i),
    target: opened,
    targetOffset: i * CHUNK_BYTES,
  });
  const digests = Array.from({ length: count }, () => Buffer.alloc(32));

  return {
    file,
    count,
    key,
    nonces,
    opened,
    sealedChunk,
    hash: {
      name: 'sha256',
      sync: (i) => millrace.hash('sha256', chunks[i], { target: digests[i] }),
      async: (i) => promises.hash('sha256', chunks[i], { target: digests[i] }),
      node: (i) => crypto.createHash('sha256').update(chunks[i]).digest(),
    },
    seal: {
      name: `${algorithm} seal`,
      sync: (i) => millrace.seal(algorithm, sealOptions(i)),
      async: (i) => promises.seal(algorithm, sealOptions(i)),
      node: (i) => {
        const cipher = crypto.createCipheriv(algorithm, nodeKey, nonces[i]);
        return [cipher.update(chunks[i]), cipher.final(), cipher.getAuthTag()];
      },
    },
    open: {
      name: `${algorithm} open`,
      sync: (i) => millrace.open(algorithm, openOptions(i)),
      async: (i) => promises.open(algorithm, openOptions(i)),
      node: (i) => {
        const source = sealedChunk(i);
        const decipher = crypto.createDecipheriv(algorithm, nodeKey, nonces[i], {
          authTagLength: TAG_BYTES,
        });
        decipher.setAuthTag(source.subarray(-TAG_BYTES));
        return [decipher.update(source.subarray(0, -TAG_BYTES)), decipher.final()];
      },
    },
  };
}

/** Runs job(0) to job(count - 1), at most `limit` at once. */
async function inParallel(count, limit, job) {
  let next = 0;
  const lane = async () => {
    while (next < count) await job(next++);
  };
  await Promise.all(Array.from({ length: Math.min(limit, count) }, lane));
}

function runAll(count, job) {
  for (let i = 0; i < count; i++) job(i);
}

function timed(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function median(values) {
  return values.toSorted((left, right) => left - right)[values.length >> 1];
}

function readFile(path) {
  try {
    const { size } = statSync(path);
    if (size > MAX_FILE_BYTES)
      throw new ui.UserError(
        `${path} has ${ui.size(size)}; the limit of the demo is ${ui.size(MAX_FILE_BYTES)}`,
      );
    return readFileSync(path);
  } catch (error) {
    if (error instanceof ui.UserError) throw error;
    throw new ui.UserError(`cannot read ${path}: ${ui.reason(error)}`);
  }
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
