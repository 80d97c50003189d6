// Every call with options, by every entry point: it takes each name that its type has, and refuses
// every other with an error that says which one was meant.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import millrace from 'millrace';
import portable from 'millrace/portable';
import promises from 'millrace/promises';

import { root } from '../support/child.mjs';

const folder = mkdtempSync(join(tmpdir(), 'millrace-options-'));
const file = join(folder, 'file');
writeFileSync(file, 'data');
after(() => rmSync(folder, { recursive: true }));

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);
const iv = Buffer.alloc(16, 3);
const tag = () => Buffer.alloc(16);
const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: 'text' });
const stored = millrace.hashPassword('p', { memory: 8, passes: 1 });
const state = millrace.createHash('sha256').exportState();
const macState = millrace.createHmac('sha256', key).exportState();
const { signal } = new AbortController();
const engine = { engine: 'native' };
const target = () => [
  { target: Buffer.alloc(100) },
  { target: Buffer.alloc(100), targetOffset: 1 },
];
const passphraseSealed = promises.sealWithPassphrase('p', 'text', { N: 1024 });
const keySealed = promises.sealWithKey(key, 'text');
const digestTakes = [{ encoding: 'hex' }, engine, ...target()];
const argon2 = { message: 'p', nonce: '12345678', memory: 8, passes: 1 };
const reading = [{ signal }, { onProgress() {} }];

/**
 * Calls as all entry points have them: arguments before the options (`first`), options that it
 * needs (`base`), others that it takes, also when it is asynchronous (`later`) or promised, and
 * names of others with what they mean here.
 */
