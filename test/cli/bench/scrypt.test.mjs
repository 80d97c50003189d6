// `millrace bench scrypt` and `node scrypt-bench.mjs`, as sessions: what is typed, what comes out
// where, the exit code. Costs are tiny; a preloaded script listens to scrypt, or sabotages it.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import { entryPaths, root } from '../../support/child.mjs';
import { command, inFolder, windows } from '../../support/shell.mjs';

const require = createRequire(import.meta.url);
const { inputOf, percentile, runBatch } = require('../../../cli/bench/scrypt/batch.js');
const {
  csvHeader,
  csvRow,
  doneLine,
  failureLine,
  markdownTable,
} = require('../../../cli/bench/scrypt/report.js');
const { readSettings } = require('../../../cli/bench/scrypt/settings.js');
const { UsageError } = require('../../../cli/ui.js');

const millracePaths = [entryPaths.millrace, entryPaths['millrace/promises']];

const ancestral = ['callback', 'utilPromisify', 'manualPromise'];
const all = [...ancestral, 'millrace', 'millraceCallback'];
const header =
  'variant,concurrency,iterations,ok,fail,time_ms,iter_throughput_ops_s,' +
  'call_throughput_calls_s,p50_ms,p90_ms,p99_ms,mode,seed,N,r,p,maxmem,keylen\n';

