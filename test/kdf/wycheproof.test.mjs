// Project Wycheproof's vectors of HKDF and PBKDF2: synchronously, and all of a hash at once, where
// those of one kind run in lanes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { hex, vectors } from '../support/vectors.mjs';
import { everyWay } from '../support/ways.mjs';

/** Longer ones (one takes a second) are derived once. */
const PATIENCE = 200_000;

const argumentsOf = {
  hkdf: ({ ikm, salt, info, size }, hash) => [hash, hex(ikm), hex(salt), hex(info), size],
  pbkdf2: ({ password, salt, iterationCount, dkLen }, hash) => [
    hex(password),
    hex(salt),
    iterationCount,
    dkLen,
    hash,
  ],
};

for (const name of Object.keys(argumentsOf)) {
  const { fields, groups } = vectors(`wycheproof-${name}`);
  for (const { algorithm, tests } of groups) {
    test(`${name} over ${algorithm}: ${tests.length} vectors`, async () => {
      assert.ok(tests.length > 50);
      const cases = tests.map((row) => {
        const facts = Object.fromEntries(fields.map((field, index) => [field, row[index]]));
        const args = argumentsOf[name](facts, algorithm);
        return { iterationCount: 1, ...facts, args, key: facts.okm ?? facts.dk };
      });
      for (const { id, result, comment, args, key, iterationCount } of cases) {
        const what = `${id}: ${comment}`;
        if (result === 'invalid') {
          assert.throws(() => millrace[name](...args), { code: 'ERR_OUTPUT_SIZE' }, what);
          await assert.rejects(promises[name](...args), { code: 'ERR_OUTPUT_SIZE' }, what);
        } else if (iterationCount < PATIENCE) {
          assert.equal(millrace[name](...args).toString('hex'), key, what);
        }
      }
      const valid = cases.filter(({ result }) => result === 'valid');
      const together = await Promise.all(valid.map(({ args }) => promises[name](...args)));
      for (const [index, { id, key }] of valid.entries())
        assert.equal(together[index].toString('hex'), key, `at once with the others, ${id}`);
      const { args, key } = valid[0];
      for (const [way, derived] of await everyWay(name, args))
        assert.equal(derived.toString('hex'), key, way);
    });
  }
}
