// npm run bench -- [words] [options]      measure, print one table
// npm run bench -- load                   only what loading the package costs
//
// Words pick rows: cipher, aead, hash, hmac, digest, sync, async, load. None of a kind means all of it.
// digest: the table of digests (BigInts, strings, hashers, batches, conversions), with its goals.
// async: by itself the table of asynchronous jobs with its goals, beside another table its asynchronous rows.
// latency: how the rest of the process fares meanwhile. scaling: throughput by threads, and a model. Both only when asked for.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { contestants as modules } from './contestants/all.mjs';
import { definitions, describe, inFlight, quickSizes, sizes as allSizes } from './definitions.mjs';
import { reached } from './goals.mjs';
import { latencyReport } from './latency-report.mjs';
import { measureLatency } from './latency.mjs';
import { measureLoad } from './load.mjs';
import { goalTable, head, header, judge, line, loadSummary, machine, summary } from './report.mjs';
import { choose, clockResolution, loadContestants, measureRow } from './runner.mjs';
import { measureScaling, scalingReport } from './scaling.mjs';

const groups = ['cipher', 'aead', 'hash', 'hmac', 'digest'];
const apart = ['load', 'latency', 'scaling'];
const words = [...groups, 'sync', 'async', ...apart];

class UsageError extends Error {}

const usage = `usage: npm run bench -- [${words.join('|')}]... [options]
  --sizes 64,1024,65536       bytes; K and M are understood (64K); of rows with sizes of their own, only these
  --algorithms sha256,...     only these
  --match hashMany            only rows whose line has this text
  --contestants crypto-async  only these beside millrace (${modules.slice(1).map(({ name }) => name).join(', ')})
  --rounds 11                 samples of each form
  --time 4                    milliseconds a sample lasts (asynchronous: eight times that)
  --quick                     three sizes, fewer and shorter rounds
  --json [FILE]               every figure as JSON, to FILE or instead of the table
Without a word: every row, and load. latency and scaling take minutes of their own.`;

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
  // A job that never comes back, of whomever, must not keep the process; without one this never fires.
  setTimeout(() => {
    console.error('something still holds the process: a job that has not come back');
    process.exit(1);
  }, 5000).unref();
} catch (error) {
  if (!(error instanceof UsageError) && !String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`${error.message}\n${usage}`);
  process.exitCode = 1;
}

async function main(options) {
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const { ready, absent } = await loadContestants(options.modules);
  const ours = absent.find(({ name }) => name === 'millrace');
  if (ours !== undefined) {
    console.error(`millrace cannot be loaded: ${ours.reason}`);
    return 1;
  }
  const settings = { rounds: options.rounds, time: options.time, inFlight, clock: clockResolution() };
  const about = machine(ready);
  const print = options.json === true ? () => {} : (text) => console.log(text);
  const note = progress(options.json === true || process.stdout.isTTY !== true);

  const rows = [];
  if (options.rows.length > 0) {
    print(header(about, absent, settings));
    const { shown, text } = head(ready.map(({ name }) => name));
    print(text);
    for (const [index, { definition, size, wait }] of options.rows.entries()) {
      note(`${index + 1} of ${options.rows.length}`);
      const row = { ...definition, size, wait, ...(await measureRow(definition, size, wait, ready, settings)) };
      row.judged = judge(row);
      rows.push(row);
      note('');
      print(line(row, shown, process.stdout.isTTY === true && !process.env.NO_COLOR));
    }
    print(`\n${summary(rows)}`);
  }
  const goals = reached(rows);
  if (goals.length > 0) print(goalTable(goals));
  const load = options.apart.includes('load') ? await measureLoad() : undefined;
  if (load !== undefined) print(loadSummary(load));
  for (const module of ready) await module.unload?.();
  const latency = options.apart.includes('latency') ? await measureLatency(options, note) : undefined;
  if (latency !== undefined) print(latencyReport(latency, about));
  const scaling = options.apart.includes('scaling') ? await measureScaling(options, note) : undefined;
  if (scaling !== undefined) print(scalingReport(scaling, about));
  if (options.json !== undefined) {
    const judged = goals.map(({ goal, row, reached, met }) => ({ ...goal, row: { ...goal.row, algorithm: row.algorithm, output: row.output, wait: row.wait }, reached, met }));
    writeJson(options.json, { ...about, absent, settings, rows, goals: judged, load, latency, scaling });
  }
  if (latency?.wrong.length > 0 || scaling?.wrong.length > 0) return 1;
  return rows.some(({ wrong }) => wrong.some((who) => who.startsWith('millrace'))) ? 1 : 0;
}

