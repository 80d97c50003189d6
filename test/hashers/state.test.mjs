// States of running hashes as bytes: taken and gone on from at every stage, here and in another
// process; and every other string of bytes, which must be refused or do no harm.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serialize } from 'node:v8';

import millrace from 'millrace';

import { hashNames } from '../support/algorithms.mjs';
import { output } from '../support/child.mjs';
import { expectError, thrown } from '../support/refusals.mjs';
import * as hashers from '../support/hashers.mjs';
import { random } from '../support/random.mjs';

const { pieces } = hashers;
const [subjects, families] = [hashers.subjects, hashers.families].map((all) =>
  all.filter((subject) => subject.exports),
);

// Where the parts of a state stand: the table at the top of src/hashers/state.ts.
const at = {
  version: 4,
  kind: 5,
  output: 6,
  nameSize: 7,
  length: 8,
  seed: 16,
  check: 24,
  name: 32,
};
const sumSize = 8;

/** Returns a forged state with the right checksum. */
function signed(blob) {
  const body = blob.subarray(0, blob.length - sumSize);
  millrace.hash('xxh3-64', body, { target: blob, targetOffset: body.length });
  return blob;
}

const bodyOffset = (subject) => at.name + subject.algorithm.length;

/** Checks that the state is refused. */
function refused(make, what, message) {
  expectError(thrown(make, what), 'ERR_STATE', message, what);
}

/** Checks that a state is refused, or gives a hasher that works like any other. */
function harmless(make, what) {
  let hasher;
  try {
    hasher = make();
  } catch (error) {
    if (error?.code !== 'ERR_STATE')
      throw new Error(`${what}: ${error?.code} ${error?.stack}`, { cause: error });
    return false;
  }
  const copy = hasher.copy();
  const blob = hasher.exportState();
  assert.equal(blob.length > at.name, true);
  assert.doesNotThrow(() => make({ state: blob }), what);
  const use = (each) => {
    try {
      return each.update('more').update(Buffer.alloc(3000, 5)).digest();
    } catch (error) {
      // A counter at its end refuses more bytes.
      if (error?.code === 'ERR_STATE' || error?.code === 'ERR_SOURCE_SIZE') return error.code;
      assert.equal(error?.code, 'ERR_HASHER_SPENT', `${what}: ${error?.stack}`);
      return each.squeeze(500);
    }
  };
  assert.deepEqual(use(copy), use(hasher), what);
  hasher.reset();
  return true;
}

test('a message continues from its state at every stage', () => {
  for (const subject of subjects) {
    const rng = random(`stages ${subject.name}`);
    for (const size of [0, 1, 63, 64, 65, 200, 1024, 1025, 2100, 10_000]) {
      const message = rng.bytes(size);
      let hasher = subject.make();
      for (const piece of pieces(message, rng).slice(0, 60)) {
        hasher.update(piece);
        if (rng.chance(0.4)) hasher = subject.make({ state: hasher.exportState() });
        else if (rng.chance(0.2)) hasher.exportState();
      }
      // The pieces beyond the first sixty come at once.
      const left = message.subarray(taken(hasher));
      hasher = subject.make({ state: hasher.exportState() });
      const digest = hasher.update(left).digest();
      assert.deepEqual(digest, subject.expected(message), `${subject.name}, ${size} bytes`);
    }
  }
});

/** Returns the bytes that a hasher has taken in, by its state. */
function taken(hasher) {
  return Number(hasher.exportState().readBigUInt64LE(at.length));
}

test('every length: the state does not depend on the chunks', () => {
  for (const subject of families) {
    const rng = random(`one form ${subject.name}`);
    const message = rng.bytes(1100);
    for (let size = 0; size <= message.length; size += size < 300 ? 1 : 13) {
      const part = message.subarray(0, size);
      const what = `${subject.name}, ${size} bytes`;
      const whole = subject.make().update(part).exportState();
      const parts = subject.make();
      for (const piece of pieces(part, rng)) parts.update(piece);
      assert.deepEqual(parts.exportState(), whole, what);
      const again = subject.make({ state: whole });
      assert.deepEqual(again.exportState(), whole, `${what}, taken again`);
      assert.deepEqual(again.digest(), subject.expected(part), what);
    }
  }
});

