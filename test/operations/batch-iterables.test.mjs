// hashMany and hmacMany over iterables and async iterables: the digests of the messages as they
// were given out, closed iterators, aborts, and no user code within a request.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { promisify } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';

const numbers = random('batch iterables');
const key = Buffer.alloc(40, 5);
// Several batches: of 4,096 messages and of a mebibyte.
const messages = Array.from({ length: 10_000 }, (_, index) =>
  index % 10 === 0 ? `text ${index} äöü` : numbers.bytes(index % 300),
);
messages.splice(5000, 0, numbers.bytes(3_000_000), numbers.bytes(0), numbers.bytes(2_000_000));

const ways = (method) => ({
  sync: async (...given) => millrace[method](...given),
  callback: promisify(millrace[method]),
  promise: promises[method],
});

/** Gives all messages out in the same memory. */
function* reusing() {
  const place = Buffer.alloc(3_000_000);
  for (const message of messages)
    if (typeof message === 'string') yield message;
    else {
      message.copy(place);
      yield place.subarray(0, message.length);
      place.fill(255, 0, message.length);
    }
}

async function* later() {
  for (const message of reusing()) {
    if (numbers.below(500) === 0) await new Promise(setImmediate);
    yield message;
  }
}

for (const way of ['sync', 'callback', 'promise'])
  for (const engine of ['native', 'portable'])
    test(`${way}, ${engine}: an iterable that reuses its memory, in every form`, async () => {
      const hashMany = ways('hashMany')[way];
      const hmacMany = ways('hmacMany')[way];
      const digests = millrace.hashMany('sha256', messages);
      assert.deepEqual(await hashMany('sha256', reusing(), { engine }), digests);
      for (const encoding of ['hex', '0xhex', 'buffer', 'bigint']) {
        const options = { engine, encoding, seed: 5 };
        const expected = millrace.hashMany('xxh3-64', messages, { encoding, seed: 5 });
        assert.deepEqual(await hashMany('xxh3-64', reusing(), options), expected);
      }
      const macs = millrace.hmacMany('sha256', key, messages);
      assert.deepEqual(await hmacMany('sha256', key, reusing(), { engine }), macs);
      const hex = { engine, encoding: 'hex' };
      const texts = millrace.hmacMany('sha256', 'text', messages, 'hex');
      assert.deepEqual(await hmacMany('sha256', 'text', new Set(messages), hex), texts);
      assert.deepEqual(await hashMany('sha256', new Set(), { engine }), Buffer.alloc(0));
      assert.deepEqual(await hashMany('sha256', new Set(), hex), []);
      const tuples = [['a', 'bc'], ['ab', 'c'], []];
      const both = [new Set(tuples), tuples].map((each) =>
        hashMany('tuplehash128', each, { engine }),
      );
      assert.deepEqual(await both[0], await both[1]);
    });

for (const [way, hashMany] of Object.entries(ways('hashMany'))) {
  test(`${way}: an iterable that gives out what is no message is refused`, async () => {
    const named = { code: 'ERR_ARGUMENT_TYPE', message: /^sources\[1\]/ };
    await assert.rejects(async () => hashMany('sha256', new Set(['a', 5])), named);
    await assert.rejects(async () => hashMany('sha256', { [Symbol.iterator]: () => 5 }), TypeError);
  });

  test(`${way}: an iterator's exception is the call's, and a wrong message closes it`, async () => {
    const reason = new Error('of the iterator');
    const failing = function* () {
      yield* messages;
      throw reason;
    };
    const hashing = async () => hashMany('sha256', failing());
    await assert.rejects(hashing, (error) => error === reason);
    let closed = 0;
    const wrong = function* () {
      try {
        yield 'a';
        yield {};
        assert.fail('asked for more');
      } finally {
        closed += 1;
      }
    };
    await assert.rejects(async () => hashMany('sha256', wrong()), { code: 'ERR_ARGUMENT_TYPE' });
    assert.equal(closed, 1);
  });

  test(`${way}: an iterator that calls the library`, async () => {
    const calling = function* () {
      for (const message of messages.slice(0, 50)) {
        millrace.hmac('md5', key, 'another');
        assert.throws(() => millrace.hash('sha256', 5), { code: 'ERR_ARGUMENT_TYPE' });
        yield message;
      }
    };
    const options = { key: key.subarray(0, 32) };
    const expected = millrace.hashMany('blake3', messages.slice(0, 50), options);
    assert.deepEqual(await hashMany('blake3', calling(), options), expected);
  });
}

