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

const { readSome } = require('../descriptors.js');
const { startProgress } = require('../progress.js');
const { SizeCounter } = require('./walk.js');

const { findHash } = require('../../dist/core.js')['catalog/catalog'];
const { Answers, hashPath, hashPaths, hashPathsSync, workers } =
  require('../../dist/streams/digest-stream.js')['streams/file-batch'];

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
  let sizes;
  const progress = startProgress('hashing', {
    off,
    tick(line) {
      sizes ??= new SizeCounter(files, recursive);
      line.total = sizes.advance();
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
  /** Unfinished batches, in order. @type {Batch[]} */
  const batches = [];
  const flush = () => {
    while (batches.length > 0 && batches[0].settled) {
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
    const batch = new Batch(queue, host);
    batches.push(batch);
    await limits.calls.acquire();
    batch.begin();
    flush();
    if (batches.length >= MAX_PENDING_CALLS) await batches[0].done;
  }
  while (batches.length > 0) {
    await batches[0].done;
    flush();
  }
}

/** Files of one algorithm. Most are hashed in one call, the others one by one. */
class Batch {
  /** @type {Task[]} */
  tasks = [];
  /** Digests or errors; undefined while pending. */
  answers = [];
  settled = false;
  done = Promise.resolve(undefined);
  #about;
  #facts;
  #host;
  /** The tasks of the call, as indices into `tasks`, and their paths. */
  #places = [];
  #paths = [];
  #others = [];

  /** Takes the next tasks from a queue. */
  constructor(queue, host) {
    this.#about = queue.first.about;
    this.#facts = findHash(this.#about.algorithm);
    this.#host = host;
    while (
      !queue.empty &&
      this.tasks.length < FILES_PER_CALL &&
      same(queue.first.about, this.#about)
    )
      this.#add(queue.take());
  }

  #add(task) {
    const place = this.tasks.push(task) - 1;
    this.answers.push(task.error);
    if (task.error !== undefined) return;
    if (
      task.path === undefined ||
      permissionModel ||
      task.path.includes('\0') ||
      isShorter(this.#about, this.#facts)
    ) {
      this.#others.push(this.#byNode(place));
    } else {
      this.#places.push(place);
      this.#paths.push(task.path);
    }
  }

  begin() {
    this.done = this.#run();
    this.done.catch(() => {});
  }

  async #run() {
    const { inline, limits } = this.#host;
    const [hash, largest] = inline
      ? [hashPathsSync, INLINE_FILE_BYTES]
      : [hashPaths, LARGE_FILE_BYTES];
    const paths = { bytes: joined(this.#paths), count: this.#paths.length, largest };
    const answers = new Answers(paths, this.#about.size);
    const began = performance.now();
    try {
      if (paths.count > 0) await hash(this.#facts.id, paths, answers);
    } catch {
      // Without the native binary the engine cannot read files.
      answers.sizes.fill(NaN);
    }
    const bytes = this.#take(answers);
    limits.calls.release();
    // The factor of 2: a call may wait for the one before it.
    const expected = bytes * SLOWEST_HASH_MS + paths.count * SLOW_FILE_MS;
    this.#host.wasSlow ||= performance.now() - began > 2 * expected + 1;
    // Large files may still be pending.
    await Promise.all(this.#others);
    this.settled = true;
  }

  /** Stores the digests of a call, starts the files that it left out, and returns its bytes. */
  #take({ sizes, digests }) {
    const hex = hexOf(digests);
    const width = 2 * this.#about.size;
    let bytes = 0;
    for (let index = 0; index < sizes.length; index++) {
      const size = sizes[index];
      const place = this.#places[index];
      if (size >= 0) {
        bytes += size;
        this.answers[place] = hex.slice(index * width, (index + 1) * width);
      } else {
        this.#others.push(size < 0 ? this.#large(place, -size) : this.#byNode(place));
      }
    }
    this.#host.add(bytes);
    return bytes;
  }

  async #large(place, size) {
    const { add, limits } = this.#host;
    await limits.large.acquire();
    let reported = 0;
    let timer;
    try {
      const { digest, progress } = hashPath(
        this.#facts.id,
        joined([this.tasks[place].path]).subarray(0, -1),
        size,
        this.#about.size,
      );
      const report = (done) => {
        add(done - reported);
        reported = done;
      };
      timer = setInterval(() => report(Math.floor(progress() * size)), PROGRESS_MS);
      this.answers[place] = hexOf(await digest);
      report(size);
    } catch {
      // The file has changed. node:fs reads it as it is now, or reports the error.
      this.answers[place] = undefined;
    } finally {
      clearInterval(timer);
      limits.large.release();
    }
    if (this.answers[place] === undefined) await this.#byNode(place);
  }

  async #byNode(place) {
    const { limits } = this.#host;
    const task = this.tasks[place];
    const limit = task.path === undefined ? limits.standardInput : limits.large;
    await limit.acquire();
    try {
      this.answers[place] = await this.#digestByNode(task);
    } catch (error) {
      this.answers[place] = asError(error);
    } finally {
      limit.release();
    }
  }

  async #digestByNode({ path }) {
    const { algorithm, size, xof } = this.#about;
    const file = path === undefined ? 0 : await open(path, 'r');
    try {
      const { createHash } = require('../../dist/index.js');
      const sized = xof || isShorter(this.#about, this.#facts);
      const hasher = createHash(algorithm, sized ? { outputLength: size } : {});
      await require('./stream.js').digestStream(hasher, file, algorithm, this.#host);
      return hasher.digest('hex');
    } finally {
      if (path !== undefined) await close(file).catch(() => {});
    }
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
    this.#refill(1);
  }

  get empty() {
    return this.#at === this.#tasks.length;
  }

  get first() {
    return this.#tasks[this.#at];
  }

  take() {
    const task = this.#tasks[this.#at++];
    if (this.#at === this.#tasks.length) this.#refill(1);
    return task;
  }

  /** Returns up to `count` next tasks without taking them. */
  ahead(count) {
    this.#refill(count);
    return this.#tasks.slice(this.#at, this.#at + count);
  }

  #refill(count) {
    while (this.#tasks.length - this.#at < count) {
      const { done, value } = this.#groups.next();
      if (done) return;
      this.#tasks = this.empty ? value : [...this.#tasks.slice(this.#at), ...value];
      this.#at = 0;
    }
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
