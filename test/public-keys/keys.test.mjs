// Keys in every form, against node:crypto: what Millrace reads, what it exports, and what it
// refuses. Node.js 20 and 22 have no ML-KEM and ML-DSA: their keys are read as Millrace wrote them.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { hex, vectors } from '../support/vectors.mjs';
import { newPair } from './keys.mjs';

const { createPrivateKey, createPublicKey, PrivateKey, PublicKey } = millrace;
const pss = { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha384', saltLength: 20 };

/** Key pairs of node:crypto, by our names. */
const pairs = Object.fromEntries(
  [
    ['ed25519', 'ed25519'],
    ['x25519', 'x25519'],
    ['p-256', 'ec', { namedCurve: 'P-256' }],
    ['p-384', 'ec', { namedCurve: 'P-384' }],
    ['p-521', 'ec', { namedCurve: 'P-521' }],
    ['rsa', 'rsa', { modulusLength: 2048, publicExponent: 3 }],
    ['rsa-pss', 'rsa-pss', { modulusLength: 2048 }],
    ['rsa-pss, restricted', 'rsa-pss', { modulusLength: 2048, ...pss }],
  ].map(([name, type, options]) => [name, newPair(type, options)]),
);
const algorithmOf = (name) => name.replace(/,.*/, '');
const seeds = { 'ml-kem': 64, 'ml-dsa': 32 };
const lattices = ['ml-kem-512', 'ml-kem-768', 'ml-kem-1024', 'ml-dsa-44', 'ml-dsa-65', 'ml-dsa-87'];

/** Returns the private key of a seed. */
function fromSeed(algorithm) {
  const key = crypto
    .createHash('shake256', { outputLength: seeds[algorithm.slice(0, 6)] })
    .update(algorithm)
    .digest();
  return { key, format: 'seed', algorithm };
}

/** The types of DER of a key. */
function typesOf(name, isPrivate) {
  if (name === 'rsa') return isPrivate ? ['pkcs8', 'pkcs1'] : ['spki', 'pkcs1'];
  if (!isPrivate) return ['spki'];
  return name.startsWith('p-') ? ['pkcs8', 'sec1'] : ['pkcs8'];
}

/** Returns a JWK with members as node:crypto writes them, in one order. */
const sorted = (jwk) => Object.fromEntries(Object.entries(jwk).sort());
const raised = (call) => {
  try {
    return assert.fail(`no error but ${inspect(call())}`);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return error;
  }
};

/** Checks that a call is refused with a code and a message. */
function refused(call, code, message) {
  const error = raised(call);
  assert.ok(error instanceof millrace.MillraceError, error.stack);
  assert.equal(error.code, code, error.stack);
  assert.match(error.message, message);
}

for (const [name, { privateKey, publicKey }] of Object.entries(pairs)) {
  test(`${name}: every form is read and written as by node:crypto`, async (t) => {
    const hasJwk = !name.startsWith('rsa-pss');
    for (const [key, create, twin] of [
      [privateKey, createPrivateKey, crypto.createPrivateKey],
      [publicKey, createPublicKey, crypto.createPublicKey],
    ]) {
      const made = create(key);
      const isPrivate = key.type === 'private';
      for (const type of typesOf(name, isPrivate)) {
        const pem = key.export({ format: 'pem', type });
        const der = key.export({ format: 'der', type });
        const forms = {
          'PEM text': pem,
          'PEM bytes': Buffer.from(pem),
          'PEM with options': { key: pem, format: 'pem' },
          'PEM with CRLF': pem.replaceAll('\n', '\r\n'),
          'PEM after text': `0 is a digit\nkey: ${'x'.repeat(300)}\n-----\n${pem}`,
          'PEM of one line': pem.replace(/([^-])\n(?!-)/g, '$1'),
          'PEM of short lines': pem.replace(/^\w.*$/gm, (line) => line.replace(/.{5}/g, '$&\n')),
          'PEM in base64': { key: Buffer.from(pem).toString('base64'), encoding: 'base64' },
          DER: der,
          'DER in an ArrayBuffer': new Uint8Array(der).buffer,
          'DER in a DataView': new DataView(new Uint8Array(der).buffer),
          'DER of a type': { key: der, format: 'der', type },
          'DER in hex': { key: der.toString('hex').toUpperCase(), format: 'der', encoding: 'hex' },
          'DER in base64url': {
            key: der.toString('base64url'),
            format: 'der',
            encoding: 'base64url',
          },
        };
        for (const [form, value] of Object.entries(forms))
          assert.ok(create(value).equals(made), `${type}, ${form}`);
        assert.equal(made.export({ format: 'pem', type }), pem);
        assert.deepEqual(made.export({ format: 'der', type }), der);
        assert.ok(
          twin({ key: made.export({ format: 'der', type }), format: 'der', type }).equals(key),
        );
      }
      if (hasJwk) {
        const jwk = key.export({ format: 'jwk' });
        assert.deepEqual(sorted(made.export({ format: 'jwk' })), sorted(jwk));
        for (const value of [jwk, { ...jwk, kid: 'x', use: 'sig' }, { key: jwk, format: 'jwk' }])
          assert.ok(create(value).equals(made));
      } else {
        refused(() => made.export({ format: 'jwk' }), 'ERR_KEY_NOT_SUPPORTED', /JWK/);
      }
      assert.equal(made.type, key.type);
      assert.equal(made.algorithm, algorithmOf(name));
      assert.equal(made.asymmetricKeyType, key.asymmetricKeyType);
      assert.deepEqual({ ...made.asymmetricKeyDetails }, { ...key.asymmetricKeyDetails });
    }
    assert.equal(
      createPublicKey(publicKey).export({ format: 'pem' }),
      createPrivateKey(privateKey).publicKey().export({ format: 'pem' }),
    );
    await t.test('a private key in the place of a public one', () => {
      const expected = createPublicKey(publicKey);
      const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
      const der = privateKey.export({ format: 'der', type: 'pkcs8' });
      const made = createPrivateKey(pem);
      const forms = [privateKey, pem, Buffer.from(pem), der, { key: der }, made, { key: made }];
      if (hasJwk) forms.push(privateKey.export({ format: 'jwk' }));
      for (const value of forms) assert.ok(createPublicKey(value).equals(expected));
    });
  });
}

test('the keys of node:crypto in raw forms', () => {
  for (const name of ['ed25519', 'x25519', 'p-256', 'p-384', 'p-521']) {
    const { privateKey, publicKey } = pairs[name];
    const { d, x, y } = privateKey.export({ format: 'jwk' });
    const bytes = (...texts) => Buffer.concat(texts.map((text) => Buffer.from(text, 'base64url')));
    const [made, own] = [createPublicKey(publicKey), createPrivateKey(privateKey)];
    const raw = { format: 'raw', algorithm: name };
    assert.deepEqual(own.export({ format: 'raw' }), bytes(d));
    assert.ok(createPrivateKey({ key: bytes(d), ...raw }).equals(own));
    assert.ok(createPrivateKey({ key: d, encoding: 'base64url', ...raw }).equals(own));
    const point = y === undefined ? bytes(x) : Buffer.concat([Buffer.from([4]), bytes(x, y)]);
    assert.deepEqual(made.export({ format: 'raw' }), point);
    assert.ok(createPublicKey({ key: point, ...raw }).equals(made));
    if (y === undefined) continue;
    const compressed = crypto.ECDH.convertKey(
      point,
      publicKey.asymmetricKeyDetails.namedCurve,
      undefined,
      undefined,
      'compressed',
    );
    assert.deepEqual(made.export({ format: 'raw', type: 'compressed' }), compressed);
    assert.deepEqual(made.export({ format: 'raw', type: 'uncompressed' }), point);
    assert.ok(createPublicKey({ key: compressed, ...raw }).equals(made));
  }
});

test('x-wing: the published encodings', () => {
  const published = vectors('public-keys').find(({ kind }) => kind === 'encoding');
  const [pkcs8, spki] = [hex(published.pkcs8), hex(published.spki)];
  const key = createPrivateKey(pkcs8);
  assert.equal(key.algorithm, 'x-wing');
  assert.deepEqual(key.export({ format: 'der' }), pkcs8);
  assert.deepEqual(createPublicKey(spki).export({ format: 'der' }), spki);
  assert.ok(createPublicKey(pkcs8).equals(createPublicKey(spki)));
});

for (const name of lattices)
  test(`${name}: each form comes back`, () => {
    const key = createPrivateKey(fromSeed(name));
    const publicKey = key.publicKey();
    assert.equal(key.algorithm, name);
    assert.equal(key.asymmetricKeyType, name);
    assert.deepEqual(key.asymmetricKeyDetails, {});
    assert.deepEqual(key.export({ format: 'seed' }), fromSeed(name).key);
    const jwk = key.export({ format: 'jwk' });
    assert.equal(jwk.kty, 'AKP');
    assert.equal(jwk.alg, name.toUpperCase());
    assert.equal(jwk.priv, fromSeed(name).key.toString('base64url'));
    const { priv, ...publicJwk } = jwk;
    assert.deepEqual(publicKey.export({ format: 'jwk' }), publicJwk);
    const expanded = key.export({ format: 'raw' });
    for (const value of [
      ...['pem', 'der', 'jwk'].map((format) => key.export({ format })),
      { key: expanded, format: 'raw', algorithm: name },
      createPrivateKey({ key: expanded, format: 'raw', algorithm: name }).export({ format: 'pem' }),
    ])
      assert.ok(createPrivateKey(value).equals(key));
    for (const value of [
      ...['pem', 'der', 'jwk'].map((format) => publicKey.export({ format })),
      { key: publicKey.export({ format: 'raw' }), format: 'raw', algorithm: name },
      fromSeed(name),
      jwk,
    ])
      assert.ok(createPublicKey(value).equals(publicKey));
    const [other] = lattices.filter(
      (each) => each.slice(0, 6) === name.slice(0, 6) && each !== name,
    );
    refused(
      () => createPrivateKey({ ...jwk, alg: other.toUpperCase() }),
      'ERR_KEY_INVALID',
      /^key: pub is not the public key of priv$/,
    );
  });

test('JWK: leading zeros may be missing, or more than needed', () => {
  // A key with a coordinate and a scalar that begin with zeros.
  for (const curve of ['P-256', 'P-384', 'P-521']) {
    const { privateKey } = newPair('ec', { namedCurve: curve });
    const jwk = privateKey.export({ format: 'jwk' });
    const padded = (text, zeros) =>
      Buffer.concat([Buffer.alloc(zeros), Buffer.from(text, 'base64url')]).toString('base64url');
    const more = { ...jwk, x: padded(jwk.x, 1), y: padded(jwk.y, 40), d: padded(jwk.d, 3) };
    assert.ok(createPrivateKey(more).equals(createPrivateKey(jwk)));
  }
  const short = shortKey();
  const jwk = short.export({ format: 'jwk' });
  const trimmed = (text) => {
    const bytes = Buffer.from(text, 'base64url');
    return bytes.subarray(bytes.findIndex((byte) => byte !== 0)).toString('base64url');
  };
  const fewer = { ...jwk, x: trimmed(jwk.x), y: trimmed(jwk.y) };
  assert.ok(fewer.x.length < jwk.x.length);
  assert.ok(createPrivateKey(fewer).equals(createPrivateKey(jwk)));
  const { n, e, ...rest } = pairs.rsa.privateKey.export({ format: 'jwk' });
  const zero = (text) => Buffer.concat([Buffer.alloc(2), Buffer.from(text, 'base64url')]);
  const padded = { ...rest, n: zero(n).toString('base64url'), e: zero(e).toString('base64url') };
  assert.ok(createPrivateKey(padded).equals(createPrivateKey(pairs.rsa.privateKey)));
});

/** Returns a key with a coordinate that begins with a zero. */
function shortKey() {
  for (;;) {
    const { privateKey } = newPair('ec', { namedCurve: 'P-256' });
    const { x } = privateKey.export({ format: 'jwk' });
    if (Buffer.from(x, 'base64url')[0] === 0) return privateKey;
  }
}

test('the portable engine refuses encrypted private keys with the remedy', () => {
  const { privateKey } = pairs.ed25519;
  const encryption = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' };
  const key = privateKey.export({ ...encryption, type: 'pkcs8' });
  const [code, remedy] = [
    'ERR_ENGINE_UNAVAILABLE',
    /neither .* decrypts .*: use the native engine/,
  ];
  try {
    millrace.configure({ engine: 'portable' });
    refused(() => createPrivateKey({ key, passphrase: 'x' }), code, remedy);
    refused(() => createPublicKey({ key, passphrase: 'x' }), code, remedy);
    const own = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
    refused(() => own.export(encryption), code, remedy);
    // The next refusal has a reason of its own.
    refused(() => millrace.signMany(null, ['a'], own), code, /no many signatures/);
  } finally {
    millrace.configure({ engine: 'auto' });
  }
});

test('encrypted private keys', () => {
  for (const [name, { privateKey }] of Object.entries(pairs)) {
    const made = createPrivateKey(privateKey);
    for (const cipher of ['aes-128-cbc', 'aes-256-cbc', 'des-ede3-cbc'])
      for (const format of ['pem', 'der']) {
        const options = { format, type: 'pkcs8', cipher, passphrase: 'päss' };
        const key = privateKey.export(options);
        const bytes = Buffer.from('päss');
        for (const passphrase of ['päss', bytes, new Uint8Array(bytes)])
          assert.ok(createPrivateKey({ key, passphrase }).equals(made), `${name}, ${cipher}`);
        assert.ok(
          createPrivateKey({ key, format, type: 'pkcs8', passphrase: 'päss' }).equals(made),
        );
        assert.ok(createPublicKey({ key, passphrase: 'päss' }).equals(made.publicKey()));
        refused(
          () => createPrivateKey({ key, passphrase: 'pass' }),
          'ERR_PASSPHRASE',
          /passphrase/,
        );
        refused(() => createPrivateKey({ key }), 'ERR_PASSPHRASE', /key\.key is encrypted/);
        refused(() => createPrivateKey({ key, passphrase: 5 }), 'ERR_ARGUMENT_TYPE', /passphrase/);
      }
  }
  const plain = pairs.ed25519.privateKey.export({ format: 'pem', type: 'pkcs8' });
  assert.ok(createPrivateKey({ key: plain, passphrase: 'not needed' }));
  const own = createPrivateKey(pairs.rsa.privateKey);
  for (const [name, { privateKey }] of Object.entries(pairs))
    for (const cipher of ['aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc', 'des-ede3-cbc'])
      for (const iterations of [undefined, 1, 5000]) {
        const made = createPrivateKey(privateKey);
        const passphrase = Buffer.from('päss');
        const key = made.export({ format: 'pem', cipher, passphrase, iterations });
        const what = `${name}, ${cipher}`;
        assert.match(key, /^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/, what);
        assert.ok(createPrivateKey({ key, passphrase }).equals(made), what);
        const theirs = crypto.createPrivateKey({ key, passphrase });
        assert.ok(createPrivateKey(theirs).equals(made), what);
        const options = { format: 'der', type: 'pkcs8', cipher, passphrase: 'päss', iterations };
        const der = made.export(options);
        assert.ok(createPrivateKey({ key: der, passphrase: 'päss' }).equals(made), what);
        assert.notDeepEqual(made.export(options), der, 'a random salt');
      }
  const encrypted = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' };
  const wrong = [
    [{ cipher: 'aes-256-gcm' }, 'ERR_ARGUMENT_VALUE', /options\.cipher .*aes-256-cbc/],
    [{ cipher: 5 }, 'ERR_ARGUMENT_TYPE', /options\.cipher/],
    [{ cipher: undefined }, 'ERR_MISSING_ARGUMENT', /options\.cipher/],
    [{ passphrase: undefined }, 'ERR_MISSING_ARGUMENT', /options\.passphrase/],
    [{ passphrase: 5 }, 'ERR_ARGUMENT_TYPE', /options\.passphrase/],
    [{ iterations: 0 }, 'ERR_ARGUMENT_VALUE', /options\.iterations/],
    [{ iterations: 2 ** 24 }, 'ERR_ARGUMENT_VALUE', /options\.iterations/],
    [{ type: 'pkcs1' }, 'ERR_NOT_SUPPORTED', /pkcs8/],
    [{ type: 'sec1' }, 'ERR_NOT_SUPPORTED', /pkcs8/],
    [{ format: 'jwk' }, 'ERR_NOT_SUPPORTED', /pkcs8/],
    [{ format: 'raw' }, 'ERR_NOT_SUPPORTED', /pkcs8/],
  ];
  for (const [changed, code, names] of wrong)
    refused(() => own.export({ ...encrypted, ...changed }), code, names);
  refused(() => own.publicKey().export(encrypted), 'ERR_NOT_SUPPORTED', /private/);
  const legacy = pairs.rsa.privateKey.export({
    format: 'pem',
    type: 'pkcs1',
    cipher: 'aes-128-cbc',
    passphrase: 'x',
  });
  refused(
    () => createPrivateKey({ key: legacy, passphrase: 'x' }),
    'ERR_KEY_NOT_SUPPORTED',
    /key\.key is encrypted in the format before PKCS#8.*openssl pkcs8/,
  );
});

test('CryptoKeys of WebCrypto, if they are extractable', async () => {
  const { subtle } = crypto.webcrypto;
  const generate = (extractable) =>
    subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, extractable, ['sign', 'verify']);
  const { privateKey, publicKey } = await generate(true);
  const jwk = await subtle.exportKey('jwk', privateKey);
  assert.ok(createPrivateKey(privateKey).equals(createPrivateKey(jwk)));
  assert.ok(createPublicKey(publicKey).equals(createPublicKey(jwk)));
  assert.ok(createPublicKey(privateKey).equals(createPublicKey(jwk)));
  const closed = await generate(false);
  Object.defineProperty(closed.privateKey, 'extractable', { value: true });
  refused(
    () => createPrivateKey(closed.privateKey),
    'ERR_ARGUMENT_TYPE',
    /^key must be an extractable CryptoKey.*crypto\.subtle/,
  );
  const secret = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']);
  for (const value of [secret, crypto.createSecretKey(Buffer.alloc(9))])
    refused(
      () => createPublicKey(value),
      'ERR_ARGUMENT_TYPE',
      /^key must be .*, not a secret one$/,
    );
});

