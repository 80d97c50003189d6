// hashPart and joinParts: the digest of an object in parts is that of the whole, however it is cut,
// and parts that are not a whole object are refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';

const { configure, createKey, hash, hashPart, joinParts } = millrace;
const rng = random('hash parts');

const ALGORITHMS = { blake3: 1024, kt128: 8192, kt256: 8192 };
const key = Buffer.alloc(32, 7);

/** The options of parts and those that only the join has, of each kind of hash. */
const KINDS = {
  blake3: [{}, { key }, { context: 'a test of parts' }],
  kt128: [{}, { customization: 'a custom' }, { customization: Buffer.alloc(9000, 1) }],
  kt256: [{}, { customization: Buffer.alloc(8192, 1) }],
};

const ofPart = ({ customization, ...options }) => options;

/** Cuts an object at these bytes and hashes the parts. */
function cut(algorithm, whole, cuts, options = {}) {
  const bounds = [0, ...cuts, whole.length];
  return bounds.slice(1).map((end, index) => {
    const offset = bounds[index];
    const data = whole.subarray(offset, end);
    return hashPart(algorithm, data, { offset, size: whole.length, ...options });
  });
}

/** Returns some multiples of a unit within a size, in order. */
function someCuts(unit, size) {
  const all = Math.ceil(size / unit) - 1;
  if (all < 1) return [];
  const chosen = Array.from({ length: rng.below(6) }, () => unit * (1 + rng.below(all)));
  return [...new Set(chosen)].sort((one, other) => one - other);
}

for (const [algorithm, unit] of Object.entries(ALGORITHMS)) {
  test(`${algorithm}: objects around the borders of the tree, cut everywhere`, () => {
    const units = algorithm === 'blake3' ? 17 : 5;
    const whole = Buffer.from(rng.bytes(units * unit));
    for (let count = 0; count <= units; count++) {
      for (const size of [count * unit - 1, count * unit, count * unit + 1]) {
        if (size < 0 || size > whole.length) continue;
        const object = whole.subarray(0, size);
        for (const options of KINDS[algorithm]) {
          const expected = hash(algorithm, object, { ...options, outputLength: 71 });
          for (let at = 0; at < size; at += unit) {
            const parts = cut(algorithm, object, at === 0 ? [] : [at], ofPart(options));
            const joined = joinParts(algorithm, parts, { ...options, outputLength: 71 });
            assert.deepEqual(joined, expected, `${size} bytes, cut at ${at}`);
          }
        }
      }
    }
  });

  test(`${algorithm}: the empty object is one part`, () => {
    for (const options of KINDS[algorithm]) {
      const part = hashPart(algorithm, Buffer.alloc(0), { size: 0, ...ofPart(options) });
      assert.deepEqual(joinParts(algorithm, [part], options), hash(algorithm, '', options));
    }
  });

  test(`${algorithm}: random objects, cuts, orders and kinds, through JSON`, () => {
    for (let round = 0; round < 60; round++) {
      const whole = Buffer.from(rng.bytes(rng.below(round % 10 === 0 ? 3_000_000 : 100_000)));
      const options = KINDS[algorithm][rng.below(KINDS[algorithm].length)];
      const parts = cut(algorithm, whole, someCuts(unit, whole.length), ofPart(options));
      const sent = JSON.parse(JSON.stringify(parts)).sort(() => rng.below(3) - 1);
      const made = joinParts(algorithm, sent, { ...options, encoding: 'hex' });
      assert.equal(made, hash(algorithm, whole, { ...options, encoding: 'hex' }));
    }
  });

  test(`${algorithm}: every encoding, a target, and any length`, () => {
    const whole = Buffer.from(rng.bytes(50_000));
    const parts = cut(algorithm, whole, [8192, 16384]);
    for (const encoding of ['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'])
      assert.deepEqual(joinParts(algorithm, parts, encoding), hash(algorithm, whole, encoding));
    for (const outputLength of [1, 31, 64, 65, 5000])
      assert.deepEqual(
        joinParts(algorithm, parts, { outputLength }),
        hash(algorithm, whole, { outputLength }),
      );
    const target = Buffer.alloc(70, 0xa5);
    const size = joinParts(algorithm, parts, { target, targetOffset: 2 });
    assert.equal(size, hash(algorithm, '').length);
    assert.deepEqual(target.subarray(2, 2 + size), hash(algorithm, whole));
    assert.equal(target[1], 0xa5);
    assert.equal(target[2 + size], 0xa5);
  });

  test(`${algorithm}: with callbacks and promises, on every route`, async () => {
    const whole = Buffer.from(rng.bytes(5_000_003));
    const cuts = [8192 * 3, 8192 * 200];
    const sync = cut(algorithm, whole, cuts);
    const bounds = [0, ...cuts, whole.length];
    for (const route of ['auto', 'inline', 'pool', 'split']) {
      const parts = await Promise.all(
        bounds.slice(1).map((end, index) => {
          const offset = bounds[index];
          const options = { offset, size: whole.length, route };
          const data = Buffer.from(whole.subarray(offset, end));
          const part = promises.hashPart(algorithm, data, options);
          // It was copied.
          data.fill(0);
          return part;
        }),
      );
      assert.deepEqual(parts, sync, route);
      const digest = await promises.joinParts(algorithm, parts, { encoding: 'hex', route });
      assert.equal(digest, hash(algorithm, whole, 'hex'));
    }
    const part = await new Promise((resolve, reject) =>
      hashPart(algorithm, whole, { size: whole.length }, (error, made) =>
        error ? reject(error) : resolve(made),
      ),
    );
    const digest = await new Promise((resolve, reject) =>
      joinParts(algorithm, [part], 'hex', (error, made) => (error ? reject(error) : resolve(made))),
    );
    assert.equal(digest, hash(algorithm, whole, 'hex'));
    const target = Buffer.alloc(32);
    await promises.joinParts(algorithm, sync, { target, outputLength: 32 });
    assert.deepEqual(target, hash(algorithm, whole, { outputLength: 32 }));
  });

  test(`${algorithm}: an aborted part rejects with the reason`, async () => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    const part = promises.hashPart(algorithm, Buffer.alloc(9), { size: 9, signal });
    await assert.rejects(part, reason);
  });
}

