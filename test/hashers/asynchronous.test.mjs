// Hashers off the main thread: order, snapshots and lent memory, what is refused meanwhile, errors,
// contexts, re-entrancy, and the end of environments with updates in flight.

import assert from 'node:assert/strict';
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { output, requiring, run } from '../support/child.mjs';
import { oracle } from '../support/oracles.mjs';
import { families, subjects } from '../support/hashers.mjs';
import { random } from '../support/random.mjs';
import { expectError, thrown } from '../support/refusals.mjs';

const { createHash, createHmac, createKey } = millrace;
const MIB = 2 ** 20;

/** The update as a promise, whichever way it goes. */
const waysOfUpdating = {
  callback: (hasher, ...given) =>
    new Promise((resolve, reject) => {
      const settle = (error, ...more) => {
        if (error) reject(error);
        else if (more.every((each) => each === undefined)) resolve();
        else reject(new Error(`an update gives nothing, not ${more}`));
      };
      assert.equal(hasher.update(...given, settle), hasher);
    }),
  promise: (hasher, ...given) => {
    const promise = hasher.updateAsync(...given);
    assert.ok(promise instanceof Promise);
    return promise;
  },
};

const waysOfDigesting = {
  callback: (hasher, ...given) =>
    new Promise((resolve, reject) => {
      const settle = (error, digest) => (error ? reject(error) : resolve(digest));
      assert.equal(hasher.digest(...given, settle), undefined);
    }),
  promise: (hasher, ...given) => hasher.digestAsync(...given),
};

/** Checks that each of the calls, by their names, is refused with `code`. */
function refuseAll(calls, code, when) {
  for (const [name, call] of Object.entries(calls))
    expectError(thrown(call, `${name} ${when}`), code, undefined, `${name} ${when}`);
}

test('updates of random sizes keep their order, as snapshots and windows', async () => {
  const rng = random('order');
  const data = rng.bytes(400_000);
  for (const subject of subjects) {
    const hasher = subject.make();
    const parts = [];
    const settled = [];
    const waiting = [];
    const count = rng.between(5, 25);
    for (let index = 0; index < count; index++) {
      const size = rng.pick([0, 1, 40, 200, 1000, 1025, 4000, 5000, 20_000, 90_000]);
      const from = rng.below(data.length - size);
      const part = data.subarray(from, from + size);
      parts.push(part);
      const update = waysOfUpdating[rng.pick(['callback', 'promise'])];
      let promise;
      if (rng.chance(0.4)) {
        promise = update(hasher, data, from, size);
      } else if (rng.chance(0.3)) {
        promise = update(hasher, part.toString('latin1'), 'latin1');
      } else {
        // A copy was taken: what becomes of ours is of no matter.
        const own = Buffer.from(part);
        promise = update(hasher, own);
        own.fill(0xee);
      }
      waiting.push(promise.then(() => settled.push(index)));
      if (rng.chance(0.1)) await turn();
    }
    const digest = await waysOfDigesting[rng.pick(['callback', 'promise'])](hasher);
    await Promise.all(waiting);
    const inOrder = Array.from({ length: count }, (_, index) => index);
    assert.deepEqual(settled, inOrder, `${subject.name}: settled in order`);
    assert.deepEqual(digest, subject.expected(Buffer.concat(parts)), subject.name);
  }
});

test('synchronous and asynchronous updates may alternate', async () => {
  const rng = random('turns');
  const data = rng.bytes(100_000);
  for (const subject of families) {
    let hasher = subject.make();
    const parts = [];
    for (let index = 0; index < 30; index++) {
      const size = rng.pick([0, 3, 500, 1100, 5000, 50_000]);
      const part = data.subarray(0, size);
      parts.push(part);
      if (rng.chance(0.5)) await waysOfUpdating.promise(hasher, part);
      else hasher.update(part);
      if (rng.chance(0.2)) hasher = hasher.copy();
      if (rng.chance(0.2) && subject.exports)
        hasher = subject.make({ state: hasher.exportState() });
    }
    assert.deepEqual(hasher.digest(), subject.expected(Buffer.concat(parts)), subject.name);
  }
});

