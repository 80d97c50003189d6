// Wrong arguments of hashers, and right ones of unusual kinds: each is refused with a code and a
// sentence that names it, or taken for what it is; and no hasher is the worse for it.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';

import millrace from 'millrace';

import { viewOf, viewTypes } from '../conformance/bytes.mjs';
import { hashes, hashNames, hmacNames } from '../support/algorithms.mjs';
import { families } from '../support/hashers.mjs';
import { expectError, show, thrown } from '../support/refusals.mjs';

const { createHash, createHmac, createKey } = millrace;

function refuses(call, code, names, what = String(call)) {
  expectError(thrown(call, what), code, names, what);
}

const notBytes = [
  null,
  undefined,
  0,
  5,
  NaN,
  true,
  7n,
  Symbol('s'),
  {},
  [],
  [1, 2],
  new Date(0),
  /x/,
  new Map(),
  () => {},
  { length: 4 },
  { buffer: new ArrayBuffer(4), byteOffset: 0, byteLength: 4, length: 4 },
  Object.create(Uint8Array.prototype),
  Object.create(Buffer.prototype),
  new Proxy(Buffer.alloc(4), {}),
  new Proxy(new ArrayBuffer(4), {}),
  new String('text'),
  new Boolean(true),
  Promise.resolve(),
];

// making one

test('an unknown algorithm is refused with the nearest names', () => {
  for (const [name, nearest] of [
    ['sha257', 'sha256'],
    ['sha-25', 'sha256'],
    ['sah256', 'sha256'],
    ['keccak-256x', 'keccak256'],
    ['xxh3-65', 'xxh3-64'],
    ['sha3-265', 'sha3-256'],
    ['mdd5', 'md5'],
  ]) {
    for (const call of [
      () => createHash(name),
      () => createHmac(name, 'key'),
      () => millrace.hashMany(name, ['a']),
      () => millrace.hmacMany(name, 'key', ['a']),
    ]) {
      const error = thrown(call, name);
      expectError(error, 'ERR_UNKNOWN_ALGORITHM', undefined, name);
      assert.ok(error.message.includes(name), error.message);
      // xxHash has no HMAC, but it is the name that is wrong first.
      if (!name.startsWith('xxh'))
        assert.ok(error.message.includes(nearest), `${name}: ${error.message}`);
    }
  }
  for (const name of [
    '',
    ' ',
    'sha256\0',
    '__proto__',
    'constructor',
    'toString',
    'x'.repeat(100_000),
  ])
    refuses(() => createHash(name), 'ERR_UNKNOWN_ALGORITHM');
  for (const name of [
    undefined,
    null,
    5,
    {},
    ['sha256'],
    Symbol('sha256'),
    new String('sha256'),
    { toString: () => 'sha256' },
  ]) {
    refuses(() => createHash(name), 'ERR_ARGUMENT_TYPE', /algorithm/);
    refuses(() => createHmac(name, 'key'), 'ERR_ARGUMENT_TYPE', /algorithm/);
  }
  refuses(() => createHash(), ['ERR_ARGUMENT_TYPE', 'ERR_MISSING_ARGUMENT'], /algorithm/);
  refuses(() => createHmac('sha256'), 'ERR_MISSING_ARGUMENT', /key/);
  refuses(() => createHmac(), 'ERR_MISSING_ARGUMENT', /algorithm/);
});

