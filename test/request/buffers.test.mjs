// Every kind of bytes that JavaScript has, at every argument: the same bytes give the same result.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

import millrace from 'millrace';
import cryptoAsync from 'millrace/crypto-async';
import promises from 'millrace/promises';

import { viewOf, viewTypes } from '../conformance/bytes.mjs';
import { cipherNames, ciphers, hashNames, hmacNames } from '../support/algorithms.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';

const key = Buffer.from('key for every kind of bytes 1234');
const nonce = Buffer.from('twelve bytes');
const source = Buffer.from('a source of forty-eight bytes, for all elements.');
const aad = Buffer.from('sixteen aad here');
const sealed = ((expected) => Buffer.concat([expected.output, expected.tag]))(
  oracle({ kind: 'cipher', algorithm: 'aes-256-gcm', encrypt: true, key, iv: nonce, source, aad }),
);
const digest = oracle({ kind: 'hash', algorithm: 'sha256', source }).output;
const mac = oracle({ kind: 'hmac', algorithm: 'sha256', key, source }).output;

/** Each makes a value that holds the given bytes; their number is a multiple of 4. */
const kinds = {
  Buffer: (bytes) => Buffer.from(bytes),
  'Buffer from the pool': (bytes) => Buffer.from(Buffer.from(bytes).toString('latin1'), 'latin1'),
  'Buffer.allocUnsafeSlow': (bytes) =>
    ((copy) => (copy.set(bytes), copy))(Buffer.allocUnsafeSlow(bytes.length)),
  ...Object.fromEntries(
    viewTypes.map((Type) => [Type.name, (bytes) => viewOf(Type, bytes) ?? viewOf(DataView, bytes)]),
  ),
  ArrayBuffer: (bytes) => apart(bytes).slice(0, bytes.length),
  SharedArrayBuffer: (bytes) => shared(bytes),
  'view over a SharedArrayBuffer': (bytes) => new Uint8Array(shared(bytes)),
  'Buffer over a SharedArrayBuffer': (bytes) => Buffer.from(shared(bytes)),
  'view with an offset': (bytes) => within(bytes, 8),
  'unaligned view': (bytes) => within(bytes, 13),
  'unaligned DataView': (bytes) =>
    ((view) => new DataView(view.buffer, view.byteOffset, view.byteLength))(within(bytes, 3)),
  'Uint16Array with an offset': (bytes) =>
    new Uint16Array(within(bytes, 6).buffer, 6, bytes.length / 2),
  'subclass of Uint8Array': (bytes) => new (class Mine extends Uint8Array {})(bytes),
  'subclass with overridden length': (bytes) =>
    Object.defineProperty(Uint8Array.from(bytes), 'length', { value: 3 }),
  'resizable ArrayBuffer': (bytes) => resizable(bytes),
  'view over a resizable ArrayBuffer': (bytes) => new Uint8Array(resizable(bytes), 0, bytes.length),
  'length-tracking view': (bytes) => new Uint8Array(resizable(bytes)),
  'length-tracking DataView': (bytes) => new DataView(resizable(bytes)),
  'growable SharedArrayBuffer': (bytes) =>
    ((memory) => (new Uint8Array(memory).set(bytes), memory))(
      new SharedArrayBuffer(bytes.length, { maxByteLength: 4096 }),
    ),
  'of another realm': (bytes) => runInNewContext('Uint8Array.from(bytes)', { bytes: [...bytes] }),
  'ArrayBuffer of another realm': (bytes) =>
    runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...bytes] }),
  'frozen object around a view': (bytes) => Object.preventExtensions(Uint8Array.from(bytes)),
};

