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

const key = Buffer.from('key for every kind of bytes 1234');
const nonce = Buffer.from('twelve bytes');
const source = Buffer.from('a source of forty-eight bytes, for all elements.');
const aad = Buffer.from('sixteen aad here');
const nothing = Buffer.alloc(0);
const cipher = { kind: 'cipher', algorithm: 'aes-256-gcm', encrypt: true, key, iv: nonce };
const whole = oracle({ ...cipher, source, aad });
const sealed = Buffer.concat([whole.output, whole.tag]);
const hashOf = (algorithm, source, more) =>
  oracle({ kind: 'hash', algorithm, source, ...more }).output;
const macOf = (algorithm, key, source) => oracle({ kind: 'hmac', algorithm, key, source }).output;
const digest = hashOf('sha256', source);
const mac = macOf('sha256', key, source);

/** Each makes a value that holds the given bytes; their number is a multiple of 4. */
const kinds = {
  Buffer: (bytes) => Buffer.from(bytes),
  'Buffer from the pool': (bytes) => Buffer.from(Buffer.from(bytes).toString('latin1'), 'latin1'),
  'Buffer.allocUnsafeSlow': (bytes) => filled(Buffer.allocUnsafeSlow(bytes.length), bytes),
  ...Object.fromEntries(
    viewTypes.map((Type) => [Type.name, (bytes) => viewOf(Type, bytes) ?? viewOf(DataView, bytes)]),
  ),
  ArrayBuffer: (bytes) => Uint8Array.from(bytes).buffer,
  SharedArrayBuffer: (bytes) => shared(bytes),
  'view over a SharedArrayBuffer': (bytes) => new Uint8Array(shared(bytes)),
  'Buffer over a SharedArrayBuffer': (bytes) => Buffer.from(shared(bytes)),
  'view with an offset': (bytes) => within(bytes, 8),
  'unaligned view': (bytes) => within(bytes, 13),
  'unaligned DataView': (bytes) => new DataView(within(bytes, 3).buffer, 3, bytes.length),
  'Uint16Array with an offset': (bytes) =>
    new Uint16Array(within(bytes, 6).buffer, 6, bytes.length / 2),
  'subclass of Uint8Array': (bytes) => new (class Mine extends Uint8Array {})(bytes),
  'subclass with overridden length': (bytes) =>
    Object.defineProperty(Uint8Array.from(bytes), 'length', { value: 3 }),
  'resizable ArrayBuffer': (bytes) => resizable(bytes),
  'view over a resizable ArrayBuffer': (bytes) => new Uint8Array(resizable(bytes), 0, bytes.length),
  'length-tracking view': (bytes) => new Uint8Array(resizable(bytes)),
  'length-tracking DataView': (bytes) => new DataView(resizable(bytes)),
  'growable SharedArrayBuffer': (bytes) => shared(bytes, { maxByteLength: 8192 }),
  'of another realm': (bytes) => runInNewContext('Uint8Array.from(bytes)', { bytes: [...bytes] }),
  'ArrayBuffer of another realm': (bytes) =>
    runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...bytes] }),
  'frozen object around a view': (bytes) => Object.preventExtensions(Uint8Array.from(bytes)),
};