test('blake3: a part has as few values as its place allows', () => {
  const whole = Buffer.alloc(2 ** 20);
  const bytes = (part) => Buffer.from(part.values, 'base64url').length;
  const size = 2 ** 30;
  assert.equal(bytes(hashPart('blake3', whole, { offset: 2 ** 20, size })), 32);
  // Both halves of what may be the whole object.
  assert.equal(bytes(hashPart('blake3', whole, { offset: 0, size })), 64);
  assert.ok(bytes(hashPart('blake3', whole, { offset: 1024, size })) <= 20 * 32);
});

test('blake3: a prepared key, and offsets beyond 2^32 and close to 2^53', () => {
  const whole = Buffer.from(rng.bytes(10_000));
  const prepared = createKey('blake3', key);
  const parts = cut('blake3', whole, [4096], { key: prepared });
  assert.deepEqual(joinParts('blake3', parts, { key: prepared }), hash('blake3', whole, { key }));
  const size = Number.MAX_SAFE_INTEGER;
  const data = whole.subarray(0, 1024);
  const made = [0, 2 ** 32, 2 ** 52, 2 ** 53 - 2048].map(
    (offset) => hashPart('blake3', data, { offset, size }).values,
  );
  assert.equal(new Set(made.map((each) => each.slice(0, 40))).size, 4);
});

const refuses = (code, pattern, call) =>
  assert.throws(call, (error) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });

