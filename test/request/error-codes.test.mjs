// Every throw is an error of ours with a code: whatever is passed as any argument of any entry
// point, and where results do not fit into what is asked for.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { inspect, promisify } from 'node:util';

import * as conversions from 'millrace/bigint-buffer';
import * as bigintHash from 'millrace/bigint-hash';
import millrace from 'millrace';
import * as portable from 'millrace/portable';
import promises from 'millrace/promises';

const file = createRequire(import.meta.url).resolve('../support/random.mjs');
const [key, nonce, iv, message] = [
  Buffer.alloc(32, 1),
  Buffer.alloc(12, 2),
  Buffer.alloc(16, 3),
  Buffer.alloc(50, 4),
];
const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: message });
const light = { memory: 8, passes: 1 };
const stored = millrace.hashPassword('password', light);
const wrapped = millrace.wrapKey('aes-256-kwp', { key, source: message });
const passphrase = 'correct horse';
const locked = await promises.sealWithPassphrase(passphrase, message, { N: 1024 });
const keyed = await promises.sealWithKey(key, message);
const streamed = Buffer.concat(
  await Readable.from([message])
    .pipe(promises.sealStream({ algorithm: 'aes-256-gcm', key, context: message }))
    .toArray(),
);
const mac = millrace.hmac('sha256', key, message);

function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

const detached = (view) => (structuredClone(view.buffer, { transfer: [view.buffer] }), view);

const hostile = () => ({
  'a revoked proxy': revoked({}),
  'a revoked proxy of an array': revoked([]),
  'a view with a revoked prototype': Object.setPrototypeOf(new Uint8Array(8), revoked({})),
  'a proxy of a view': new Proxy(new Uint8Array(8), {}),
  'an object with the prototype of views': Object.create(Uint8Array.prototype),
  'an object with the prototype of ArrayBuffers': Object.create(ArrayBuffer.prototype),
  'a false tag': { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 32, length: 32 },
  'an object without a prototype': Object.create(null),
  'a detached view': detached(new Uint8Array(8)),
  'a detached DataView': detached(new DataView(new ArrayBuffer(8))),
  'a symbol': Symbol('x'),
  'a bigint': 5n,
  'not a number': NaN,
  'a negative number': -1,
  'a large number': 2 ** 53,
  infinity: Infinity,
  null: null,
  'an empty string': '',
  'a NUL': '\0',
  'a list': [{}],
  'a date': new Date(NaN),
});

