// One process of `npm run bench -- rivals`: measures the row with the given index and prints the
// result as JSON. The contestants take turns, in another order each round.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

import { median, quantile, rotated, spread } from '../../cli/bench/numbers.mjs';
import { startUsage } from '../../cli/bench/usage.mjs';
import { rows } from './rows.mjs';

const WARM_UP_MS = 60;
const PAUSE_MS = 8;
/** Rounds are left out when a row takes longer than this, down to MIN_ROUNDS. */
const BUDGET_MS = 12_000;
const MIN_ROUNDS = 3;

const load = createRequire(new URL('../../package.json', import.meta.url));
const rival = createRequire(new URL('../package.json', import.meta.url));
const [row, rounds, time] = [rows[Number(process.argv[2])], ...process.argv.slice(3).map(Number)];

const forms = row.forms({
  millrace: load('millrace'),
  promises: load('millrace/promises'),
  cryptoAsync: optional('@ronomon/crypto-async'),
  bigintHash: optional('bigint-hash'),
  hashtree: optional('@chainsafe/hashtree'),
  jsSha3: optional('js-sha3'),
  napiBlake: optional('@napi-rs/blake-hash'),
  nobleBlake3: await imported('@noble/hashes/blake3.js'),
  sodium: optional('sodium-native'),
  xxhashAddon: optional('xxhash-addon'),
  xxhashWasm: await (await imported('xxhash-wasm'))?.default(),
});
const contestants = [];
for (const [name, call] of Object.entries(forms))
  if (call) contestants.push({ name, call, seconds: [], latencies: [] });
await verify();
const turn = row.measure === 'call' ? held : row.wait === 'sync' ? loop : flight;
for (const contestant of contestants) await turn(contestant, WARM_UP_MS);
for (const contestant of contestants) contestant.latencies.length = 0;
const usage = startUsage();
const begin = performance.now();
for (let round = 0; round < rounds; round++) {
  if (round >= MIN_ROUNDS && performance.now() - begin > BUDGET_MS) break;
  for (const contestant of rotated(contestants, round))
    contestant.seconds.push((await turn(contestant, time)) / (row.per ?? 1));
}
console.log(
  JSON.stringify({
    foreign: usage.foreign(),
    delay: usage.delay(),
    entries: contestants.map(({ name, seconds, latencies }) => ({
      contestant: name,
      seconds: median(seconds),
      spread: spread(seconds),
      ...(row.wait === 'promise' &&
        row.measure === undefined && {
          p50: quantile(latencies, 0.5) / 1000,
          p99: quantile(latencies, 0.99) / 1000,
        }),
    })),
  }),
);

/** All results equal the last contestant's, which is never Millrace's. */
async function verify() {
  const results = [];
  for (const { call } of contestants) results.push(bytesOf(await call()));
  for (const [index, { name }] of contestants.entries())
    assert.deepEqual(results[index], results.at(-1), `${row.name}: ${name} has another result`);
}

function bytesOf(result) {
  if (typeof result === 'bigint') return result;
  if (Array.isArray(result)) return Buffer.concat(result);
  return result instanceof ArrayBuffer ? Buffer.from(result) : Buffer.from(result);
}

/** Seconds for one call, in a loop of synchronous calls. */
async function loop(contestant, milliseconds) {
  contestant.run ??= new Function(
    'call',
    'count',
    'let last; for (let i = 0; i < count; i++) last = call(); return last;',
  );
  const { call, run } = contestant;
  let count = contestant.count ?? 1;
  if (contestant.count === undefined) {
    for (;;) {
      const start = performance.now();
      run(call, count);
      const took = performance.now() - start;
      if (took > 2) {
        contestant.count = Math.max(1, Math.ceil((count * time) / took));
        break;
      }
      count *= 2;
    }
    const end = performance.now() + milliseconds;
    while (performance.now() < end) run(call, contestant.count);
    count = contestant.count;
  }
  const start = performance.now();
  run(call, count);
  return (performance.now() - start) / 1000 / count;
}

/** Seconds for one call with `inFlight` calls in flight. */
function flight({ call, latencies }, milliseconds) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let [done, running] = [0, row.inFlight];
    const one = () => {
      const begun = performance.now();
      call().then(() => {
        const now = performance.now();
        latencies.push(now - begun);
        done++;
        if (now - start < milliseconds) one();
        else if (--running === 0) resolve((now - start) / 1000 / done);
      }, reject);
    };
    for (let index = row.inFlight; index > 0; index--) one();
  });
}

/** Median seconds until a call returns, the workers asleep before it. */
async function held({ call }, milliseconds) {
  const times = [];
  const end = performance.now() + Math.max(milliseconds, 5 * PAUSE_MS);
  do {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const start = performance.now();
    const promise = call();
    times.push((performance.now() - start) / 1000);
    await promise;
  } while (performance.now() < end);
  return median(times);
}

function optional(name) {
  try {
    return rival(name);
  } catch {
    return undefined;
  }
}

async function imported(name) {
  try {
    return await import(rival.resolve(name));
  } catch {
    return undefined;
  }
}
