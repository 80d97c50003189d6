// One process of `npm run bench -- routes`: measures one cell, given as JSON, and prints the
// result as JSON.
//
// The routes take turns, in another order each round, with `inFlight` calls in flight. A rate is
// the calls done divided by the time until the last one has settled.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { createRequire } from 'node:module';

import { median, quantile, rotated, spread } from '../../cli/bench/numbers.mjs';
import { startUsage } from '../../cli/bench/usage.mjs';

const load = createRequire(new URL('../../package.json', import.meta.url));
const promises = load('millrace/promises');

/** A turn lasts at least this many milliseconds, whatever --time says. */
const WARM_UP_MS = 60;
/** Rounds are left out when a cell takes longer than this, down to MIN_ROUNDS. */
const CELL_BUDGET_MS = 6000;
const MIN_ROUNDS = 3;

const cell = JSON.parse(process.argv[2]);
const competitors = cell.routes.map((route) => ({
  route,
  calls: callsOf(cell, route),
  rates: [],
  latencies: [],
  cores: [],
}));
for (const { calls, route } of competitors) await verify(calls, route);
for (const competitor of competitors) await turn(competitor, Math.max(WARM_UP_MS, cell.time));
const usage = startUsage();
const begin = performance.now();
for (let round = 0; round < cell.rounds; round++) {
  if (round >= MIN_ROUNDS && performance.now() - begin > CELL_BUDGET_MS) break;
  for (const competitor of rotated(competitors, round)) {
    const { rate, latencies, cores } = await turn(competitor, cell.time);
    competitor.rates.push(rate);
    competitor.latencies.push(...latencies);
    competitor.cores.push(cores);
  }
}
const other = { foreign: usage.foreign(), delay: usage.delay() };
console.log(
  JSON.stringify({
    ...other,
    routes: Object.fromEntries(
      competitors.map(({ route, rates, latencies, cores }) => [
        route,
        {
          rate: median(rates),
          spread: spread(rates),
          p50: quantile(latencies, 0.5) / 1000,
          p99: quantile(latencies, 0.99) / 1000,
          cores: median(cores),
        },
      ]),
    ),
  }),
);

/**
 * A call for each of the cell's calls in flight, each with a target of its own; `expected` is
 * node:crypto's result.
 */
function callsOf({ operation, size, inFlight, memory }, route) {
  const source = crypto.randomBytes(size);
  const key = crypto.randomBytes(32);
  const nonce = crypto.randomBytes(12);
  const expected = truth({ operation, source, key, nonce });
  return Array.from({ length: inFlight }, () => {
    const chosen = route === 'auto' ? {} : { route };
    const target = memory === 'lent' ? Buffer.alloc(expected.length) : undefined;
    // Without a target there is no such property: `copied` is the call without one.
    const given = target === undefined ? chosen : { ...chosen, target };
    const call =
      {
        sha256: () => promises.hash('sha256', source, { ...given }),
        'hmac-sha256': () => promises.hmac('sha256', key, source, { ...given }),
      }[operation] ?? (() => promises.seal(operation, { key, nonce, source, ...given }));
    return { call, target, expected };
  });
}

function truth({ operation, source, key, nonce }) {
  if (operation === 'sha256') return crypto.createHash('sha256').update(source).digest();
  if (operation === 'hmac-sha256') return crypto.createHmac('sha256', key).update(source).digest();
  /** @type {any} */
  const cipher = crypto.createCipheriv(
    operation,
    key,
    nonce,
    /** @type {any} */ ({
      authTagLength: 16,
    }),
  );
  return Buffer.concat([cipher.update(source), cipher.final(), cipher.getAuthTag()]);
}

/** All at once, as they are timed. */
async function verify(calls, route) {
  const results = await Promise.all(calls.map(({ call }) => call()));
  for (const [index, { target, expected }] of calls.entries())
    assert.ok(
      expected.equals(target ?? results[index]),
      `route ${route}: the result differs from node:crypto's`,
    );
}

/** Keeps all calls in flight for `time` milliseconds. The first of them carries the stopwatch. */
function turn({ calls }, time) {
  return new Promise((resolve, reject) => {
    const usage = process.cpuUsage();
    const start = performance.now();
    const latencies = [];
    let [open, done, running] = [true, 0, calls.length];
    const end = () => {
      if (--running > 0) return;
      const took = performance.now() - start;
      const { user, system } = process.cpuUsage(usage);
      resolve({
        rate: (done / took) * 1000,
        latencies: thin(latencies),
        cores: (user + system) / 1000 / took,
      });
    };
    const [timed, ...others] = calls;
    for (const { call } of others) {
      const next = () => {
        done++;
        if (open) call().then(next, reject);
        else end();
      };
      call().then(next, reject);
    }
    let begin = performance.now();
    const next = () => {
      const now = performance.now();
      latencies.push(now - begin);
      done++;
      if (now - start < time) {
        begin = now;
        timed.call().then(next, reject);
      } else {
        open = false;
        end();
      }
    };
    timed.call().then(next, reject);
  });
}

/** Enough for a p99. */
function thin(values) {
  const step = Math.ceil(values.length / 1000);
  return values.filter((_, index) => index % step === 0);
}