const calls = {
  hash: {
    first: ['blake3', 'data'],
    takes: [...digestTakes, { outputLength: 40 }, { key }],
    later: [{ route: 'pool' }],
    promised: [{ signal }],
    means: {
      dkLen: 'outputLength',
      keyy: 'key',
      length: 'outputLength',
      asyncTick: '',
    },
  },
  'hash xxh64': {
    first: ['xxh64', 'data'],
    takes: [{ seed: 7 }],
    means: { sede: 'seed', salt: '' },
  },
  hmac: {
    first: ['sha256', key, 'data'],
    takes: digestTakes,
    later: [{ route: 'inline' }],
    promised: [{ signal }],
    means: { hash: 'algorithm', secret: 'key', outputlength: '' },
  },
  hashMany: {
    first: ['blake3', ['a', 'b']],
    takes: [...digestTakes, { outputLength: 40 }, { key }],
    later: [{ route: 'pool' }],
    promised: [{ signal }],
    means: { dkLen: 'outputLength', keyy: 'key' },
  },
  hmacMany: {
    first: ['sha256', key, ['a', 'b']],
    takes: digestTakes,
    later: [{ route: 'pool' }],
    promised: [{ signal }],
    means: { enc: '', encodig: 'encoding' },
  },
  hashFile: {
    first: ['blake3', file],
    takes: [...digestTakes, { outputLength: 40 }, { key }],
    later: reading,
    promised: [],
    means: { abort: '', dkLen: 'outputLength' },
  },
  seal: {
    first: ['aes-256-gcm'],
    base: { key, nonce, source: 'text' },
    takes: [{ aad: 'x' }, { authTagLength: 12 }, engine, ...target()],
    later: [{ route: 'pool' }],
    promised: [{ signal }],
    means: {
      AAD: 'aad',
      additionalData: 'aad',
      additional_data: 'aad',
      associatedData: 'aad',
      additionalAuthenticatedData: 'aad',
      tagLength: 'authTagLength',
      tag_length: 'authTagLength',
      iv: 'nonce',
      counter: 'nonce',
      plaintext: 'source',
      name: 'algorithm',
      output: 'target',
    },
  },
  open: {
    first: ['aes-256-gcm'],
    base: { key, nonce, source: sealed },
    takes: [{ aad: '' }, { authTagLength: 16 }, engine, ...target()],
    later: [{ route: 'pool' }],
    promised: [{ signal }],
    means: {
      AAD: 'aad',
      additionalData: 'aad',
      tagLength: 'authTagLength',
      iv: 'nonce',
      ciphertext: 'source',
      tag: '',
    },
  },
  cipher: {
    first: ['aes-256-gcm'],
    base: { encrypt: true, key, iv: nonce, source: 'text', tag: tag() },
    takes: [{ aad: 'x' }, engine, ...target()],
    later: [{ route: 'pool' }],
    promised: [{ signal }],
    means: {
      additionalData: 'aad',
      nonce: 'iv',
      counter: 'iv',
      tagLength: 'tag',
      authTag: 'tag',
      length: '',
    },
  },
  scrypt: {
    first: ['p', 's', 16],
    takes: [
      { N: 16 },
      { cost: 16 },
      { r: 1, N: 16 },
      { blockSize: 1, N: 16 },
      { p: 2, N: 16 },
      { parallelization: 2, N: 16 },
      { maxmem: 2 ** 26 },
      engine,
    ],
    later: reading,
    means: { n: 'N', iterations: 'N', dkLen: 'keylen', memLimit: '', parallelism: 'p' },
  },
  pbkdf2: {
    first: ['p', 's', 1, 16, 'sha256'],
    takes: [engine],
    later: reading,
    means: {
      iterations: 'iterations',
      hash: 'digest',
      salt: 'salt',
      c: 'iterations',
      dkLen: 'keylen',
      foo: '',
    },
  },
  hkdf: {
    first: ['sha256', 'k', 's', 'i', 16],
    takes: [engine],
    later: reading,
    means: { info: 'info', hash: 'digest', salt: 'salt', length: 'keylen' },
  },
  argon2: {
    first: ['argon2id'],
    base: argon2,
    argument: 'parameters',
    takes: [
      { parallelism: 1 },
      { tagLength: 16 },
      { secret: 'x' },
      { associatedData: 'x' },
      { version: 0x10 },
      engine,
    ],
    later: reading,
    means: {
      memoryCost: 'memory',
      m: 'memory',
      timeCost: 'passes',
      iterations: 'passes',
      t: 'passes',
      opslimit: 'passes',
      memlimit: 'memory',
      hashLength: 'tagLength',
      dkLen: 'tagLength',
      salt: 'nonce',
      password: 'message',
      key: 'secret',
      type: 'algorithm',
      p: 'parallelism',
      aad: 'associatedData',
    },
  },
  hashPassword: {
    first: ['p'],
    base: { memory: 8, passes: 1 },
    takes: [
      { parallelism: 1 },
      { algorithm: 'argon2i' },
      { secret: 'x' },
      { saltLength: 8 },
      { hashLength: 16 },
      { salt: Buffer.alloc(16) },
      engine,
      { algorithm: 'scrypt', N: 16, r: 1, p: 1, memory: undefined, passes: undefined },
    ],
    later: reading,
    means: {
      memoryCost: 'memory',
      timeCost: 'passes',
      rounds: 'cost',
      iterations: 'passes',
      type: 'algorithm',
      raw: '',
      associatedData: '',
      tagLength: 'hashLength',
      pepper: 'secret',
      maxmem: '',
    },
  },
  verifyPassword: {
    first: ['p', stored],
    takes: [{ maxMemory: 2 ** 28 }, { maxTime: 5000 }, engine],
    later: reading,
    means: { maxtime: 'maxTime', maxmem: 'maxMemory', timeCost: '' },
  },
};

const passphraseOptions = { takes: [{ signal }, { onProgress() {} }], means: { thread: '' } };
Object.assign(calls, {
  verifyHmac: {
    first: ['sha256'],
    base: { key, source: 'text', mac: Buffer.alloc(32) },
    takes: [engine],
    later: [],
    means: { data: 'source' },
    forms: ['synchronously', 'with a promise'],
  },
  wrapKey: {
    first: ['aes256-wrap'],
    base: { key, source: key },
    takes: [engine],
    later: reading,
    means: { secret: 'key' },
  },
  unwrapKey: {
    first: ['aes256-wrap'],
    base: { key, source: millrace.wrapKey('aes256-wrap', { key, source: key }) },
    takes: [engine],
    later: reading,
    means: { secret: 'key' },
  },
  hashFiles: {
    first: ['blake3', [file]],
    takes: [{ encoding: 'hex' }, { outputLength: 40 }, { key }, { errors: 'return' }],
    later: [{ signal }],
    means: { dkLen: 'outputLength' },
  },
});

