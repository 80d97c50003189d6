// The data that the steps of one thread share: bytes to work on, limits, the ledger and retained
// results.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import millrace from 'millrace';

import { oracle, oracleFor } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';
import { Ledger } from './ledger.mjs';
import { RetainedResults } from './retained-results.mjs';

const KiB = 1024;
const MiB = 2 ** 20;

/**
 * Above this size other implementations in JavaScript are too slow: the oracle is our synchronous
 * call.
 */
const SLOW_ORACLE_BYTES = 32 * KiB;

/** Returns bytes that all threads read and none writes. */
export function makeBytes(size) {
  const bytes = Buffer.from(new SharedArrayBuffer(size));
  const grain = random('bytes').bytes(MiB - 1);
  for (let at = 0; at < size; at += grain.length) grain.copy(bytes, at);
  return bytes;
}

export class Workspace {
  /**
   * @param files those of another thread's workspace; without them new ones are made, and `close`
   * removes them
   */
  constructor({ name, bytes, largest, huge, fail, files }) {
    Object.assign(this, { name, bytes, largest, huge, fail });
    this.ledger = new Ledger(fail);
    this.retained = new RetainedResults(24 * MiB);
    /** For each other thread a function that returns the steps under way in it. */
    this.beside = new Map();
    this.files = files ?? makeFiles(bytes, largest);
  }

  /**
   * Returns a size: equally often each number of digits, more often those at the edges of blocks,
   * input buffers and completion buffers.
   */
  size(rng, largest = this.largest) {
    if (rng.chance(0.04)) return 0;
    if (rng.chance(0.2))
      return Math.min(
        largest,
        Math.max(
          0,
          rng.pick([64, 256, 1024, 2048, 4096, 16 * KiB, 64 * KiB, 256 * KiB, MiB]) +
            rng.between(-2, 2),
        ),
      );
    return Math.floor(2 ** ((rng.word() / 2 ** 32) * Math.log2(largest)));
  }

  source(rng, size = this.size(rng)) {
    const start = rng.below(this.bytes.length - size);
    return this.bytes.subarray(start, start + size);
  }

  /** Checks the retained results and what the library still counts, with nothing in flight. */
  async rest() {
    this.retained.clear();
    // Exceptions of callbacks come in a later tick.
    await sleep(20);
    if (this.ledger.missing > 0)
      this.fail(new Error(`${this.ledger.missing} exceptions of callbacks were never seen`));
    // A call that was aborted before it began has settled, while its job waits to be passed by.
    let left;
    for (let waited = 0; waited < 400; waited++) {
      const { threads, queuedBytes = 0, kdf } = millrace.engines();
      left = {
        queuedBytes,
        ...(this.name === 'main' && {
          queued: threads.queued,
          derivationMemory: kdf.memory,
          derivationsWaiting: kdf.waiting,
        }),
      };
      if (Object.values(left).every((count) => count === 0)) return;
      await sleep(50);
    }
    this.fail(
      new Error(
        'nothing in flight for twenty seconds, and the library still counts ' +
          `${JSON.stringify(left)}`,
      ),
    );
  }

  close() {
    rmSync(this.files.folder, { recursive: true, force: true });
  }
}

function makeFiles(bytes, largest) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-soak-'));
  const list = [0, 1, 1000, 64 * KiB, 64 * KiB + 1, 700_000, 3 * MiB]
    .filter((size) => size <= largest)
    .map((size, index) => {
      const path = join(folder, `${size}.bin`);
      const content = bytes.subarray(index * 37, index * 37 + size);
      writeFileSync(path, content);
      return { path, size };
    });
  return { folder, list };
}

/**
 * Returns the right answer to a job of support/entry-points.mjs: another library's, or that of our
 * synchronous call.
 */
export function expected(job) {
  if (
    job.source.length <= SLOW_ORACLE_BYTES ||
    oracleFor(job.kind, job.algorithm) === 'node:crypto'
  )
    return oracle(job);
  const { kind, algorithm, source, key, iv, aad, outputLength, seed } = job;
  if (kind === 'hash')
    return { output: millrace.hash(algorithm, source, given({ outputLength, seed, key })) };
  if (kind === 'hmac') return { output: millrace.hmac(algorithm, key, source) };
  if (aad === undefined) return { output: millrace.cipher(algorithm, true, key, iv, source) };
  const tag = Buffer.alloc(job.tagSize ?? 16);
  return { output: millrace.cipher(algorithm, true, key, iv, source, aad, tag), tag };
}

function given(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
