// millrace/webcrypto beside the platform's WebCrypto: the same results and errors over a table of
// calls, with keys of either; algorithms that the platform may lack; keys and their secrets; and
// millrace/register-webcrypto in separate processes.

import assert from 'node:assert/strict';
import nodeCrypto from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';

import { argon2, hash, open, seal } from 'millrace';
import entry, { crypto, CryptoKey, getRandomValues, randomUUID, subtle } from 'millrace/webcrypto';

import { run } from '../support/child.mjs';
import { lateReads } from './subtle-calls.mjs';

const require = createRequire(import.meta.url);
const theirs = globalThis.crypto.subtle;
const native = process.env.MILLRACE_ENGINE !== 'portable';
const nativeOnly = !native && 'not on the portable engine';

const bytes = (size) => Buffer.from(Array.from({ length: size }, (_, index) => (index * 7) & 255));
const raw = bytes(32);
const message = bytes(100);
/** Longer than what runs at once. */
const long = bytes(2_000_000);
const iv = bytes(12);
const GCM = { name: 'AES-GCM', iv };
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const detach = (buffer) => void structuredClone(null, { transfer: [buffer] });
const hexOf = (value) => Buffer.from(value).toString('hex');

/** Resolves to what a call does: its result, or the error's class and name. It never throws. */
async function outcome(call, library) {
  const promise = call(library);
  assert.ok(promise instanceof Promise, String(call));
  try {
    const value = await promise;
    if (!(value instanceof ArrayBuffer)) return [typeof value, value];
    return ['ArrayBuffer', hexOf(value)];
  } catch (error) {
    return [Object.prototype.toString.call(error), error.name, error.code];
  }
}

async function same(call, what) {
  assert.deepEqual(await outcome(call, subtle), await outcome(call, theirs), what ?? String(call));
}

const importRaw = (library, algorithm, usages, key = raw) =>
  library.importKey('raw', key, algorithm, false, usages);

/** Returns one key of each library. */
const both = (...given) => Promise.all([subtle, theirs].map((each) => importRaw(each, ...given)));

