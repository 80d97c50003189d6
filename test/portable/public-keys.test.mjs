// Asymmetric keys of the portable engine, beside native code: through the bindings of both.

import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';

import { statusNumbers } from '../../tools/protocol.mjs';
import { newPair } from '../public-keys/keys.mjs';
import { entryPaths } from '../support/child.mjs';
import { algorithms, forms, KeyEngine, NO_HASH, schemes } from '../support/key-engine.mjs';
import { leftIn, wasmInstances } from '../support/wasm-memory.mjs';

const { hashes } = await import('../support/algorithms.mjs');
const require = createRequire(import.meta.url);
const dist = dirname(entryPaths.millrace);
const core = require(join(dist, 'core.js'));
const { makePortable } = require(join(dist, 'portable/binding.js'));
const { portableHost } = require(join(dist, 'engines/portable.node.js'));

const native = new KeyEngine(core['engines/binding'].native, core['base/frame'].frame);
const portable = new KeyEngine(makePortable(portableHost), new Float64Array(64));
/** What waits for jobs of the portable engine, by slot. */
const waiting = new Map();
const completion = new Uint8Array(65_536);
portable.native.attach(
  portable.frame,
  completion,
  () => {
    const [slot, status, small, large] = new Uint32Array(completion.buffer);
    const reason = Buffer.from(completion.buffer, 16 + small, large).toString();
    waiting.get(slot)(status, reason);
  },
  new Uint8Array(8192),
);
after(() => portable.native.setThreads(0));

let slots = 100;

/** Runs an operation in a job of the portable engine. Resolves to its status and target. */
const job = (operation, given) =>
  new Promise((resolve) => {
    const slot = slots++;
    let target;
    waiting.set(slot, (status, reason) => resolve([status, target, reason]));
    target = portable.run(operation, { ...given, slot });
  });

const engines = { native, portable };
const idOf = (name) => core['catalog/catalog-table']?.hashes.find((each) => each.name === name).id;
const sha256 = idOf?.('sha256') ?? 3;
const unhashed = { Count: schemes.Default, Algorithm: NO_HASH, MaxTime: NO_HASH };
const ecdsa = (Count, Algorithm = sha256) => ({ Count, Algorithm, MaxTime: NO_HASH });
const message = Uint8Array.from({ length: 100 }, (_, index) => index);

/** Every way to sign: algorithm, scheme, bytes of the target, additional arguments. */
const signers = [
  ['Ed25519', unhashed, 64],
  ['P256', ecdsa(schemes.EcdsaDer), 74],
  ['P256', ecdsa(schemes.EcdsaP1363), 64],
  ['P256', ecdsa(schemes.EcdsaP1363, idOf('sha1')), 64],
  ...[2420, 3309, 4627].flatMap((size, index) => {
    const name = `MlDsa${['44', '65', '87'][index]}`;
    return [
      [name, unhashed, size],
      [name, unhashed, size, { aad: message.subarray(0, 40) }],
    ];
  }),
];
const kems = { MlKem512: 768, MlKem768: 1088, MlKem1024: 1568 };
const own = ['Ed25519', 'X25519', 'P256', ...Object.keys(kems), 'MlDsa44', 'MlDsa65', 'MlDsa87'];
const isCurve = (name) => name === 'P256';
const hasSeed = (name) => name.startsWith('Ml');

/** Returns the encodings that keys of an algorithm have. */
const privateForms = (name) => [
  'Pkcs8',
  'PrivateRaw',
  ...(hasSeed(name) ? ['Seed'] : []),
  ...(isCurve(name) ? ['Sec1'] : []),
];
const publicForms = (name) => ['Spki', 'PublicRaw', ...(isCurve(name) ? ['Compressed'] : [])];

