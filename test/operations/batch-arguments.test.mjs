// Batches: what is refused and how, arrays and elements of unusual kinds, targets over sources,
// what is copied and what is lent, signals.

import assert from 'node:assert/strict';
import { constants } from 'node:buffer';
import { createHook } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';
import { expectError, refuses, show, thrown } from '../support/refusals.mjs';

const { createKey, hash, hashMany, hmac, hmacMany } = millrace;
const { bytes } = ((rng) => ({ bytes: rng.bytes(30_000) }))(random('batch arguments'));
const single = (sources) => Buffer.concat(sources.map((each) => hash('sha256', each)));

function detach(view) {
  structuredClone(view.buffer, { transfer: [view.buffer] });
}

/** Returns a buffer with memory that can be taken away: that of Node's pool cannot. */
const apart = (size, fill = 1) => Buffer.from(new ArrayBuffer(size)).fill(fill);

test('sources that are not messages are refused', async () => {
  for (const value of [
    undefined,
    null,
    5,
    'text',
    true,
    Buffer.alloc(4),
    new ArrayBuffer(4),
    {},
    new Map([['a', 'b']]),
    { length: 1, 0: 'a' },
    new Set([5]),
    { data: Buffer.alloc(4) },
    { size: 4 },
  ]) {
    await refuses('hashMany', ['sha256', value], 'ERR_ARGUMENT_TYPE', /sources/);
    await refuses('hmacMany', ['sha256', 'key', value], 'ERR_ARGUMENT_TYPE', /sources/);
  }
  await refuses('hashMany', ['sha256'], 'ERR_MISSING_ARGUMENT', /sources/);
  await refuses('hmacMany', ['sha256', 'key'], 'ERR_MISSING_ARGUMENT', /sources/);
  await refuses('hashMany', [], 'ERR_MISSING_ARGUMENT', /algorithm/);
});

test('errors name the index of an element that is not bytes or text', async () => {
  for (const value of [
    undefined,
    null,
    0,
    true,
    1n,
    {},
    [],
    [1],
    Object.create(Uint8Array.prototype),
    new Proxy(Buffer.alloc(3), {}),
    new String('text'),
  ]) {
    for (const index of [0, 1, 17, 1500]) {
      const sources = Array.from({ length: index + 3 }, (_, each) =>
        each === index ? value : 'text',
      );
      for (const [method, before] of [
        ['hashMany', ['sha256']],
        ['hmacMany', ['sha256', 'key']],
      ]) {
        const error = thrown(() => millrace[method](...before, sources), show(value));
        expectError(error, 'ERR_ARGUMENT_TYPE', new RegExp(`sources\\[${index}\\]`), show(value));
        await assert.rejects(promises[method](...before, sources), {
          code: error.code,
          message: error.message,
        });
        assert.throws(() => millrace[method](...before, sources, () => assert.fail('called')), {
          message: error.message,
        });
      }
    }
  }
  await turn();
});

test('sparse arrays, subclasses, proxies and arrays of another realm are taken', async () => {
  const sparse = ['a', , 'c'];
  await refuses('hashMany', ['sha256', sparse], 'ERR_ARGUMENT_TYPE', /sources\[1\]/);
  await refuses('hashMany', ['sha256', new Array(5)], 'ERR_ARGUMENT_TYPE', /sources\[0\]/);
  class Mine extends Array {
    static get [Symbol.species]() {
      throw new Error('asked');
    }
    get [Symbol.iterator]() {
      throw new Error('asked');
    }
  }
  const { runInNewContext } = await import('node:vm');
  const others = [
    Object.setPrototypeOf(['a', 'b'], Mine.prototype),
    new Proxy(['a', 'b'], {}),
    runInNewContext("['a', 'b']"),
    Object.freeze(['a', 'b']),
    Object.setPrototypeOf(['a', 'b'], null),
    Object.assign(['a', 'b'], { data: 5, size: 5 }),
  ];
  for (const sources of others)
    for (const entryPoint of [millrace, promises])
      assert.deepEqual(await entryPoint.hashMany('sha256', sources), single(['a', 'b']));
  // An array with the element in its prototype.
  const inherited = Object.setPrototypeOf(['a', , 'c'], { 1: 'b' });
  assert.deepEqual(hashMany('sha256', inherited), single(['a', 'b', 'c']));
});

