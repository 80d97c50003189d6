// Batches: arrays and elements of unusual kinds, targets over sources, what is copied and what is
// lent, signals. test/request/refusals.test.mjs has wrong types and numbers.

import assert from 'node:assert/strict';
import { constants } from 'node:buffer';
import { createHook } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';
import { refuses, show } from '../support/refusals.mjs';

const { createKey, hash, hashMany, hmac, hmacMany } = millrace;
const bytes = random('batch arguments').bytes(30_000);
const single = (sources) => Buffer.concat(sources.map((each) => hash('sha256', each)));
const [TYPE, VALUE] = ['ERR_ARGUMENT_TYPE', 'ERR_ARGUMENT_VALUE'];

/** Runs in each entry point; a wrong argument rejects, too, where the function throws. */
const everywhere = [
  async (name, ...given) => millrace[name](...given),
  (name, ...given) => promises[name](...given),
];

const callback = async (name, ...given) => promisify(millrace[name])(...given);

function detach(view) {
  structuredClone(view.buffer, { transfer: [view.buffer] });
}

/** Returns a buffer with memory that can be taken away: that of Node's pool cannot. */
const apart = (size, fill = 1) => Buffer.from(new ArrayBuffer(size)).fill(fill);

/** Returns memory of each kind that a batch may read or write. */
function kindsOfMemory(size) {
  const resizable = new ArrayBuffer(size, { maxByteLength: 200 });
  return [
    new ArrayBuffer(size),
    new DataView(new ArrayBuffer(size)),
    new Float64Array(size / 8),
    new SharedArrayBuffer(size),
    resizable,
    new Uint8Array(resizable),
    Buffer.alloc(size),
  ];
}

test('errors name the index of an element that is not bytes or text', async () => {
  for (const value of [undefined, 1n, [], new Proxy(Buffer.alloc(3), {})]) {
    for (const index of [0, 1, 17, 1500]) {
      const sources = Array(index + 3).fill('text');
      sources[index] = value;
      const names = new RegExp(`sources\\[${index}\\]`);
      await refuses('hashMany', ['sha256', sources], TYPE, names);
      await refuses('hmacMany', ['sha256', 'key', sources], TYPE, names);
    }
  }
});

test('sparse arrays, subclasses, proxies and arrays of another realm are taken', async () => {
  await refuses('hashMany', ['sha256', ['a', , 'c']], TYPE, /sources\[1\]/);
  await refuses('hashMany', ['sha256', new Array(5)], TYPE, /sources\[0\]/);
  class Mine extends Array {
    static get [Symbol.species]() {
      return assert.fail('asked');
    }
    get [Symbol.iterator]() {
      return assert.fail('asked');
    }
  }
  for (const sources of [
    Object.setPrototypeOf(['a', 'b'], Mine.prototype),
    new Proxy(['a', 'b'], {}),
    runInNewContext("['a', 'b']"),
    Object.freeze(['a', 'b']),
    Object.setPrototypeOf(['a', 'b'], null),
    Object.assign(['a', 'b'], { data: 5, size: 5 }),
  ])
    for (const run of everywhere)
      assert.deepEqual(await run('hashMany', 'sha256', sources), single(['a', 'b']));
  // An array with the element in its prototype.
  const inherited = Object.setPrototypeOf(['a', , 'c'], { 1: 'b' });
  assert.deepEqual(hashMany('sha256', inherited), single(['a', 'b', 'c']));
});

test('lengths that lie: an error with a code, and no crash', () => {
  for (const length of [-1, 1.5, NaN, '3', 2 ** 32, Infinity, null, {}]) {
    const get = (target, name) => (name === 'length' ? length : target[name]);
    const liar = new Proxy(['a', 'b'], { get });
    const what = `length ${show(length)}`;
    assert.throws(() => hashMany('sha256', liar), millrace.MillraceError, what);
  }
});

test('packed sources are a whole number of messages in any kind of memory', async () => {
  for (const size of [3, 5, 7, 9, 2 ** 40])
    await refuses('hashMany', ['sha256', { data: Buffer.alloc(8), size }], VALUE, /whole number/);
  const expected = single([Buffer.alloc(4), Buffer.alloc(4)]);
  for (const run of everywhere) {
    const none = { data: Buffer.alloc(0), size: 4 };
    assert.deepEqual(await run('hashMany', 'sha256', none), Buffer.alloc(0));
    for (const data of kindsOfMemory(8)) {
      const { name } = data.constructor;
      assert.deepEqual(await run('hashMany', 'sha256', { data, size: 4 }), expected, name);
      const target = Buffer.alloc(64);
      assert.equal(await run('hashMany', 'sha256', { data, size: 4 }, { target }), 64);
      assert.deepEqual(target, expected, name);
    }
    // Getters are read once; data may vanish in the one for size.
    const data = apart(8);
    const reads = [];
    const reading = (act) => ({
      get data() {
        reads.push('data');
        return data;
      },
      get size() {
        reads.push('size');
        act();
        return 4;
      },
    });
    const halves = single([data.subarray(0, 4), data.subarray(4)]);
    const intact = reading(() => {});
    assert.deepEqual(await run('hashMany', 'sha256', intact), halves);
    assert.deepEqual(reads.sort(), ['data', 'size']);
    const vanishing = reading(() => detach(data));
    await assert.rejects(run('hashMany', 'sha256', vanishing), { code: 'ERR_DETACHED' });
  }
});

