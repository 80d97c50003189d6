// millrace/overrides: the answers of @noble/curves, of version 2 and, where they can be had, of the
// versions 1 that dependents pin.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nobleCurves } from 'millrace/overrides';

import { nobleCurvesVersions, poisoned } from '../support/noble-curves.mjs';
import { random } from '../support/random.mjs';
import { assertSame, assertSameHostile } from '../support/same-answers.mjs';
import { vectors } from '../support/vectors.mjs';

const hex = (bytes) => Buffer.from(bytes).toString('hex');

for (const [version, load] of Object.entries(nobleCurvesVersions())) {
  const numbers = random(`curves ${version}`);
  const bytes = (size) => new Uint8Array(numbers.bytes(size));
  /** Returns the functions of a curve that compare it with the original. */
  const comparing = async (path, name) => {
    const module = await load(path);
    const [original, ours] = [module[name], nobleCurves(module)[name]];
    const same = (call, ...given) =>
      original[call] && assertSame(original[call], ours[call], given, `${name}.${call}`);
    return { original, ours, same };
  };

  test(`@noble/curves ${version}: modules keep what Millrace does not replace`, async () => {
    const module = await load('ed25519');
    const ours = nobleCurves(module);
    assert.deepEqual(Object.keys(ours).sort(), Object.keys(module).sort());
    for (const [name, value] of Object.entries(module)) {
      if (ours[name] === value) continue;
      assert.deepEqual(Object.keys(ours[name]), Object.keys(value), name);
      assert.equal(Object.isFrozen(ours[name]), Object.isFrozen(value), name);
      for (const [inner, each] of Object.entries(value))
        if (typeof each === 'function') assert.equal(ours[name][inner].length, each.length, inner);
        else assert.equal(ours[name][inner], each, inner);
    }
    // One object for one curve, as the original has it.
    assert.equal(nobleCurves(module).ed25519, ours.ed25519);
  });

  test(`@noble/curves ${version}: Ed25519`, async () => {
    const { original, same } = await comparing('ed25519', 'ed25519');
    for (const size of [0, 1, 32, 64, 127, 128, 1000]) {
      const [key, message] = [bytes(32), bytes(size)];
      same('getPublicKey', key);
      same('keygen', key);
      same('sign', message, key);
      const [publicKey, signature] = [original.getPublicKey(key), original.sign(message, key)];
      same('verify', signature, message, publicKey);
      for (const [m, k] of [
        [hex(message), hex(key)],
        [hex(message).toUpperCase(), key],
        [Buffer.from(message), Buffer.from(key)],
      ])
        same('sign', m, k);
      same('verify', hex(signature), hex(message), hex(publicKey));
      for (const options of [undefined, {}, { zip215: true }, { zip215: false }, null, 1]) {
        same('verify', signature, message, publicKey, options);
        same('sign', message, key, options);
      }
      same('sign', message, key, { context: bytes(3) });
      for (let round = 0; round < 3; round++) {
        const given = [signature, message, publicKey].map((each) => Uint8Array.from(each));
        const bad = given[round].length > 0 ? round : 0;
        given[bad][numbers.below(given[bad].length)] ^= 1 << numbers.below(8);
        same('verify', ...given);
      }
    }
  });

  test(`@noble/curves ${version}: signatures that rules judge differently`, async () => {
    const { same } = await comparing('ed25519', 'ed25519');
    for (const { message, publicKey, signature } of vectors('ed25519-edge-cases')) {
      const given = [signature, message, publicKey].map((each) => new Uint8Array(each));
      for (const options of [[], [{ zip215: true }], [{ zip215: false }]])
        same('verify', ...given, ...options);
    }
    // Every small y, not canonical and canonical, with both signs, as key and as R.
    for (const sign of [0x7f, 0xff])
      for (let low = 0xed; low <= 0xff; low++) {
        const point = new Uint8Array(32).fill(0xff);
        [point[0], point[31]] = [low, sign];
        const signature = new Uint8Array(64);
        signature.set(point);
        same('verify', signature, bytes(5), point);
        signature.set(new Uint8Array(32).fill(1, 0, 1));
        same('verify', signature, bytes(5), point);
      }
  });

  test(`@noble/curves ${version}: X25519`, async () => {
    const { original, same } = await comparing('ed25519', 'x25519');
    for (let round = 0; round < 10; round++) {
      const [key, point] = [bytes(32), bytes(32)];
      for (const call of ['getPublicKey', 'scalarMultBase']) {
        same(call, key);
        same(call, hex(key));
      }
      same('keygen', key);
      for (const call of ['getSharedSecret', 'scalarMult']) {
        same(call, key, original.getPublicKey(bytes(32)));
        same(call, key, point);
        same(call, hex(key), hex(point));
      }
    }
    for (const first of [0, 1, 9, 0xec, 0xed, 0xee, 0xff])
      for (const [rest, last] of [
        [0, 0],
        [0, 0x80],
        [0xff, 0x7f],
        [0xff, 0xff],
      ]) {
        const point = new Uint8Array(32).fill(rest);
        [point[0], point[31]] = [first, last];
        same('getSharedSecret', bytes(32), point);
      }
  });

  test(`@noble/curves ${version}: hostile arguments`, async () => {
    const ed25519 = await comparing('ed25519', 'ed25519');
    const [key, message] = [bytes(32), bytes(20)];
    const { getPublicKey, sign } = ed25519.original;
    const good = {
      ed25519: {
        getPublicKey: [key],
        sign: [message, key],
        verify: [sign(message, key), message, getPublicKey(key)],
      },
      x25519: { getPublicKey: [key], getSharedSecret: [key, bytes(32)] },
    };
    for (const [name, calls] of Object.entries(good)) {
      const { original, ours } = await comparing('ed25519', name);
      for (const [call, given] of Object.entries(calls))
        assertSameHostile(original[call], ours[call], given, `${name}.${call}`);
    }
  });

  test(`@noble/curves ${version}: native code answers good calls alone`, async () => {
    const { ed25519, x25519 } = await load('ed25519');
    const ours = nobleCurves({ ed25519: poisoned(ed25519), x25519: poisoned(x25519) });
    const [key, message] = [bytes(32), bytes(20)];
    const signature = ours.ed25519.sign(message, key);
    assert.equal(ours.ed25519.verify(signature, message, ours.ed25519.getPublicKey(key)), true);
    const publicKey = ours.x25519.getPublicKey(key);
    for (const call of ['getSharedSecret', 'scalarMult'])
      assert.equal(ours.x25519[call](key, publicKey).length, 32);
    if (version.startsWith('1'))
      assert.deepEqual(ours.ed25519.sign(hex(message), hex(key)), signature);
  });

  for (const [path, name, size] of [
    ['secp256k1', 'secp256k1', 32],
    ['nist', 'p256', 32],
    ['nist', 'p384', 48],
    ['nist', 'p521', 66],
  ]) {
    const isFirst = version.startsWith('1');
    const from = version === '1.2.0' && path === 'nist' ? name : path;
    // Secret keys of P-521 are less than 2^521.
    const secret = () => {
      const key = bytes(size);
      if (size === 66) key[0] = 0;
      return key;
    };

    test(`@noble/curves ${version}: ${name}, keys and agreement`, async () => {
      const { original, same } = await comparing(from, name);
      for (let round = 0; round < 6; round++) {
        const [key, peer] = [secret(), original.getPublicKey(secret(), round % 2 === 0)];
        for (const form of [[], [true], [false], [undefined], [1]]) {
          same('getPublicKey', key, ...form);
          same('getPublicKey', hex(key), ...form);
          same('getSharedSecret', key, peer, ...form);
          same('getSharedSecret', hex(key), hex(peer), ...form);
        }
        const bad = Uint8Array.from(peer);
        bad[numbers.below(bad.length)] ^= 1 << numbers.below(8);
        same('getSharedSecret', key, bad);
        // The hybrid form, and points at infinity.
        for (const first of [0, 5, 6, 7]) {
          bad.set(peer);
          bad[0] = first;
          same('getSharedSecret', key, bad);
        }
        same('getSharedSecret', key, new Uint8Array(1));
      }
      const zero = new Uint8Array(size);
      const order = original.Point?.Fn?.ORDER ?? original.CURVE.n;
      for (const number of [0n, 1n, order - 1n, order, order + 1n]) {
        const key = Buffer.from(number.toString(16).padStart(2 * size, '0'), 'hex');
        same('getPublicKey', new Uint8Array(key));
        same('sign', bytes(32), new Uint8Array(key));
      }
      same('getPublicKey', zero.subarray(1));
      if (isFirst) same('getPublicKey', 5n);
    });

    test(`@noble/curves ${version}: ${name}, signatures`, async () => {
      const { original, same } = await comparing(from, name);
      const optionsList = [
        undefined,
        {},
        { lowS: true },
        { lowS: false },
        { prehash: true },
        { prehash: false },
        { lowS: true, prehash: false, extraEntropy: false },
        { lowS: true, extraEntropy: bytes(32) },
        { lowS: true, extraEntropy: hex(bytes(32)) },
        { lowS: false, extraEntropy: bytes(5) },
        { lowS: true, format: 'compact' },
        { lowS: true, format: 'recovered' },
        { lowS: true, format: 'der' },
        { lowS: true, format: 'other' },
        { lowS: 1 },
        { prehash: 'yes' },
        { other: 1 },
        null,
        5,
      ];
      for (const messageSize of [1, 20, 31, 32, 33, 48, 64, 66, 100]) {
        const [key, message] = [secret(), bytes(messageSize)];
        const publicKey = original.getPublicKey(key, messageSize % 2 === 0);
        same('sign', message, key);
        for (const options of optionsList) {
          same('sign', message, key, options);
          same('sign', hex(message), hex(key), options);
        }
        // As many that s is high in some.
        for (const prehash of [false, true]) {
          const signed = original.sign(message, key, { lowS: false, prehash });
          const compact = isFirst ? signed.toCompactRawBytes() : signed;
          for (const options of [
            undefined,
            { prehash },
            { lowS: true, prehash },
            { lowS: false, prehash },
          ]) {
            same('verify', compact, message, publicKey, options);
            same('verify', hex(compact), hex(message), hex(publicKey), options);
            if (isFirst) {
              same('verify', signed, message, publicKey, options);
              same('verify', signed.toDERRawBytes(), message, publicKey, options);
            }
            for (const which of [0, 1, 2]) {
              const given = [compact, message, publicKey].map((each) => Uint8Array.from(each));
              given[which][numbers.below(given[which].length)] ^= 1 << numbers.below(8);
              same('verify', ...given, options);
            }
          }
          for (const empty of [0, size])
            same(
              'verify',
              Uint8Array.from(compact).fill(0, empty, empty + size),
              message,
              publicKey,
            );
        }
      }
      // Digests at and beyond the order.
      for (const fill of [0, 255]) {
        const digest = new Uint8Array(size).fill(fill);
        same('sign', digest, secret(), { lowS: true, prehash: false });
      }
    });

    test(`@noble/curves ${version}: ${name}, recovery`, async () => {
      const { original, same } = await comparing(from, name);
      if (original.recoverPublicKey === undefined) return;
      for (let round = 0; round < 10; round++) {
        const [key, message] = [secret(), bytes(32)];
        for (const prehash of [true, false]) {
          const signed = original.sign(message, key, { lowS: true, prehash, format: 'recovered' });
          const signature = isFirst ? signed.toBytes('recovered') : signed;
          same('recoverPublicKey', signature, message, { prehash });
          same('recoverPublicKey', signature, message);
          for (const first of [0, 1, 2, 3, 4, 27]) {
            const other = Uint8Array.from(signature);
            other[0] = first;
            same('recoverPublicKey', other, message, { lowS: true, prehash });
          }
        }
      }
    });

    test(`@noble/curves ${version}: ${name}, hostile arguments and native code alone`, async () => {
      const { original, ours } = await comparing(from, name);
      const [key, message] = [secret(), bytes(32)];
      const compact = ((signed) => (isFirst ? signed.toCompactRawBytes() : signed))(
        original.sign(message, key),
      );
      const publicKey = original.getPublicKey(key);
      const good = {
        getPublicKey: [key],
        getSharedSecret: [key, publicKey],
        sign: [message, key],
        verify: [compact, message, publicKey],
      };
      for (const [call, given] of Object.entries(good))
        assertSameHostile(original[call], ours[call], given, `${name}.${call}`);
      const alone = nobleCurves({ [name]: poisoned(original) })[name];
      assert.deepEqual(alone.getPublicKey(key), publicKey);
      assert.equal(alone.verify(compact, message, publicKey), true);
      assert.equal(alone.verify(compact, bytes(32), publicKey), false);
      // Of version 1 an object, of a class over the original's.
      const own = [alone, original].map((each) => ({
        ...each.sign(message, key, { lowS: true, prehash: false }),
      }));
      assert.deepEqual(own[0], own[1]);
      assert.equal(alone.getSharedSecret(key, publicKey).length, size + 1);
    });
  }

  if (version.startsWith('1'))
    test(`@noble/curves ${version}: signatures as objects`, async () => {
      const { original, ours } = await comparing('secp256k1', 'secp256k1');
      const both = (make, title) =>
        assertSame(
          () => make(original),
          () => make(ours),
          [],
          title,
        );
      for (let round = 0; round < 8; round++) {
        const [key, message] = [bytes(32), bytes(32)];
        const made = original.sign(message, key, { lowS: round % 2 === 0, prehash: false });
        const [compact, der] = [made.toCompactHex(), made.toDERHex()];
        both(({ Signature }) => Signature.fromCompact(compact), 'fromCompact');
        both(({ Signature }) => Signature.fromDER(der), 'fromDER');
        both(({ Signature }) => Signature.fromDER(compact), 'fromDER of another form');
        both(({ Signature }) => Signature.fromDER(der).normalizeS(), 'normalizeS');
        both(({ Signature }) => Signature.fromCompact(compact).hasHighS(), 'hasHighS');
        both(({ Signature }) => new Signature(0n, made.s), 'a number out of range');
        for (const recovery of [undefined, null, 0, 1, 2, 3, 4, 27, '1'])
          for (const digest of [message, hex(message), bytes(31), bytes(33), 5]) {
            const recovered = ({ Signature }) => {
              const signature = Signature.fromCompact(compact).addRecoveryBit(recovery);
              return signature.recoverPublicKey(digest);
            };
            both(recovered, `recovery ${recovery}`);
          }
        const own = ours.sign(message, key);
        assert.ok(own instanceof ours.Signature && own instanceof original.Signature);
        assert.equal(own.recoverPublicKey(message).toHex(), hex(original.getPublicKey(key)));
        assert.equal(ours.verify(own, message, original.getPublicKey(key)), true);
      }
    });

  test(`@noble/curves ${version}: Schnorr signatures`, async () => {
    const { original, ours, same } = await comparing('secp256k1', 'schnorr');
    for (const size of [0, 1, 32, 33, 200]) {
      const [key, message, entropy] = [bytes(32), bytes(size), bytes(32)];
      same('getPublicKey', key);
      same('getPublicKey', hex(key));
      same('sign', message, key, entropy);
      same('sign', hex(message), hex(key), hex(entropy));
      same('sign', message, key, bytes(31));
      const [signature, publicKey] = [original.sign(message, key), original.getPublicKey(key)];
      same('verify', signature, message, publicKey);
      same('verify', hex(signature), hex(message), hex(publicKey));
      const own = ours.sign(message, key);
      assert.equal(original.verify(own, message, publicKey), true);
      assert.notDeepEqual(own, ours.sign(message, key), 'the entropy is random');
      for (let round = 0; round < 6; round++) {
        const given = [signature, message, publicKey].map((each) => Uint8Array.from(each));
        const bad = given[round % 3].length > 0 ? round % 3 : 0;
        given[bad][numbers.below(given[bad].length)] ^= 1 << numbers.below(8);
        same('verify', ...given);
      }
      for (const [start, end] of [
        [0, 32],
        [32, 64],
      ])
        for (const fill of [0, 255])
          same('verify', Uint8Array.from(signature).fill(fill, start, end), message, publicKey);
    }
    const [key, message] = [bytes(32), bytes(32)];
    const good = {
      getPublicKey: [key],
      sign: [message, key, bytes(32)],
      verify: [original.sign(message, key), message, original.getPublicKey(key)],
    };
    for (const [call, given] of Object.entries(good))
      if (call !== 'sign') assertSameHostile(original[call], ours[call], given, `schnorr.${call}`);
  });
}
