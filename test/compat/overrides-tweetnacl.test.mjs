// millrace/overrides: the answers of tweetnacl, of version 1 and, where it can be had, of 0.14.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import { tweetnacl } from 'millrace/overrides';

import { random } from '../support/random.mjs';
import { fetchPackage } from '../support/registry.mjs';
import { assertSame, assertSameHostile } from '../support/same-answers.mjs';
import { vectors } from '../support/vectors.mjs';

const require = createRequire(import.meta.url);

/** Returns another copy of tweetnacl: setPRNG changes it. */
function fresh(path) {
  delete require.cache[require.resolve(path)];
  return require(path);
}

/** Returns tweetnacl with functions that throw, but for its names and numbers. */
function poisoned(value) {
  if (typeof value !== 'function' && typeof value !== 'object') return value;
  const copy = typeof value === 'function' ? () => assert.fail('the original was asked') : {};
  return Object.assign(
    copy,
    Object.fromEntries(Object.entries(value).map(([name, each]) => [name, poisoned(each)])),
    // Asked once for what it returns for a box that is not authentic.
    value.keyLength === 32 ? { open: value.open } : {},
  );
}

const versions = { 1: () => fresh('tweetnacl') };
try {
  const folder = fetchPackage('tweetnacl', '0.14.5');
  versions['0.14'] = () => fresh(join(folder, 'nacl-fast.js'));
} catch {
  console.log('skipped: tweetnacl 0.14: it cannot be fetched from the registry');
}

/** The functions by their names: `box.open.after`. */
function functionsOf(value, path = []) {
  return Object.entries(value).flatMap(([name, each]) => {
    const here = [...path, name];
    const own = typeof each === 'function' ? [here.join('.')] : [];
    return typeof each === 'function' || (typeof each === 'object' && each !== null)
      ? [...own, ...functionsOf(each, here)]
      : own;
  });
}
const at = (nacl, path) => path.split('.').reduce((value, name) => value[name], nacl);