for (const [name, make] of Object.entries(kinds)) {
  test(`every argument as ${name}`, async () => {
    for (const entryPoint of [millrace, promises]) {
      assert.deepEqual(await entryPoint.hash('sha256', make(source)), digest);
      assert.equal(await entryPoint.hash('sha256', make(source), 'hex'), digest.toString('hex'));
      assert.equal(
        await entryPoint.hash('sha256', make(source), 'bigint'),
        BigInt(`0x${digest.toString('hex')}`),
      );
      assert.equal(
        await entryPoint.hash('sha256', make(source), 'base64url'),
        digest.toString('base64url'),
      );
      assert.deepEqual(
        await entryPoint.hash('blake3', make(source), { key: make(key), outputLength: 40 }),
        oracle({ kind: 'hash', algorithm: 'blake3', key, outputLength: 40, source }).output,
      );
      assert.deepEqual(await entryPoint.hmac('sha256', make(key), make(source)), mac);
      assert.deepEqual(
        await entryPoint.seal('aes-256-gcm', {
          key: make(key),
          nonce: make(nonce),
          source: make(source),
          aad: make(aad),
        }),
        sealed,
      );
      assert.deepEqual(
        await entryPoint.open('aes-256-gcm', {
          key: make(key),
          nonce: make(nonce),
          source: make(sealed),
          aad: make(aad),
        }),
        source,
      );
      const tag = make(Buffer.alloc(16));
      assert.deepEqual(
        await entryPoint.cipher('aes-256-gcm', {
          encrypt: true,
          key: make(key),
          iv: make(nonce),
          source: make(source),
          aad: make(aad),
          tag,
        }),
        sealed.subarray(0, 48),
      );
      assert.deepEqual(bytesOf(tag), sealed.subarray(48));
      assert.deepEqual(
        await entryPoint.cipher(
          'aes-256-gcm',
          false,
          make(key),
          make(nonce),
          make(sealed.subarray(0, 48)),
          make(aad),
          make(sealed.subarray(48)),
        ),
        source,
      );
    }
    assert.deepEqual(
      millrace.seal('aes-256-gcm', {
        key: millrace.createKey('aes-256-gcm', make(key)),
        nonce,
        source,
        aad,
      }),
      sealed,
    );
    assert.deepEqual(
      millrace.hmac('sha256', millrace.createKey('hmac-sha256', make(key)), source),
      mac,
    );
  });

  test(`window and target as ${name}`, async () => {
    const resizes = /resizable|length-tracking/.test(name);
    for (const [entryPoint, asynchronous] of [
      [millrace, false],
      [promises, true],
    ]) {
      const target = make(Buffer.alloc(48));
      // A digest may go into a resizable target: it is written when the call settles.
      assert.equal(await entryPoint.hash('sha256', make(source), { target, targetOffset: 8 }), 32);
      assert.deepEqual(bytesOf(target).subarray(8, 40), digest);
      assert.equal(
        await entryPoint.hmac('sha256', make(key), make(source), { target, targetOffset: 16 }),
        32,
      );
      assert.deepEqual(bytesOf(target).subarray(16), mac);
      const tag = make(Buffer.alloc(16));
      const options = {
        encrypt: true,
        key: make(key),
        iv: make(nonce),
        source: make(source),
        target,
        aad: make(aad),
        tag,
      };
      if (asynchronous && resizes) {
        await assert.rejects(entryPoint.cipher('aes-256-gcm', options), { code: 'ERR_RESIZABLE' });
        await assert.rejects(
          entryPoint.seal('aes-256-gcm', {
            key,
            nonce,
            source,
            aad,
            target: make(Buffer.alloc(64)),
          }),
          { code: 'ERR_RESIZABLE' },
        );
      } else {
        assert.equal(await entryPoint.cipher('aes-256-gcm', options), 48);
        assert.deepEqual(bytesOf(target), sealed.subarray(0, 48));
        assert.deepEqual(bytesOf(tag), sealed.subarray(48));
        const whole = make(Buffer.alloc(64));
        assert.equal(
          await entryPoint.seal('aes-256-gcm', {
            key: make(key),
            nonce: make(nonce),
            source: make(source),
            aad: make(aad),
            target: whole,
          }),
          64,
        );
        assert.deepEqual(bytesOf(whole), sealed);
      }
    }
  });
}

