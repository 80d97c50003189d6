// Numbers that mean nothing are refused by the engine itself, whatever the front has checked: the
// frame is written by hand here.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import 'millrace';

import { entryPaths } from '../support/child.mjs';
import { frameIndexes, statusNumbers } from '../../tools/protocol.mjs';

const require = createRequire(import.meta.url);
const dist = dirname(entryPaths.millrace);
const { native } = require(join(dist, 'core.js'))['engines/binding'];
const { frame } = require(join(dist, 'core.js'))['base/frame'];

const {
  Operation,
  Algorithm,
  Slot,
  Flags,
  Key,
  SourceOffset,
  SourceSize,
  TargetOffset,
  TargetSize,
  SeedLow,
  SeedHigh,
  Route,
  Engine,
} = frameIndexes;

const source = Buffer.alloc(64);
const target = Buffer.alloc(32);

/** Runs SHA-256 with some numbers of the frame changed; the status. */
function status(changed) {
  const plain = {
    [Operation]: 0,
    [Algorithm]: 3,
    [Slot]: -1,
    [Flags]: 1,
    [Key]: 0,
    [SourceOffset]: 0,
    [SourceSize]: 64,
    [TargetOffset]: 0,
    [TargetSize]: 32,
    [SeedLow]: 0,
    [SeedHigh]: 0,
    [Route]: 0,
    [Engine]: 0,
  };
  for (const [index, number] of Object.entries({ ...plain, ...changed })) frame[index] = number;
  try {
    return native.run(source, target, undefined, undefined, undefined, undefined);
  } finally {
    frame.fill(0);
  }
}

test('unknown operations, algorithms, engines and handles are refused', () => {
  assert.equal(status({}), statusNumbers.Done);
  for (const number of [60, 61, 100, 255, 2 ** 31, Infinity])
    assert.equal(status({ [Operation]: number }), statusNumbers.Argument, `operation ${number}`);
  for (const number of [200, 255, 256, 1e9])
    assert.equal(status({ [Algorithm]: number }), statusNumbers.Argument, `algorithm ${number}`);
  for (const number of [4, 5, 255, 256, 2 ** 32, Infinity])
    assert.equal(status({ [Engine]: number }), statusNumbers.Argument, `engine ${number}`);
  assert.equal(status({ [Key]: 12345 }), statusNumbers.KeyDisposed);
});

test('unknown engines, purposes and algorithms of keys are refused', () => {
  const bytes = Buffer.alloc(32);
  for (const [purpose, algorithm, engine] of [
    [3, 0, 0],
    [0, 256, 0],
    [1, 256 + 3, 0],
    [1, 3, 4],
    [1, 3, 99],
  ]) {
    assert.equal(
      native.createKey(purpose, algorithm, bytes, engine),
      -statusNumbers.Argument,
      [purpose, algorithm, engine].join(),
    );
  }
});

test('unknown selectors are refused', () => {
  for (const name of ['threads', 'copies', 'derivationMemory'])
    assert.ok(Number.isNaN(native[name](7)), name);
  assert.ok(Number.isNaN(native.cost(0, 3, 9)));
});