test('the layout is the one written down', () => {
  const blob = millrace.createHash('sha3-256').update('abc').exportState();
  assert.equal(blob.toString('latin1', 0, 4), 'MRHS');
  assert.deepEqual(
    [blob[at.version], blob[at.kind], blob[at.output], blob[at.nameSize]],
    [1, 0, 0, 8],
  );
  assert.equal(blob.readBigUInt64LE(at.length), 3n);
  assert.equal(blob.toString('latin1', at.name, at.name + 8), 'sha3-256');
  assert.deepEqual(signed(Buffer.from(blob)), blob);
  assert.equal(millrace.createHash('blake3', { key: Buffer.alloc(32) }).exportState()[at.kind], 1);
  assert.equal(millrace.createHmac('sha256', 'key').exportState()[at.kind], 2);
  const squeezing = millrace.createHash('shake256');
  squeezing.squeeze(1);
  assert.equal(squeezing.exportState()[at.output], 1);
  const seeded = millrace.createHash('xxh64', { seed: 0x0123456789abcdefn }).exportState();
  assert.equal(seeded.readBigUInt64LE(at.seed), 0x0123456789abcdefn);
  for (const { name, make } of subjects) {
    const state = make().update(Buffer.alloc(5000, 1)).exportState();
    assert.ok(state.length < 3072, `${name}: ${state.length} bytes`);
    // Buffer's pool is shared with everybody.
    assert.equal(state.buffer.byteLength, state.length, name);
  }
});

test('before the first byte there is no state, and nothing takes its place', () => {
  for (const subject of subjects) {
    const empty = subject.make().exportState();
    assert.equal(empty.length, bodyOffset(subject) + sumSize, subject.name);
    const begun = subject.make().update('begun').exportState();
    begun.writeBigUInt64LE(0n, at.length);
    refused(() => subject.make({ state: signed(begun) }), `${subject.name}: a state of no bytes`);
    empty.writeBigUInt64LE(5n, at.length);
    refused(() => subject.make({ state: signed(empty) }), `${subject.name}: no state of 5 bytes`);
  }
});

test('a state may be any kind of bytes', () => {
  const hash = millrace.createHash('sha256').update('the beginning');
  const blob = hash.exportState();
  const expected = hash.update(' and the end').digest('hex');
  const shared = new SharedArrayBuffer(blob.length);
  const resizable = new ArrayBuffer(blob.length, { maxByteLength: 4096 });
  for (const memory of [shared, resizable]) new Uint8Array(memory).set(blob);
  const apart = Uint8Array.from(blob).buffer;
  const offset = Buffer.concat([Buffer.alloc(5), blob]).subarray(5);
  const views = [shared, resizable].map((memory) => new Uint8Array(memory));
  const copies = [apart, new DataView(apart), Uint8Array.from(blob)];
  for (const state of [blob, offset, ...copies, shared, resizable, ...views]) {
    const next = millrace.createHash('sha256', { state });
    // It has been copied: what becomes of it no longer matters.
    if (ArrayBuffer.isView(state) && state !== blob && state.fill) state.fill(0);
    assert.equal(next.update(' and the end').digest('hex'), expected);
  }
});

test('states do not depend on what becomes of the hasher or the blob', () => {
  for (const subject of families) {
    const hasher = subject.make().update('first');
    const blob = hasher.exportState();
    const before = Buffer.from(blob);
    hasher.update('second');
    assert.deepEqual(blob, before);
    blob.fill(0);
    assert.deepEqual(hasher.digest(), subject.expected(Buffer.from('firstsecond')), subject.name);
  }
});

test('a state continues in another process', async () => {
  const rng = random('process');
  const message = rng.bytes(9000);
  const states = families.map((subject) => {
    const { algorithm, options, key, kind } = subject;
    const cut = rng.below(message.length);
    const state = subject.make().update(message.subarray(0, cut)).exportState();
    return [
      kind,
      algorithm,
      key,
      { ...options, state },
      message.subarray(cut),
      subject.expected(message),
    ];
  });
  const text = serialize(states).toString('base64');
  const printed = await output(`
    const states = require('node:v8').deserialize(Buffer.from('${text}', 'base64'));
    const wrong = [];
    for (const [kind, algorithm, key, options, rest, expected] of states) {
      const hasher =
        kind === 'hmac'
          ? millrace.createHmac(algorithm, key, options)
          : millrace.createHash(algorithm, options);
      if (!hasher.update(rest).digest().equals(expected)) wrong.push(algorithm);
    }
    console.log(JSON.stringify(wrong), states.length);
  `);
  assert.equal(printed, `[] ${families.length}\n`);
});