test('lengths that lie: an error with a code, and no crash', () => {
  for (const length of [-1, 1.5, NaN, '3', 2 ** 32, Infinity, null, {}]) {
    const liar = new Proxy(['a', 'b'], {
      get: (target, name) => (name === 'length' ? length : target[name]),
    });
    assert.throws(
      () => hashMany('sha256', liar),
      (error) =>
        typeof error.code === 'string' &&
        error.code.startsWith('ERR_') &&
        error instanceof millrace.MillraceError,
      `length ${show(length)}`,
    );
  }
});

test('wrong values of the packed form are refused', async () => {
  for (const data of [undefined, null, 5, 'text', [], {}])
    await refuses('hashMany', ['sha256', { data, size: 4 }], 'ERR_ARGUMENT_TYPE', /sources\.data/);
  for (const size of [undefined, null, '4', 4n, {}])
    await refuses(
      'hashMany',
      ['sha256', { data: Buffer.alloc(8), size }],
      'ERR_ARGUMENT_TYPE',
      /sources\.size/,
    );
  for (const size of [0, -4, 0.5, NaN, Infinity, 2 ** 53])
    await refuses(
      'hashMany',
      ['sha256', { data: Buffer.alloc(8), size }],
      'ERR_ARGUMENT_VALUE',
      /sources\.size/,
    );
  for (const size of [3, 5, 7, 9, 2 ** 40])
    await refuses(
      'hashMany',
      ['sha256', { data: Buffer.alloc(8), size }],
      'ERR_ARGUMENT_VALUE',
      /whole number/,
    );
  const gone = apart(8);
  detach(gone);
  for (const entryPoint of [millrace, promises]) {
    assert.deepEqual(
      await entryPoint.hashMany('sha256', { data: Buffer.alloc(0), size: 4 }),
      Buffer.alloc(0),
    );
    await assert.rejects(async () => entryPoint.hashMany('sha256', { data: gone, size: 4 }), {
      code: 'ERR_DETACHED',
    });
    const shared = new SharedArrayBuffer(8);
    const resizable = new ArrayBuffer(8, { maxByteLength: 80 });
    for (const data of [
      new ArrayBuffer(8),
      new DataView(new ArrayBuffer(8)),
      new Float64Array(1),
      shared,
      resizable,
      new Uint8Array(resizable),
    ]) {
      assert.deepEqual(
        await entryPoint.hashMany('sha256', { data, size: 4 }),
        single([Buffer.alloc(4), Buffer.alloc(4)]),
        data.constructor.name,
      );
      const target = Buffer.alloc(64);
      assert.equal(await entryPoint.hashMany('sha256', { data, size: 4 }, { target }), 64);
      assert.deepEqual(target, single([Buffer.alloc(4), Buffer.alloc(4)]), data.constructor.name);
    }
    // Getters are read once; data may vanish in the one for size.
    let reads = 0;
    const data = apart(8);
    const sources = {
      get data() {
        reads++;
        return data;
      },
      get size() {
        reads++;
        return 4;
      },
    };
    assert.deepEqual(
      await entryPoint.hashMany('sha256', sources),
      single([data.subarray(0, 4), data.subarray(4)]),
    );
    assert.equal(reads, 2);
    const vanishing = {
      data,
      get size() {
        detach(data);
        return 4;
      },
    };
    await assert.rejects(async () => entryPoint.hashMany('sha256', vanishing), {
      code: 'ERR_DETACHED',
    });
  }
});