const named = (entryPoints, names) => names.map((name) => [name, entryPoints[name]]);
const calls = (entryPoint) => [
  [
    'hash',
    entryPoint.hash,
    'sha256',
    message,
    {
      encoding: 'hex',
      outputLength: 32,
      seed: undefined,
      target: undefined,
      engine: 'native',
    },
  ],
  ['hash of a window', entryPoint.hash, 'sha256', message, { target: Buffer.alloc(32) }],
  [
    'hash to a target',
    entryPoint.hash,
    'blake3',
    message,
    { key, target: Buffer.alloc(40), targetOffset: 0 },
  ],
  ['hash as', entryPoint.hash, 'sha256', message, 'hex'],
  ['hmac', entryPoint.hmac, 'sha256', key, message, { encoding: 'hex' }],
  ['hmac of a window', entryPoint.hmac, 'sha256', key, message, { target: Buffer.alloc(32) }],
  [
    'cipher',
    entryPoint.cipher,
    'aes-256-gcm',
    true,
    key,
    nonce,
    message,
    message,
    Buffer.alloc(16),
  ],
  [
    'cipher with options',
    entryPoint.cipher,
    'aes-256-ctr',
    {
      encrypt: 1,
      key,
      iv,
      source: message,
      target: Buffer.alloc(50),
      targetOffset: 0,
      engine: 'native',
    },
  ],
  [
    'cipher of a window',
    entryPoint.cipher,
    'aes-256-ctr',
    { encrypt: 1, key, iv, source: message, target: Buffer.alloc(50) },
  ],
  ['randomBytes', entryPoint.randomBytes, 32],
  ['generateKey', entryPoint.generateKey, 'hmac-sha256'],
  [
    'seal',
    entryPoint.seal,
    'aes-256-gcm',
    { key, nonce, source: message, aad: message, authTagLength: 16 },
  ],
  ['open', entryPoint.open, 'aes-256-gcm', { key, nonce, source: sealed, authTagLength: 16 }],
  [
    'hashMany',
    entryPoint.hashMany,
    'sha256',
    [message, 'text'],
    { encoding: 'hex', outputLength: 32 },
  ],
  ['hashMany, packed', entryPoint.hashMany, 'sha256', { data: message, size: 10 }],
  ['hmacMany', entryPoint.hmacMany, 'sha256', key, [message, 'text'], { encoding: 'hex' }],
  ['hashFile', entryPoint.hashFile, 'sha256', file, { encoding: 'hex' }],
  ['hashFiles', entryPoint.hashFiles, 'sha256', [file], { errors: 'throw' }],
  ['createKey', entryPoint.createKey, 'aes-256-gcm', key, { engine: 'native' }],
  ['createHash', entryPoint.createHash, 'blake3', { outputLength: 20, key, engine: 'native' }],
  ['createHmac', entryPoint.createHmac, 'sha256', key, { engine: 'native' }],
  ['pbkdf2', entryPoint.pbkdf2, 'password', iv, 2, 20, 'sha256', { engine: 'native' }],
  ['hkdf', entryPoint.hkdf, 'sha256', key, iv, 'info', 20, { engine: 'native' }],
  ['scrypt', entryPoint.scrypt, 'password', iv, 20, { N: 2, r: 1, p: 1, maxmem: 2 ** 20 }],
  [
    'argon2',
    entryPoint.argon2,
    'argon2id',
    {
      message: 'password',
      nonce: iv,
      secret: key,
      associatedData: message,
      tagLength: 20,
      version: 0x13,
      ...light,
    },
  ],
  [
    'hashPassword',
    entryPoint.hashPassword,
    'password',
    { algorithm: 'argon2id', secret: key, salt: iv, saltLength: 16, hashLength: 32, ...light },
  ],
  [
    'verifyPassword',
    entryPoint.verifyPassword,
    'password',
    stored,
    { maxMemory: 2 ** 20, maxTime: 5000 },
  ],
  ['needsRehash', entryPoint.needsRehash, stored, { ...light }],
  ['timingSafeEqual', entryPoint.timingSafeEqual, key, Buffer.alloc(32)],
  ['createCipher', entryPoint.createCipher, 'aes-256-gcm', { key, nonce, aad: message }],
  ['createDecipher', entryPoint.createDecipher, 'aes-256-gcm', { key, iv: nonce, authTag: iv }],
  ['verifyHmac', entryPoint.verifyHmac, 'sha256', { key, source: message, mac }],
  ['verifyMac', entryPoint.verifyMac, 'hmac-sha256', { key, source: message, mac }],
  ['wrapKey', entryPoint.wrapKey, 'aes-256-kwp', { key, source: message }],
  ['unwrapKey', entryPoint.unwrapKey, 'aes-256-kwp', { key, source: wrapped }],
  ['configure', entryPoint.configure, { engine: 'auto' }],
  ['engines', entryPoint.engines, { probe: ['native'] }],
];

const passphraseCalls = (call) => [
  ['sealWithPassphrase', call('sealWithPassphrase'), passphrase, message, { N: 1024 }],
  ['openWithPassphrase', call('openWithPassphrase'), passphrase, locked, { maxTime: 5000 }],
];

const streamCalls = (entryPoint) =>
  ['sealStream', 'openStream', 'sealTransformStream', 'openTransformStream'].map((name) => [
    name,
    (given) => entryPoint[name](given),
    { algorithm: 'aes-256-gcm', key, context: message, signal: undefined, highWaterMark: 1000 },
  ]);
