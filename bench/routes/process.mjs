// One process of `npm run bench -- routes`: measures one cell, given as JSON, and prints the
// result as JSON. The routes take turns, in another order each round.

import crypto from 'node:crypto';
import { createRequire } from 'node:module';

import { startUsage } from '../../cli/bench/usage.mjs';
import { measureForms } from '../turns.mjs';
import { cellName } from './plan.mjs';

const load = createRequire(new URL('../../package.json', import.meta.url));
const promises = load('millrace/promises');

const cell = JSON.parse(process.argv[2]);
const source = crypto.randomBytes(cell.size);
const key = crypto.randomBytes(32);
const nonce = crypto.randomBytes(12);
const expected = answerOfNode(cell.operation);
const row = { name: cellName(cell), wait: 'promise', inFlight: cell.inFlight, expected };
const forms = Object.fromEntries(cell.routes.map((route) => [route, callsOf(cell, route)]));
let usage;
const entries = await measureForms(row, forms, {
  rounds: cell.rounds,
  time: cell.time,
  begin: () => (usage = startUsage()),
});
const routes = entries.map(({ competitor: route, seconds, spread, p50, p99 }) => [
  route,
  { rate: 1 / seconds, spread, p50, p99 },
]);
console.log(
  JSON.stringify({
    foreign: usage.foreign(),
    delay: usage.delay(),
    routes: Object.fromEntries(routes),
  }),
);

/** Returns a call for each of the cell's calls in flight, each with its own target. */
function callsOf({ operation, inFlight, memory }, route) {
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
    return Object.assign(call, { target });
  });
}

function answerOfNode(operation) {
  if (operation === 'sha256') return crypto.createHash('sha256').update(source).digest();
  if (operation === 'hmac-sha256') return crypto.createHmac('sha256', key).update(source).digest();
  /** @type {any} */
  const tagged = { authTagLength: 16 };
  const cipher = /** @type {any} */ (crypto.createCipheriv(operation, key, nonce, tagged));
  return Buffer.concat([cipher.update(source), cipher.final(), cipher.getAuthTag()]);
}
