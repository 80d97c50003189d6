// hashperf and cryptperf: engines and routes by buffer size, and where one overtakes another; and
// scaling, where each number of threads is an engine. All of it is data: an engine is a competitor
// (runner.mjs) that serves these tables only; one more is an entry in `engines` and its
// comparisons.

import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';

import { forms } from './competitors/forms.mjs';
import { fastest } from './confidence.mjs';
import { groupBy } from './numbers.mjs';

const require = createRequire(import.meta.url);
const KiB = 1024;
const MiB = 1024 * KiB;

/** 16 B to 16 MiB, four times as large each. */
export const perfSizes = Array.from({ length: 11 }, (_, step) => 16 * 4 ** step);

/** Returns a number of jobs that gives every thread work and does not fill the memory. */
const jobsInFlight = (size) =>
  Math.max(2 * availableParallelism(), Math.min(16, Math.floor((64 * MiB) / size)));
const oneJob = () => 1;

const { getCiphers, getHashes } = require('millrace');

/** Those that can be cut into parts: trees of leaves, and all ciphers. */
const splittable = [
  ...getHashes().filter((name) => /^(blake3|kt|parallelhash)/.test(name)),
  ...getCiphers(),
];

// Every engine is called in the same form, lent, so that only the engine differs.
const callForms = [
  ...forms({ group: 'hash' }, ({ millrace }, { algorithm, data, target, options }) => ({
    'sync into: hash': () => millrace.hash(algorithm, data, { target, ...options }),
    'callback into: hash': (done) => millrace.hash(algorithm, data, { target, ...options }, done),
  })),
  ...forms({ group: 'hmac' }, ({ millrace }, { hash, rawKey, source, target, options }) => ({
    'sync into: hmac': () => millrace.hmac(hash, rawKey, source, { target, ...options }),
    'callback into: hmac': (f) => millrace.hmac(hash, rawKey, source, { target, ...options }, f),
  })),
  ...forms({ group: 'cipher' }, ({ millrace }, inputs) => {
    const { algorithm, rawKey: key, iv, source, target, options } = inputs;
    const given = () => ({ encrypt: true, key, iv, source, target, ...options });
    return {
      'sync into: cipher': () => millrace.cipher(algorithm, given()),
      'callback into: cipher': (done) => millrace.cipher(algorithm, given(), done),
    };
  }),
  ...forms({ group: 'aead', operation: 'seal' }, ({ millrace }, inputs) => {
    const { algorithm, rawKey: key, iv: nonce, source, target, options } = inputs;
    const given = () => ({ key, nonce, source, target, ...options });
    return {
      'sync into: seal': () => millrace.seal(algorithm, given()),
      'callback into: seal': (done) => millrace.seal(algorithm, given(), done),
    };
  }),
];

/**
 * Returns an engine: `options` are those of its calls, which are synchronous unless they have a
 * route.
 */
function engine(name, options, more = {}) {
  return {
    name,
    engine: true,
    load: () => ({ millrace: present(options), version: '' }),
    prepare: (_tools, inputs) => {
      const { algorithm, group, rawKey, source } = inputs;
      const isMac = group === 'hash' && algorithm.startsWith('kmac');
      inputs.options = isMac ? { ...options, key: rawKey } : options;
      // TupleHash takes an array of items.
      inputs.data = algorithm.startsWith('tuplehash') ? [source] : source;
    },
    forms: callForms
      .filter(({ wait }) => wait === (options.route === undefined ? 'sync' : 'callback'))
      // No HMAC can be cut into parts.
      .filter(({ group }) => options.route !== 'split' || group !== 'hmac')
      .map((form) => ({ ...form, ...more })),
  };
}

/** Returns the library, if it has the engine that is asked for; the error says why it has not. */
function present({ engine }) {
  const millrace = require('millrace');
  if (engine !== undefined) millrace.hash('sha256', 'whether it is there', { engine });
  return millrace;
}

const many = { inFlight: jobsInFlight };
const one = { inFlight: oneJob };

/** The engines that there are, and how each is asked; docs/benchmarks.md describes them. */
const routes = [
  engine('sync', { engine: 'native' }),
  engine('portable', { engine: 'portable' }),
  engine('af_alg', { engine: 'af_alg' }),
  engine('cryptodev', { engine: 'cryptodev' }),
  engine('inline', { route: 'inline' }, many),
  engine('pool', { route: 'pool' }, many),
  engine('pool, one job', { route: 'pool' }, one),
  engine('split, one job', { route: 'split' }, { ...one, algorithms: splittable }),
];

/** Returns 1, 2, 4, ... and all of them. */
export function threadCounts(cores) {
  const counts = [];
  for (let count = 1; count < cores; count *= 2) counts.push(count);
  return [...counts, cores];
}

const threads = threadCounts(availableParallelism()).map((count) => ({
  ...engine(count === 1 ? '1 thread' : `${count} threads`, {}),
  forms: callForms.filter(({ wait, group }) => wait === 'callback' && group !== 'hmac'),
  beforeTurn: ({ millrace }) => millrace.configure({ threads: count }),
}));

export const engines = [...routes, ...threads];