/** Runs `node scrypt-bench.mjs LINE`, or with `millrace` that command. */
async function bench($, line, { by = 'script', preload } = {}) {
  const args = typeof line === 'string' ? line.split(' ').filter(Boolean) : line;
  const file = by === 'script' ? [join(root, 'scrypt-bench.mjs')] : [command, 'bench', 'scrypt'];
  const program = [...(preload === undefined ? [] : ['--require', preload]), ...file];
  const env = { UV_THREADPOOL_SIZE: '3' };
  const { code, stdout, stderr } = await $.start(args, { program, env }).ended;
  return { code, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Runs `body` with a function that runs the bench after this program. */
const preloaded = (source, body) =>
  inFolder({ 'preload.cjs': source }, ($) =>
    body((line, options) => bench($, line, { ...options, preload: './preload.cjs' }), $),
  );

/** Makes Millrace one without scrypt. */
const without = `
  for (const entryPoint of ${JSON.stringify(millracePaths)}) {
    const names = { ...require(entryPoint), scrypt: undefined };
    require.cache[entryPoint].exports = names;
  }
`;

/**
 * Writes down the calls of node:crypto's scrypt with N below 1000, and how many are under way at a
 * time.
 */
const listener = `
  const crypto = require('node:crypto');
  const { scrypt } = crypto;
  const calls = [];
  let pending = 0;
  let most = 0;
  crypto.scrypt = (password, salt, keylen, options, callback) => {
    if (options.N >= 1000) return scrypt(password, salt, keylen, options, callback);
    calls.push({ input: Buffer.concat([password, salt]).toString('hex'), keylen, options });
    most = Math.max(most, ++pending);
    scrypt(password, salt, keylen, options, (...result) => {
      pending--;
      callback(...result);
    });
  };
  process.on('exit', () =>
    require('node:fs').writeFileSync('calls.json', JSON.stringify({ calls, most })),
  );
`;

/**
 * Returns a program with node:crypto's scrypt in which calls of N below 1000 go wrong: \`HOW\` gets
 * the number of the call and how it would have ended.
 */
const sabotage = (how) => `
  const crypto = require('node:crypto');
  const { scrypt } = crypto;
  let count = 0;
  crypto.scrypt = (password, salt, keylen, options, callback) => {
    const number = options.N < 1000 ? count++ : undefined;
    scrypt(password, salt, keylen, options, (error, key) =>
      number === undefined ? callback(error, key) : (${how})(number, key, callback),
    );
  };
`;

const heard = ($) => JSON.parse(readFileSync($.path('calls.json')));
const number = '\\d+\\.\\d\\d';

// what comes out

test(
  "node scrypt-bench.mjs: the original package's variants, a line a batch, a table a " +
    'concurrency',
  () =>
    inFolder({}, async ($) => {
      const { code, stdout, stderr } = await bench($, '--iterations=4 --concurrency=1,3 --N=16');
      assert.deepEqual([code, stderr], [0, '']);
      const lines = stdout.split('\n');
      assert.deepEqual(lines.slice(0, 3), [
        'scrypt sanity: typeof=function sync=7023bdcb RFC 7914: ok',
        "Have variants: [ 'callback', 'utilPromisify', 'manualPromise' ]",
        'config: iterations=4 concurrencies=[1,3] keyLen=64 mode=sequential seed=1337 ' +
          'opts={"N":16,"r":8,"p":1,"maxmem":33554432}',
      ]);
      assert.match(lines[3], /^threads: UV_THREADPOOL_SIZE=3; node v\d/);
      const done = [1, 3].map(
        (concurrency) =>
          `conc=${concurrency} ok=4 fail=0 time=\\d+ms iter/s=${number} calls/s=${number} ` +
          'p50=\\d+\\.\\dms p90=\\d+\\.\\dms p99=\\d+\\.\\dms$',
      );
      const batches = ancestral.flatMap((variant) => done.map((rest) => `${variant} ${rest}`));
      for (const [at, batch] of batches.entries())
        assert.match(lines[4 + at], new RegExp(`^Done: variant=${batch}`));
      const row = (variant) =>
        `\\| ${variant.padEnd(13)} \\|    0 \\| (${number}\\*? *\\| ){5}\\d+\\.\\d *\\|\n`;
      const table = (concurrency) =>
        `\nConcurrency ${concurrency}\n\n\\| Variant       \\| Fail \\| Iter/s +\\| ` +
        `Calls/s +\\|[^\n]*\n\\|---------------\\|-----:\\|[-:|]*\n` +
        ancestral.map(row).join('');
      assert.match(
        lines.slice(10).join('\n'),
        new RegExp(`^${table(1)}${table(3)}\nNote: \\* marks the best value in that column .*\n$`),
      );
      // Each of five columns has its star.
      for (const part of stdout.split('\nConcurrency ').slice(1))
        assert.ok(part.split('Note:')[0].split('*').length - 1 >= 5, part);
    }),
);

test('--csv: stdout is a header and a row a batch, all else is talk', () =>
  inFolder({}, async ($) => {
    const { code, stdout, stderr } = await bench(
      $,
      '--iterations=3 --concurrency=2,5 --N=16 --r=2 --p=3 --maxmem=100000 --keylen=20 ' +
        '--seed=7 --mode=random --csv',
    );
    assert.equal(code, 0);
    assert.ok(stdout.startsWith(header));
    const rows = stdout.slice(header.length).trimEnd().split('\n');
    const expected = ancestral.flatMap((variant) => [`${variant},2`, `${variant},5`]);
    assert.equal(rows.length, expected.length);
    const rest = `3,3,0,\\d+\\.\\d(,${number}){5},random,7,16,2,3,100000,20`;
    for (const [at, begin] of expected.entries())
      assert.match(rows[at], new RegExp(`^${begin},${rest}$`));
    assert.match(
      stderr,
      /^scrypt sanity: [^]*\nHave variants: [^]*\nDone: variant=callback conc=2 ok=3 fail=0 /,
    );
    assert.doesNotMatch(stderr, /\|/);
  }));

test('--no-progress: no lines for batches, in both forms', () =>
  inFolder({}, async ($) => {
    const tables = await bench($, '--iterations=2 --concurrency=1 --N=16 --no-progress');
    assert.doesNotMatch(tables.stdout, /Done:/);
    assert.match(tables.stdout, /\nConcurrency 1\n/);
    const csv = await bench($, '--iterations=2 --concurrency=1 --N=16 --no-progress --csv');
    assert.doesNotMatch(csv.stderr, /Done:/);
    assert.equal(csv.stdout.split('\n').length, 1 + 3 + 1);
  }));

test(
  'values may stand behind a blank, the last of a flag counts, modes in any case, blanks ' +
    'in lists',
  () =>
    inFolder({}, async ($) => {
      const line = '--iterations 9 --iterations 2 --N=16 --mode=RANDOM --csv --csv --concurrency';
      const args = [...line.split(' '), '1, 2', '--variants=callback'];
      const { code, stdout } = await bench($, args);
      assert.equal(code, 0);
      assert.match(
        stdout.slice(header.length),
        /^callback,1,2,2,0,.*,random,1337,16,8,1,33554432,64\ncallback,2,2,.*\n$/,
      );
    }),
);

test('without flags: 2000 iterations, six concurrencies, 64 bytes, 16384 8 1', () => {
  assert.deepEqual(readSettings({}, ancestral), {
    iterations: 2000,
    concurrencies: [1, 10, 50, 100, 500, 1000],
    mode: 'sequential',
    variants: ancestral,
    seed: 1337,
    keylen: 64,
    cost: { N: 16384, r: 8, p: 1, maxmem: 33_554_432 },
    csv: false,
    progress: true,
  });
});

test('help, by either name', () =>
  inFolder({}, async ($) => {
    const { code, stdout, stderr } = await bench($, '--help');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^usage: node scrypt-bench\.mjs /);
    const other = await bench($, '-h', { by: 'millrace' });
    assert.match(other.stdout, /^usage: millrace bench scrypt /);
    assert.equal(other.stdout.split('\n').length, stdout.split('\n').length);
    const guide = readFileSync(join(root, 'docs', 'cli.md'), 'utf8');
    const flags = 'iterations concurrency mode variants seed keylen N r p maxmem csv no-progress';
    for (const flag of flags.split(' ')) {
      assert.match(stdout, new RegExp(`^ +--${flag}\\b`, 'm'));
      assert.match(guide, new RegExp(`\`--${flag}\\b`), `docs/cli.md tells of --${flag}`);
    }
  }));

// variants

test("millrace bench scrypt has Millrace's own too, the script if they are asked for", () =>
  inFolder({}, async ($) => {
    const quick = '--iterations=2 --concurrency=2 --N=16';
    const variantsOf = ({ stdout }) =>
      [...stdout.matchAll(/^Done: variant=(\w+) conc=2 ok=2 fail=0 /gm)].map(([, name]) => name);
    const wide = await bench($, quick, { by: 'millrace' });
    assert.deepEqual([wide.code, wide.stderr, variantsOf(wide)], [0, '', all]);
    assert.match(
      wide.stdout,
      new RegExp(
        "^Have variants: \\[ 'callback', 'utilPromisify', 'manualPromise', 'millrace', " +
          "'millraceCallback' \\]\nconfig: .*\nthreads: UV_THREADPOOL_SIZE=3, millrace \\d+;",
        'm',
      ),
    );
    assert.match(
      wide.stdout,
      /^\| Variant +\| Fail .*\n\|------------------\|[^]*\n\| callback         \|    0 \|/m,
    );
    // In the order of the list, each once.
    for (const [given, ...found] of [
      ['all', ...all],
      ['millrace,callback,millrace', 'callback', 'millrace'],
      ['utilPromisify', 'utilPromisify'],
    ])
      assert.deepEqual(variantsOf(await bench($, `${quick} --variants=${given}`)), found);
  }));

test('what this build has not is said, and the rest measured', () =>
  preloaded(without, async (run) => {
    const quick = '--iterations=2 --concurrency=1 --N=16 --csv --no-progress';
    const { code, stdout, stderr } = await run(quick, { by: 'millrace' });
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^millrace bench scrypt: not available: millrace, millraceCallback: this Millrace has no /,
    );
    const rows = stdout.split('\n').slice(1, -1);
    assert.deepEqual(
      rows.map((line) => line.split(',')[0]),
      ancestral,
    );
    assert.deepEqual(await run(`${quick} --variants=millrace`), {
      code: 1,
      stdout: '',
      stderr: 'scrypt-bench: not available: millrace: this Millrace has no scrypt\n',
    });
  }));

