// The drop-in entry point against what is known of @ronomon/crypto-async 5.0.1: its exports,
// overloads, order of checks and messages. Results are tested along with those of the other entry
// points; here is what only this entry point has.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import entryPoint, * as namespace from 'millrace/crypto-async';

import { original, ciphers, hashes } from '../support/algorithms.mjs';
import { oracle } from '../support/oracles.mjs';
import { show, thrown } from '../support/refusals.mjs';

const require = createRequire(import.meta.url);
/** The constants of the original package, with its messages. */
const constants = require('./crypto-async-constants.json');

const INT_MAX = 2147483647;
const bytes = (size) => Buffer.alloc(size, 7);
const callback = () => assert.fail('the callback was called');

const functions = ['cipher', 'hash', 'hmac'];
const members = [...Object.keys(constants), ...functions];

// the module

test('the exports by require: 41 plain properties of an ordinary object', () => {
  const required = require('millrace/crypto-async');
  assert.equal(required, entryPoint);
  assert.equal(members.length, 41);
  assert.deepEqual(Reflect.ownKeys(required).sort(), members.sort());
  assert.equal(Object.getPrototypeOf(required), Object.prototype);
  assert.equal(required.hasOwnProperty('E_CORRUPT'), true);
  for (const name of Object.keys(required)) {
    const { value, ...attributes } = Object.getOwnPropertyDescriptor(required, name);
    assert.deepEqual(attributes, { writable: true, enumerable: true, configurable: true }, name);
    assert.ok(value !== undefined, name);
  }
});

test("the constants have the original's names and messages", () => {
  for (const [name, value] of Object.entries(constants))
    assert.equal(entryPoint[name], value, name);
});

test('every export can be imported by name', () => {
  for (const name of members) assert.equal(namespace[name], entryPoint[name], name);
});

test('the functions are anonymous, take rest arguments and do not need this', () => {
  for (const name of functions) {
    assert.equal(typeof entryPoint[name], 'function');
    assert.equal(entryPoint[name].name, '', name);
    assert.equal(entryPoint[name].length, 0, name);
  }
  const { cipher, hash, hmac } = entryPoint;
  assert.equal(hash('md5', Buffer.from('abc')).toString('hex'), '900150983cd24fb0d6963f7d28e17f72');
  const code = hmac.call(null, 'md5', Buffer.alloc(16, 0x0b), Buffer.from('Hi There'));
  assert.equal(code.toString('hex'), '9294727a3638bb1c13f48ef8158bfc9d');
  assert.equal(cipher.call(undefined, 'aes-128-ctr', 1, bytes(16), bytes(16), bytes(5)).length, 5);
});

// signatures

const windows = ['key', 'iv', 'source'].flatMap(window);
const cipherWindows = ['algorithm', 'encrypt', ...windows, 'target', 'targetOffset'];
const hashWindows = ['algorithm', ...window('source'), 'target', 'targetOffset'];
const hmacWindows = ['algorithm', ...window('key'), ...hashWindows.slice(1)];

/** The parameters of each form, with arguments that are right. */
const signatures = {
  'cipher 5': ['cipher', ['algorithm', 'encrypt', 'key', 'iv', 'source'], stream],
  'cipher 7': ['cipher', ['algorithm', 'encrypt', 'key', 'iv', 'source', 'aad', 'tag'], aead],
  'cipher 13': ['cipher', cipherWindows, stream],
  'cipher 19': ['cipher', [...cipherWindows, ...window('aad'), ...window('tag')], aead],
  'hash 2': ['hash', ['algorithm', 'source'], digest],
  'hash 6': ['hash', hashWindows, digest],
  'hmac 3': ['hmac', ['algorithm', 'key', 'source'], digest],
  'hmac 9': ['hmac', hmacWindows, digest],
};