for (const name of own)
  test(`${name}: what one engine exports the other imports as the same key`, () => {
    for (const [one, other] of [
      [native, portable],
      [portable, native],
    ]) {
      const key = one.generate(algorithms[name]);
      const known = one.publicKeyOf(key);
      for (const [from, list, key_] of [
        [key, privateForms(name), true],
        [known, publicForms(name), false],
      ])
        for (const form of list) {
          const bytes = one.export(from, forms[form]);
          const again = other.import(forms[form], bytes, algorithms[name]);
          assert.deepEqual(other.describe(again), one.describe(from));
          // An expanded key has no seed, so that others of its forms differ.
          const kept = form === 'PrivateRaw' && hasSeed(name) ? ['PrivateRaw'] : list;
          for (const each of kept)
            assert.deepEqual(
              Buffer.from(other.export(again, forms[each])),
              Buffer.from(one.export(from, forms[each])),
              `${form} to ${each}`,
            );
          if (!key_) continue;
          const [left, right] = [other.publicKeyOf(again), known];
          assert.deepEqual(other.export(left, forms.Spki), one.export(right, forms.Spki));
        }
    }
  });

for (const [name, scheme, size, more] of signers)
  test(`${name}, scheme ${scheme.Count}${more ? ', with a context' : ''}: signatures`, () => {
    for (const [one, other] of [
      [native, portable],
      [portable, native],
      [portable, portable],
    ]) {
      const key = one.generate(algorithms[name]);
      const spki = one.export(one.publicKeyOf(key), forms.Spki);
      const known = other.import(forms.Spki, spki);
      for (const length of [0, 1, 64, 100]) {
        const source = message.subarray(0, length);
        const signature = one.sign(key, source, scheme, size, more);
        assert.equal(other.verify(known, source, scheme, signature, more), true);
        for (const at of [0, signature.length >> 1, signature.length - 1]) {
          const changed = signature.slice();
          changed[at] ^= 4;
          assert.equal(other.verify(known, source, scheme, changed, more), false);
        }
        for (const wrong of [signature.subarray(1), new Uint8Array([...signature, 0])])
          assert.equal(other.verify(known, source, scheme, wrong, more), false);
        const others = new Uint8Array([...source, 1]);
        assert.equal(other.verify(known, others, scheme, signature, more), false);
      }
      if (more) assert.equal(other.verify(known, message, scheme, new Uint8Array(size)), false);
    }
  });

test('digests are signed as their messages', () => {
  const key = portable.generate(algorithms.P256);
  const known = portable.publicKeyOf(key);
  for (const name of Object.keys(hashes)) {
    const id = idOf(name);
    const scheme = ecdsa(schemes.EcdsaP1363, id);
    if (!/^sha(1|2|3|5)/.test(name)) {
      assert.throws(() => portable.sign(key, message, scheme, 64), /SignatureHash/, name);
      continue;
    }
    const digest = require('millrace').hash(name, message);
    const signature = portable.sign(key, digest, scheme, 64, { digest: true });
    assert.equal(portable.verify(known, message, scheme, signature), true, name);
    const short = digest.subarray(1);
    assert.throws(() => portable.sign(key, short, scheme, 64, { digest: true }), /DigestSize/);
  }
  const lattice = portable.generate(algorithms.MlDsa44);
  const mu = message.subarray(0, 64);
  const signature = portable.sign(lattice, mu, unhashed, 2420, { digest: true });
  const spki = portable.export(portable.publicKeyOf(lattice), forms.Spki);
  const other = native.import(forms.Spki, spki);
  assert.equal(native.verify(other, mu, unhashed, signature, { digest: true }), true);
  assert.equal(native.verify(other, mu, unhashed, signature), false);
});

for (const name of ['X25519', 'P256'])
  test(`${name}: both engines agree on the same secret`, () => {
    const [mine, theirs] = [portable.generate(algorithms[name]), native.generate(algorithms[name])];
    const publish = (one, key, other) =>
      other.import(forms.Spki, one.export(one.publicKeyOf(key), forms.Spki));
    const secret = portable.agree(mine, publish(native, theirs, portable));
    assert.deepEqual(native.agree(theirs, publish(portable, mine, native)), secret);
    assert.ok(secret.some((byte) => byte !== 0));
  });

