// Ciphers of millrace/node-crypto beside node:crypto: the same bytes for random messages in random
// pieces, the same errors in every state, and the same streams.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, test } from 'node:test';

import own from 'millrace/node-crypto';

const native = process.env.MILLRACE_ENGINE !== 'portable';
const ciphers = { 'aes-128-gcm': 16, 'AES-192-GCM': 24, 'id-aes256-GCM': 32, 'aes-256-gcm': 32 };
const streams = { 'aes-128-ctr': 16, 'aes-192-ctr': 24, 'AES-256-CTR': 32, chacha20: 32 };
const others = { 'aes-256-cbc': 16, 'aes-256-ccm': 12, 'aes-256-ofb': 16 };
const bytes = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7) & 255));
const key = bytes.subarray(1, 33);
const iv = bytes.subarray(100, 112);
const counter = bytes.subarray(0, 16);
const tag = bytes.subarray(50, 66);

/** Returns a generator of the same numbers for both libraries. */
function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
}

/** Describes a value, or the error of a call. */
function shown(value) {
  if (Buffer.isBuffer(value))
    return ['Buffer', value.toString('hex'), value.buffer.byteLength === value.length];
  return value instanceof Transform ? value.constructor.name : [typeof value, value];
}

function attempt(call) {
  try {
    return shown(call());
  } catch (error) {
    return [error.constructor.name, error.name, error.code, error.message, error.reason];
  }
}

/** Calls methods of a cipher of each library and compares every result. */
function same(create, calls, what) {
  const outcomes = [own, crypto].map((lib) => {
    let object;
    const results = [attempt(() => (object = create(lib)))];
    if (object === undefined) return results;
    for (const [name, ...given] of calls)
      results.push([name, attempt(() => object[name](...given)), object._decoder?.encoding]);
    return results;
  });
  assert.deepEqual(outcomes[0], outcomes[1], what ?? JSON.stringify(calls));
}

const encrypting = (lib) => lib.createCipheriv('aes-256-gcm', key, iv);
const decrypting = (lib) => lib.createDecipheriv('aes-256-gcm', key, iv);
const both = [encrypting, decrypting];

/** Returns the options that Node.js needs for a cipher. */
const optionsOf = (name) => (name.endsWith('ccm') ? { authTagLength: 16 } : undefined);

test('AES-GCM, AES-CTR and the ChaCha20 ciphers are served, others are Node’s', () => {
  const marked = (object) => Object.getPrototypeOf(object) !== crypto.Cipheriv.prototype;
  const served = (name, ...given) =>
    assert.equal(marked(own.createCipheriv(name, ...given)), native, name);
  for (const [name, size] of Object.entries(ciphers)) served(name, bytes.subarray(0, size), iv);
  for (const [name, size] of Object.entries(streams))
    served(name, bytes.subarray(0, size), counter);
  served('chacha20-poly1305', key, iv);
  served('chacha20-poly1305', key, iv, { authTagLength: 16 });
  for (const [name, size] of Object.entries(others)) {
    const nonce = bytes.subarray(0, size);
    assert.ok(!marked(own.createCipheriv(name, key, nonce, optionsOf(name))), name);
  }
});

test('messages in random pieces, with tags and nonces of every size, are those of Node', () => {
  const random = numbers(7);
  for (let round = 0; round < 300; round++) {
    const [name, keySize] = Object.entries(ciphers)[random(4)];
    const nonce = bytes.subarray(9, 10 + (round < 128 ? round : random(128)));
    const authTagLength = [undefined, 4, 8, 12, 13, 14, 15, 16][random(8)];
    const options = authTagLength ? { authTagLength } : [undefined, null, {}][random(3)];
    const given = [name, bytes.subarray(0, keySize), nonce, options];
    const calls = [];
    for (let count = random(3); count > 0; count--)
      calls.push(['setAAD', bytes.subarray(random(9), random(200) + 9)]);
    for (let count = random(6); count > 0; count--)
      calls.push(['update', bytes.subarray(random(9), random([40, 200, 4000][random(3)]) + 9)]);
    same((lib) => lib.createCipheriv(...given), [...calls, ['final'], ['getAuthTag']]);
    // The tag of what the cipher returned.
    const cipher = crypto.createCipheriv(...given);
    const back = calls.map(([call, data]) =>
      call === 'update' ? [call, cipher.update(data)] : (cipher.setAAD(data), [call, data]),
    );
    cipher.final();
    const right = cipher.getAuthTag();
    const wrong = Buffer.from(right);
    wrong[random(wrong.length)] ^= 1 << random(8);
    for (const each of [right, wrong]) {
      const ending = [['final'], ['final'], ['update', 'x'], ['setAuthTag', each]];
      same((lib) => lib.createDecipheriv(...given), [['setAuthTag', each], ...back, ...ending]);
      same((lib) => lib.createDecipheriv(...given), [...back, ['setAuthTag', each], ...ending]);
    }
  }
});