for (const [name, make] of Object.entries(kinds)) {
  test(`every argument as ${name}`, async () => {
    for (const { cipher, hash, hmac, open, seal } of [millrace, promises]) {
      assert.deepEqual(await hash('sha256', make(source)), digest);
      const hex = digest.toString('hex');
      assert.equal(await hash('sha256', make(source), 'hex'), hex);
      assert.equal(await hash('sha256', make(source), 'bigint'), BigInt(`0x${hex}`));
      const base64url = digest.toString('base64url');
      assert.equal(await hash('sha256', make(source), 'base64url'), base64url);
      const options = { key: make(key), outputLength: 40 };
      const keyed = hashOf('blake3', source, { key, outputLength: 40 });
      assert.deepEqual(await hash('blake3', make(source), options), keyed);
      assert.deepEqual(await hmac('sha256', make(key), make(source)), mac);
      const secrets = () => ({ key: make(key), nonce: make(nonce), aad: make(aad) });
      const sealing = { ...secrets(), source: make(source) };
      assert.deepEqual(await seal('aes-256-gcm', sealing), sealed);
      const opening = { ...secrets(), source: make(sealed) };
      assert.deepEqual(await open('aes-256-gcm', opening), source);
      const tag = make(Buffer.alloc(16));
      const { nonce: iv, ...rest } = sealing;
      const encrypting = { encrypt: true, iv, tag, ...rest };
      assert.deepEqual(await cipher('aes-256-gcm', encrypting), whole.output);
      assert.deepEqual(bytesOf(tag), whole.tag);
      const inputs = [key, nonce, whole.output, aad, whole.tag].map(make);
      assert.deepEqual(await cipher('aes-256-gcm', false, ...inputs), source);
    }
    const prepared = millrace.createKey('aes-256-gcm', make(key));
    assert.deepEqual(millrace.seal('aes-256-gcm', { key: prepared, nonce, source, aad }), sealed);
    const macKey = millrace.createKey('hmac-sha256', make(key));
    assert.deepEqual(millrace.hmac('sha256', macKey, source), mac);
    assert.deepEqual(millrace.createHmac('sha256', make(key)).update(make(source)).digest(), mac);
    for (const size of [24, 3000, 8000]) {
      const bytes = Buffer.alloc(size, source);
      const hasher = millrace.createHash('sha256').update(make(bytes));
      for (const window of [
        [0, size],
        [0, size / 4],
        [size / 4, (size * 3) / 4],
      ])
        hasher.update(make(bytes), ...window);
      assert.deepEqual(hasher.digest(), hashOf('sha256', Buffer.alloc(3 * size, bytes)));
    }
  });

  test(`window and target as ${name}`, async () => {
    const resizes = /resizable|length-tracking/.test(name);
    for (const { cipher, hash, hmac, seal } of [millrace, promises]) {
      const target = make(Buffer.alloc(48));
      // A digest may go into a resizable target: it is written when the call settles.
      assert.equal(await hash('sha256', make(source), { target, targetOffset: 8 }), 32);
      assert.deepEqual(bytesOf(target).subarray(8, 40), digest);
      const into = { target, targetOffset: 16 };
      assert.equal(await hmac('sha256', make(key), make(source), into), 32);
      assert.deepEqual(bytesOf(target).subarray(16), mac);
      const tag = make(Buffer.alloc(16));
      const inputs = { key: make(key), source: make(source), aad: make(aad) };
      const options = { encrypt: true, iv: make(nonce), ...inputs, target, tag };
      const larger = make(Buffer.alloc(64));
      const sealing = { nonce: make(nonce), ...inputs, target: larger };
      if (seal === promises.seal && resizes) {
        await rejects(() => cipher('aes-256-gcm', options), 'ERR_RESIZABLE');
        await rejects(() => seal('aes-256-gcm', sealing), 'ERR_RESIZABLE');
      } else {
        assert.equal(await cipher('aes-256-gcm', options), 48);
        assert.deepEqual(bytesOf(target), whole.output);
        assert.deepEqual(bytesOf(tag), whole.tag);
        assert.equal(await seal('aes-256-gcm', sealing), 64);
        assert.deepEqual(bytesOf(larger), sealed);
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

test('the drop-in entry point refuses a value that only looks like bytes', () => {
  const classes = [Uint8Array, Buffer, DataView, ArrayBuffer];
  for (const fake of [
    ...classes.map(({ prototype }) => Object.create(prototype)),
    ...[new Uint8Array(32), Buffer.alloc(32), new ArrayBuffer(32)].map(
      (each) => new Proxy(each, {}),
    ),
    { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 32 },
    { buffer: new ArrayBuffer(32), byteOffset: 0, byteLength: 32, length: 32 },
  ])
    for (const window of [[], [0, 4, Buffer.alloc(32), 0]])
      assert.throws(() => cryptoAsync.hash('sha256', fake, ...window), {
        message: cryptoAsync.E_SOURCE,
      });
});

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
  'resized to nothing': () => {
    const memory = new ArrayBuffer(50, { maxByteLength: 100 });
    memory.resize(0);
    return new Uint8Array(memory);
  },
};

for (const [name, make] of Object.entries(empties)) {
  test(`nothing: ${name}`, async () => {
    for (const entryPoint of [millrace, promises]) {
      const { cipher, hash, hmac, open, seal } = entryPoint;
      for (const algorithm of hashNames)
        assert.deepEqual(await hash(algorithm, make()), hashOf(algorithm, nothing));
      const hex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
      assert.equal(await hash('sha256', make(), 'hex'), hex);
      assert.equal(await hash('sha256', make(), { target: Buffer.alloc(32) }), 32);
      for (const algorithm of hmacNames) {
        assert.deepEqual(await hmac(algorithm, make(), make()), macOf(algorithm, nothing, nothing));
        assert.deepEqual(await hmac(algorithm, make(), source), macOf(algorithm, nothing, source));
        assert.deepEqual(await hmac(algorithm, key, make()), macOf(algorithm, key, nothing));
      }
      for (const algorithm of cipherNames) {
        const { key: keySize, iv: ivSize, aead } = ciphers[algorithm];
        const [key, iv] = [Buffer.alloc(keySize, 1), Buffer.alloc(ivSize, 2)];
        const writesNothing = (method, options) =>
          assertWritesNothing(entryPoint, method, [algorithm, options]);
        const options = () => ({ key, iv, source: make() });
        if (!aead) {
          assert.deepEqual(await cipher(algorithm, { ...options(), encrypt: true }), nothing);
          const empty = [make(), make(), make()];
          assert.deepEqual(await cipher(algorithm, true, key, iv, ...empty), nothing);
          const writing = { ...options(), encrypt: 1, target: make() };
          await writesNothing('cipher', writing);
          await writesNothing('cipher', { ...writing, aad: make(), tag: make() });
          continue;
        }
        const job = { kind: 'cipher', algorithm, encrypt: true, key, iv };
        const { tag } = oracle({ ...job, source: nothing, aad: nothing });
        const sealing = { key, nonce: iv, source: make(), aad: make() };
        assert.deepEqual(await seal(algorithm, sealing), tag);
        assert.deepEqual(await open(algorithm, { ...sealing, source: tag }), nothing);
        await writesNothing('open', { key, nonce: iv, source: tag, target: make() });
        const made = Buffer.alloc(16);
        assert.deepEqual(await cipher(algorithm, true, key, iv, make(), make(), made), nothing);
        assert.deepEqual(made, tag);
        const writing = { ...options(), encrypt: 0, target: make(), aad: make(), tag };
        await writesNothing('cipher', writing);
        const opening = { key, nonce: iv, source };
        await rejects(() => open(algorithm, { ...opening, source: make() }), 'ERR_SOURCE_SIZE');
        await rejects(() => seal(algorithm, { ...opening, key: make() }), 'ERR_KEY_SIZE');
        await rejects(() => seal(algorithm, { ...opening, nonce: make() }), 'ERR_IV_SIZE');
        const positional = [algorithm, true, key, iv, source, aad, make()];
        await rejects(() => cipher(...positional), 'ERR_TAG_SIZE');
      }
      await rejects(() => hash('sha256', source, { target: make() }), 'ERR_ARGUMENT_VALUE');
      await rejects(() => hash('blake3', source, { key: make() }), 'ERR_KEY_SIZE');
    }
    assert.throws(() => millrace.createKey('aes-256-gcm', make()), { code: 'ERR_KEY_SIZE' });
    const empty = millrace.createKey('hmac-sha1', make());
    const mac = macOf('sha1', nothing, source);
    assert.deepEqual(millrace.hmac('sha1', empty, source), mac);
    assert.deepEqual(millrace.createHmac('sha1', make()).update(source).digest(), mac);
  });
}

test('a window may end at the end of its memory', async () => {
  const memory = Buffer.alloc(100, 'the end');
  const rest = memory.subarray(100, 100);
  const last = memory.subarray(84, 100);
  for (const entryPoint of [millrace, promises]) {
    const into = { target: Buffer.alloc(20), targetOffset: 4 };
    assert.equal(await entryPoint.hash('md5', rest, into), 16);
    const options = { encrypt: 1, key: last, iv: last, source: rest };
    const beyond = { ...options, target: memory, targetOffset: 100 };
    assert.equal(await entryPoint.cipher('aes-128-ctr', beyond), 0);
  }
});

test('memory that is gone is not an empty message', async () => {
  for (const make of [
    () => detached(Buffer.from(new ArrayBuffer(40))),
    () => detached(new Float64Array(5)),
    () => {
      const memory = new ArrayBuffer(16, { maxByteLength: 16 });
      const view = new DataView(memory, 8, 8);
      memory.resize(4);
      return view;
    },
  ])
    for (const { hash, hashMany, hmac } of [millrace, promises])
      for (const call of [
        ...['hex', '0xhex', 'bigint'].map((encoding) => () => hash('sha256', make(), encoding)),
        () => hash('sha256', make(), { target: Buffer.alloc(32) }),
        () => hash('tuplehash128', [source, make()]),
        () => hmac('sha256', key, make(), 'hex'),
        () => hashMany('sha256', [source, make()]),
        () => hashMany('sha256', { data: make(), size: 4 }),
        () => millrace.createHash('kmac256', { key: make() }),
      ])
        await rejects(call, 'ERR_DETACHED');
});

const rejects = (call, code) => assert.rejects(async () => call(), { code });

/**
 * Checks that nothing is written. An asynchronous call may refuse a resizable target though it is
 * empty.
 */
async function assertWritesNothing(entryPoint, method, args) {
  const { target } = args[1];
  try {
    assert.equal(await entryPoint[method](...args), 0);
  } catch (error) {
    assert.equal(error.code, 'ERR_RESIZABLE', error.stack);
    assert.ok(entryPoint === promises && (target.buffer ?? target).resizable);
  }
}

function filled(view, bytes) {
  view.set(bytes);
  return view;
}

function shared(bytes, options) {
  return filled(new Uint8Array(new SharedArrayBuffer(bytes.length, options)), bytes).buffer;
}

function within(bytes, offset) {
  const memory = new ArrayBuffer(offset + bytes.length + 9);
  return filled(new Uint8Array(memory, offset, bytes.length), bytes);
}

function resizable(bytes) {
  const memory = new ArrayBuffer(bytes.length, { maxByteLength: 8192 });
  return filled(new Uint8Array(memory), bytes).buffer;
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
