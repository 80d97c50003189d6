// The option `engine` in every call that takes it, what is refused, and that all
// engines give the same bytes. What the kernel serves differs between machines; blake3 is in none.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';
import { ways } from '../support/ways.mjs';

const { configure, createHash, createHmac, createKey, engines, hash, hmac, scrypt, seal } =
  millrace;

const bytesOf = (name, size) => random(name).bytes(size);
const key = bytesOf('key', 32);
const nonce = bytesOf('nonce', 12);
const iv = bytesOf('iv', 16);
const source = bytesOf('source', 5000);

afterEach(() => configure({ engine: 'auto' }));

/** Returns functions of the option, of rows of a function, its arguments and its other options. */
const byEngine = (way, rows) =>
  Object.fromEntries(
    Object.entries(rows).map(([title, [name, args, options]]) => [
      title,
      (engine) => way(name, ...args, { ...options, engine }),
    ]),
  );

const file = new URL(import.meta.url);
const much = bytesOf('much', 300_000);
const opening = { key, nonce, source: seal('aes-256-gcm', { key, nonce, source }) };
const rows = {
  hash: ['hash', ['sha256', source]],
  hmac: ['hmac', ['sha256', key, source]],
  hashMany: ['hashMany', ['sha256', [source, 'abc', new Uint8Array(0)]]],
  hmacMany: ['hmacMany', ['sha256', key, [source, 'abc']]],
  seal: ['seal', ['aes-256-gcm'], { key, nonce, source }],
  open: ['open', ['aes-256-gcm'], opening],
  cipher: ['cipher', ['aes-256-ctr'], { encrypt: true, key, iv, source }],
  hashFile: ['hashFile', ['sha256', file]],
  hashFiles: ['hashFiles', ['sha256', [file]]],
};

/** Every synchronous call that takes the option. */
const calls = {
  ...byEngine(ways.sync, rows),
  'hmac with a target': (engine) => {
    const target = Buffer.alloc(32);
    hmac('sha256', key, source, { engine, target });
    return target;
  },
  createHash: (engine) =>
    createHash('sha256', { engine }).update('abc').update(source).update(source).digest(),
  createHmac: (engine) =>
    createHmac('sha256', key, { engine }).update(source).update(source).digest(),
  'createKey for a cipher': (engine) => {
    const prepared = createKey('chacha20-poly1305', key, { engine });
    return seal('chacha20-poly1305', { key: prepared, nonce, source });
  },
  'createKey for an HMAC': (engine) =>
    hmac('sha1', createKey('hmac-sha1', key, { engine }), source),
  'a copied hasher': (engine) => {
    const first = createHash('sha512', { engine }).update(source);
    const second = first.copy();
    first.update('other').digest();
    return second.digest();
  },
  'a hasher begun anew': (engine) => {
    const hasher = createHash('sha1', { engine }).update(source);
    hasher.digest();
    return hasher.reset().update('abc').digest();
  },
};

const derivations = byEngine(ways.sync, {
  scrypt: ['scrypt', ['password', 'salt', 32], { N: 16 }],
  pbkdf2: ['pbkdf2', ['password', 'salt', 3, 32, 'sha256']],
  hkdf: ['hkdf', ['sha256', 'secret', 'salt', 'info', 32]],
  argon2: ['argon2', ['argon2id'], { message: 'password', nonce: 'salt and more', memory: 64 }],
});

const pieces = new Blob([source]);
const asynchronous = {
  ...byEngine(ways.promise, {
    ...rows,
    'hash with options at the end': ['hash', ['sha256', source, 'buffer']],
    'hash of much': ['hash', ['sha512', much]],
    'hmac with options at the end': ['hmac', ['sha256', key, source, 'buffer']],
    pieces: ['hash', ['sha256', pieces]],
    'pieces with options at the end': ['hash', ['sha256', pieces, 'buffer']],
    'pieces under a key': ['hmac', ['sha256', key, pieces, 'buffer']],
    'hashFile with options at the end': ['hashFile', ['sha256', file, 'buffer']],
    'seal of little': ['seal', ['aes-256-gcm'], { key, nonce, source: 'abc' }],
    scrypt: ['scrypt', ['password', 'salt', 32], { N: 16 }],
  }),
  hasher: async (engine) => {
    const hasher = createHash('sha256', { engine });
    await hasher.updateAsync(source);
    await hasher.updateAsync(much);
    return hasher.digestAsync();
  },
  'a callback': (engine) => ways.callback('hash', 'sha256', source, { engine }),
};

