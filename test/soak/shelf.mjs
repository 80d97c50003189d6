// Results that are kept for a while and then looked at again: memory that was given out must not be
// written any more, not by a late worker, nor by somebody who was given the same memory.

import assert from 'node:assert/strict';

import millrace from 'millrace';

export class Shelf {
  #kept = [];
  #bytes = 0;
  #limit;

  constructor(limit) {
    this.#limit = limit;
  }

  /** Keeps what `reach` gives until there is no more room; `note` tells what it was. */
  keep(note, bytes) {
    if (bytes.length === 0 || bytes.length > this.#limit / 2) return;
    this.#kept.push({ note, bytes, sum: checksum(bytes) });
    this.#bytes += bytes.length;
    while (this.#bytes > this.#limit || this.#kept.length > 2000) this.#look(this.#kept.shift());
  }

  /** Looks at everything and forgets it. */
  clear() {
    while (this.#kept.length > 0) this.#look(this.#kept.shift());
  }

  #look({ note, bytes, sum }) {
    this.#bytes -= bytes.length;
    assert.equal(checksum(bytes), sum, `${note}: written after it had settled`);
  }
}

function checksum(bytes) {
  return millrace.hash('xxh3-64', bytes, 'bigint');
}
