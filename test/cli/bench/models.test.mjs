// The bench's data: nothing is measured here, but a row that fits nothing would be silent.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { competitors as packages } from '../../../cli/bench/competitors/all.mjs';
import { definitions, describe, sizes } from '../../../cli/bench/definitions.mjs';
import {
  comparisons,
  crossover,
  crossovers,
  engines,
  perfDefinitions,
} from '../../../cli/bench/engines.mjs';
import { answerBytes, makeInputs } from '../../../cli/bench/inputs.mjs';
import { latencyReport } from '../../../cli/bench/latency-report.mjs';
import { combine, held, situations } from '../../../cli/bench/latency.mjs';
import {
  concurrentTime,
  fitConcurrent,
  fitSplit,
  fullLoop,
  leastSquares,
  serialFraction,
  splitTime,
} from '../../../cli/bench/model.mjs';
import { median, quantile, rotated, spread, uncoordinated } from '../../../cli/bench/numbers.mjs';
import { choose } from '../../../cli/bench/runner.mjs';
import { concurrent, splits, threadCounts } from '../../../cli/bench/scaling.mjs';

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

test('situations and calls are definitions that Millrace and node:crypto can do', () => {
  const node = competitors.find(({ name }) => name === 'node:crypto');
  const names = new Set(competitors.map(({ name }) => name));
  for (const job of [
    ...situations.flatMap(({ load }) => load),
    ...held.jobs,
    ...concurrent,
    ...splits,
  ]) {
    assert.ok(choose(ours, job, 'callback').length > 0, describe(job));
    assert.ok(job.algorithm === 'blake3' || choose(node, job, 'sync').length > 0, describe(job));
  }
  for (const { competitors: wanted } of [...situations, held])
    for (const name of wanted) assert.ok(names.has(name), name);
});

test('rounds are combined by median, lowest and highest', () => {
  const rounds = [5, 1, 3].map((p99) => ({
    probes: {
      timer: {
        p50: 1,
        p99,
        curve: [
          [0.5, 1],
          [0.99, p99],
        ],
        count: 10,
      },
    },
  }));
  assert.deepEqual(combine(rounds), {
    timer: {
      p50: [1, 1, 1],
      p99: [3, 1, 5],
      curve: [
        [0.5, 1],
        [0.99, 3],
      ],
      count: 10,
    },
  });
});

test('a latency report of what there was until Ctrl-C', () => {
  const machine = { cpu: 'one', cores: 1, system: 'any', node: '20' };
  const probes = { timer: { p50: [0, 0, 0], p99: [1e-3, 1e-3, 1e-3] } };
  const cut = {
    seconds: 1,
    loop: [{ competitor: 'millrace', name: 'idle', load: [], rounds: [{}], probes }],
    held: [],
    rest: [],
    wrong: [],
    foreign: 0.1,
  };
  const text = latencyReport(cut, machine);
  assert.match(text, /^idle .* timer late /m);
  assert.doesNotMatch(text, /undefined|NaN|held by|idle seconds after/);
});

// the scaling model

const close = (value, wanted, part = 0.02) =>
  assert.ok(Math.abs(value / wanted - 1) < part, `${value} is not about ${wanted}`);

test('threads are doubled up to all cores', () => {
  assert.deepEqual([1, 2, 6, 8].map(threadCounts), [[1], [1, 2], [1, 2, 4, 6], [1, 2, 4, 8]]);
});

test('a crowd is held by the loop, by the workers or by the cores', () => {
  assert.equal(concurrentTime({ loop: 1, work: 10 }, 1, 4), 10);
  assert.equal(concurrentTime({ loop: 1, work: 10 }, 4, 4), 2.75);
  assert.equal(concurrentTime({ loop: 1, work: 10 }, 64, 64), 1);
  assert.equal(concurrentTime({ loop: 1, work: 10, contention: 0.1 }, 2, 64), 5.5);
  assert.equal(fullLoop({ loop: 1, work: 10 }), 11);
});

test('a crowd that follows the model is fitted exactly, on two threads and on many', () => {
  const two = { loop: 1e-6, work: 40e-6 };
  const points = (truth, counts, cores) =>
    counts.map((threads) => ({ threads, seconds: concurrentTime(truth, threads, cores) }));
  const fit = fitConcurrent(points(two, [1, 2], 2), two.loop, 2);
  close(fit.work, 40e-6);
  assert.equal(fit.contention, 0);
  assert.ok(fit.residual < 0.01);
  const many = { loop: 1e-7, work: 40e-6, contention: 0.05 };
  const found = fitConcurrent(points(many, [1, 2, 4, 8, 16], 16), many.loop, 16);
  close(found.work, 40e-6);
  close(found.contention, 0.05, 0.1);
});

test(
  'what does not follow the model shows as residual, and work that stays on the loop is no ' +
    'work',
  () => {
    const flat = fitConcurrent(
      [
        { threads: 1, seconds: 10e-6 },
        { threads: 2, seconds: 10e-6 },
      ],
      1e-7,
      2,
    );
    assert.ok(flat.residual > 0.3, `${flat.residual}`);
    const inline = fitConcurrent(
      [
        { threads: 1, seconds: 1e-6 },
        { threads: 2, seconds: 1e-6 },
      ],
      1e-6,
      2,
    );
    assert.ok(inline.residual < 0.01 && inline.work <= 1e-6);
    close(concurrentTime(inline, 64, 64), 1e-6);
  },
);

test('a split job: sizes distinguish fixed and serial parts', () => {
  const truth = { fixed: 20e-6, serial: 0.1 };
  const alone = { 4: 400e-6, 16: 1500e-6, 64: 9000e-6 };
  const points = Object.entries(alone).flatMap(([size, seconds]) =>
    [1, 2, 4].map((threads) => ({
      threads,
      size: Number(size),
      seconds: threads === 1 ? seconds : splitTime(truth, seconds, threads),
    })),
  );
  const fit = fitSplit(points);
  close(fit.fixed, truth.fixed);
  close(fit.serial, truth.serial);
  assert.ok(fit.residual < 1e-6);
  close(serialFraction(fit, 400e-6), (20 + 38) / 400);
  close(splitTime(fit, 9000e-6, 1e9), 20e-6 + 898e-6);
});

test('a job that is not split is serial; one thread gives no result', () => {
  const fit = fitSplit([1, 2].map((threads) => ({ threads, size: 1, seconds: 1 })));
  assert.deepEqual([fit.serial, serialFraction(fit, 1)], [1, 1]);
  assert.equal(splitTime(fit, 1, 64), 1);
  assert.equal(fitSplit([{ threads: 1, size: 1, seconds: 1 }]).serial, 1);
});

test('least squares without negative parts', () => {
  const rows = [
    [1, 1],
    [1, 2],
    [1, 3],
  ];
  leastSquares(rows, [3, 5, 7]).forEach((value, index) => close(value, [1, 2][index]));
  assert.deepEqual(
    leastSquares(rows, [2, 1, 0]).map((value) => value >= 0),
    [true, true],
  );
  assert.deepEqual(
    leastSquares(
      [
        [1, 1],
        [1, 1],
      ],
      [2, 2],
    ).reduce((a, b) => a + b),
    2,
  );
});

// engines

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
