// When a call is aborted, if it is.

import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

const moments = {
  before: undefined,
  'in the same tick': (abort) => abort(),
  'a microtask later': (abort) => queueMicrotask(abort),
  'a turn later': (abort) => void turn().then(abort),
  later: (abort, { delay }) => void sleep(delay).then(abort),
  'after it has settled': (abort, { settled }) => void settled.then(abort, abort),
};

/** Returns a moment at random, or none. */
export function drawAbort(rng, probability = 0.3) {
  if (!rng.chance(probability)) return undefined;
  return { moment: rng.pick(Object.keys(moments)), delay: rng.below(12) };
}

/**
 * Returns a controller for a drawn moment: `options` belong to the call, `launched` is told its
 * promise.
 */
export function arrange(plan) {
  if (plan === undefined) return { options: {}, launched() {} };
  const controller = new AbortController();
  const reason = new Error(`aborted ${plan.moment}`);
  const abort = () => controller.abort(reason);
  if (plan.moment === 'before') abort();
  return {
    options: { signal: controller.signal },
    reason,
    certain: plan.moment === 'before',
    launched: (settled) => moments[plan.moment]?.(abort, { settled, delay: plan.delay }),
  };
}

export function describeAbort(plan) {
  return plan === undefined ? '' : `, aborted ${plan.moment}`;
}