for (const [title, [method, names, values]] of Object.entries(signatures)) {
  const simple = !names.includes('target');

  test(`${title}: synchronous result`, () => {
    const result = entryPoint[method](...args(names, values()));
    if (simple) assert.ok(Buffer.isBuffer(result) && result.byteOffset >= 0);
    else assert.equal(result, method === 'cipher' ? 20 : 32);
  });

  test(`${title}: callback with exactly two arguments, later, and undefined returned`, async () => {
    const received = await new Promise((resolve) => {
      let returned = false;
      const result = entryPoint[method](...args(names, values()), function (...results) {
        assert.equal(returned, true);
        assert.equal(this === undefined || this === globalThis, true);
        resolve(results);
      });
      assert.equal(result, undefined);
      returned = true;
    });
    assert.equal(received.length, 2);
    assert.equal(received[0], undefined);
    if (simple) assert.ok(Buffer.isBuffer(received[1]));
    else assert.equal(received[1], method === 'cipher' ? 20 : 32);
  });

  test(`${title}: a callback that is none`, () => {
    for (const wrong of [undefined, null, 0, 1, {}, [], 'callback', true, Symbol('callback')])
      fails(method, [...args(names, values()), wrong], 'E_CALLBACK');
  });

  test(`${title}: each argument wrong`, async () => {
    const all = breakers(names, values());
    for (const [name, wrong, code] of all) {
      const given = args(names, { ...values(), [name]: wrong });
      fails(method, given, code);
      fails(method, [...given, callback], code);
    }
    assert.ok(all.length >= names.length);
    await setImmediate();
  });

  test(`${title}: of any two wrong arguments the first in order is named`, async () => {
    const right = values();
    const all = breakers(names, right);
    let pairs = 0;
    for (const breaker of all) {
      const [name, wrong, code] = breaker;
      const rank = rankOf(breaker, simple);
      for (const otherBreaker of all) {
        const [other, otherWrong] = otherBreaker;
        if (other === name || rankOf(otherBreaker, simple) <= rank) continue;
        const given = args(names, { ...right, [name]: wrong, [other]: otherWrong });
        // A smaller buffer can fix or break the range of another argument only by being its
        // buffer.
        if (related(name, other)) continue;
        fails(method, given, code);
        fails(method, [...given, callback], code);
        pairs++;
      }
      // The callback: before all else in 14, before the native checks in simple forms, else last.
      const given = [...args(names, { ...right, [name]: wrong }), 'no function'];
      const early = title === 'cipher 13' || (simple && rank >= order.native);
      fails(method, given, early ? 'E_CALLBACK' : code);
    }
    assert.ok(pairs > 3, `only ${pairs} pairs`);
    await setImmediate();
  });
}

test('any other number of arguments is refused', () => {
  const counts = { cipher: [5, 6, 7, 8, 13, 14, 19, 20], hash: [2, 3, 6, 7], hmac: [3, 4, 9, 10] };
  for (const [method, allowed] of Object.entries(counts)) {
    for (let count = 0; count <= 30; count++) {
      if (!allowed.includes(count)) fails(method, Array(count).fill(undefined), 'E_ARGUMENTS');
    }
    fails(method, Array(1000).fill(bytes(1)), 'E_ARGUMENTS');
  }
});

test('arguments are counted, also when undefined', () => {
  const given = ['aes-128-ctr', 1, bytes(16), bytes(16), bytes(1)];
  fails('hash', ['sha256', bytes(1), undefined], 'E_CALLBACK');
  fails('hmac', ['sha256', bytes(1), bytes(1), undefined], 'E_CALLBACK');
  fails('cipher', [...given, undefined], 'E_CALLBACK');
  fails('cipher', [...given, undefined, undefined], 'E_AAD');
});

// values

test('encrypt is a primitive 0 or 1', () => {
  const call = (encrypt) => ['aes-128-ctr', encrypt, bytes(16), bytes(16), bytes(5)];
  for (const right of [0, 1, -0]) assert.equal(entryPoint.cipher(...call(right)).length, 5);
  const numbers = [2, -1, 0.5, NaN, 1n, 0n, new Number(1)];
  for (const wrong of [...numbers, true, false, '0', '1', '', null, undefined, {}, []])
    fails('cipher', call(wrong), 'E_ENCRYPT');
});

test('an algorithm is a primitive string', () => {
  const objects = [{}, [], ['sha256'], Buffer.from('sha256'), new String('sha256'), () => {}];
  for (const wrong of [...objects, undefined, null, 0, 1, true, Symbol('sha256')]) {
    fails('hash', [wrong, bytes(1)], 'E_ALGORITHM');
    fails('hmac', [wrong, bytes(1), bytes(1)], 'E_ALGORITHM');
    fails('cipher', [wrong, 1, bytes(16), bytes(16), bytes(1)], 'E_ALGORITHM');
  }
});