test('targets that are too small and options that do not go together are refused', async () => {
  for (const [count, size, targetOffset] of [
    [1, 31, 0],
    [2, 63, 0],
    [2, 64, 1],
    [0, 5, 6],
    [1, 0, 0],
    [1, 64, 2 ** 50],
  ]) {
    const sources = Array(count).fill('a');
    const options = { target: Buffer.alloc(size), targetOffset };
    await refuses('hashMany', ['sha256', sources, options], VALUE, /target/);
    await refuses('hmacMany', ['sha256', 'key', sources, options], VALUE, /target/);
  }
  for (const [algorithm, options, code, names] of [
    ['sha256', { target: Buffer.alloc(64), encoding: 'hex' }, VALUE, /exclude/],
    ['sha256', 'latin1', VALUE, /encoding/],
    ['shake128', { outputLength: 0 }, 'ERR_OUTPUT_SIZE', /outputLength/],
    ['blake3', { key: Buffer.alloc(31) }, 'ERR_KEY_SIZE', /key/],
  ])
    await refuses('hashMany', [algorithm, ['a'], options], code, names);
  // More than any Buffer holds, as long as that can be had: newer Nodes allow Buffers larger than
  // memory.
  const tooMany = Array(Math.floor(constants.MAX_LENGTH / 2 ** 30) + 1).fill('a');
  const most = { outputLength: 2 ** 30 };
  if (tooMany.length < 1000)
    await refuses('hashMany', ['shake128', tooMany, most], 'ERR_OUTPUT_SIZE', /fit/);
  await refuses('hmacMany', ['xxh64', 'key', ['a']], VALUE, /HMAC/i);
});

test('a target may be any kind of memory', async () => {
  for (const run of everywhere)
    for (const target of kindsOfMemory(80)) {
      const options = { target, targetOffset: 16 };
      assert.equal(await run('hashMany', 'sha256', ['a', 'b'], options), 64);
      const written = Buffer.from(target.buffer ?? target, target.byteOffset ?? 0, 80).subarray(16);
      assert.deepEqual(written, single(['a', 'b']), target.constructor.name);
    }
});

test('a target may overlap the sources anywhere', () => {
  const rng = random('overlap');
  for (let round = 0; round < 60; round++) {
    const memory = Buffer.from(bytes.subarray(0, 20_000));
    const sources = Array.from({ length: rng.between(1, 80) }, () => {
      const size = rng.pick([0, 10, 64, 200, 1024, 1025, 5000]);
      const from = rng.below(memory.length - size);
      return memory.subarray(from, from + size);
    });
    const expected = single(sources);
    const targetOffset = rng.below(memory.length - expected.length);
    const wanted = Buffer.from(memory);
    expected.copy(wanted, targetOffset);
    assert.equal(hashMany('sha256', sources, { target: memory, targetOffset }), expected.length);
    assert.ok(memory.equals(wanted));
  }
  for (const size of [32, 64, 1000]) {
    const memory = Buffer.from(bytes.subarray(0, size * 25));
    const expected = single(
      Array.from({ length: 25 }, (_, index) => bytes.subarray(index * size, (index + 1) * size)),
    );
    const targetOffset = memory.length - expected.length;
    hashMany('sha256', { data: memory, size }, { target: memory, targetOffset });
    assert.deepEqual(memory.subarray(targetOffset), expected, `packed, ${size}`);
  }
});

// getters

/** Returns an array with a getter that does something first as the element at `index`. */
function trapped(elements, index, act) {
  const sources = [...elements];
  Object.defineProperty(sources, index, {
    enumerable: true,
    get: () => (act(sources), elements[index]),
  });
  return sources;
}