// states of other hashers

test('a state of another algorithm, kind, key or seed is refused', () => {
  const key = Buffer.alloc(32, 1);
  const makers = {
    ...Object.fromEntries(
      hashNames.map((name) => [name, (more) => millrace.createHash(name, more)]),
    ),
    'keyed blake3': (more) => millrace.createHash('blake3', { key, ...more }),
    'blake3 under another key': (more) =>
      millrace.createHash('blake3', { key: Buffer.alloc(32, 2), ...more }),
    'xxh64, seed 5': (more) => millrace.createHash('xxh64', { seed: 5, ...more }),
    'xxh64, seed 2^63': (more) => millrace.createHash('xxh64', { seed: 2n ** 63n, ...more }),
    'hmac-sha256': (more) => millrace.createHmac('sha256', key, more),
    'hmac-sha256 under another key': (more) => millrace.createHmac('sha256', 'another', more),
    'hmac-sha512': (more) => millrace.createHmac('sha512', key, more),
    'hmac-ripemd160': (more) => millrace.createHmac('ripemd160', key, more),
    'keyed blake2b512': (more) => millrace.createHash('blake2b512', { key, ...more }),
  };
  for (const [one, makeOne] of Object.entries(makers)) {
    const state = makeOne().update('some bytes').exportState();
    for (const [other, makeOther] of Object.entries(makers)) {
      // Without a seed option a hash takes the state's.
      if (one === other || (other === 'xxh64' && one.startsWith('xxh64'))) continue;
      refused(() => makeOther({ state }), `a state of ${one} for ${other}`);
    }
  }
});

test('a forged envelope does not lead the state of one algorithm into another', () => {
  // The name is exchanged, with the right sum: native code has to tell, or to do no harm.
  for (const subject of families) {
    for (const other of families) {
      if (subject === other) continue;
      for (const begun of [subject.make(), subject.make().update(Buffer.alloc(333, 7))]) {
        const own = begun.exportState();
        const theirs = other.make().update('begun').exportState();
        const state = signed(
          Buffer.concat([
            theirs.subarray(0, bodyOffset(other)),
            own.subarray(bodyOffset(subject), own.length - sumSize),
            Buffer.alloc(sumSize),
          ]),
        );
        harmless(
          (more) => other.make({ state, ...more }),
          `the state of ${subject.name} as ${other.name}`,
        );
      }
    }
  }
});

test("the seed is the state's unless another is given", () => {
  for (const [algorithm, seed] of [
    ['xxh32', 77],
    ['xxh64', 2n ** 64n - 1n],
    ['xxh3-64', 3n],
    ['xxh3-128', 2n ** 33n],
  ]) {
    const message = Buffer.alloc(2000, 'seeded');
    const state = millrace
      .createHash(algorithm, { seed })
      .update(message.subarray(0, 1500))
      .exportState();
    const expected = millrace.hash(algorithm, message, { seed });
    for (const more of [{}, { seed }]) {
      const hash = millrace.createHash(algorithm, { state, ...more });
      assert.deepEqual(hash.update(message.subarray(1500)).digest(), expected, algorithm);
    }
    for (const other of [78, 0])
      refused(
        () => millrace.createHash(algorithm, { state, seed: other }),
        `${algorithm} with seed ${other}`,
        /seed/,
      );
  }
});

test('a state with a disposed key is refused', () => {
  const key = millrace.createKey('hmac-sha256', 'key');
  const hmac = millrace.createHmac('sha256', key).update('abc');
  const state = hmac.exportState();
  key.dispose();
  assert.throws(() => hmac.exportState(), { code: 'ERR_KEY_DISPOSED' });
  assert.throws(() => millrace.createHmac('sha256', key, { state }), { code: 'ERR_KEY_DISPOSED' });
  assert.deepEqual(
    millrace.createHmac('sha256', 'key', { state }).digest(),
    millrace.hmac('sha256', 'key', 'abc'),
  );
});

