// Arguments of hashers that are wrong for one algorithm or in one state, and right ones of unusual
// kinds: each is refused with a code and a sentence that names it, or taken for what it is, and no
// hasher is the worse for it. test/request/refusals.test.mjs has wrong types and numbers.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';

import millrace from 'millrace';

import { hashes, hashNames, hmacNames } from '../support/algorithms.mjs';
import { families } from '../support/hashers.mjs';
import { expectError, show, thrown } from '../support/refusals.mjs';

const { createHash, createHmac, createKey, hash, hmac } = millrace;
const VALUE = 'ERR_ARGUMENT_VALUE';

function refuses(call, code, names, what = String(call)) {
  expectError(thrown(call, what), code, names, what);
}

function detach({ buffer }) {
  structuredClone(buffer, { transfer: [buffer] });
}

/** Values that hashers refuse in many places. */
const invalid = [null, NaN, 7n, Symbol('s'), {}, new Date(0), new Proxy(Buffer.alloc(4), {})];

// making one

test('an unknown algorithm is refused with the nearest names', () => {
  for (const [name, nearest] of [
    ['sha257', 'sha256'],
    ['sah256', 'sha256'],
    ['keccak-256x', 'keccak256'],
    ['xxh3-65', 'xxh3-64'],
    ['mdd5', 'md5'],
  ])
    for (const call of [
      () => createHash(name),
      () => createHmac(name, 'key'),
      () => millrace.hashMany(name, ['a']),
      () => millrace.hmacMany(name, 'key', ['a']),
    ]) {
      // xxHash has no HMAC, but it is the name that is wrong first.
      const names = RegExp(name.startsWith('xxh') ? name : `${name}.*${nearest}`);
      refuses(call, 'ERR_UNKNOWN_ALGORITHM', names);
    }
});

test('an output length that is wrong for an algorithm is refused', () => {
  for (const [make, sizes, code] of [
    [(options) => createHash('shake128').copy(options), [-1, 0.5, 2 ** 53], VALUE],
    [(options) => createHash('shake128').copy(options), [0, 2 ** 30 + 1], 'ERR_OUTPUT_SIZE'],
    [(options) => createHash('sha256').copy(options), [0, 1, 31, 33, 64], 'ERR_OUTPUT_SIZE'],
    [(options) => createHmac('sha256', 'k').copy(options), [0, 31, 33, 64], 'ERR_OUTPUT_SIZE'],
  ])
    for (const outputLength of sizes)
      refuses(() => make({ outputLength }), code, /outputLength/, `${make} ${outputLength}`);
  assert.equal(createHash('sha256', { outputLength: 32 }).outputLength, 32);
});

