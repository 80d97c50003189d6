// The option `engine` in every call that takes it, what is refused, and that all
// engines give the same bytes. What the kernel serves differs between machines; blake3 is in none.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import millrace, {
  cipher,
  configure,
  createHash,
  createHmac,
  createKey,
  engines,
  hash,
  hashFile,
  hashFiles,
  hashMany,
  hkdf,
  hmac,
  hmacMany,
  open,
  pbkdf2,
  scrypt,
  seal,
} from 'millrace';
import promises from 'millrace/promises';

import { random } from '../support/random.mjs';

const bytesOf = (name, size) => random(name).bytes(size);
const key = bytesOf('key', 32);
const nonce = bytesOf('nonce', 12);
const iv = bytesOf('iv', 16);
const source = bytesOf('source', 5000);

afterEach(() => configure({ engine: 'auto' }));

/** Every call that takes the option, as functions of it. */
const calls = {
  hash: (engine) => hash('sha256', source, { engine }),
  hmac: (engine) => hmac('sha256', key, source, { engine }),
  'hmac with a target': (engine) => {
    const target = Buffer.alloc(32);
    hmac('sha256', key, source, { engine, target });
    return target;
  },
  hashMany: (engine) => hashMany('sha256', [source, 'abc', new Uint8Array(0)], { engine }),
  hmacMany: (engine) => hmacMany('sha256', key, [source, 'abc'], { engine }),
  seal: (engine) => seal('aes-256-gcm', { key, nonce, source, engine }),
  open: (engine) =>
    open('aes-256-gcm', {
      key,
      nonce,
      source: seal('aes-256-gcm', { key, nonce, source }),
      engine,
    }),
  cipher: (engine) => cipher('aes-256-ctr', { encrypt: true, key, iv, source, engine }),
  hashFile: (engine) => hashFile('sha256', new URL(import.meta.url), { engine }),
  hashFiles: (engine) => hashFiles('sha256', [new URL(import.meta.url)], { engine }),
  createHash: (engine) =>
    createHash('sha256', { engine }).update('abc').update(source).update(source).digest(),
  createHmac: (engine) =>
    createHmac('sha256', key, { engine }).update(source).update(source).digest(),
  'createKey for a cipher': (engine) =>
    seal('chacha20-poly1305', {
      key: createKey('chacha20-poly1305', key, { engine }),
      nonce,
      source,
    }),
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

const derivations = {
  scrypt: (engine) => scrypt('password', 'salt', 32, { N: 16, engine }),
  pbkdf2: (engine) => pbkdf2('password', 'salt', 3, 32, 'sha256', { engine }),
  hkdf: (engine) => hkdf('sha256', 'secret', 'salt', 'info', 32, { engine }),
  argon2: (engine) =>
    millrace.argon2('argon2id', {
      message: 'password',
      nonce: 'salt and more',
      memory: 64,
      engine,
    }),
};

const asynchronous = {
  hash: (engine) => promises.hash('sha256', source, { engine }),
  'hash with options at the end': (engine) => promises.hash('sha256', source, 'buffer', { engine }),
  'hash of much': (engine) => promises.hash('sha512', bytesOf('much', 300_000), { engine }),
  hmac: (engine) => promises.hmac('sha256', key, source, 'buffer', { engine }),
  pieces: (engine) => promises.hash('sha256', new Blob([source]), { engine }),
  'pieces with options at the end': (engine) =>
    promises.hash('sha256', new Blob([source]), 'buffer', { engine }),
  'pieces under a key': (engine) =>
    promises.hmac('sha256', key, new Blob([source]), 'buffer', { engine }),
  hashFile: (engine) => promises.hashFile('sha256', new URL(import.meta.url), 'buffer', { engine }),
  hashFiles: (engine) => promises.hashFiles('sha256', [new URL(import.meta.url)], { engine }),
  hashMany: (engine) => promises.hashMany('sha256', [source, 'abc'], { engine }),
  seal: (engine) => promises.seal('aes-256-gcm', { key, nonce, source, engine }),
  'seal of little': (engine) => promises.seal('aes-256-gcm', { key, nonce, source: 'abc', engine }),
  scrypt: (engine) => promises.scrypt('password', 'salt', 32, { N: 16, engine }),
  hasher: async (engine) => {
    const hasher = createHash('sha256', { engine });
    await hasher.updateAsync(source);
    await hasher.updateAsync(bytesOf('much', 300_000));
    return hasher.digestAsync();
  },
  'a callback': (engine) =>
    new Promise((resolve, reject) =>
      hash('sha256', source, { engine }, (error, digest) =>
        error ? reject(error) : resolve(digest),
      ),
    ),
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
  for (const engine of ['kernel', 'af_alg', 'cryptodev', ['af_alg', 'cryptodev']]) {
    assert.throws(() => hash('blake3', source, { engine }), {
      name: 'MillraceError',
      code: 'ERR_ENGINE_UNAVAILABLE',
      message: /./,
    });
    assert.throws(() => createHash('blake3', { engine }).update(source).digest(), {
      code: 'ERR_ENGINE_UNAVAILABLE',
    });
    await assert.rejects(promises.hash('blake3', bytesOf('much', 300_000), { engine }), {
      code: 'ERR_ENGINE_UNAVAILABLE',
    });
    await assert.rejects(createHash('blake3', { engine }).updateAsync(bytesOf('much', 300_000)), {
      code: 'ERR_ENGINE_UNAVAILABLE',
    });
    for (const call of Object.values(derivations))
      assert.throws(() => call(engine), {
        code: 'ERR_ENGINE_UNAVAILABLE',
        message: /kernel.*'native'/,
      });
  }
});