describe('the same as the platform', () => {
  test('the exports are those of the platform', () => {
    assert.equal(crypto.subtle, subtle);
    assert.ok(crypto instanceof globalThis.crypto.constructor);
    assert.ok(subtle instanceof theirs.constructor);
    assert.equal(CryptoKey, globalThis.CryptoKey);
    assert.equal(getRandomValues(new Uint8Array(8)).length, 8);
    assert.match(randomUUID(), /^[\da-f-]{36}$/);
    assert.equal(require('millrace/webcrypto').subtle, subtle);
    assert.equal(entry.subtle, subtle);
    const prototype = Object.getPrototypeOf(theirs);
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (name === 'constructor') continue;
      assert.equal(subtle[name].name, prototype[name].name);
      assert.equal(subtle[name].length, prototype[name].length);
    }
  });

  test('digest gives what the platform does', async () => {
    const sources = [message, long, new Uint8Array(0), message.buffer, new DataView(raw.buffer)];
    for (const name of ['SHA-1', 'sha-256', { name: 'SHA-384' }, { name: 'Sha-512' }])
      for (const data of sources) await same((lib) => lib.digest(name, data), JSON.stringify(name));
  });

  test('results have separate ArrayBuffers', async () => {
    const [key] = await both('AES-GCM', ['encrypt', 'decrypt']);
    const sealed = await subtle.encrypt(GCM, key, message);
    assert.equal(sealed.byteLength, message.length + 16);
    assert.equal((await subtle.digest('SHA-256', message)).byteLength, 32);
    assert.equal((await subtle.decrypt(GCM, key, sealed)).byteLength, 100);
    // Also when the budget of the event loop's iteration is spent.
    const many = await Promise.all(
      Array.from({ length: 1000 }, () => subtle.encrypt(GCM, key, message)),
    );
    for (const each of many) assert.equal(hexOf(each), hexOf(sealed));
    assert.equal(new Set(many).size, 1000);
  });

  test('HMAC signs and verifies with keys of either library', async () => {
    for (const hashName of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'])
      for (const key of await both({ name: 'HMAC', hash: hashName }, ['sign', 'verify']))
        for (const data of [message, long]) {
          await same((lib) => lib.sign('HMAC', key, data));
          const code = await theirs.sign('HMAC', key, data);
          assert.equal(await subtle.verify('HMAC', key, code, data), true);
          assert.equal(await subtle.verify('HMAC', key, code.slice(1), data), false);
          new Uint8Array(code)[3] ^= 1;
          assert.equal(await subtle.verify('HMAC', key, code, data), false);
        }
  });

  test('AES-GCM and AES-CTR work with keys of either library', async () => {
    for (const size of [16, 24, 32]) {
      const counter = Buffer.alloc(16, 255);
      const algorithms = [
        GCM,
        { name: 'AES-GCM', iv: bytes(40), additionalData: message },
        ...[32, 64, 96, 104, 112, 120].map((tagLength) => ({ ...GCM, tagLength })),
        ...[1, 7, 32, 64, 127, 128].map((length) => ({ name: 'AES-CTR', counter, length })),
        { name: 'AES-CTR', counter: bytes(16), length: 20 },
      ];
      for (const algorithm of algorithms)
        for (const key of await both(algorithm.name, ['encrypt', 'decrypt'], bytes(size)))
          for (const data of [new Uint8Array(0), message, long]) {
            await same((lib) => lib.encrypt(algorithm, key, data), JSON.stringify(algorithm));
            const sealed = await theirs.encrypt(algorithm, key, data).catch(() => undefined);
            if (sealed === undefined) continue;
            await same((lib) => lib.decrypt(algorithm, key, sealed));
            if (algorithm.name !== 'AES-GCM') continue;
            new Uint8Array(sealed)[0] ^= 1;
            await same((lib) => lib.decrypt(algorithm, key, sealed));
          }
    }
  });

  test('HKDF and PBKDF2 derive what the platform does', async () => {
    for (const name of ['HKDF', 'PBKDF2'])
      for (const key of await both(name, ['deriveBits', 'deriveKey'])) {
        const algorithm = { name, hash: 'SHA-256', salt: iv, info: message, iterations: 1000 };
        // From 2 ** 32 on versions of the platform differ.
        for (const length of [256, 8, 2048, 8160, 8168, 0, 12, null, 2 ** 32, 2 ** 32 + 128])
          await same((lib) => lib.deriveBits(algorithm, key, length), `${name} ${length}`);
        await same((lib) => lib.deriveBits({ ...algorithm, hash: 'nope' }, key, 256));
        await same((lib) => lib.deriveBits({ ...algorithm, iterations: 0 }, key, 256));
        for (const type of [{ name: 'AES-GCM', length: 192 }, HMAC, { ...HMAC, length: 160 }])
          await same(async (lib) => {
            const derived = await lib.deriveKey(algorithm, key, type, true, usagesOf(type));
            return theirs.exportKey('jwk', derived);
          });
        for (const type of [{ name: 'AES-GCM', length: 5 }, HMAC])
          await same((lib) => lib.deriveKey(algorithm, key, type, true, []));
      }
  });

  test('wrapKey and unwrapKey give what the platform does', async () => {
    const secret = await importRaw(theirs, HMAC, ['sign']);
    const key = await theirs.generateKey({ name: 'AES-CTR', length: 256 }, true, ['encrypt']);
    const pair = await theirs.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);
    for (const algorithm of [{ name: 'AES-KW' }, GCM])
      for (const wrapping of await both(algorithm.name, ['wrapKey', 'unwrapKey'])) {
        await same((lib) => lib.wrapKey('raw', key, wrapping, algorithm));
        await same((lib) => lib.wrapKey('raw', secret, wrapping, algorithm));
        const wrapped = await theirs.wrapKey('raw', key, wrapping, algorithm);
        const unwrap = async (lib, format, given, type, ...usages) => {
          const rest = [wrapping, algorithm, type, true, usages];
          return lib.exportKey('jwk', await lib.unwrapKey(format, given, ...rest));
        };
        await same((lib) => unwrap(lib, 'raw', wrapped, 'AES-CTR', 'encrypt'));
        await same((lib) => unwrap(lib, 'raw', wrapped, 'AES-CTR'));
        await same((lib) => unwrap(lib, 'raw', wrapped.slice(8), 'AES-CTR', 'encrypt'));
        await same((lib) => unwrap(lib, 'jwk', wrapped, 'AES-CTR', 'encrypt'));
        const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' };
        if (algorithm.name === 'AES-GCM')
          await same(async (lib) => {
            const sealed = await lib.wrapKey('pkcs8', pair.privateKey, wrapping, algorithm);
            return unwrap(lib, 'pkcs8', sealed, ecdsa, 'sign');
          });
        await same(async (lib) => {
          const sealed = await lib.wrapKey('jwk', key, wrapping, algorithm);
          return unwrap(lib, 'jwk', sealed, 'AES-CTR', 'encrypt');
        });
      }
  });

  test("invalid and unusual calls have the platform's errors", async () => {
    const [key] = await both('AES-GCM', ['encrypt', 'decrypt']);
    const [mac] = await both(HMAC, ['sign']);
    const shared = new Uint8Array(new SharedArrayBuffer(4));
    const calls = [
      (lib) => lib.digest(),
      (lib) => lib.digest('SHA-256'),
      (lib) => lib.digest('nope', message),
      (lib) => lib.digest({}, message),
      (lib) => lib.digest(Symbol('s'), message),
      (lib) => lib.digest('SHA-256', 'text'),
      (lib) => lib.digest('SHA-256', shared),
      (lib) => lib.encrypt({ name: 'AES-GCM' }, key, message),
      (lib) => lib.encrypt({ name: 'AES-GCM', iv: 'text' }, key, message),
      ...[0, 1, 7, 8, 11, 129].flatMap((size) => [
        (lib) => lib.encrypt({ name: 'AES-GCM', iv: bytes(size) }, key, message),
        (lib) => lib.decrypt({ name: 'AES-GCM', iv: bytes(size) }, key, message),
      ]),
      (lib) => lib.encrypt({ ...GCM, tagLength: 5 }, key, message),
      (lib) => lib.encrypt({ ...GCM, tagLength: 2 ** 40 }, key, message),
      (lib) => lib.encrypt({ name: 'AES-CTR', counter: iv, length: 64 }, key, message),
      (lib) => lib.encrypt(GCM, mac, message),
      (lib) => lib.encrypt(GCM, {}, message),
      (lib) => lib.decrypt(GCM, key, message),
      (lib) => lib.sign('HMAC', key, message),
      (lib) => lib.sign('HMAC', Object.create(CryptoKey.prototype), message),
      (lib) => lib.verify('HMAC', mac, message, message),
      (lib) => lib.importKey('raw', bytes(5), 'AES-GCM', true, ['encrypt']),
      (lib) => lib.importKey('raw', raw, 'AES-GCM', true, []),
      (lib) => lib.importKey('raw', raw, 'AES-GCM', true, ['sign']),
      (lib) => lib.importKey('raw', raw, 'AES-GCM', true, ['nope']),
      (lib) => lib.importKey('raw', raw, 'HMAC', true, ['sign']),
      (lib) => lib.importKey('raw', raw, { ...HMAC, length: 8 }, true, ['sign']),
      (lib) => lib.importKey('raw', raw, 'HKDF', true, ['deriveBits']),
      (lib) => lib.importKey('jwk', { kty: 'oct', k: 'AA' }, 'AES-GCM', true, ['encrypt']),
      (lib) => lib.importKey('nope', raw, 'AES-GCM', true, ['encrypt']),
      (lib) => lib.generateKey({ name: 'AES-GCM', length: 7 }, true, ['encrypt']),
      (lib) => lib.generateKey({ name: 'AES-GCM', length: 128 }, true, []),
      (lib) => lib.generateKey({ name: 'AES-GCM', length: 128 }, true, ['sign']),
      (lib) => lib.generateKey({ ...HMAC, length: 0 }, true, ['sign']),
      (lib) => lib.exportKey('raw', key),
      (lib) => lib.exportKey('raw', {}),
      (lib) => lib.digest.call({}, 'SHA-256', message),
    ];
    for (const call of calls) await same(call);
  });

  test("keys from a JWK sign and export like the platform's", async () => {
    const original = await theirs.importKey('raw', raw, HMAC, true, ['sign']);
    const jwk = await theirs.exportKey('jwk', original);
    for (const extractable of [true, false]) {
      const key = await subtle.importKey('jwk', jwk, HMAC, extractable, ['sign']);
      await same((lib) => lib.sign('HMAC', key, message));
      await same((lib) => lib.exportKey('jwk', key));
    }
  });
});