test('disabled is what OpenSSL has and the original package refused', () => {
  const disabled =
    'aes-128-cbc aes-192-cbc aes-256-cbc aes-128-ccm aes-192-ccm aes-256-ccm aes-128-ecb ' +
    'aes-192-ecb aes-256-ecb aes-128-xts aes-256-xts rc4 AES-256-CBC';
  const given = [...parts(16), ...parts(16), ...parts(1), bytes(1), 0];
  for (const algorithm of disabled.split(' '))
    for (const rest of [
      [1, bytes(16), bytes(16), bytes(1)],
      [1, ...given],
      ['wrong too', ...given, ...parts(0), ...parts(0)],
    ])
      fails('cipher', [algorithm, ...rest], 'E_ALGORITHM_DISABLED');
});

test('unknown is everything else', () => {
  const ciphers =
    ',unknown,aes-256-ctr , aes-256-ctr,aes-256-ctr\0,aes-256-ctr\0junk,aes-256-ctrx,aes-512-ctr,' +
    'aes-128-siv,aes-256-siv,aes-256-gcm-siv,AES-128-GCM-SIV,aes-128-cbc-cts,sha256,cipher,' +
    '__proto__,constructor,rc4 ';
  for (const algorithm of [...ciphers.split(','), 'x'.repeat(1000)])
    fails('cipher', [algorithm, 1, bytes(16), bytes(16), bytes(1)], 'E_ALGORITHM_UNKNOWN');
  const hashes =
    ',unknown,sha256 ,sha256\0,sha257,aes-256-ctr,__proto__,toString,keccak256,blake3,xxh64,crc32';
  for (const algorithm of hashes.split(',')) {
    fails('hash', [algorithm, bytes(1)], 'E_ALGORITHM_UNKNOWN');
    fails('hash', [algorithm, ...parts(1), bytes(64), 0], 'E_ALGORITHM_UNKNOWN');
    fails('hmac', [algorithm, bytes(1), bytes(1)], 'E_ALGORITHM_UNKNOWN');
    fails('hmac', [algorithm, ...parts(1), ...parts(1), bytes(64), 0], 'E_ALGORITHM_UNKNOWN');
  }
});

test('names in any case, and aliases', () => {
  for (const [name, other, ivSize, ...rest] of [
    ['AES-256-CTR', 'aes-256-ctr', 16],
    ['Aes-256-Ctr', 'aes-256-ctr', 16],
    ['ChaCha20', 'chacha20', 16],
    ['id-aes256-GCM', 'aes-256-gcm', 12, Buffer.alloc(0), Buffer.alloc(16)],
  ]) {
    const given = [1, bytes(32), bytes(ivSize), bytes(9), ...rest];
    assert.deepEqual(entryPoint.cipher(name, ...given), entryPoint.cipher(other, ...given), name);
  }
  for (const name of ['SHA256', 'sha-256', 'SHA2-256', 'RSA-SHA256', 'sha256WithRSAEncryption'])
    assert.deepEqual(entryPoint.hash(name, bytes(9)), entryPoint.hash('sha256', bytes(9)), name);
});

test('buffers are those of the original package', () => {
  // Its simple forms took Buffers only; a Uint8Array is either taken for the same bytes or refused.
  const view = new Uint8Array(9).fill(7);
  try {
    assert.deepEqual(entryPoint.hash('sha256', view), entryPoint.hash('sha256', bytes(9)));
  } catch (error) {
    assert.equal(error.message, entryPoint.E_SOURCE);
  }
  // Its window forms took any view, and no bare ArrayBuffer.
  for (const bare of [new ArrayBuffer(40), new SharedArrayBuffer(40)]) {
    fails('hash', ['sha256', bare, 0, 4, bytes(32), 0], 'E_SOURCE');
    fails('hash', ['sha256', bytes(9), 0, 4, bare, 0], 'E_TARGET');
    fails('hmac', ['sha256', bare, 0, 4, bytes(9), 0, 4, bytes(32), 0], 'E_KEY');
  }
});

