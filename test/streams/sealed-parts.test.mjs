// planSealing and sealRange: ranges sealed apart make the stream that openStream opens, and no
// nonce can seal two contents.

import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';

const { createKey, hashPart, openStream } = millrace;
const { openRange, planSealing, sealRange } = promises;
const rng = random('sealed parts');

const CHUNK = 16_384;
const HEADER = 56;
const key = Buffer.alloc(32, 7);
const options = { algorithm: 'aes-256-gcm', key };

function partsOf(whole, cuts) {
  const bounds = [0, ...cuts, whole.length];
  return bounds.slice(1).map((end, index) => {
    const offset = bounds[index];
    return hashPart('blake3', whole.subarray(offset, end), { offset, size: whole.length });
  });
}

const dataOf = (whole, { offset, length }) => whole.subarray(offset, offset + length);

/** Seals an object in ranges, in any order and through JSON. Returns the stream. */
async function sealed(whole, cuts, given = options) {
  const plan = await planSealing(JSON.parse(JSON.stringify(partsOf(whole, cuts))), given);
  const stream = Buffer.alloc(plan.sealedSize);
  plan.header.copy(stream);
  const ranges = JSON.parse(JSON.stringify(plan.ranges)).sort(() => rng.below(3) - 1);
  await Promise.all(
    ranges.map(async (range) => {
      const made = await sealRange(range, dataOf(whole, range), given);
      made.copy(stream, range.at);
    }),
  );
  return stream;
}

function opened(stream, given = options) {
  const opening = openStream(given);
  opening.end(stream);
  return buffer(opening);
}

const rejects = (code, pattern, promise) =>
  assert.rejects(promise, (error) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });

for (const algorithm of ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305'])
  test(`${algorithm}: objects of every kind of size open as they were`, async () => {
    const given = { algorithm, key: key.subarray(0, algorithm === 'aes-128-gcm' ? 16 : 32) };
    const whole = Buffer.from(rng.bytes(CHUNK * 9));
    for (const size of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK, 9 * CHUNK - 7]) {
      const object = whole.subarray(0, size);
      for (const cuts of [[], [CHUNK], [CHUNK * 2, CHUNK * 4]]) {
        if (cuts.some((cut) => cut >= size)) continue;
        const context = `object of ${size}`;
        const stream = await sealed(object, cuts, { ...given, context });
        assert.deepEqual(await opened(stream, { ...given, context }), object);
        await rejects('ERR_AUTHENTICATION', /another key/, opened(stream, given));
      }
    }
  });

test('a large range of many runs, a prepared key, and a range of the result', async () => {
  const whole = Buffer.from(rng.bytes(3 * 2 ** 20 + 5));
  const given = { algorithm: 'aes-256-gcm', key: createKey('aes-256-gcm', key) };
  const stream = await sealed(whole, [2 ** 20], given);
  assert.deepEqual(await opened(stream), whole);
  const read = (start, end) => stream.subarray(start, end);
  const range = await openRange(read, { ...options, start: 1_000_000, end: 1_100_000 });
  assert.deepEqual(range, whole.subarray(1_000_000, 1_100_000));
});

test('an object has one sealed form, however it is cut; another has no key of it', async () => {
  const whole = Buffer.from(rng.bytes(CHUNK * 4));
  const stream = await sealed(whole, [CHUNK]);
  assert.deepEqual(await sealed(whole, [CHUNK * 2, CHUNK * 3]), stream);
  const other = Buffer.from(whole);
  other[CHUNK * 3] ^= 1;
  const changed = await sealed(other, [CHUNK]);
  // Salt, commitment and every chunk, also those with equal contents.
  assert.notDeepEqual(changed.subarray(0, 24), stream.subarray(0, 24));
  assert.notDeepEqual(changed.subarray(24, HEADER), stream.subarray(24, HEADER));
  const [one, two] = [stream, changed].map((each) => each.subarray(HEADER, HEADER + CHUNK));
  assert.notDeepEqual(one, two);
  for (const given of [
    { ...options, context: 'x' },
    { ...options, key: Buffer.alloc(32, 8) },
  ])
    assert.notDeepEqual((await sealed(whole, [], given)).subarray(0, 24), stream.subarray(0, 24));
});