for (const [version, load] of Object.entries(versions)) {
  const [original, nacl] = [load(), tweetnacl(load())];
  const numbers = random(`tweetnacl ${version}`);
  const bytes = (size) => new Uint8Array(numbers.bytes(size));
  const same = (path, ...given) => assertSame(at(original, path), at(nacl, path), given, path);

  test(`tweetnacl ${version}: names, numbers and lengths are the original's`, () => {
    assert.deepEqual(functionsOf(nacl).sort(), functionsOf(original).sort());
    for (const path of functionsOf(original)) {
      assert.equal(at(nacl, path).length, at(original, path).length, path);
      for (const [name, value] of Object.entries(at(original, path)))
        if (typeof value === 'number') assert.equal(at(nacl, path)[name], value);
    }
  });

  test(`tweetnacl ${version}: boxes of every size`, () => {
    for (const size of [...Array(70).keys(), 127, 128, 255, 1000, 4096, 65_537]) {
      const [message, nonce, key] = [bytes(size), bytes(24), bytes(32)];
      same('secretbox', message, nonce, key);
      const box = original.secretbox(message, nonce, key);
      for (const path of ['secretbox.open', 'box.open.after']) {
        same(path, box, nonce, key);
        for (const changed of [0, 15, numbers.below(box.length)]) {
          const bad = Uint8Array.from(box);
          bad[changed] ^= 1 << numbers.below(8);
          same(path, bad, nonce, key);
        }
        same(path, box.subarray(0, numbers.below(box.length)), nonce, key);
      }
    }
  });

  test(`tweetnacl ${version}: key agreement and boxes between key pairs`, () => {
    for (let round = 0; round < 20; round++) {
      const [mine, theirs] = [bytes(32), bytes(32)];
      const publicKey = original.scalarMult.base(theirs);
      same('scalarMult.base', mine);
      same('scalarMult', mine, round % 2 ? publicKey : bytes(32));
      same('box.before', publicKey, mine);
      same('box.keyPair.fromSecretKey', mine);
      const [message, nonce] = [bytes(round * 5), bytes(24)];
      same('box', message, nonce, publicKey, mine);
      const box = original.box(message, nonce, publicKey, mine);
      same('box.open', box, nonce, original.scalarMult.base(mine), theirs);
      same('box.open', box, nonce, publicKey, bytes(32));
    }
    // Points of small order, and encodings that are not canonical.
    const point = (first, rest, last) =>
      Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? first : i === 31 ? last : rest));
    for (const u of [0, 1, 9, 0xec, 0xed, 0xee, 0xff])
      for (const [rest, last] of [
        [0, 0],
        [0, 0x80],
        [0xff, 0x7f],
        [0xff, 0xff],
      ]) {
        same('scalarMult', bytes(32), point(u, rest, last));
        same('box.before', point(u, rest, last), bytes(32));
      }
  });

  test(`tweetnacl ${version}: signatures`, () => {
    for (const size of [0, 1, 31, 32, 64, 127, 128, 1000]) {
      const [seed, message] = [bytes(32), bytes(size)];
      same('sign.keyPair.fromSeed', seed);
      const { publicKey, secretKey } = original.sign.keyPair.fromSeed(seed);
      same('sign.keyPair.fromSecretKey', secretKey);
      same('sign', message, secretKey);
      same('sign.detached', message, secretKey);
      // The second half of a key is used as it is.
      same('sign.detached', message, bytes(64));
      const signature = original.sign.detached(message, secretKey);
      const signed = original.sign(message, secretKey);
      same('sign.detached.verify', message, signature, publicKey);
      same('sign.open', signed, publicKey);
      for (let round = 0; round < 6; round++) {
        const [bad, key] = [Uint8Array.from(signed), Uint8Array.from(publicKey)];
        if (round < 4) bad[numbers.below(bad.length)] ^= 1 << numbers.below(8);
        else key[round === 4 ? 31 : numbers.below(32)] ^= 1 << numbers.below(8);
        same('sign.open', bad, key);
        same('sign.detached.verify', bad.subarray(64), bad.subarray(0, 64), key);
      }
      same('sign.open', signed.subarray(0, 63), publicKey);
    }
  });

  test(`tweetnacl ${version}: signatures that rules judge differently`, () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    for (const { message, publicKey, signature } of vectors('ed25519-edge-cases')) {
      const [m, key, sig] = [message, publicKey, signature].map((each) => new Uint8Array(each));
      same('sign.detached.verify', m, sig, key);
      // s and the order: the original does not reduce it.
      const s = BigInt(`0x${Buffer.from(sig.subarray(32)).reverse().toString('hex')}`) + order;
      if (s >= 2n ** 256n) continue;
      const more = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
      same('sign.detached.verify', m, Uint8Array.of(...sig.subarray(0, 32), ...more), key);
    }
  });

  test(`tweetnacl ${version}: hashes`, () => {
    for (const size of [0, 1, 63, 64, 111, 112, 127, 128, 129, 1000, 100_000]) {
      const message = bytes(size);
      same('hash', message);
      const outputs = [original, nacl].map((each) => {
        const out = new Uint8Array(64);
        return [each.lowlevel.crypto_hash(out, message, message.length), out];
      });
      assert.deepEqual(outputs[1], outputs[0]);
    }
  });

  test(`tweetnacl ${version}: hostile arguments`, () => {
    const { publicKey, secretKey } = original.sign.keyPair.fromSeed(bytes(32));
    const [message, nonce, key] = [bytes(20), bytes(24), bytes(32)];
    const signature = original.sign.detached(message, secretKey);
    const good = {
      secretbox: [message, nonce, key],
      'secretbox.open': [original.secretbox(message, nonce, key), nonce, key],
      scalarMult: [key, publicKey],
      'scalarMult.base': [key],
      box: [message, nonce, publicKey, key],
      'box.open': [original.box(message, nonce, publicKey, key), nonce, publicKey, key],
      'box.before': [publicKey, key],
      'box.keyPair.fromSecretKey': [key],
      sign: [message, secretKey],
      'sign.open': [original.sign(message, secretKey), publicKey],
      'sign.detached': [message, secretKey],
      'sign.detached.verify': [message, signature, publicKey],
      'sign.keyPair.fromSeed': [key],
      'sign.keyPair.fromSecretKey': [secretKey],
      hash: [message],
      verify: [key, key],
      randomBytes: [0],
    };
    for (const [path, given] of Object.entries(good))
      assertSameHostile(at(original, path), at(nacl, path), given, path);
    const [hash, ours] = [original, nacl].map(({ lowlevel }) => (m, n) => {
      const out = new Uint8Array(64);
      return { returned: lowlevel.crypto_hash(out, m, n), out };
    });
    assertSameHostile(hash, ours, [message, message.length], 'lowlevel.crypto_hash');
    for (const size of [0, 7, 20]) assertSame(hash, ours, [message, size], 'lowlevel.crypto_hash');
  });

  test(`tweetnacl ${version}: random numbers are those of setPRNG`, () => {
    for (const each of [original, nacl]) {
      let count = 0;
      each.setPRNG((target, size) => {
        for (let index = 0; index < size; index++) target[index] = count++ + target.length;
      });
    }
    same('randomBytes', 7);
    for (const path of ['box.keyPair', 'sign.keyPair']) same(path);
    for (const each of [original, nacl])
      each.setPRNG(() => {
        throw new RangeError('no entropy');
      });
    for (const path of ['box.keyPair', 'sign.keyPair']) same(path);
  });
}