// what is called

test('sequential: two calls an iteration with one input, within the concurrency', () =>
  preloaded(listener, async (run, $) => {
    const line =
      '--variants=manualPromise --iterations=6 --concurrency=4 --N=32 --r=2 --p=3 ' +
      '--maxmem=50000 --keylen=24';
    assert.equal((await run(line)).code, 0);
    const { calls, most } = heard($);
    assert.equal(calls.length, 12);
    assert.equal(most, 4);
    for (const { input } of calls)
      assert.equal(calls.filter((call) => call.input === input).length, 2);
    for (const { keylen, options } of calls)
      assert.deepEqual([keylen, options], [24, { N: 32, r: 2, p: 3, maxmem: 50_000 }]);
  }));

test('random: one call an iteration, a new input each; the seed decides which', () =>
  preloaded(listener, async (run, $) => {
    const inputs = async (seed) => {
      const line = '--variants=utilPromisify --iterations=5 --concurrency=9 --N=16 --mode=random';
      assert.equal((await run(`${line} ${seed}`)).code, 0);
      const { calls, most } = heard($);
      assert.equal(most, 5); // there are no more
      return calls.map(({ input }) => input);
    };
    const first = await inputs('--seed=42');
    assert.equal(new Set(first).size, 5);
    assert.deepEqual(await inputs('--seed=42'), first);
    assert.equal(new Set([...(await inputs('--seed=43')), ...first]).size, 10);
    assert.deepEqual(await inputs(''), await inputs('--seed=1337'));
  }));