const usagesOf = ({ name }) => (name === 'HMAC' ? ['sign'] : ['encrypt']);

describe('values', () => {
  test('members are read once, in the order of the standard', async () => {
    const [key] = await both('AES-GCM', ['encrypt']);
    const reads = [];
    const values = { tagLength: 128, iv, additionalData: message };
    const algorithm = { name: 'AES-GCM' };
    for (const name of Object.keys(values))
      Object.defineProperty(algorithm, name, { get: () => (reads.push(name), values[name]) });
    const sealed = await subtle.encrypt(algorithm, key, message);
    assert.deepEqual(reads, ['additionalData', 'iv', 'tagLength']);
    await same(() => Promise.resolve(sealed));
    const expected = await theirs.encrypt({ name: 'AES-GCM', ...values }, key, message);
    assert.equal(hexOf(sealed), hexOf(expected));
    // Values that the platform decides on are read once too.
    reads.length = 0;
    values.tagLength = 32;
    await subtle.encrypt(algorithm, key, message);
    assert.deepEqual(reads, ['additionalData', 'iv', 'tagLength']);
  });

  const late = 'arguments may change as soon as a call has returned: ';
  test(`${late}${native ? 'the native engine' : 'the portable engine'}`, async () => {
    assert.deepEqual(await lateReads(subtle), []);
  });

  test(`${late}the portable engine, in a process`, { skip: nativeOnly }, async () => {
    const calls = JSON.stringify(new URL('subtle-calls.mjs', import.meta.url));
    const { stdout, stderr } = await run(
      `import { lateReads } from ${calls};
       import { createRequire } from 'node:module';
       const { subtle } = createRequire(${calls})('millrace/webcrypto');
       console.log(await lateReads(subtle));`,
      { bare: true, esm: true, env: { MILLRACE_ENGINE: 'portable' } },
    );
    assert.equal(stdout, '[]\n', stderr);
  });

  test('objects that change while they are read give what the platform does', async () => {
    const own = (algorithm, usages) => theirs.importKey('raw', raw, algorithm, true, usages);
    const form = async (lib, key) => [
      key.usages.join(),
      hexOf(await lib.exportKey('raw', key)),
      await lib.encrypt(GCM, key, message).then(hexOf, ({ name }) => name),
    ];
    const text = (byte) => Buffer.alloc(32, byte).toString('base64url');
    const calls = {
      'a JWK with another descriptor': async (lib) => {
        const getOwnPropertyDescriptor = (target, name) => ({
          ...Reflect.getOwnPropertyDescriptor(target, name),
          ...(name === 'k' && { value: text(2) }),
        });
        const jwk = new Proxy({ kty: 'oct', k: text(1) }, { getOwnPropertyDescriptor });
        return form(lib, await lib.importKey('jwk', jwk, 'AES-GCM', true, ['encrypt']));
      },
      'a JWK with a getter': async (lib) => {
        let reads = 0;
        const jwk = { kty: 'oct', get k() { return text(++reads); } }; // prettier-ignore
        return form(lib, await lib.importKey('jwk', jwk, 'AES-GCM', true, ['encrypt']));
      },
      'usages that differ when they are read again': async (lib) => {
        let reads = 0;
        const usages = new Proxy(['encrypt'], {
          get: (target, name, receiver) =>
            name === '0' && reads++ > 0 ? 'decrypt' : Reflect.get(target, name, receiver),
        });
        return form(lib, await lib.importKey('raw', raw, 'AES-GCM', true, usages));
      },
      'a usage that is pushed to the array of a key': async (lib) => {
        const key = await own('AES-GCM', ['encrypt']);
        key.usages.push('decrypt');
        const sealed = await theirs.encrypt(GCM, key, message);
        return lib.decrypt(GCM, key, sealed);
      },
      'an algorithm that is assigned': async (lib) => {
        const key = await own('AES-CTR', ['encrypt']);
        key.algorithm.name = 'AES-GCM';
        return lib.encrypt(GCM, key, message);
      },
      'a Proxy of a key': async (lib) => {
        const key = new Proxy(await own('AES-GCM', ['encrypt']), {});
        return lib.encrypt(GCM, key, message);
      },
    };
    for (const name of ['additionalData', 'iv', 'data'])
      for (const change of [(buffer) => new Uint8Array(buffer).fill(9), detach])
        calls[`a tagLength that runs ${change} on ${name}`] = async (lib) => {
          const values = { additionalData: bytes(9), iv: bytes(12), data: bytes(20) };
          const { data, ...given } = { ...values, [name]: Uint8Array.from(values[name]) };
          const tagLength = { valueOf: () => (change((given[name] ?? data).buffer), 128) };
          const key = await importRaw(lib, 'AES-GCM', ['encrypt']);
          return lib.encrypt({ name: 'AES-GCM', ...given, tagLength }, key, data);
        };
    for (const [name, call] of Object.entries(calls)) await same(call, name);
  });

  test('detached memory gives what it does in the platform', async () => {
    const gone = () => {
      const data = new Uint8Array(64);
      detach(data.buffer);
      return data;
    };
    await same((lib) => lib.digest('SHA-256', gone()));
    await same((lib) => lib.digest('SHA-256', gone().buffer));
    const [key] = await both('AES-GCM', ['encrypt']);
    const [hkdf] = await both('HKDF', ['deriveBits']);
    const [pbkdf2] = await both('PBKDF2', ['deriveBits']);
    const derivation = { hash: 'SHA-256', iterations: 1, info: iv, salt: iv };
    for (const name of ['additionalData', 'iv'])
      for (const value of [gone(), gone().buffer])
        await same((lib) => lib.encrypt({ ...GCM, [name]: value }, key, message));
    for (const [name, key, member] of [
      ['HKDF', hkdf, 'info'],
      ['HKDF', hkdf, 'salt'],
      ['PBKDF2', pbkdf2, 'salt'],
    ])
      await same((lib) => lib.deriveBits({ name, ...derivation, [member]: gone() }, key, 256));
    if (typeof theirs.constructor.supports === 'function') return;
    // Millrace's own errors.
    const name = 'ChaCha20-Poly1305';
    const chacha = await subtle.importKey('raw-secret', raw, name, true, ['encrypt']);
    const algorithm = { name, iv, additionalData: gone() };
    await assert.rejects(subtle.encrypt(algorithm, chacha, message), TypeError);
  });

  test('a loop of short calls returns to the event loop', async () => {
    let turned = false;
    setImmediate(() => (turned = true));
    for (let call = 0; call < 10_000 && !turned; call++) await subtle.digest('SHA-256', message);
    assert.ok(turned);
  });
});