test('messages of ChaCha20-Poly1305 in random pieces are those of Node', () => {
  const random = numbers(11);
  for (let round = 0; round < 60; round++) {
    const options = [undefined, null, {}, { authTagLength: 16 }, { authTagLength: 12 }][random(5)];
    const given = ['chacha20-poly1305', key, bytes.subarray(round, round + 12), options];
    const pieces = Array.from({ length: random(5) }, () => bytes.subarray(random(9), random(4000)));
    const calls = [['setAAD', tag], ...pieces.map((piece) => ['update', piece])];
    same((lib) => lib.createCipheriv(...given), [...calls, ['final'], ['getAuthTag']]);
    const cipher = crypto.createCipheriv(...given).setAAD(tag);
    const back = pieces.map((piece) => ['update', cipher.update(piece)]);
    cipher.final();
    for (const each of [cipher.getAuthTag(), tag, tag.subarray(4)]) {
      const opening = [['setAAD', tag], ['setAuthTag', each], ...back, ['final'], ['final']];
      same((lib) => lib.createDecipheriv(...given), opening);
    }
  }
});

describe('stream ciphers', () => {
  /** Counters that overflow into the next byte, word and half, and a random one. */
  const nonces = [
    Buffer.concat([Buffer.alloc(12, 7), Buffer.from('fffffffe', 'hex')]),
    Buffer.concat([Buffer.from('feffffff', 'hex'), Buffer.alloc(12, 7)]),
    Buffer.from('00ffffffffffffffffffffffffffffff', 'hex'),
    Buffer.from('feffffffffffffff0000000000000000', 'hex'),
    Buffer.from(`${'ff'.repeat(15)}fe`, 'hex'),
    bytes.subarray(5, 21),
  ];
  const make = (random) => {
    const [name, keySize] = Object.entries(streams)[random(4)];
    const nonce = nonces[random(nonces.length)];
    const method = ['createCipheriv', 'createDecipheriv'][random(2)];
    const from = random(3);
    return (lib) => lib[method](name, bytes.subarray(from, from + keySize), nonce);
  };
  const piece = (random) => bytes.subarray(random(9), random([20, 200, 4000][random(3)]) + 9);

  test('messages in random pieces are those of Node', () => {
    const random = numbers(3);
    for (let round = 0; round < 200; round++) {
      const calls = Array.from({ length: random(6) }, () => ['update', piece(random)]);
      same(make(random), [...calls, ['final'], ['final'], ['update', 'late']]);
    }
  });

  test('more ciphers than there are states take turns while garbage is collected', async () => {
    const random = numbers(5);
    const pairs = Array.from({ length: 150 }, () => {
      const create = make(random);
      return [create(own), create(crypto)];
    });
    for (let round = 0; round < 1500; round++) {
      const [left, right] = pairs[random(pairs.length)];
      const data = piece(random);
      assert.deepEqual(left.update(data), right.update(data));
      if (round % 500 === 0) {
        globalThis.gc?.();
        // Finalization runs in a task.
        await new Promise((done) => setTimeout(done, 1));
      }
    }
    for (const [left, right] of pairs) assert.deepEqual(left.final(), right.final());
  });

  test('a key of several ciphers remains until the last one ends', () => {
    const [first, second, third] = Array.from({ length: 3 }, () =>
      own.createCipheriv('aes-256-ctr', key, counter),
    );
    const expected = crypto.createCipheriv('aes-256-ctr', key, counter).update(bytes);
    assert.deepEqual(first.update(bytes), expected);
    first.final();
    assert.deepEqual(second.update(bytes), expected);
    second.final();
    // Another key takes the place of one that was wiped.
    own.createCipheriv('aes-256-ctr', bytes.subarray(7, 39), counter).update('x');
    assert.deepEqual(third.update(bytes), expected);
  });

  test('methods of authenticated ciphers throw Node’s errors', () => {
    for (const state of [[], [['update', 'x']], [['final']]]) {
      for (const [name, size] of Object.entries(streams)) {
        const given = [name, bytes.subarray(0, size), counter];
        const then = [['update', 'more', 'utf8', 'hex'], ['final']];
        for (const call of [['setAAD', iv], ['getAuthTag'], ['setAutoPadding', false]])
          same((lib) => lib.createCipheriv(...given), [...state, call, ...then]);
        same((lib) => lib.createDecipheriv(...given), [...state, ['setAuthTag', tag], ...then]);
      }
    }
  });
});

