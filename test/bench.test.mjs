// The bench's data: nothing is measured here, but a row or goal that fits nothing would be silent.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { contestants } from '../bench/contestants/all.mjs';
import { definitions, describe, sizes } from '../bench/definitions.mjs';
import { fits, goals, reached } from '../bench/goals.mjs';
import { answerBytes, makeInputs } from '../bench/inputs.mjs';
import { choose } from '../bench/runner.mjs';

const ours = contestants.find(({ name }) => name === 'millrace');
const rows = definitions.flatMap((definition) =>
  definition.waits.flatMap((wait) => (definition.sizes ?? sizes).map((size) => ({ ...definition, definition, wait, size }))),
);

test('Millrace has a form for every row', () => {
  const unknown = rows.filter(({ definition, wait }) => choose(ours, definition, wait).length === 0);
  assert.deepEqual(unknown.map((row) => `${row.wait} ${describe(row)}`), []);
});

test('every form of every contestant serves a row', () => {
  const used = new Set(contestants.flatMap((each) => rows.flatMap(({ definition, wait }) => choose(each, definition, wait))));
  const idle = contestants.flatMap(({ name, forms }) => forms.filter((form) => !used.has(form)).map((form) => `${name} ${form.name} (${form.group})`));
  assert.deepEqual(idle, []);
});

test('contestants have names of their own', () => {
  const names = contestants.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test('every goal is about a row, and compares with somebody who takes part in it', () => {
  for (const { row, than, against = row } of goals) {
    const found = rows.find(fits(row));
    assert.ok(found, JSON.stringify(row));
    if (than === undefined) continue;
    const other = rows.find(fits(against));
    const rival = contestants.find(({ name }) => name === than);
    assert.ok(rival && other && choose(rival, other.definition, other.wait).length > 0, `${than}: ${describe(found)}`);
  }
});

test('a goal says what was reached, and nothing where a side is missing', () => {
  const row = { group: 'hash', algorithm: 'sha256', output: 'bigint', size: 64, wait: 'sync' };
  const entry = (contestant, seconds) => ({ contestant, form: '', seconds, spread: 0 });
  const [atMost, times] = reached([{ ...row, entries: [entry('millrace', 2e-7), entry('millrace', 1e-7), entry('bigint-hash', 2e-7)] }]);
  assert.deepEqual([atMost.reached, atMost.met], [1e-7, true]);
  assert.deepEqual([times.reached, times.met], [2, false]);
  const alone = reached([{ ...row, entries: [entry('millrace', 1e-6)] }]);
  assert.deepEqual(alone.map(({ met }) => met), [false, undefined]);
  assert.deepEqual(reached([{ ...row, entries: [] }]).map(({ met }) => met), [undefined, undefined]);
});

test('answers are compared as bytes, whatever they came as', () => {
  const [inputs] = makeInputs({ group: 'many', algorithm: 'sha256', messages: 2, output: 'buffer' }, 4, 1);
  assert.equal(inputs.sources.length, 2);
  assert.deepEqual(Buffer.concat(inputs.sources), inputs.source);
  assert.deepEqual(answerBytes(['0a', Buffer.from([11])], inputs), Buffer.from([10, 11]));
  const [numbers] = makeInputs({ group: 'hash', algorithm: 'xxh32', output: 'bigint' }, 4, 1);
  assert.deepEqual(answerBytes(0x123, numbers), answerBytes(0x123n, numbers));
});