test('forged KeyObjects are not read', () => {
  const { privateKey, publicKey } = pairs.ed25519;
  let ran = 0;
  const forged = () => {
    const object = Object.create(privateKey);
    Object.defineProperty(object, 'export', { value: () => ((ran += 1), Buffer.alloc(48)) });
    return object;
  };
  const values = [
    forged(),
    new Proxy(privateKey, {}),
    { type: 'private', export: () => (ran += 1) },
  ];
  // With the prototype and the symbols of a real one, but for the handle.
  const symbols = Object.getOwnPropertySymbols(privateKey);
  const handle = symbols.find((each) => typeof privateKey[each] === 'object');
  const twin = Object.create(Object.getPrototypeOf(privateKey));
  for (const each of symbols) twin[each] = privateKey[each];
  if (handle !== undefined) twin[handle] = { export: () => (ran += 1) };
  values.push(twin);
  for (const value of values) {
    const { code } = raised(() => createPrivateKey(value));
    assert.match(code, /^ERR_ARGUMENT_(TYPE|VALUE)$/);
  }
  // Properties of a real one are not asked.
  const real = crypto.createPublicKey(publicKey.export({ format: 'pem', type: 'spki' }));
  for (const name of ['export', 'type', 'asymmetricKeyType'])
    Object.defineProperty(real, name, { get: () => ((ran += 1), undefined) });
  assert.ok(createPublicKey(real).equals(createPublicKey(publicKey)));
  assert.equal(ran, 0);
});