test('many hashers at once give their own digests', async () => {
  const rng = random('at once');
  const data = rng.bytes(300_000);
  const all = Array.from({ length: 150 }, () => {
    const subject = rng.pick(subjects);
    const hasher = subject.make();
    const parts = Array.from({ length: rng.between(1, 6) }, () =>
      data.subarray(0, rng.pick([10, 2000, 6000, 100_000, 300_000])),
    );
    for (const part of parts) hasher.updateAsync(part);
    return { subject, parts, digest: hasher.digestAsync('hex') };
  });
  for (const { subject, parts, digest } of all) {
    const expected = subject.expected(Buffer.concat(parts)).toString('hex');
    assert.equal(await digest, expected, subject.name);
  }
});

test('an asynchronous digest comes in every encoding', async () => {
  const source = Buffer.alloc(9000, 1);
  const expected = oracle({ kind: 'hash', algorithm: 'sha256', source }).output;
  const texts = ['hex', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'utf8', 'ucs2', 'HEX'];
  for (const digest of Object.values(waysOfDigesting)) {
    const fed = () => createHash('sha256').update(source);
    for (const given of [[], ['buffer'], [undefined]])
      assert.deepEqual(await digest(fed(), ...given), expected);
    assert.equal(await digest(fed(), 'bigint'), BigInt(`0x${expected.toString('hex')}`));
    for (const encoding of texts)
      assert.equal(await digest(fed(), encoding), expected.toString(encoding), encoding);
  }
});

// busy

test('synchronous calls are refused while an update is in flight', async () => {
  for (const size of [5, 3 * MIB]) {
    for (const begin of [
      () => createHash('sha256'),
      () => createHmac('sha256', 'key'),
      () => createHash('shake128', { outputLength: 9 }),
    ]) {
      const hasher = begin();
      const updating = hasher.updateAsync(Buffer.alloc(size));
      const target = Buffer.alloc(64);
      const calls = {
        update: () => hasher.update('a'),
        'update of bytes': () => hasher.update(Buffer.alloc(3)),
        'update of nothing': () => hasher.update(''),
        'update of a window': () => hasher.update(target, 0, 3),
        digest: () => hasher.digest(),
        'digest as text': () => hasher.digest('hex'),
        digestInto: () => hasher.digestInto(target),
        copy: () => hasher.copy(),
        reset: () => hasher.reset(),
        exportState: () => hasher.exportState(),
        ...(hasher.algorithm === 'shake128' && {
          squeeze: () => hasher.squeeze(1),
          squeezeInto: () => hasher.squeezeInto(target, 0, 1),
        }),
      };
      refuseAll(calls, 'ERR_HASHER_BUSY', `of ${size} bytes`);
      await updating;
      assert.deepEqual(target, Buffer.alloc(64));
      const reference = begin().update(Buffer.alloc(size));
      assert.deepEqual(hasher.copy().digest(), reference.copy().digest());
      // And while the digest is.
      const digesting = hasher.digestAsync();
      refuseAll(calls, 'ERR_HASHER_BUSY', 'in the digest');
      assert.deepEqual(await digesting, reference.digest());
      const { reset, ...others } = calls;
      refuseAll(others, 'ERR_HASHER_SPENT', 'after it');
      reset();
      assert.deepEqual(hasher.update('a').digest(), begin().update('a').digest());
    }
  }
});

test('after an asynchronous digest nothing more is taken', async () => {
  const hasher = createHash('sha256');
  const digest = hasher.digestAsync('hex');
  const never = () => assert.fail('called');
  const calls = {
    update: () => hasher.update('late', never),
    digest: () => hasher.digest(never),
    'digest as text': () => hasher.digest('hex', never),
  };
  refuseAll(calls, 'ERR_HASHER_SPENT', 'after the digest');
  await assert.rejects(hasher.updateAsync('late'), { code: 'ERR_HASHER_SPENT' });
  await assert.rejects(hasher.digestAsync(), { code: 'ERR_HASHER_SPENT' });
  assert.equal(await digest, millrace.hash('sha256', '', 'hex'));
  await turn();
});

