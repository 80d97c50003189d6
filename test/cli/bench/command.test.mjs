// millrace bench: what it makes of its arguments, what it prints and writes, and how it ends.
// Nothing here asks how fast anything is.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { competitors } from '../../../cli/bench/competitors/all.mjs';
import { csvOf } from '../../../cli/bench/csv.mjs';
import { engines } from '../../../cli/bench/engines.mjs';
import { makeInputs } from '../../../cli/bench/inputs.mjs';
import { parseSize, readOptions } from '../../../cli/bench/options.mjs';
import { compareRow, disturbance } from '../../../cli/bench/confidence.mjs';
import { head, layout, line, roughly } from '../../../cli/bench/report.mjs';
import { choose, loadCompetitors, measureRow } from '../../../cli/bench/runner.mjs';
import { startBenchProgress } from '../../../cli/bench/bench-progress.mjs';
import { benchRecord } from '../../support/bench-record.mjs';
import { inFolder, notLinux, windows } from '../../support/shell.mjs';

const require = createRequire(import.meta.url);
const { progressText } = require('../../../cli/progress.js');
const { findHash } = require('../../../dist/core.js')['catalog/catalog'];
const millrace = require('millrace');

/** The shortest run there is. */
const shortest = 'hash -a sha256 -s 64 -c node:crypto --time 1 --rounds 2';

test('an unknown competitor: one line with all that there are', () =>
  inFolder({}, ($) =>
    $.millrace('bench -c openssl', {
      stderr:
        /^millrace bench: unknown competitor: openssl \(there are millrace, node:crypto, .*pool.*\)/,
      code: 1,
    }),
  ));

test('a full disk: one line, and no half of a file', { skip: notLinux }, () =>
  inFolder({}, ($) =>
    $.millrace(`bench ${shortest} --match sync --csv /dev/full`, {
      stdout: /sha256, hex/,
      stderr: 'millrace bench: /dev/full: No space left on device\n',
      code: 1,
    }),
  ),
);

test('a run: a table on stdout, nothing on stderr, figures in the files', () =>
  inFolder({ 'old.csv': 'old' }, async ($) => {
    const line = `bench ${shortest} --csv old.csv --html page.html`;
    const text = (await $.millrace(line, { stdout: /./ })).stdout.toString();
    for (const part of [
      /^.+ cores, .+, Node v\d/,
      /^measured: millrace \d\S*, node:crypto OpenSSL/m,
      /^sync +sha256, hex +64 B +\d\S* [nµm]s +\d\S* [nµm]s +\d+\.\d\dx/m,
      /^callback sha256, buffer +64 B/m,
      /^noise: spread/m,
    ])
      assert.match(text, part);
    assert.doesNotMatch(text, /\x1b/);
    const csv = readFileSync($.path('old.csv'), 'utf8').trimEnd().split('\n');
    assert.equal(
      csv[0],
      'table,what,wait,size,competitor,form,measure,value,unit,spread,' +
        'lower_quartile,upper_quartile,disturbed',
    );
    assert.ok(
      csv.some((each) =>
        /^hash,"sha256, hex",sync,64,millrace,hash hex,time(,[\d.e-]+),s(,[\d.e-]+){3},[01]$/.test(
          each,
        ),
      ),
      csv[1],
    );
    assert.match(
      readFileSync($.path('page.html'), 'utf8'),
      /^<!doctype html>[^]*sha256, hex, 64 B[^]*<\/html>\n$/,
    );
    assert.deepEqual(readdirSync($.folder).sort(), ['old.csv', 'page.html']);
  }));