test('places that fit no part are refused', () => {
  const data = Buffer.alloc(1024);
  const part = (options, algorithm = 'blake3') => hashPart(algorithm, data, options);
  refuses('ERR_MISSING_ARGUMENT', /size/, () => part({}));
  refuses('ERR_MISSING_ARGUMENT', /arguments/, () => hashPart('blake3', data));
  refuses('ERR_ARGUMENT_VALUE', /multiple of 1024/, () => part({ offset: 1000, size: 4096 }));
  refuses('ERR_ARGUMENT_VALUE', /multiple of 8192/, () =>
    part({ offset: 1024, size: 4096 }, 'kt128'),
  );
  refuses('ERR_ARGUMENT_VALUE', /beyond the size/, () => part({ offset: 1024, size: 2047 }));
  refuses('ERR_ARGUMENT_VALUE', /length must be/, () => part({ size: 4096 }, 'kt256'));
  refuses('ERR_ARGUMENT_VALUE', /no bytes/, () =>
    hashPart('blake3', Buffer.alloc(0), { size: 4096 }),
  );
  refuses('ERR_ARGUMENT_VALUE', /below 2\^53/, () => part({ offset: 2 ** 53, size: 4096 }));
  refuses('ERR_ARGUMENT_VALUE', /below 2\^53/, () => part({ size: 2 ** 60 }));
  refuses('ERR_ARGUMENT_VALUE', /not sha256/, () => part({ size: 1024 }, 'sha256'));
  refuses('ERR_ARGUMENT_VALUE', /customization/, () =>
    part({ size: 1024, customization: 'x' }, 'kt128'),
  );
  refuses('ERR_ARGUMENT_VALUE', /context/, () => part({ size: 1024, context: 'x' }, 'kt128'));
  refuses('ERR_ARGUMENT_TYPE', /data/, () => hashPart('blake3', 'text', { size: 4 }));
  refuses('ERR_KEY_SIZE', /32/, () => part({ size: 1024, key: Buffer.alloc(31) }));
});

