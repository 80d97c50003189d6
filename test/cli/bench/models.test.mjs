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
  const unknown = rows.filter(({ definition, wait, engines: byEngine }) =>
    (byEngine ? engines : [ours]).every((each) => choose(each, definition, wait).length === 0),
  );
  assert.deepEqual(
    unknown.map((row) => `${row.wait} ${describe(row)}`),
    [],
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
  const of = (name) =>
    choose(
      competitors.find((each) => each.name === name),
      row,
      'callback',
    ).map(({ wait }) => wait);
  assert.deepEqual(new Set(of('node:crypto')), new Set(['sync']));
  assert.deepEqual(of('own loop'), ['sync']);
  assert.deepEqual(of('crypto-async'), ['callback']);
  assert.deepEqual(of('piscina'), ['promise']);
  assert.deepEqual(of('hash-wasm'), [], 'it does not take part');
});

test('answers are compared as bytes, whatever they came as', () => {
  const [inputs] = makeInputs(
    { group: 'many', algorithm: 'sha256', messages: 2, output: 'buffer' },
    4,
    1,
  );
  assert.equal(inputs.sources.length, 2);
  assert.deepEqual(Buffer.concat(inputs.sources), inputs.source);
  assert.deepEqual(answerBytes(['0a', Buffer.from([11])], inputs), Buffer.from([10, 11]));
  const [numbers] = makeInputs({ group: 'hash', algorithm: 'xxh32', output: 'bigint' }, 4, 1);
  assert.deepEqual(answerBytes(0x123, numbers), answerBytes(0x123n, numbers));
});

test('large sources are one buffer, without a part that is equal to another', () => {
  const [first] = makeInputs({ group: 'hash', algorithm: 'sha256', output: 'into' }, 4 << 20, 1);
  const [second] = makeInputs({ group: 'hash', algorithm: 'sha256', output: 'into' }, 4 << 20, 2);
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
  // 1 : 2 against it at 16, 2 : 1 for it at 64: they meet at 32.
  assert.deepEqual(crossover(points([2, 1, 1]), points([1, 2, 4])), {
    from: 32,
    always: false,
    ratio: 4,
  });
  assert.deepEqual(crossover(points([1, 1]), points([2, 2])), { from: 16, always: true, ratio: 2 });
  assert.deepEqual(crossover(points([2, 2]), points([1, 1])), {
    from: undefined,
    always: false,
    ratio: 0.5,
  });
  assert.equal(crossover(points([1]), []), undefined);
});

test('a lead that is lost again does not count, nor one within the noise', () => {
  assert.equal(crossover(points([1, 4, 1]), points([2, 2, 2])).from, 128);
  assert.equal(crossover(points([1, 1, 4]), points([2, 2, 2])).from, undefined);
  assert.equal(
    crossover(points([2, 1, 1.98]), points([2, 2, 2])).from,
    undefined,
    'level at the largest size',
  );
  assert.equal(crossover(points([2, 1.8, 1]), points([2, 2, 2])).from, 16, 'level at first');
  assert.equal(crossover(points([2, 1.8, 1], 0.15), points([2, 2, 2])).from, 64);
  assert.deepEqual(
    crossover(points([2, 1, 1]).reverse(), points([1, 2, 4])),
    crossover(points([2, 1, 1]), points([1, 2, 4])),
    'in any order',
  );
});

test('comparisons are between engines that there are, on the sizes that both have', () => {
  const known = [...engines.map(({ name }) => name), 'node:crypto'];
  for (const { faster, than } of comparisons)
    assert.ok(
      known.includes(faster) && known.includes(than) && faster !== than,
      `${faster}, ${than}`,
    );
  const entry = (competitor, seconds) => ({ competitor, form: '', seconds, spread: 0 });
  const measured = [16, 64].map((size, index) => ({
    table: 'hashperf',
    engines: true,
    algorithm: 'blake3',
    size,
    entries: [
      entry('sync', 2),
      entry('pool', [4, 1][index]),
      entry('pool', 9),
      entry('node:crypto', 4),
    ],
  }));
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
  const of = (algorithm) =>
    engines
      .filter(
        (each) =>
          choose(
            each,
            perfDefinitions.find((row) => row.algorithm === algorithm),
            'callback',
          ).length > 0,
      )
      .map(({ name }) => name);
  assert.ok(of('blake3').includes('split, one job'));
  assert.ok(!of('sha256').includes('split, one job'));
  for (const each of engines)
    assert.deepEqual(
      choose(each, { group: 'hash', algorithm: 'sha256', output: 'into' }, 'callback'),
      [],
    );
  assert.deepEqual(choose(ours, perfDefinitions[0], 'callback'), []);
});