test('data that changed since they were hashed are not sealed', async () => {
  const whole = Buffer.from(rng.bytes(CHUNK * 4 + 9));
  const { ranges } = await planSealing(partsOf(whole, [CHUNK * 2]), options);
  for (const range of ranges) {
    const data = Buffer.from(dataOf(whole, range));
    for (const at of [0, data.length - 1]) {
      data[at] ^= 1;
      await rejects('ERR_AUTHENTICATION', /not what the range/, sealRange(range, data, options));
      data[at] ^= 1;
    }
    assert.ok((await sealRange(range, data, options)).length > data.length);
  }
  const [first, second] = ranges;
  const crossed = sealRange(first, dataOf(whole, second).subarray(0, first.length), options);
  await rejects('ERR_AUTHENTICATION', /not what the range/, crossed);
});

test('data may change after the call', async () => {
  const whole = Buffer.from(rng.bytes(CHUNK * 40));
  const { ranges } = await planSealing(partsOf(whole, []), options);
  const expected = await sealRange(ranges[0], whole, options);
  const copy = Buffer.from(whole);
  const sealing = sealRange(ranges[0], copy, options);
  copy.fill(0);
  assert.deepEqual(await sealing, expected);
});

test('a range that was changed, or is of another plan, is refused', async () => {
  const whole = Buffer.from(rng.bytes(CHUNK * 4));
  const { ranges } = await planSealing(partsOf(whole, [CHUNK, CHUNK * 2]), options);
  const [one, two] = ranges;
  const data = dataOf(whole, one);
  const sealing = (change) => sealRange({ ...one, ...change }, data, options);
  const other = await planSealing(partsOf(whole, [CHUNK]), { ...options, context: 'x' });
  await rejects('ERR_AUTHENTICATION', /range was/, sealing({ offset: two.offset }));
  await rejects('ERR_AUTHENTICATION', /range was/, sealing({ size: one.size + 1 }));
  await rejects('ERR_AUTHENTICATION', /range was/, sealing({ check: two.check }));
  await rejects('ERR_AUTHENTICATION', /range was/, sealing({ check: '' }));
  await rejects(
    'ERR_AUTHENTICATION',
    /another key/,
    sealing({ header: other.header.toString('base64url') }),
  );
  for (const change of [
    { version: 2 },
    { header: '' },
    { header: `${one.header.slice(0, -1)}!` },
    { check: undefined },
    { offset: 1 },
    { offset: -1 },
    { size: 5 },
    { length: 2 ** 53 },
    { extra: 1 },
  ])
    await rejects('ERR_ARGUMENT_VALUE', /range/, sealing(change));
  await rejects('ERR_ARGUMENT_VALUE', /bytes/, sealRange(one, data.subarray(1), options));
  for (const range of [undefined, 5, 'x', data])
    await assert.rejects(sealRange(range, data, options), { code: 'ERR_ARGUMENT_TYPE' });
  const wrong = { ...options, key: Buffer.alloc(32, 8) };
  await rejects('ERR_AUTHENTICATION', /another key/, sealRange(one, data, wrong));
  const longer = { ...options, algorithm: 'chacha20-poly1305' };
  await rejects('ERR_AUTHENTICATION', /another key/, sealRange(one, data, longer));
});

test('parts that cannot be sealed are refused', async () => {
  const whole = Buffer.from(rng.bytes(CHUNK * 4));
  const plan = (parts, given = options) => planSealing(parts, given);
  await rejects('ERR_ARGUMENT_VALUE', /multiple of 16384/, plan(partsOf(whole, [1024])));
  await rejects('ERR_STATE', /in no part/, plan(partsOf(whole, [CHUNK]).slice(1)));
  await rejects('ERR_STATE', /at least one/, plan([]));
  const keyed = hashPart('blake3', whole, { size: whole.length, key });
  await rejects('ERR_STATE', /keyed/, plan([keyed]));
  await rejects('ERR_STATE', /algorithm/, plan([hashPart('kt128', whole, { size: whole.length })]));
  for (const parts of [undefined, 5, 'x', [5]])
    await assert.rejects(plan(parts), { code: 'ERR_ARGUMENT_TYPE' });
  const parts = partsOf(whole, []);
  await rejects('ERR_KEY_SIZE', /32/, plan(parts, { ...options, key: Buffer.alloc(31) }));
  await rejects(
    'ERR_ARGUMENT_VALUE',
    /sealed with/,
    plan(parts, { ...options, algorithm: 'aes-256-ctr' }),
  );
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  await assert.rejects(plan(parts, { ...options, signal }), reason);
});