test('wrong options are refused', () => {
  for (const options of [null, 5, 'hex', true, 7n, Symbol('s'), Buffer.alloc(3), () => {}]) {
    refuses(() => createHash('sha256', options), 'ERR_ARGUMENT_TYPE', /options/);
    refuses(() => createHmac('sha256', 'key', options), 'ERR_ARGUMENT_TYPE', /options/);
    refuses(() => createHash('sha256').copy(options), 'ERR_ARGUMENT_TYPE', /options/);
  }
  for (const outputLength of ['32', null, {}, 32n])
    refuses(() => createHash('shake128', { outputLength }), 'ERR_ARGUMENT_TYPE', /outputLength/);
  for (const outputLength of [-1, 0.5, NaN, Infinity, 2 ** 53, 0, 2 ** 30 + 1]) {
    refuses(
      () => createHash('shake128', { outputLength }),
      ['ERR_OUTPUT_SIZE', 'ERR_ARGUMENT_VALUE'],
      /outputLength/,
    );
    refuses(
      () => createHash('shake128').copy({ outputLength }),
      ['ERR_OUTPUT_SIZE', 'ERR_ARGUMENT_VALUE'],
      /outputLength/,
    );
  }
  for (const outputLength of [0, 1, 31, 33, 64]) {
    refuses(() => createHash('sha256', { outputLength }), 'ERR_OUTPUT_SIZE', /outputLength/);
    refuses(() => createHash('sha256').copy({ outputLength }), 'ERR_OUTPUT_SIZE', /outputLength/);
    refuses(
      () => createHmac('sha256', 'k').copy({ outputLength }),
      'ERR_OUTPUT_SIZE',
      /outputLength/,
    );
  }
  assert.equal(createHash('sha256', { outputLength: 32 }).outputLength, 32);
  for (const name of hashNames) {
    const { seedBits, key, parameters } = hashes[name];
    if (seedBits) {
      for (const seed of ['1', null, {}, true])
        refuses(() => createHash(name, { seed }), 'ERR_ARGUMENT_TYPE', /seed/);
      for (const seed of [-1, 0.5, NaN, -1n, 2n ** BigInt(seedBits)])
        refuses(() => createHash(name, { seed }), 'ERR_ARGUMENT_VALUE', /seed/);
    } else {
      refuses(() => createHash(name, { seed: 0 }), 'ERR_ARGUMENT_VALUE', /seed/);
    }
    if (key) {
      for (const size of [0, 1, 31, 33, 64])
        refuses(() => createHash(name, { key: Buffer.alloc(size) }), 'ERR_KEY_SIZE', /key/);
      for (const each of notBytes.filter((value) => value !== undefined))
        refuses(() => createHash(name, { key: each }), 'ERR_ARGUMENT_TYPE', /key/, show(each));
      refuses(() => createHash(name, { key: 'x'.repeat(32) }), 'ERR_ARGUMENT_TYPE', /key/);
    } else if (parameters === undefined) {
      refuses(() => createHash(name, { key: Buffer.alloc(32) }), 'ERR_ARGUMENT_VALUE', /key/);
    }
  }
  for (const state of notBytes.filter((value) => value !== undefined)) {
    refuses(() => createHash('sha256', { state }), 'ERR_ARGUMENT_TYPE', /state/, show(state));
    refuses(
      () => createHmac('sha256', 'key', { state }),
      'ERR_ARGUMENT_TYPE',
      /state/,
      show(state),
    );
  }
  refuses(() => createHash('sha256', { state: 'text' }), 'ERR_ARGUMENT_TYPE', /state/);
});

test('options may have getters, be a proxy, or lack a prototype', () => {
  const log = [];
  const options = new Proxy(
    { outputLength: 12 },
    { get: (target, name) => (log.push(String(name)), target[name]) },
  );
  assert.equal(createHash('shake256', options).update('a').digest().length, 12);
  assert.deepEqual(
    log.filter((name) => name === 'outputLength'),
    ['outputLength'],
    'read once',
  );
  assert.equal(
    createHash('shake256', Object.assign(Object.create(null), { outputLength: 5 })).outputLength,
    5,
  );
  assert.throws(
    () =>
      createHash('sha256', {
        get state() {
          throw new Error('mine');
        },
      }),
    { message: 'mine' },
  );
  assert.throws(
    () =>
      createHash('sha256').copy({
        get outputLength() {
          throw new Error('mine');
        },
      }),
    { message: 'mine' },
  );
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  assert.throws(() => createHash('sha256', proxy), TypeError);
});

