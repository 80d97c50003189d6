// The clock of `millrace bench`: calibration and warm-up beside a first call that loads a file.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { calibrate, takeTurns } from '../../../cli/bench/clock.mjs';

/** Returns a clock that only calls advance, and a call of 0.01 ms whose first one takes 20 ms. */
function loading() {
  let at = 0;
  let calls = 0;
  return {
    now: () => at,
    call: () => void (at += calls++ === 0 ? 20 : 0.01),
  };
}

const loop = (call, count) => {
  for (let index = 0; index < count; index++) call();
};

test('a first call that loads a file does not decide the number of calls', () => {
  const { call, now } = loading();
  const count = calibrate(loop, call, 4, 0, now);
  assert.ok(count > 350 && count < 450, `${count} calls of 0.01 ms in a round of 4 ms`);
});

test('a call longer than a round is timed once a round, after few samples', () => {
  let at = 0;
  let calls = 0;
  const call = () => void ((at += 20), calls++);
  assert.equal(
    calibrate(loop, call, 4, 0, () => at),
    1,
  );
  assert.ok(calls <= 3, `${calls} calls`);
});

test('calls in flight are warmed up after their first call', async () => {
  let done = 0;
  let warm;
  const load = () => {
    const end = performance.now() + 40;
    while (performance.now() < end);
  };
  const call = async () => void (done++ === 0 ? load() : undefined);
  const candidates = [{ name: 'a', wait: 'promise', calls: [call, call] }];
  const begin = () => (warm = done);
  await takeTurns(candidates, { rounds: 1, time: 1, flight: 1, warmUp: 20, begin });
  assert.ok(warm > 100, `${warm} calls of the warm-up`);
});