const entryPoints = {
  millrace: [
    ...calls(millrace),
    ...streamCalls(millrace),
    ...passphraseCalls((name) => promisify(millrace[name])),
    ['hashPairs', millrace.hashPairs, 'sha256', Buffer.alloc(64), Buffer.alloc(32)],
    ['update', (...given) => millrace.createHash('sha256').update(...given), message, 'hex'],
    [
      'update of a window',
      (...given) => millrace.createHash('sha256').update(...given),
      message,
      0,
      10,
    ],
    ['digest', (...given) => millrace.createHash('sha256').digest(...given), 'hex'],
    [
      'digestInto',
      (...given) => millrace.createHash('sha256').digestInto(...given),
      Buffer.alloc(32),
      0,
    ],
    ['squeeze', (...given) => millrace.createHash('shake128').squeeze(...given), 10, 'hex'],
    [
      'squeezeInto',
      (...given) => millrace.createHash('shake128').squeezeInto(...given),
      Buffer.alloc(32),
      0,
      10,
    ],
    ['copy', (...given) => millrace.createHash('sha256').copy(...given), { outputLength: 32 }],
  ],
  'millrace/promises': [
    ...calls(promises),
    ...passphraseCalls((name) => promises[name]),
    ...streamCalls(promises),
    [
      'openRange',
      promises.openRange,
      (start, end) => streamed.subarray(start, end),
      { algorithm: 'aes-256-gcm', key, context: message, signal: undefined, start: 2, end: 5 },
    ],
    ['hashFilesIterator', promises.hashFilesIterator, 'sha256', [file], { encoding: 'hex' }],
    ['hashTransformStream', promises.hashTransformStream, 'sha256', 'hex', { engine: 'native' }],
    ...[
      'sealStreamWithPassphrase',
      'openStreamWithPassphrase',
      'sealTransformStreamWithPassphrase',
      'openTransformStreamWithPassphrase',
    ].map((name) => [name, promises[name], passphrase, { signal: undefined }]),
    ['sealWithKey', promises.sealWithKey, key, message, { signal: undefined }],
    ['openWithKey', promises.openWithKey, key, keyed, { signal: undefined }],
    ...[
      'sealStreamWithKey',
      'openStreamWithKey',
      'sealTransformStreamWithKey',
      'openTransformStreamWithKey',
    ].map((name) => [name, promises[name], key, { signal: undefined }]),
    [
      'hash of pieces',
      (algorithm, options) =>
        promises.hash(
          algorithm,
          (async function* () {
            yield 'x';
          })(),
          options,
        ),
      'sha256',
      { encoding: 'hex', signal: undefined },
    ],
    [
      'hash under a signal',
      promises.hash,
      'sha256',
      message,
      { signal: new AbortController().signal, route: 'pool' },
    ],
  ],
  'millrace/portable': [
    ['sha256', portable.sha256, message, { encoding: 'hex' }],
    ['blake3', portable.blake3, message, { key, outputLength: 20 }],
    ['create', portable.blake3.create, { key, outputLength: 20 }],
    ['update', (...given) => portable.sha256.create().update(...given), message],
    ['squeeze', (...given) => portable.shake128.create().squeeze(...given), 10, 'hex'],
    ['hmac', portable.hmac, portable.sha256, key, message, 'hex'],
    ['createHmac', portable.createHmac, portable.sha256, key],
    [
      'seal',
      portable.aes_256_gcm.seal,
      { key, nonce, source: message, aad: message, authTagLength: 16 },
    ],
    ['open', portable.aes_256_gcm.open, { key, nonce, source: sealed }],
    ['encrypt', portable.aes_256_ctr.encrypt, { key, iv, source: message }],
    ['pbkdf2', portable.pbkdf2, 'password', iv, 2, 20, portable.sha256],
    ['hkdf', portable.hkdf, portable.sha256, key, iv, 'info', 20],
    ['scrypt', portable.scrypt, 'password', iv, 20, { N: 2, r: 1, p: 1, maxmem: 2 ** 20 }],
    [
      'argon2',
      portable.argon2,
      'argon2id',
      {
        message: 'password',
        nonce: iv,
        secret: key,
        associatedData: message,
        tagLength: 20,
        version: 0x13,
        ...light,
      },
    ],
    ['timingSafeEqual', portable.timingSafeEqual, key, Buffer.alloc(32)],
  ],
  'millrace/bigint-buffer': [
    ...named(conversions, ['toBigIntBE', 'toBigIntLE']).map((call) => [...call, message]),
    ...named(conversions, ['toBufferBE', 'toBufferLE']).map((call) => [...call, 5n, 10]),
  ],
  'millrace/bigint-hash': named(bigintHash, ['hashAsBigInt', 'hashAsBuffer']).map(
    ([name, call]) => [name, (given) => call('sha256', given), message],
  ),
};

