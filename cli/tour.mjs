// The tour: Millrace on a real file. Hashes it, seals and opens it on all cores, checks that it
// came back whole and that a forgery is refused, and says how fast that was beside node:crypto.
//
//   npm start [-- FILE]        default: the running Node executable, some tens of MB

import crypto from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

import ui from './ui.js';
import { bold, dim, green, megabytes, progressBar, say, table } from './terminal.mjs';

const chunkSize = 1 << 20;
const tagSize = 16;
/** The tour keeps the file in memory, three times over. */
const largestFile = 1 << 30;
const rounds = 3;
const algorithm = 'aes-256-gcm';
const hashes = [
  ['sha256', 32],
  ['sha512', 64],
  ['sha3-256', 32],
  ['blake2b512', 64],
  ['blake3', 32],
  ['xxh3-64', 8],
];

/** Something the user can mend, told in one line. */
class Problem extends Error {}

/**
 * The largest delay of the event loop over the stretches it was asked to watch, in milliseconds.
 */
class LoopDelay {
  largest = 0;

  async during(run) {
    // A fresh histogram each time: one that is switched on again counts the pause as a delay.
    const histogram = monitorEventLoopDelay({ resolution: 1 });
    histogram.enable();
    await sleep(3); // its timer is running
    try {
      return await run();
    } finally {
      await sleep(3); // and has seen the end
      histogram.disable();
      // It holds the distance between two turns of a 1 ms timer; the delay is what exceeds that.
      this.largest = Math.max(this.largest, histogram.max / 1e6 - 1);
    }
  }
}

try {
  await tour(process.argv.slice(2));
} catch (error) {
  if (error instanceof ui.ReaderGone) process.exit(141);
  // Whatever the user can cause is a sentence; anything else is a defect and keeps its stack.
  const expected = error instanceof Problem || String(error?.code).startsWith('ERR_PARSE_ARGS');
  console.error(expected ? `millrace: ${error.message}` : error);
  process.exitCode = 1;
}

async function tour(args) {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  if (positionals.length > 1) throw new Problem('one file at a time: npm start -- FILE');
  const path = positionals[0] ?? process.execPath;
  const file = readFile(path);
  const { threads } = millrace.configure({});
  say(
    `${bold(basename(path))}, ${megabytes(file.length)}, on ${threads} ${threads === 1 ? 'worker' : 'workers'}\n`,
  );

  const digests = await hashAll(file);
  const work = makeWork(file);
  const inFlight = threads * 4;
  const delay = new LoopDelay();
  await roundTrip(work, inFlight, delay);
  await refuseForgery(work);

  const { rows, longestHold } = await measure(work, inFlight, delay);

  say('');
  for (const [name, hex] of digests) say(`${name.padEnd(10)}  ${dim(hex)}`);
  say('');
  if (file.length < chunkSize)
    say(dim('a file this small mostly measures the calls, not the work'));
  say(
    table(
      ['in 1 MiB chunks, MB/s', 'millrace sync', 'millrace async', 'node:crypto', 'async / node'],
      rows,
    ),
  );
  say('');
  say(
    `largest event-loop delay while the asynchronous work ran: ${bold(`${delay.largest.toFixed(1)} ms`)}`,
  );
  work.key.dispose();
  say(
    dim(
      `(the synchronous passes, by their nature, held the loop for up to ${longestHold.toFixed(0)} ms)`,
    ),
  );
}

// The file in all its hashes, each one job, together on the workers.
async function hashAll(file) {
  const bar = progressBar('hashing', hashes.length * file.length);
  const digests = await Promise.all(
    hashes.map(async ([name, size]) => {
      const target = Buffer.alloc(size);
      // With a target the file is lent, not copied: nobody writes to it meanwhile.
      await promises.hash(name, file, { target });
      bar.add(file.length);
      return [name, target];
    }),
  );
  for (const [name, digest] of digests) {
    if (!crypto.getHashes().includes(name)) continue; // blake3 and xxHash are not in Node
    const expected = crypto.createHash(name).update(file).digest();
    check(digest.equals(expected), `${name} differs from node:crypto's`);
  }
  bar.end(`${hashes.length} hashes, those Node has are the same as node:crypto's`);
  return digests.map(([name, digest]) => [name, digest.toString('hex')]);
}

// Seals every chunk, opens every chunk, compares.
async function roundTrip(work, inFlight, delay) {
  const bar = progressBar('sealing and opening', 2 * work.file.length);
  await delay.during(async () => {
    await inParallel(work.count, inFlight, async (i) => bar.add(await work.seal.async(i)));
    await inParallel(work.count, inFlight, async (i) => bar.add(await work.open.async(i)));
  });
  check(work.opened.equals(work.file), 'what was opened is not the file');
  const last = work.count - 1;
  const asNode = Buffer.concat(work.open.node(last)); // throws if it does not authenticate
  check(
    asNode.equals(work.file.subarray(last * chunkSize)),
    'node:crypto opens it to something else',
  );
  bar.end(
    `${algorithm}, ${work.count} chunks: sealed, opened, equal to the file, and open to node:crypto`,
  );
}

