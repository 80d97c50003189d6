// The hashes of the portable engine by themselves: digests, states and refusals are the native
// engine's, byte for byte.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bundle, portable } from '../support/portable-bundle.mjs';
import {
  catalog,
  checkMac,
  checkMessage,
  nativeHash,
  NOTHING,
  outcome,
  paramsOf,
  placed,
  Refused,
  sizesAround,
} from '../support/portable-hash-checks.mjs';
import { random } from '../support/random.mjs';

const { hashes, prepareMac } = await portable('src/portable/hashes/index.ts');

/** The most bytes of which the portable engine's BLAKE2 has states. */
const BLAKE2_MAX = 2n ** 53n;

test('there is one for each of the catalog', () => {
  assert.equal(hashes.length, catalog.length);
  for (const { id, name, xof } of catalog)
    assert.equal(typeof hashes[id].squeeze, xof ? 'function' : 'undefined', name);
});

for (const facts of catalog) {
  const hash = hashes[facts.id];
  const native = nativeHash(facts.id);

  test(`${facts.name}: digests and states, one-shot and in chunks`, () => {
    const rng = random(facts.name);
    for (const params of paramsOf(facts, rng)) {
      for (const size of sizesAround(facts)) {
        const message = placed(rng.bytes(size), rng.below(8));
        checkMessage(
          facts,
          hash,
          params,
          message,
          rng.below(size + 1),
          facts.xof ? rng.between(1, 400) : facts.digestSize,
        );
      }
    }
  });

  test(`${facts.name}: many small chunks, and one large message`, () => {
    const rng = random(`${facts.name} pieces`);
    const message = rng.bytes(20_000);
    const size = facts.digestSize || 32;
    const [expected, actual] = [new Uint8Array(size), new Uint8Array(size)];
    const params = paramsOf(facts, rng).at(-1);
    native.digest(params, message, expected);
    hash.digest(params, message, actual);
    assert.deepEqual(actual, expected);
    let state = NOTHING;
    for (let at = 0; at < message.length;) {
      const next = new Uint8Array(facts.stateSize);
      const end = Math.min(at + rng.pick([0, 1, 3, 8, 64, 100, 1024, 3000]), message.length);
      hash.update(params, state, message.subarray(at, end), next);
      [state, at] = [next, end];
    }
    hash.finish(params, state, NOTHING, actual.fill(0));
    assert.deepEqual(actual, expected);
  });

  test(`${facts.name}: the source may be where the result goes`, () => {
    const message = random(`${facts.name} overlap`).bytes(300);
    const size = facts.digestSize || 32;
    const expected = new Uint8Array(size);
    native.digest({ seed: 0n, key: undefined }, message, expected);
    const memory = Uint8Array.from(message);
    hash.digest({ seed: 0n, key: undefined }, memory, memory.subarray(5, 5 + size));
    assert.deepEqual(memory.slice(5, 5 + size), expected);
  });

  test(`${facts.name}: an invalid state is refused as in native code`, () => {
    const rng = random(`${facts.name} damage`);
    const params = paramsOf(facts, rng);
    const counts = { refused: 0, taken: 0 };
    for (const begun of params) {
      for (const size of [0, 1, 63, 64, 128, 200, 256, 257, 1024, 1025, 3000]) {
        const state = new Uint8Array(facts.stateSize);
        native.update(begun, NOTHING, rng.bytes(size), state);
        const damaged = damages(state, rng, facts);
        for (const bytes of damaged) {
          const given = rng.pick(params);
          if (beyondBlake2(facts, bytes)) continue;
          const digest = () => new Uint8Array(facts.digestSize || 32);
          const next = () => new Uint8Array(facts.stateSize);
          const rest = rng.bytes(rng.below(100));
          const ours = outcome(
            Refused,
            (target, after) => (
              hash.finish(given, bytes, rest, target),
              hash.update(given, bytes, rest, after)
            ),
            digest(),
            next(),
          );
          const theirs = outcome(
            Refused,
            (target, after) => (
              native.finish(given, bytes, rest, target),
              native.update(given, bytes, rest, after)
            ),
            digest(),
            next(),
          );
          assert.deepEqual(
            ours,
            theirs,
            `after ${size} bytes: ${Buffer.from(bytes).toString('hex')}`,
          );
          if (ours !== 'refused') hash.check(given, bytes);
          counts[ours === 'refused' ? 'refused' : 'taken']++;
        }
      }
    }
    // Every register of a CRC is the state of some message.
    if (!facts.name.startsWith('crc'))
      assert.ok(counts.refused > 50, `only ${counts.refused} were refused`);
    assert.ok(counts.taken > 20, `only ${counts.taken} were taken`);
    for (const size of [1, facts.stateSize - 1, facts.stateSize + 1]) {
      assert.throws(
        () =>
          hash.update(params[0], new Uint8Array(size), NOTHING, new Uint8Array(facts.stateSize)),
        { name: 'StateError' },
      );
    }
    assert.throws(() => hash.check(params[0], NOTHING), { name: 'StateError' });
  });

  test(`${facts.name}: a refused state leaves nothing behind for the next message`, () => {
    const params = { seed: 0n, key: undefined };
    const [expected, actual] = [
      new Uint8Array(facts.digestSize || 32),
      new Uint8Array(facts.digestSize || 32),
    ];
    native.digest(params, Buffer.from('abc'), expected);
    const wrongSize = facts.stateSize + (facts.name.startsWith('crc') ? 1 : 0);
    assert.throws(
      () => hash.finish(params, new Uint8Array(wrongSize).fill(0xff), NOTHING, actual),
      { name: 'StateError' },
    );
    assert.deepEqual(actual, new Uint8Array(actual.length));
    hash.digest(params, Buffer.from('abc'), actual);
    assert.deepEqual(actual, expected);
  });

  if (facts.xof) {
    test(`${facts.name}: output bit by bit, from states of either engine`, () => {
      const rng = random(`${facts.name} output`);
      for (const params of paramsOf(facts, rng)) {
        for (const size of [0, 1, 200, 1024, 1025, 2048, 5000]) {
          const message = rng.bytes(size);
          const cut = rng.below(size + 1);
          const whole = new Uint8Array(2000);
          native.digest(params, message, whole);
          const [ours, theirs] = [new Uint8Array(facts.stateSize), new Uint8Array(facts.stateSize)];
          hash.update(params, NOTHING, message.subarray(0, cut), ours);
          theirs.set(ours);
          let rest = message.subarray(cut);
          for (let at = 0; at < whole.length;) {
            const count = Math.min(
              rng.pick([0, 1, 7, 63, 64, 65, 136, 168, 500]),
              whole.length - at,
            );
            const [output, other] = [new Uint8Array(count), new Uint8Array(count)];
            hash.squeeze(params, at % 2 === 0 ? ours : theirs, rest, output, ours);
            native.squeeze(params, theirs, rest, other, theirs);
            assert.deepEqual(
              output,
              whole.slice(at, at + count),
              `${size} bytes, output from ${at}`,
            );
            assert.deepEqual(ours, theirs, `${size} bytes, the state after ${at + count}`);
            [rest, at] = [NOTHING, at + count];
          }
          // The message has ended.
          const next = new Uint8Array(facts.stateSize);
          assert.throws(() => hash.update(params, ours, NOTHING, next), { name: 'StateError' });
          assert.throws(() => hash.finish(params, ours, NOTHING, new Uint8Array(8)), {
            name: 'StateError',
          });
          assert.throws(
            () => hash.squeeze(params, ours, Uint8Array.of(1), new Uint8Array(8), next),
            { name: 'StateError' },
          );
          hash.check(params, ours);
        }
      }
    });

    test(`${facts.name}: damaged states that give output`, () => {
      const rng = random(`${facts.name} damaged output`);
      const params = { seed: 0n, key: undefined };
      let refused = 0;
      for (const size of [0, 100, 1024, 4000]) {
        const state = new Uint8Array(facts.stateSize);
        native.squeeze(params, NOTHING, rng.bytes(size), new Uint8Array(77), state);
        for (const bytes of damages(state, rng, facts)) {
          const run = (engine) =>
            outcome(
              Refused,
              (target, next) => engine.squeeze(params, bytes, NOTHING, target, next),
              new Uint8Array(150),
              new Uint8Array(facts.stateSize),
            );
          const ours = run(hash);
          assert.deepEqual(
            ours,
            run(native),
            `after ${size} bytes: ${Buffer.from(bytes).toString('hex')}`,
          );
          if (ours === 'refused') refused++;
        }
      }
      assert.ok(refused > 5);
    });
  }

  if (facts.hmac) {
    test(`${facts.name}: HMAC with keys of all sizes`, () => {
      const rng = random(`${facts.name} HMAC`);
      const keys = [
        0,
        1,
        facts.digestSize,
        facts.blockSize - 1,
        facts.blockSize,
        facts.blockSize + 1,
        500,
      ];
      for (const key of keys) {
        for (const size of [0, 1, 60, 130, 1500])
          checkMac(facts, prepareMac, rng.bytes(key), rng.bytes(size), rng.below(size + 1));
      }
    });
  }
}