for (const [algorithm, unit] of Object.entries(ALGORITHMS)) {
  test(`${algorithm}: lists of parts that are not the object are refused`, () => {
    const whole = Buffer.from(rng.bytes(unit * 6 + 5));
    const parts = cut(algorithm, whole, [unit, unit * 2, unit * 4]);
    const join = (list, options) => joinParts(algorithm, list, options);
    assert.deepEqual(join(parts), hash(algorithm, whole));
    refuses('ERR_STATE', /at least one/, () => join([]));
    refuses('ERR_STATE', /bytes 0 to/, () => join(parts.slice(1)));
    refuses('ERR_STATE', /are in no part/, () => join(parts.slice(0, -1)));
    refuses('ERR_STATE', /are in no part/, () => join([parts[0], parts[2], parts[3]]));
    refuses('ERR_STATE', /twice/, () => join([...parts, parts[1]]));
    refuses('ERR_STATE', /twice/, () => join([...parts, parts[3]]));
    const wide = hashPart(algorithm, whole.subarray(0, unit * 3), { size: whole.length });
    refuses('ERR_STATE', /overlaps/, () => join([wide, ...parts.slice(1)]));
    const other = cut(algorithm, whole.subarray(0, -1), [unit * 4])[1];
    refuses('ERR_STATE', /of an object of/, () => join([...parts.slice(0, 3), other]));
    const [, foreign] = Object.keys(ALGORITHMS).filter((name) => name !== algorithm);
    refuses('ERR_STATE', /another algorithm/, () => joinParts(foreign, parts));
    refuses('ERR_ARGUMENT_VALUE', /not sha256/, () => joinParts('sha256', parts));
  });

  test(`${algorithm}: parts that were changed are refused`, () => {
    const whole = Buffer.from(rng.bytes(unit * 3 + 5));
    const parts = cut(algorithm, whole, [unit * 2]);
    const changed = (change) => () => joinParts(algorithm, [{ ...parts[0], ...change }, parts[1]]);
    const { values } = parts[0];
    const flipped = (values[0] === 'A' ? 'B' : 'A') + values.slice(1);
    const [STATE, VALUE] = ['ERR_STATE', 'ERR_ARGUMENT_VALUE'];
    refuses(STATE, /damaged/, changed({ values: flipped }));
    refuses(STATE, /values must have/, changed({ values: values.slice(4) }));
    refuses(STATE, /values must have/, changed({ values: `${values}AAAA` }));
    refuses(STATE, /values must have/, changed({ values: '' }));
    refuses(STATE, /damaged/, changed({ values: `!${values.slice(1)}` }));
    refuses(STATE, /damaged/, changed({ values: ` ${values.slice(1)}` }));
    refuses(STATE, /must be strings/, changed({ values: Buffer.from(values) }));
    refuses(STATE, /must be strings/, changed({ check: 5 }));
    refuses(STATE, /damaged/, changed({ check: '0'.repeat(16) }));
    refuses(STATE, /damaged|made as/, changed({ mode: 'keyed' }));
    refuses(STATE, /version/, changed({ version: 2 }));
    refuses(STATE, /version/, changed({ version: undefined }));
    refuses(STATE, /2\^53/, changed({ offset: -unit }));
    refuses(STATE, /2\^53/, changed({ size: 2 ** 53 }));
    refuses(STATE, /2\^53/, changed({ length: Number.MAX_SAFE_INTEGER, offset: unit }));
    refuses(STATE, /2\^53/, changed({ offset: '0' }));
    refuses(STATE, /multiple/, changed({ offset: 1 }));
    refuses(STATE, /multiple/, changed({ length: unit + 1 }));
    refuses(STATE, /no bytes/, changed({ length: 0 }));
    refuses(STATE, /values must have|damaged/, changed({ length: unit }));
    refuses(VALUE, /not an option/, changed({ extra: 1 }));
    for (const list of [undefined, 5, 'text', parts[0], whole])
      assert.throws(() => joinParts(algorithm, list), { code: 'ERR_ARGUMENT_TYPE' });
    for (const part of [undefined, null, 5, 'text', whole])
      assert.throws(() => joinParts(algorithm, [part]), { code: 'ERR_ARGUMENT_TYPE' });
  });
}

test('parts of one kind of BLAKE3 are no parts of another', () => {
  const whole = Buffer.from(rng.bytes(3000));
  const parts = cut('blake3', whole, [1024], { key });
  refuses('ERR_STATE', /keyed/, () => joinParts('blake3', parts));
  refuses('ERR_STATE', /context/, () => joinParts('blake3', parts, { context: 'x' }));
  // Another key makes another digest, as nothing tells it.
  const other = joinParts('blake3', parts, { key: Buffer.alloc(32, 8) });
  assert.notDeepEqual(other, hash('blake3', whole, { key }));
});

test('getters run once, before the parts are used', () => {
  const whole = Buffer.from(rng.bytes(3000));
  const [one, two] = cut('blake3', whole, [1024]);
  let reads = 0;
  const tricky = {
    ...two,
    get values() {
      reads += 1;
      return two.values;
    },
  };
  assert.deepEqual(joinParts('blake3', [one, tricky]), hash('blake3', whole));
  assert.equal(reads, 1);
});

test('the portable engine makes the same parts, and joins them', () => {
  const whole = Buffer.from(rng.bytes(600_000));
  const cuts = [8192, 262_144, 270_336];
  for (const algorithm of Object.keys(ALGORITHMS))
    for (const options of KINDS[algorithm]) {
      const expected = cut(algorithm, whole, cuts, ofPart(options));
      const digest = hash(algorithm, whole, options);
      configure({ engine: 'portable' });
      try {
        assert.deepEqual(cut(algorithm, whole, cuts, ofPart(options)), expected);
        assert.deepEqual(joinParts(algorithm, expected, options), digest);
      } finally {
        configure({ engine: 'auto' });
      }
    }
});