test('each variant and each concurrency gets the same inputs', () =>
  preloaded(listener, async (run, $) => {
    await run('--iterations=3 --concurrency=1,3 --N=16 --mode=random');
    const inputs = heard($).calls.map(({ input }) => input);
    assert.equal(inputs.length, 18);
    for (let at = 0; at < 18; at += 3)
      assert.deepEqual(inputs.slice(at, at + 3), inputs.slice(0, 3));
  }));

// failures

test('errors: counted, the first five shown, exit code 1', () =>
  preloaded(
    sabotage(
      '(number, key, callback) => callback(number % 2 === 0 ? null : Object.assign(new ' +
        "Error('out of luck'), { code: 'E_LUCK' }), key)",
    ),
    async (run) => {
      const { code, stdout, stderr } = await run(
        '--iterations=14 --concurrency=1 --N=16 --mode=random --variants=callback,manualPromise',
      );
      assert.equal(code, 1);
      assert.match(stdout, /^Done: variant=callback conc=1 ok=7 fail=7 /m);
      assert.match(stdout, /^\| manualPromise \|    7 \|/m);
      const lines = stderr.trimEnd().split('\n');
      assert.equal(lines.length, 10);
      assert.equal(
        lines[1],
        'scrypt-bench: variant=callback conc=1: { type: "error", iteration: 3, code: ' +
          '"E_LUCK", message: "out of luck" }',
      );
    },
  ));

test('a mismatch is a failure in sequential mode, and cannot be seen in random mode', () =>
  preloaded(
    sabotage(
      '(number, key, callback) => { if (number === 3) key[0] ^= 255; callback(null, key); }',
    ),
    async (run) => {
      const line =
        '--iterations=4 --concurrency=1 --N=16 --variants=utilPromisify --csv --no-progress';
      const { code, stdout, stderr } = await run(line);
      assert.equal(code, 1);
      assert.match(stdout, /^utilPromisify,1,4,3,1,/m);
      const { password, salt } = inputOf(1337, 1);
      const right = crypto.scryptSync(password, salt, 64, { N: 16 });
      const first = right.toString('hex', 0, 8);
      right[0] ^= 255;
      assert.ok(
        stderr.endsWith(
          'scrypt-bench: variant=utilPromisify conc=1: { type: "mismatch", iteration: ' +
            `1, first: "${first}", second: "${right.toString('hex', 0, 8)}" }\n`,
        ),
        stderr,
      );
      assert.equal((await run(`${line} --mode=random`)).code, 0);
    },
  ));