describe('arguments', () => {
  test('arguments of the constructors are refused as in Node', () => {
    const secret = crypto.createSecretKey(key);
    /** Arguments after the name of a cipher. */
    const cases = {
      'aes-256-gcm': [
        [],
        [key],
        [key, null],
        [key, ''],
        [key, 'a text'],
        [key, bytes.subarray(0, 129)],
        [key.subarray(1), iv],
        [secret, iv],
        ['k'.repeat(32), iv],
        ['é'.repeat(16), iv],
        ['é'.repeat(32), iv],
        [key.toString('hex'), iv, { encoding: 'hex' }],
        [new DataView(key.buffer, key.byteOffset, 32), iv],
        [key, iv, { authTagLength: 7 }],
        [key, iv, { authTagLength: -1 }],
        [key, iv, { authTagLength: '16' }],
        [key, iv, { authTagLength: null, highWaterMark: 1 }],
        [key, iv, 5],
        [5, iv],
      ],
      'aes-257-gcm': [[key, iv]],
      'aes-256-ctr': [
        ['é'.repeat(16), counter],
        [key, counter, { authTagLength: 16 }],
      ],
      chacha20: [[secret, counter]],
      'chacha20-poly1305': [
        [key, iv, { authTagLength: 17 }],
        [key, iv, { authTagLength: 4 }],
      ],
    };
    for (const [name, size] of Object.entries(others))
      cases[name] = [[key, bytes.subarray(0, size), optionsOf(name)]];
    for (const name of ['chacha20', 'aes-256-ctr', 'chacha20-poly1305'])
      for (const size of [0, 12, 15, 17, 32]) cases[name].push([key, bytes.subarray(0, size)]);
    const all = Object.entries(cases).flatMap(([name, rest]) =>
      rest.map((each) => [name, ...each]),
    );
    for (const given of [...all, [], [5, key, iv]])
      for (const name of ['createCipheriv', 'createDecipheriv'])
        same((lib) => lib[name](...given), [['update', bytes], ['final']], `${name} ${given}`);
  });

  test('arguments of the methods are refused as in Node, in every state', () => {
    const texts = ['', 'text', 'ünï', 'abcd', 'abc'];
    const views = [
      bytes,
      new Uint8Array(0),
      new Float64Array(3),
      new DataView(bytes.buffer, 1, 70),
    ];
    const data = [...texts, ...views, bytes.buffer.slice(0, 5), 5, null, undefined, {}];
    const encodings = [undefined, null, '', 'utf8', 'hex', 'HEX', 'Base64', 'base64url', 'latin1'];
    const strange = ['ascii', 'ucs2', 'utf16le', 'buffer', 'binary', 'foo', 5, {}];
    const states = [[], [['update', 'x']], [['update', '']], [['setAAD', iv]], [['final']]];
    for (const next of [['update', 'x'], ['final']]) states.push([['setAuthTag', tag], next]);
    const tags = [tag, tag.subarray(4), tag.subarray(9), tag.toString('latin1'), tag.buffer, 5];
    for (const create of both)
      for (const state of states) {
        const more = ['update', 'more', 'utf8', 'hex'];
        const check = (...call) => same(create, [...state, call, more, ['final', 'hex']]);
        for (const each of data) {
          for (const encoding of [...encodings, ...strange]) {
            check('update', each, encoding);
            check('setAAD', each, encoding && { encoding });
          }
          check('update', each);
          check('setAAD', each);
          for (const plaintextLength of [5, -5]) check('setAAD', each, { plaintextLength });
        }
        for (const encoding of [...encodings, ...strange]) {
          check('update', 'ab', 'utf8', encoding);
          check('final', encoding);
          if (create === decrypting) check('setAuthTag', 'x'.repeat(16), encoding);
        }
        for (const on of [undefined, true, false]) check('setAutoPadding', on);
        if (create === encrypting) check('getAuthTag');
        else for (const each of tags) check('setAuthTag', each);
      }
  });

  test('copies of keys, nonces and additional data are taken at the call', () => {
    const create = (lib) => {
      const [ownKey, nonce, aad] = [Buffer.from(key), Buffer.from(iv), Buffer.from('aad')];
      const cipher = lib.createCipheriv('aes-256-gcm', ownKey, nonce).setAAD(aad);
      for (const each of [ownKey, nonce, aad]) each.fill(0);
      return cipher;
    };
    same(create, [['update', bytes], ['final'], ['getAuthTag']]);
  });

  test('many ciphers at once have their own keys', () => {
    const all = [own, crypto].map((lib) => {
      const objects = Array.from({ length: 200 }, (_, index) =>
        lib.createCipheriv('aes-128-gcm', bytes.subarray(index, index + 16), iv),
      );
      // Not in the order of their creation.
      return objects.reverse().map((cipher) => cipher.update(bytes, undefined, 'hex'));
    });
    assert.deepEqual(all[0], all[1]);
  });
});