test('BLAKE2: no states beyond 2^53 bytes, where numbers are no longer exact', () => {
  for (const name of ['blake2b512', 'blake2s256']) {
    const { id, digestSize, stateSize } = catalog.find((each) => each.name === name);
    const state = new Uint8Array(stateSize);
    const lengthAt = digestSize;
    new DataView(state.buffer).setBigUint64(lengthAt, BLAKE2_MAX - 1n, true);
    hashes[id].check({ seed: 0n, key: undefined }, state);
    new DataView(state.buffer).setBigUint64(lengthAt, BLAKE2_MAX, true);
    assert.throws(() => hashes[id].check({ seed: 0n, key: undefined }, state), {
      name: 'StateError',
    });
    nativeHash(id).update({ seed: 0n, key: undefined }, state, NOTHING, new Uint8Array(stateSize));
  }
});

test('BLAKE2 and BLAKE3 on a big-endian CPU', async () => {
  const text = await bundle('src/portable/hashes/index.ts');
  const other = text.replace('new Uint8Array(Uint16Array.of(1).buffer)[0] === 1', 'false');
  assert.notEqual(other, text);
  const module = { exports: {} };
  new Function('module', 'exports', other)(module, module.exports);
  const rng = random('other byte order');
  for (const facts of catalog.filter(({ name }) => name.startsWith('blake'))) {
    for (const size of [0, 1, 64, 129, 1000, 1025, 5000]) {
      checkMessage(
        facts,
        module.exports.hashes[facts.id],
        { seed: 0n, key: undefined },
        rng.bytes(size),
        rng.below(size + 1),
        facts.digestSize,
      );
    }
  }
});

