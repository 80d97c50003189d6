// The portable ciphers by themselves, against the native engine and Wycheproof: sizes, alignments, overlaps, tags, counters.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import millrace from 'millrace';
import ancestorDoor from 'millrace/crypto-async';

import { ancestor, aeadNames, cipherNames, ciphers } from '../support/algorithms.mjs';
import { portableSource } from '../support/portable-source.mjs';
import { random } from '../support/random.mjs';

const { prepareCipher } = await portableSource('ciphers/index.ts');
const ids = JSON.parse(readFileSync(new URL('../../src/catalog-table.ts', import.meta.url), 'utf8').split('export const ciphers')[1].match(/'[\w-]+'/g).length > 0 ? '{}' : '{}');

/** Their order is that of the catalog. */
const idOf = (algorithm) => cipherNames.indexOf(algorithm);
const streams = cipherNames.filter((name) => !ciphers[name].aead);

/** What the native engine makes of a text: `{ output, tag }`. */
function native(algorithm, { key, iv, aad, source }) {
  if (!ciphers[algorithm].aead) return { output: millrace.cipher(algorithm, { encrypt: true, key, iv, source }) };
  const tag = Buffer.alloc(16);
  return { output: millrace.cipher(algorithm, { encrypt: true, key, iv, source, aad, tag }), tag };
}

function inputs(algorithm, rng, size, aadSize) {
  const { key, iv } = ciphers[algorithm];
  return { key: rng.bytes(key), iv: rng.bytes(iv), aad: rng.bytes(aadSize), source: rng.bytes(size) };
}

/** Bytes at an offset from alignment, with others around them that must stay. */
class Place {
  #whole;
  #before;

  constructor(bytes, offset, room = bytes.length) {
    this.#whole = Buffer.alloc(offset + room + 40, 0xa5);
    this.bytes = new Uint8Array(this.#whole.buffer, this.#whole.byteOffset + offset, bytes.length);
    this.bytes.set(bytes);
    this.#before = Buffer.from(this.#whole);
  }

  /** Nothing but the bytes themselves was written. */
  untouchedAround() {
    const start = this.bytes.byteOffset - this.#whole.byteOffset;
    assert.deepEqual(this.#whole.subarray(0, start), this.#before.subarray(0, start));
    assert.deepEqual(this.#whole.subarray(start + this.bytes.length), this.#before.subarray(start + this.bytes.length));
  }
}
