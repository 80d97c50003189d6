// Turns the operands and options of `millrace bench` into a plan of rows.

import { createRequire } from 'node:module';

import { numberOf } from '../arguments.js';
import { checkKnown, suggest } from '../suggest.js';
import { UsageError } from '../ui.js';
import { competitors as packages } from './competitors/all.mjs';
import {
  definitions,
  describe,
  perfQuickSizes,
  quickSizes,
  sizes as allSizes,
} from './definitions.mjs';
import { engines } from './engines.mjs';
import { choose, expectedSeconds } from './runner.mjs';

const core = createRequire(import.meta.url)('../../dist/core.js');
const { findCipher, findHash } = core['catalog/catalog'];

const groups = ['hash', 'cipher', 'aead', 'hmac', 'digest', 'kdf'];
const perf = ['hashperf', 'cryptperf', 'scaling'];
const callStyles = ['sync', 'async'];
const apart = ['load', 'latency'];
const words = [...groups, ...callStyles, ...apart, ...perf];

/** node:crypto rejects some larger messages. */
const MAX_SIZE_BYTES = 2 ** 30;

export const competitors = [...packages, ...engines];

/**
 * @param {Record<string, string | boolean | undefined>} values
 * @param {readonly (string | Buffer)[]} operands
 * @returns rows, the modules that take part in them, tables that are not rows (`apart`), and how to
 * measure
 */
export function readOptions(values, operands) {
  for (const word of operands) checkKnown('table', String(word), [...words, 'scrypt']);
  if (operands.includes('scrypt'))
    throw new UsageError('scrypt comes first and has its own options: millrace bench scrypt');
  const named = (kind) => kind.filter((word) => operands.includes(word));
  const asked = named(callStyles).length > 0 ? named(callStyles) : callStyles;
  const wanted = wantedTables(named, asked);
  const quick = values.quick === true;
  const [wantedNames, sizes, chosen] = ['algorithms', 'sizes', 'competitors'].map((name) =>
    list(name, values[name]),
  );
  const given = sizes?.map(parseSize);
  const { match = '' } = values;
  const known = [...new Set(definitions.map(({ algorithm }) => algorithm))];
  const algorithms = wantedNames?.map((name) => (known.includes(name) ? name : catalogName(name)));
  for (const name of algorithms ?? [])
    if (!known.includes(name))
      throw new UsageError(`unknown algorithm: ${name}${suggest(name, known)}`);
  const names = competitors.map(({ name }) => name);
  for (const name of chosen ?? []) checkKnown('competitor', name, names);
  const { rows, unfit } = plannedRows({ wanted, asked, given, algorithms, quick, match });
  const takesPart = (module) =>
    module.name === 'millrace' ||
    ((chosen?.includes(module.name) ?? true) &&
      rows.some(({ definition, wait }) => choose(module, definition, wait).length > 0));
  const isWhole = [operands[0], algorithms, given, values.match].every(
    (each) => each === undefined,
  );
  const others = isWhole ? ['load'] : named(apart);
  if (rows.length === 0 && others.length === 0)
    throw new UsageError(
      'nothing to measure: no row matches' +
        (unfit.length > 0 ? ` (its sizes: ${unfit.join(', ')})` : ''),
    );
  for (const name of algorithms ?? [])
    if (!rows.some(({ definition }) => definition.algorithm === name))
      throw new UsageError(`nothing to measure of ${name}: ${tablesWith(name)}`);
  const plan = {
    rows,
    apart: others,
    modules: competitors.filter(takesPart),
    competitors: chosen,
    quick,
    rounds: numberOf(values, 'rounds', quick ? 5 : 11, 1000),
    time: numberOf(values, 'time', quick ? 2 : 4, 10_000),
    json: values.json === true,
    csv: values.csv,
    html: values.html,
  };
  if (plan.json && plan.csv === '-')
    throw new UsageError('--json and --csv - both want standard output');
  if (plan.html === '-') throw new UsageError('--html needs a file name');
  for (const row of rows)
    row.expected = expectedSeconds(row.definition, row.wait, plan.modules, plan);
  return plan;
}

/** Returns the catalog's name of an algorithm, given by any of its names; others as they are. */
function catalogName(name) {
  if (/^hmac-/i.test(name)) return `hmac-${catalogName(name.slice(5))}`;
  return (findHash(name) ?? findCipher(name))?.name ?? name;
}

/** Returns which words select rows of an algorithm. */
function tablesWith(name) {
  const own = definitions.filter(({ algorithm }) => algorithm === name);
  return `its tables are ${[...new Set(own.map(({ table, group }) => table ?? group))].join(', ')}`;
}

function wantedTables(named, asked) {
  const tables = [...named(groups), ...named(perf)];
  // By itself async is a table; beside another it says which of its rows.
  if (tables.length > 0) return tables;
  if (named(apart).length > 0 && named(callStyles).length === 0) return [];
  return asked.includes('sync') ? [...groups, 'async'] : ['async'];
}

function plannedRows({ wanted, asked, given, algorithms, quick, match }) {
  // By a key: the table of digests repeats rows of the plain hashes.
  const rows = new Map();
  const unfit = new Set();
  const isWanted = ({ definition, wait }) =>
    wanted.includes(definition.table ?? definition.group) &&
    (algorithms?.includes(definition.algorithm) ?? !definition.ifNamed) &&
    // Tables of engines have both call styles.
    (definition.engines || asked.includes(styleOf(wait))) &&
    `${wait} ${describe(definition)}`.includes(match);
  const calls = definitions
    .flatMap((definition) => definition.waits.map((wait) => ({ definition, wait })))
    .filter(isWanted);
  for (const { definition, wait } of callStyles.flatMap((style) =>
    calls.filter((call) => styleOf(call.wait) === style),
  )) {
    const sizes = sizesOf(definition, given, quick);
    if (sizes.length === 0) definition.sizes.forEach((size) => unfit.add(size));
    for (const size of sizes) {
      const key = `${wait} ${definition.engines === true} ${describe(definition)} ${size}`;
      if (!rows.has(key)) rows.set(key, { definition, size, wait });
    }
  }
  return { rows: [...rows.values()], unfit: [...unfit] };
}

const styleOf = (wait) => (wait === 'sync' ? 'sync' : 'async');

function sizesOf({ sizes, engines: anySize }, given, quick) {
  if (sizes !== undefined && !anySize)
    return given === undefined ? sizes : sizes.filter((size) => given.includes(size));
  const usual = sizes ?? allSizes;
  const few = usual.filter((size) => (anySize ? perfQuickSizes : quickSizes).includes(size));
  return given ?? (quick && few.length > 0 ? few : usual);
}

function list(option, text) {
  const parts = text
    ?.split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  if (parts?.length === 0)
    throw new UsageError(`--${option}: nothing is in the list ${JSON.stringify(text)}`);
  return parts;
}

/** Returns a size in bytes; K, M and G are powers of 1024. */
export function parseSize(text) {
  const match = /^(\d+)([kmg]?)(?:i?b)?$/i.exec(text);
  const size =
    match === null
      ? Number.NaN
      : Number(match[1]) * { '': 1, k: 1024, m: 2 ** 20, g: 2 ** 30 }[match[2].toLowerCase()];
  if (!(size >= 1 && size <= MAX_SIZE_BYTES))
    throw new UsageError(`--sizes: ${JSON.stringify(text)} is not a size from 1 to 1G`);
  return size;
}