test('invalid arguments throw or reject, and leave the hasher usable', async () => {
  const hasher = createHash('sha256');
  const never = () => assert.fail('called though the call had thrown');
  const bad = [
    [5],
    [null],
    [undefined],
    [{}],
    [[]],
    [Buffer.alloc(3), 1, 3],
    [Buffer.alloc(3), -1, 1],
    [Buffer.alloc(3), 0.5, 1],
    ['text', 'no encoding'],
    ['text', 0, 2],
    ['abc', 'hex'],
  ];
  for (const given of bad) {
    const error = thrown(() => hasher.update(...given, never), String(given));
    expectError(error, ['ERR_ARGUMENT_TYPE', 'ERR_ARGUMENT_VALUE'], /\w/, String(given));
    await assert.rejects(hasher.updateAsync(...given), {
      code: error.code,
      message: error.message,
    });
  }
  await assert.rejects(hasher.updateAsync(), { code: 'ERR_MISSING_ARGUMENT' });
  for (const encoding of [5, {}, 'no encoding']) {
    const error = thrown(() => hasher.digest(encoding, never), String(encoding));
    await assert.rejects(hasher.digestAsync(encoding), { code: error.code });
  }
  expectError(
    thrown(() => hasher.digest('hex', 5), 'callback'),
    'ERR_ARGUMENT_TYPE',
    /callback/,
    'callback',
  );
  assert.equal(hasher.update('abc').digest('hex'), millrace.hash('sha256', 'abc', 'hex'));
});

test('callbacks come later, once, and in the order of the calls', async () => {
  for (let round = 0; round < 60; round++) {
    const seen = [];
    const hasher = createHash('sha256');
    const size = [0, 5, 2000, 100_000][round % 4];
    await new Promise((resolve) => {
      for (let index = 0; index < 5; index++)
        hasher.update(Buffer.alloc(size), () => seen.push(index));
      hasher.digest(() => {
        seen.push('digest');
        resolve();
      });
      seen.push('returned');
    });
    await turn();
    assert.deepEqual(seen, ['returned', 0, 1, 2, 3, 4, 'digest'], `pieces of ${size} bytes`);
  }
});

// failure

test('a key disposed while updates wait: later updates fail', async () => {
  const key = createKey('hmac-sha256', 'key');
  const hmac = createHmac('sha256', key);
  const first = hmac.updateAsync(Buffer.alloc(4 * MIB));
  const second = hmac.updateAsync(Buffer.alloc(MIB));
  const third = hmac.updateAsync('small');
  const digest = hmac.digestAsync();
  key.dispose();
  const results = await Promise.allSettled([first, second, third, digest]);
  assert.equal(results[0].status, 'fulfilled', 'what was in flight is done');
  for (const { status, reason } of results.slice(1))
    assert.deepEqual([status, reason?.code], ['rejected', 'ERR_KEY_DISPOSED']);
  assert.throws(() => hmac.digest(), { code: 'ERR_KEY_DISPOSED' });
  assert.throws(() => hmac.update('a'), { code: 'ERR_KEY_DISPOSED' });
  await assert.rejects(hmac.updateAsync('a'), { code: 'ERR_KEY_DISPOSED' });
});

test('lent memory that is taken away: an error or a digest, and no crash', async () => {
  for (let round = 0; round < 20; round++) {
    const memory = new ArrayBuffer(300_000, { maxByteLength: 400_000 });
    const hasher = createHash('sha256');
    const views = [new Uint8Array(memory), Buffer.from(new ArrayBuffer(200_000))];
    const waiting = [
      hasher.updateAsync(Buffer.alloc(2 * MIB)),
      hasher.updateAsync(views[round % 2], 0, 200_000),
      hasher.updateAsync(views[round % 2], 100, 90_000),
    ];
    const digest = hasher.digestAsync();
    if (round % 2 === 0) memory.resize(10);
    else structuredClone(views[1].buffer, { transfer: [views[1].buffer] });
    const outcomes = await Promise.allSettled([...waiting, digest]);
    for (const { status, reason } of outcomes)
      if (status === 'rejected') assert.equal(reason.code, 'ERR_ARGUMENT_VALUE');
    if (round % 2 === 0)
      assert.equal(outcomes.at(-1).status, 'fulfilled', 'resizable memory is copied');
  }
});

test('a resizable window is copied', async () => {
  for (const first of [0, 2 * MIB]) {
    const memory = new ArrayBuffer(100_000, { maxByteLength: 400_000 });
    new Uint8Array(memory).fill(7);
    const hasher = createHash('sha256');
    if (first) hasher.updateAsync(Buffer.alloc(first));
    hasher.updateAsync(memory, 10, 90_000);
    const digest = hasher.digestAsync('hex');
    memory.resize(0);
    const whole = Buffer.concat([Buffer.alloc(first), Buffer.alloc(90_000, 7)]);
    assert.equal(await digest, millrace.hash('sha256', whole, 'hex'));
  }
});