test('nothing but failures: no latencies, no stars', () =>
  preloaded(sabotage("(number, key, callback) => callback(new Error('no'))"), async (run) => {
    const line = '--iterations=2 --concurrency=1 --N=16 --variants=callback';
    const { code, stdout } = await run(line);
    assert.equal(code, 1);
    assert.match(
      stdout,
      / ok=0 fail=2 time=\d+ms iter\/s=0\.00 calls\/s=0\.00 p50=- p90=- p99=-$/m,
    );
    assert.match(stdout, /^\| callback {6}\| {4}2 \|( {9}\|){2}( {10}\|){3} \d+\.\d +\|$/m);
    const csv = await run(`${line} --csv`);
    assert.match(csv.stdout, /^callback,1,2,0,2,\d+\.\d,0\.00,0\.00,,,,sequential,/m);
  }));

for (const [title, source, output, message] of [
  [
    'a variant that gives another key than RFC 7914',
    'crypto.scrypt = (p, s, l, o, callback) => scrypt(p, s, l, o, (error, key) => { key[1]++; ' +
      'callback(error, key); });',
    /^variant,[^\n]*\n/,
    'scrypt-bench: variant=callback: gives 7024bdcb3afd7348..., not the key of RFC 7914\n',
  ],
  [
    'a scrypt that gives another key than RFC 7914',
    'crypto.scryptSync = () => Buffer.alloc(64);',
    /^$/,
    'sync=00000000 RFC 7914: WRONG\n' +
      'scrypt-bench: scryptSync of node:crypto does not give the key of RFC 7914\n',
  ],
])
  test(title, () =>
    preloaded(
      `const crypto = require('node:crypto'); const { scrypt } = crypto; ${source}`,
      async (run) => {
        const quick = '--iterations=1 --concurrency=1 --N=16 --variants=callback';
        const { code, stdout, stderr } = await run(`${quick} --csv --no-progress`);
        assert.equal(code, 1);
        assert.match(stdout, output);
        assert.ok(stderr.endsWith(message), stderr);
      },
    ),
  );

test('a call that never settles is reported', () =>
  preloaded(
    sabotage('(number, key, callback) => { if (number !== 2) callback(null, key); }'),
    async (run) => {
      for (const [by, name] of [
        ['script', 'scrypt-bench'],
        ['millrace', 'millrace bench scrypt'],
      ]) {
        const line = '--iterations=9 --concurrency=2 --N=16 --variants=callback';
        const { code, stderr } = await run(line, { by });
        const told = `${name}: variant=callback conc=2: a call has never settled\n`;
        assert.deepEqual([code, stderr], [1, told]);
      }
    },
  ));

// bad input

test('every number must be one, and positive', () => {
  const refused = (given) =>
    assert.throws(() => readSettings(given, ancestral), UsageError, JSON.stringify(given));
  for (const name of ['iterations', 'concurrency', 'seed', 'keylen', 'N', 'r', 'p', 'maxmem']) {
    for (const text of '0|-1|1.5|1e3|0x10|x|| |9007199254740992|Infinity'.split('|'))
      refused({ [name]: text });
  }
  for (const text of ['1,', ',1', '1,,2']) refused({ concurrency: text });
  refused({ keylen: '2147483648' });
  assert.throws(
    () => readSettings({ r: '32768', p: '32768', maxmem: '9007199254740991' }, ancestral),
    { message: /--r times --p must be less than 1073741824/ },
  );
});

test('cost parameters are refused exactly where node:crypto refuses them', () => {
  let refused = 0;
  for (const r of [1, 2, 3, 8]) {
    for (const p of [1, 3]) {
      for (const N of r === 1 ? [1, 2, 3, 2 ** 15, 2 ** 16, 2 ** 17] : [1, 2, 3, 16, 1000, 1024]) {
        const needed = 128 * r * p + 128 * r * (N + 2);
        for (const maxmem of [needed - 1, needed]) {
          let node = true;
          try {
            crypto.scryptSync('p', 's', 1, { N, r, p, maxmem });
          } catch {
            node = false;
            refused++;
          }
          const read = () =>
            readSettings({ N: `${N}`, r: `${r}`, p: `${p}`, maxmem: `${maxmem}` }, ancestral);
          if (node) read();
          else assert.throws(read, UsageError, `N=${N} r=${r} p=${p} maxmem=${maxmem}`);
        }
      }
    }
  }
  assert.ok(refused > 60 && refused < 96, `${refused} of 96`);
});