test('wrong keys of an HMAC are refused', () => {
  for (const key of notBytes)
    refuses(() => createHmac('sha256', key), 'ERR_ARGUMENT_TYPE', /key/, show(key));
  for (const algorithm of hashNames.filter((name) => !hmacNames.includes(name)))
    refuses(() => createHmac(algorithm, 'key'), 'ERR_ARGUMENT_VALUE', /HMAC/i);
  const wrong = createKey('hmac-sha1', 'key');
  refuses(() => createHmac('sha256', wrong), 'ERR_KEY_ALGORITHM', /hmac-sha/);
  refuses(
    () => createHmac('sha256', createKey('aes-256-gcm', Buffer.alloc(32))),
    'ERR_KEY_ALGORITHM',
    /hmac-sha256/,
  );
  refuses(
    () => createHmac('blake3', createKey('blake3', Buffer.alloc(32))),
    'ERR_KEY_ALGORITHM',
    /blake3/,
  );
  refuses(
    () => createHash('blake3', { key: createKey('hmac-blake3', Buffer.alloc(32)) }),
    'ERR_KEY_ALGORITHM',
    /blake3/,
  );
  const gone = createKey('hmac-sha256', 'key');
  gone.dispose();
  refuses(() => createHmac('sha256', gone), 'ERR_KEY_DISPOSED', /key/);
  const { publicKey } = crypto.generateKeyPairSync('ed25519');
  refuses(() => createHmac('sha256', publicKey), 'ERR_ARGUMENT_TYPE', /key/);
  refuses(
    () => createHmac('sha256', Object.create(millrace.Key.prototype)),
    'ERR_ARGUMENT_TYPE',
    /key/,
  );
  for (const [what, make] of [
    ['update', (hmac) => hmac.update(Buffer.alloc(9000))],
    ['digest', (hmac) => hmac.digest()],
    ['hex', (hmac) => hmac.digest('hex')],
    ['digestInto', (hmac) => hmac.digestInto(Buffer.alloc(32))],
    ['export', (hmac) => hmac.exportState()],
  ]) {
    for (const before of [0, 100, 9000]) {
      const key = createKey('hmac-sha256', 'key');
      const hmac = createHmac('sha256', key).update(Buffer.alloc(before));
      key.dispose();
      refuses(() => make(hmac), 'ERR_KEY_DISPOSED', /key/, `${what} after ${before} bytes`);
    }
  }
});

test('every kind of key is taken', () => {
  const secret = Buffer.from('a secret of some bytes');
  const expected = crypto.createHmac('sha256', secret).update('message').digest('hex');
  const memory = Uint8Array.from(secret);
  const shared = new SharedArrayBuffer(secret.length);
  new Uint8Array(shared).set(secret);
  for (const key of [
    secret,
    'a secret of some bytes',
    memory,
    memory.buffer,
    new DataView(memory.buffer),
    shared,
    new Uint8Array(shared),
    crypto.createSecretKey(secret),
    createKey('hmac-sha256', secret),
    runInNewContext('Uint8Array.from(bytes)', { bytes: [...secret] }),
  ]) {
    assert.equal(createHmac('sha256', key).update('message').digest('hex'), expected, inspect(key));
  }
  for (const key of ['', Buffer.alloc(0), new ArrayBuffer(0)])
    assert.equal(
      createHmac('sha256', key).update('a').digest('hex'),
      crypto.createHmac('sha256', '').update('a').digest('hex'),
    );
});

// update

test('values that are not data are refused', () => {
  const hash = createHash('sha256');
  refuses(() => hash.update(), 'ERR_MISSING_ARGUMENT', /data/);
  for (const value of notBytes) {
    refuses(() => hash.update(value), 'ERR_ARGUMENT_TYPE', /data/, show(value));
    refuses(() => hash.update(value, 'hex'), 'ERR_ARGUMENT_TYPE', /data/, show(value));
    refuses(() => hash.update(value, 0, 0), 'ERR_ARGUMENT_TYPE', /source/, show(value));
  }
  refuses(() => hash.update('text', 0, 1), 'ERR_ARGUMENT_TYPE', /source/);
  refuses(() => hash.update(Buffer.alloc(4), 0), 'ERR_MISSING_ARGUMENT', /size/);
  refuses(
    () => hash.update(Buffer.alloc(4), 0, 1, 2),
    ['ERR_MISSING_ARGUMENT', 'ERR_ARGUMENT_TYPE'],
  );
  for (const value of ['0', null, undefined, {}, 1n]) {
    refuses(
      () => hash.update(Buffer.alloc(4), value, 1),
      'ERR_ARGUMENT_TYPE',
      /offset/,
      show(value),
    );
    refuses(() => hash.update(Buffer.alloc(4), 1, value), 'ERR_ARGUMENT_TYPE', /size/, show(value));
  }
  for (const [offset, size] of [
    [-1, 1],
    [0, -1],
    [0.5, 1],
    [1, 0.5],
    [NaN, 1],
    [0, Infinity],
    [0, 5],
    [5, 0],
    [4, 1],
    [2 ** 32, 1],
    [2 ** 53, 0],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ]) {
    refuses(
      () => hash.update(Buffer.alloc(4), offset, size),
      'ERR_ARGUMENT_VALUE',
      /offset|size/,
      `${offset}, ${size}`,
    );
  }
  for (const encoding of ['klingon', '', 'utf-9', 'buffers', 'bigint', 'toString'])
    refuses(() => hash.update('text', encoding), 'ERR_ARGUMENT_VALUE', /inputEncoding/, encoding);
  for (const encoding of [{}, true, [], Symbol('utf8')])
    refuses(
      () => hash.update('text', encoding),
      'ERR_ARGUMENT_TYPE',
      /inputEncoding/,
      show(encoding),
    );
  for (const text of ['0', '0g', 'zz', '012', '00 ', ' 00'])
    refuses(() => hash.update(text, 'hex'), 'ERR_ARGUMENT_VALUE', /hex/, text);
  assert.equal(
    hash.update('abc').digest('hex'),
    millrace.hash('sha256', 'abc', 'hex'),
    'none of it was taken in',
  );
});