test('a callback that throws is an uncaughtException; the hasher stays usable', async () => {
  const printed = await output(`
    const seen = [];
    process.on('uncaughtException', (error) => seen.push(error.message));
    const hasher = millrace.createHash('sha256');
    for (let index = 0; index < 8; index++)
      hasher.update(Buffer.alloc(index % 2 ? 5 : 200_000), () => {
        throw new Error('thrown ' + index);
      });
    hasher.digest('hex', (error, digest) => {
      const whole = Buffer.alloc(4 * 200_000 + 4 * 5);
      console.log(digest === millrace.hash('sha256', whole, 'hex'));
      throw new Error('thrown at last');
    });
    process.on('exit', () => console.log(seen.join()));
  `);
  const thrownInTurn = Array.from({ length: 8 }, (_, index) => `thrown ${index}`).join();
  assert.equal(printed, `true\n${thrownInTurn},thrown at last\n`);
});

// context and re-entrancy

test('AsyncLocalStorage is that of each call', async () => {
  const storage = new AsyncLocalStorage();
  const seen = [];
  const see = (made) => seen.push([made, storage.getStore()]);
  const hasher = createHash('sha512');
  const waiting = [];
  for (let index = 0; index < 40; index++) {
    const part = Buffer.alloc(index % 3 ? 10 : 30_000);
    storage.run(index, () => {
      waiting.push(new Promise((resolve) => hasher.update(part, () => resolve(see(index)))));
      waiting.push(hasher.updateAsync('text').then(() => see(index)));
    });
  }
  const digest = () => new Promise((resolve) => hasher.digest(() => resolve(see('digest'))));
  await storage.run('digest', digest);
  await Promise.all(waiting);
  assert.equal(seen.length, 81);
  for (const [made, found] of seen) assert.equal(found, made);
  assert.equal(storage.getStore(), undefined);
});

test('callbacks may use the same hasher', async () => {
  for (const size of [3, 5000, 200_000]) {
    const part = Buffer.alloc(size, 4);
    const hasher = createHash('sha256');
    const digest = await new Promise((resolve, reject) => {
      let left = 10;
      const again = (error) => {
        if (error) return reject(error);
        // Nothing is in flight in the callback of the last operation: all is allowed.
        try {
          hasher.update('sync');
          hasher.exportState();
          hasher.copy().digest();
        } catch (thrownError) {
          return reject(thrownError);
        }
        if (--left > 0) return hasher.update(part, again);
        return hasher.digest('hex', (digestError, result) => {
          if (digestError) return reject(digestError);
          hasher.reset().update('after');
          return resolve([result, hasher.digest('hex')]);
        });
      };
      hasher.update(part, again);
    });
    const whole = Buffer.concat(
      Array(10)
        .fill([part, Buffer.from('sync')])
        .flat(),
    );
    const expected = [whole, 'after'].map((message) => millrace.hash('sha256', message, 'hex'));
    assert.deepEqual(digest, expected);
  }
});

test('a callback while later updates are in flight: asynchronous ones join the queue', async () => {
  const hasher = createHash('sha256');
  const order = [];
  const results = await new Promise((resolve) => {
    hasher.update(Buffer.alloc(100_000, 1), () => {
      order.push('first');
      assert.throws(() => hasher.update('sync'), { code: 'ERR_HASHER_BUSY' });
      assert.throws(() => hasher.reset(), { code: 'ERR_HASHER_BUSY' });
      hasher.update(Buffer.alloc(100_000, 3), () => order.push('third'));
      hasher.digest('hex', (error, digest) => resolve([error, digest]));
    });
    hasher.update(Buffer.alloc(100_000, 2), () => order.push('second'));
  });
  assert.deepEqual(order, ['first', 'second', 'third']);
  const whole = Buffer.concat([1, 2, 3].map((value) => Buffer.alloc(100_000, value)));
  assert.deepEqual(results, [null, millrace.hash('sha256', whole, 'hex')]);
});