for (const [name, size] of Object.entries(kems))
  test(`${name}: one engine decapsulates what the other encapsulates`, () => {
    for (const [one, other] of [
      [native, portable],
      [portable, native],
    ]) {
      const key = one.generate(algorithms[name]);
      const known = other.import(forms.Spki, one.export(one.publicKeyOf(key), forms.Spki));
      const both = other.run('Encapsulate', { key: known, size: 32 + size });
      const source = both.slice(32);
      const secret = one.run('Decapsulate', { key, source, size: 32 });
      assert.deepEqual(secret, both.subarray(0, 32));
      source[5] ^= 1;
      // Implicit rejection.
      const pkcs8 = one.export(key, forms.Pkcs8);
      const again = other.import(forms.Pkcs8, pkcs8);
      const rejected = one.run('Decapsulate', { key, source, size: 32 });
      assert.notDeepEqual(rejected, secret);
      assert.deepEqual(other.run('Decapsulate', { key: again, source, size: 32 }), rejected);
      const short = { source: source.subarray(1), size: 32 };
      assert.throws(() => one.run('Decapsulate', { key, ...short }), /CiphertextSize/);
    }
  });

test('both engines refuse the same keys with the same status', () => {
  const outcome = (engine, form, bytes, algorithm) => {
    try {
      engine.dispose(engine.import(forms[form], bytes, algorithm));
      return 'Done';
    } catch (error) {
      return error.message;
    }
  };
  const same = (form, bytes, algorithm) =>
    assert.equal(
      outcome(portable, form, bytes, algorithm),
      outcome(native, form, bytes, algorithm),
      `${form} ${Buffer.from(bytes).toString('hex').slice(0, 200)}`,
    );
  for (const name of own) {
    const key = native.generate(algorithms[name]);
    const known = native.publicKeyOf(key);
    for (const form of ['Spki', 'PublicRaw']) {
      const bytes = native.export(known, forms[form]);
      for (const size of [0, 1, bytes.length - 1])
        same(form, bytes.subarray(0, size), algorithms[name]);
      same(form, new Uint8Array([...bytes, 0]), algorithms[name]);
    }
    const pkcs8 = native.export(key, forms.Pkcs8);
    for (const size of [0, 1, 20, pkcs8.length - 1]) same('Pkcs8', pkcs8.subarray(0, size));
    same('Pkcs8', new Uint8Array([...pkcs8, 0]));
    for (const size of [1, 31, 33, 5000])
      if (!isCurve(name) || size > 32)
        same('PrivateRaw', new Uint8Array(size).fill(1), algorithms[name]);
    for (const form of ['Sec1', 'Pkcs1', 'Spki', 'Pkcs8'])
      same(form, form === 'Pkcs8' ? native.export(known, forms.Spki) : pkcs8);
  }
  const { P256, MlKem768, MlDsa65, MlDsa44 } = algorithms;
  for (const form of ['Pkcs8', 'Sec1']) {
    const der = native.export(native.generate(P256), forms[form]);
    // A coordinate that is not reduced; a point that is not on the curve; another form of points.
    for (const [at, size] of [
      [64, 32],
      [1, 1],
      [65, 1],
    ]) {
      const changed = der.slice();
      changed.fill(changed.at(-at) ^ 0xff, changed.length - at, changed.length - at + size);
      if (size > 1) changed.fill(0xff, changed.length - at, changed.length - at + size);
      assert.equal(outcome(native, form, changed), 'KeyValue');
      same(form, changed);
    }
  }
  for (const fill of [0, 255]) same('PrivateRaw', new Uint8Array(32).fill(fill), P256);
  for (const first of [0, 2, 4, 5, 6])
    for (const size of [33, 65]) {
      const point = new Uint8Array(size).fill(3);
      point[0] = first;
      same('PublicRaw', point, P256);
    }
  same('PublicRaw', new Uint8Array(1184).fill(255), MlKem768);
  // Expanded keys: K-PKE's key, the public key, its hash, z; rho, K, tr, s1. A changed t0 of ML-DSA
  // is refused by native code only.
  for (const [name, places] of [
    [MlKem768, [0, 1200, 2350, 2399]],
    [MlDsa65, [0, 40, 70, 130]],
    [MlDsa44, [0, 40, 70, 130]],
  ]) {
    const expanded = native.export(native.generate(name), forms.PrivateRaw);
    for (const place of places) {
      const changed = expanded.slice();
      changed[place] ^= 7;
      const [one, other] = [portable, native].map((engine) =>
        outcome(engine, 'PrivateRaw', changed, name),
      );
      assert.equal(one === 'Done', other === 'Done', `${name} ${place} ${one} ${other}`);
      if (one !== 'Done') assert.equal(one, 'KeyValue');
    }
  }
});