test('PEM: the key is found among other blocks', () => {
  const { privateKey, publicKey } = pairs['p-256'];
  const pem = privateKey.export({ format: 'pem', type: 'sec1' });
  const parameters =
    '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
  const certificate = '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n';
  const made = createPrivateKey(privateKey);
  assert.ok(createPrivateKey(parameters + pem).equals(made));
  assert.ok(createPrivateKey(certificate + pem).equals(made));
  const spki = publicKey.export({ format: 'pem', type: 'spki' });
  assert.ok(createPrivateKey(spki + pem).equals(made));
  assert.ok(createPublicKey(pem + spki).equals(made.publicKey()));
  refused(
    () => createPrivateKey(spki),
    'ERR_ARGUMENT_TYPE',
    /^key must be a private key, not a pub/,
  );
  refused(() => createPublicKey(certificate), 'ERR_KEY_NOT_SUPPORTED', /X\.509.*X509Certificate/);
  refused(() => createPublicKey(parameters), 'ERR_KEY_ENCODING', /neither PEM/);
  const ssh = pem.replaceAll('EC PRIVATE', 'OPENSSH PRIVATE');
  refused(() => createPrivateKey(ssh), 'ERR_KEY_NOT_SUPPORTED', /"OPENSSH PRIVATE KEY"/);
  refused(
    () => createPrivateKey({ key: pem.replaceAll('\n', '\\n') }),
    'ERR_KEY_ENCODING',
    /^key\.key is PEM with \\n in place of line breaks/,
  );
});