test('strings in every encoding, short and long, are those of node:crypto', () => {
  const texts = [
    '',
    'a',
    'ab',
    'abcd',
    '6162',
    '616263646566',
    'grün',
    '日本語',
    '\u0000',
    '\ud83d\ude00',
    '\ud83d',
    '\ude00x',
    'YWJj',
    'YWI=',
    'YW I\n=',
    '-_-_',
    'ÿþ',
  ];
  for (const encoding of [
    'utf8',
    'utf-8',
    'UTF8',
    'hex',
    'HEX',
    'base64',
    'base64url',
    'latin1',
    'binary',
    'ascii',
    'ucs2',
    'ucs-2',
    'utf16le',
    'UTF-16LE',
    undefined,
    null,
  ]) {
    for (const repeat of [1, 2, 300, 1366, 4096, 30_000]) {
      for (const text of texts) {
        const given = text.repeat(repeat);
        if (given.length > 120_000 || (/^hex$/i.test(encoding) && !/^([0-9a-f]{2})*$/i.test(given)))
          continue;
        const expected = crypto
          .createHash('sha1')
          .update('x')
          .update(given, encoding)
          .digest('hex');
        assert.equal(
          createHash('sha1').update('x').update(given, encoding).digest('hex'),
          expected,
          `${encoding} ${show(text)} x ${repeat}`,
        );
      }
    }
  }
});

test('bytes of every kind have the digest of node:crypto', () => {
  for (const size of [0, 24, 3000, 8000]) {
    const bytes = Uint8Array.from({ length: size }, (_, index) => index * 7);
    const expected = crypto.createHash('sha256').update(bytes).update(bytes).digest('hex');
    const shared = new SharedArrayBuffer(size);
    new Uint8Array(shared).set(bytes);
    const resizable = new ArrayBuffer(size, { maxByteLength: 10_000 });
    new Uint8Array(resizable).set(bytes);
    class Mine extends Uint8Array {}
    const kinds = {
      Buffer: Buffer.from(bytes),
      'an unaligned view': Buffer.concat([Buffer.alloc(1), bytes]).subarray(1),
      ArrayBuffer: bytes.buffer,
      SharedArrayBuffer: shared,
      'view of a SharedArrayBuffer': new Uint8Array(shared),
      ...Object.fromEntries(viewTypes.map((Type) => [Type.name, viewOf(Type, bytes)])),
      'a subclass': new Mine(bytes.buffer),
      'a length that lies': Object.defineProperties(Uint8Array.from(bytes), {
        length: { value: 3 },
        byteLength: { value: 2 ** 40 },
        byteOffset: { value: 9 },
      }),
      'another prototype': Object.setPrototypeOf(Uint8Array.from(bytes), Array.prototype),
      resizable: resizable,
      'length-tracking': new Uint8Array(resizable),
      'another realm': runInNewContext('Uint8Array.from(bytes)', { bytes: [...bytes] }),
    };
    for (const [name, value] of Object.entries(kinds)) {
      assert.equal(
        createHash('sha256').update(value).update(value).digest('hex'),
        expected,
        `${name}, ${size} bytes`,
      );
      assert.equal(
        createHash('sha256')
          .update(value, 0, size)
          .update(value, 0, size >> 1)
          .update(value, size >> 1, size - (size >> 1))
          .digest('hex'),
        expected,
        `window of ${name}, ${size} bytes`,
      );
    }
  }
  // Detached memory is not an empty message.
  const gone = new Uint8Array(100);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  for (const value of [gone, gone.buffer])
    refuses(() => createHash('md5').update('a').update(value), 'ERR_DETACHED', /data/);
  refuses(() => createHash('md5').update(gone, 0, 1), 'ERR_DETACHED', /source/);
  const memory = new ArrayBuffer(100, { maxByteLength: 100 });
  const outside = new Uint8Array(memory, 50, 50);
  memory.resize(60);
  refuses(() => createHash('md5').update(outside), 'ERR_DETACHED', /data/);
});