// damage

test('bytes that are cut short, extended or not a state are refused', () => {
  for (const subject of families) {
    const blob = subject.make().update(Buffer.alloc(100, 1)).exportState();
    const make = (state) => () => subject.make({ state });
    for (let size = 0; size < blob.length; size += size < 50 ? 1 : 17)
      refused(make(blob.subarray(0, size)), `${subject.name}: ${size} of ${blob.length} bytes`);
    for (const more of [1, 8, 1000])
      refused(
        make(Buffer.concat([blob, Buffer.alloc(more)])),
        `${subject.name}: ${more} bytes more`,
      );
    for (const more of [-100, -8, -1, 1, 8, 1000]) {
      if (blob.length + more < at.name + sumSize) continue;
      const state = Buffer.alloc(blob.length + more);
      blob.copy(state);
      refused(make(signed(state)), `${subject.name}: ${more} bytes more, with the right sum`);
    }
    refused(make(Buffer.alloc(blob.length)), `${subject.name}: zeros`);
    refused(make(Buffer.alloc(0)), `${subject.name}: nothing`);
    refused(make(new ArrayBuffer(0)), `${subject.name}: nothing`);
  }
  const rng = random('no states');
  for (let round = 0; round < 300; round++) {
    const state = rng.bytes(rng.below(500));
    if (rng.chance(0.5) && state.length > 8) state.write('MRHS\x01', 'latin1');
    if (rng.chance(0.5) && state.length > 50) signed(state);
    refused(() => rng.pick(families).make({ state }), 'random bytes');
  }
});

test('other versions are named', () => {
  for (const version of [0, 2, 3, 255]) {
    const state = millrace.createHash('sha256').exportState();
    state[at.version] = version;
    const named = new RegExp(`version ${version}\\b.*version 1\\b`);
    for (const each of [state, signed(Buffer.from(state))])
      refused(() => millrace.createHash('sha256', { state: each }), `version ${version}`, named);
  }
});

test('a state with any bit flipped is refused', () => {
  const rng = random('bits');
  for (const subject of subjects) {
    const blob = subject.make().update(rng.bytes(150)).exportState();
    const all = blob.length <= 260;
    for (let bit = 0; bit < blob.length * 8; bit += all ? 1 : rng.between(1, 25)) {
      const state = Buffer.from(blob);
      state[bit >> 3] ^= 1 << (bit & 7);
      refused(() => subject.make({ state }), `${subject.name}: bit ${bit} of ${blob.length * 8}`);
    }
  }
});

test('a state with any bit flipped and a right sum is refused or harmless', () => {
  const rng = random('forged');
  let taken = 0;
  let all = 0;
  for (const subject of families) {
    for (const size of [0, 150, 1100]) {
      const blob = subject.make().update(rng.bytes(size)).exportState();
      const step = blob.length > 400 ? 37 : 5;
      const body = bodyOffset(subject);
      for (let bit = 0; bit < (blob.length - sumSize) * 8;) {
        const state = Buffer.from(blob);
        state[bit >> 3] ^= 1 << (bit & 7);
        all += 1;
        taken += harmless(
          (more) => subject.make({ state: signed(state), ...more }),
          `${subject.name} after ${size} bytes: bit ${bit}, byte ${(bit >> 3) - body} of the state`,
        );
        bit += bit < body * 8 ? 1 : rng.between(1, step);
      }
    }
  }
  // Most of a state are the hash's words, of which all are possible.
  assert.ok(taken > all / 10 && taken < all, `${taken} of ${all} taken`);
});