test('a public key in the place of a private one', () => {
  for (const { publicKey } of Object.values(pairs)) {
    const der = publicKey.export({ format: 'der', type: 'spki' });
    for (const value of [
      publicKey,
      der,
      createPublicKey(publicKey),
      { key: publicKey },
      { key: der },
    ])
      refused(
        () => createPrivateKey(value),
        'ERR_ARGUMENT_TYPE',
        /^key(\.key)? must be a private key/,
      );
  }
  const jwk = pairs.ed25519.publicKey.export({ format: 'jwk' });
  refused(() => createPrivateKey(jwk), 'ERR_ARGUMENT_TYPE', /^key must be a private key.*no d$/);
});

test('damaged keys are refused, wherever they are damaged', () => {
  for (const [name, { privateKey, publicKey }] of Object.entries(pairs))
    for (const [key, create] of [
      [privateKey, createPrivateKey],
      [publicKey, createPublicKey],
    ])
      for (const type of typesOf(name, key.type === 'private')) {
        const der = key.export({ format: 'der', type });
        const given = { format: 'der', type };
        for (let size = 0; size < der.length; size += Math.ceil(der.length / 50))
          assert.match(
            raised(() => create({ ...given, key: der.subarray(0, size) })).code,
            /^ERR_KEY_/,
          );
        const longer = Buffer.concat([der, Buffer.alloc(1)]);
        refused(() => create({ ...given, key: longer }), 'ERR_KEY_ENCODING', /^key\.key/);
        const pem = key.export({ format: 'pem', type });
        refused(
          () => create(pem.replace(/-----END[^]*/, '')),
          'ERR_KEY_ENCODING',
          /without -----END/,
        );
        refused(() => create(pem.replace(/\n(?=\w)/, '\n*')), 'ERR_KEY_ENCODING', /not base64/);
        refused(
          () => create(pem.replace(/\n[^-]+\n/, '\n')),
          'ERR_KEY_ENCODING',
          /^key is not a key/,
        );
      }
  refused(() => createPrivateKey(''), 'ERR_KEY_ENCODING', /neither PEM/);
  refused(() => createPrivateKey(Buffer.alloc(0)), 'ERR_KEY_ENCODING', /neither PEM/);
  refused(
    () => createPublicKey({ key: Buffer.alloc(9), format: 'der' }),
    'ERR_KEY_ENCODING',
    /DER/,
  );
});

