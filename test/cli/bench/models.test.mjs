// The bench's data: nothing is measured here, but a row that fits nothing would be silent.

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';

import { competitors as packages } from '../../../cli/bench/competitors/all.mjs';
import { definitions, describe, sizes } from '../../../cli/bench/definitions.mjs';
import {
  comparisons,
  crossover,
  crossovers,
  engines,
  perfDefinitions,
  threadCounts,
} from '../../../cli/bench/engines.mjs';
import { answerBytes, makeInputs } from '../../../cli/bench/inputs.mjs';
import { combine, latencyReport, situations } from '../../../cli/bench/latency.mjs';
import { median, quantile, rotated, spread, uncoordinated } from '../../../cli/bench/numbers.mjs';
import { choose } from '../../../cli/bench/runner.mjs';

const competitors = [...packages, ...engines];
const ours = competitors.find(({ name }) => name === 'millrace');
const rows = definitions.flatMap((definition) =>
  definition.waits.flatMap((wait) =>
    (definition.sizes ?? sizes).map((size) => ({ ...definition, definition, wait, size })),
  ),
);

test('Millrace has a form for every row', () => {
  for (const { definition, wait, engines: byEngine, ...row } of rows)
    assert.ok(
      (byEngine ? engines : [ours]).some((each) => choose(each, definition, wait).length > 0),
      `${wait} ${describe(row)}`,
    );
});

test('every form of every competitor serves a row', () => {
  const used = new Set(
    competitors.flatMap((each) =>
      rows.flatMap(({ definition, wait }) => choose(each, definition, wait)),
    ),
  );
  const idle = competitors.flatMap(({ name, forms }) =>
    forms.filter((form) => !used.has(form)).map((form) => `${name} ${form.name} (${form.group})`),
  );
  assert.deepEqual(idle, []);
});

test('competitors have different names', () => {
  const names = competitors.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test('the names in a row are those of competitors', () => {
  const names = new Set(competitors.map(({ name }) => name));
  for (const definition of definitions)
    for (const name of definition.competitors ?? []) assert.ok(names.has(name), name);
});

test('synchronous packages take part in rows of asynchronous jobs', () => {
  const row = definitions.find(
    (each) => each.table === 'async' && each.algorithm === 'sha256' && each.output === 'buffer',
  );
  for (const [name, ...waits] of [
    ['node:crypto', 'sync'],
    ['own loop', 'sync'],
    ['crypto-async', 'callback'],
    ['piscina', 'promise'],
    // It does not take part.
    ['hash-wasm'],
  ]) {
    const forms = choose(
      competitors.find((each) => each.name === name),
      row,
      'callback',
    );
    assert.deepEqual([...new Set(forms.map(({ wait }) => wait))], waits, name);
  }
});

test('answers are compared as bytes, whatever they came as', () => {
  const many = { group: 'many', algorithm: 'sha256', messages: 2, output: 'buffer' };
  const [inputs] = makeInputs(many, 4, 1);
  assert.equal(inputs.sources.length, 2);
  assert.deepEqual(Buffer.concat(inputs.sources), inputs.source);
  assert.deepEqual(answerBytes(['0a', Buffer.from([11])], inputs), Buffer.from([10, 11]));
  const [numbers] = makeInputs({ group: 'hash', algorithm: 'xxh32', output: 'bigint' }, 4, 1);
  assert.deepEqual(answerBytes(0x123, numbers), answerBytes(0x123n, numbers));
});

test('large sources are one buffer, without a part that is equal to another', () => {
  const into = { group: 'hash', algorithm: 'sha256', output: 'into' };
  const [[first], [second]] = [1, 2].map((count) => makeInputs(into, 4 << 20, count));
  assert.equal(first.source, second.source);
  const part = (index) => first.source.subarray(index << 20, (index + 1) << 20);
  assert.ok([1, 2, 3].every((index) => !part(index).equals(part(0))));
  assert.ok(part(3).some((byte) => byte !== 0));
});

// numbers

test('quantiles lie between the samples', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([1, 2]), 1.5);
  assert.equal(quantile([0, 10], 0.99), 9.9);
  assert.equal(quantile([7], 0.99), 7);
  assert.ok(Number.isNaN(quantile([], 0.5)));
  assert.equal(spread([1, 2, 3, 4, 5]), 1 / 3);
  assert.deepEqual(
    [0, 1, 4].map((by) => rotated([1, 2, 3], by)),
    [
      [1, 2, 3],
      [2, 3, 1],
      [2, 3, 1],
    ],
  );
});

test('a stall counts for every event that would have met it', () => {
  assert.deepEqual(uncoordinated([4, 0.5, 0], 1), [4, 3, 2, 1, 0.5, 0]);
  assert.deepEqual(uncoordinated([-0.1], 1), [-0.1]);
});

// latency