const withNode = (list) => [...list.map(({ name }) => name), 'node:crypto'];
const [routeNames, threadNames] = [routes, threads].map(withNode);
const row = {
  engines: true,
  output: 'into',
  waits: ['callback'],
  alsoSync: true,
  competitors: routeNames,
  sizes: perfSizes,
};
const seal = { group: 'aead', operation: 'seal', key: 'raw' };
const gcm = { ...seal, algorithm: 'aes-256-gcm' };

/** Those that are measured where no algorithms are named. */
const usual =
  'sha256 sha512 sha3-256 blake3 aes-256-ctr chacha20 aes-256-gcm chacha20-poly1305'.split(' ');

/** Returns a row for each hash, HMAC, cipher and AEAD of the catalog. */
function catalogRows() {
  const { findCipher, findHash } = require('../../dist/core.js')['catalog/catalog'];
  const hashes = getHashes();
  return [
    ...hashes.map((algorithm) => ({ table: 'hashperf', group: 'hash', algorithm })),
    ...hashes
      .filter((name) => findHash(name).hmac)
      .map((name) => ({ table: 'hashperf', group: 'hmac', algorithm: `hmac-${name}`, key: 'raw' })),
    ...getCiphers().map((algorithm) => ({
      table: 'cryptperf',
      ...(findCipher(algorithm).aead ? seal : { group: 'cipher', key: 'raw' }),
      algorithm,
    })),
  ].map((each) => ({ ...row, ...each, ifNamed: !usual.includes(each.algorithm) }));
}

/** Rows, as in definitions.mjs. Those of threads are the last: they change the pool. */
export const perfDefinitions = [
  ...catalogRows(),
  ...[
    { group: 'hash', algorithm: 'sha256' },
    gcm,
    ...[
      gcm,
      { group: 'cipher', algorithm: 'aes-256-ctr', key: 'raw' },
      { group: 'hash', algorithm: 'blake3' },
    ].map((job) => ({ ...job, inFlight: 1, sizes: [4 * MiB, 16 * MiB, 64 * MiB] })),
  ].map((definition) => ({
    ...row,
    table: 'scaling',
    competitors: threadNames,
    inFlight: Math.max(16, 4 * availableParallelism()),
    sizes: [4 * KiB, 64 * KiB, MiB],
    ...definition,
  })),
];

/** From which size on the one beats the other. */
export const comparisons = [
  { faster: 'sync', than: 'node:crypto' },
  { faster: 'sync', than: 'portable' },
  { faster: 'sync', than: 'af_alg' },
  { faster: 'sync', than: 'cryptodev' },
  { faster: 'af_alg', than: 'portable' },
  { faster: 'cryptodev', than: 'portable' },
  { faster: 'pool', than: 'sync' },
  { faster: 'pool', than: 'inline' },
  { faster: 'pool, one job', than: 'sync' },
  { faster: 'split, one job', than: 'pool, one job' },
  { faster: 'split, one job', than: 'sync' },
];

/** Closer than this, or than their own noise, two engines are level. */
const level = 0.03;

/**
 * Finds where `faster` overtakes `than` for good. Points are { size, seconds, spread }, in any
 * order; sizes that only one of them has are left out.
 *
 * @returns {{ from: number | undefined, always: boolean, ratio: number } | undefined} `from`: the
 *   size, by interpolation between the measured sizes (on log axes a line), undefined if it never
 *   does; `ratio`: how much faster it is at the largest size; undefined if no size can be compared
 */
export function crossover(faster, than) {
  const pairs = faster
    .flatMap((one) =>
      than
        .filter(({ size }) => size === one.size)
        .map((other) => ({
          size: one.size,
          lead: Math.log2(other.seconds / one.seconds),
          noise: Math.log2(1 + Math.max(level, (one.spread ?? 0) + (other.spread ?? 0))),
        })),
    )
    .sort((left, right) => left.size - right.size);
  if (pairs.length === 0) return undefined;
  const ratio = 2 ** pairs.at(-1).lead;
  const last = pairs.findLastIndex(({ lead, noise }) => lead <= noise);
  if (last === pairs.length - 1) return { from: undefined, always: false, ratio };
  if (last === -1) return { from: pairs[0].size, always: true, ratio };
  const [below, above] = [pairs[last], pairs[last + 1]];
  // Level already: from there on.
  if (below.lead >= 0) return { from: below.size, always: false, ratio };
  const part = -below.lead / (above.lead - below.lead);
  return {
    from: Math.round(2 ** (Math.log2(below.size) + part * Math.log2(above.size / below.size))),
    always: false,
    ratio,
  };
}

/**
 * Returns all comparisons of measured rows: [{ table, algorithm, operation, faster, than, from,
 * always, ratio }].
 */
export function crossovers(rows) {
  const groups = groupBy(
    rows.filter(({ engines }) => engines),
    ({ table, algorithm, operation }) => `${table} ${algorithm} ${operation}`,
  );
  return [...groups.values()].flatMap((own) => {
    const [{ table, algorithm, operation }] = own;
    const points = (name) =>
      own.flatMap(({ size, entries }) => {
        const best = fastest(entries.filter(({ competitor }) => competitor === name));
        return best === undefined ? [] : [{ size, seconds: best.seconds, spread: best.spread }];
      });
    return comparisons.flatMap(({ faster, than }) => {
      const found = crossover(points(faster), points(than));
      return found === undefined ? [] : [{ table, algorithm, operation, faster, than, ...found }];
    });
  });
}
