// The options of the benchmark, as the original package has them. Values that node:crypto rejects
// are rejected here once, not by each of thousands of calls.

'use strict';

const { choiceOf, numberOf, option, wholeNumber } = require('../../arguments.js');
const { UsageError } = require('../../ui.js');
const { variantNames } = require('./variants.js');

const modes = ['sequential', 'random'];
const most = Number.MAX_SAFE_INTEGER;

const options = [
  option('--iterations N', 'iterations of each variant at each concurrency (default: 2000)'),
  option('--concurrency N,N,...', 'iterations in flight at once (default: 1,10,50,100,500,1000)'),
  option(
    '--mode MODE',
    'sequential (default): two calls an iteration with the same input; their keys must match; ' +
      'random: one call with a new input',
    { choices: () => modes },
  ),
  option('--variants A,B,...', `any of ${variantNames.join(', ')}; or all`, {
    choices: () => ['all', ...variantNames],
  }),
  option('--seed N', 'seed of the inputs (default: 1337)'),
  option('--keylen BYTES', 'size of the key (default: 64)'),
  option('--N N', 'cost, a power of two (default: 16384)'),
  option('--r N', 'block size (default: 8)'),
  option('--p N', 'parallelization (default: 1)'),
  option('--maxmem BYTES', 'memory limit of a call (default: 33554432)'),
  option('--csv', 'print CSV instead of tables, and everything else to standard error'),
  option('--no-progress', 'print no line for each batch'),
];

/**
 * @typedef {object} Settings
 * @property {number} iterations
 * @property {number[]} concurrencies
 * @property {'sequential' | 'random'} mode
 * @property {string[]} variants
 * @property {number} seed
 * @property {number} keylen
 * @property {{ N: number, r: number, p: number, maxmem: number }} cost
 * @property {boolean} csv
 * @property {boolean} progress
 */

/**
 * @param {Record<string, any>} values
 * @param {readonly string[]} usual the variants if none are named
 * @returns {Settings}
 */
function readSettings(values, usual) {
  const number = (name, otherwise, limit = most) => numberOf(values, name, otherwise, limit);
  const settings = {
    iterations: number('iterations', 2000),
    concurrencies: concurrencies(values.concurrency ?? '1,10,50,100,500,1000'),
    mode: choiceOf({ mode: values.mode?.toLowerCase() }, 'mode', modes),
    variants: values.variants === undefined ? [...usual] : variants(values.variants),
    seed: number('seed', 1337),
    keylen: number('keylen', 64, 2 ** 31 - 1),
    cost: {
      N: number('N', 16384, 2 ** 31),
      r: number('r', 8, 2 ** 30 - 1),
      p: number('p', 1, 2 ** 30 - 1),
      maxmem: number('maxmem', 33_554_432),
    },
    csv: values.csv === true,
    progress: values['no-progress'] !== true,
  };
  checkCost(settings.cost);
  return settings;
}

function concurrencies(text) {
  return text.split(',').map((each) => wholeNumber(each.trim(), 'each --concurrency', 1, most));
}

function variants(text) {
  if (text === 'all') return [...variantNames];
  const names = text.split(',').map((each) => each.trim());
  for (const name of names) {
    if (!variantNames.includes(name))
      throw new UsageError(
        `--variants must be some of ${variantNames.join(', ')}, or all, ` +
          `not ${JSON.stringify(name)}`,
      );
  }
  return variantNames.filter((name) => names.includes(name));
}

/** Checks the limits of RFC 7914 and of node:crypto's OpenSSL, which counts memory in this way. */
function checkCost({ N, r, p, maxmem }) {
  const problem = (text) => new UsageError(text);
  if (N < 2 || !Number.isInteger(Math.log2(N)))
    throw problem(`--N must be a power of two from 2 to 2147483648, not ${N}`);
  if (N >= 2 ** (16 * r))
    throw problem(`--N must be less than ${2 ** (16 * r)} where --r is ${r}, not ${N}`);
  if (r * p >= 2 ** 30) throw problem(`--r times --p must be less than 1073741824, not ${r * p}`);
  const needed = 128 * r * p + 128 * r * (N + 2);
  if (needed > maxmem)
    throw problem(
      `a call with --N=${N} --r=${r} --p=${p} takes ${needed} bytes, ` +
        `which is more than --maxmem=${maxmem}`,
    );
}

module.exports = { options, readSettings };
