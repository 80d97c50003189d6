// Hashes many files in their order, in bounded memory.
//
// Worker threads open, read and hash files by themselves, a few hundred in one call and several
// calls on a core at once. For files in the page cache this takes 3 us a file (stat, open, read,
// close) and the hashing, on every core; asynchronous calls of node:fs took 20 us on one core.
//
// A disk needs many reads at a time. After a slow call, the next files are therefore first read
// asynchronously into the page cache. Large files are calls of their own. Pipes, devices and files
// that cannot be opened or that change go through node:fs: its errors name the reason.

'use strict';

const fs = require('node:fs');
const { promisify } = require('node:util');

const { startProgress } = require('../progress.js');
const { sizeCounter } = require('./walk.js');

const { Answers, findHash, hashPath, hashPaths, hashPathsSync, workers } =
  require('../../dist/entries/sum.js')['calls'];

const [close, open, stat] = [fs.close, fs.open, fs.stat].map((each) => promisify(each));

/** A larger file is a separate call, so that the others need not wait for it. */
const LARGE_FILE_BYTES = 1024 * 1024;
const FILES_PER_CALL = 256;
/** The most calls with digests that wait for a slow call before them. */
const MAX_PENDING_CALLS = 2000;
/** Up to this many files are hashed on the main thread if they are small; no thread is started. */
const INLINE_FILES = 8;
const INLINE_FILE_BYTES = 64 * 1024;
/** A file that takes longer than this and than its hashing was not in the page cache. */
const SLOW_FILE_MS = 0.15;
/** Milliseconds that the slowest hash takes for a byte. */
const SLOWEST_HASH_MS = 5e-6;
/** After a slow call this many files are read ahead, this many at a time, up to this size. */
const READ_AHEAD_FILES = 512;
const READ_AHEAD_PARALLEL = 16;
const READ_AHEAD_BYTES = 256 * 1024;
/** Under --permission only node:fs may read files. */
const permissionModel = process.permission !== undefined;
/** Interval at which the progress of a large file is read. */
const PROGRESS_MS = 100;

/**
 * @typedef {object} About
 * @property {string} algorithm
 * @property {number} size bytes of the digest
 * @property {boolean} xof true if the size is passed to the hash
 * @property {boolean} [any] true if the algorithm has any digest size
 *
 * @typedef {import('./walk.js').Entry & { about: About }} Task
 */

/**
 * Hashes files and shows progress on the terminal.
 *
 * @param {Iterable<Task[]>} tasks in groups
 * @param {(string | Buffer)[]} files the operands
 * @param {Record<string, any>} values the options
 * @param {(tasks: Task[], answers: (string | Error)[]) => void} deliver receives digests as hex, or
 *   errors, in the order of the tasks
 */
async function digestFiles(tasks, files, { recursive, 'no-progress': off }, deliver) {
  const countBytes = sizeCounter(files, recursive);
  const progress = startProgress('hashing', {
    off,
    tick(line) {
      line.total = countBytes();
    },
  });
  try {
    await digestAll(tasks, deliver, { threads: workers(), add: (bytes) => progress.add(bytes) });
  } finally {
    progress.end();
  }
}

/**
 * @param {Iterable<Task[]>} tasks
 * @param {(tasks: Task[], answers: (string | Error)[]) => void} deliver
 * @param {{ threads: number, add: (bytes: number) => void }} options
 */
async function digestAll(tasks, deliver, { threads, add }) {
  /** Unfinished batches, in order. */
  const batches = [];
  const flush = () => {
    while (batches[0]?.answers !== undefined) {
      const { tasks: done, answers } = batches.shift();
      deliver(done, answers);
    }
  };
  const limits = {
    calls: new Semaphore(threads + 1),
    large: new Semaphore(Math.max(2, Math.min(threads, 16))),
    standardInput: new Semaphore(1),
  };
  const queue = new Queue(tasks);
  const inline = queue.ahead(INLINE_FILES + 1).length <= INLINE_FILES;
  const host = { threads, add, limits, inline, wasSlow: false };
  while (!queue.empty) {
    if (host.wasSlow) await readAhead(queue.ahead(READ_AHEAD_FILES));
    host.wasSlow = false;
    await limits.calls.acquire();
    const batch = { tasks: queue.takeAlike(FILES_PER_CALL), answers: undefined, done: undefined };
    batch.done = digestBatch(batch.tasks, host).then((answers) => {
      batch.answers = answers;
    });
    batch.done.catch(() => {});
    batches.push(batch);
    flush();
    if (batches.length >= MAX_PENDING_CALLS) await batches[0].done;
  }
  while (batches.length > 0) {
    await batches[0].done;
    flush();
  }
}

/**
 * Hashes files of one algorithm, most of them in one call, the others one by one. Resolves to
 * digests or errors. Releases `limits.calls` when the call has returned.
 *
 * @param {Task[]} tasks
 * @returns {Promise<(string | Error)[]>}
 */