test('keys in the wrong place, empty and disposed ones are refused', () => {
  for (const [name, engine] of Object.entries(engines)) {
    const key = engine.generate(algorithms.Ed25519);
    const known = engine.publicKeyOf(key);
    const empty = engine.native.reserveKey();
    const agreeing = engine.generate(algorithms.X25519);
    const curve = engine.generate(algorithms.P256);
    const cipher = engine.native.createKey(0, 0, new Uint8Array(16));
    const refused = (status, call) => assert.throws(call, new RegExp(`^Error: ${status}$`), name);
    refused('KeyUse', () => engine.sign(known, message, unhashed, 64));
    refused('KeyUse', () => engine.verify(key, message, unhashed, new Uint8Array(64)));
    refused('KeyUse', () => engine.sign(agreeing, message, unhashed, 64));
    refused('KeyUse', () => engine.sign(key, message, ecdsa(schemes.EcdsaDer), 74));
    refused('SignatureHash', () =>
      engine.sign(key, message, { ...unhashed, Algorithm: sha256 }, 64),
    );
    refused('SignatureHash', () =>
      engine.sign(curve, message, ecdsa(schemes.EcdsaDer, NO_HASH), 74),
    );
    refused('ContextSize', () => engine.sign(key, message, unhashed, 64, { aad: message }));
    refused('OutputSize', () => engine.sign(key, message, unhashed, 63));
    refused('KeyDisposed', () => engine.sign(empty, message, unhashed, 64));
    refused('KeyDisposed', () => engine.export(empty, forms.Pkcs8));
    refused('KeyAlgorithm', () => engine.sign(cipher, message, unhashed, 64));
    refused('KeyUse', () => engine.export(key, forms.Spki));
    refused('KeyUse', () => engine.export(known, forms.Pkcs8));
    refused('KeyUse', () => engine.export(key, forms.Seed));
    refused('KeyUse', () => engine.publicKeyOf(known));
    refused('KeyPair', () => engine.agree(agreeing, engine.publicKeyOf(curve)));
    refused('KeyUse', () => engine.agree(key, known));
    refused('KeyUse', () => engine.agree(agreeing, agreeing));
    const small = engine.import(forms.PublicRaw, new Uint8Array(32), algorithms.X25519);
    refused('SharedSecret', () => engine.agree(agreeing, small));
    refused('KeyUse', () => engine.run('Encapsulate', { key: known, size: 800 }));
    // A key is filled once.
    const numbers = { Count: forms.PrivateRaw, Algorithm: algorithms.Ed25519 };
    refused('Argument', () =>
      engine.run('ImportKey', { key, source: message.subarray(0, 32), numbers }),
    );
    assert.equal(engine.dispose(key), 1);
    refused('KeyDisposed', () => engine.sign(key, message, unhashed, 64));
  }
});

test('jobs sign, verify and agree; keys are filled in the call', async () => {
  for (const name of ['Ed25519', 'P256', 'MlDsa65']) {
    const [, scheme, size] = signers.find(
      ([each, { Count }]) => each === name && Count !== schemes.EcdsaDer,
    );
    const key = portable.native.reserveKey();
    const [made] = await job('GenerateKey', { key, numbers: { Algorithm: algorithms[name] } });
    assert.equal(made, 0);
    const known = portable.publicKeyOf(key);
    const jobs = Array.from({ length: 4 }, (_, index) => {
      const numbers = { ...scheme, Route: index % 2 ? 1 : 2 };
      return job('Sign', { key, source: message, numbers, size });
    });
    // The jobs have copies.
    portable.dispose(key);
    for (const [status, signature] of await Promise.all(jobs)) {
      assert.equal(status, 0);
      const given = { key: known, source: message, tag: signature, numbers: scheme, size: 1 };
      assert.deepEqual(await job('VerifySignature', given), [0, Uint8Array.of(1), '']);
    }
  }
  const [one, two] = [portable.generate(algorithms.X25519), portable.generate(algorithms.X25519)];
  const numbers = { Count: portable.publicKeyOf(two) };
  const [status, secret] = await job('Agree', { key: one, numbers, size: 32 });
  assert.equal(status, 0);
  assert.deepEqual(portable.agree(two, portable.publicKeyOf(one)), secret);
});