test('getters on elements are read once, in order', async () => {
  const texts = Array.from({ length: 30 }, (_, index) => `message ${index}`);
  const macs = texts.map((each) => hmac('sha256', 'key', each));
  for (const [expected, ...before] of [
    [single(texts), 'hashMany', 'sha256'],
    [Buffer.concat(macs), 'hmacMany', 'sha256', 'key'],
  ])
    for (const run of everywhere) {
      const reads = [];
      const sources = [];
      for (const [index, text] of texts.entries())
        Object.defineProperty(sources, index, {
          enumerable: true,
          get: () => (reads.push(text), text),
        });
      assert.deepEqual(await run(...before, sources), expected);
      assert.deepEqual(reads, texts);
    }
});

test('memory that a getter transfers is refused', async () => {
  for (const size of [10, 1024, 1025, 60_000])
    for (const run of everywhere)
      for (const target of [undefined, Buffer.alloc(128)]) {
        const elements = [apart(size), apart(size), apart(size), 'last'];
        for (const index of [0, 2]) {
          const sources = trapped(elements, 1, () => detach(elements[index]));
          const message = new RegExp(`sources\\[[0${index}]\\]`);
          const error = { code: 'ERR_DETACHED', message };
          await assert.rejects(run('hashMany', 'sha256', sources, { target }), error, `${size}`);
        }
        assert.ok(!target?.some((byte) => byte !== 0));
      }
});

test('getters may shrink and grow memory', async () => {
  for (const size of [500, 5000, 50_000])
    for (const run of everywhere) {
      const memory = new ArrayBuffer(size, { maxByteLength: 100_000 });
      const views = [new Uint8Array(memory), new Uint8Array(memory, 10, size - 10)];
      const elements = [...views, 'b', new Uint8Array(memory)];
      const resizing = (size) => trapped(elements, 2, () => memory.resize(size));
      // Of the second one nothing is left.
      const error = { code: 'ERR_DETACHED', message: /sources\[1\]/ };
      await assert.rejects(run('hashMany', 'sha256', resizing(7)), error);
      const large = Buffer.alloc(90_000);
      const expected = single([large, Buffer.alloc(size - 10), 'b', large]);
      assert.deepEqual(await run('hashMany', 'sha256', resizing(90_000)), expected);
    }
});

test('getters may change the array, the target and the key', async () => {
  const more = trapped(['a', 'b', 'c'], 1, (sources) => sources.push('d'));
  assert.deepEqual(hashMany('sha256', more), single(['a', 'b', 'c']));
  for (const run of [...everywhere, callback]) {
    const refused = (code, act, algorithm, options) => {
      const sources = trapped(['a', 'b', 'c'], 0, act);
      return assert.rejects(run('hashMany', algorithm, sources, options), { code });
    };
    const shorten = (sources) => void (sources.length = 1);
    await refused(TYPE, shorten, 'sha256', {});
    // A target that is gone is too small.
    const target = apart(96);
    await refused(VALUE, () => detach(target), 'sha256', { target });
    const shrinking = new ArrayBuffer(96, { maxByteLength: 96 });
    await refused(VALUE, () => shrinking.resize(95), 'sha256', { target: shrinking });
    // A key that is gone must not turn a keyed hash into one without.
    const gone = apart(32);
    await refused('ERR_DETACHED', () => detach(gone), 'blake3', { key: gone });
    const key = createKey('blake3', apart(32));
    await refused('ERR_KEY_DISPOSED', () => key.dispose(), 'blake3', { key });
    const mac = createKey('hmac-sha256', 'key');
    const disposing = trapped(['a', 'b'], 0, () => mac.dispose());
    await assert.rejects(run('hmacMany', 'sha256', mac, disposing), { code: 'ERR_KEY_DISPOSED' });
    // The options' own getters.
    const own = apart(32);
    const options = {
      key: own,
      get target() {
        detach(own);
        return Buffer.alloc(32);
      },
    };
    await assert.rejects(run('hashMany', 'blake3', ['a'], options), { code: 'ERR_DETACHED' });
  }
});

test('getters may use the library', async () => {
  const sources = ['first', 'second'.repeat(300), 'third'];
  const act = () => {
    hashMany('sha512', ['inner', 'messages'.repeat(500)]);
    millrace.createHash('sha256').update('inner').digest();
    hmacMany('md5', 'inner', ['x']);
  };
  for (const index of [0, 1, 2])
    assert.deepEqual(hashMany('sha256', trapped(sources, index, act)), single(sources));
  const failing = trapped(sources, 1, () => assert.fail('mine'));
  assert.throws(() => hashMany('sha256', failing), { message: 'mine' });
  const hook = createHook({ init: act }).enable();
  const calls = [[], ['hex']].map((rest) => promises.hashMany('sha256', sources, ...rest));
  hook.disable();
  const [whole, hex] = await Promise.all(calls);
  assert.deepEqual(whole, single(sources));
  assert.deepEqual(hex, hashMany('sha256', sources, 'hex'));
});