test('hooks may use hashers while one is in use', async () => {
  // async_hooks call the user in the middle of a call, when a resource is made.
  const other = createHash('sha1');
  const mac = createHmac('md5', 'inner key');
  let inits = 0;
  let busy = false;
  const faults = [];
  const hook = createHook({
    init() {
      if (busy) return;
      busy = true;
      try {
        inits++;
        const running = [other.update('x'.repeat(inits % 90)), mac.update('y'.repeat(inits % 90))];
        for (const each of running) each.copy().digest('hex');
        millrace.hash('sha256', 'inner');
        createHash('sha512').update(Buffer.alloc(2000)).digest();
        millrace.hashMany('md5', ['inner', 'messages']);
        if (inits % 5 === 0) other.exportState();
      } catch (error) {
        faults.push(error);
      }
      busy = false;
    },
  }).enable();
  try {
    for (const subject of families) {
      const hasher = subject.make();
      const parts = [];
      for (const size of [10, 900, 0, 5000, 30, 100_000, 40]) {
        const part = Buffer.alloc(size, size);
        hasher.update(part.subarray(0, size >> 1));
        await hasher.updateAsync(part, size >> 1, size - (size >> 1));
        hasher.updateAsync(part.subarray(0, 5));
        await hasher.updateAsync('text');
        parts.push(part, part.subarray(0, 5), Buffer.from('text'));
      }
      const expected = subject.expected(Buffer.concat(parts));
      assert.deepEqual(await hasher.copy().digestAsync(), expected, subject.name);
      const stream = subject.make().end(Buffer.concat(parts));
      assert.deepEqual((await stream.toArray())[0], expected, `${subject.name} as a stream`);
    }
  } finally {
    hook.disable();
  }
  assert.deepEqual(faults, []);
  assert.ok(inits > 100);
  const all = Array.from({ length: inits }, (_, index) => 'x'.repeat((index + 1) % 90)).join('');
  assert.equal(other.digest('hex'), millrace.hash('sha1', all, 'hex'));
  const code = millrace.hmac('md5', 'inner key', all.replaceAll('x', 'y'), 'hex');
  assert.equal(mac.digest('hex'), code);
});

test('hooks may detach, reset and dispose during their call', async () => {
  const allowed = ['ERR_KEY_DISPOSED', 'ERR_HASHER_SPENT', 'ERR_ARGUMENT_VALUE', 'ERR_DETACHED'];
  const deeds = {
    detach: ({ data }) => structuredClone(data.buffer, { transfer: [data.buffer] }),
    dispose: ({ key }) => key.dispose(),
    reset: ({ hasher }) => hasher.reset(),
    digest: ({ hasher }) => hasher.digest(),
  };
  for (const [name, deed] of Object.entries(deeds)) {
    for (const size of [10, 300_000]) {
      const key = createKey('hmac-sha256', 'key');
      const hasher = createHmac('sha256', key);
      hasher.update('begun');
      const data = Buffer.from(new ArrayBuffer(size));
      let done = false;
      const hook = createHook({
        init() {
          if (done) return;
          done = true;
          try {
            deed({ key, hasher, data });
          } catch (error) {
            assert.equal(error.code, 'ERR_HASHER_BUSY');
          }
        },
      }).enable();
      let updating;
      try {
        updating = hasher.updateAsync(data);
      } finally {
        hook.disable();
      }
      const [{ reason }] = await Promise.allSettled([updating]);
      assert.ok(done, `${name}: no hook ran`);
      assert.ok(reason === undefined || allowed.includes(reason.code), `${name}: ${reason}`);
      assert.equal(
        createHash('md5').update('still').digest('hex'),
        millrace.hash('md5', 'still', 'hex'),
      );
    }
  }
});

// ends