test('no private key, seed or shared secret is left in the memory of a module', () => {
  for (const name of own) {
    const key = portable.generate(algorithms[name]);
    const known = portable.publicKeyOf(key);
    const secrets = privateForms(name)
      .filter((form) => form === 'PrivateRaw' || form === 'Seed')
      .map((form) => portable.export(key, forms[form]));
    if (name in kems) {
      const both = portable.run('Encapsulate', { key: known, size: 32 + kems[name] });
      const given = { key, source: both.subarray(32), size: 32 };
      secrets.push(portable.run('Decapsulate', given));
    } else if (name === 'X25519') secrets.push(portable.agree(key, known));
    else {
      const [, scheme, size] = signers.find(([each]) => each === name);
      portable.sign(key, message, scheme, size);
    }
    portable.import(forms.Pkcs8, portable.export(key, forms.Pkcs8));
    for (const secret of secrets) {
      assert.ok(wasmInstances.size > 0);
      // Private keys that contain public ones: their first bytes are secret.
      assert.deepEqual(leftIn(secret.subarray(0, 32)), [], name);
    }
  }
});

const rsaNumbers = { Count: 2048, MessageSize: 65_537 };
const platformSigners = [
  ['P384', ecdsa(schemes.EcdsaDer), 106],
  ['P384', ecdsa(schemes.EcdsaP1363), 96],
  ['P521', ecdsa(schemes.EcdsaDer), 141],
  ['P521', ecdsa(schemes.EcdsaP1363), 132],
  ['Rsa', ecdsa(schemes.RsaPkcs1), 256],
  ['Rsa', { ...ecdsa(schemes.RsaPss), MessageSize: -1 }, 256],
  ['RsaPss', { ...ecdsa(schemes.RsaPss), MessageSize: -2 }, 256],
];

for (const [name, scheme, size] of platformSigners)
  test(`${name}, scheme ${scheme.Count}: WebCrypto signs in jobs, a call is refused`, async () => {
    const key = portable.native.reserveKey();
    const numbers = { ...rsaNumbers, Algorithm: algorithms[name], SeedLow: NO_HASH };
    assert.throws(() => portable.run('GenerateKey', { key, numbers }), /Unavailable/);
    assert.match(portable.native.lastReason(), /WebCrypto.*promises/);
    assert.equal((await job('GenerateKey', { key, numbers }))[0], 0);
    assert.throws(() => portable.sign(key, message, scheme, size), /Unavailable/);
    const spki = portable.export(portable.publicKeyOf(key), forms.Spki);
    const other = native.import(forms.Spki, spki);
    assert.deepEqual(native.describe(other), portable.describe(portable.publicKeyOf(key)));
    const pkcs8 = portable.export(key, forms.Pkcs8);
    const theirs = native.import(forms.Pkcs8, pkcs8);
    assert.deepEqual(native.export(theirs, forms.Pkcs8), pkcs8);
    const signing = { key, source: message, numbers: scheme, size };
    const [status, padded] = await job('Sign', signing);
    assert.equal(status, 0);
    const isDer = scheme.Count === schemes.EcdsaDer;
    const end = isDer ? padded[size - 2] + 256 * padded[size - 1] : size;
    const signature = padded.subarray(0, end);
    assert.equal(native.verify(other, message, scheme, signature), true);
    const known = portable.import(forms.Spki, spki);
    const verdict = async (tag, source = message) => {
      const given = { key: known, source, tag, numbers: scheme, size: 1 };
      const [done, [right]] = await job('VerifySignature', given);
      assert.equal(done, 0);
      return right;
    };
    assert.equal(await verdict(native.sign(theirs, message, scheme, size)), 1);
    assert.equal(await verdict(signature), 1);
    assert.equal(await verdict(signature, message.subarray(1)), 0);
    for (const wrong of [new Uint8Array(0), signature.subarray(1), new Uint8Array(size)])
      assert.equal(await verdict(wrong), 0);
    if (isDer) {
      // A longer form of the same size, which DER forbids.
      const [, length, ...rest] = signature;
      const long = Uint8Array.from(
        length === 129 ? [48, 130, 0, ...rest] : [48, 129, length, ...rest],
      );
      assert.equal(await verdict(long), 0);
      assert.equal(native.verify(other, message, scheme, long), false);
    }
  });