const nothings = {
  'an empty Buffer': () => Buffer.alloc(0),
  'an empty string': () => Buffer.from(''),
  'no Buffers': () => Buffer.concat([]),
  'no bytes of a Buffer': () => bytes(5).subarray(2, 2),
  'detached memory': detached,
};
const none = Buffer.alloc(0);

for (const [title, nothing] of Object.entries(nothings))
  test(`nothing is legal everywhere: ${title}`, async () => {
    for (const algorithm of original.hashes) {
      const expected = oracle({ kind: 'hash', algorithm, source: none }).output;
      assert.deepEqual(entryPoint.hash(algorithm, nothing()), expected);
      assert.deepEqual(await waited('hash', algorithm, nothing()), expected);
      const codeOf = (source) => oracle({ kind: 'hmac', algorithm, key: none, source }).output;
      assert.deepEqual(entryPoint.hmac(algorithm, nothing(), nothing()), codeOf(none));
      assert.deepEqual(await waited('hmac', algorithm, nothing(), bytes(5)), codeOf(bytes(5)));
      const { digest } = hashes[algorithm];
      assert.equal(entryPoint.hash(algorithm, nothing(), 0, 0, Buffer.alloc(64), 0), digest);
      fails('hash', [algorithm, bytes(1), 0, 1, nothing(), 0], 'E_TARGET_RANGE');
    }
    for (const algorithm of original.ciphers) {
      const { key, iv, aead } = ciphers[algorithm];
      const given = [algorithm, 1, bytes(key), bytes(iv)];
      if (!aead) {
        assert.deepEqual(entryPoint.cipher(...given, nothing()), none);
        assert.deepEqual(
          entryPoint.cipher(...given, bytes(5), nothing(), nothing()),
          entryPoint.cipher(...given, bytes(5)),
        );
        const windows = [...parts(key), ...parts(iv), nothing(), 0, 0, nothing(), 0];
        assert.equal(await waited('cipher', algorithm, 1, ...windows), 0);
        fails('cipher', [algorithm, 1, nothing(), bytes(iv), bytes(1)], 'E_KEY_INVALID');
        fails('cipher', [algorithm, 1, bytes(key), nothing(), bytes(1)], 'E_IV_INVALID');
        continue;
      }
      const tag = Buffer.alloc(16);
      assert.deepEqual(entryPoint.cipher(...given, nothing(), nothing(), tag), none);
      assert.deepEqual(tag, tagOf({ algorithm, source: none, aad: none }));
      const opening = given.with(1, 0);
      assert.deepEqual(await waited('cipher', ...opening, nothing(), nothing(), tag), none);
      for (const each of [given, opening])
        fails('cipher', [...each, bytes(1), nothing(), nothing()], 'E_TAG_INVALID');
    }
  });

test('wrong sizes of keys, ivs and tags are refused', () => {
  for (const algorithm of original.ciphers) {
    const { key, iv, aead } = ciphers[algorithm];
    const [usualAad, usualTag] = aead ? [3, 16] : [0, 0];
    const call = ({ keySize = key, ivSize = iv, aadSize = usualAad, tagSize = usualTag }) =>
      [algorithm, 1].concat([keySize, ivSize, 5, aadSize, tagSize].map(bytes));
    for (const keySize of [0, 1, key - 1, key + 1, 2 * key])
      fails('cipher', call({ keySize }), 'E_KEY_INVALID');
    for (const ivSize of [0, 1, 8, iv - 1, iv + 1, 24, 32].filter((size) => size !== iv))
      fails('cipher', call({ ivSize }), 'E_IV_INVALID');
    if (!aead) {
      fails('cipher', call({ aadSize: 1 }), 'E_AAD_INVALID');
      fails('cipher', call({ aadSize: 1, tagSize: 1 }), 'E_AAD_INVALID');
      fails('cipher', call({ tagSize: 1 }), 'E_TAG_INVALID');
      fails('cipher', call({ tagSize: 16 }), 'E_TAG_INVALID');
      continue;
    }
    const allowed = original.tagSizes(algorithm);
    const whole = tagOf({ algorithm, source: bytes(5), aad: bytes(3) });
    for (let tagSize = 0; tagSize <= 33; tagSize++) {
      if (!allowed.includes(tagSize)) {
        fails('cipher', call({ tagSize }), 'E_TAG_INVALID');
        continue;
      }
      const sealing = call({ tagSize });
      const tag = sealing.at(-1);
      const opening = sealing.with(1, 0).with(4, entryPoint.cipher(...sealing));
      assert.deepEqual(tag, whole.subarray(0, tagSize), `${algorithm} tag ${tagSize}`);
      assert.deepEqual(entryPoint.cipher(...opening), bytes(5));
      tag[tagSize - 1] ^= 0x80;
      fails('cipher', opening, 'E_CORRUPT');
    }
    // The forms without a tag.
    for (const given of [
      [bytes(key), bytes(iv), bytes(5)],
      [...parts(key), ...parts(iv), ...parts(5), bytes(5), 0],
    ]) {
      fails('cipher', [algorithm, 1, ...given], 'E_TAG_INVALID');
      fails('cipher', [algorithm, 1, ...given, callback], 'E_TAG_INVALID');
    }
  }
});