// how it ends

test('Ctrl-C: ended by the signal, the lines so far are whole', { skip: windows }, () =>
  inFolder({}, async ($) => {
    const line = '--iterations=40 --concurrency=4,5,6,7,8 --N=1024 --csv';
    const program = [join(root, 'scrypt-bench.mjs')];
    const { child, ended } = $.start(line.split(' '), { program });
    let stdout = '';
    child.stdout.on('data', (piece) => {
      stdout += piece;
      if (stdout.split('\n').length > 2) child.kill('SIGINT');
    });
    const { code, signal } = await ended;
    assert.deepEqual([code, signal], [null, 'SIGINT']);
    assert.ok(stdout.startsWith(header));
    for (const row of stdout.slice(header.length, -1).split('\n'))
      assert.match(row, /^\w+,\d,40,40,0,.*,64$/);
    assert.ok(stdout.split('\n').length < 1 + 15 + 1);
  }),
);

test('a closed pipe, and a full disk', { skip: windows }, () =>
  inFolder({}, async ($) => {
    for (const program of [
      `"${process.execPath}" "${join(root, 'scrypt-bench.mjs')}"`,
      `"${process.execPath}" "${command}" bench scrypt --variants=callback`,
    ]) {
      const quick = '--iterations=20 --concurrency=1,2,3,4 --N=256';
      const { stdout, stderr } = $.other('bash', [
        '-c',
        `${program} ${quick} | head -n 1; echo "\${PIPESTATUS[0]}"`,
      ]);
      assert.deepEqual(
        [stdout.toString(), stderr.toString()],
        ['scrypt sanity: typeof=function sync=7023bdcb RFC 7914: ok\n141\n', ''],
      );
      if (!existsSync('/dev/full')) continue;
      const full = $.other('sh', ['-c', `${program} ${quick} > /dev/full`]);
      assert.equal(full.status, 1);
      assert.match(full.stderr.toString(), /^[\w -]+: standard output: No space left on device\n$/);
    }
  }),
);

// numbers and their form

test('percentiles are by nearest rank', () => {
  const of = (samples, ...percents) =>
    percents.map((percent) => percentile(Float64Array.from(samples), percent));
  const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
  assert.deepEqual(of(hundred, 50, 90, 99), [50, 90, 99]);
  assert.deepEqual(of(hundred.slice(0, 10), 50, 90, 99), [5, 9, 10]);
  assert.deepEqual(of([15, 20, 35, 40, 50], 5, 30, 40, 50, 100), [15, 20, 20, 35, 50]);
  assert.deepEqual(of([7], 50, 90, 99), [7, 7, 7]);
  assert.deepEqual(of([1, 2], 50, 51), [1, 2]);
  assert.deepEqual(of([], 50), [NaN]);
  // 0.9 * 10 and its like must not be rounded up past a rank.
  for (let count = 1; count <= 1000; count++) {
    const samples = Array.from({ length: count }, (_, at) => at + 1);
    for (const percent of [50, 90, 99]) {
      const [found] = of(samples, percent);
      assert.ok(
        found * 100 >= percent * count && (found - 1) * 100 < percent * count,
        `${percent} of ${count}`,
      );
    }
  }
});

test('latency is from the call to its settlement, a rate is of what was done', async () => {
  const key = Buffer.alloc(8);
  const delays = [5, 5, 5, 5, 60, 5];
  let calls = 0;
  const scrypt = () =>
    new Promise((resolve) => setTimeout(() => resolve(key), delays[calls++ % delays.length]));
  const settings = readSettings({ iterations: '3' }, ancestral);
  const result = await runBatch({ name: 'x', scrypt }, 1, settings);
  const { ok, fail, p50, p90, p99, time, iterationRate, callRate } = result;
  assert.deepEqual([ok, fail, calls], [3, 0, 6]);
  assert.ok(p50 >= 4 && p50 < 55 && p99 >= 59 && p90 === p99, `${p50} ${p90} ${p99}`);
  assert.ok(
    time >= 80 &&
      Math.abs(iterationRate * time - 3000) < 1e-6 &&
      Math.abs(callRate * time - 6000) < 1e-6,
  );
});