test('a hasher that is dropped in flight survives collections', async () => {
  const printed = await output(
    `
    const { setTimeout: sleep } = require('node:timers/promises');
    const churn = () => {
      for (const size of [32, 88, 104, 202, 1024, 70_000, 300_000])
        for (let index = 0; index < 20; index++) Buffer.allocUnsafeSlow(size).fill(0xdd);
    };
    const expected = ['sha256', 'blake3', 'sha3-256'].map((name) =>
      millrace.hash(
        name,
        Buffer.concat([Buffer.alloc(300_000, 1), Buffer.alloc(70_000, 2), Buffer.from('end')]),
        'hex',
      ),
    );
    const mac = millrace.hmac('sha512', 'the key', Buffer.alloc(300_000, 1), 'hex');
    async function one(index) {
      const name = ['sha256', 'blake3', 'sha3-256'][index % 3];
      const make = () => {
        // Only what is in flight refers to the hasher, its key and its sources.
        const hasher = millrace.createHash(name);
        hasher.updateAsync(Buffer.alloc(300_000, 1), 0, 300_000);
        hasher.updateAsync(Buffer.alloc(70_000, 2));
        hasher.update('end', () => {});
        return hasher.digestAsync('hex');
      };
      const hmac = () => {
        const hasher = millrace.createHmac('sha512', 'the key');
        hasher.updateAsync(Buffer.alloc(300_000, 1), 0, 300_000);
        return hasher.digestAsync('hex');
      };
      const [digest, code] = await Promise.all([make(), hmac()]);
      // One of which not even the promise is kept.
      millrace.createHash(name).update(Buffer.alloc(200_000), () => {});
      millrace.createHmac('sha256', 'forgotten').updateAsync(Buffer.alloc(200_000));
      return digest === expected[index % 3] && code === mac;
    }
    (async () => {
      let good = 0;
      for (let round = 0; round < 8; round++) {
        const timer = setInterval(() => {
          globalThis.gc();
          churn();
        }, 1);
        const flying = Array.from({ length: 24 }, (_, index) => one(index));
        globalThis.gc();
        churn();
        good += (await Promise.all(flying)).filter(Boolean).length;
        clearInterval(timer);
      }
      console.log(good);
    })();
  `,
    { flags: ['--expose-gc'] },
  );
  assert.equal(printed, '192\n');
});

test('hashers are let go, with their memory', async () => {
  const printed = await output(
    `
    const { setTimeout: sleep } = require('node:timers/promises');
    const held = [];
    const track = (thing) => {
      held.push(new WeakRef(thing));
      return thing;
    };
    (async () => {
      const make = async () => {
        for (let index = 0; index < 100; index++) {
          const hasher = track(millrace.createHash('sha256'));
          hasher.update('a');
          if (index % 3 === 0)
            millrace.createHash('sha1').update(track(Buffer.alloc(50_000)), 0, 50_000, () => {});
          if (index % 3 === 1) await hasher.updateAsync(track(Buffer.alloc(50_000)));
          track(hasher.copy()).update('b');
          track(millrace.createHmac('sha1', 'key')).update('c');
          const stream = track(millrace.createHash('md5'));
          stream.on('data', () => {});
          stream.end('x');
        }
      };
      await make();
      for (let round = 0; round < 40; round++) {
        await sleep(10);
        globalThis.gc();
      }
      // The last owner of the shared memory stays alive until the next one.
      console.log(held.filter((each) => each.deref() !== undefined).length <= 2);
    })();
  `,
    { flags: ['--expose-gc'] },
  );
  assert.equal(printed, 'true\n');
});

test('memory stays flat over many updates', async () => {
  const printed = await output(
    `
    (async () => {
      const part = Buffer.alloc(2 ** 20, 7);
      const hash = millrace.createHash('blake3'),
        mac = millrace.createHmac('sha256', 'key');
      const round = async (count) => {
        for (let index = 0; index < count; index++) {
          await Promise.all([
            hash.updateAsync(part, 0, part.length),
            mac.updateAsync(part.subarray(0, 100_000)),
          ]);
          hash.update(part.subarray(0, 3000));
          hash.exportState();
          for (let small = 0; small < 200; small++) mac.update('small');
        }
        globalThis.gc();
        return process.memoryUsage().rss;
      };
      await round(60);
      const before = await round(60);
      const after = await round(240);
      console.log(after - before < 40 * 2 ** 20 || [before, after]);
    })();
  `,
    { flags: ['--expose-gc'] },
  );
  assert.equal(printed, 'true\n');
});

const flood = `
  const part = Buffer.alloc(3 * 2 ** 20, 1);
  const fire = () => {
    const hash = millrace.createHash('sha512');
    for (let index = 0; index < 4; index++) hash.updateAsync(part, 0, part.length);
    hash.updateAsync(part.subarray(0, 300_000));
    hash.digest('hex', () => {});
    const mac = millrace.createHmac('sha3-256', 'key');
    mac.update(part.subarray(0, 100_000), () => {});
    mac.update('small', () => {});
    millrace.createHash('blake3').update(part, () => {});
    millrace.createHash('md5').end(part.subarray(0, 200_000));
    promises.hashMany(
      'sha256',
      Array.from({ length: 3000 }, () => part.subarray(0, 1000)),
    );
    promises.hashMany(
      'sha256',
      { data: part, size: 64 },
      { target: Buffer.alloc(part.length / 2) },
    );
  };
`;

