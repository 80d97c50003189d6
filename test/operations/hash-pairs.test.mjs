// hashPairs: the digests of pairs of nodes, as hash computes them, on both engines.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { random } from '../support/random.mjs';
import { expectError, show, thrown } from '../support/refusals.mjs';

const { configure, getHashes, hash, hashPairs } = millrace;
const rng = random('hash pairs');

/** Returns the digest of each pair. */
function each(algorithm, nodes, pair) {
  const digests = [];
  for (let at = 0; at < nodes.length; at += pair)
    digests.push(hash(algorithm, nodes.subarray(at, at + pair)));
  return Buffer.concat(digests);
}

/** Runs a test on each engine. */
function onEngines(name, run) {
  for (const engine of ['native', 'portable'])
    test(`${name}: ${engine}`, () => {
      configure({ engine });
      try {
        run();
      } finally {
        configure({ engine: 'auto' });
      }
    });
}

const tuples = getHashes().filter((name) => name.startsWith('tuplehash'));
const macs = getHashes().filter((name) => name.startsWith('kmac'));
const algorithms = getHashes().filter((name) => ![...tuples, ...macs].includes(name));

onEngines('every hash, with and without a target', () => {
  for (const algorithm of algorithms) {
    const size = hash(algorithm, '').length;
    for (const pairs of [0, 1, 2, 3, 4, 5, 15, 16, 17, 33]) {
      const nodes = Buffer.from(rng.bytes(2 * size * pairs));
      const expected = each(algorithm, nodes, 2 * size);
      const made = hashPairs(algorithm, nodes);
      assert.ok(Buffer.isBuffer(made));
      assert.deepEqual(made, expected, `${algorithm}, ${pairs}`);
      const target = Buffer.alloc(size * pairs + 1, 0xa5);
      assert.equal(hashPairs(algorithm, nodes, target), size * pairs);
      assert.deepEqual(target.subarray(0, -1), expected, `${algorithm}, ${pairs}`);
      assert.equal(target.at(-1), 0xa5);
    }
  }
});

onEngines('a target that overlaps the nodes in any way', () => {
  for (const pairs of [1, 3, 4, 5, 16, 17, 40]) {
    const nodes = Buffer.from(rng.bytes(64 * pairs));
    const expected = each('sha256', nodes, 64);
    for (const offset of [0, 1, 32, 64, 32 * pairs - 1, 32 * pairs]) {
      const memory = Buffer.alloc(64 * pairs + 64);
      nodes.copy(memory);
      const target = memory.subarray(offset, offset + 32 * pairs);
      assert.equal(hashPairs('sha256', memory.subarray(0, 64 * pairs), target), 32 * pairs);
      assert.deepEqual(target, expected, `${pairs} at ${offset}`);
    }
    // Nodes behind the target.
    const memory = Buffer.concat([Buffer.alloc(16), nodes]);
    hashPairs('sha256', memory.subarray(16), memory);
    assert.deepEqual(memory.subarray(0, 32 * pairs), expected, `${pairs} in front`);
  }
});

onEngines('a Merkle tree in place', () => {
  const leaves = Buffer.from(rng.bytes(32 * 64));
  let expected = leaves;
  while (expected.length > 32) expected = each('sha256', expected, 64);
  let level = Buffer.from(leaves);
  while (level.length > 32) level = level.subarray(0, hashPairs('sha256', level, level));
  assert.deepEqual(level, expected);
});

onEngines('any kind of memory', () => {
  const nodes = Buffer.from(rng.bytes(128));
  const expected = each('sha256', nodes, 64);
  const shared = new Uint8Array(new SharedArrayBuffer(128));
  shared.set(nodes);
  const buffer = new Uint8Array(nodes).buffer;
  const views = [new DataView(buffer), new Float64Array(buffer)];
  for (const source of [shared, shared.buffer, buffer, ...views])
    assert.deepEqual(hashPairs('sha256', source), expected);
  const target = new ArrayBuffer(64);
  assert.equal(hashPairs('sha256', nodes, target), 64);
  assert.deepEqual(Buffer.from(target), expected);
});

onEngines('wrong arguments are errors with codes that name the argument', () => {
  const detached = new Uint8Array(64);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  const refused = [
    [['sha257', Buffer.alloc(64)], 'ERR_UNKNOWN_ALGORITHM', /sha257/],
    [[undefined, Buffer.alloc(64)], 'ERR_ARGUMENT_TYPE', /algorithm/],
    [['sha256'], 'ERR_ARGUMENT_TYPE', /nodes/],
    [['sha256', 'text'], 'ERR_ARGUMENT_TYPE', /nodes/],
    [['sha256', Buffer.alloc(63)], 'ERR_ARGUMENT_VALUE', /nodes must be .* pairs of 64 bytes.* 63/],
    [['sha256', Buffer.alloc(32)], 'ERR_ARGUMENT_VALUE', /nodes/],
    [['sha256', detached], 'ERR_DETACHED', /nodes/],
    [['sha256', Buffer.alloc(64), Buffer.alloc(31)], 'ERR_ARGUMENT_VALUE', /target/],
    [['sha256', Buffer.alloc(64), 'hex'], 'ERR_ARGUMENT_TYPE', /target/],
    [['sha256', Buffer.alloc(64), null], 'ERR_ARGUMENT_TYPE', /target/],
    [['sha256', Buffer.alloc(64), detached], 'ERR_DETACHED', /target/],
    ...tuples.map((name) => [[name, Buffer.alloc(128)], 'ERR_ARGUMENT_VALUE', /hashMany/]),
    ...macs.map((name) => [[name, Buffer.alloc(256)], 'ERR_MISSING_ARGUMENT', /key/]),
  ];
  for (const [args, code, message] of refused)
    expectError(
      thrown(() => hashPairs(...args)),
      code,
      message,
      show(args),
    );
});
