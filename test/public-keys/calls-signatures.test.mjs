// sign and verify: known answers, node:crypto in both directions, every parameter and call style.

import assert from 'node:assert/strict';
import * as node from 'node:crypto';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';
import { refusedLater } from '../support/refusals.mjs';
import { hex, vectors } from '../support/vectors.mjs';
import { eachWay as each } from '../support/ways.mjs';

const hashName = (name) => name.toLowerCase().replace('sha-', 'sha');
const rng = random('signatures');
const { constants } = node;

const curves = { 'P-256': 64, 'P-384': 96, 'P-521': 132 };
const hashes = 'sha1 sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384'
  .concat(' sha3-512')
  .split(' ');
const pairs = {
  ed25519: node.generateKeyPairSync('ed25519'),
  rsa: node.generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ...Object.fromEntries(
    Object.keys(curves).map((namedCurve) => [
      namedCurve,
      node.generateKeyPairSync('ec', { namedCurve }),
    ]),
  ),
};

/** Returns the private key of raw bytes or a seed. */
const rawKey = (key, algorithm, format = 'raw') => ({ key: hex(key), format, algorithm });

test('known answers', async () => {
  const seen = new Set();
  for (const { kind, source, algorithm, hash, mgf1, salt, ...own } of vectors('public-keys')) {
    const message = hex(own.message ?? '');
    const right = (...given) =>
      each(async (call, way) => {
        assert.equal(await call('verify', ...given), true, `${source}, ${way}`);
        const changed = Buffer.from(given[3]);
        changed[rng.below(changed.length)] ^= 1 << rng.below(8);
        assert.equal(await call('verify', ...given.with(3, changed)), false, `${source}, ${way}`);
      });
    if (kind === 'ed25519') {
      const key = rawKey(own.private, 'ed25519');
      await each(async (call, way) => {
        const signature = await call('sign', null, message, key);
        assert.equal(signature.toString('hex'), own.signature, `${source}, ${way}`);
      });
      await right(null, message, rawKey(own.public, 'ed25519'), hex(own.signature));
    } else if (kind === 'ecdsa') {
      const name = { prime256v1: 'p-256', secp384r1: 'p-384', secp521r1: 'p-521' }[algorithm];
      const key = { ...rawKey(own.public, name), dsaEncoding: 'ieee-p1363' };
      await right(hashName(hash), message, key, hex(own.p1363));
    } else if (kind === 'rsa-pkcs1') {
      const key = hex(own.private);
      await each(async (call, way) => {
        const signature = await call('sign', hashName(hash), message, key);
        assert.equal(signature.toString('hex'), own.signature, `${source}, ${way}`);
      });
      await right(hashName(hash), message, key, hex(own.signature));
    } else if (kind === 'rsa-pss') {
      const parameters = { padding: 'pss', saltLength: salt, mgf1Hash: hashName(mgf1) };
      await right(hashName(hash), message, hex(own.public), hex(own.signature), parameters);
    } else if (kind === 'ml-dsa') {
      const key = rawKey(own.seed, algorithm, 'seed');
      const context = hex(own.context);
      await right(null, message, key, hex(own.signature), { context });
      await right(null, message, { ...key, context }, hex(own.signature));
      assert.equal(millrace.verify(null, message, key, hex(own.signature)), false);
    } else continue;
    seen.add(kind);
  }
  assert.deepEqual([...seen], ['ed25519', 'ecdsa', 'rsa-pkcs1', 'rsa-pss', 'ml-dsa']);
});

/** Signs here and verifies there, and the other way round, in each way; with what is in the key. */
async function bothDirections(algorithm, pair, beside = {}, sizeOf = () => true) {
  const message = rng.bytes(rng.below(300));
  const [privateKey, publicKey] = [pair.privateKey, pair.publicKey].map((key) => ({
    ...beside,
    key,
  }));
  const what = `${algorithm} ${JSON.stringify(beside)}`;
  const theirs = node.sign(algorithm, message, privateKey);
  await each(async (call, way) => {
    const signature = await call('sign', algorithm, message, privateKey);
    assert.ok(sizeOf(signature.length), `${what}, ${way}: ${signature.length} bytes`);
    assert.ok(node.verify(algorithm, message, publicKey, signature), `${what}, ${way}`);
    assert.equal(await call('verify', algorithm, message, publicKey, theirs), true, what);
    // The private key has the public one; parameters are options too.
    const { key } = privateKey;
    assert.equal(await call('verify', algorithm, message, key, theirs, beside), true, what);
    const other = Buffer.concat([message, Buffer.of(1)]);
    assert.equal(await call('verify', algorithm, other, publicKey, theirs), false, what);
  });
}

