// The digests of many files, in their order, in bounded memory.
//
// Worker threads open, read and hash files by themselves, a few hundred in one call and several at
// once on a core: what is in the page cache takes 3 us a file this way (stat, open, read, close)
// and its hashing, on every core; by Node's asynchronous calls it took 20 on one. A disk, however,
// wants many reads at a time. So the clock decides: where a call was slow, the files that come next
// are first read asynchronously into the page cache. Large files are calls of their own. What is
// not so simple (pipes, devices, files that cannot be opened, that change, that have no size) goes
// through Node's file system, whose errors explain themselves.

'use strict';

const { close, open, read, stat } = require('node:fs');

const { findHash } = require('../../dist/core.js')['catalog/catalog'];
const { Answers, hashPath, hashPaths, hashPathsSync } =
  require('../../dist/core.js')['streams/file-batch'];

/** A larger file is a call of its own, so that the others need not wait for it. */
const large = 1024 * 1024;
/** Files of a call. */
const together = 256;
/** Digests that wait for their turn behind one that takes long: of so many calls. */
const waiting = 2000;
/**
 * So few files are read and hashed here and now if they are no larger, without starting a thread.
 */
const few = 8;
const small = 64 * 1024;
/**
 * A file takes longer than this, and than its hashing by the slowest hash (milliseconds): it was
 * not in the page cache.
 */
const slow = 0.15;
const hashing = 5e-6;
/** So many files are then read ahead, so many at a time, before the clock is asked again. */
const slowFiles = 512;
const slowReads = 16;
const slowBytes = 256 * 1024;
/** Whom Node guards from files (--permission) only Node may read for. */
const guarded = process.permission !== undefined;
/** How often progress of a large file is looked at, in milliseconds. */
const look = 100;

/**
 * @typedef {object} About
 * @property {string} algorithm
 * @property {number} size bytes of the digest
 * @property {boolean} xof whether the size has to be said
 *
 * @typedef {import('./walk.js').Entry & { about: About }} Task
 */

/**
 * @param {Iterable<Task[]>} tasks in groups
 * @param {(tasks: Task[], answers: (string | Error)[]) => void} deliver gets digests as hex, or
 * errors, in the order of the tasks
 * @param {{ threads: number, add: (bytes: number) => void }} options
 */
async function digestAll(tasks, deliver, { threads, add }) {
  /** In order; those under way each have `done`, a promise. @type {Batch[]} */
  const batches = [];
  const flush = () => {
    while (batches.length > 0 && batches[0].settled) {
      const { tasks: done, answers } = batches.shift();
      deliver(done, answers);
    }
  };
  const gates = {
    calls: new Gate(threads + 1),
    large: new Gate(Math.max(2, Math.min(threads, 16))),
    standardInput: new Gate(1),
  };
  const queue = new Queue(tasks);
  const here = queue.ahead(few + 1).length <= few;
  let wasSlow = false;
  while (!queue.empty) {
    if (wasSlow) await warm(queue.ahead(slowFiles));
    wasSlow = false;
    const batch = new Batch(queue, { threads, add, gates });
    batches.push(batch);
    if (here) batch.beginHere();
    else {
      await gates.calls.enter();
      batch.begin((tookLong) => {
        gates.calls.leave();
        wasSlow ||= tookLong;
      });
    }
    flush();
    if (batches.length >= waiting) await batches[0].done;
  }
  while (batches.length > 0) {
    await batches[0].done;
    flush();
  }
}

/** Files of one algorithm that are hashed in one call, and those among them that are not. */
class Batch {
  /** @type {Task[]} */
  tasks = [];
  /** Digests or errors; not there while they are awaited. */
  answers = [];
  settled = false;
  done = Promise.resolve();
  #about;
  #facts;
  #host;
  /** Where among the tasks those of the call are, and their paths. */
  #places = [];
  #paths = [];
  #others = [];

