// NIST's Monte Carlo tests of SHA and SHAKE: 100,000 digests in a row, each of earlier ones.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { monteCarloOf } from '../vectors/suites.mjs';

const file = new URL('../vectors/monte-carlo.json', import.meta.url);

for (const [algorithm, { seed, checkpoint99, outputBytes }] of Object.entries(
  JSON.parse(readFileSync(file, 'utf8')),
)) {
  test(`${algorithm}: the last of 100 checkpoints`, () => {
    const digests = monteCarloOf(algorithm, Buffer.from(seed, 'hex'), outputBytes);
    let digest;
    for (let count = 0; count < 100; count++) digest = digests.next().value;
    assert.equal(digest.toString('hex'), checkpoint99);
  });
}