/** Returns what a call throws or rejects with; a promise of a result is ignored. */
async function thrown(entryPoint, call, given) {
  try {
    const result = call(...given);
    if (typeof result?.destroy === 'function') result.destroy();
    await result;
  } catch (error) {
    return { error };
  }
  return undefined;
}

for (const [entryPoint, entries] of Object.entries(entryPoints)) {
  for (const [name, call, ...valid] of entries) {
    test(`${entryPoint} ${name}: errors have codes`, async () => {
      assert.equal((await thrown(entryPoint, call, valid))?.error, undefined);
      const places = valid.flatMap((value, index) => [
        [index],
        ...(typeof value === 'object' && !ArrayBuffer.isView(value)
          ? Object.keys(value).map((field) => [index, field])
          : []),
      ]);
      for (const [index, field] of places) {
        for (const [kind, value] of Object.entries(hostile())) {
          const given = [...valid];
          if (field === undefined) given[index] = value;
          else
            given[index] = Array.isArray(valid[index])
              ? valid[index].with(Number(field), value)
              : { ...valid[index], [field]: value };
          const found = await thrown(entryPoint, call, given);
          if (found === undefined || found.error instanceof millrace.MillraceError) continue;
          // The file system's own, which are documented.
          if (name.startsWith('hashFile') && found.error.syscall !== undefined) continue;
          assert.fail(
            `${kind} as ${[index, field].join('.')}: ${found.error?.stack ?? String(found.error)}`,
          );
        }
      }
    });
  }
}

/** Returns a placeholder for a key or a message in the wrong place. */
const MARKER = 'hunter2-attack-at-dawn';

/** Returns true for an argument that is a path, which errors name as those of Node.js do. */
const isPath = (name, index) => /^hashFiles?(Iterator)?\b/.test(name) && index === 1;

/** Fails if anything of an error but its stack has the marker. */
function hasNoMarker({ error } = {}, what) {
  const { stack: _, message, cause, ...rest } = Object.getOwnPropertyDescriptors(error ?? {});
  const text = inspect([message?.value, error?.code, cause?.value, rest], { depth: 9 });
  assert.ok(!text.includes(MARKER), `${what}: ${text}`);
}

for (const [entryPoint, entries] of Object.entries(entryPoints)) {
  test(`${entryPoint}: no error repeats a string of the caller`, async () => {
    for (const [name, call, ...valid] of entries) {
      for (let index = 0; index <= valid.length; index++) {
        if (isPath(name, index)) continue;
        const value = valid[index];
        const fields =
          typeof value === 'object' && !ArrayBuffer.isView(value) ? Object.keys(value) : [];
        const values = [
          MARKER,
          [MARKER],
          ...fields.map((field) => ({ ...value, [field]: MARKER })),
        ];
        for (const each of values) {
          const given = [...valid];
          given[index] = each;
          hasNoMarker(await thrown(entryPoint, call, given), `${name}, argument ${index}`);
        }
      }
      const [first, ...others] = valid;
      for (const given of [valid.map(() => MARKER), [...others, first], [MARKER, ...others]])
        if (!given.some((value, index) => isPath(name, index) && value === MARKER))
          hasNoMarker(await thrown(entryPoint, call, given), `${name}, all arguments`);
    }
  });
}