test('tweetnacl: key pairs of the system differ and work', () => {
  const nacl = tweetnacl(fresh('tweetnacl'));
  const [one, other] = [nacl.box.keyPair(), nacl.box.keyPair()];
  assert.notDeepEqual(one.secretKey, other.secretKey);
  assert.deepEqual(
    nacl.box.before(one.publicKey, other.secretKey),
    nacl.box.before(other.publicKey, one.secretKey),
  );
  const { publicKey, secretKey } = nacl.sign.keyPair();
  const signature = nacl.sign.detached(publicKey, secretKey);
  assert.ok(nacl.sign.detached.verify(publicKey, signature, publicKey));
});

test('tweetnacl: native code answers all good calls alone', () => {
  const original = fresh('tweetnacl');
  const nacl = tweetnacl(poisoned(original));
  const seed = new Uint8Array(32).fill(5);
  const [message, nonce] = [new Uint8Array(9), new Uint8Array(24)];
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(seed);
  const signature = nacl.sign.detached(message, secretKey);
  assert.equal(nacl.sign.detached.verify(message, signature, publicKey), true);
  assert.deepEqual(nacl.sign.open(nacl.sign(message, secretKey), publicKey), message);
  // A false signature needs no second opinion.
  signature[3] ^= 1;
  assert.equal(nacl.sign.detached.verify(message, signature, publicKey), false);
  const pair = nacl.box.keyPair.fromSecretKey(seed);
  assert.deepEqual(nacl.scalarMult.base(seed), pair.publicKey);
  assert.equal(nacl.scalarMult(seed, pair.publicKey).length, 32);
  const box = nacl.box(message, nonce, pair.publicKey, seed);
  assert.deepEqual(nacl.box.open(box, nonce, pair.publicKey, seed), message);
  box[0] ^= 1;
  assert.equal(nacl.box.open(box, nonce, pair.publicKey, seed), null);
  assert.equal(nacl.hash(message).length, 64);
  assert.equal(nacl.lowlevel.crypto_hash(new Uint8Array(64), message, 9), 0);
});

test('tweetnacl: the original stays as it is', () => {
  const original = fresh('tweetnacl');
  const before = { ...original };
  tweetnacl(original);
  assert.deepEqual({ ...original }, before);
});