for (const [name, call] of Object.entries({ ...calls, ...derivations })) {
  test(`portable gives what native gives: ${name}`, () =>
    assert.deepEqual(call('portable'), call('native')));
}

for (const [name, call] of Object.entries(asynchronous)) {
  test(`portable gives what native gives, asynchronously: ${name}`, async () =>
    assert.deepEqual(await call('portable'), await call('native')));
}

const { kernel } = engines({ probe: ['kernel'] });

for (const [name, call] of Object.entries(calls)) {
  test(`the kernel gives what native gives, or says why it cannot: ${name}`, () => {
    try {
      assert.deepEqual(call('kernel'), call('native'));
    } catch (error) {
      if (error.code !== 'ERR_ENGINE_UNAVAILABLE') throw error;
      assert.ok(error.message.length > 20, error.message);
    }
    assert.deepEqual(call(['kernel', 'portable']), call('native'));
  });
}

for (const [name, call] of Object.entries(asynchronous)) {
  test(`the kernel or else native, asynchronously: ${name}`, async () =>
    assert.deepEqual(await call(['kernel', 'native']), await call('native')));
}

test('what the kernel never serves is refused, with a reason', async () => {
  const code = 'ERR_ENGINE_UNAVAILABLE';
  for (const engine of ['kernel', 'af_alg', 'cryptodev', ['af_alg', 'cryptodev']]) {
    const refusal = { name: 'MillraceError', code, message: /./ };
    for (const call of [
      () => hash('blake3', source, { engine }),
      () => createHash('blake3', { engine }).update(source).digest(),
      () => promises.hash('blake3', much, { engine }),
      () => createHash('blake3', { engine }).updateAsync(much),
    ])
      await assert.rejects(async () => call(), refusal);
    for (const call of Object.values(derivations))
      assert.throws(() => call(engine), { code, message: /kernel.*'native'/ });
  }
});

test('an unknown engine is refused before any work', () => {
  const [VALUE, TYPE] = ['ERR_ARGUMENT_VALUE', 'ERR_ARGUMENT_TYPE'];
  const unknown = /options\.engine must be 'native'.*not a string of 3 characters/;
  for (const call of Object.values({ ...calls, ...derivations }))
    for (const [engine, code, message = /engine/] of [
      ['gpu', VALUE, unknown],
      ['auto', VALUE],
      [[], VALUE, /at least one/],
      [['native', 'gpu'], VALUE, /options\.engine\[1\]/],
      [7, TYPE],
      [[7], TYPE],
      [null, TYPE],
    ])
      assert.throws(() => call(engine), { code, message });
});

test('the option is read once, before memory is looked at', () => {
  let reads = 0;
  const lent = new Uint8Array(8);
  const options = {
    get engine() {
      reads += 1;
      structuredClone(lent, { transfer: [lent.buffer] });
      return 'portable';
    },
  };
  assert.throws(() => hash('sha256', lent, options), { code: 'ERR_DETACHED' });
  assert.equal(reads, 1);
});

test('a prepared key decides, and an option that leaves its engines out is refused', () => {
  const portable = createKey('aes-256-gcm', key, { engine: 'portable' });
  const both = createKey('aes-256-gcm', key, { engine: ['native', 'portable'] });
  const sealed = (key, engine) => seal('aes-256-gcm', { key, nonce, source, engine });
  for (const [prepared, engine] of [
    [portable, undefined],
    [portable, ['native', 'portable']],
    [both, 'native'],
    [both, 'portable'],
  ])
    assert.deepEqual(sealed(prepared, engine), opening.source);
  assert.throws(() => sealed(portable, 'native'), {
    code: 'ERR_ENGINE_UNAVAILABLE',
    message: /the key is prepared for portable; createKey/,
  });
  for (const each of [portable, both]) each.dispose();
  for (const engine of [undefined, 'portable'])
    assert.throws(() => sealed(both, engine), { code: 'ERR_KEY_DISPOSED' });
});

test('the state of a hasher goes from one engine to the other', () => {
  const expected = hash('sha3-256', Buffer.concat([source, source]));
  for (const [from, to] of [
    ['native', 'portable'],
    ['portable', 'native'],
  ]) {
    const state = createHash('sha3-256', { engine: from }).update(source).exportState();
    const resumed = createHash('sha3-256', { engine: to, state });
    assert.deepEqual(resumed.update(source).digest(), expected, `${from} to ${to}`);
    const mac = createHmac('sha256', key, { engine: from }).update(source).exportState();
    const resumedMac = createHmac('sha256', key, { engine: to, state: mac });
    assert.deepEqual(resumedMac.digest(), hmac('sha256', key, source));
  }
});

