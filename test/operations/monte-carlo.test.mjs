// NIST's Monte Carlo tests of SHA and SHAKE: 100,000 digests in a row, each of earlier ones.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { vectors } from '../support/vectors.mjs';
import { monteCarloOf } from '../vectors/suites.mjs';

for (const [algorithm, facts] of Object.entries(vectors('monte-carlo'))) {
  const { seed, checkpoint99, outputBytes } = facts;
  test(`${algorithm}: the last of 100 checkpoints`, () => {
    const digests = monteCarloOf(algorithm, Buffer.from(seed, 'hex'), outputBytes);
    let digest;
    for (let count = 0; count < 100; count++) digest = digests.next().value;
    assert.equal(digest.toString('hex'), checkpoint99);
  });
}