test('every function is called here', () => {
  const withoutErrors = ['getHashes', 'getCiphers', 'Hash', 'Hmac', 'Key', 'Cipher', 'Decipher'];
  for (const [name, entryPoint] of Object.entries({ millrace, 'millrace/promises': promises })) {
    const called = new Set(entryPoints[name].map(([, call]) => call));
    const names = entryPoints[name].map(([each]) => each);
    for (const [each, value] of Object.entries(entryPoint))
      if (typeof value === 'function' && !withoutErrors.includes(each) && each !== 'MillraceError')
        assert.ok(called.has(value) || names.includes(each), `${name}: ${each}`);
  }
});

test('an unknown name is repeated if it is close to a known one', () => {
  const hint =
    /^algorithm, the first argument, must be a name that getHashes\(\) lists, not a string of 17 characters$/;
  assert.throws(() => millrace.hmac('my-api-secret-key', 'sha256', 'data'), { message: hint });
  assert.throws(() => millrace.hash('sha265', 'data'), { message: /"sha265".*nearest: sha256/ });
  assert.throws(() => millrace.hash('SHAKE', 'data'), { message: /"SHAKE".*shake/ });
  assert.throws(() => millrace.hash('sha256', 'data', 'hexx'), { message: /not "hexx"/ });
});

test('errors of files, signals and sources pass through', async () => {
  const reason = new Error('of the caller');
  const same = (error) => error === reason;
  const signal = AbortSignal.abort(reason);
  for (const call of [
    () => promises.hash('sha256', 'x', { signal }),
    () => promises.hmac('sha256', 'key', 'x', { signal }),
    () => promises.seal('aes-256-gcm', { key, source: 'x', signal }),
    () => promises.hashMany('sha256', ['x'], { signal }),
    () => promises.hashFile('sha256', file, { signal }),
    () => promises.scrypt('password', iv, 20, { N: 2, signal }),
    () => promises.hash('sha256', failing()),
    () => promises.hmac('sha256', 'key', failing()),
    () => pipeline(failing(), sealing({}), new PassThrough()),
  ])
    await assert.rejects(call, same);
  await assert.rejects(pipeline(Readable.from(['x']), sealing({ signal }), new PassThrough()), {
    code: 'ABORT_ERR',
    cause: reason,
  });
  for (const call of [promises.hashFile, millrace.hashFile])
    await assert.rejects(async () => call('sha256', '/nonexistent'), { code: 'ENOENT' });

  function failing() {
    return new Readable({
      read() {
        this.destroy(reason);
      },
    });
  }
  function sealing(options) {
    return promises.sealStream({ algorithm: 'aes-256-gcm', key, ...options });
  }
});

test('what a getter or a trap throws passes through', () => {
  const reason = new Error('of the caller');
  const trapped = new Proxy(
    {},
    {
      get() {
        throw reason;
      },
      ownKeys() {
        throw reason;
      },
    },
  );
  assert.throws(
    () => millrace.seal('aes-256-gcm', trapped),
    (error) => error === reason,
  );
  assert.throws(
    () =>
      millrace.hash('sha256', '', {
        get encoding() {
          throw reason;
        },
      }),
    (error) => error === reason,
  );
});

