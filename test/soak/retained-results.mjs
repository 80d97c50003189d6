// Results that are kept for a while and then checked again: after a call has settled, neither a
// late worker nor another call may write to its result.

import assert from 'node:assert/strict';

import millrace from 'millrace';

export class RetainedResults {
  #kept = [];
  #bytes = 0;
  #limit;

  constructor(limit) {
    this.#limit = limit;
  }

  /** Keeps the bytes until more than the limit are kept; `note` describes them in errors. */
  keep(note, bytes) {
    if (bytes.length === 0 || bytes.length > this.#limit / 2) return;
    this.#kept.push({ note, bytes, sum: checksum(bytes) });
    this.#bytes += bytes.length;
    while (this.#bytes > this.#limit || this.#kept.length > 2000) this.#check(this.#kept.shift());
  }

  /** Checks and releases all results. */
  clear() {
    while (this.#kept.length > 0) this.#check(this.#kept.shift());
  }

  #check({ note, bytes, sum }) {
    this.#bytes -= bytes.length;
    assert.equal(checksum(bytes), sum, `${note}: written after it had settled`);
  }
}

function checksum(bytes) {
  return millrace.hash('xxh3-64', bytes, 'bigint');
}