test('parts that contradict each other are refused', () => {
  const [one, two] = [pairs['p-256'].privateKey, shortKey()].map((key) =>
    key.export({ format: 'jwk' }),
  );
  refused(() => createPrivateKey({ ...one, d: two.d }), 'ERR_KEY_INVALID', /^key is not valid/);
  refused(() => createPublicKey({ ...one, y: two.y }), 'ERR_KEY_INVALID', /^key is not valid/);
  const [ed, other] = [0, 1].map(() => newPair('ed25519').privateKey.export({ format: 'jwk' }));
  refused(
    () => createPrivateKey({ ...ed, x: other.x }),
    'ERR_KEY_INVALID',
    /x is not the public key/,
  );
  const rsa = pairs.rsa.privateKey.export({ format: 'jwk' });
  for (const [name, other] of Object.entries({ d: 'p', p: 'q', qi: 'q', n: 'd' }))
    refused(
      () => createPrivateKey({ ...rsa, [name]: rsa[other] }),
      'ERR_KEY_INVALID',
      /^key is not valid/,
    );
});

test('what is not supported is named', () => {
  const { privateKey } = newPair('ec', { namedCurve: 'secp256k1' });
  const okp = newPair('ed448').publicKey;
  const rsa = pairs.rsa.privateKey.export({ format: 'jwk' });
  for (const [jwk, message] of [
    [privateKey.export({ format: 'jwk' }), /^key\.crv must be one of 'P-256'.*not "secp256k1"$/],
    [okp.export({ format: 'jwk' }), /^key\.crv must be .*not "Ed448"$/],
    [{ kty: 'oct', k: 'AAAA' }, /^key\.kty must be one of 'EC', 'OKP', 'RSA', 'AKP', not "oct"$/],
    [{ kty: 'AKP', alg: 'ML-DSA-66', pub: '' }, /^key\.alg must be .*not "ML-DSA-66"$/],
    [{ ...rsa, oth: [] }, /^key\.oth: RSA keys must have two primes$/],
  ])
    refused(
      () => (jwk.d === undefined ? createPublicKey : createPrivateKey)(jwk),
      'ERR_KEY_NOT_SUPPORTED',
      message,
    );
  for (const key of [privateKey, okp])
    refused(() => createPublicKey(key), 'ERR_KEY_NOT_SUPPORTED', /algorithm or curve of key/);
});