function readOptions(argv) {
  const { args, json } = takeJson(argv);
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      sizes: { type: 'string' },
      algorithms: { type: 'string' },
      match: { type: 'string', default: '' },
      contestants: { type: 'string' },
      rounds: { type: 'string' },
      time: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  for (const word of positionals) oneOf('word', word, words);
  const named = (kind) => kind.filter((word) => positionals.includes(word));
  const list = (text) => text?.split(',').map((part) => part.trim());
  const ways = named(['sync', 'async']).length > 0 ? named(['sync', 'async']) : ['sync', 'async'];
  const tables = named(groups).length > 0 ? named(groups) : ways.includes('sync') ? [...groups, 'async'] : ['async'];
  const given = list(values.sizes)?.map(parseSize);
  const sizes = given ?? (values.quick ? quickSizes : allSizes);
  const algorithms = list(values.algorithms);
  algorithms?.forEach((name) => oneOf('algorithm', name, [...new Set(definitions.map(({ algorithm }) => algorithm))]));
  const contestants = list(values.contestants);
  contestants?.forEach((name) => oneOf('contestant', name, modules.map((module) => module.name)));
  const onlyApart = positionals.length > 0 && positionals.every((word) => apart.includes(word));

  const rows = [];
  const known = new Set(); // the table of digests repeats rows of the plain hashes
  for (const way of onlyApart ? [] : ways) {
    for (const definition of definitions) {
      if (!tables.includes(definition.table ?? definition.group)) continue;
      if (algorithms !== undefined && !algorithms.includes(definition.algorithm)) continue;
      for (const wait of definition.waits) {
        if ((wait === 'sync') !== (way === 'sync')) continue;
        if (!`${wait} ${describe(definition)}`.includes(values.match)) continue;
        for (const size of definition.sizes?.filter((each) => given?.includes(each) ?? true) ?? sizes) {
          const key = `${wait} ${describe(definition)} ${size}`;
          if (!known.has(key)) rows.push({ definition, size, wait });
          known.add(key);
        }
      }
    }
  }
  const takesPart = (module) => module.name === 'millrace' || rows.some(({ definition, wait }) => choose(module, definition, wait).length > 0);
  return {
    help: values.help,
    json,
    rows,
    apart: positionals.length === 0 && algorithms === undefined ? ['load'] : named(apart),
    contestants,
    quick: values.quick,
    modules: modules.filter((module) => takesPart(module) && (module.name === 'millrace' || (contestants?.includes(module.name) ?? true))),
    rounds: positive('rounds', values.rounds) ?? (values.quick ? 5 : 11),
    time: positive('time', values.time) ?? (values.quick ? 2 : 4),
  };
}

// --json may stand alone or name a file, which parseArgs has no word for.
function takeJson(argv) {
  const at = argv.findIndex((arg) => arg === '--json' || arg.startsWith('--json='));
  if (at === -1) return { args: argv, json: undefined };
  if (argv[at] !== '--json') return { args: argv.toSpliced(at, 1), json: argv[at].slice('--json='.length) };
  const next = argv[at + 1];
  const named = next !== undefined && !next.startsWith('-') && !words.includes(next);
  return { args: argv.toSpliced(at, named ? 2 : 1), json: named ? next : true };
}

function writeJson(to, result) {
  const text = `${JSON.stringify(result, null, 2)}\n`;
  if (to === true) process.stdout.write(text);
  else writeFileSync(to, text);
}

// Where the table itself shows no progress: a counter on the terminal's other stream.
function progress(wanted) {
  if (!wanted || process.stderr.isTTY !== true) return () => {};
  return (text) => process.stderr.write(`\r\x1b[2K${text}`);
}

function parseSize(text) {
  const match = /^(\d+)([kKmM]?)(?:i?B)?$/.exec(text);
  if (match === null) throw new UsageError(`--sizes: not a size: ${text}`);
  return Number(match[1]) * { '': 1, k: 1024, m: 1 << 20 }[match[2].toLowerCase()];
}

function positive(option, text) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`--${option} must be a positive number, not ${text}`);
  return value;
}

function oneOf(kind, value, known) {
  if (!known.includes(value)) throw new UsageError(`unknown ${kind}: ${value} (known: ${known.join(', ')})`);
}