// digest

test('a digest in every encoding is that of node:crypto', () => {
  for (const [ours, theirs] of [
    [() => createHash('sha256'), () => crypto.createHash('sha256')],
    [() => createHmac('sha1', 'key'), () => crypto.createHmac('sha1', 'key')],
    [
      () => createHash('shake256', { outputLength: 77 }),
      () => crypto.createHash('shake256', { outputLength: 77 }),
    ],
  ]) {
    for (const size of [0, 5, 5000]) {
      const given = Buffer.alloc(size, 'given');
      for (const encoding of [
        'hex',
        'base64',
        'base64url',
        'latin1',
        'binary',
        'ascii',
        'utf8',
        'utf-8',
        'ucs2',
        'utf16le',
        'HEX',
        'Base64',
        'buffer',
        undefined,
        null,
      ]) {
        assert.deepEqual(
          ours().update(given).digest(encoding),
          theirs().update(given).digest(encoding),
          encoding,
        );
      }
      assert.equal(
        ours().update(given).digest('bigint'),
        BigInt(`0x${theirs().update(given).digest('hex')}`),
      );
    }
  }
  // A digest of our own may have zeros at its start, which a number must not lose or gain.
  for (let index = 0; index < 600; index++) {
    const hex = millrace.hash('md5', String(index), 'hex');
    assert.equal(createHash('md5').update(String(index)).digest('bigint'), BigInt(`0x${hex}`));
  }
});

test('wrong encodings leave the hasher as it was', () => {
  for (const { name, make, expected } of families) {
    const hasher = make().update('abc');
    for (const encoding of ['klingon', '', 'bytes', 'BigInt'])
      refuses(() => hasher.digest(encoding), 'ERR_ARGUMENT_VALUE', /encoding/, encoding);
    for (const encoding of [5, {}, true, Symbol('hex'), ['hex']])
      refuses(() => hasher.digest(encoding), 'ERR_ARGUMENT_TYPE', /encoding/, show(encoding));
    assert.deepEqual(hasher.digest(), expected(Buffer.from('abc')), name);
  }
});