test('situations are definitions that Millrace and node:crypto can do', () => {
  const node = competitors.find(({ name }) => name === 'node:crypto');
  const names = new Set(competitors.map(({ name }) => name));
  for (const { load, competitors: wanted } of situations) {
    for (const job of load) {
      assert.ok(choose(ours, job, 'callback').length > 0, describe(job));
      assert.ok(choose(node, job, 'sync').length > 0, describe(job));
    }
    for (const name of wanted) assert.ok(names.has(name), name);
  }
});

test('rounds are combined by median, lowest and highest', () => {
  const rounds = [5, 1, 3].map((p99) => ({ probes: { timer: { p50: 1, p99 } } }));
  assert.deepEqual(combine(rounds), { timer: { p50: [1, 1, 1], p99: [3, 1, 5] } });
});

test('a latency report of what there was until Ctrl-C', () => {
  const machine = { cpu: 'one', cores: 1, system: 'any', node: '20' };
  const probes = { timer: { p50: [0, 0, 0], p99: [1e-3, 1e-3, 1e-3] } };
  const cut = {
    seconds: 1,
    loop: [{ competitor: 'millrace', name: 'idle', load: [], rounds: [{}], probes }],
    wrong: [],
    foreign: 0.1,
  };
  const text = latencyReport(cut, machine);
  assert.match(text, /^idle .* timer late /m);
  assert.doesNotMatch(text, /undefined|NaN/);
});

// engines

test('threads are doubled up to all cores, and each number of them is an engine', () => {
  assert.deepEqual([1, 2, 6, 8].map(threadCounts), [[1], [1, 2], [1, 2, 4, 6], [1, 2, 4, 8]]);
  const { competitors: named } = perfDefinitions.find(({ table }) => table === 'scaling');
  const counts = threadCounts(availableParallelism());
  assert.equal(named.length, counts.length + 1);
  const set = [];
  const millrace = { configure: ({ threads }) => set.push(threads) };
  for (const each of engines) if (named.includes(each.name)) each.beforeTurn({ millrace });
  assert.deepEqual(set, counts);
});

const points = (seconds, spread = 0) =>
  seconds.map((each, index) => ({ size: 16 * 4 ** index, seconds: each, spread }));

test('a crossover lies where the lines meet on log axes', () => {
  for (const [ours, theirs, expected] of [
    // 1 : 2 against it at 16, 2 : 1 for it at 64: they meet at 32.
    [[2, 1, 1], [1, 2, 4], { from: 32, always: false, ratio: 4 }],
    [[1, 1], [2, 2], { from: 16, always: true, ratio: 2 }],
    [[2, 2], [1, 1], { from: undefined, always: false, ratio: 0.5 }],
    [[1], [], undefined],
  ])
    assert.deepEqual(crossover(points(ours), points(theirs)), expected);
});

test('a lead that is lost again does not count, nor one within the noise', () => {
  for (const [ours, from, spread] of [
    [[1, 4, 1], 128],
    [[1, 1, 4], undefined],
    // Level at the largest size, and at first.
    [[2, 1, 1.98], undefined],
    [[2, 1.8, 1], 16],
    [[2, 1.8, 1], 64, 0.15],
  ])
    assert.equal(crossover(points(ours, spread), points([2, 2, 2])).from, from, ours.join());
  const [ours, theirs] = [points([2, 1, 1]), points([1, 2, 4])];
  assert.deepEqual(crossover(ours.toReversed(), theirs), crossover(ours, theirs), 'in any order');
});

test('comparisons are between engines that there are, on the sizes that both have', () => {
  const known = [...engines.map(({ name }) => name), 'node:crypto'];
  for (const { faster, than } of comparisons)
    assert.ok(
      known.includes(faster) && known.includes(than) && faster !== than,
      `${faster}, ${than}`,
    );
  const entry = (competitor, seconds) => ({ competitor, form: '', seconds, spread: 0 });
  const others = [entry('sync', 2), entry('pool', 9), entry('node:crypto', 4)];
  const row = { table: 'hashperf', engines: true, algorithm: 'blake3' };
  const measured = [
    { ...row, size: 16, entries: [entry('pool', 4), ...others] },
    { ...row, size: 64, entries: [entry('pool', 1), ...others] },
  ];
  assert.deepEqual(
    crossovers([...measured, { algorithm: 'blake3', size: 4, entries: [] }]).map(
      ({ faster, than, from, algorithm }) => [algorithm, faster, than, from],
    ),
    [
      ['blake3', 'sync', 'node:crypto', 16],
      ['blake3', 'pool', 'sync', 32],
    ],
  );
});

test('engines take part in their tables only, and what cannot be cut is not split', () => {
  const split = engines.find(({ name }) => name === 'split, one job');
  const forms = (algorithm) =>
    choose(
      split,
      perfDefinitions.find((row) => row.algorithm === algorithm),
      'callback',
    );
  assert.ok(forms('blake3').length > 0);
  assert.deepEqual(forms('sha256'), []);
  for (const each of engines)
    assert.deepEqual(
      choose(each, { group: 'hash', algorithm: 'sha256', output: 'into' }, 'callback'),
      [],
    );
  assert.deepEqual(choose(ours, perfDefinitions[0], 'callback'), []);
});