describe('keys', () => {
  test('they are CryptoKeys of the platform', async () => {
    for (const extractable of [true, false]) {
      const algorithm = { name: 'AES-GCM', length: 256 };
      const key = await subtle.generateKey(algorithm, extractable, ['encrypt']);
      assert.ok(key instanceof globalThis.CryptoKey);
      assert.equal(key.extractable, extractable);
      assert.deepEqual(key.algorithm, algorithm);
      await same((lib) => lib.encrypt(GCM, key, message));
      const clone = structuredClone(key);
      assert.ok(clone instanceof globalThis.CryptoKey);
      const expected = hexOf(await theirs.encrypt(GCM, key, message));
      assert.equal(hexOf(await subtle.encrypt(GCM, clone, message)), expected);
      const exported = hexOf(nodeCrypto.KeyObject.from(key).export());
      if (extractable) assert.equal(hexOf(await subtle.exportKey('raw', key)), exported);
      // The name is InvalidAccessException in Node.js 20.
      else await assert.rejects(subtle.exportKey('raw', key), { name: /^InvalidAccess/ });
    }
  });

  // Node.js 20 itself asks properties that the caller can assign.
  test('usages and algorithms that were assigned give nothing', { skip: nativeOnly }, async () => {
    const key = await subtle.importKey('raw', raw, HMAC, false, ['verify']);
    key.usages.push('sign');
    Object.defineProperty(key, 'usages', { value: ['sign'] });
    Object.defineProperty(key, 'extractable', { value: true });
    await assert.rejects(subtle.exportKey('raw', key), { name: 'InvalidAccessError' });
    const other = await subtle.importKey('raw', bytes(16), 'AES-GCM', false, ['encrypt']);
    const descriptors = Object.getOwnPropertyDescriptors({ ...other });
    const forged = Object.create(CryptoKey.prototype, descriptors);
    await same((lib) => lib.sign('HMAC', forged, message));
  });

  test('generated keys differ', async () => {
    const lengths = { 'SHA-1': 64, 'SHA-256': 64, 'SHA-384': 128, 'SHA-512': 128 };
    for (const [name, size] of Object.entries(lengths)) {
      const make = () => subtle.generateKey({ name: 'HMAC', hash: name }, true, ['sign']);
      const one = await subtle.exportKey('raw', await make());
      const two = await subtle.exportKey('raw', await make());
      assert.equal(one.byteLength, size);
      assert.notEqual(hexOf(one), hexOf(two));
    }
  });
});