test('members and options of a wrong type, or missing, are named', () => {
  const ec = pairs['p-256'].privateKey.export({ format: 'jwk' });
  const pem = pairs['p-256'].privateKey.export({ format: 'pem', type: 'pkcs8' });
  for (const name of ['x', 'y', 'd']) {
    refused(
      () => createPrivateKey({ ...ec, [name]: 5 }),
      'ERR_ARGUMENT_TYPE',
      RegExp(`^key\\.${name}`),
    );
    refused(
      () => createPrivateKey({ ...ec, [name]: '*' }),
      'ERR_KEY_ENCODING',
      RegExp(`^key\\.${name} must be base64url$`),
    );
  }
  const long = Buffer.alloc(33, 1).toString('base64url');
  refused(
    () => createPublicKey({ ...ec, x: long }),
    'ERR_KEY_SIZE',
    /^key\.x must have at most 32/,
  );
  const raw = { key: Buffer.alloc(32), format: 'raw' };
  for (const [value, code, message] of [
    [undefined, 'ERR_ARGUMENT_TYPE', /^key must be a key: PEM/],
    [null, 'ERR_ARGUMENT_TYPE', /^key must be a key/],
    [5, 'ERR_ARGUMENT_TYPE', /^key must be a key/],
    [{}, 'ERR_ARGUMENT_TYPE', /^key\.key must be a key/],
    [{ key: 5 }, 'ERR_ARGUMENT_TYPE', /^key\.key must be a key/],
    [{ key: {} }, 'ERR_ARGUMENT_TYPE', /^key\.key\.kty must be one of/],
    [{ key: pem, form: 'pem' }, 'ERR_ARGUMENT_VALUE', /^key\.form is not an option of a key/],
    [{ key: pem, format: 'PEM' }, 'ERR_ARGUMENT_VALUE', /^key\.format must be one of 'pem'/],
    [{ key: pem, format: 5 }, 'ERR_ARGUMENT_TYPE', /^key\.format/],
    [{ key: pem, format: 'jwk' }, 'ERR_ARGUMENT_TYPE', /^key\.key must be an object/],
    [{ key: ec, format: 'der' }, 'ERR_ARGUMENT_TYPE', /^key\.key must be a string or bytes/],
    [{ key: pem, type: 'pkcs9' }, 'ERR_ARGUMENT_VALUE', /^key\.type/],
    [{ key: pem, encoding: 'rot13' }, 'ERR_ARGUMENT_VALUE', /^key\.encoding/],
    [{ key: pem, encoding: 'hex' }, 'ERR_KEY_ENCODING', /^key\.key is not hex$/],
    [
      { key: 'AAAA', format: 'der' },
      'ERR_MISSING_ARGUMENT',
      /^key\.key is a string: key\.encoding/,
    ],
    [raw, 'ERR_ARGUMENT_TYPE', /^key\.algorithm must be one of 'ed25519'/],
    [{ ...raw, algorithm: 'ed25591' }, 'ERR_ARGUMENT_VALUE', /^key\.algorithm must .*"ed25591"$/],
    [{ ...raw, algorithm: 'rsa' }, 'ERR_KEY_ALGORITHM', /^key\.key: keys of this algorithm/],
    [{ ...raw, key: Buffer.alloc(31), algorithm: 'x25519' }, 'ERR_KEY_SIZE', /^key\.key/],
  ])
    refused(() => createPrivateKey(value), code, message);
  const der = pairs['p-256'].privateKey.export({ format: 'der', type: 'sec1' });
  refused(
    () => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    'ERR_KEY_ENCODING',
    /^key\.key is DER of another type than pkcs8$/,
  );
  for (const create of [createPrivateKey, createPublicKey]) {
    refused(() => create(), 'ERR_MISSING_ARGUMENT', /needs a key/);
    refused(() => create(pem, 1), 'ERR_MISSING_ARGUMENT', /at most 1/);
  }
});

