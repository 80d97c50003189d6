// The code paths for CPUs that have less than this one. AWS-LC takes the features it may use from
// OPENSSL_ia32cap (the two words of cpuid 1, then those of leaf 7), so one machine can walk them
// all: the answers must be those of the path this machine takes by itself, which the other tests
// judge.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { aeadNames, ciphers, hashNames, hashes, hmacNames, streamNames } from './support/algorithms.mjs';
import { run } from './support/child.mjs';

const masks = {
  'no features at all': '0x0:0x0',
  'no AES, no carry-less multiplication': '~0x200000200000000',
  'no AVX, AVX2, AVX-512, SHA': '~0x1000000000000000:0x0',
  'SSE2 only': '~0x1200020000000000:0x0',
  'no SHA': ':~0x20000000',
  'AVX2, no AVX-512': ':~0xd0230000',
};

const skip = process.arch !== 'x64' && 'features are hidden on x64 only';

/** Every algorithm over many lengths; one digest for each. Runs here and in the children. */
function answers(door, { streamNames, aeadNames, hashNames, hmacNames, ciphers, hashes }) {
  const bytes = (size, seed) => {
    const made = Buffer.alloc(size);
    for (let index = 0, state = seed + size; index < size; index++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      made[index] = state >>> 24;
    }
    return made;
  };
  const data = bytes(200_003, 1);
  const sizes = [...Array(280).keys(), 511, 512, 513, 1000, 1024, 4095, 4096, 16_389, 65_537, 200_003];
  const found = {};
  const note = (name, compute) => {
    const all = sizes.map((size) => compute(data.subarray(0, size)));
    found[name] = door.hash('md5', Buffer.concat(all), 'hex');
  };
  for (const name of streamNames) note(name, (source) => door.cipher(name, true, bytes(ciphers[name].key, 2), bytes(16, 3), source));
  for (const name of aeadNames) {
    note(name, (source) => {
      const options = { key: bytes(ciphers[name].key, 4), nonce: bytes(ciphers[name].iv, 5), aad: source.subarray(0, 37) };
      const sealed = door.seal(name, { ...options, source });
      if (!door.open(name, { ...options, source: sealed }).equals(source)) throw new Error(`${name} does not open what it sealed`);
      return sealed;
    });
  }
  for (const name of hashNames) note(name, (source) => door.hash(name, source, hashes[name].digest === 0 ? { outputLength: 40 } : undefined));
  for (const name of hmacNames) note(`hmac-${name}`, (source) => door.hmac(name, source.subarray(0, 150), source));
  return found;
}

const tables = { streamNames, aeadNames, hashNames, hmacNames, ciphers, hashes };
const expected = skip ? undefined : answers(millrace, tables);

for (const [name, mask] of Object.entries(masks)) {
  test(`hidden: ${name}`, { skip }, async () => {
    const { code, stdout, stderr } = await run(`
      const answers = ${answers};
      console.log(JSON.stringify(answers(millrace, ${JSON.stringify(tables)})));
    `, { env: { OPENSSL_ia32cap: mask } });
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), expected);
  });
}