test('wrong keys of an HMAC are refused', () => {
  for (const algorithm of hashNames.filter((name) => !hmacNames.includes(name)))
    refuses(() => createHmac(algorithm, 'key'), VALUE, /HMAC/i);
  const bytes = Buffer.alloc(32);
  for (const [names, call] of [
    [/hmac-sha/, () => createHmac('sha256', createKey('hmac-sha1', 'key'))],
    [/hmac-sha256/, () => createHmac('sha256', createKey('aes-256-gcm', bytes))],
    [/blake3/, () => createHmac('blake3', createKey('blake3', bytes))],
    [/blake3/, () => createHash('blake3', { key: createKey('hmac-blake3', bytes) })],
  ])
    refuses(call, 'ERR_KEY_ALGORITHM', names);
  const fake = Object.create(millrace.Key.prototype);
  refuses(() => createHmac('sha256', fake), 'ERR_ARGUMENT_TYPE', /key/);
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

// update

test('values that are not data are refused, and none of them is taken in', () => {
  const hash = createHash('sha256');
  for (const value of invalid)
    for (const window of [[], ['hex'], [0, 0]])
      refuses(() => hash.update(value, ...window), 'ERR_ARGUMENT_TYPE', /data|source/, show(value));
  for (const window of [
    [0, 5],
    [5, 0],
    [4, 1],
    [2 ** 32, 1],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])
    refuses(() => hash.update(Buffer.alloc(4), ...window), VALUE, /offset|size/, String(window));
  for (const encoding of ['klingon', '', 'utf-9', 'buffers', 'bigint', 'toString'])
    refuses(() => hash.update('text', encoding), VALUE, /inputEncoding/, encoding);
  for (const text of ['0', '0g', 'zz', '012', '00 ', ' 00'])
    refuses(() => hash.update(text, 'hex'), VALUE, /hex/, text);
  assert.equal(hash.update('abc').digest('hex'), millrace.hash('sha256', 'abc', 'hex'));
});

test('strings in every encoding, short and long, are those of node:crypto', () => {
  const plain = ['', 'a', 'ab', 'abcd', 'grün', '日本語', '\0', '\u{1f600}', '\ud83d', '\ude00x'];
  const encoded = ['6162', '616263646566', 'YWJj', 'YWI=', 'YW I\n=', '-_-_', 'ÿþ'];
  const names =
    'utf8 utf-8 UTF8 hex HEX base64 base64url latin1 binary ascii ucs2 ucs-2 utf16le UTF-16LE';
  const encodings = [...names.split(' '), undefined, null];
  for (const encoding of encodings) {
    for (const repeat of [1, 2, 300, 1366, 4096, 30_000]) {
      for (const text of [...plain, ...encoded]) {
        const given = text.repeat(repeat);
        if (given.length > 120_000 || (/^hex$/i.test(encoding) && !/^([0-9a-f]{2})*$/i.test(given)))
          continue;
        const [found, expected] = [millrace, crypto].map((library) =>
          library.createHash('sha1').update('x').update(given, encoding).digest('hex'),
        );
        assert.equal(found, expected, `${encoding} ${show(text)} x ${repeat}`);
      }
    }
  }
});

test('a view with lying properties or another prototype is read by its memory', () => {
  const bytes = Buffer.alloc(3000, 'bytes');
  const lies = { length: { value: 3 }, byteLength: { value: 2 ** 40 }, byteOffset: { value: 9 } };
  for (const view of [
    Object.defineProperties(Uint8Array.from(bytes), lies),
    Object.setPrototypeOf(Uint8Array.from(bytes), Array.prototype),
  ]) {
    const hasher = createHash('sha256').update(view).update(view, 0, 3000);
    assert.deepEqual(hasher.digest(), hash('sha256', Buffer.concat([bytes, bytes])));
  }
});

// digest

test('a digest in every encoding is that of node:crypto', () => {
  const names =
    'hex base64 base64url latin1 binary ascii utf8 utf-8 ucs2 utf16le HEX Base64 buffer';
  const encodings = [...names.split(' '), undefined, null];
  for (const make of [
    (library) => library.createHash('sha256'),
    (library) => library.createHmac('sha1', 'key'),
    (library) => library.createHash('shake256', { outputLength: 77 }),
  ]) {
    const [ours, theirs] = [() => make(millrace), () => make(crypto)];
    for (const size of [0, 5, 5000]) {
      const given = Buffer.alloc(size, 'given');
      for (const encoding of encodings) {
        const [found, expected] = [ours, theirs].map((make) =>
          make().update(given).digest(encoding),
        );
        assert.deepEqual(found, expected, encoding);
      }
      const number = BigInt(`0x${theirs().update(given).digest('hex')}`);
      assert.equal(ours().update(given).digest('bigint'), number);
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
      refuses(() => hasher.digest(encoding), VALUE, /encoding/, encoding);
    for (const encoding of [5, {}, true, Symbol('hex'), ['hex']])
      refuses(() => hasher.digest(encoding), 'ERR_ARGUMENT_TYPE', /encoding/, show(encoding));
    assert.deepEqual(hasher.digest(), expected(Buffer.from('abc')), name);
  }
});

test('digestInto and squeezeInto refuse wrong targets, and none of them ends the hasher', () => {
  const gone = new Uint8Array(64);
  detach(gone);
  const hasher = createHash('sha256').update('abc');
  for (const offset of [-1, 0.5, NaN, 33, 64, 2 ** 40])
    refuses(() => hasher.digestInto(Buffer.alloc(64), offset), VALUE, /[oO]ffset/, show(offset));
  for (const small of [Buffer.alloc(31), Buffer.alloc(0), new ArrayBuffer(3)])
    refuses(() => hasher.digestInto(small), VALUE, /target/);
  refuses(() => hasher.digestInto(gone), 'ERR_DETACHED', /target/);
  const expected = hash('sha256', 'abc');
  const resizable = new ArrayBuffer(40, { maxByteLength: 100 });
  for (const target of [
    new ArrayBuffer(40),
    new DataView(new ArrayBuffer(40)),
    new Float64Array(5),
    new SharedArrayBuffer(40),
    resizable,
    new Uint8Array(resizable),
  ]) {
    assert.equal(hasher.copy().digestInto(target, 8), 32);
    const memory = Buffer.from(target.buffer ?? target);
    assert.deepEqual(memory.subarray(8), expected, target.constructor.name);
  }
  assert.equal(hasher.digestInto(Buffer.alloc(32), undefined), 32);

  const shake = createHash('shake128').update('abc');
  for (const size of [0, 2 ** 30 + 1])
    refuses(() => shake.squeeze(size), 'ERR_OUTPUT_SIZE', /size/, show(size));
  for (const window of [
    [0, 10],
    [9, 1],
    [5, 5],
    [-1, 1],
    [0.5, 1],
    [2 ** 50, 1],
  ]) {
    const call = () => shake.squeezeInto(Buffer.alloc(9), ...window);
    refuses(call, VALUE, /target|offset/i, String(window));
  }
  refuses(() => shake.squeezeInto(gone, 0, 1), 'ERR_DETACHED', /target/);
  refuses(() => shake.squeeze(5, 'klingon'), VALUE, /encoding/);
  shake.update('def');
  assert.deepEqual(shake.squeeze(20), hash('shake128', 'abcdef', { outputLength: 20 }));
  for (const name of hashNames.filter((each) => !hashes[each].xof))
    for (const call of [
      () => createHash(name).squeeze(5),
      () => createHash(name).squeezeInto(Buffer.alloc(9), 0, 5),
    ])
      refuses(call, VALUE, /shake128.*kt128.*blake3/, name);
});

test('a target may overlap what the hasher was given', () => {
  const memory = Buffer.alloc(9000, 'overlap');
  const expected = millrace.hash('blake3', memory);
  const hash = createHash('blake3').update(memory);
  assert.equal(hash.digestInto(memory, 3), 32);
  assert.deepEqual(memory.subarray(3, 35), expected);
});

for (const [name, size] of [
  ['shake128', 16],
  ['shake256', 32],
])
  test(`${name} without an outputLength has that of node:crypto`, () => {
    const hasher = createHash(name).update('abc');
    const [expected, longer] = [size, 30].map((outputLength) =>
      hash(name, 'abc', { outputLength }),
    );
    assert.equal(hasher.outputLength, size);
    assert.deepEqual(hash(name, 'abc'), expected);
    assert.deepEqual(hasher.copy().digest(), expected);
    assert.equal(hasher.copy().digest('hex'), expected.toString('hex'));
    assert.equal(hasher.copy().digestInto(Buffer.alloc(99)), size);
    assert.deepEqual(hasher.copy({ outputLength: 30 }).digest(), longer);
    assert.deepEqual(hasher.squeeze(30), longer);
  });

test('a spent hasher refuses everything but reset', () => {
  const never = () => assert.fail('called');
  const ends = {
    digest: (hasher) => hasher.digest(),
    hex: (hasher) => hasher.digest('hex'),
    bigint: (hasher) => hasher.digest('bigint'),
    digestInto: (hasher) => hasher.digestInto(Buffer.alloc(200)),
    squeeze: (hasher) => hasher.squeeze(3),
  };
  for (const { name, make, xof, expected } of families)
    for (const [end, act] of Object.entries(ends))
      for (const size of [0, 100, 9000]) {
        if (end === 'squeeze' && !xof) continue;
        const hasher = make().update(Buffer.alloc(size));
        act(hasher);
        const what = `${name} after ${end}`;
        for (const late of [
          () => hasher.update('a'),
          () => hasher.update(''),
          () => hasher.update(Buffer.alloc(9000)),
          () => hasher.update(Buffer.alloc(3), 0, 3),
          () => hasher.update('a', never),
          () => hasher.digest(),
          () => hasher.digest('hex'),
          () => hasher.digest(never),
          () => hasher.digestInto(Buffer.alloc(200)),
        ])
          refuses(late, 'ERR_HASHER_SPENT', /reset/, what);
        const others = [() => hasher.copy(), () => hasher.exportState()];
        if (xof) others.push(() => hasher.squeeze(1));
        for (const late of end === 'squeeze' ? [] : others)
          refuses(late, 'ERR_HASHER_SPENT', undefined, what);
        assert.equal(hasher.reset(), hasher);
        assert.deepEqual(hasher.update('abc').digest(), expected(Buffer.from('abc')), what);
      }
});

// objects that are not what they seem

test('constructors are not for users', () => {
  const refused = { code: 'ERR_ARGUMENT_TYPE', message: /createHash/ };
  for (const Class of [millrace.Hash, millrace.Hmac, Object.getPrototypeOf(millrace.Hash)]) {
    class Own extends Class {}
    for (const given of [[], ['sha256'], [Symbol('inside')], [{}], [createHash('sha256')]]) {
      assert.throws(() => new Class(...given), refused);
      assert.throws(() => new Own(...given), refused);
      assert.throws(() => Reflect.construct(Class, given, Map), refused);
      assert.throws(() => Class(...given), TypeError);
    }
  }
});

test('methods refuse foreign objects', () => {
  const { prototype } = millrace.Hash;
  const own = createHash('sha256');
  const names =
    'update updateAsync digest digestAsync digestInto copy reset exportState squeeze squeezeInto';
  const methods = [...names.split(' '), '_transform', '_flush'];
  const objects = [{}, Object.create(own), Object.create(prototype), new Proxy(own, {})];
  for (const foreign of [undefined, null, 5, 'text', ...objects, crypto.createHash('sha256')])
    for (const method of methods) {
      let outcome;
      try {
        outcome = prototype[method].call(foreign, Buffer.alloc(40), 0, 1);
      } catch (error) {
        assert.ok(error instanceof Error, `${method}: ${error}`);
        continue;
      }
      // A stream's hook reports by its callback, and throws if there is none.
      assert.ok(outcome instanceof Promise, `${method} on ${show(foreign)}`);
      outcome.catch(() => {});
    }
  for (const foreign of objects)
    for (const property of ['algorithm', 'outputLength', 'blockSize'])
      assert.throws(() => Reflect.get(prototype, property, foreign), TypeError, property);
  // Methods of one class on the other's objects.
  const mac = createHmac('sha256', 'key').update('abc');
  assert.equal(prototype.digest.call(mac, 'hex'), hmac('sha256', 'key', 'abc', 'hex'));
  for (const algorithm of ['sha256', 'blake3']) {
    const secret = createHmac(algorithm, 'key').update('abc');
    assert.throws(() => prototype.squeeze.call(secret, 9), { code: VALUE });
    assert.throws(() => prototype.squeezeInto.call(secret, Buffer.alloc(9), 0, 9), { code: VALUE });
    assert.equal(secret.digest('hex'), hmac(algorithm, 'key', 'abc', 'hex'));
  }
});

test('exchanged prototypes do not reveal or change a digest', () => {
  const { prototype } = millrace.Hash;
  const mac = Object.setPrototypeOf(createHmac('blake3', 'key').update('abc'), prototype);
  const expected = hmac('blake3', 'key', 'abc', 'hex');
  for (const each of [mac.copy(), mac]) {
    assert.throws(() => each.squeeze(9), { code: VALUE });
    assert.equal(each.digest('hex'), expected);
  }
  const bare = Object.setPrototypeOf(createHash('sha256'), null);
  assert.equal(prototype.update.call(bare, 'abc'), bare);
  assert.equal(prototype.digest.call(bare, 'hex'), hash('sha256', 'abc', 'hex'));
});

test('frozen hashers still work, symbols and JSON tell no secrets', () => {
  const mac = createHmac('sha256', 'the key').update('the message');
  assert.ok(!JSON.stringify(mac).includes('message'));
  for (const depth of [0, 2, 10])
    assert.ok(!/the (key|message)/.test(inspect(mac, { depth, showHidden: true })));
  const expected = hmac('sha256', 'the key', 'the message', 'hex');
  assert.equal(Object.freeze(mac).digest('hex'), expected);
});

test('getters of arguments may use or destroy what the call uses', () => {
  /** Returns options with one that does something when it is read. */
  const acting = (options, name, act, value) =>
    Object.defineProperty(options, name, { enumerable: true, get: () => (act(), value) });
  const key = createKey('blake3', Buffer.alloc(32, 1));
  const disposing = acting({ key }, 'state', () => key.dispose());
  const using = () => createHash('blake3', disposing).update('a').digest();
  assert.throws(using, { code: 'ERR_KEY_DISPOSED' });

  const state = Buffer.from(new ArrayBuffer(200));
  createHash('sha256').update('abc').exportState().copy(state);
  const vanishing = acting({ state }, 'seed', () => detach(state));
  refuses(() => createHash('sha256', vanishing), 'ERR_DETACHED', /state/);
  const bytes = Buffer.from(new ArrayBuffer(32));
  const keyed = acting({ key: bytes }, 'state', () => detach(bytes));
  refuses(() => createHash('blake3', keyed), 'ERR_DETACHED', /key/);

  const hasher = createHash('shake256', { outputLength: 20 });
  const updating = acting({}, 'outputLength', () => hasher.update('abc'), 20);
  const copy = hasher.copy(updating);
  assert.deepEqual(hasher.digest(), hash('shake256', 'abc', { outputLength: 20 }));
  assert.equal(copy.digest().length, 20);
  const ending = acting({}, 'outputLength', () => hasher.digest(), 20);
  assert.throws(() => hasher.reset().copy(ending), { code: 'ERR_HASHER_SPENT' });
});

test('patched prototypes change no digest', () => {
  const bytes = Buffer.alloc(500, 1);
  const expected = crypto.createHash('sha256').update('abc').update(bytes).digest('hex');
  const begun = () => createHash('sha256').update('abc');
  const saved = { subarray: Uint8Array.prototype.subarray, slice: Uint8Array.prototype.slice };
  class Species extends Uint8Array {
    static get [Symbol.species]() {
      return () => assert.fail('asked');
    }
  }
  const species = new Species(500).fill(1);
  assert.equal(begun().update(species).digest('hex'), expected);
  const parts = begun().update(species, 0, 200).update(species, 200, 300);
  assert.equal(parts.digest('hex'), expected);
  try {
    Uint8Array.prototype.subarray = Uint8Array.prototype.slice = () => assert.fail('called');
    assert.equal(begun().update(bytes).copy().digest('hex'), expected);
  } finally {
    Object.assign(Uint8Array.prototype, saved);
  }
});