test('digestInto and squeezeInto refuse wrong targets', () => {
  const hash = createHash('sha256').update('abc');
  for (const value of notBytes)
    refuses(() => hash.digestInto(value), 'ERR_ARGUMENT_TYPE', /target/, show(value));
  refuses(() => hash.digestInto('x'.repeat(32)), 'ERR_ARGUMENT_TYPE', /target/);
  for (const offset of ['0', null, {}, 1n])
    refuses(
      () => hash.digestInto(Buffer.alloc(64), offset),
      'ERR_ARGUMENT_TYPE',
      /offset/,
      show(offset),
    );
  for (const offset of [-1, 0.5, NaN, 33, 64, 2 ** 40])
    refuses(
      () => hash.digestInto(Buffer.alloc(64), offset),
      'ERR_ARGUMENT_VALUE',
      /[oO]ffset/,
      show(offset),
    );
  const gone = new Uint8Array(64);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  for (const small of [Buffer.alloc(31), Buffer.alloc(0), new ArrayBuffer(3)])
    refuses(() => hash.digestInto(small), 'ERR_ARGUMENT_VALUE', /target/);
  refuses(() => hash.digestInto(gone), 'ERR_DETACHED', /target/);
  const expected = millrace.hash('sha256', 'abc');
  const resizable = new ArrayBuffer(40, { maxByteLength: 100 });
  for (const target of [
    new ArrayBuffer(40),
    new DataView(new ArrayBuffer(40)),
    new Float64Array(5),
    new SharedArrayBuffer(40),
    resizable,
    new Uint8Array(resizable),
  ]) {
    assert.equal(hash.copy().digestInto(target, 8), 32);
    const memory = target.buffer ?? target;
    assert.deepEqual(Buffer.from(memory).subarray(8), expected, target.constructor.name);
  }
  assert.equal(hash.digestInto(Buffer.alloc(32), undefined), 32);

  const shake = createHash('shake128').update('abc');
  for (const size of ['1', null, undefined, {}, 1n]) {
    refuses(() => shake.squeeze(size), 'ERR_ARGUMENT_TYPE', /size/, show(size));
    refuses(
      () => shake.squeezeInto(Buffer.alloc(9), 0, size),
      'ERR_ARGUMENT_TYPE',
      /size/,
      show(size),
    );
  }
  for (const size of [-1, 0.5, NaN, Infinity])
    refuses(() => shake.squeeze(size), 'ERR_ARGUMENT_VALUE', /size/, show(size));
  for (const size of [0, 2 ** 30 + 1])
    refuses(() => shake.squeeze(size), 'ERR_OUTPUT_SIZE', /size/, show(size));
  for (const [offset, size] of [
    [0, 10],
    [9, 1],
    [5, 5],
    [-1, 1],
    [0.5, 1],
    [2 ** 50, 1],
  ])
    refuses(
      () => shake.squeezeInto(Buffer.alloc(9), offset, size),
      'ERR_ARGUMENT_VALUE',
      /target|offset/i,
      `${offset}, ${size}`,
    );
  refuses(() => shake.squeezeInto(gone, 0, 1), 'ERR_DETACHED', /target/);
  refuses(() => shake.squeeze(5, 'klingon'), 'ERR_ARGUMENT_VALUE', /encoding/);
  shake.update('def');
  assert.deepEqual(
    shake.squeeze(20),
    millrace.hash('shake128', 'abcdef', { outputLength: 20 }),
    'none of it began the output',
  );
  for (const name of hashNames.filter((each) => !hashes[each].xof)) {
    refuses(
      () => createHash(name).squeeze(5),
      'ERR_ARGUMENT_VALUE',
      /shake128.*kt128.*blake3/,
      name,
    );
    refuses(
      () => createHash(name).squeezeInto(Buffer.alloc(9), 0, 5),
      'ERR_ARGUMENT_VALUE',
      /shake128/,
      name,
    );
  }
});

test('a target may overlap what the hasher was given', () => {
  const memory = Buffer.alloc(9000, 'overlap');
  const expected = millrace.hash('blake3', memory);
  const hash = createHash('blake3').update(memory);
  assert.equal(hash.digestInto(memory, 3), 32);
  assert.deepEqual(memory.subarray(3, 35), expected);
});

test('shake without an outputLength has that of node:crypto', () => {
  for (const [name, size] of [
    ['shake128', 16],
    ['shake256', 32],
  ]) {
    const hash = createHash(name).update('abc');
    const expected = millrace.hash(name, 'abc', { outputLength: size });
    assert.equal(hash.outputLength, size);
    assert.deepEqual(millrace.hash(name, 'abc'), expected);
    assert.deepEqual(hash.copy().digest(), expected);
    assert.equal(hash.copy().digest('hex'), expected.toString('hex'));
    assert.equal(hash.copy().digestInto(Buffer.alloc(99)), size);
    assert.deepEqual(
      hash.copy({ outputLength: 30 }).digest(),
      millrace.hash(name, 'abc', { outputLength: 30 }),
    );
    assert.deepEqual(hash.squeeze(30), millrace.hash(name, 'abc', { outputLength: 30 }));
  }
});

