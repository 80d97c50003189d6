// Project Wycheproof's vectors of HKDF and PBKDF2: synchronously, and all of a hash at once, where
// those of one kind run in lanes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { everyWay } from './call-styles.mjs';

/** Longer ones (one takes a second) are derived once. */
const PATIENCE = 200_000;

const derivations = {
  hkdf: ({ ikm, salt, info, size }, hash) => ({
    args: [hash, Buffer.from(ikm, 'hex'), Buffer.from(salt, 'hex'), Buffer.from(info, 'hex'), size],
    iterations: 1,
  }),
  pbkdf2: ({ password, salt, iterationCount, dkLen }, hash) => ({
    args: [Buffer.from(password, 'hex'), Buffer.from(salt, 'hex'), iterationCount, dkLen, hash],
    iterations: iterationCount,
  }),
};

for (const [name, argumentsOf] of Object.entries(derivations)) {
  const { fields, groups } = JSON.parse(
    readFileSync(new URL(`../vectors/wycheproof-${name}.json`, import.meta.url), 'utf8'),
  );
  for (const { algorithm, tests } of groups) {
    test(`${name} over ${algorithm}: ${tests.length} vectors`, async () => {
      assert.ok(tests.length > 50);
      const cases = tests.map((row) => {
        const facts = Object.fromEntries(fields.map((field, index) => [field, row[index]]));
        return { ...facts, ...argumentsOf(facts, algorithm), key: facts.okm ?? facts.dk };
      });
      for (const { id, result, comment, args, key, iterations } of cases) {
        const what = `${id}: ${comment}`;
        if (result === 'invalid') {
          assert.throws(() => millrace[name](...args), { code: 'ERR_OUTPUT_SIZE' }, what);
          await assert.rejects(promises[name](...args), { code: 'ERR_OUTPUT_SIZE' }, what);
        } else if (iterations < PATIENCE) {
          assert.equal(millrace[name](...args).toString('hex'), key, what);
        }
      }
      const valid = cases.filter(({ result }) => result === 'valid');
      const together = await Promise.all(valid.map(({ args }) => promises[name](...args)));
      for (const [index, { id, comment, key }] of valid.entries())
        assert.equal(
          together[index].toString('hex'),
          key,
          `at once with the others, ${id}: ${comment}`,
        );
      const { args, key } = valid[0];
      for (const [way, derived] of await everyWay(name, args))
        assert.equal(derived.toString('hex'), key, way);
    });
  }
}