for (const [name, size] of [
  ['P384', 48],
  ['P521', 66],
])
  test(`${name}: WebCrypto agrees on native code's secret`, async () => {
    const [mine, theirs] = [native.generate(algorithms[name]), native.generate(algorithms[name])];
    const own = portable.import(forms.Sec1, native.export(mine, forms.Sec1));
    const peer = native.export(native.publicKeyOf(theirs), forms.PublicRaw);
    const known = portable.import(forms.PublicRaw, peer, algorithms[name]);
    const secret = native.agree(theirs, native.publicKeyOf(mine), size);
    const given = { key: own, numbers: { Count: known }, size };
    assert.deepEqual(await job('Agree', given), [0, secret, '']);
    assert.throws(() => portable.agree(own, known, size), /Unavailable/);
    peer[20] ^= 1;
    const off = portable.import(forms.PublicRaw, peer, algorithms[name]);
    const refused = await job('Agree', { ...given, numbers: { Count: off } });
    assert.equal(refused[0], statusNumbers.KeyValue);
  });

test('RSA: WebCrypto encrypts and decrypts OAEP in jobs', async () => {
  const theirs = native.native.reserveKey();
  const numbers = { ...rsaNumbers, Algorithm: algorithms.Rsa, SeedLow: NO_HASH, SeedHigh: NO_HASH };
  native.run('GenerateKey', { key: theirs, numbers });
  const components = native.export(theirs, forms.Pkcs1);
  const key = portable.import(forms.Pkcs1, components);
  assert.deepEqual(portable.export(key, forms.Pkcs1), native.export(theirs, forms.Pkcs1));
  const known = portable.publicKeyOf(key);
  const oaep = { Count: 0, Algorithm: sha256, MaxTime: NO_HASH };
  const aad = message.subarray(0, 7);
  const given = { source: message, numbers: oaep, aad };
  const [, sealed] = await job('PublicEncrypt', { ...given, key: known, size: 256 });
  for (const [run, ready] of [
    [job, key],
    [async (...each) => [0, native.run(...each)], theirs],
  ]) {
    const opening = { ...given, key: ready, source: sealed, size: 258 };
    const [status, padded] = await run('PrivateDecrypt', opening);
    assert.equal(status, 0);
    assert.deepEqual(padded.subarray(0, padded[256]), message);
  }
  const opening = { key, source: sealed, numbers: oaep, size: 258 };
  assert.equal((await job('PrivateDecrypt', opening))[0], statusNumbers.Decryption);
  const long = { ...given, source: new Uint8Array(191), key: known, size: 256 };
  assert.equal((await job('PublicEncrypt', long))[0], statusNumbers.MessageSize);
  assert.throws(() => portable.run('PublicEncrypt', { ...given, key: known, size: 256 }), {
    message: 'Unavailable',
  });
});

test('RSA-PSS: a signature of any salt length is verified', async () => {
  const theirs = native.native.reserveKey();
  const numbers = { ...rsaNumbers, Algorithm: algorithms.Rsa, SeedLow: NO_HASH, SeedHigh: NO_HASH };
  native.run('GenerateKey', { key: theirs, numbers });
  const spki = native.export(native.publicKeyOf(theirs), forms.Spki);
  const key = portable.import(forms.Spki, spki);
  const pss = (MessageSize) => ({ ...ecdsa(schemes.RsaPss), MaxTime: sha256, MessageSize });
  const verdict = async (tag) => {
    const given = { key, source: message, tag, numbers: pss(-3), size: 1 };
    return (await job('VerifySignature', given))[1][0];
  };
  for (const salt of [-1, -2, 0, 7]) {
    const signature = native.sign(theirs, message, pss(salt), 256);
    assert.equal(await verdict(signature), 1, salt);
    signature[9] ^= 1;
    assert.equal(await verdict(signature), 0, salt);
  }
});

