// Hashes and seals one object by 1, 2 and 4 worker processes over BullMQ and Redis, beside one
// process: node bench/many-machines.mjs [MiB]. Needs redis-server, and BullMQ in test/queue
// (`npm ci` there). Each worker has one thread of Millrace, the one process one or as many as there
// are cores. Turns of all alternate; the fastest of five counts, as other programs only add time.

import { fork, spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import millrace from '../dist/index.js';
import promises from '../dist/promises.js';

const { Queue, QueueEvents, Worker } = createRequire(
  new URL('../test/queue/package.json', import.meta.url),
)('bullmq');

const PART = 16 * 2 ** 20;
const TURNS = 5;
/** Jobs that do nothing, which show what the queue itself takes. */
const JOBS = 2000;
const connection = { host: '127.0.0.1', port: Number(process.env.BENCH_PORT ?? 7391) };
const seal = { algorithm: /** @type {const} */ ('aes-256-gcm'), key: Buffer.alloc(32, 7) };

async function withFile(path, flags, use) {
  const file = await open(path, flags);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

const read = (path, offset, length) =>
  withFile(path, 'r', async (file) => {
    const { buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, offset);
    return buffer;
  });

const steps = {
  nothing: async () => {},
  hash: async ({ path, offset, length, size }) =>
    millrace.hashPart('blake3', await read(path, offset, length), { offset, size }),
  async seal({ path, range }) {
    const sealed = await promises.sealRange(
      range,
      await read(path, range.offset, range.length),
      seal,
    );
    await withFile(`${path}.sealed`, 'r+', (file) =>
      file.write(sealed, 0, sealed.length, range.at),
    );
  },
};

/** Parts at once in a process, so that one is read while another is computed. */
const AT_ONCE = 2;

function work() {
  millrace.configure({ threads: 1 });
  const options = {
    connection: { ...connection, maxRetriesPerRequest: null },
    concurrency: AT_ONCE,
  };
  new Worker('bench', ({ name, data }) => steps[name](data), options).on('ready', () =>
    process.send('ready'),
  );
}

/** Returns the results of jobs of the queue. */
async function results(queue, events, name, all) {
  const jobs = await queue.addBulk(all.map((data) => ({ name, data })));
  return Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
}

/** Hashes and seals the object in parts, for which `run` runs steps. */
async function inParts(run, path, size) {
  const pieces = [];
  for (let offset = 0; offset < size; offset += PART)
    pieces.push({ path, offset, length: Math.min(PART, size - offset), size });
  const parts = await run('hash', pieces);
  const { header, ranges, sealedSize } = await promises.planSealing(parts, seal);
  await withFile(`${path}.sealed`, 'w', async (file) => {
    await file.write(header, 0, header.length, 0);
    await file.truncate(sealedSize);
  });
  const sealing = ranges.map((range) => ({ path, range }));
  await run('seal', sealing);
  return promises.joinParts('blake3', parts, 'hex');
}

/** Runs a step in this process. */
async function runHere(name, all) {
  const made = [];
  let next = 0;
  const runner = async () => {
    for (let at = next++; at < all.length; at = next++) made[at] = await steps[name](all[at]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
  return made;
}

/** Hashes and seals the object as a stream, as a program for one machine does. */
async function asStream(path) {
  const digest = await promises.hashFile('blake3', path, 'hex');
  const source = createReadStream(path, { highWaterMark: 2 ** 20 });
  await pipeline(source, promises.sealStream(seal), createWriteStream(`${path}.stream`));
  return digest;
}

/** Hashes and seals objects in one process. */
function alone(threads, how) {
  millrace.configure({ threads: Number(threads) });
  process.on('message', async (/** @type {{ path: string, size: number }} */ { path, size }) => {
    process.send(how === 'parts' ? await inParts(runHere, path, size) : await asStream(path));
  });
  process.send('ready');
}

/** Resolves to the next message of a process. */
const message = (child) => new Promise((done) => child.once('message', done));

async function main() {
  const size = Number(process.argv[2] ?? 512) * 2 ** 20;
  const folder = await mkdtemp(join(tmpdir(), 'many-machines-'));
  const path = join(folder, 'object');
  const redisArgs = ['--port', connection.port, '--save', '', '--bind', '127.0.0.1'].map(String);
  const redis = spawn('redis-server', redisArgs, { stdio: 'ignore', cwd: folder });
  await withFile(path, 'w', async (file) => {
    for (let at = 0; at < size; at += PART)
      await file.write(millrace.randomBytes(Math.min(PART, size - at)));
  });
  const queue = new Queue('bench', { connection });
  const events = new QueueEvents('bench', {
    connection: { ...connection, maxRetriesPerRequest: null },
  });
  await events.waitUntilReady();
  // One for each job that is waited for.
  for (const each of [queue, events]) each.setMaxListeners(0);

  const { limit } = millrace.engines().threads;
  const rows = {
    'one process, stream, 1 thread': ['alone', 1, 'stream'],
    [`one process, stream, ${limit} threads`]: ['alone', limit, 'stream'],
    'one process, parts, 1 thread': ['alone', 1, 'parts'],
    [`one process, parts, ${limit} threads`]: ['alone', limit, 'parts'],
    '1 worker': ['work'],
    '2 workers': ['work', 'work'],
    '4 workers': ['work', 'work', 'work', 'work'],
  };
  let rate = 0;
  const times = Object.fromEntries(Object.keys(rows).map((name) => [name, []]));
  const digests = new Set();
  try {
    for (let turn = 0; turn <= TURNS; turn++) {
      for (const [name, [role, ...more]] of Object.entries(rows)) {
        const args = role === 'work' ? [role, ...more].map((each) => [each]) : [[role, ...more]];
        const children = args.map((each) => fork(fileURLToPath(import.meta.url), each.map(String)));
        await Promise.all(children.map(message));
        const start = performance.now();
        const [child] = children;
        if (role === 'alone') child.send({ path, size });
        const run = (step, all) => results(queue, events, step, all);
        const made = role === 'alone' ? message(child) : inParts(run, path, size);
        digests.add(await made);
        // The first turn fills caches.
        if (turn > 0) times[name].push(performance.now() - start);
        if (args.length > 2) {
          const begin = performance.now();
          await results(
            queue,
            events,
            'nothing',
            Array.from({ length: JOBS }, () => ({})),
          );
          rate = Math.max(rate, (JOBS / (performance.now() - begin)) * 1000);
        }
        children.forEach((child) => child.kill());
        await Promise.all(children.map((child) => new Promise((done) => child.once('exit', done))));
        await pause(100);
      }
    }
  } finally {
    await events.close();
    await queue.close();
    redis.kill();
    await rm(folder, { recursive: true });
  }
  if (digests.size !== 1) throw new Error('the digests differ');
  console.log(`${size / 2 ** 20} MiB, parts of ${PART / 2 ** 20} MiB, Node.js ${process.version}`);
  for (const [name, all] of Object.entries(times)) {
    const best = Math.min(...all);
    const turns = all.map(Math.round).join(', ');
    console.log(`${name.padEnd(32)} ${Math.round(size / 1e3 / best)} MB/s  (${turns} ms)`);
  }
  console.log(`the queue alone, 4 workers    ${Math.round(rate)} jobs/s`);

  // What the coordinator computes for each part.
  const data = Buffer.alloc(2 ** 14);
  const many = Array.from({ length: JOBS }, (_, index) => {
    const offset = index * data.length;
    return millrace.hashPart('blake3', data, { offset, size: JOBS * data.length });
  });
  const microseconds = async (work) => {
    const begin = performance.now();
    await work();
    return Math.round(((performance.now() - begin) / JOBS) * 1000);
  };
  const joining = await microseconds(() => promises.joinParts('blake3', many));
  const planning = await microseconds(() => promises.planSealing(many, seal));
  console.log(`joinParts ${joining} us and planSealing ${planning} us a part`);
}

if (process.argv[2] === 'work') work();
else if (process.argv[2] === 'alone') alone(process.argv[3], process.argv[4]);
else await main();