  /** Takes the next tasks of a queue. */
  constructor(queue, host) {
    this.#about = queue.first.about;
    this.#facts = findHash(this.#about.algorithm);
    this.#host = host;
    while (!queue.empty && this.tasks.length < together && same(queue.first.about, this.#about))
      this.#add(queue.take());
  }

  #add(task) {
    const place = this.tasks.push(task) - 1;
    this.answers.push(task.error);
    if (task.error !== undefined) return;
    if (
      task.path === undefined ||
      guarded ||
      task.path.includes('\0') ||
      isShorter(this.#about, this.#facts)
    ) {
      this.#others.push(this.#byNode(place));
    } else {
      this.#places.push(place);
      this.#paths.push(task.path);
    }
  }

  /** Small files are done when this returns. */
  beginHere() {
    const paths = this.#packed(small);
    const answers = new Answers(paths, this.#about.size);
    try {
      if (paths.count > 0) hashPathsSync(this.#facts.id, paths, answers);
    } catch {
      answers.sizes.fill(NaN);
    }
    this.#take(answers);
    this.#settleWith(this.#others);
  }

  /**
   * @param {(tookLong: boolean) => void} called when the call is back; large files may still be
   * under way
   */
  begin(called) {
    this.#settleWith([this.#call(called)]);
  }

  async #call(called) {
    const paths = this.#packed(large);
    const answers = new Answers(paths, this.#about.size);
    const began = performance.now();
    try {
      if (paths.count > 0) await hashPaths(this.#facts.id, paths, answers);
    } catch {
      // An engine that reads no files: where there is no binary.
      answers.sizes.fill(NaN);
    }
    const bytes = this.#take(answers);
    // In a queue of calls each waits for the one before.
    called(performance.now() - began > 2 * (bytes * hashing + paths.count * slow) + 1);
    await Promise.all(this.#others);
  }

  #settleWith(others) {
    if (others.length === 0) {
      this.settled = true;
      return;
    }
    this.done = Promise.all(others).then(() => {
      this.settled = true;
    });
    this.done.catch(() => {});
  }

  #packed(largest) {
    return { bytes: joined(this.#paths), count: this.#paths.length, largest };
  }

  /**
   * What the call has said of each file; what it has not hashed is begun. The bytes that it has.
   */
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
    const { add, gates } = this.#host;
    await gates.large.enter();
    let told = 0;
    let timer;
    try {
      const { digest, progress } = hashPath(
        this.#facts.id,
        joined([this.tasks[place].path]).subarray(0, -1),
        size,
        this.#about.size,
      );
      const tell = (done) => {
        add(done - told);
        told = done;
      };
      timer = setInterval(() => tell(Math.floor(progress() * size)), look);
      this.answers[place] = hexOf(await digest);
      tell(size);
    } catch {
      // It is another file than it was: Node reads it as it is now, or says what is wrong.
      this.answers[place] = undefined;
    } finally {
      clearInterval(timer);
      gates.large.leave();
    }
    if (this.answers[place] === undefined) await this.#byNode(place);
  }

  async #byNode(place) {
    const { gates } = this.#host;
    const task = this.tasks[place];
    const gate = task.path === undefined ? gates.standardInput : gates.large;
    await gate.enter();
    try {
      this.answers[place] = await this.#digestByNode(task);
    } catch (error) {
      this.answers[place] = asError(error);
    } finally {
      gate.leave();
    }
  }

  async #digestByNode({ path }) {
    const { algorithm, size, xof } = this.#about;
    const file =
      path === undefined
        ? 0
        : await new Promise((resolve, reject) =>
            open(path, 'r', (error, fd) => (error ? reject(error) : resolve(fd))),
          );
    try {
      const { createHash } = require('../../dist/index.js');
      const shorter = isShorter(this.#about, this.#facts);
      const hasher = shorter
        ? shorterBlake2b(size)
        : createHash(algorithm, xof ? { outputLength: size } : {});
      await require('./stream.js').digestStream(hasher, file, algorithm, this.#host);
      const digest = hasher.digest('hex');
      return shorter ? digest.slice(0, 2 * size) : digest;
    } finally {
      if (path !== undefined) await new Promise((resolve) => close(file, resolve));
    }
  }
}

/** Lets in so many at a time, in order. */
class Gate {
  #free;
  #waiting = [];

  constructor(count) {
    this.#free = count;
  }

  async enter() {
    if (this.#free > 0) this.#free--;
    else await new Promise((resolve) => this.#waiting.push(resolve));
  }

  leave() {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

const hexOf = (bytes) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/** Paths as bytes, a NUL behind each. */
function joined(paths) {
  if (paths.every((path) => typeof path === 'string')) return Buffer.from(`${paths.join('\0')}\0`);
  return Buffer.concat(paths.flatMap((path) => [Buffer.from(path), Buffer.of(0)]));
}

/** Tasks in their order, of which some can be looked at before they are taken. */
class Queue {
  #groups;
  /** Those that have come from the groups, from `#at` on not taken yet. */
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

  /** The next `count`, or as many as there are. */
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

/** BLAKE2b of fewer bytes than the catalog has it with: `b2sum -l`. */
const isShorter = ({ size, xof }, facts) => !xof && size < facts.digestSize;

/**
 * A hasher of which the first `size` bytes are BLAKE2b's with that size: of its parameters only the
 * first byte differs (RFC 7693, 2.5), which is a part of the first word of the state. The envelope
 * of a state is that of src/hashers/state.ts.
 */
function shorterBlake2b(size) {
  const { createHash, hash } = require('../../dist/index.js');
  const state = createHash('blake2b512').exportState();
  const start = 32 + 'blake2b512'.length;
  const end = state.length - 8;
  state[start] ^= 64 ^ size;
  hash('xxh3-64', state.subarray(0, end)).copy(state, end);
  return createHash('blake2b512', { state });
}

const same = (left, right) =>
  left === right || (left.algorithm === right.algorithm && left.size === right.size);

/**
 * Has files read from the disk many at a time, into the page cache; what is read is dropped. Only
 * regular files: from a pipe nothing may be taken.
 */
async function warm(tasks) {
  let next = 0;
  const scratch = Buffer.allocUnsafeSlow(slowBytes);
  const lane = async () => {
    while (next < tasks.length) {
      const { path, error } = tasks[next++];
      if (path !== undefined && error === undefined) await touch(path, scratch);
    }
  };
  await Promise.all(Array.from({ length: slowReads }, lane));
}

/** Failures are left to the reading itself. */
function touch(path, scratch) {
  return new Promise((resolve) => {
    stat(path, (unknown, stats) => {
      if (unknown || !stats.isFile()) return resolve();
      open(path, 'r', (refused, file) => {
        if (refused) return resolve();
        read(file, scratch, 0, scratch.length, 0, () => close(file, () => resolve()));
      });
    });
  });
}

const asError = (error) => (error instanceof Error ? error : new Error(String(error)));

module.exports = { digestAll };