describe('objects', () => {
  test('classes work with and without new, and as base classes', () => {
    for (const name of ['Cipheriv', 'Decipheriv'])
      for (const lib of [own, crypto]) {
        const object = lib[`create${name}`]('aes-256-gcm', key, iv);
        assert.ok(object instanceof lib[name] && object instanceof Transform);
        if (native || lib === crypto) assert.equal(object.constructor, lib[name]);
        assert.deepEqual(Object.keys(object), ['_decoder', '_options']);
        assert.equal(typeof object.setAuthTag, name === 'Cipheriv' ? 'undefined' : 'function');
        assert.equal(typeof object.getAuthTag, name === 'Cipheriv' ? 'function' : 'undefined');
        class Derived extends lib[name] {}
        assert.ok(new Derived('aes-256-gcm', key, iv).update('a') instanceof Buffer);
      }
    same((lib) => lib.Cipheriv('aes-256-gcm', key, iv), [['update', bytes]]);
    same((lib) => new lib.Decipheriv('aes-256-gcm', key, iv), [['update', bytes]]);
    same((lib) => lib.Cipheriv('aes-256-gcm', key), []);
  });

  const through = async (make, pieces, use) => {
    const outcomes = [];
    for (const lib of [own, crypto]) {
      const object = make(lib);
      const chunks = [];
      const collect = async (source) => {
        for await (const chunk of source) chunks.push(chunk.toString('hex'));
      };
      try {
        await pipeline(Readable.from(pieces, { objectMode: true }), object, collect);
        chunks.push(use?.(object));
      } catch (error) {
        chunks.push([error.name, error.code, error.message]);
      }
      outcomes.push(chunks);
    }
    assert.deepEqual(outcomes[0], outcomes[1]);
    return outcomes[0];
  };

  test('streams have the chunks and the error of Node.js', async () => {
    const pieces = ['text', bytes, bytes.subarray(0, 1), 'é'];
    const tagOf = (cipher) => cipher.getAuthTag().toString('hex');
    const sealed = await through(encrypting, pieces, tagOf);
    const parts = sealed.slice(0, -1).map((each) => Buffer.from(each, 'hex'));
    const right = Buffer.from(sealed.at(-1), 'hex');
    const opened = await through((lib) => decrypting(lib).setAuthTag(right), parts);
    assert.ok(opened.join('').includes(bytes.toString('hex')));
    await through((lib) => decrypting(lib).setAuthTag(tag), parts);
    await through(decrypting, parts);
    await through(decrypting, []);
    await through(encrypting, []);
  });

  test('a stream after the end, hex chunks, and update beside write', async () => {
    same(encrypting, [['final'], ['write', 'late']]);
    const outcomes = [own, crypto].map((lib) => {
      const cipher = encrypting(lib).setAAD(tag);
      cipher.write('abcdef', 'hex');
      const result = cipher.update('between', 'utf8', 'hex');
      cipher.end('last');
      return [cipher.read().toString('hex'), result, cipher.readableHighWaterMark];
    });
    assert.deepEqual(outcomes[0], outcomes[1]);
  });
});