test('an unknown engine is refused before any work', () => {
  for (const call of Object.values({ ...calls, ...derivations })) {
    assert.throws(() => call('gpu'), {
      code: 'ERR_ARGUMENT_VALUE',
      message: /options\.engine must be 'native'.*not a string of 3 characters/,
    });
    assert.throws(() => call('auto'), { code: 'ERR_ARGUMENT_VALUE' });
    assert.throws(() => call([]), { code: 'ERR_ARGUMENT_VALUE', message: /at least one/ });
    assert.throws(() => call(['native', 'gpu']), {
      code: 'ERR_ARGUMENT_VALUE',
      message: /options\.engine\[1\]/,
    });
    assert.throws(() => call(7), { code: 'ERR_ARGUMENT_TYPE' });
    assert.throws(() => call([7]), { code: 'ERR_ARGUMENT_TYPE' });
    assert.throws(() => call(null), { code: 'ERR_ARGUMENT_TYPE' });
  }
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
  const expected = seal('aes-256-gcm', { key, nonce, source });
  assert.deepEqual(seal('aes-256-gcm', { key: portable, nonce, source }), expected);
  assert.deepEqual(
    seal('aes-256-gcm', { key: portable, nonce, source, engine: ['native', 'portable'] }),
    expected,
  );
  for (const engine of ['native', 'portable'])
    assert.deepEqual(seal('aes-256-gcm', { key: both, nonce, source, engine }), expected);
  assert.throws(() => seal('aes-256-gcm', { key: portable, nonce, source, engine: 'native' }), {
    code: 'ERR_ENGINE_UNAVAILABLE',
    message: /the key is prepared for portable; createKey/,
  });
  for (const each of [portable, both]) each.dispose();
  for (const engine of [undefined, 'portable']) {
    assert.throws(() => seal('aes-256-gcm', { key: both, nonce, source, engine }), {
      code: 'ERR_KEY_DISPOSED',
    });
  }
});

test('the state of a hasher goes from one engine to the other', () => {
  const expected = hash('sha3-256', Buffer.concat([source, source]));
  for (const [from, to] of [
    ['native', 'portable'],
    ['portable', 'native'],
  ]) {
    const state = createHash('sha3-256', { engine: from }).update(source).exportState();
    assert.deepEqual(
      createHash('sha3-256', { engine: to, state }).update(source).digest(),
      expected,
      `${from} to ${to}`,
    );
    const mac = createHmac('sha256', key, { engine: from }).update(source).exportState();
    assert.deepEqual(
      createHmac('sha256', key, { engine: to, state: mac }).digest(),
      hmac('sha256', key, source),
    );
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
  for (const engine of ['portable', 'native', ['portable', 'native'], ['kernel', 'native']]) {
    assert.deepEqual(configure({ engine }).engine, engine);
    assert.deepEqual(engines().settings.engine, engine);
    assert.deepEqual(hash('sha256', source), expected);
    assert.equal(hash('sha256', source, 'hex'), expected.toString('hex'));
    assert.equal(hash('sha256', source, 'bigint'), BigInt(`0x${expected.toString('hex')}`));
    assert.deepEqual(createHash('sha256').update(source).digest(), expected);
    assert.deepEqual(
      createHash('sha256', { state: createHash('sha256').update(source).exportState() }).digest(),
      expected,
    );
    assert.deepEqual(
      await promises.hash('sha256', 'abc'),
      hash('sha256', 'abc', { engine: 'native' }),
    );
    assert.deepEqual(
      scrypt('a', 'b', 8, { N: 16 }),
      scrypt('a', 'b', 8, { N: 16, engine: 'native' }),
    );
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
  assert.deepEqual(
    scrypt('a', 'b', 8, { N: 16 }),
    scrypt('a', 'b', 8, { N: 16, engine: 'native' }),
  );
  assert.throws(() => hash('blake3', 'abc'), { code: 'ERR_ENGINE_UNAVAILABLE' });
});

test('engines() lists the algorithms of each engine', () => {
  const { native, portable } = engines();
  for (const engine of [native, portable]) {
    assert.equal(engine.available, true);
    for (const name of [...millrace.getHashes(), ...millrace.getCiphers()])
      assert.ok(engine.algorithms[name].library in engine.libraries, name);
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