test('random bytes in a right envelope are refused or harmless', () => {
  const rng = random('random states');
  const lengths = [0n, 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n];
  const damages = [
    (state, from, size) => rng.bytes(size).copy(state, from),
    (state, from, size) => state.fill(0, from, from + size),
    (state, from, size) => state.fill(255, from, from + size),
    (state, from, size) => {
      for (let count = rng.between(1, 8); count > 0; count--)
        state[from + rng.below(size)] = rng.pick([0, 1, 127, 128, 255]);
    },
    // Counters stand at one end or the other, and want to be near their limits.
    (state, from, size) => {
      const first = rng.chance(0.5) ? from : from + Math.max(0, size - 16);
      state.fill(rng.pick([0, 1, 255]), first, first + Math.min(16, size));
    },
  ];
  for (const subject of families) {
    const blob = subject.make().update('begun').exportState();
    const from = bodyOffset(subject);
    const size = blob.length - sumSize - from;
    for (let round = 0; round < 250; round++) {
      const state = Buffer.from(blob);
      damages[round % damages.length](state, from, size);
      if (subject.xof && rng.chance(0.3)) state[at.output] = 1;
      if (rng.chance(0.3)) state.writeBigUInt64LE(rng.pick(lengths), at.length);
      harmless(
        (more) => subject.make({ state: signed(state), ...more }),
        `${subject.name}, round ${round}: ${state.toString('hex')}`,
      );
    }
  }
});

test('a forged mark of taken output is refused or harmless', () => {
  for (const subject of families) {
    for (const size of [0, 10, 2000]) {
      const state = subject.make().update(Buffer.alloc(size, 1)).exportState();
      for (const mark of [1, 2, 255]) {
        state[at.output] = mark;
        const what = `${subject.name} after ${size} bytes, mark ${mark}`;
        if (mark > 1 || !subject.xof) refused(() => subject.make({ state: signed(state) }), what);
        else harmless((more) => subject.make({ state: signed(state), ...more }), what);
      }
      if (!subject.xof) continue;
      const squeezed = subject.make().update(Buffer.alloc(size, 1));
      squeezed.squeeze(5);
      const other = squeezed.exportState();
      other[at.output] = 0;
      harmless(
        (more) => subject.make({ state: signed(other), ...more }),
        `${subject.name}: squeezed, and said not to be`,
      );
    }
  }
});

test('a length that is a lie changes no digest', () => {
  const state = millrace.createHash('sha256').update('abc').exportState();
  for (const length of [0n, 64n, 2n ** 53n - 1n]) {
    state.writeBigUInt64LE(length, at.length);
    let digest;
    try {
      digest = millrace.createHash('sha256', { state: signed(state) }).digest('hex');
    } catch (error) {
      expectError(error, 'ERR_STATE', undefined, `length ${length}`);
      continue;
    }
    assert.equal(digest, millrace.hash('sha256', 'abc', 'hex'));
  }
  state.writeBigUInt64LE(2n ** 53n, at.length);
  refused(() => millrace.createHash('sha256', { state: signed(state) }), 'a length beyond 2^53');
});

// output that has been begun

test('a state exported during output continues with the next byte', () => {
  const rng = random('squeezing');
  for (const subject of subjects.filter(({ xof }) => xof)) {
    const message = rng.bytes(rng.below(3000));
    const whole = subject.make().update(message).squeeze(3000);
    for (const before of [1, 2, 63, 64, 65, 135, 136, 137, 167, 168, 169, 1000, 1024]) {
      const hasher = subject.make().update(message);
      assert.deepEqual(hasher.squeeze(before), whole.subarray(0, before), subject.name);
      const state = hasher.exportState();
      const next = subject.make({ state });
      for (const late of [
        () => next.update('more'),
        () => next.digest(),
        () => next.digestInto(Buffer.alloc(500)),
      ])
        assert.throws(late, { code: 'ERR_HASHER_SPENT' });
      assert.deepEqual(next.exportState(), state, subject.name);
      const rest = whole.subarray(before);
      for (const each of [next, hasher])
        assert.deepEqual(each.squeeze(3000 - before), rest, `${subject.name} from ${before}`);
      const again = next.reset().update(message).squeeze(50);
      assert.deepEqual(again, whole.subarray(0, 50), subject.name);
    }
  }
});

test('a hasher has no state after its digest', () => {
  for (const { name, make } of families) {
    const hasher = make().update('abc');
    hasher.digest();
    assert.throws(() => hasher.exportState(), { code: 'ERR_HASHER_SPENT' }, name);
  }
});