test('a spent hasher refuses everything but reset', () => {
  for (const { name, make, xof, expected } of families) {
    for (const end of [
      (hasher) => hasher.digest(),
      (hasher) => hasher.digest('hex'),
      (hasher) => hasher.digest('bigint'),
      (hasher) => hasher.digestInto(Buffer.alloc(200)),
      ...(xof ? [(hasher) => hasher.squeeze(3)] : []),
    ]) {
      for (const size of [0, 100, 9000]) {
        const hasher = make().update(Buffer.alloc(size));
        end(hasher);
        const what = `${name} after ${end}`;
        for (const late of [
          () => hasher.update('a'),
          () => hasher.update(''),
          () => hasher.update(Buffer.alloc(9000)),
          () => hasher.update(Buffer.alloc(3), 0, 3),
          () => hasher.update('a', () => assert.fail('called')),
          () => hasher.digest(),
          () => hasher.digest('hex'),
          () => hasher.digest(() => assert.fail('called')),
          () => hasher.digestInto(Buffer.alloc(200)),
        ])
          refuses(late, 'ERR_HASHER_SPENT', /reset/, what);
        if (!/squeeze/.test(String(end))) {
          refuses(() => hasher.copy(), 'ERR_HASHER_SPENT', undefined, what);
          refuses(() => hasher.exportState(), 'ERR_HASHER_SPENT', undefined, what);
          if (xof) refuses(() => hasher.squeeze(1), 'ERR_HASHER_SPENT', undefined, what);
        }
        assert.equal(hasher.reset(), hasher);
        assert.deepEqual(hasher.update('abc').digest(), expected(Buffer.from('abc')), what);
      }
    }
  }
});

// objects that are not what they seem

test('constructors are not for users', () => {
  for (const Class of [millrace.Hash, millrace.Hmac, Object.getPrototypeOf(millrace.Hash)]) {
    for (const given of [[], ['sha256'], [Symbol('inside')], [{}], [createHash('sha256')]]) {
      assert.throws(() => new Class(...given), {
        code: 'ERR_ARGUMENT_TYPE',
        message: /createHash/,
      });
      assert.throws(() => new (class extends Class {})(...given), { code: 'ERR_ARGUMENT_TYPE' });
      assert.throws(() => Reflect.construct(Class, given, Map), { code: 'ERR_ARGUMENT_TYPE' });
    }
    assert.throws(() => Class(), TypeError);
    assert.throws(() => Class('sha256'), TypeError);
  }
});

test('methods refuse foreign objects', () => {
  const mac = createHmac('sha256', 'key');
  const hash = createHash('sha256');
  const methods = [
    'update',
    'updateAsync',
    'digest',
    'digestAsync',
    'digestInto',
    'copy',
    'reset',
    'exportState',
    'squeeze',
    'squeezeInto',
    '_transform',
    '_flush',
  ];
  for (const foreign of [
    undefined,
    null,
    5,
    'text',
    {},
    Object.create(hash),
    Object.create(millrace.Hash.prototype),
    new Proxy(hash, {}),
    crypto.createHash('sha256'),
    function () {},
  ]) {
    for (const method of methods) {
      const call = () => millrace.Hash.prototype[method].call(foreign, Buffer.alloc(40), 0, 1);
      try {
        const outcome = call();
        if (outcome instanceof Promise) outcome.catch(() => {});
        // A stream's hook reports by its callback, and throws if there is none.
        assert.ok(outcome instanceof Promise, `${method} on ${show(foreign)}`);
      } catch (error) {
        if (error.code === 'ERR_ASSERTION') throw error;
        assert.ok(error instanceof TypeError || error instanceof Error, `${method}: ${error}`);
      }
    }
    if (foreign === null || typeof foreign !== 'object' || foreign instanceof crypto.Hash) continue;
    for (const property of ['algorithm', 'outputLength', 'blockSize'])
      assert.throws(
        () => Reflect.get(millrace.Hash.prototype, property, foreign),
        TypeError,
        property,
      );
  }
  // Methods of one class on the other's objects.
  mac.update('abc');
  assert.equal(
    millrace.Hash.prototype.digest.call(mac, 'hex'),
    millrace.hmac('sha256', 'key', 'abc', 'hex'),
  );
  for (const algorithm of ['sha256', 'blake3']) {
    const secret = createHmac(algorithm, 'key').update('abc');
    assert.throws(() => millrace.Hash.prototype.squeeze.call(secret, 9), {
      code: 'ERR_ARGUMENT_VALUE',
    });
    assert.throws(() => millrace.Hash.prototype.squeezeInto.call(secret, Buffer.alloc(9), 0, 9), {
      code: 'ERR_ARGUMENT_VALUE',
    });
    assert.equal(secret.digest('hex'), millrace.hmac(algorithm, 'key', 'abc', 'hex'));
  }
});