const batch = (variant, iterationRate, p50, p90, p99, time, more) => ({
  variant,
  concurrency: 100,
  iterations: 2000,
  ok: 2000,
  fail: 0,
  iterationRate,
  callRate: iterationRate * 2,
  p50,
  p90,
  p99,
  time,
  ...more,
});

test('the line of a batch, a row of CSV and a table, to the letter', () => {
  const util = batch('utilPromisify', 154.53, 5.21, 7.1, 10.55, 12940.1);
  assert.equal(
    doneLine(util),
    'Done: variant=utilPromisify conc=100 ok=2000 fail=0 time=12940ms iter/s=154.53 ' +
      'calls/s=309.06 p50=5.2ms p90=7.1ms p99=10.6ms',
  );
  const settings = readSettings({}, ancestral);
  assert.equal(`${csvHeader}\n`, header);
  assert.equal(
    csvRow(util, settings),
    'utilPromisify,100,2000,2000,0,12940.1,154.53,309.06,5.21,7.10,10.55,sequential,1337,' +
      '16384,8,1,33554432,64',
  );
  const table = markdownTable([
    batch('callback', 180.12, 5.4, 7.1, 10.55, 11037.1),
    batch('utilPromisify', 181, 5.38, 7.02, 10.5, 11005.7),
    batch('manualPromise', 180.76, 5.39, 7.03, 10.51, 11015.3),
  ]);
  assert.equal(
    table,
    `| Variant       | Fail | Iter/s  | Calls/s | p50 (ms) | p90 (ms) | p99 (ms) | Time (ms) |
|---------------|-----:|--------:|--------:|---------:|---------:|---------:|----------:|
| callback      |    0 | 180.12  | 360.24  | 5.40     | 7.10     | 10.55    | 11037.1   |
| utilPromisify |    0 | 181.00* | 362.00* | 5.38*    | 7.02*    | 10.50*   | 11005.7   |
| manualPromise |    0 | 180.76  | 361.52  | 5.39     | 7.03     | 10.51    | 11015.3   |`,
  );
});

test('stars: what looks equal is equal, failures only win nothing; wide cells widen', () => {
  const table = markdownTable([
    batch('callback', 12345.678, 1.001, 2, 3, 1234567.89),
    batch('millraceCallback', 12345.681, 1.002, 1, 4, 5),
    batch('x', 0, NaN, NaN, NaN, 1, { ok: 0, fail: 12345, callRate: 0 }),
  ]);
  assert.equal(
    table.replaceAll(/ {2,}/g, ' '),
    `| Variant | Fail | Iter/s | Calls/s | p50 (ms) | p90 (ms) | p99 (ms) | Time (ms) |
|------------------|------:|----------:|----------:|---------:|---------:|---------:|----------:|
| callback | 0 | 12345.68* | 24691.36* | 1.00* | 2.00 | 3.00* | 1234567.9 |
| millraceCallback | 0 | 12345.68* | 24691.36* | 1.00* | 1.00* | 4.00 | 5.0 |
| x | 12345 | | | | | | 1.0 |`,
  );
  const widths = table.split('\n').map((line) => line.split('|').map((cell) => cell.length));
  for (const each of widths) assert.deepEqual(each, widths[0]);
});

test('a failure shows what it has', () => {
  const { variant, concurrency } = batch('callback', 1, 1, 1, 1, 1);
  assert.equal(
    failureLine(
      { variant, concurrency },
      { type: 'error', iteration: 0, code: undefined, message: 'a "b"\n' },
    ),
    'variant=callback conc=100: { type: "error", iteration: 0, message: "a \\"b\\"\\n" }',
  );
});