/** Calls of one kind only. */
const others = {
  createCipher: {
    call: (options) => millrace.createCipher('aes-256-gcm', options),
    base: { key, nonce },
    takes: [{ aad: 'x' }, { authTagLength: 12 }, engine, { highWaterMark: 100 }],
    means: { additionalData: 'aad', tagLength: 'authTagLength' },
  },
  createDecipher: {
    call: (options) => millrace.createDecipher('aes-256-gcm', options),
    base: { key, nonce },
    takes: [{ aad: 'x' }, { authTag: Buffer.alloc(16) }, { unverified: true }],
    means: { additionalData: 'aad', tagLength: 'authTagLength' },
  },
  'sealWithPassphrase with a promise': {
    call: (options) => promises.sealWithPassphrase('p', 'text', options),
    base: { N: 1024 },
    ...passphraseOptions,
  },
  'sealWithKey with a promise': {
    call: (options) => promises.sealWithKey(key, 'text', options),
    takes: [{ signal }],
    means: { thread: '' },
  },
  'openWithKey with a promise': {
    call: async (options) => promises.openWithKey(key, await keySealed, options),
    takes: [{ signal }],
    means: { thread: '' },
  },
  'openWithPassphrase with a promise': {
    call: async (options) => promises.openWithPassphrase('p', await passphraseSealed, options),
    ...passphraseOptions,
  },
  createHash: {
    call: (options) => millrace.createHash('blake3', options),
    takes: [
      { outputLength: 40 },
      { key },
      engine,
      { highWaterMark: 100 },
      { objectMode: false },
      { signal },
    ],
    means: { outputlength: 'outputLength', dkLen: 'outputLength', algorithm: 'algorithm' },
  },
  'createHash with a state': {
    call: (options) => millrace.createHash('sha256', options),
    takes: [{ state }],
    means: { stat: 'state' },
  },
  createHmac: {
    call: (options) => millrace.createHmac('sha256', key, options),
    takes: [{ state: macState }, engine, { highWaterMark: 100 }, { encoding: 'hex' }],
    means: { Encoding: 'encoding', outputLength: '' },
  },
  copy: {
    call: (options) => millrace.createHash('shake128').copy(options),
    takes: [{ outputLength: 40 }, { highWaterMark: 100 }],
    means: { outputlength: 'outputLength' },
  },
  createKey: {
    call: (options) => millrace.createKey('aes-256-gcm', key, options),
    takes: [engine],
    means: { engin: 'engine', extractable: '' },
  },
  needsRehash: {
    call: (options) => millrace.needsRehash(stored, options),
    takes: [{ memory: 8 }, { passes: 1 }, { algorithm: 'scrypt' }, { hashLength: 32 }],
    means: { memoryCost: 'memory', rounds: 'cost' },
  },
  configure: {
    call: millrace.configure,
    argument: 'settings',
    takes: [{ route: 'auto' }, { engine: 'auto' }, { threads: millrace.configure().threads }],
    means: { thread: 'threads', routes: 'route' },
  },
  engines: { call: millrace.engines, takes: [{ probe: [] }], means: { prob: 'probe' } },
};
for (const make of ['sealStream', 'openStream', 'sealTransformStream', 'openTransformStream']) {
  others[make] = {
    call(options) {
      const stream = promises[make](options);
      if (!make.includes('Transform')) stream.destroy();
    },
    base: { algorithm: 'aes-256-gcm', key },
    takes: [{ context: 'x' }, { signal }, { highWaterMark: 1000 }],
    means: {
      contxt: 'context',
      additionalData: 'context',
      info: 'context',
      name: 'algorithm',
      nonce: '',
    },
  };
}
const digestMeans = { dkLen: 'outputLength', target_: '' };
Object.assign(others, {
  'portable blake3': {
    call: (options) => portable.blake3('data', options),
    takes: [{ encoding: 'hex' }, { outputLength: 40 }, { key }, { context: 'of a test' }],
    means: digestMeans,
  },
  'portable xxh64': {
    call: (options) => portable.xxh64('data', options),
    takes: [{ seed: 7n }],
    means: { sede: 'seed', engine: '' },
  },
  'portable create': {
    call: (options) => portable.blake3.create(options),
    takes: [{ outputLength: 40 }, { key }],
    means: { dkLen: 'outputLength', encoding: '' },
  },
  'portable hmac': {
    call: (options) => portable.hmac(portable.sha256, key, 'data', options),
    takes: [{ encoding: 'hex' }],
    means: { outputEncoding: 'encoding' },
  },
  'portable seal': {
    call: (options) => portable.aes_256_gcm.seal(options),
    base: { key, nonce, source: 'text' },
    takes: [{ aad: 'x' }, { authTagLength: 12 }],
    means: { AAD: 'aad', iv: 'nonce', tagLength: 'authTagLength' },
  },
  'portable open': {
    call: (options) => portable.aes_256_gcm.open(options),
    base: { key, nonce, source: sealed },
    takes: [{ aad: '' }, { authTagLength: 16 }],
    means: { additionalData: 'aad' },
  },
  'portable encrypt': {
    call: (options) => portable.aes_256_ctr.encrypt(options),
    base: { key, iv, source: 'text' },
    takes: [],
    means: { nonce: 'iv', counter: 'iv', aad: '' },
  },
  'portable scrypt': {
    call: (options) => portable.scrypt('p', 's', 16, options),
    takes: [{ N: 16 }, { cost: 16 }, { N: 16, r: 1 }, { N: 16, p: 2 }, { maxmem: 2 ** 26 }],
    means: { dkLen: 'keylen', n: 'N' },
  },
  'portable argon2': {
    call: (options) => portable.argon2('argon2id', options),
    argument: 'parameters',
    base: argon2,
    takes: [{ tagLength: 16 }, { secret: 'x' }, { version: 0x13 }],
    means: { salt: 'nonce', m: 'memory', dkLen: 'tagLength' },
  },
});