test('exchanged prototypes do not reveal or change a digest', () => {
  const mac = Object.setPrototypeOf(
    createHmac('blake3', 'key').update('abc'),
    millrace.Hash.prototype,
  );
  assert.throws(() => mac.squeeze(9), { code: 'ERR_ARGUMENT_VALUE' });
  const expected = millrace.hmac('blake3', 'key', 'abc', 'hex');
  const copy = mac.copy();
  assert.throws(() => copy.squeeze(9), { code: 'ERR_ARGUMENT_VALUE' });
  assert.equal(copy.digest('hex'), expected);
  assert.equal(mac.digest('hex'), expected);
  const bare = Object.setPrototypeOf(createHash('sha256'), null);
  assert.equal(millrace.Hash.prototype.update.call(bare, 'abc'), bare);
  assert.equal(
    millrace.Hash.prototype.digest.call(bare, 'hex'),
    millrace.hash('sha256', 'abc', 'hex'),
  );
});

test('hashers cannot be sent, frozen ones still work, symbols and JSON tell no secrets', () => {
  const hmac = createHmac('sha256', 'the key').update('the message');
  assert.throws(() => structuredClone(hmac), { name: 'DataCloneError' });
  assert.ok(!JSON.stringify(hmac).includes('message'));
  for (const depth of [0, 2, 10])
    assert.ok(!/the (key|message)/.test(inspect(hmac, { depth, showHidden: true })));
  assert.equal(
    Object.freeze(hmac).digest('hex'),
    millrace.hmac('sha256', 'the key', 'the message', 'hex'),
  );
});

test('getters of arguments may use or destroy what the call uses', () => {
  const key = createKey('blake3', Buffer.alloc(32, 1));
  assert.throws(
    () =>
      createHash('blake3', {
        key,
        get state() {
          key.dispose();
          return undefined;
        },
      })
        .update('a')
        .digest(),
    { code: 'ERR_KEY_DISPOSED' },
  );
  const state = Buffer.from(new ArrayBuffer(200));
  createHash('sha256').update('abc').exportState().copy(state);
  refuses(
    () =>
      createHash('sha256', {
        state,
        get seed() {
          structuredClone(state.buffer, { transfer: [state.buffer] });
          return undefined;
        },
      }),
    'ERR_DETACHED',
    /state/,
  );
  refuses(
    () => createHash('sha256', { state }),
    'ERR_DETACHED',
    /state/,
    'a state that was detached before',
  );
  const bytes = Buffer.from(new ArrayBuffer(32));
  refuses(
    () =>
      createHash('blake3', {
        key: bytes,
        get state() {
          structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
          return undefined;
        },
      }),
    'ERR_DETACHED',
    /key/,
  );
  const hash = createHash('shake256', { outputLength: 20 });
  const copy = hash.copy({
    get outputLength() {
      hash.update('abc');
      return 20;
    },
  });
  assert.deepEqual(hash.digest(), millrace.hash('shake256', 'abc', { outputLength: 20 }));
  assert.equal(copy.digest().length, 20);
  assert.throws(
    () =>
      hash.reset().copy({
        get outputLength() {
          hash.digest();
          return 20;
        },
      }),
    { code: 'ERR_HASHER_SPENT' },
  );
});

test('patched prototypes change no digest', () => {
  const expected = crypto
    .createHash('sha256')
    .update('abc')
    .update(Buffer.alloc(500, 1))
    .digest('hex');
  const saved = { subarray: Uint8Array.prototype.subarray, slice: Uint8Array.prototype.slice };
  class Species extends Uint8Array {
    static get [Symbol.species]() {
      return class {
        constructor() {
          throw new Error('asked');
        }
      };
    }
  }
  const species = new Species(500).fill(1);
  assert.equal(createHash('sha256').update('abc').update(species).digest('hex'), expected);
  assert.equal(
    createHash('sha256')
      .update('abc')
      .update(species, 0, 200)
      .update(species, 200, 300)
      .digest('hex'),
    expected,
  );
  try {
    Uint8Array.prototype.subarray = Uint8Array.prototype.slice = () => {
      throw new Error('called');
    };
    assert.equal(
      createHash('sha256').update('abc').update(Buffer.alloc(500, 1)).copy().digest('hex'),
      expected,
    );
  } finally {
    Object.assign(Uint8Array.prototype, saved);
  }
});
