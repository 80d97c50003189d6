// The soak in short: ten seconds of the same plan each time. `npm run soak` is the long form.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { diagnostic } from '../support/notes.mjs';
import { soak } from './main.mjs';

const MiB = 2 ** 20;
const short = { seed: 1, seconds: 10, threads: 1, largest: MiB, huge: 16 * MiB, idle: 1 };

test(
  'ten seconds of everything: nothing hangs, nothing differs',
  { timeout: 300_000 },
  async () => {
    const { failure, done } = await soak(short, diagnostic);
    assert.equal(failure, undefined);
    assert.ok(
      done.steps > 50 && done.calls > 100,
      `only ${done.steps} steps and ${done.calls} calls`,
    );
  },
);