/** A state with single bytes changed, at all places that mean something and some others. */
function* damages(state, rng, { name }) {
  yield state;
  const heads = Math.min(state.length, 110);
  for (let at = 0; at < heads; at++)
    yield changed(state, at, rng.pick([1, 0x80, 0x10, rng.between(1, 255)]));
  for (let turn = 0; turn < 30; turn++)
    yield changed(state, rng.below(state.length), rng.between(1, 255));
  // Of a sponge only the last two bytes say anything about each other.
  for (const last of [1, 2])
    for (const bits of [1, 2, 0x0f, 0x7f, 0x80, 0xff])
      yield changed(state, state.length - last, bits);
  // Lengths: at the ends, and of other shapes.
  const lengthAt = { blake3: 0, xxh32: 8, xxh64: 8, 'xxh3-64': 8, 'xxh3-128': 8 }[name];
  if (lengthAt === undefined) return;
  for (const length of [
    0n,
    1n,
    1024n,
    2048n,
    3n << 10n,
    1n << 32n,
    (1n << 32n) + 5n,
    1n << 60n,
    (1n << 60n) + 1n,
    (1n << 62n) - 1n,
    1n << 62n,
    (1n << 64n) - 1n,
  ]) {
    const copy = Uint8Array.from(state);
    new DataView(copy.buffer).setBigUint64(lengthAt, length, true);
    yield copy;
  }
}

function changed(state, at, bits) {
  const copy = Uint8Array.from(state);
  copy[at] ^= bits;
  return copy;
}

function beyondBlake2({ name, digestSize }, state) {
  return (
    name.startsWith('blake2') &&
    new DataView(state.buffer, state.byteOffset).getBigUint64(digestSize, true) >= BLAKE2_MAX
  );
}