test('the kernel keeps states to itself', () => {
  assert.throws(() => createHash('sha256', { engine: 'kernel' }).update(source).exportState(), {
    code: 'ERR_ENGINE_UNAVAILABLE',
  });
  const state = createHash('sha256').update(source).exportState();
  assert.throws(() => createHash('sha256', { engine: 'kernel', state }), {
    code: 'ERR_ENGINE_UNAVAILABLE',
    message: /state of a hasher/,
  });
  assert.deepEqual(
    createHash('sha256', { engine: ['kernel', 'native'], state }).digest(),
    hash('sha256', source),
  );
});

test('configure chooses for calls that do not', async () => {
  const expected = hash('sha256', source);
  const derived = scrypt('a', 'b', 8, { N: 16, engine: 'native' });
  for (const engine of ['portable', 'native', ['portable', 'native'], ['kernel', 'native']]) {
    assert.deepEqual(configure({ engine }).engine, engine);
    assert.deepEqual(engines().settings.engine, engine);
    assert.deepEqual(hash('sha256', source), expected);
    assert.equal(hash('sha256', source, 'hex'), expected.toString('hex'));
    assert.equal(hash('sha256', source, 'bigint'), BigInt(`0x${expected.toString('hex')}`));
    assert.deepEqual(createHash('sha256').update(source).digest(), expected);
    const state = createHash('sha256').update(source).exportState();
    assert.deepEqual(createHash('sha256', { state }).digest(), expected);
    const short = hash('sha256', 'abc', { engine: 'native' });
    assert.deepEqual(await promises.hash('sha256', 'abc'), short);
    assert.deepEqual(scrypt('a', 'b', 8, { N: 16 }), derived);
  }
  assert.throws(() => configure({ engine: 'gpu' }), {
    code: 'ERR_ARGUMENT_VALUE',
    message: /settings\.engine.*'auto'/,
  });
  assert.throws(() => configure({ engine: ['auto'] }), { code: 'ERR_ARGUMENT_VALUE' });
  assert.deepEqual(configure().engine, ['kernel', 'native']);
  assert.equal(configure({ engine: 'auto' }).engine, 'auto');
});

test('a kernel that is configured alone does not stop what it has no words for', () => {
  configure({ engine: 'kernel' });
  const native = scrypt('a', 'b', 8, { N: 16, engine: 'native' });
  assert.deepEqual(scrypt('a', 'b', 8, { N: 16 }), native);
  assert.throws(() => hash('blake3', 'abc'), { code: 'ERR_ENGINE_UNAVAILABLE' });
});

test('engines() lists the algorithms of each engine', () => {
  const { native, portable, threads } = engines();
  for (const count of Object.values(threads)) assert.ok(Number.isInteger(count) && count >= 0);
  const names = [...millrace.getHashes(), ...millrace.getCiphers()].sort();
  for (const engine of [native, portable]) {
    assert.equal(engine.available, true);
    assert.deepEqual(Object.keys(engine.algorithms).sort(), names);
    assert.ok('scrypt' in engine.derivations && 'pbkdf2-sha256' in engine.derivations);
    for (const [name, { lanes, short, parts, incremental, ...whole }] of [
      ...Object.entries(engine.algorithms),
      ...Object.entries(engine.derivations),
    ])
      for (const code of [whole, short, parts, incremental].filter((each) => each !== undefined)) {
        for (const library of [code.library, ...(code.with ?? [])])
          assert.ok(library in engine.libraries, `${name}: ${library}`);
        assert.equal(typeof code.hardware, 'boolean');
        assert.ok(Array.isArray(code.instructions) && (lanes?.messages ?? 2) > 1, name);
      }
  }
  assert.equal(typeof kernel.available, 'boolean');
  assert.ok(
    kernel.available
      ? Object.keys(kernel.algorithms).length > 0
      : kernel.reason !== undefined ||
          Object.values(kernel.algorithms).every(({ reason }) => reason.length > 20),
  );
  assert.throws(() => engines({ probe: ['gpu'] }), { code: 'ERR_ARGUMENT_VALUE' });
  assert.throws(() => engines({ probe: 'kernel' }), { code: 'ERR_ARGUMENT_TYPE' });
});