test('a buffer longer than INT_MAX is refused, however small the range', (t) => {
  let long;
  try {
    long = Buffer.allocUnsafeSlow(INT_MAX + 1);
  } catch (error) {
    return t.skip(`no such buffer can be allocated: ${error.message}`);
  }
  const names = signatures['cipher 19'][1];
  for (const name of ['key', 'iv', 'source', 'target', 'aad', 'tag']) {
    const given = (wrong) => args(names, { ...aead(), [name]: long, ...wrong });
    fails('cipher', given(), 'E_BUFFER_LENGTH');
    // Directly after the type of this buffer: before its own offset, after the argument before it.
    fails('cipher', given({ [`${name}Offset`]: -1 }), 'E_BUFFER_LENGTH');
    const before = names[names.indexOf(name) - 1];
    const code = before.replace(/(?=Offset$|Size$)/, '_').toUpperCase();
    fails('cipher', given({ [before]: 'wrong' }), `E_${code}`);
  }
  for (const name of ['source', 'target'])
    fails('hash', args(hashWindows, { ...digest(), [name]: long }), 'E_BUFFER_LENGTH');
  for (const name of ['key', 'source', 'target'])
    fails('hmac', args(hmacWindows, { ...digest(), [name]: long }), 'E_BUFFER_LENGTH');
  fails('hash', ['sha256', long], 'E_BUFFER_LENGTH');
  fails('hmac', ['sha256', long, bytes(1)], 'E_BUFFER_LENGTH');
  // The simple cipher form had its target 32 bytes longer than the source.
  const given = ['aes-128-ctr', 1, bytes(16), bytes(16), long.subarray(0, INT_MAX - 31)];
  fails('cipher', given, 'E_BUFFER_LENGTH');
  // INT_MAX itself is a length.
  assert.equal(entryPoint.hash('md5', long.subarray(0, INT_MAX), INT_MAX, 0, bytes(16), 0), 16);
});

test('a source at INT_MAX offsets does not overflow', () => {
  const given = (wrong) => args(signatures['cipher 19'][1], { ...aead(), ...wrong });
  for (const name of ['key', 'iv', 'source', 'aad', 'tag']) {
    for (const [offset, size] of [
      [INT_MAX, INT_MAX],
      [INT_MAX, 1],
      [1, INT_MAX],
      [INT_MAX, 0],
      [0, INT_MAX],
      [258, 0],
    ]) {
      const wrong = { [`${name}Offset`]: offset, [`${name}Size`]: size };
      fails('cipher', given(wrong), `E_${name.toUpperCase()}_RANGE`);
    }
  }
  for (const targetOffset of [INT_MAX, 258, 41])
    fails('cipher', given({ targetOffset }), 'E_TARGET_RANGE');
});

test('a window of no bytes at the end of its buffer', () => {
  assert.equal(entryPoint.hash('sha1', bytes(9), 9, 0, bytes(20), 0), 20);
  fails('hash', ['sha1', bytes(9), 10, 0, bytes(20), 0], 'E_SOURCE_RANGE');
  const given = [...parts(16), ...parts(16), bytes(9), 9, 0, bytes(3), 3];
  assert.equal(entryPoint.cipher('aes-128-ctr', 1, ...given), 0);
});