test('Ed25519, with node:crypto', async () => {
  for (let turn = 0; turn < 5; turn++) {
    await bothDirections(null, pairs.ed25519, {}, (size) => size === 64);
    await bothDirections(undefined, pairs.ed25519);
  }
});

test('ECDSA of every curve, hash and encoding, with node:crypto', async () => {
  for (const [curve, size] of Object.entries(curves)) {
    const most = { 64: 72, 96: 104, 132: 139 }[size];
    for (const hash of hashes) {
      await bothDirections(hash, pairs[curve], {}, (found) => found > size && found <= most);
      await bothDirections(
        hash,
        pairs[curve],
        { dsaEncoding: 'ieee-p1363' },
        (found) => found === size,
      );
    }
    await bothDirections('sha256', pairs[curve], { dsaEncoding: 'der' });
  }
});

test('RSA of every hash, padding and salt length, with node:crypto', async () => {
  const isWhole = (size) => size === 256;
  const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING: pss } = constants;
  for (const hash of hashes) {
    await bothDirections(hash, pairs.rsa, {}, isWhole);
    await bothDirections(hash, pairs.rsa, { padding: RSA_PKCS1_PADDING }, isWhole);
    await bothDirections(hash, pairs.rsa, { padding: pss }, isWhole);
    for (const saltLength of [
      constants.RSA_PSS_SALTLEN_DIGEST,
      constants.RSA_PSS_SALTLEN_MAX_SIGN,
      constants.RSA_PSS_SALTLEN_AUTO,
      0,
      1,
      20,
      32,
    ])
      await bothDirections(hash, pairs.rsa, { padding: pss, saltLength }, isWhole);
  }
  await bothDirections('RSA-SHA256', pairs.rsa);
});

/** Returns the size of the salt in a PSS signature by SHA-256: the only one that verifies. */
function saltOf(signature, message, publicKey) {
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const sizes = Array.from({ length: 223 }, (_, size) => size);
  return sizes.filter((saltLength) =>
    node.verify('sha256', message, { key: publicKey, padding, saltLength }, signature),
  );
}

test('salt lengths mean what node:crypto does', () => {
  const { privateKey, publicKey } = pairs.rsa;
  const message = Buffer.from('message');
  const sizes = { digest: 32, [-1]: 32, max: 222, [-2]: 222, auto: 222, 7: 7 };
  for (const [name, size] of Object.entries(sizes)) {
    const saltLength = Number.isNaN(Number(name)) ? name : Number(name);
    const options = { padding: 'pss', saltLength };
    const signature = millrace.sign('sha256', message, privateKey, options);
    assert.deepEqual(saltOf(signature, message, publicKey), [size], name);
    const verify = (length) =>
      millrace.verify('sha256', message, publicKey, signature, { ...options, saltLength: length });
    for (const any of ['auto', -2, size]) assert.equal(verify(any), true, `${name}, ${any}`);
    assert.equal(verify('digest'), size === 32, name);
    assert.equal(verify('max'), size === 222, name);
    assert.equal(verify(size + 1), false, name);
  }
  const byDefault = millrace.sign('sha256', message, privateKey, { padding: 'pss' });
  assert.deepEqual(saltOf(byDefault, message, publicKey), [222]);
});