test('--json: the record, and nothing else', () =>
  inFolder({}, async ($) => {
    const line = 'bench hashperf -a blake3 -s 64,4K -c sync,pool --time 1 --rounds 2 --json';
    const record = JSON.parse((await $.millrace(line, { stdout: /^\{/ })).stdout);
    assert.equal(
      Object.keys(record).join(' '),
      'format date cpu cores system node competitors missing settings rows crossovers',
    );
    assert.deepEqual(
      record.rows.map(({ size, entries }) => [
        size,
        entries.map(({ competitor }) => competitor).sort(),
      ]),
      [
        [64, ['pool', 'sync']],
        [4096, ['pool', 'sync']],
      ],
    );
    for (const { entries } of record.rows)
      for (const { seconds, spread } of entries) assert.ok(seconds > 0 && spread >= 0);
    assert.deepEqual(
      record.crossovers.map(({ faster, than }) => [faster, than]),
      [['pool', 'sync']],
    );
    assert.ok(record.settings.clock > 0);
    assert.ok(record.rows.every(({ foreign, wrong }) => foreign >= 0 && wrong.length === 0));
  }));

test('--csv -: figures instead of the table', () =>
  inFolder({}, async ($) => {
    const line = `bench ${shortest} --match sync --csv -`;
    await $.millrace(line, { stdout: /^table,.*\n(hash,.*\n)+$/ });
  }));

test(
  'Ctrl-C: what was measured is printed and written, and the signal is what ended it',
  { skip: windows },
  () =>
    inFolder({}, async ($) => {
      const { child, ended } = $.start(['bench', 'hash', '-c', 'node:crypto', '--csv', 'cut.csv']);
      let seen = '';
      while (!/^sync .* 64 B .*\n/m.test(seen)) seen += (await once(child.stdout, 'data'))[0];
      child.kill('SIGINT');
      const { signal, stdout, stderr } = await ended;
      assert.equal(signal, 'SIGINT');
      assert.match(stderr.toString(), /^millrace bench: interrupted: \d+ of \d+ rows measured\n$/);
      assert.match(stdout.toString(), /\n\d+ rows?: Millrace is ahead/);
      assert.match(readFileSync($.path('cut.csv'), 'utf8'), /^table[^]*sha256/);
      assert.deepEqual(readdirSync($.folder), ['cut.csv']);
    }),
);

test('Ctrl-C in a table that takes minutes: what there is of it', { skip: windows }, () =>
  inFolder({}, async ($) => {
    const { child, ended } = $.start(['bench', 'latency', '-c', 'node:crypto', '--csv', 'cut.csv']);
    let said = '';
    const early = ended.then(() => assert.fail(`ended by itself: ${said}`));
    while (!/latency: round ([2-9] of|1 of \d, ([2-9]|\d\d) of)/.test(said))
      said += (await Promise.race([once(child.stderr, 'data'), early]))[0];
    early.catch(() => {});
    child.kill('SIGINT');
    const { signal, stdout, stderr } = await ended;
    assert.equal(signal, 'SIGINT');
    assert.match(stderr.toString(), /millrace bench: interrupted\n$/);
    assert.match(stdout.toString(), /^latency: .*\n\d rounds? of [^]*\nidle [^]*timer late/);
    assert.doesNotMatch(stdout.toString(), /NaN|undefined/);
    assert.match(readFileSync($.path('cut.csv'), 'utf8'), /^latency,/m);
    assert.deepEqual(readdirSync($.folder), ['cut.csv']);
  }),
);

// what is asked for

test('hashperf and cryptperf measure any algorithm that is named, and few if none is', async () => {
  const hashes = millrace.getHashes();
  const hmacs = hashes.filter((name) => findHash(name).hmac).map((name) => `hmac-${name}`);
  const names = [
    ...[...hashes, ...hmacs].map((name) => ['hashperf', name]),
    ...millrace.getCiphers().map((name) => ['cryptperf', name]),
  ];
  const sync = engines.find(({ name }) => name === 'sync');
  for (const [table, algorithm] of names) {
    const { rows } = readOptions({ algorithms: algorithm, sizes: '64' }, [table]);
    assert.deepEqual(
      rows.map(({ definition }) => definition.algorithm),
      [algorithm],
    );
    const [form] = choose(sync, rows[0].definition, 'sync');
    const [inputs] = makeInputs(rows[0].definition, 64, 1);
    const tools = sync.load();
    await sync.prepare(tools, inputs);
    assert.ok(form.list(tools, inputs)[form.key]() > 0, algorithm);
  }
  for (const table of ['hashperf', 'cryptperf'])
    assert.equal(readOptions({ sizes: '64' }, [table]).rows.length, 4);
});

test('words pick tables, sizes and competitors narrow them', () => {
  const plan = (words, values = {}) => readOptions(values, words);
  const tables = ({ rows }) => [
    ...new Set(rows.map(({ definition }) => definition.table ?? definition.group)),
  ];
  assert.deepEqual(tables(plan(['hash', 'hmac'])), ['hash', 'hmac']);
  assert.deepEqual(tables(plan(['async'])), ['async']);
  assert.ok(
    plan(['hash', 'async']).rows.every(
      ({ wait, definition }) => wait !== 'sync' && definition.group === 'hash',
    ),
  );
  assert.deepEqual([plan(['latency']).rows.length, plan(['latency']).apart], [0, ['latency']]);
  const all = plan([]);
  assert.equal(tables(all).sort().join(' '), 'aead async cipher digest hash hmac kdf');
  assert.deepEqual(all.apart, ['load']);
  const given = { sizes: '16,16MiB', competitors: 'pool,sync', algorithms: 'chacha20' };
  const perf = plan(['cryptperf'], given);
  assert.deepEqual(
    perf.rows.map(({ size }) => size),
    [16, 2 ** 24],
  );
  assert.deepEqual(
    perf.modules.map(({ name }) => name),
    ['millrace', 'sync', 'pool'],
  );
  assert.equal(
    new Set(all.rows.map(({ definition, size, wait }) => JSON.stringify([definition, size, wait])))
      .size,
    all.rows.length,
  );
  assert.ok(all.rows.every(({ expected }) => expected > 0));
  const sizes = { 64: 64, '4K': 4096, '4kib': 4096, '1M': 2 ** 20, '1G': 2 ** 30 };
  for (const [text, size] of Object.entries(sizes)) assert.equal(parseSize(text), size);
});

test('lines keep to the terminal; what matters least goes first', () => {
  const record = benchRecord();
  const rows = record.rows.filter(({ table, group }) => table === undefined && group === 'hash');
  const planned = rows.map((row) => ({ definition: row, size: row.size, wait: row.wait }));
  const names = rows[0].entries.map(({ competitor }) => competitor);
  const wide = layout(planned, names);
  assert.ok(
    wide.widths.latency > 0 && wide.shown.includes('others') && wide.shown.includes('own loop'),
  );
  for (const width of [80, 100, 140, 200]) {
    const table = layout(planned, names, width);
    for (const text of [head(table), ...rows.map((row) => line(row, table))])
      assert.ok(text.length <= width, `${width}: ${text.length}\n${text}`);
    assert.ok(
      table.shown[0] === 'millrace' && table.shown.includes('node:crypto'),
      table.shown.join(),
    );
    if (width === 80) assert.deepEqual(table.shown, ['millrace', 'node:crypto']);
  }
  const shown = ['100 B', '4.1 KiB', '293 KiB', '2.9 MiB'];
  assert.deepEqual([100, 4200, 300_000, 3e6].map(roughly), shown);
});

test('no winner within the noise; a disturbed row needs a larger difference', () => {
  const row = (theirs, more = {}) =>
    compareRow({
      wait: 'sync',
      foreign: 0,
      entries: [
        { competitor: 'millrace', form: '', seconds: 1, spread: 0.04 },
        { competitor: 'other', form: '', seconds: theirs, spread: 0.06 },
      ],
      ...more,
    }).verdict;
  assert.deepEqual(
    [1.09, 1.12, 1 / 1.09, 1 / 1.12].map((theirs) => row(theirs)),
    ['tie', 'ahead', 'tie', 'behind'],
  );
  assert.equal(row(1.25, { disturbed: true, delay: 0.2 }), 'tie');
  assert.equal(row(1.35, { disturbed: true, delay: 0.2 }), 'ahead');
  assert.equal(row(20, { disturbed: true, wait: 'promise', foreign: 100 }), 'ahead');
  const disturbed = (more) => disturbance({ wait: 'sync', foreign: 0.01, ...more }) > 1;
  assert.deepEqual(
    [{}, { foreign: 0.4 }, { delay: 0.1 }, { delay: 0.1, wait: 'promise' }].map(disturbed),
    [false, true, true, false],
  );
});

test('a disturbed row is measured again, a bounded number of times', async () => {
  const { ready } = await loadCompetitors(competitors.slice(0, 1));
  const definition = { group: 'hash', algorithm: 'sha256', output: 'hex' };
  const usages = [];
  const figures = [
    [2, 0],
    [0.9, 0],
    [0.5, 0.5],
    [0.1, 0.01],
    [9, 9],
  ];
  const startUsage = () => {
    const [foreign, delay] = figures[usages.length];
    usages.push(foreign);
    return { foreign: () => foreign, delay: () => delay };
  };
  const options = { rounds: 1, time: 1, inFlight: 16, startUsage };
  const still = await measureRow(definition, 16, 'sync', ready, { ...options, retries: 1 });
  assert.deepEqual([still.attempts, still.disturbed, still.foreign], [2, true, 0.9]);
  const calm = await measureRow(definition, 16, 'sync', ready, { ...options, retries: 5 });
  assert.deepEqual([calm.attempts, calm.disturbed, calm.foreign], [2, false, 0.1]);
  assert.ok(calm.entries[0].quartiles[0] <= calm.entries[0].seconds);
});

test('the fastest of our engines is compared with node:crypto', () => {
  const entry = (competitor, seconds) => ({ competitor, form: '', seconds, spread: 0 });
  const { ours, best, ratio } = compareRow({
    engines: true,
    entries: [entry('sync', 4), entry('pool', 2), entry('node:crypto', 3)],
  });
  assert.deepEqual([ours.competitor, best.competitor, ratio], ['pool', 'node:crypto', 1.5]);
});

test('CSV: as many fields in every line, quotes where they are needed, every table', () => {
  const lines = csvOf(benchRecord())
    .trimEnd()
    .split('\n')
    .map((text) => text.match(/("([^"]|"")*"|[^,]*)(,|$)/g).slice(0, 13));
  for (const fields of lines)
    assert.ok(fields.length === 13 && !fields[12].endsWith(','), fields.join(''));
  assert.deepEqual(
    [...new Set(lines.slice(1).map(([table]) => table))],
    ['hash,', 'kdf,', 'hashperf,', 'cryptperf,', 'load,', 'latency,'],
  );
});

// talk

test('in a pipe a plain line now and then', () => {
  let time = 0;
  const told = [];
  const rows = Array.from({ length: 8 }, () => ({ expected: 1 }));
  const talk = startBenchProgress(rows, {
    terminal: false,
    writeLine: (text) => told.push(text),
    now: () => time,
  });
  for (const row of rows) {
    talk.begin('a row');
    time += 4000;
    talk.done(row.expected);
  }
  talk.end();
  // Every row takes four times what was expected; the last has nothing to say.
  assert.deepEqual(told, ['37%, 3 of 8 rows, 0:20 left', '75%, 6 of 8 rows, 0:08 left']);
});

test('on a terminal rows are counted, not bytes', () => {
  const text = progressText(
    'sha256, hex, 64 B',
    { done: 3, total: 12, rate: 0.3, amount: '5 of 20 rows' },
    100,
  ).replace(/\x1b\[\d+m/g, '');
  assert.match(text, /^sha256, hex, 64 B {2}\S{24} {3}25% {2}5 of 20 rows {2}0:30 left$/);
});