// asynchronous

test('without a target everything is copied at the call', async () => {
  for (const size of [10, 1000, 40_000]) {
    const sources = Array.from({ length: 100 }, (_, index) => apart(size, index));
    const expected = single(sources);
    const key = Buffer.from('the key');
    const macs = hmacMany('sha256', key, sources);
    const packed = Buffer.concat(sources);
    const flying = [
      promises.hashMany('sha256', sources),
      promises.hashMany('sha256', { data: packed, size }),
      callback('hashMany', 'sha256', sources),
      promises.hashMany('sha256', sources, 'buffer').then((each) => Buffer.concat(each)),
    ];
    const mac = promises.hmacMany('sha256', key, sources);
    for (const each of sources) each.fill(0xee);
    for (const each of sources.slice(0, 50)) detach(each);
    packed.fill(0xee);
    key.fill(0xee);
    sources.length = 3;
    for (const each of flying) assert.ok((await each).equals(expected), `${size} bytes`);
    assert.ok((await mac).equals(macs), `hmacMany, ${size} bytes`);
  }
});

test('a target is written when the call settles, not before', async () => {
  const sources = Array.from({ length: 500 }, (_, index) => bytes.subarray(index, index + 5000));
  const target = Buffer.alloc(500 * 32, 7);
  const promise = promises.hashMany('sha256', sources, { target });
  assert.ok(target.every((byte) => byte === 7));
  assert.equal(await promise, target.length);
  assert.deepEqual(target, single(sources));
});

test('lent memory that is taken away: an error or digests, and no crash', async () => {
  for (let round = 0; round < 20; round++) {
    const target = apart(200 * 32);
    const sources = Array.from({ length: 200 }, () => apart(3000));
    const data = apart(200 * 3000);
    const given = round % 2 ? sources : { data, size: 3000 };
    const promise = promises.hashMany('sha256', given, { target });
    if (round % 3 === 0) detach(target);
    for (const each of [...sources, data]) detach(each);
    await promise.then(
      (written) => assert.equal(written, target.length),
      (error) => assert.equal(error.code, VALUE),
    );
  }
});

test('a key may be disposed right after the call', async () => {
  const key = createKey('hmac-sha256', 'key');
  const sources = Array(300).fill(bytes.subarray(0, 4000));
  const promise = promises.hmacMany('sha256', key, sources);
  key.dispose();
  assert.deepEqual(
    await promise,
    Buffer.concat(sources.map((each) => hmac('sha256', 'key', each))),
  );
});

test('many batches run at once, with other work', async () => {
  const rng = random('batches at once');
  const flying = Array.from({ length: 60 }, async () => {
    const count = rng.below(400);
    const sources = Array.from({ length: count }, () => bytes.subarray(0, rng.below(2000)));
    assert.ok((await promises.hashMany('sha256', sources)).equals(single(sources)));
  });
  const others = Array.from({ length: 60 }, () => promises.hash('sha256', bytes));
  await Promise.all([...flying, ...others]);
});

test('callbacks come later, once', async () => {
  for (const sources of [[], ['a'], Array(5000).fill('text'), Array(50).fill(bytes)]) {
    const seen = [];
    await new Promise((resolve) => {
      hashMany('sha256', sources, (...given) => {
        seen.push('callback', given.length, given[0]);
        resolve();
      });
      seen.push('returned');
    });
    await turn();
    assert.deepEqual(seen, ['returned', 'callback', 2, null]);
  }
});

test('a signal aborts a batch', async () => {
  const sources = Array(200).fill(bytes.subarray(0, 3000));
  for (const given of [[sources], [sources, 'hex'], [{ data: bytes, size: 100 }], [[]]]) {
    const aborted = { signal: AbortSignal.abort(new Error('before')) };
    await assert.rejects(promises.hashMany('sha256', ...given, aborted), { message: 'before' });
    const { signal } = new AbortController();
    assert.ok((await promises.hashMany('sha256', ...given, { signal })).length >= 0);
  }
  // At any moment: it is done, or it is aborted, and the target is whole or untouched.
  for (let round = 0; round < 30; round++) {
    const controller = new AbortController();
    const target = Buffer.alloc(sources.length * 32);
    const promise = promises.hashMany('sha256', sources, { target, signal: controller.signal });
    if (round % 3) for (let count = round; count > 0; count -= 5) await turn();
    controller.abort(new Error('enough'));
    const outcome = await promise.catch((error) => error.message);
    if (outcome === 'enough') assert.ok(target.every((byte) => byte === 0));
    else assert.ok(outcome === target.length && target.equals(single(sources)));
  }
});
