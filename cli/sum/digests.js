// The digests of many files, in their order, in bounded memory.
//
// Small files are read here, synchronously, one behind the other into an arena, and an arena full of them goes to the worker threads in
// one call, several messages at once on a core: what is in the page cache takes 3 us a file this way (open, read, close), 20 and more by
// Node's asynchronous calls. A disk, however, wants many reads at a time. So the clock decides: where reading was slow, the files that come
// next are first read asynchronously into the page cache. Large files are streamed (stream.js), a few at a time.

'use strict';

const { close, closeSync, open, openSync, read, readSync, stat } = require('node:fs');

const { createHash, hashMany } = require('../../dist/index.js');
const { digestStream } = require('./stream.js');

/** A file is small if it is smaller than this. */
const small = 256 * 1024;
const arenaSize = 2 * 1024 * 1024;
/** An arena goes when it holds so many files, so that output is not long in coming. */
const arenaFiles = 256;
const arenas = 4;
/** Digests that wait for their turn behind one that takes long: so many arenas or large files. */
const waiting = 2000;
/** Reading a file takes longer than this: it was not in the page cache. */
const slow = 0.15;
/** So many files are then read ahead, so many at a time, before the clock is asked again. */
const slowFiles = 512;
const slowReads = 16;
/** No more than this is hashed here and now, without starting a thread. */
const hashedHere = 64 * 1024;

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
 * @param {(tasks: Task[], answers: (string | Error)[]) => void} deliver gets digests as hex, or errors, in the order of the tasks
 * @param {{ threads: number, add: (bytes: number) => void }} options
 */
async function digestAll(tasks, deliver, { threads, add }) {
  /** In order; each has `tasks`, `answers`, and `done`, a promise. */
  const units = [];
  const free = Array.from({ length: arenas }, () => undefined);

  const flush = () => {
    while (units.length > 0 && units[0].settled) {
      const unit = units.shift();
      deliver(unit.tasks, unit.answers);
    }
  };
  /** Waits until there are fewer than `count` of a kind under way. */
  const room = async (kind, count) => {
    for (;;) {
      flush();
      const busy = units.filter((unit) => unit.kind === kind && !unit.settled);
      if (busy.length < count) return;
      await Promise.race(busy.map(({ done }) => done));
    }
  };
  const begin = (unit, work) => {
    units.push(unit);
    unit.done = work.then(() => {
      unit.settled = true;
    });
    unit.done.catch(() => {});
  };

  const queue = new Queue(tasks);
  while (!queue.empty) {
    await room('arena', arenas);
    if (units.length >= waiting) await units[0].done;
    const memory = free.pop() ?? Buffer.allocUnsafeSlow(arenaSize);
    const batch = new Batch(queue.first.about, memory);
    const began = performance.now();
    const large = batch.gather(queue);
    const wasSlow = performance.now() - began > slow * (batch.tasks.length + 1) + 1;
    add(batch.bytes);
    if (batch.tasks.length > 0) {
      const unit = { kind: 'arena', tasks: batch.tasks, answers: batch.answers, settled: false };
      if (queue.empty && units.length === 0 && batch.bytes <= hashedHere) {
        batch.hashHere();
        deliver(unit.tasks, unit.answers);
        free.push(memory);
      } else {
        begin(unit, batch.hash().finally(() => free.push(memory)));
      }
    } else {
      free.push(memory);
    }
    if (large !== undefined) {
      await room('large', large.file === 0 ? 1 : Math.max(2, Math.min(threads, 16)));
      const unit = { kind: 'large', tasks: [large.task], answers: [], settled: false };
      begin(unit, digestLarge(large, threads, add).then((digest) => unit.answers.push(digest), (error) => unit.answers.push(asError(error))));
    }
    if (wasSlow) await warm(queue.ahead(slowFiles));
    // What is under way gets its turn.
    if (units.some(({ kind }) => kind === 'large')) await new Promise(setImmediate);
  }
  while (units.length > 0) {
    await units[0].done;
    flush();
  }
}

async function digestLarge({ task, file, prefix }, threads, add) {
  try {
    const { algorithm, size, xof } = task.about;
    const hasher = createHash(algorithm, xof ? { outputLength: size } : {});
    await digestStream(hasher, file, algorithm, { threads, add, prefix });
    return hasher.digest('hex');
  } finally {
    if (task.path !== undefined) await new Promise((resolve) => close(file, resolve));
  }
}

/** Small files of one algorithm, one behind the other. */
class Batch {
  tasks = [];
  /** Errors for now; digests come into the holes. */
  answers = [];
  bytes = 0;
  #views = [];
  #memory;

  constructor(about, memory) {
    this.about = about;
    this.#memory = memory;
  }

  get #full() {
    return this.tasks.length === arenaFiles || this.bytes + small > this.#memory.length;
  }

  /** Reads files until there is no more room, or one turns out to be large, which is given back. */
  gather(queue) {
    while (!queue.empty && !this.#full && same(queue.first.about, this.about)) {
      const task = queue.take();
      if (task.error !== undefined) {
        this.#add(task, task.error);
        continue;
      }
      if (task.path === undefined) return { task, file: 0 };
      let file;
      try {
        file = openSync(task.path, 'r');
        let size = 0;
        for (;;) {
          const count = readSync(file, this.#memory, this.bytes + size, small - size, null);
          size += count;
          if (count === 0 || size === small) break;
        }
        const view = this.#memory.subarray(this.bytes, this.bytes + size);
        if (size === small) return { task, file, prefix: Buffer.from(view) };
        closeSync(file);
        this.#add(task, view);
      } catch (error) {
        if (file !== undefined) closeSync(file);
        this.#add(task, error);
      }
    }
    return undefined;
  }

  #answer(task, answer) {
    this.tasks.push(task);
    this.answers.push(answer);
  }

  #add(task, found) {
    const bytes = Buffer.isBuffer(found);
    this.#answer(task, bytes ? undefined : asError(found));
    if (!bytes) return;
    this.#views.push(found);
    this.bytes += found.length;
  }

  hashHere() {
    const target = Buffer.allocUnsafe(this.#views.length * this.about.size);
    if (this.#views.length > 0) hashMany(this.about.algorithm, this.#views, this.#options(target));
    this.#fill(target);
  }

  async hash() {
    const target = Buffer.allocUnsafe(this.#views.length * this.about.size);
    if (this.#views.length > 0) {
      await new Promise((resolve, reject) => hashMany(this.about.algorithm, this.#views, this.#options(target), (error) => (error ? reject(error) : resolve())));
    }
    this.#fill(target);
  }

  #options(target) {
    return { target, ...(this.about.xof && { outputLength: this.about.size }) };
  }

  #fill(target) {
    const hex = target.toString('hex');
    const width = 2 * this.about.size;
    let at = 0;
    for (const [index, answer] of this.answers.entries()) {
      if (answer !== undefined) continue;
      this.answers[index] = hex.slice(at, at + width);
      at += width;
    }
  }
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

const same = (left, right) => left === right || (left.algorithm === right.algorithm && left.size === right.size);

/**
 * Has files read from the disk many at a time, into the page cache; what is read is dropped. Only regular files: from a pipe
 * nothing may be taken.
 */
async function warm(tasks) {
  let next = 0;
  const scratch = Buffer.allocUnsafeSlow(small);
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