// failures of the operation

test('a wrong tag is E_CORRUPT, thrown or called back; the target is empty', async () => {
  for (const algorithm of original.ciphers.filter((name) => ciphers[name].aead)) {
    const { key, iv } = ciphers[algorithm];
    const target = bytes(40);
    const given = [...[key, iv, 30].flatMap(parts), target, 5, ...[3, 16].flatMap(parts)];
    const emptied = Buffer.concat([bytes(5), Buffer.alloc(30), bytes(5)]);
    fails('cipher', [algorithm, 0, ...given], 'E_CORRUPT');
    assert.deepEqual(target, emptied);
    target.fill(7);
    for (const each of [given, [key, iv, 30, 3, 16].map(bytes)]) {
      const results = await new Promise((resolve) => {
        const done = (...received) => resolve(received);
        assert.equal(entryPoint.cipher(algorithm, 0, ...each, done), undefined);
      });
      assert.equal(results.length, 1);
      assertPlain(results[0], 'E_CORRUPT');
      assert.deepEqual(target, emptied);
    }
  }
});

test('the tag is an output when encrypting and only read when decrypting', async () => {
  for (const call of [(...given) => waited('cipher', ...given), entryPoint.cipher]) {
    const tag = bytes(24);
    const given = [...[16, 12, 30].flatMap(parts), bytes(30), 0, ...parts(3), tag, 4, 13];
    assert.equal(await call('aes-128-gcm', 1, ...given), 30);
    assert.deepEqual([tag.subarray(0, 4), tag.subarray(17)], [bytes(4), bytes(7)]);
    assert.notDeepEqual(tag.subarray(4, 17), bytes(13));
    const kept = Buffer.from(tag);
    await assert.rejects(async () => call('aes-128-gcm', 0, ...given), { message: 'corrupt' });
    assert.deepEqual(tag, kept);
  }
});

// helpers

/** The place of each kind of failure in the order of checks; spec section 3. */
const order = { simpleBuffers: 0, native: 100, types: 200, ranges: 300, sizes: 400 };

/** Returns everything that can be wrong with one argument: `[name, value, code]`. */
function breakers(names, right) {
  const all = [];
  const push = (name, wrongs, code) =>
    names.includes(name) && wrongs.forEach((wrong) => all.push([name, wrong, code]));
  const notBuffers = [0, 1, '', 'text', {}, [], null, true, false, undefined, new ArrayBuffer(40)];
  const numbers = [-1, 0.5, NaN, Infinity, -Infinity, INT_MAX + 1, 2 ** 53, 1n];
  const objects = [{}, [], null, Buffer.alloc(1), Symbol('integer')];
  const notIntegers = [...numbers, ...objects, '', '0', true, false, undefined];
  push('algorithm', [0, null, undefined, {}, Buffer.from('sha256')], 'E_ALGORITHM');
  push('algorithm', ['', 'unknown'], 'E_ALGORITHM_UNKNOWN');
  push('encrypt', [2, -1, true, '1', null, undefined], 'E_ENCRYPT');
  if (names.includes('encrypt')) push('algorithm', ['aes-128-cbc', 'rc4'], 'E_ALGORITHM_DISABLED');
  for (const name of ['key', 'iv', 'source', 'target', 'aad', 'tag']) {
    const constant = name.toUpperCase();
    push(name, notBuffers, `E_${constant}`);
    push(`${name}Offset`, notIntegers, `E_${constant}_OFFSET`);
    push(`${name}Size`, notIntegers, `E_${constant}_SIZE`);
    push(`${name}Offset`, [INT_MAX, 258], `E_${constant}_RANGE`);
    push(`${name}Size`, [INT_MAX, 258], `E_${constant}_RANGE`);
    if (names.includes('target') && name !== 'aad')
      push(name, [Buffer.alloc(0)], `E_${constant}_RANGE`);
  }
  if (!names.includes('encrypt')) return all;
  const sized = names.includes('target');
  for (const name of ['key', 'iv']) {
    if (sized)
      push(`${name}Size`, [0, right[`${name}Size`] - 1], `E_${name.toUpperCase()}_INVALID`);
    else push(name, [Buffer.alloc(0), right[name].subarray(1)], `E_${name.toUpperCase()}_INVALID`);
  }
  if (sized) push('tagSize', [0, 3], 'E_TAG_INVALID');
  else push('tag', [Buffer.alloc(0), Buffer.alloc(3), Buffer.alloc(17)], 'E_TAG_INVALID');
  return all;
}