test('views in the windows of the drop-in entry point, lengths in bytes', () => {
  for (const [name, make] of Object.entries(kinds)) {
    const isView = ArrayBuffer.isView(make(source));
    const call = () => {
      const target = make(Buffer.alloc(48));
      const written = cryptoAsync.hash('sha256', make(source), 0, 48, target, 16);
      return [written, bytesOf(target).subarray(16).equals(digest)];
    };
    if (isView) assert.deepEqual(call(), [32, true], name);
    else assert.throws(call, { message: cryptoAsync.E_SOURCE }, name);
  }
});

test('a value that only looks like bytes is refused by name', async () => {
  const fakes = {
    'object with the prototype of Uint8Array': () => Object.create(Uint8Array.prototype),
    'object with the prototype of Buffer': () => Object.create(Buffer.prototype),
    'object with the prototype of DataView': () => Object.create(DataView.prototype),
    'object with the prototype of ArrayBuffer': () => Object.create(ArrayBuffer.prototype),
    'proxy of a Uint8Array': () => new Proxy(new Uint8Array(32), {}),
    'proxy of a Buffer': () => new Proxy(Buffer.alloc(32), {}),
    'proxy of an ArrayBuffer': () => new Proxy(new ArrayBuffer(32), {}),
    'object with a tag': () => ({ [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 32 }),
    'object with the properties of a view': () => ({
      buffer: new ArrayBuffer(32),
      byteOffset: 0,
      byteLength: 32,
      length: 32,
    }),
  };
  for (const [name, make] of Object.entries(fakes)) {
    for (const entryPoint of [millrace, promises]) {
      for (const [argument, call] of Object.entries({
        data: () => entryPoint.hash('sha256', make()),
        target: () => entryPoint.hash('sha256', 'x', { target: make() }),
        key: () => entryPoint.seal('aes-256-gcm', { key: make(), nonce, source }),
        nonce: () => entryPoint.seal('aes-256-gcm', { key, nonce: make(), source }),
        aad: () => entryPoint.seal('aes-256-gcm', { key, nonce, source, aad: make() }),
        tag: () =>
          entryPoint.cipher('aes-256-gcm', { encrypt: true, key, iv: nonce, source, tag: make() }),
      })) {
        await assert.rejects(
          async () => call(),
          { code: 'ERR_ARGUMENT_TYPE', message: new RegExp(argument) },
          `${name} as ${argument}`,
        );
      }
    }
    assert.throws(
      () => millrace.createKey('aes-256-gcm', make()),
      { code: 'ERR_ARGUMENT_TYPE', message: /key/ },
      name,
    );
    assert.throws(
      () => cryptoAsync.hash('sha256', make()),
      { message: cryptoAsync.E_SOURCE },
      name,
    );
    assert.throws(
      () => cryptoAsync.hash('sha256', make(), 0, 4, Buffer.alloc(32), 0),
      { message: cryptoAsync.E_SOURCE },
      name,
    );
  }
});

// nothing at all

const empties = {
  'Buffer.alloc(0)': () => Buffer.alloc(0),
  'Buffer.from("")': () => Buffer.from(''),
  'Buffer.allocUnsafe(0)': () => Buffer.allocUnsafe(0),
  'Buffer.concat([])': () => Buffer.concat([]),
  'empty slice': () => Buffer.alloc(10).subarray(4, 4),
  'empty slice at the end': () => Buffer.alloc(10).subarray(10),
  Uint8Array: () => new Uint8Array(0),
  Float64Array: () => new Float64Array(0),
  DataView: () => new DataView(new ArrayBuffer(0)),
  ArrayBuffer: () => new ArrayBuffer(0),
  SharedArrayBuffer: () => new SharedArrayBuffer(0),
  'view over a SharedArrayBuffer': () => new Uint8Array(new SharedArrayBuffer(0)),
  'resizable ArrayBuffer': () => new ArrayBuffer(0, { maxByteLength: 100 }),
  'resized to nothing': () =>
    ((memory) => (memory.resize(0), new Uint8Array(memory)))(
      new ArrayBuffer(50, { maxByteLength: 100 }),
    ),
};

/** Memory that is gone, which is not the same as no bytes. */
const lost = {
  'view left outside by a shrink': () =>
    ((memory, view) => (memory.resize(4), view))(...withView(8, 8)),
  'DataView left outside by a shrink': () =>
    ((memory) => ((view) => (memory.resize(4), view))(new DataView(memory, 8, 8)))(
      new ArrayBuffer(16, { maxByteLength: 16 }),
    ),
  'detached Buffer': () => detached(Buffer.from(new ArrayBuffer(40))),
  'detached Uint8Array': () => detached(new Uint8Array(40)),
  'detached Float64Array': () => detached(new Float64Array(5)),
  'detached DataView': () => detached(new DataView(new ArrayBuffer(40))),
  'detached ArrayBuffer': () =>
    ((memory) => (structuredClone(memory, { transfer: [memory] }), memory))(new ArrayBuffer(40)),
};

for (const [name, make] of Object.entries(empties)) {
  test(`nothing: ${name}`, async () => {
    const nothing = Buffer.alloc(0);
    for (const entryPoint of [millrace, promises]) {
      for (const algorithm of hashNames) {
        assert.deepEqual(
          await entryPoint.hash(algorithm, make()),
          oracle({ kind: 'hash', algorithm, source: nothing }).output,
        );
      }
      assert.equal(
        await entryPoint.hash('sha256', make(), 'hex'),
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      );
      assert.equal(await entryPoint.hash('sha256', make(), { target: Buffer.alloc(32) }), 32);
      for (const algorithm of hmacNames) {
        assert.deepEqual(
          await entryPoint.hmac(algorithm, make(), make()),
          oracle({ kind: 'hmac', algorithm, key: nothing, source: nothing }).output,
        );
        assert.deepEqual(
          await entryPoint.hmac(algorithm, make(), source),
          oracle({ kind: 'hmac', algorithm, key: nothing, source }).output,
        );
        assert.deepEqual(
          await entryPoint.hmac(algorithm, key, make()),
          oracle({ kind: 'hmac', algorithm, key, source: nothing }).output,
        );
      }
      for (const algorithm of cipherNames) {
        const { key: keySize, iv: ivSize, aead } = ciphers[algorithm];
        const [k, iv] = [Buffer.alloc(keySize, 1), Buffer.alloc(ivSize, 2)];
        if (!aead) {
          assert.deepEqual(
            await entryPoint.cipher(algorithm, { encrypt: true, key: k, iv, source: make() }),
            nothing,
          );
          assert.deepEqual(
            await entryPoint.cipher(algorithm, true, k, iv, make(), make(), make()),
            nothing,
          );
          await writesNothing(entryPoint, 'cipher', [
            algorithm,
            { encrypt: 1, key: k, iv, source: make(), target: make() },
          ]);
          await writesNothing(entryPoint, 'cipher', [
            algorithm,
            { encrypt: 1, key: k, iv, source: make(), target: make(), aad: make(), tag: make() },
          ]);
          continue;
        }
        const { tag } = oracle({
          kind: 'cipher',
          algorithm,
          encrypt: true,
          key: k,
          iv,
          source: nothing,
          aad: nothing,
        });
        assert.deepEqual(
          await entryPoint.seal(algorithm, { key: k, nonce: iv, source: make(), aad: make() }),
          tag,
        );
        assert.deepEqual(
          await entryPoint.open(algorithm, { key: k, nonce: iv, source: tag, aad: make() }),
          nothing,
        );
        await writesNothing(entryPoint, 'open', [
          algorithm,
          { key: k, nonce: iv, source: tag, target: make() },
        ]);
        const made = Buffer.alloc(16);
        assert.deepEqual(
          await entryPoint.cipher(algorithm, true, k, iv, make(), make(), made),
          nothing,
        );
        assert.deepEqual(made, tag);
        await writesNothing(entryPoint, 'cipher', [
          algorithm,
          { encrypt: 0, key: k, iv, source: make(), target: make(), aad: make(), tag },
        ]);
        await assert.rejects(
          async () => entryPoint.open(algorithm, { key: k, nonce: iv, source: make() }),
          { code: 'ERR_SOURCE_SIZE' },
        );
        await assert.rejects(
          async () => entryPoint.seal(algorithm, { key: make(), nonce: iv, source }),
          {
            code: 'ERR_KEY_SIZE',
          },
        );
        await assert.rejects(
          async () => entryPoint.seal(algorithm, { key: k, nonce: make(), source }),
          {
            code: 'ERR_IV_SIZE',
          },
        );
        await assert.rejects(
          async () => entryPoint.cipher(algorithm, true, k, iv, source, aad, make()),
          {
            code: 'ERR_TAG_SIZE',
          },
        );
      }
      await assert.rejects(async () => entryPoint.hash('sha256', source, { target: make() }), {
        code: 'ERR_ARGUMENT_VALUE',
      });
      await assert.rejects(async () => entryPoint.hash('blake3', source, { key: make() }), {
        code: 'ERR_KEY_SIZE',
      });
    }
    assert.throws(() => millrace.createKey('aes-256-gcm', make()), { code: 'ERR_KEY_SIZE' });
    assert.deepEqual(
      millrace.hmac('sha1', millrace.createKey('hmac-sha1', make()), source),
      oracle({ kind: 'hmac', algorithm: 'sha1', key: nothing, source }).output,
    );
  });
}

test('a window may end at the end of its memory', async () => {
  const memory = random('end').bytes(100);
  for (const entryPoint of [millrace, promises]) {
    assert.equal(
      await entryPoint.hash('md5', memory.subarray(100, 100), {
        target: Buffer.alloc(20),
        targetOffset: 4,
      }),
      16,
    );
    assert.equal(
      await entryPoint.cipher('aes-128-ctr', {
        encrypt: 1,
        key: memory.subarray(84, 100),
        iv: memory.subarray(84, 100),
        source: memory.subarray(100, 100),
        target: memory,
        targetOffset: 100,
      }),
      0,
    );
  }
});

/**
 * Checks that nothing is written. An asynchronous call may refuse a resizable target though it is
 * empty.
 */
async function writesNothing(entryPoint, method, args) {
  const { target } = args[1];
  try {
    assert.equal(await entryPoint[method](...args), 0);
  } catch (error) {
    assert.equal(error.code, 'ERR_RESIZABLE', error.stack);
    assert.ok(entryPoint === promises && (target.buffer ?? target).resizable);
  }
}

function apart(bytes) {
  return Uint8Array.from(bytes).buffer;
}

function shared(bytes) {
  const memory = new SharedArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}

function within(bytes, offset) {
  const memory = new ArrayBuffer(offset + bytes.length + 9);
  const view = new Uint8Array(memory, offset, bytes.length);
  view.set(bytes);
  return view;
}

function resizable(bytes) {
  const memory = new ArrayBuffer(bytes.length, { maxByteLength: 4096 });
  new Uint8Array(memory).set(bytes);
  return memory;
}

function withView(offset, size) {
  const memory = new ArrayBuffer(offset + size, { maxByteLength: offset + size });
  return [memory, new Uint8Array(memory, offset, size)];
}

for (const [name, make] of Object.entries(lost)) {
  test(`refused: ${name}`, async () => {
    const [k, iv] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2)];
    const tuple = 'tuplehash128';
    const calls = {
      'hash data': (entry) => entry.hash('sha256', make()),
      'hash data hex': (entry) => entry.hash('sha256', make(), 'hex'),
      'hash data 0xhex': (entry) => entry.hash('sha256', make(), '0xhex'),
      'hash data bigint': (entry) => entry.hash('sha256', make(), 'bigint'),
      'hash data with a target': (entry) =>
        entry.hash('sha256', make(), { target: Buffer.alloc(32) }),
      'hash target': (entry) => entry.hash('sha256', source, { target: make() }),
      'hash key': (entry) => entry.hash('blake3', source, { key: make() }),
      'hash key of KMAC': (entry) => entry.hash('kmac128', source, { key: make() }),
      'hash customization': (entry) => entry.hash('cshake128', source, { customization: make() }),
      'hash item': (entry) => entry.hash(tuple, [source, make()]),
      'hmac key': (entry) => entry.hmac('sha256', make(), source),
      'hmac data': (entry) => entry.hmac('sha256', key, make()),
      'hmac data hex': (entry) => entry.hmac('sha256', key, make(), 'hex'),
      'verifyHmac key': (entry) =>
        entry.verifyHmac('sha256', { key: make(), source, mac: Buffer.alloc(32) }),
      'verifyHmac source': (entry) =>
        entry.verifyHmac('sha256', { key, source: make(), mac: Buffer.alloc(32) }),
      'verifyHmac mac': (entry) => entry.verifyHmac('sha256', { key, source, mac: make() }),
      'hashMany message': (entry) => entry.hashMany('sha256', [source, make()]),
      'hashMany packed': (entry) => entry.hashMany('sha256', { data: make(), size: 4 }),
      'hashMany key': (entry) => entry.hashMany('blake3', [source], { key: make() }),
      'hmacMany key': (entry) => entry.hmacMany('sha256', make(), [source]),
      'seal key': (entry) => entry.seal('aes-256-gcm', { key: make(), nonce: iv, source }),
      'seal nonce': (entry) => entry.seal('aes-256-gcm', { key: k, nonce: make(), source }),
      'seal source': (entry) => entry.seal('aes-256-gcm', { key: k, nonce: iv, source: make() }),
      'seal aad': (entry) => entry.seal('aes-256-gcm', { key: k, nonce: iv, source, aad: make() }),
      'open source': (entry) => entry.open('aes-256-gcm', { key: k, nonce: iv, source: make() }),
      'cipher source': (entry) => entry.cipher('aes-256-ctr', true, k, Buffer.alloc(16), make()),
      'cipher iv': (entry) => entry.cipher('aes-256-ctr', true, k, make(), source),
      'scrypt password': (entry) => entry.scrypt(make(), source, 16, { N: 2 }),
      'scrypt salt': (entry) => entry.scrypt('password', make(), 16, { N: 2 }),
      'pbkdf2 password': (entry) => entry.pbkdf2(make(), source, 1, 16, 'sha256'),
      'hkdf key': (entry) => entry.hkdf('sha256', make(), source, '', 16),
      'hkdf salt': (entry) => entry.hkdf('sha256', k, make(), '', 16),
      'hkdf info': (entry) => entry.hkdf('sha256', k, '', make(), 16),
      'argon2 secret': (entry) =>
        entry.argon2('argon2id', { message: 'x', nonce: iv, secret: make(), memory: 8, passes: 1 }),
      'hashPassword password': (entry) => entry.hashPassword(make(), { memory: 8, passes: 1 }),
      'wrapKey source': (entry) => entry.wrapKey('aes-256-kwp', { key: k, source: make() }),
      createKey: () => millrace.createKey('hmac-sha256', make()),
      'createHmac key': () => millrace.createHmac('sha256', make()),
      'update of a hasher': () => millrace.createHash('sha256').update(make()),
      'key of a hasher': () => millrace.createHash('kmac256', { key: make() }),
      'aad of a cipher': () =>
        millrace.createCipher('aes-256-gcm', { key: k, nonce: iv, aad: make() }),
      'update of a cipher': () =>
        millrace.createCipher('aes-256-gcm', { key: k, nonce: iv }).update(make()),
      'passphrase of sealWithPassphrase': () =>
        promises.sealWithPassphrase(make(), 'x', { N: 1024 }),
      'data of sealWithPassphrase': () => promises.sealWithPassphrase('p', make(), { N: 1024 }),
      'context of a stream': () =>
        promises.sealStream({ algorithm: 'aes-256-gcm', key: k, context: make() }),
    };
    for (const [call, use] of Object.entries(calls))
      for (const entry of [millrace, promises])
        await assert.rejects(
          async () => use(entry),
          // Empty keys and nonces have no right size anyway.
          (error) => ['ERR_DETACHED', 'ERR_KEY_SIZE', 'ERR_IV_SIZE'].includes(error.code),
          `${call}: ${entry === millrace ? 'millrace' : 'promises'}`,
        );
  });
}

function detached(view) {
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
}

function bytesOf(value) {
  return ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value);
}