test('export: options that are wrong are named', () => {
  const key = createPrivateKey(pairs.ed25519.privateKey);
  const publicKey = key.publicKey();
  for (const [of, options, code, message] of [
    [key, undefined, 'ERR_MISSING_ARGUMENT', /options/],
    [key, {}, 'ERR_ARGUMENT_TYPE', /^options\.format/],
    [key, { format: 'ber' }, 'ERR_ARGUMENT_VALUE', /^options\.format/],
    [publicKey, { format: 'seed' }, 'ERR_ARGUMENT_VALUE', /^options\.format/],
    [key, { format: 'pem', type: 'spki' }, 'ERR_ARGUMENT_VALUE', /^options\.type/],
    [publicKey, { format: 'pem', type: 'pkcs8' }, 'ERR_ARGUMENT_VALUE', /^options\.type/],
    [key, { format: 'pem', type: 'toString' }, 'ERR_ARGUMENT_VALUE', /^options\.type/],
    [key, { format: 'jwk', type: 'pkcs8' }, 'ERR_ARGUMENT_VALUE', /^options\.type/],
    [key, { format: 'pem', type: 'pkcs1' }, 'ERR_KEY_ALGORITHM', /^options\.type: pkcs1/],
    [key, { format: 'pem', type: 'sec1' }, 'ERR_KEY_ALGORITHM', /algorithm/],
    [key, { format: 'seed' }, 'ERR_KEY_ALGORITHM', /algorithm/],
    [publicKey, { format: 'raw', type: 'compressed' }, 'ERR_KEY_ALGORITHM', /algorithm/],
    [key, { format: 'pem', tpye: 'pkcs8' }, 'ERR_ARGUMENT_VALUE', /^options\.tpye/],
  ])
    refused(() => of.export(options), code, message);
  refused(() => key.equals({}), 'ERR_ARGUMENT_TYPE', /^other must be/);
});