/**
 * Returns the ways of making a call that all entry points have. A wrong argument throws, or rejects
 * where a promise waits.
 */
function ways(name, { first, takes, later = [], promised = [], forms }) {
  const method = name.split(' ')[0];
  const plain = (options) => millrace[method](...first, options);
  const called = (options) =>
    new Promise(
      (resolve, reject) =>
        void millrace[method](...first, options, (error, result) =>
          error ? reject(error) : resolve(result),
        ),
    );
  const promise = (options) => promises[method](...first, options);
  return [
    ['synchronously', plain, takes],
    ['with a callback', called, [...takes, ...later]],
    ['with a promise', promise, [...takes, ...later, ...promised]],
  ].filter(([way]) => forms === undefined || forms.includes(way));
}

const all = [
  ...Object.entries(calls).flatMap(([name, each]) =>
    ways(name, each).map(([way, call, takes]) => ({
      ...each,
      name: `${name} ${way}`,
      call,
      takes,
    })),
  ),
  ...Object.entries(others).map(([name, each]) => ({ name, ...each })),
];

for (const { name, call, base = {}, argument = 'options', takes, means } of all) {
  test(`${name}: takes its names`, async () => {
    for (const some of takes) await call({ ...base, ...some });
  });

  test(`${name}: refuses others, and says what they are called here`, async () => {
    for (const [foreign, ours] of Object.entries(means)) {
      for (const value of ['x', undefined]) {
        const error = await failure(() => call({ ...base, [foreign]: value }));
        assert.equal(error.code, 'ERR_ARGUMENT_VALUE', `${foreign}: ${error}`);
        assert.ok(
          error.message.startsWith(`${argument}.${foreign} is not an option of `),
          error.message,
        );
        if (ours === '') assert.match(error.message, /; it takes \w+/);
        else
          assert.ok(
            [`; did you mean ${argument}.${ours}?`, `; did you mean the argument ${ours}?`].some(
              (hint) => error.message.includes(hint),
            ),
            error.message,
          );
      }
    }
  });
}

async function failure(run) {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return assert.fail('taken');
}

test('a last argument { signal, route, engine } of a promised call is checked too', async () => {
  for (const [method, given] of [
    ['hash', ['sha256', 'data', 'hex']],
    ['cipher', ['aes-256-ctr', true, key, iv, 'text']],
  ]) {
    await promises[method](...given, { signal, ...engine });
    await assert.rejects(promises[method](...given, { sginal: signal }), {
      code: 'ERR_ARGUMENT_VALUE',
      message: /sginal is not an option of this call; did you mean options.signal\?/,
    });
  }
  await assert.rejects(
    promises.hash('sha256', new Blob(['data']), 'hex', { sginal: signal }),
    /did you mean options.signal/,
  );
  await assert.rejects(
    promises.hash('sha256', new Blob(['data']), { encoding: 'hex' }, { signal }),
    /given twice/,
  );
  await assert.rejects(
    promises.hmac('sha256', key, new Blob(['data']), { endcoding: 'hex' }),
    /did you mean options.encoding/,
  );
});