test('wrong options and targets are refused', async () => {
  for (const options of [null, 5, true, Buffer.alloc(3)])
    await assert.rejects(async () => hashMany('sha256', ['a'], options), {
      code: 'ERR_ARGUMENT_TYPE',
    });
  await refuses('hashMany', ['sha256', ['a'], 'latin1'], 'ERR_ARGUMENT_VALUE', /encoding/);
  await refuses('hashMany', ['sha256', ['a'], { encoding: 5 }], 'ERR_ARGUMENT_TYPE', /encoding/);
  await refuses('hashMany', ['sha256', ['a'], { target: 'text' }], 'ERR_ARGUMENT_TYPE', /target/);
  await refuses(
    'hashMany',
    ['sha256', ['a'], { target: Buffer.alloc(64), encoding: 'hex' }],
    'ERR_ARGUMENT_VALUE',
    /exclude/,
  );
  await refuses(
    'hashMany',
    ['sha256', ['a'], { targetOffset: 4 }],
    'ERR_MISSING_ARGUMENT',
    /target/,
  );
  for (const targetOffset of ['0', null, {}])
    await refuses(
      'hashMany',
      ['sha256', ['a'], { target: Buffer.alloc(64), targetOffset }],
      'ERR_ARGUMENT_TYPE',
      /targetOffset/,
    );
  for (const [count, size, targetOffset] of [
    [1, 31, 0],
    [2, 63, 0],
    [2, 64, 1],
    [0, 5, 6],
    [1, 0, 0],
    [1, 64, -1],
    [1, 64, 0.5],
    [1, 64, 2 ** 50],
  ]) {
    await refuses(
      'hashMany',
      ['sha256', Array(count).fill('a'), { target: Buffer.alloc(size), targetOffset }],
      'ERR_ARGUMENT_VALUE',
      /target/,
    );
    await refuses(
      'hmacMany',
      ['sha256', 'key', Array(count).fill('a'), { target: Buffer.alloc(size), targetOffset }],
      'ERR_ARGUMENT_VALUE',
      /target/,
    );
  }
  await refuses(
    'hashMany',
    ['shake128', ['a'], { outputLength: 0 }],
    'ERR_OUTPUT_SIZE',
    /outputLength/,
  );
  await refuses('hashMany', ['sha256', ['a'], { seed: 1 }], 'ERR_ARGUMENT_VALUE', /seed/);
  await refuses(
    'hashMany',
    ['sha256', ['a'], { key: Buffer.alloc(32) }],
    'ERR_ARGUMENT_VALUE',
    /key/,
  );
  await refuses('hashMany', ['blake3', ['a'], { key: Buffer.alloc(31) }], 'ERR_KEY_SIZE', /key/);
  // More than any Buffer holds, as long as that can be had: newer Nodes allow Buffers larger than
  // memory.
  const tooMany = Math.floor(constants.MAX_LENGTH / 2 ** 30) + 1;
  if (tooMany < 1000)
    await refuses(
      'hashMany',
      ['shake128', Array(tooMany).fill('a'), { outputLength: 2 ** 30 }],
      'ERR_OUTPUT_SIZE',
      /fit/,
    );
  await refuses('hmacMany', ['xxh64', 'key', ['a']], 'ERR_ARGUMENT_VALUE', /HMAC/i);
  await refuses('hmacMany', ['sha256', 5, ['a']], 'ERR_ARGUMENT_TYPE', /key/);
  await refuses(
    'hmacMany',
    ['sha256', createKey('hmac-sha1', 'k'), ['a']],
    'ERR_KEY_ALGORITHM',
    /hmac-sha256/,
  );
  await assert.rejects(async () => hashMany('sha256', ['a'], 'hex', 5), {
    code: /ERR_(ARGUMENT_TYPE|MISSING_ARGUMENT)/,
  });
});