test('getters run once', () => {
  let runs = 0;
  const counted = (object) => {
    const twin = {};
    for (const [name, value] of Object.entries(object))
      Object.defineProperty(twin, name, { enumerable: true, get: () => ((runs += 1), value) });
    return twin;
  };
  const jwk = pairs.rsa.privateKey.export({ format: 'jwk' });
  createPrivateKey(counted({ key: counted(jwk), format: 'jwk' }));
  assert.equal(runs, Object.keys(jwk).length + 2);
  runs = 0;
  const { key } = fromSeed('ml-dsa-44');
  createPrivateKey(counted({ key, format: 'seed', algorithm: 'ml-dsa-44', passphrase: 'x' }));
  assert.equal(runs, 4);
});

test('keys are equal by kind and public key', () => {
  const keys = Object.values(pairs).map(({ privateKey }) => createPrivateKey(privateKey));
  const all = keys.flatMap((key) => [key, key.publicKey()]);
  for (const left of all)
    for (const right of all)
      assert.equal(left.equals(right), left === right, inspect([left, right]));
});

test('a key prints nothing of itself, and is not made by its class', () => {
  for (const [name, { privateKey }] of Object.entries(pairs)) {
    const key = createPrivateKey(privateKey);
    const shown = { type: 'private', algorithm: algorithmOf(name), size: key.size };
    assert.equal(inspect(key), `PrivateKey ${inspect(shown)}`);
    assert.equal(JSON.stringify(key), JSON.stringify(shown));
    assert.ok(key instanceof PrivateKey && key.publicKey() instanceof PublicKey);
  }
  for (const Class of [PrivateKey, PublicKey])
    refused(() => new Class(Symbol('inside'), {}), 'ERR_ARGUMENT_TYPE', /createPrivateKey/);
  assert.equal(promises.createPrivateKey, createPrivateKey);
  assert.equal(promises.PublicKey, PublicKey);
});

test('a disposed key is refused, and its public key lives', () => {
  const key = createPrivateKey(pairs.rsa.privateKey);
  const publicKey = key.publicKey();
  assert.equal(key.disposed, false);
  key.dispose();
  key.dispose();
  assert.equal(key.disposed, true);
  for (const use of [
    () => key.export({ format: 'pem' }),
    () => key.publicKey(),
    () => key.asymmetricKeyType,
    () => key.asymmetricKeyDetails,
    () => key.equals(key),
    () => createPrivateKey(key),
    () => createPublicKey({ key }),
  ])
    refused(use, 'ERR_KEY_DISPOSED', /was disposed/);
  assert.equal(publicKey.size, 2048);
  publicKey[Symbol.dispose ?? 'dispose']();
  refused(() => publicKey.export({ format: 'der' }), 'ERR_KEY_DISPOSED', /^key was disposed$/);
});

test('exported bytes of a private key are alone in their memory', () => {
  const key = createPrivateKey(fromSeed('ml-kem-768'));
  for (const format of ['der', 'raw', 'seed']) {
    const bytes = key.export({ format });
    assert.equal(bytes.buffer.byteLength, bytes.length);
    assert.ok(Buffer.isBuffer(bytes));
  }
});