test('texts that are too long are refused before the work is done', async () => {
  const size = 900 * 2 ** 20;
  const refused = { code: 'ERR_OUTPUT_SIZE' };
  const before = process.cpuUsage();
  for (const encoding of ['hex', '0xhex', 'base64', 'base64url', 'bigint']) {
    assert.throws(() => millrace.hash('shake128', 'x', { outputLength: size, encoding }), refused);
    assert.throws(
      () => millrace.hash('blake3', 'x', { outputLength: size, encoding }, () => {}),
      refused,
    );
    await assert.rejects(promises.hash('shake256', 'x', { outputLength: size, encoding }), refused);
    assert.throws(
      () => millrace.hashMany('shake128', ['x'], { outputLength: size, encoding }),
      refused,
    );
    assert.throws(
      () => millrace.createHash('shake128', { outputLength: size }).update('x').digest(encoding),
      refused,
    );
    assert.throws(
      () =>
        millrace
          .createHash('shake128', { outputLength: size })
          .update('x')
          .digest(encoding, () => {}),
      refused,
    );
    assert.throws(() => millrace.createHash('shake128').squeeze(size, encoding), refused);
    assert.throws(() => portable.shake128('x', { outputLength: size, encoding }), refused);
    assert.throws(() => portable.shake128.create({ outputLength: size }).digest(encoding), refused);
    assert.throws(() => portable.shake128.create().squeeze(size, encoding), refused);
  }
  for (const encoding of ['latin1', 'utf8', 'HEX'])
    assert.throws(() => millrace.createHash('shake128').squeeze(size, encoding), refused);
  const { user, system } = process.cpuUsage(before);
  // The output of one of them alone would take longer.
  assert.ok(user + system < 1e6, `${user + system} us`);
  // A refused digest leaves the hasher as it was.
  const hasher = millrace.createHash('shake128', { outputLength: size }).update('x');
  assert.throws(() => hasher.digest('hex'), refused);
  assert.equal(
    hasher.copy({ outputLength: 16 }).digest('hex'),
    millrace.hash('shake128', 'x', { outputLength: 16, encoding: 'hex' }),
  );
});

test('the longest digests of hashMany come as texts one by one', () => {
  const outputLength = 12 * 2 ** 20;
  const digests = millrace.hashMany(
    'blake3',
    Array.from({ length: 24 }, () => 'x'),
    { outputLength, encoding: 'hex' },
  );
  const expected = millrace.hash('blake3', 'x', { outputLength, encoding: 'hex' });
  assert.ok(digests.every((digest) => digest === expected));
});

test('a result that is larger than memory is ERR_OUT_OF_MEMORY', () => {
  for (const call of [
    () => conversions.toBufferBE(1n, 2 ** 46),
    () => conversions.toBufferLE(1n, Number.MAX_SAFE_INTEGER),
  ]) {
    assert.throws(
      call,
      (error) =>
        error instanceof millrace.MillraceError &&
        /^ERR_(OUT_OF_MEMORY|ARGUMENT_VALUE)$/.test(error.code),
    );
  }
});

test('hashFile: surplus arguments, paths that name no file here', async () => {
  const cases = [
    [[file, 'hex', undefined, () => {}], 'ERR_MISSING_ARGUMENT'],
    [[file, () => {}, 'hex'], 'ERR_MISSING_ARGUMENT'],
    [[file, 'hex', () => {}, 5], 'ERR_MISSING_ARGUMENT'],
    [[file, 'hex', {}], 'ERR_ARGUMENT_TYPE'],
    [['a\0b'], 'ERR_ARGUMENT_VALUE'],
    [[Buffer.from('a\0b')], 'ERR_ARGUMENT_VALUE'],
    [[new URL('https://example.org/a')], 'ERR_ARGUMENT_VALUE'],
    [[new URL('file:///a%00b')], 'ERR_ARGUMENT_VALUE'],
    [[revoked({})], 'ERR_ARGUMENT_TYPE'],
  ];
  for (const [given, code] of cases) {
    assert.throws(
      () => millrace.hashFile('sha256', ...given),
      (error) => error instanceof millrace.MillraceError && error.code === code,
      code,
    );
  }
  await assert.rejects(promises.hashFile('sha256', 'a\0b'), { code: 'ERR_ARGUMENT_VALUE' });
  await assert.rejects(
    promises.hashFile('sha256', file, 'hex', undefined, () => {}),
    { code: 'ERR_MISSING_ARGUMENT' },
  );
  assert.equal(
    millrace.hashFile('sha256', file, 'hex', undefined),
    millrace.hashFile('sha256', Buffer.from(file), 'hex'),
  );
});