// Algorithms that Node.js has from version 24 on, or in no version.

describe('modern algorithms', () => {
  const text = Buffer.from('abc');

  test('new digests give what millrace.hash does', async () => {
    const customization = Buffer.from('a customization');
    const functionName = Buffer.from('a name');
    const check = async (algorithm, data, name, options) =>
      assert.equal(
        hexOf(await subtle.digest(algorithm, data)),
        hash(name, data, { ...options, encoding: 'hex' }),
        JSON.stringify(algorithm),
      );
    for (const data of [text, long]) {
      await check('SHA3-256', data, 'sha3-256');
      await check('sha3-384', data, 'sha3-384');
      await check('SHA3-512', data, 'sha3-512');
      for (const [theirName, name, outputLength, given, options] of [
        ['cSHAKE128', 'shake128', 32],
        ['TurboSHAKE256', 'turboshake256', 10, { domainSeparation: 7 }, { domain: 7 }],
        ['TurboSHAKE128', 'turboshake128', 64],
        ['KT128', 'kt128', 32, { customization }, { customization }],
        ['KT256', 'kt256', 64],
      ]) {
        const algorithm = { name: theirName, outputLength: 8 * outputLength, ...given };
        await check(algorithm, data, name, { outputLength, ...options });
      }
    }
    const names = { customization, functionName };
    const named = { name: 'cSHAKE256', outputLength: 512, ...names };
    if (native) await check(named, text, 'cshake256', { outputLength: 64, ...names });
    for (const algorithm of [
      { name: 'TurboSHAKE128', outputLength: 256, domainSeparation: 128 },
      { name: 'KT128', outputLength: 4 },
    ])
      await assert.rejects(subtle.digest(algorithm, text), { name: 'OperationError' });
    await assert.rejects(subtle.digest('KT128', text), TypeError);
  });

  test('KMAC signs as millrace.hash does', async () => {
    for (const name of ['KMAC128', 'KMAC256']) {
      const key = await subtle.importKey('raw-secret', raw, name, true, ['sign', 'verify']);
      assert.ok(key instanceof CryptoKey);
      assert.deepEqual(
        [key.type, key.extractable, key.algorithm, key.usages],
        ['secret', true, { name, length: 256 }, ['sign', 'verify']],
      );
      assert.equal(hexOf(await subtle.exportKey('raw-secret', key)), hexOf(raw));
      const customization = text;
      const algorithm = { name, outputLength: 256, customization };
      const code = await subtle.sign(algorithm, key, text);
      const options = { key: raw, outputLength: 32, customization };
      assert.equal(hexOf(code), hash(name.toLowerCase(), text, { ...options, encoding: 'hex' }));
      assert.equal(await subtle.verify(algorithm, key, code, text), true);
      const short = { ...algorithm, outputLength: 128 };
      assert.equal(await subtle.verify(short, key, code, text), false);
      assert.equal(await subtle.verify(algorithm, key, code, raw), false);
      const refused = { name: 'InvalidAccessError' };
      await assert.rejects(subtle.sign('HMAC', key, text), refused);
      await assert.rejects(subtle.sign(algorithm, {}, text), TypeError);
      const jwk = await subtle.exportKey('jwk', key);
      assert.equal(jwk.alg, `K${name.slice(4)}`);
      const again = await subtle.importKey('jwk', jwk, name, false, ['sign']);
      assert.equal(hexOf(await subtle.sign(algorithm, again, text)), hexOf(code));
      await assert.rejects(subtle.exportKey('jwk', again), refused);
      await assert.rejects(subtle.verify(algorithm, again, code, text), refused);
    }
    const made = await subtle.generateKey('KMAC256', true, ['sign']);
    assert.equal((await subtle.exportKey('raw-secret', made)).byteLength, 32);
    for (const [usages, name] of [
      [[], 'SyntaxError'],
      [['encrypt'], 'SyntaxError'],
      [['nope'], 'TypeError'],
    ])
      await assert.rejects(subtle.generateKey('KMAC128', true, usages), { name });
  });

  test('ChaCha20-Poly1305 encrypts as millrace.seal does', async () => {
    const name = 'ChaCha20-Poly1305';
    const usages = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
    const key = await subtle.importKey('raw-secret', raw, name, false, usages);
    const algorithm = { name, iv, additionalData: text };
    const sealed = await subtle.encrypt(algorithm, key, message);
    const options = { key: raw, nonce: iv, aad: text };
    assert.equal(hexOf(sealed), hexOf(seal(name.toLowerCase(), { ...options, source: message })));
    assert.deepEqual(
      Buffer.from(await subtle.decrypt(algorithm, key, sealed)),
      open(name.toLowerCase(), { ...options, source: new Uint8Array(sealed) }),
    );
    await assert.rejects(subtle.decrypt({ name, iv }, key, sealed), { name: 'OperationError' });
    await assert.rejects(subtle.encrypt({ name, iv: raw }, key, text), { name: 'OperationError' });
    const aes = await theirs.importKey('raw', raw, 'AES-CTR', true, ['encrypt']);
    const wrapped = await subtle.wrapKey('raw', aes, key, algorithm);
    const type = ['AES-CTR', true, ['encrypt']];
    const opened = await subtle.unwrapKey('raw', wrapped, key, algorithm, ...type);
    assert.equal(hexOf(await subtle.exportKey('raw', opened)), hexOf(raw));
  });

  test('Argon2 derives what millrace.argon2 does', async (t) => {
    const nonce = bytes(16);
    const cost = { memory: 64, passes: 2, parallelism: 1 };
    for (const name of ['Argon2d', 'Argon2i', 'Argon2id']) {
      const key = await subtle
        .importKey('raw-secret', text, name, false, ['deriveBits', 'deriveKey'])
        .catch((error) => error);
      if (key.name === 'NotSupportedError') {
        t.skip('the OpenSSL of this Node.js lacks Argon2');
        return;
      }
      const expected = argon2(name.toLowerCase(), { message: text, nonce, ...cost });
      const algorithm = { name, nonce, ...cost };
      assert.equal(hexOf(await subtle.deriveBits(algorithm, key, 256)), hexOf(expected));
      const type = { name: 'AES-GCM', length: 256 };
      const derived = await subtle.deriveKey(algorithm, key, type, true, ['encrypt']);
      assert.equal(hexOf(await subtle.exportKey('raw', derived)), hexOf(expected));
      await assert.rejects(subtle.deriveBits(algorithm, key, 2 ** 32 + 128), TypeError);
      const short = { ...algorithm, nonce: iv.subarray(5) };
      await assert.rejects(subtle.deriveBits(short, key, 256), { name: 'OperationError' });
    }
  });

  test('their keys are wrapped by algorithms of the platform', async () => {
    const key = await subtle.importKey('raw-secret', raw, 'KMAC128', true, ['sign']);
    const usages = ['wrapKey', 'unwrapKey'];
    for (const algorithm of [{ name: 'AES-CBC', iv: bytes(16) }, { name: 'AES-KW' }]) {
      const wrapping = await subtle.generateKey({ ...algorithm, length: 256 }, true, usages);
      for (const format of ['raw-secret', 'jwk']) {
        const wrapped = await subtle.wrapKey(format, key, wrapping, algorithm);
        const given = [format, wrapped, wrapping, algorithm, 'KMAC128', true, ['sign']];
        const opened = await subtle.unwrapKey(...given);
        assert.equal(hexOf(await subtle.exportKey('raw-secret', opened)), hexOf(raw));
      }
    }
  });
});

