// How a call is made, drawn at random: how it is waited for, its route, and when it is aborted.

import assert from 'node:assert/strict';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

/** What `perform` gives for a call that was aborted. */
export const ABORTED = Symbol('aborted');

const moments = {
  before: undefined,
  'in the same tick': (abort) => abort(),
  'a microtask later': (abort) => queueMicrotask(abort),
  'a turn later': (abort) => void turn().then(abort),
  later: (abort, { delay }) => void sleep(delay).then(abort),
  'after it has settled': (abort, { settled }) => void settled.then(abort, abort),
};

/** Draws how a call is made that is waited for as `waiting` says; `told` describes it. */
export function drawManner(rng, waiting, { routed = true, aborts = 0.3 } = {}) {
  const abort =
    waiting === 'promise' && rng.chance(aborts)
      ? { moment: rng.pick(Object.keys(moments)), delay: rng.below(12) }
      : undefined;
  const route = routed && waiting !== 'sync' ? drawRoute(rng) : undefined;
  const throws = waiting === 'callback' && rng.chance(0.1);
  const told = [
    waiting,
    route && `route ${route}`,
    abort && `aborted ${abort.moment}`,
    throws && 'throws',
  ];
  return { waiting, abort, route, throws, told: told.filter(Boolean).join(', ') };
}

/** Returns a route at random: none is asked for in half of the cases. */
export function drawRoute(rng) {
  return rng.pick([undefined, undefined, undefined, 'auto', 'inline', 'pool', 'split']);
}

/**
 * Makes a call and aborts it as drawn. `begin` begins it; it takes the options that the manner
 * adds, and the reason with which the call rejects if it is aborted.
 *
 * @returns what the call gives, or ABORTED
 */
export async function perform({ abort, route }, what, begin) {
  const controller = new AbortController();
  const reason = new Error(`aborted ${abort?.moment}`);
  const strike = () => controller.abort(reason);
  if (abort?.moment === 'before') strike();
  const options = { ...(route && { route }), ...(abort && { signal: controller.signal }) };
  try {
    const settled = begin(options, reason);
    moments[abort?.moment]?.(strike, { settled, delay: abort.delay });
    const result = await settled;
    assert.notEqual(abort?.moment, 'before', `${what}: aborted before it began, but settled`);
    return result;
  } catch (error) {
    if (error !== reason) throw error;
    return ABORTED;
  }
}