function rankOf([name, , code], simple) {
  if (simple && /^E_(KEY|IV|SOURCE|AAD|TAG)$/.test(code))
    return order.simpleBuffers + ['key', 'iv', 'source', 'aad', 'tag'].indexOf(name);
  if (name === 'algorithm')
    return (
      order.native + ['E_ALGORITHM', 'E_ALGORITHM_UNKNOWN', 'E_ALGORITHM_DISABLED'].indexOf(code)
    );
  if (name === 'encrypt') return order.native + 10;
  const base = ['key', 'iv', 'source', 'target', 'aad', 'tag'].findIndex((each) =>
    name.startsWith(each),
  );
  if (code.endsWith('_RANGE')) return order.ranges + base;
  if (code.endsWith('_INVALID')) return order.sizes + base;
  return order.types + 3 * base + (name.endsWith('Offset') ? 1 : name.endsWith('Size') ? 2 : 0);
}

/**
 * Returns true if two arguments belong to one range, so that breaking both is not two independent
 * failures.
 */
function related(name, other) {
  const base = (each) => each.replace(/Offset$|Size$/, '');
  const linked = [base(name), base(other)].sort().join();
  return base(name) === base(other) || linked === 'source,target';
}

function stream() {
  return {
    algorithm: 'aes-256-ctr',
    encrypt: 1,
    ...range('key', 32),
    ...range('iv', 16),
    ...range('source', 20),
    target: bytes(40),
    targetOffset: 3,
  };
}

function aead() {
  const more = { ...range('iv', 12), ...range('aad', 4, 1, 9), ...range('tag', 16) };
  return { ...stream(), algorithm: 'aes-256-gcm', ...more };
}

function digest() {
  const ranges = { ...range('key', 20, 2, 30), ...range('source', 15, 1, 20) };
  return { algorithm: 'sha256', ...ranges, target: bytes(40), targetOffset: 3 };
}

/** Returns the values of an argument of `length` bytes, and of its offset and size. */
function range(name, size, offset = 0, length = size) {
  return { [name]: bytes(length), [`${name}Offset`]: offset, [`${name}Size`]: size };
}

function window(name) {
  return [name, `${name}Offset`, `${name}Size`];
}

function parts(size) {
  return [bytes(size), 0, size];
}

function args(names, values) {
  return names.map((name) => values[name]);
}

/** Returns the tag of 16 bytes that the original's library computes. */
function tagOf({ algorithm, ...given }) {
  const { key, iv } = ciphers[algorithm];
  const sizes = { key: bytes(key), iv: bytes(iv), tagSize: 16 };
  return oracle({ kind: 'cipher', algorithm, encrypt: true, ...sizes, ...given }).tag;
}

/**
 * Checks that the call throws a plain Error with the message of the constant, also with a callback,
 * which is never called.
 */
function fails(method, given, code) {
  const what = `${method} with ${given.length} arguments`;
  assertPlain(
    thrown(() => entryPoint[method](...given), `${what}, ${code}: ${given.map(show)}`),
    code,
    what,
  );
}

function assertPlain(error, code, what) {
  assert.equal(error.message, constants[code], what);
  assert.equal(error.name, 'Error');
  assert.equal(Object.getPrototypeOf(error), Error.prototype);
  assert.equal(String(error), `Error: ${constants[code]}`);
}

function detached() {
  const buffer = Buffer.from(new ArrayBuffer(20));
  structuredClone(buffer.buffer, { transfer: [buffer.buffer] });
  return buffer;
}

function waited(method, ...given) {
  return new Promise((resolve, reject) => {
    entryPoint[method](...given, (error, value) => (error ? reject(error) : resolve(value)));
  });
}