const flooding = `
  ${requiring()}
  const { parentPort } = require('node:worker_threads');
  ${flood}
  for (let index = 0; index < 6; index++) fire();
  parentPort.postMessage('flying');
  setInterval(fire, 3);
`;

test('worker_threads may be terminated with updates in flight', async () => {
  const printed = await output(`
    const { Worker } = require('node:worker_threads');
    const { once } = require('node:events');
    const { setTimeout: sleep } = require('node:timers/promises');
    const program = ${JSON.stringify(flooding)};
    (async () => {
      const expected = millrace.hash('sha256', Buffer.alloc(300_000, 2), 'hex');
      for (let round = 0; round < 15; round++) {
        const worker = new Worker(program, { eval: true });
        await once(worker, 'message');
        const own = millrace.createHash('sha256');
        own.updateAsync(Buffer.alloc(300_000, 2), 0, 300_000);
        const digest = own.digestAsync('hex');
        if (round % 3) await sleep(round);
        await worker.terminate();
        if ((await digest) !== expected) throw new Error('wrong digest in the main thread');
      }
      console.log('survived');
    })();
  `);
  assert.equal(printed, 'survived\n');
});

test('a process ends with updates in flight', async () => {
  for (const [ending, expected] of [
    ['process.exit(7)', 7],
    ['setTimeout(() => process.exit(8), 10)', 8],
    ["throw new Error('ended')", 1],
  ]) {
    const { code, signal, stderr } = await run(
      `${flood}\nfor (let index = 0; index < 10; index++) fire();\n${ending};`,
    );
    assert.deepEqual([code, signal], [expected, null], stderr);
  }
  const all = await output(`
    const hash = millrace.createHash('sha256');
    for (let index = 0; index < 50; index++) hash.update(Buffer.alloc(100_000), () => {});
    hash.digest('hex', (error, digest) =>
      console.log(digest === millrace.hash('sha256', Buffer.alloc(5_000_000), 'hex')),
    );
  `);
  assert.equal(all, 'true\n');
  // Hashers alone keep no process alive.
  const idle = await output(`
    const kept = [millrace.createHash('sha256').update('a'), millrace.createHmac('sha256', 'k')];
    kept[0].write('x');
    console.log('done');
    globalThis.kept = kept;
  `);
  assert.equal(idle, 'done\n');
});

test('fake clocks and patched globals do not stop it', async () => {
  const printed = await output(`
    const real = { nextTick: process.nextTick };
    const hash = millrace.createHash('sha256');
    process.nextTick = () => {};
    globalThis.setImmediate = globalThis.setTimeout = globalThis.queueMicrotask = () => {};
    hash.update('small', () =>
      hash.update(Buffer.alloc(100_000), () =>
        hash.digest('hex', (error, digest) => {
          process.nextTick = real.nextTick;
          const whole = Buffer.concat([Buffer.from('small'), Buffer.alloc(100_000)]);
          console.log(digest === millrace.hash('sha256', whole, 'hex'));
        }),
      ),
    );
  `);
  assert.equal(printed, 'true\n');
});

test('the promises of a failed hasher are not unhandled rejections', async () => {
  // Awaiting one of them must not make the others unhandled rejections twice over.
  const shake = createHash('shake256');
  await assert.rejects(shake.digestAsync('no encoding'), { code: 'ERR_ARGUMENT_VALUE' });
  // It was not begun: the hasher can go on.
  shake.update('abc');
  assert.equal(
    shake.copy({ outputLength: 4 }).digest('hex'),
    millrace.hash('shake256', 'abc', { outputLength: 4, encoding: 'hex' }),
  );
  await sleep(1);
});

test('the promise entry point has no digest of a wrong phase', async () => {
  assert.equal(promises.createHash, createHash);
  const squeezing = createHash('blake3').update('a');
  squeezing.squeeze(5);
  await assert.rejects(squeezing.digestAsync(), { code: 'ERR_HASHER_SPENT' });
  await assert.rejects(squeezing.updateAsync('b'), { code: 'ERR_HASHER_SPENT' });
  assert.throws(() => squeezing.update('b', () => {}), { code: 'ERR_HASHER_SPENT' });
  assert.equal(
    Buffer.concat([squeezing.reset().update('a').squeeze(5)]).toString('hex'),
    millrace.hash('blake3', 'a', { outputLength: 5, encoding: 'hex' }),
  );
});