test('sizes that look like bits are reported', () => {
  const options = { key, nonce, source: 'text' };
  assert.throws(() => millrace.seal('aes-256-gcm', { ...options, authTagLength: 128 }), {
    code: 'ERR_TAG_SIZE',
    message: /bytes, not bits/,
  });
  assert.throws(() => millrace.seal('aes-256-gcm', { ...options, length: 128 }), {
    message: /options.authTagLength\? \(sizes are in bytes, not bits\)/,
  });
  assert.throws(() => millrace.hkdf('sha256', 'k', 's', 'i', 16, { length: 256 }), {
    message: /the argument keylen\? \(sizes are in bytes, not bits\)/,
  });
  assert.throws(() => millrace.argon2('argon2id', { ...argon2, memlimit: 2 ** 20 }), {
    message: /parameters.memory\? \(in KiB, not bytes\)/,
  });
});

test('options are own enumerable properties', () => {
  const expected = millrace.seal('aes-256-gcm', { key, nonce, source: 'text' });
  const seal = (options) => millrace.seal('aes-256-gcm', options);
  class Options {
    key = key;
    nonce = nonce;
    source = 'text';
    get aad() {
      return assert.fail('an inherited getter was read');
    }
  }
  assert.deepEqual(seal(new Options()), expected);
  const values = { key, nonce, source: 'text' };
  assert.deepEqual(
    seal(Object.assign(Object.create({ aad: 'x', inherited: 1 }), values)),
    expected,
  );
  assert.throws(() => seal(Object.create(values)), { code: 'ERR_ARGUMENT_TYPE' });
  assert.deepEqual(seal({ ...values, [Symbol('mine')]: 1 }), expected);
  assert.deepEqual(seal(Object.defineProperty({ ...values }, 'hidden', { value: 1 })), expected);
  assert.deepEqual(seal(new Proxy(values, {})), expected);
  assert.deepEqual(seal(Object.assign(Object.create(null), values)), expected);
  assert.throws(() => seal(new Proxy({ ...values, AAD: 'x' }, {})), {
    message: /did you mean options.aad/,
  });
  assert.throws(() => seal(Object.assign(new Options(), { additionalData: 'x' })), {
    message: /did you mean options.aad/,
  });
});

