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

const source = Buffer.alloc(64);
const target = Buffer.alloc(32);

/** The numbers of SHA-256 that are not 0. */
const plain = { Algorithm: 3, Slot: -1, Flags: 1, SourceSize: 64, TargetSize: 32 };

/** Runs SHA-256 with some numbers of the frame changed; the status. */
function status(changed) {
  for (const [name, number] of Object.entries({ ...plain, ...changed }))
    frame[frameIndexes[name]] = number;
  try {
    return native.run(source, target, undefined, undefined, undefined, undefined);
  } finally {
    frame.fill(0);
  }
}

test('the numbers of SHA-256 are taken', () => {
  assert.equal(status({}), statusNumbers.Done);
});

for (const [name, code, ...numbers] of [
  ['Operation', 'Argument', 60, 61, 100, 255, 2 ** 31, Infinity],
  ['Algorithm', 'Argument', 200, 255, 256, 1e9],
  ['Engine', 'Argument', 4, 5, 255, 256, 2 ** 32, Infinity],
  ['Key', 'KeyDisposed', 12345],
])
  test(`an unknown number is refused: ${name}`, () => {
    for (const number of numbers)
      assert.equal(status({ [name]: number }), statusNumbers[code], `${number}`);
  });

test('unknown engines, purposes and algorithms of keys are refused', () => {
  const refused = -statusNumbers.Argument;
  for (const [purpose, algorithm, engine] of [
    [3, 0, 0],
    [0, 256, 0],
    [1, 256 + 3, 0],
    [1, 3, 4],
    [1, 3, 99],
  ]) {
    const handle = native.createKey(purpose, algorithm, target, engine);
    assert.equal(handle, refused, [purpose, algorithm, engine].join());
  }
});

test('unknown selectors are refused', () => {
  for (const name of ['threads', 'copies', 'derivationMemory'])
    assert.ok(Number.isNaN(native[name](7)), name);
  assert.ok(Number.isNaN(native.cost(0, 3, 9)));
});