test('a target may be any kind of memory', async () => {
  for (const entryPoint of [millrace, promises]) {
    const resizable = new ArrayBuffer(80, { maxByteLength: 200 });
    for (const target of [
      new ArrayBuffer(80),
      new DataView(new ArrayBuffer(80)),
      new Float64Array(10),
      new SharedArrayBuffer(80),
      resizable,
      new Uint8Array(resizable),
      Buffer.alloc(80),
    ]) {
      assert.equal(
        await entryPoint.hashMany('sha256', ['a', 'b'], { target, targetOffset: 16 }),
        64,
      );
      assert.deepEqual(
        Buffer.from(target.buffer ?? target, target.byteOffset ?? 0, 80).subarray(16),
        single(['a', 'b']),
        target.constructor.name,
      );
    }
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
  for (const size of [8, 32, 64, 1000]) {
    const memory = Buffer.from(bytes.subarray(0, size * 25));
    const expected = single(
      Array.from({ length: 25 }, (_, index) => bytes.subarray(index * size, (index + 1) * size)),
    );
    if (expected.length > memory.length) continue;
    hashMany(
      'sha256',
      { data: memory, size },
      { target: memory, targetOffset: memory.length - expected.length },
    );
    assert.deepEqual(memory.subarray(memory.length - expected.length), expected, `packed, ${size}`);
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
  for (const [method, before] of [
    ['hashMany', ['sha256']],
    ['hmacMany', ['sha256', 'key']],
  ]) {
    for (const entryPoint of [millrace, promises]) {
      const reads = [];
      const sources = [];
      for (let index = 0; index < 30; index++)
        Object.defineProperty(sources, index, {
          enumerable: true,
          get: () => (reads.push(index), `message ${index}`),
        });
      const found = await entryPoint[method](...before, sources);
      assert.deepEqual(
        reads,
        Array.from({ length: 30 }, (_, index) => index),
      );
      assert.deepEqual(
        found,
        Buffer.concat(
          reads.map((index) =>
            method === 'hashMany'
              ? hash('sha256', `message ${index}`)
              : hmac('sha256', 'key', `message ${index}`),
          ),
        ),
      );
    }
  }
});

test('memory that a getter transfers is refused', async () => {
  for (const size of [10, 1024, 1025, 60_000]) {
    for (const entryPoint of [millrace, promises]) {
      for (const target of [false, true]) {
        const elements = [apart(size), apart(size), apart(size), 'last'];
        const room = Buffer.alloc(128);
        for (const index of [0, 2])
          await assert.rejects(
            async () =>
              entryPoint.hashMany(
                'sha256',
                trapped([...elements], 1, () => detach(elements[index])),
                target ? { target: room } : {},
              ),
            { code: 'ERR_DETACHED', message: new RegExp(`sources\\[[0${index}]\\]`) },
            `${size} bytes`,
          );
        assert.deepEqual(room, Buffer.alloc(128));
      }
    }
  }
});

test('getters may shrink and grow memory', async () => {
  for (const size of [500, 5000, 50_000]) {
    for (const entryPoint of [millrace, promises]) {
      const memory = new ArrayBuffer(size, { maxByteLength: 100_000 });
      const elements = [
        new Uint8Array(memory),
        new Uint8Array(memory, 10, size - 10),
        'b',
        new Uint8Array(memory),
      ];
      // Of the second one nothing is left.
      await assert.rejects(
        async () =>
          entryPoint.hashMany(
            'sha256',
            trapped(elements, 2, () => memory.resize(7)),
          ),
        { code: 'ERR_DETACHED', message: /sources\[1\]/ },
      );
      assert.deepEqual(
        await entryPoint.hashMany(
          'sha256',
          trapped(elements, 2, () => memory.resize(90_000)),
        ),
        single([Buffer.alloc(90_000), Buffer.alloc(size - 10), 'b', Buffer.alloc(90_000)]),
      );
    }
  }
});

test('getters may change the array, the target and the key', async () => {
  // More elements, fewer elements.
  assert.deepEqual(
    hashMany(
      'sha256',
      trapped(['a', 'b', 'c'], 1, (sources) => sources.push('d')),
    ),
    single(['a', 'b', 'c']),
  );
  const fewer = () =>
    trapped(['a', 'b', 'c'], 0, (sources) => {
      sources.length = 1;
    });
  assert.throws(() => hashMany('sha256', fewer()), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /sources\[1\]/,
  });
  assert.throws(() => hashMany('sha256', fewer(), () => assert.fail('called')), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /sources\[1\]/,
  });
  await assert.rejects(promises.hashMany('sha256', fewer()), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /sources\[1\]/,
  });
  for (const entryPoint of [millrace, promises]) {
    const call = async (act) => act();
    // A target that is gone is too small.
    const target = apart(96);
    await assert.rejects(
      call(() =>
        entryPoint.hashMany(
          'sha256',
          trapped(['a', 'b', 'c'], 1, () => detach(target)),
          { target },
        ),
      ),
      { code: 'ERR_ARGUMENT_VALUE' },
    );
    const shrinking = new ArrayBuffer(96, { maxByteLength: 96 });
    await assert.rejects(
      call(() =>
        entryPoint.hashMany(
          'sha256',
          trapped(['a', 'b', 'c'], 1, () => shrinking.resize(95)),
          { target: shrinking },
        ),
      ),
      { code: 'ERR_ARGUMENT_VALUE' },
    );
    // A key that is gone must not turn a keyed hash into one without.
    const key = apart(32);
    await assert.rejects(
      call(() =>
        entryPoint.hashMany(
          'blake3',
          trapped(['a', 'b'], 0, () => detach(key)),
          { key },
        ),
      ),
      { code: 'ERR_DETACHED' },
      'blake3 under a key that was detached by a getter',
    );
    const prepared = createKey('blake3', apart(32));
    await assert.rejects(
      call(() =>
        entryPoint.hashMany(
          'blake3',
          trapped(['a', 'b'], 0, () => prepared.dispose()),
          { key: prepared },
        ),
      ),
      { code: 'ERR_KEY_DISPOSED' },
    );
    const mac = createKey('hmac-sha256', 'key');
    await assert.rejects(
      call(() =>
        entryPoint.hmacMany(
          'sha256',
          mac,
          trapped(['a', 'b'], 0, () => mac.dispose()),
        ),
      ),
      { code: 'ERR_KEY_DISPOSED' },
    );
  }
  // The options' own getters.
  for (const entryPoint of [millrace, promises]) {
    const key = apart(32);
    await assert.rejects(
      async () =>
        entryPoint.hashMany('blake3', ['a'], {
          key,
          get target() {
            detach(key);
            return Buffer.alloc(32);
          },
        }),
      { code: 'ERR_DETACHED' },
    );
  }
});