async function digestBatch(tasks, host) {
  const [{ about }] = tasks;
  const facts = findHash(about.algorithm);
  const answers = tasks.map(({ error }) => /** @type {any} */ (error));
  const others = [];
  const alone = (place, digest) =>
    others.push(
      digest.catch(asError).then((answer) => {
        answers[place] = answer;
      }),
    );
  /** The tasks of the call, as indices. */
  const places = [];
  for (const [place, task] of tasks.entries()) {
    const { path, error } = task;
    if (error !== undefined) continue;
    if (path === undefined || permissionModel || path.includes('\0') || isShorter(about, facts))
      alone(place, byNode(task, facts, host));
    else places.push(place);
  }

  const [hash, largest] = host.inline
    ? [hashPathsSync, INLINE_FILE_BYTES]
    : [hashPaths, LARGE_FILE_BYTES];
  const bytes = joined(places.map((place) => tasks[place].path));
  const paths = { bytes, count: places.length, largest };
  const found = new Answers(paths, about.size);
  const began = performance.now();
  try {
    if (places.length > 0) await hash(facts.id, paths, found);
  } catch {
    // Without the native binary the engine cannot read files.
    found.sizes.fill(NaN);
  }
  const hex = hexOf(found.digests);
  const width = 2 * about.size;
  let hashed = 0;
  for (const [index, place] of places.entries()) {
    const size = found.sizes[index];
    if (size >= 0) {
      hashed += size;
      answers[place] = hex.slice(index * width, (index + 1) * width);
    } else if (size < 0) {
      alone(place, large(tasks[place], -size, facts, host));
    } else {
      alone(place, byNode(tasks[place], facts, host));
    }
  }
  host.add(hashed);
  host.limits.calls.release();
  // The factor of 2: a call may wait for the one before it.
  const expected = hashed * SLOWEST_HASH_MS + paths.count * SLOW_FILE_MS;
  host.wasSlow ||= performance.now() - began > 2 * expected + 1;
  await Promise.all(others);
  return answers;
}

async function large(task, size, facts, host) {
  const { add, limits } = host;
  await limits.large.acquire();
  let reported = 0;
  let timer;
  const report = (done) => {
    add(done - reported);
    reported = done;
  };
  let hex;
  try {
    const path = joined([task.path]).subarray(0, -1);
    const { digest, progress } = hashPath(facts.id, path, size, task.about.size);
    timer = setInterval(() => report(Math.floor(progress() * size)), PROGRESS_MS);
    hex = hexOf(await digest);
    report(size);
  } catch {
    // The file has changed. node:fs reads it as it is now, or reports the error.
  } finally {
    clearInterval(timer);
    limits.large.release();
  }
  return hex ?? byNode(task, facts, host);
}

async function byNode({ path, about }, facts, host) {
  const { limits } = host;
  const { algorithm, size, xof } = about;
  const limit = path === undefined ? limits.standardInput : limits.large;
  await limit.acquire();
  let file;
  try {
    file = path === undefined ? 0 : await open(path, 'r');
    const { createHash } = require('../../dist/index.js');
    const sized = xof || isShorter(about, facts);
    const hasher = createHash(algorithm, sized ? { outputLength: size } : {});
    await require('./stream.js').digestStream(hasher, file, algorithm, host);
    return hasher.digest('hex');
  } finally {
    if (file > 0) await close(file).catch(() => {});
    limit.release();
  }
}

/** A semaphore with a first-in, first-out queue. */
class Semaphore {
  #free;
  #waiting = [];

  constructor(count) {
    this.#free = count;
  }

  async acquire() {
    if (this.#free > 0) this.#free--;
    else await new Promise((resolve) => this.#waiting.push(resolve));
  }

  release() {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

const hexOf = (bytes) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/** Returns paths as bytes, each followed by NUL. */
function joined(paths) {
  if (paths.every((path) => typeof path === 'string')) return Buffer.from(`${paths.join('\0')}\0`);
  return Buffer.concat(paths.flatMap((path) => [Buffer.from(path), Buffer.of(0)]));
}

/** A queue of tasks that can be inspected before they are taken. */
class Queue {
  #groups;
  /** Tasks from the groups read so far; those from `#at` on are not taken yet. */
  #tasks = [];
  #at = 0;

  constructor(groups) {
    this.#groups = groups[Symbol.iterator]();
  }

  get empty() {
    return this.ahead(1).length === 0;
  }

  /** Returns up to `count` next tasks without taking them. */
  ahead(count) {
    while (this.#tasks.length - this.#at < count) {
      const { done, value } = this.#groups.next();
      if (done) break;
      this.#tasks.splice(0, this.#at);
      this.#at = 0;
      for (const task of value) this.#tasks.push(task);
    }
    return this.#tasks.slice(this.#at, this.#at + count);
  }

  /** Takes up to `count` next tasks that have the algorithm and the size of the first. */
  takeAlike(count) {
    const next = this.ahead(count);
    const other = next.findIndex(({ about }) => !same(about, next[0].about));
    const taken = other === -1 ? next : next.slice(0, other);
    this.#at += taken.length;
    return taken;
  }
}

/** Returns true for BLAKE2b with a shorter digest (`b2sum -l`). */
const isShorter = ({ size, xof }, facts) => !xof && size < facts.digestSize;

const same = (left, right) =>
  left === right || (left.algorithm === right.algorithm && left.size === right.size);

/**
 * Reads the start of regular files into the page cache, many at a time. Reading a pipe would
 * consume its data.
 */
async function readAhead(tasks) {
  let next = 0;
  const scratch = Buffer.allocUnsafeSlow(READ_AHEAD_BYTES);
  const lane = async () => {
    while (next < tasks.length) {
      const { path, error } = tasks[next++];
      if (path !== undefined && error === undefined) await touch(path, scratch);
    }
  };
  await Promise.all(Array.from({ length: READ_AHEAD_PARALLEL }, lane));
}

/** Ignores errors; hashing the file reports them. */
async function touch(path, scratch) {
  const { readSome } = require('../descriptors.js');
  try {
    if (!(await stat(path)).isFile()) return;
    const file = await open(path, 'r');
    await readSome(file, scratch, 0).finally(() => close(file));
  } catch {
    // It cannot be opened or read.
  }
}

const asError = (error) => (error instanceof Error ? error : new Error(String(error)));

module.exports = { digestFiles };