test('an async iterable, which only a promise can wait for', async () => {
  const nonempty = messages.filter((each) => each.length > 0);
  for (const [sources, given] of [
    [later, messages],
    [() => Readable.from(nonempty), nonempty],
  ]) {
    const digests = millrace.hashMany('sha256', given);
    assert.deepEqual(await promises.hashMany('sha256', sources()), digests);
    const macs = millrace.hmacMany('sha256', key, given, 'hex');
    const native = { engine: 'native' };
    assert.deepEqual(await promises.hmacMany('sha256', key, sources(), 'hex', native), macs);
  }
  const message = /millrace\/promises takes one/;
  const refused = { code: 'ERR_ARGUMENT_TYPE', message };
  assert.throws(() => millrace.hashMany('sha256', later()), refused);
  assert.throws(() => millrace.hashMany('sha256', later(), assert.fail), refused);
});

test('options are checked before the iterator runs; the key is copied at the call', async () => {
  const never = { [Symbol.asyncIterator]: () => assert.fail('it ran') };
  for (const [code, algorithm, ...given] of [
    ['ERR_UNKNOWN_ALGORITHM', 'sha257'],
    ['ERR_ARGUMENT_VALUE', 'sha256', { encodin: 'hex' }],
    ['ERR_ARGUMENT_VALUE', 'sha256', { target: Buffer.alloc(64) }],
    ['ERR_ARGUMENT_TYPE', 'sha256', 'hex', { signal: 5 }],
    ['ERR_KEY_SIZE', 'blake3', { key: Buffer.alloc(5) }],
  ])
    await assert.rejects(promises.hashMany(algorithm, never, ...given), { code });
  await assert.rejects(promises.hmacMany('sha256', 5, never), { code: 'ERR_ARGUMENT_TYPE' });
  const changing = Buffer.from(key);
  const sources = function* () {
    for (const message of messages) {
      changing.fill(0);
      yield message;
    }
  };
  const expected = millrace.hmacMany('sha256', key, messages);
  assert.deepEqual(await promises.hmacMany('sha256', changing, sources()), expected);
});

test('an abort closes the iterator, also while it waits', async () => {
  const reason = new Error('enough');
  const same = (error) => error === reason;
  for (const wait of [0, 9000]) {
    const controller = new AbortController();
    const { signal } = controller;
    let closed = 0;
    let count = 0;
    const next = () => {
      if (count++ < wait) return Promise.resolve({ done: false, value: 'message' });
      setImmediate(() => controller.abort(reason));
      return new Promise(() => {});
    };
    const close = async () => ({ done: true, value: (closed += 1) });
    const sources = { [Symbol.asyncIterator]: () => ({ next, return: close }) };
    await assert.rejects(promises.hashMany('sha256', sources, { signal }), same);
    assert.equal(closed, 1);
  }
  const aborted = { signal: AbortSignal.abort(reason) };
  await assert.rejects(promises.hashMany('sha256', later(), aborted), same);
  const controller = new AbortController();
  const aborting = function* () {
    yield* messages;
    controller.abort(reason);
    yield* messages;
  };
  const { signal } = controller;
  await assert.rejects(promises.hashMany('sha256', aborting(), { signal }), same);
});

test('memory stays bounded: messages of 300 MiB in all', async () => {
  const message = Buffer.alloc(1024 * 1024, 1);
  let most = 0;
  const sources = function* () {
    for (let index = 0; index < 300; index++) {
      if (index % 64 === 0) most = Math.max(most, process.memoryUsage().external);
      yield message;
    }
  };
  const before = process.memoryUsage().external;
  const digests = await promises.hashMany('xxh3-64', sources());
  assert.equal(digests.length, 300 * 8);
  assert.deepEqual(digests.subarray(0, 8), millrace.hash('xxh3-64', message));
  assert.ok(most - before < 200 * 2 ** 20, `${most - before} bytes`);
});