test('names come in any order, also while a trap makes calls of the same kind', () => {
  const values = { key, nonce, source: 'text', aad: 'x', authTagLength: 16, engine: 'native' };
  const expected = millrace.seal('aes-256-gcm', values);
  const names = Object.keys(values);
  for (let turn = 0; turn < 200; turn++) {
    const order = [...names].sort(() => Math.random() - 0.5);
    assert.deepEqual(
      millrace.seal('aes-256-gcm', Object.fromEntries(order.map((name) => [name, values[name]]))),
      expected,
      String(order),
    );
    const nested = new Proxy(Object.fromEntries(order.map((name) => [name, values[name]])), {
      getOwnPropertyDescriptor(target, name) {
        millrace.seal(
          'aes-256-gcm',
          Object.fromEntries([...order].reverse().map((each) => [each, values[each]])),
        );
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
    assert.deepEqual(millrace.seal('aes-256-gcm', nested), expected, String(order));
  }
});

/** Returns the names that a call takes, from the error for one that it does not take. */
async function namesOf({ call, base }) {
  const { message } = await failure(() => call({ ...base, qqqqqqqq: 1 }));
  return /; it takes (.*)$/.exec(message)[1].split(', ');
}

/** Absence weakens a call, so undefined does not count as absent. */
const guarded = [
  'aad',
  'associatedData',
  'context',
  'customization',
  'functionName',
  'key',
  'personalization',
  'salt',
  'secret',
];

for (const each of all) {
  test(`${each.name}: refuses undefined where absence weakens`, async () => {
    const names = await namesOf(each);
    for (const name of names) {
      if (!guarded.includes(name)) continue;
      const error = await failure(() => each.call({ ...each.base, [name]: undefined }));
      assert.equal(error.code, 'ERR_ARGUMENT_TYPE', `${name}: ${error}`);
      assert.match(
        error.message,
        new RegExp(`${name} must not be undefined: .*leave the property`),
      );
    }
    const rest = names.filter((name) => !guarded.includes(name) && !(name in (each.base ?? {})));
    const absent = Object.fromEntries(rest.map((name) => [name, undefined]));
    const first = each.takes[0] ?? {};
    await each.call({ ...each.base, ...absent, ...first });
  });
}

/** Values that another package might give Object.prototype under the name of an option. */
const plausible = {
  algorithm: 'bcrypt',
  authTagLength: 4,
  encoding: 'hex',
  engine: 'nonsense',
  errors: 'return',
  iv,
  key,
  memory: 8,
  nonce,
  onProgress: () => assert.fail('an inherited callback was called'),
  outputLength: 8,
  route: 'pool',
  seed: 7,
  signal: AbortSignal.abort(new Error('an inherited signal')),
  target: Buffer.alloc(1000),
  transform: () => assert.fail('an inherited transform was called'),
  unverified: true,
};

/** Returns what can be compared of a result. */
async function shown(call, options) {
  try {
    const result = await call(options);
    if (typeof result === 'string') return result.split('$').slice(0, 4).join('$');
    if (result instanceof millrace.Hash || result instanceof millrace.Hmac)
      return [result.readableHighWaterMark, result.update('data').digest('hex')];
    if (result instanceof millrace.Cipher)
      return [result.update('data').toString('hex'), result.final().length, result.authTag];
    if (result instanceof millrace.Decipher)
      return [result.update('data').toString('hex'), result.authTagLength];
    if (result instanceof millrace.Key) return result.algorithm;
    return result;
  } catch (error) {
    if (!(error instanceof millrace.MillraceError)) throw error;
    return error.message;
  }
}

/** Returns a call's options: with what it needs, with one more, and none. */
const optionsOf = ({ base, takes, name }) =>
  /scrypt|hashPassword|Passphrase|hashFiles/.test(name)
    ? [{ ...base, ...takes[0] }]
    : [{ ...base, ...takes[0] }, base === undefined ? undefined : { ...base }];

for (const [name, enumerable] of [
  ['native', true],
  ['portable', false],
]) {
  test(`nothing is inherited from Object.prototype: ${name}`, async () => {
    const before = millrace.configure().engine;
    millrace.configure({ engine: name });
    const names = new Set();
    const cases = [];
    for (const each of all) {
      for (const option of await namesOf(each)) names.add(option);
      if (/^(configure|engines)|with a callback$/.test(each.name)) continue;
      for (const options of optionsOf(each)) {
        const { call } = each;
        const same = /seal.*(Passphrase|WithKey)/.test(each.name)
          ? async (given) => (await call(given)).length
          : call;
        cases.push({ name: each.name, call: same, options, expected: await shown(same, options) });
      }
    }
    assert.ok(names.size > 60, String(names.size));
    for (const option of names) {
      const value = plausible[option] ?? 'x';
      const wrong = [];
      Object.defineProperty(Object.prototype, option, {
        value,
        enumerable,
        configurable: true,
        writable: true,
      });
      try {
        for (const each of cases) {
          const found = await shown(each.call, each.options);
          if (!isSame(found, each.expected)) wrong.push([each.name, found, each.expected]);
        }
      } finally {
        delete Object.prototype[option];
      }
      assert.deepEqual(wrong, [], `Object.prototype.${option}, enumerable: ${enumerable}`);
    }
    millrace.configure({ engine: before });
  });
}

/** Compares without deepStrictEqual, which reads Object.prototype too. */
function isSame(left, right) {
  const text = (value) =>
    ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')
      : Array.isArray(value)
        ? value.map(text).join()
        : String(value);
  return text(left) === text(right);
}

// Node.js 24 and 26 take the copy with a prototype where it inherits none of the names.
for (const newer of [false, true])
  test(`what Object.prototype has is not an option, ${newer ? 'newer' : 'this'} V8`, () => {
    const program = `
      if (${newer}) Set.prototype.union ??= () => {};
      const assert = require('node:assert/strict');
      const { hash, hmac, open, seal } = require(${JSON.stringify(root)});
      const [key, nonce] = [Buffer.alloc(32, 1), Buffer.alloc(12)];
      const calls = () => {
        const sealed = seal('aes-256-gcm', { key, nonce, source: 'a message' });
        return [
          hash('sha256', 'abc', { seed: undefined }),
          hmac('sha256', key, 'abc', { encoding: 'hex' }),
          sealed,
          open('aes-256-gcm', { key, nonce, source: sealed }),
        ];
      };
      const expected = calls();
      Object.prototype.unknown = 1;
      assert.deepEqual(calls(), expected);
      for (const enumerable of [true, false]) {
        const inherited = { target: Buffer.alloc(64), aad: 'x', seed: 1 };
        for (const [name, value] of Object.entries(inherited)) {
          Object.defineProperty(Object.prototype, name, { value, enumerable, configurable: true });
          assert.deepEqual(calls(), expected, name);
          delete Object.prototype[name];
        }
      }
      assert.throws(() => hash('sha256', 'abc', { unknow: 1 }), { code: 'ERR_ARGUMENT_VALUE' });
    `;
    const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