// One flipped bit, in the ciphertext and in the tag.
async function refuseForgery(work) {
  for (const place of [0, -1]) {
    const forged = Buffer.from(work.sealedChunk(work.count - 1));
    forged[(forged.length + place) % forged.length] ^= 1;
    const nonce = work.nonces[work.count - 1];
    let refused;
    try {
      await promises.open(algorithm, { key: work.key, nonce, source: forged });
    } catch (error) {
      refused = error;
    }
    check(
      refused?.code === 'ERR_AUTHENTICATION',
      `a flipped bit was not refused (${refused?.code ?? 'opened'})`,
    );
  }
  say(`${green('ok')}  a flipped bit is refused (ERR_AUTHENTICATION)`);
}

// The same work three ways, in turn, so that a slow moment of the machine meets all three; medians.
// Every pass seals the same chunk under the same nonce, which is safe only because it is the same
// text.
async function measure(work, inFlight, delay) {
  const kinds = [work.hash, work.seal, work.open];
  const bar = progressBar('measuring', 3 * rounds * kinds.length * work.file.length);
  const times = kinds.map(() => ({ sync: [], async: [], node: [] }));
  let longestHold = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [k, kind] of kinds.entries()) {
      const hold = timed(() => inTurn(work.count, kind.sync));
      longestHold = Math.max(longestHold, hold);
      times[k].sync.push(hold);
      bar.add(work.file.length);
      await nextTurn();
      await delay.during(async () => {
        const start = performance.now();
        await inParallel(work.count, inFlight, kind.async);
        times[k].async.push(performance.now() - start);
      });
      bar.add(work.file.length);
      times[k].node.push(timed(() => inTurn(work.count, kind.node)));
      bar.add(work.file.length);
      await nextTurn();
    }
  }
  bar.end(`${rounds} rounds of each, medians`);
  const rows = kinds.map(({ name }, k) => {
    const [sync, parallel, node] = ['sync', 'async', 'node'].map(
      (way) => work.file.length / 1e3 / median(times[k][way]),
    );
    return [
      name,
      ...[sync, parallel, node].map((rate) => rate.toFixed(rate < 100 ? 1 : 0)),
      `${(parallel / node || 0).toFixed(1)}x`,
    ];
  });
  return { rows, longestHold };
}

/** Everything there is to do with chunk i of the file, each in three ways, returning bytes done. */
function makeWork(file) {
  const count = Math.max(1, Math.ceil(file.length / chunkSize));
  const rawKey = crypto.randomBytes(32);
  const key = millrace.createKey(algorithm, rawKey);
  const nodeKey = crypto.createSecretKey(rawKey);
  rawKey.fill(0);
  // One nonce a chunk, never twice under one key: eight random bytes and a counter.
  const prefix = crypto.randomBytes(8);
  const nonces = Array.from({ length: count }, (_, i) => {
    const nonce = Buffer.alloc(12);
    prefix.copy(nonce);
    nonce.writeUInt32BE(i, 8);
    return nonce;
  });
  const chunks = Array.from({ length: count }, (_, i) =>
    file.subarray(i * chunkSize, (i + 1) * chunkSize),
  );
  const sealed = Buffer.alloc(file.length + count * tagSize);
  const opened = Buffer.alloc(file.length);
  const sealedAt = (i) => i * (chunkSize + tagSize);
  const sealedChunk = (i) => sealed.subarray(sealedAt(i), sealedAt(i) + chunks[i].length + tagSize);
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
    targetOffset: i * chunkSize,
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
          authTagLength: tagSize,
        });
        decipher.setAuthTag(source.subarray(-tagSize));
        return [decipher.update(source.subarray(0, -tagSize)), decipher.final()];
      },
    },
  };
}

/** Runs job(0) to job(count - 1), at most `limit` at a time. */
async function inParallel(count, limit, job) {
  let next = 0;
  const lane = async () => {
    while (next < count) await job(next++);
  };
  await Promise.all(Array.from({ length: Math.min(limit, count) }, lane));
}

function inTurn(count, job) {
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
    if (size > largestFile)
      throw new Problem(
        `${path} has ${megabytes(size)}; the tour takes up to ${megabytes(largestFile)}`,
      );
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reasons = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a folder',
      EACCES: 'it may not be read',
    };
    throw new Problem(`cannot read ${path}: ${reasons[error.code] ?? error.message}`);
  }
}

function check(holds, otherwise) {
  if (!holds) throw new Problem(`WRONG: ${otherwise}`);
}