test('getters may use the library', () => {
  const sources = ['first', 'second'.repeat(300), 'third'];
  const act = () => {
    hashMany('sha512', ['inner', 'messages'.repeat(500)]);
    millrace.createHash('sha256').update('inner').digest();
    hmacMany('md5', 'inner', ['x']);
  };
  for (const index of [0, 1, 2])
    assert.deepEqual(hashMany('sha256', trapped(sources, index, act)), single(sources));
  assert.throws(
    () =>
      hashMany(
        'sha256',
        trapped(sources, 1, () => {
          throw new Error('mine');
        }),
      ),
    { message: 'mine' },
  );
  const hook = createHook({ init: act }).enable();
  try {
    return Promise.all([
      promises.hashMany('sha256', sources),
      promises.hashMany('sha256', sources, 'hex'),
    ]).then(([whole, hex]) => {
      assert.deepEqual(whole, single(sources));
      assert.deepEqual(
        hex,
        sources.map((each) => hash('sha256', each, 'hex')),
      );
    });
  } finally {
    hook.disable();
  }
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
      new Promise((resolve, reject) =>
        hashMany('sha256', sources, (error, result) => (error ? reject(error) : resolve(result))),
      ),
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
    const promise =
      round % 2
        ? promises.hashMany('sha256', sources, { target })
        : promises.hashMany('sha256', { data, size: 3000 }, { target });
    if (round % 3 === 0) detach(target);
    for (const each of [...sources, data]) detach(each);
    await promise.then(
      (written) => assert.equal(written, target.length),
      (error) => assert.equal(error.code, 'ERR_ARGUMENT_VALUE'),
    );
  }
});

test('a key may be disposed right after the call', async () => {
  const key = createKey('hmac-sha256', 'key');
  const sources = Array.from({ length: 300 }, () => bytes.subarray(0, 4000));
  const promise = promises.hmacMany('sha256', key, sources);
  key.dispose();
  assert.deepEqual(
    await promise,
    Buffer.concat(sources.map((each) => hmac('sha256', 'key', each))),
  );
});

test('many batches run at once, with other work', async () => {
  const rng = random('batches at once');
  const flying = Array.from({ length: 60 }, () => {
    const sources = Array.from({ length: rng.below(400) }, () =>
      bytes.subarray(0, rng.below(2000)),
    );
    return promises
      .hashMany('sha256', sources)
      .then((found) => assert.ok(found.equals(single(sources))));
  });
  flying.push(...Array.from({ length: 60 }, () => promises.hash('sha256', bytes)));
  await Promise.all(flying);
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
  const sources = Array.from({ length: 200 }, () => bytes.subarray(0, 3000));
  for (const given of [[sources], [sources, 'hex'], [{ data: bytes, size: 100 }], [[]]]) {
    await assert.rejects(
      promises.hashMany('sha256', ...given, { signal: AbortSignal.abort(new Error('before')) }),
      { message: 'before' },
    );
    const { signal } = new AbortController();
    assert.equal((await promises.hashMany('sha256', ...given, { signal })).length >= 0, true);
  }
  for (const signal of [5, 'text', {}, null])
    await assert.rejects(promises.hashMany('sha256', sources, { signal }), {
      code: 'ERR_ARGUMENT_TYPE',
    });
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