describe('millrace/register-webcrypto', () => {
  const registers = {
    '--require': require.resolve('millrace/register-webcrypto'),
    '--import': import.meta.resolve('millrace/register-webcrypto'),
  };
  const env = { MILLRACE_REGISTER_LOG: '1' };
  const server = native ? 'Millrace' : 'Node.js';
  const served = (count, call) => new RegExp(`^ +${count} {2}${server} +${call}$`, 'gm');

  for (const [flag, file] of Object.entries(registers))
    test(`${flag}: globalThis.crypto and node:crypto`, async () => {
      const { code, stdout, stderr } = await run(
        `import { webcrypto, subtle } from 'node:crypto';
         const before = crypto.subtle;
         const hex = async (promise) => Buffer.from(await promise).toString('hex').slice(0, 8);
         for (const each of [crypto.subtle, webcrypto.subtle, subtle])
           console.log(await hex(each.digest('SHA-256', Buffer.from('abc'))));
         const key = await crypto.subtle.generateKey({ name: 'AES-CBC', length: 128 }, true, ['encrypt']);
         console.log(crypto === webcrypto, key instanceof CryptoKey);`,
        { bare: true, esm: true, flags: [flag, file], env },
      );
      assert.equal(code, 0, stderr);
      assert.equal(stdout, 'ba7816bf\nba7816bf\nba7816bf\ntrue true\n');
      assert.match(stderr, served(3, 'subtle\\.digest sha-256'));
      assert.match(stderr, /^ +1 {2}Node\.js +subtle\.generateKey aes-cbc$/m);
    });

  test('beside millrace/register, in workers too', async () => {
    const files = [require.resolve('millrace/register'), registers['--require']];
    const flags = files.flatMap((file) => ['--require', file]);
    const { code, stdout, stderr } = await run(
      `const { Worker, isMainThread } = require('node:worker_threads');
       const { createHash } = require('node:crypto');
       if (isMainThread) new Worker(__filename);
       createHash('sha256').update('abc').digest();
       crypto.subtle.digest('SHA-1', Buffer.from('abc')).then((made) => console.log(made.byteLength));`,
      { bare: true, flags, env },
    );
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '20\n20\n');
    for (const call of ['subtle\\.digest sha-1', 'createHash sha256'])
      assert.equal(stderr.match(served(1, call)).length, 2, call);
    assert.equal(stderr.match(/millrace\/register: calls/g).length, 2);
    assert.match(stderr, /worker \d/);
  });

  test('the first call loads Millrace; a method replaced before stays', async () => {
    const { code, stdout, stderr } = await run(
      `const loaded = () => Object.keys(require.cache).some((file) => file.endsWith('core.js'));
       const prototype = Object.getPrototypeOf(crypto.subtle);
       const { digest } = prototype;
       let calls = 0;
       prototype.digest = function (...given) {
         calls++;
         return digest.apply(this, given);
       };
       const hex = async (promise) => Buffer.from(await promise).toString('hex').slice(0, 8);
       (async () => {
         console.log(loaded(), prototype.encrypt.name, prototype.encrypt.length);
         const { subtle } = require(${JSON.stringify(require.resolve('millrace/webcrypto'))});
         const cbc = { name: 'AES-CBC', length: 128 };
         for (const each of [subtle, crypto.subtle])
           console.log((await each.generateKey(cbc, true, ['encrypt'])).type);
         for (let index = 0; index < 2; index++)
           console.log(await hex(crypto.subtle.digest('SHA-256', Buffer.from('abc'))), calls);
         console.log(await digest.call({}, 'SHA-256', new Uint8Array(1)).catch(({ name }) => name));
       })();`,
      { bare: true, flags: ['--require', registers['--require']] },
    );
    assert.equal(code, 0, stderr);
    const printed = [
      'false encrypt 3',
      'secret',
      'secret',
      'ba7816bf 1',
      'ba7816bf 2',
      'TypeError',
    ];
    assert.deepEqual(stdout.trim().split('\n'), printed);
  });

  test("jose works on Millrace's keys", async () => {
    const jose = import.meta.resolve('jose');
    const { code, stdout, stderr } = await run(
      `import * as jose from ${JSON.stringify(jose)};
       const secret = new Uint8Array(32).fill(7);
       const jwt = await new jose.SignJWT({ a: 1 }).setProtectedHeader({ alg: 'HS256' }).sign(secret);
       console.log((await jose.jwtVerify(jwt, secret)).payload.a);
       for (const alg of ['dir', 'A256KW', 'A256GCMKW', 'PBES2-HS256+A128KW']) {
         const options = { alg, enc: 'A256GCM' };
         const jwe = await new jose.CompactEncrypt(secret).setProtectedHeader(options).encrypt(secret);
         const { plaintext } = await jose.compactDecrypt(jwe, secret, {
           keyManagementAlgorithms: [alg],
         });
         console.log(alg, plaintext[0]);
       }
       const other = new Uint8Array(32);
       console.log(await jose.jwtVerify(jwt, other).catch(({ code }) => code));
       const { privateKey, publicKey } = await jose.generateKeyPair('ES256');
       const signed = await new jose.SignJWT({}).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
       await jose.jwtVerify(signed, publicKey);`,
      { bare: true, esm: true, flags: ['--import', registers['--import']], env },
    );
    assert.equal(code, 0, stderr);
    const opened = ['dir 7', 'A256KW 7', 'A256GCMKW 7', 'PBES2-HS256+A128KW 7'];
    const printed = ['1', ...opened, 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'];
    assert.deepEqual(stdout.trim().split('\n'), printed);
    for (const call of ['sign hmac', 'verify hmac', 'encrypt aes-gcm', 'wrapKey aes-kw'])
      assert.match(stderr, new RegExp(`${server} +subtle\\.${call}$`, 'm'));
  });
});