test('keys of rsa-pss, restricted or not, and another hash of the mask', async () => {
  const options = { modulusLength: 2048, hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha1' };
  for (const restriction of [{}, { ...options, saltLength: 20 }]) {
    const all = { modulusLength: 2048, ...restriction };
    const pair = node.generateKeyPairSync('rsa-pss', all);
    await bothDirections('sha256', pair);
    // Without a salt length OpenSSL takes padding and a restricted key to contradict each other.
    const beside = { padding: constants.RSA_PKCS1_PSS_PADDING };
    if (restriction.saltLength !== undefined) beside.saltLength = restriction.saltLength;
    await bothDirections('sha256', pair, beside);
  }
  const restricted = node.generateKeyPairSync('rsa-pss', { ...options, saltLength: 20 });
  assert.throws(() => millrace.sign('sha512', 'x', restricted.privateKey), {
    code: 'ERR_ARGUMENT_VALUE',
  });
  const own = { padding: 'pss', mgf1Hash: 'sha1' };
  const signature = millrace.sign('sha256', 'x', pairs.rsa.privateKey, own);
  const verify = (more) =>
    millrace.verify('sha256', 'x', pairs.rsa.publicKey, signature, { ...own, ...more });
  assert.equal(verify({}), true);
  assert.equal(verify({ mgf1Hash: 'sha256' }), false);
});

test('digests are signed instead of messages', async () => {
  const message = rng.bytes(100);
  const digest = millrace.hash('sha256', message);
  for (const [name, beside] of [
    ['rsa', {}],
    ['rsa', { padding: 'pss' }],
    ['P-256', {}],
    ['P-521', { dsaEncoding: 'ieee-p1363' }],
  ]) {
    const { privateKey, publicKey } = pairs[name];
    await each(async (call) => {
      const options = { ...beside, digest: true };
      const signature = await call('sign', 'sha256', digest, privateKey, options);
      assert.equal(await call('verify', 'sha256', message, publicKey, signature, beside), true);
      assert.equal(await call('verify', 'sha256', digest, publicKey, signature, options), true);
      assert.equal(await call('verify', 'sha256', digest, publicKey, signature, beside), false);
    });
    assert.throws(() => millrace.sign('sha384', digest, privateKey, { digest: true }), {
      code: 'ERR_SOURCE_SIZE',
    });
  }
});

test('ML-DSA: contexts, and mu in the place of the message', async () => {
  for (const [bits, size] of Object.entries({ 44: 2420, 65: 3309, 87: 4627 })) {
    const { privateKey, publicKey } = millrace.generateKeyPair(`ml-dsa-${bits}`);
    const context = rng.bytes(255);
    const raw = publicKey.export({ format: 'raw' });
    // FIPS 204: mu = H(H(pk) || M'), M' = 0 || |ctx| || ctx || M.
    const [tr] = [millrace.hash('shake256', raw, { outputLength: 64 })];
    const formatted = Buffer.concat([tr, Buffer.of(0, context.length), context, Buffer.from('x')]);
    const mu = millrace.hash('shake256', formatted, { outputLength: 64 });
    await each(async (call) => {
      const signature = await call('sign', null, 'x', privateKey, { context });
      assert.equal(signature.length, size);
      assert.equal(await call('verify', null, 'x', publicKey, signature, { context }), true);
      assert.equal(await call('verify', null, 'x', publicKey, signature), false);
      assert.equal(await call('verify', null, mu, publicKey, signature, { digest: true }), true);
      const external = await call('sign', null, mu, privateKey, { digest: true });
      assert.equal(await call('verify', null, 'x', publicKey, external, { context }), true);
    });
    assert.throws(
      () => millrace.sign(null, 'x', privateKey, { context: Buffer.alloc(256) }),
      /context must have at most 255 bytes/,
    );
  }
});

test('signatures in every encoding, and in the memory of the caller', async () => {
  const all = {
    ed25519: [null, 64, {}],
    rsa: ['sha256', 256, {}],
    'P-384': ['sha384', 96, { dsaEncoding: 'ieee-p1363' }],
    'P-256': ['sha256', undefined, {}],
    'P-521': ['sha512', undefined, {}],
  };
  const most = { 'P-256': 72, 'P-521': 139 };
  for (const [name, [hash, size, beside]] of Object.entries(all)) {
    const { privateKey, publicKey } = pairs[name];
    const verify = (signature) =>
      node.verify(hash, Buffer.from('text'), { key: publicKey, ...beside }, signature);
    await each(async (call, way) => {
      for (const encoding of ['hex', 'base64', 'base64url', 'buffer']) {
        const options = { ...beside, encoding };
        const text = await call('sign', hash, 'text', privateKey, options);
        assert.equal(typeof text, encoding === 'buffer' ? 'object' : 'string');
        assert.ok(verify(Buffer.from(text, encoding)), `${name} ${encoding}, ${way}`);
      }
      const target = Buffer.alloc(400, 0xaa);
      const options = { ...beside, target, targetOffset: 9 };
      const written = await call('sign', hash, 'text', privateKey, options);
      assert.ok(written === size || (size === undefined && written <= most[name]), way);
      assert.ok(verify(target.subarray(9, 9 + written)), `${name} in a target, ${way}`);
      assert.ok(target.subarray(0, 9).every((byte) => byte === 0xaa));
      assert.ok(target.subarray(9 + written).every((byte) => byte === 0xaa));
      const small = { ...beside, target: Buffer.alloc((size ?? most[name]) - 1) };
      await assert.rejects(async () => call('sign', hash, 'text', privateKey, small), {
        code: 'ERR_ARGUMENT_VALUE',
        message: /target must have/,
      });
    });
  }
});

test('any signature bytes are false, never an error', async () => {
  for (const [name, { publicKey }] of Object.entries(pairs)) {
    const hash = name === 'ed25519' ? null : 'sha256';
    for (const dsaEncoding of name.startsWith('P-') ? ['der', 'ieee-p1363'] : [undefined])
      for (const size of [0, 1, 63, 64, 65, 72, 256, 300, 5000])
        for (const signature of [Buffer.alloc(size), rng.bytes(size), Buffer.alloc(size, 0x30)])
          await each(async (call) => {
            const options = dsaEncoding === undefined ? {} : { dsaEncoding };
            const verdict = await call('verify', hash, 'x', publicKey, signature, options);
            assert.equal(verdict, false);
          });
  }
});

test('arguments are copied at the call', async () => {
  const { privateKey, publicKey } = pairs.ed25519;
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const message = Buffer.alloc(5000, 1);
  const expected = node.sign(null, message, privateKey);
  for (const route of ['pool', 'inline', 'auto']) {
    const [key, data, signature] = [der, message, expected].map((bytes) => Buffer.from(bytes));
    const signing = promises.sign(null, data, key, { route });
    const verifying = promises.verify(null, data, publicKey, signature, { route });
    for (const bytes of [key, data, signature]) bytes.fill(0);
    assert.deepEqual(await signing, expected);
    assert.equal(await verifying, true);
  }
});

test('a signal cancels, and a route is taken by asynchronous calls only', async () => {
  const { privateKey } = pairs.rsa;
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  await assert.rejects(promises.sign('sha256', 'x', privateKey, { signal }), reason);
  await assert.rejects(promises.sign('sha256', 'x', privateKey, {}, { signal }), reason);
  assert.throws(() => millrace.sign('sha256', 'x', privateKey, { route: 'pool' }), {
    message: /a synchronous call takes no route/,
  });
  const { signal: unused } = new AbortController();
  const signature = await promises.sign('sha256', 'x', privateKey, { signal: unused });
  assert.equal(await promises.verify('sha256', 'x', privateKey, signature), true);
});

test('what does not fit is refused', async () => {
  const { ed25519, rsa } = pairs;
  const x25519 = node.generateKeyPairSync('x25519');
  const pss = node.generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
  const p256 = pairs['P-256'];
  for (const [given, code, message] of [
    [['sha256', 'x', ed25519.privateKey], 'ERR_ARGUMENT_VALUE', /algorithm must be null/],
    [[null, 'x', rsa.privateKey], 'ERR_ARGUMENT_TYPE', /algorithm must be a hash for a key of rsa/],
    [[undefined, 'x', p256.privateKey], 'ERR_ARGUMENT_TYPE', /algorithm/],
    [['sha265', 'x', rsa.privateKey], 'ERR_UNKNOWN_ALGORITHM', /sha256/],
    [['md5', 'x', rsa.privateKey], 'ERR_ARGUMENT_VALUE', /does not take this hash/],
    [[null, 'x', x25519.privateKey], 'ERR_KEY_ALGORITHM', /key must be .* not x25519/],
    [['sha256', 'x', rsa.publicKey], 'ERR_ARGUMENT_TYPE', /key/],
    [['sha256', 5, rsa.privateKey], 'ERR_ARGUMENT_TYPE', /data/],
    [['sha256', 'x', rsa.privateKey, { dsaEncoding: 'der' }], 'ERR_ARGUMENT_VALUE', /dsaEncoding/],
    [['sha256', 'x', rsa.privateKey, { saltLength: 20 }], 'ERR_ARGUMENT_VALUE', /saltLength/],
    [['sha256', 'x', p256.privateKey, { padding: 'pss' }], 'ERR_ARGUMENT_VALUE', /padding/],
    [['sha256', 'x', p256.privateKey, { context: 'x' }], 'ERR_ARGUMENT_VALUE', /context/],
    [[null, 'x', ed25519.privateKey, { digest: true }], 'ERR_ARGUMENT_VALUE', /digest/],
    [
      ['sha256', 'x', { key: rsa.privateKey, paddin: 1 }],
      'ERR_ARGUMENT_VALUE',
      /key\.paddin is not an option .* did you mean key\.padding/,
    ],
    [
      ['sha256', 'x', { key: rsa.privateKey, route: 'pool' }],
      'ERR_ARGUMENT_VALUE',
      /key\.route is not an option/,
    ],
    [
      ['sha256', 'x', { key: pss.privateKey, padding: 1 }],
      'ERR_ARGUMENT_VALUE',
      /padding must be 'pss'/,
    ],
    [
      ['sha256', 'x', { key: rsa.privateKey, padding: 3 }],
      'ERR_ARGUMENT_TYPE',
      /padding must be 'pkcs1' or 'pss'/,
    ],
    [
      ['sha256', 'x', rsa.privateKey, { padding: 'pss', saltLength: 300 }],
      'ERR_ARGUMENT_VALUE',
      /saltLength does not fit/,
    ],
    [
      ['sha256', 'x', rsa.privateKey, { padding: 'pss', saltLength: 1.5 }],
      'ERR_ARGUMENT_VALUE',
      /saltLength must be/,
    ],
  ])
    await refusedLater('sign', given, code, message);
});