test('RSA-PSS: WebCrypto verifies once, whatever the salt and the modulus', async (t) => {
  const calls = t.mock.method(crypto.subtle, 'verify').mock;
  for (const [modulusLength, exponents] of [
    [1025, [3]],
    [1031, [65_537]],
    [2048, [65_537, 2 ** 32 - 1]],
  ])
    for (const publicExponent of exponents) {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', {
        modulusLength,
        publicExponent,
      });
      const spki = publicKey.export({ format: 'der', type: 'spki' });
      const key = portable.import(forms.Spki, spki);
      const size = Math.ceil(modulusLength / 8);
      for (const [name, digestSize] of [
        ['sha1', 20],
        ['sha256', 32],
        ['sha384', 48],
      ]) {
        const numbers = { ...ecdsa(schemes.RsaPss, idOf(name)), MessageSize: -3 };
        const most = Math.ceil((modulusLength - 1) / 8) - digestSize - 2;
        for (const saltLength of [0, 1, digestSize, most]) {
          const padding = constants.RSA_PKCS1_PSS_PADDING;
          const signature = sign(name, message, { key: privateKey, padding, saltLength });
          const changed = Uint8Array.from(signature);
          changed[size - 1] ^= 1;
          for (const [tag, right] of [
            [Uint8Array.from(signature), 1],
            [changed, 0],
            [new Uint8Array(size), 0],
            [new Uint8Array(size).fill(255), 0],
          ]) {
            const before = calls.callCount();
            const given = { key, source: message, tag, numbers, size: 1 };
            const [status, verdict] = await job('VerifySignature', given);
            const what = `${modulusLength} ${name} ${saltLength}`;
            assert.deepEqual([status, verdict[0]], [0, right], what);
            assert.equal(calls.callCount() - before, 1, what);
          }
        }
      }
    }
});

test('RSA: both engines refuse exponents that are even, 1 or longer than 33 bits', () => {
  const { publicKey } = newPair('rsa', { modulusLength: 1024 });
  const n = Buffer.from(publicKey.export({ format: 'jwk' }).n, 'base64url');
  for (const [exponent, right] of [
    [[1], false],
    [[2], false],
    [[3], true],
    [[1, 0, 0, 0, 1], true],
    [[1, 255, 255, 255, 255], true],
    [[2, 0, 0, 0, 1], false],
    [Array(128).fill(1), false],
  ]) {
    const element = (tag, content) => {
      const { length } = content;
      const long = length < 256 ? [129] : [130, length >> 8];
      return [tag, ...(length < 128 ? [] : long), length & 255, ...content];
    };
    const pkcs1 = element(48, [...element(2, [0, ...n]), ...element(2, exponent)]);
    for (const engine of [native, portable]) {
      const read = () => engine.import(forms.Pkcs1Public, Uint8Array.from(pkcs1));
      if (right) engine.dispose(read());
      else assert.throws(read, /Error: Exponent/, String(exponent));
    }
  }
});

test('what WebCrypto lacks is refused with the reason', async () => {
  const keys = {};
  for (const name of ['P384', 'Rsa']) {
    keys[name] = portable.native.reserveKey();
    const numbers = { ...rsaNumbers, Algorithm: algorithms[name], SeedLow: NO_HASH };
    await job('GenerateKey', { key: keys[name], numbers });
  }
  const known = portable.publicKeyOf(keys.Rsa);
  const pss = { ...ecdsa(schemes.RsaPss), MessageSize: -1 };
  const sha3 = idOf('sha3-256');
  for (const [operation, given, lack] of [
    ['Sign', { key: keys.P384, numbers: ecdsa(schemes.EcdsaP1363, sha3), size: 96 }, /sha3-256$/],
    ['Sign', { key: keys.Rsa, numbers: { ...pss, MaxTime: idOf('sha1') }, size: 256 }, /MGF1$/],
    ['Sign', { key: keys.Rsa, numbers: { ...pss, SeedLow: 1 }, size: 256 }, /digests$/],
    ['PublicEncrypt', { key: known, numbers: { Count: 1 }, size: 256 }, /PKCS#1 v1\.5/],
  ]) {
    const source = message.subarray(0, 32);
    const [status, , reason] = await job(operation, { source, ...given });
    assert.equal(status, statusNumbers.Unavailable, operation);
    assert.match(reason, lack);
  }
  const md5 = { key: keys.Rsa, numbers: ecdsa(schemes.RsaPkcs1, idOf('md5')), size: 256 };
  const [status] = await job('Sign', { source: message, ...md5 });
  assert.equal(status, statusNumbers.SignatureHash);
});
