// The plan: which step has which number. It depends on the seed, the thread's name and the limits,
// and on nothing else.

import { random } from '../support/random.mjs';
import { bigints, call, huge, lent, resizable } from './steps/calls.mjs';
import { derivation, derivations, password } from './steps/derivations.mjs';
import { collection, refusal, settings, stall, thread } from './steps/disturbances.mjs';
import { batch, burst, preparedKey } from './steps/many.mjs';
import { file, hasher, iterable, sealedStream } from './steps/streams.mjs';

/** How often each kind comes, of the sum of all. */
const kinds = [
  [call, 300],
  [lent, 150],
  [batch, 60],
  [hasher, 60],
  [sealedStream, 40],
  [iterable, 30],
  [file, 30],
  [preparedKey, 30],
  [resizable, 20],
  [bigints, 20],
  [refusal, 20],
  [burst, 12],
  [derivation, 40],
  [derivations, 6],
  [password, 6],
  [collection, 8],
  [stall, 8],
  [settings, 11],
  [thread, 3],
  [huge, 2],
];

/** How many steps may be under way at once: it changes from stretch to stretch. */
const widths = [1, 3, 10, 40, 150];
const STRETCH = 100;

/** Returns the step of that number. Everything at random is decided here; `run` decides nothing. */
export function plan(workspace, number) {
  const rng = random(`${workspace.name}, step ${number}`);
  return { number, ...pick(rng, workspace)(rng, workspace) };
}

export function width(workspace, number) {
  return random(`${workspace.name}, stretch ${Math.floor(number / STRETCH)}`).pick(widths);
}

function pick(rng, workspace) {
  const offered = kinds.filter(
    ([kind]) =>
      !((kind === thread && workspace.name !== 'main') || (kind === huge && workspace.huge === 0)),
  );
  let at = rng.below(offered.reduce((sum, [, weight]) => sum + weight, 0));
  return offered.find(([, weight]) => (at -= weight) < 0)[0];
}
