// Every allocation in JavaScript with a size that depends on the arguments can fail: each in each
// asynchronous export. The call then gives ERR_OUT_OF_MEMORY or the right result, and the next call
// works.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { after, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { nativeOnly, templates } from '../support/calls.mjs';

/** Smaller allocations do not fail: V8 ends the process first. */
const LARGE = 30_000;
/** More than a block of the streams, and than what is computed during the call. */
const SIZE = 777_777;

const original = { ArrayBuffer, Uint8Array, Float64Array };
const { allocUnsafe, allocUnsafeSlow, alloc, from, concat } = Buffer;
/** The allocations since {@link failAt}, and the one that fails. */
let [count, failing] = [0, 0];

function check(size) {
  if (size >= LARGE && ++count === failing) throw new RangeError('Array buffer allocation failed');
}

function sizeOf(value) {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.length;
  return value instanceof ArrayBuffer || value instanceof SharedArrayBuffer ? 0 : value?.length;
}

/** Makes the n-th large allocation fail. */
function failAt(number) {
  [count, failing] = [0, number];
  for (const [name, type] of Object.entries(original)) {
    globalThis[name] = new Proxy(type, {
      construct(target, given, newTarget) {
        check((target.BYTES_PER_ELEMENT ?? 1) * (sizeOf(given[0]) ?? 0));
        return Reflect.construct(target, given, newTarget === globalThis[name] ? type : newTarget);
      },
    });
  }
  const checked = (call) =>
    function (value, ...others) {
      check(sizeOf(value) ?? 0);
      return call.call(this, value, ...others);
    };
  Buffer.allocUnsafe = checked(allocUnsafe);
  Buffer.allocUnsafeSlow = checked(allocUnsafeSlow);
  Buffer.alloc = checked(alloc);
  Buffer.from = checked(from);
  Buffer.concat = (list, ...others) => {
    check(list.reduce((sum, { length }) => sum + length, 0));
    return concat.call(Buffer, list, ...others);
  };
}

/** Returns true if the allocation of {@link failAt} was made. */
function restore() {
  Object.assign(globalThis, original);
  Object.assign(Buffer, { allocUnsafe, allocUnsafeSlow, alloc, from, concat });
  return count >= failing;
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-memory-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'file');

const bytes = allocUnsafeSlow(SIZE).fill(7);
writeFileSync(file, bytes);
/** A native call takes all paths in one allocation; the portable engine many for each file. */
const isPortable = process.env.MILLRACE_ENGINE === 'portable';
const files = Array(isPortable ? 4 : 800).fill(file.padStart(60, '/'));
const text = 'a'.repeat(SIZE);
const [key, nonce, salt] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2), Buffer.alloc(16, 3)];
const sealing = { algorithm: 'aes-256-gcm', key };
const light = { memory: 8, passes: 1, parallelism: 1 };
const long = Array.from({ length: 40 }, () => bytes.subarray(0, 40_000));
const short = Array.from({ length: 5000 }, (_, index) => `message ${index}`);
const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: bytes });
const asymmetric = { key, format: 'raw', algorithm: 'ed25519' };
const agreeing = millrace.generateKeyPair('x25519').privateKey;
const wrapped = millrace.wrapKey('aes-256-kw', { key, source: bytes.subarray(0, 1000) });
const stored = millrace.hashPassword('password', light);
const [bytesPart, bytesLeaves] = ['blake3', 'kt128'].map((algorithm) =>
  millrace.hashPart(algorithm, bytes, { size: SIZE }),
);
const bytesRange = (await promises.planSealing([bytesPart], sealing)).ranges[0];
const withKey = await promises.sealWithKey(key, bytes);
const withPassphrase = await promises.sealWithPassphrase('passphrase', bytes, { N: 1024 });
const streamed = await all(Readable.from([bytes]).pipe(promises.sealStream(sealing)));

async function all(stream) {
  const chunks = [];
  // A Readable's iterator joins chunks; its events do not.
  if (stream instanceof Readable) {
    stream.on('data', (chunk) => chunks.push(chunk));
    await finished(stream, { writable: false });
  } else {
    for await (const chunk of stream) chunks.push(chunk);
  }
  return joined(chunks);
}

/** Joins bytes in memory that does not fail. */
function joined(chunks) {
  const whole = new original.Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return from.call(Buffer, whole.buffer);
}

/** Returns the output of a Node.js stream for the input, in chunks of any size. */
async function through(stream, input, end = (output) => output) {
  stream.on('error', () => {});
  for (let at = 0; at < input.length; at += 100_000) stream.write(input.subarray(at, at + 100_000));
  stream.end();
  return end(await all(stream));
}

/** Returns the output of a web stream. */
async function throughWeb({ readable, writable }, input, end) {
  const source = new ReadableStream({
    start(controller) {
      controller.enqueue(input);
      controller.close();
    },
  });
  source.pipeTo(writable).catch(() => {});
  return end(await all(readable));
}

const target = (size) => allocUnsafeSlow(size).fill(0);
/** Returns the digest of a target and the result that was written there. */
async function into(size, call) {
  const place = target(size);
  await call(place);
  return place;
}
async function* pieces() {
  yield bytes;
  yield text;
}

const opensAs = (open, expected) => async (output) =>
  assert.deepEqual(await open(output), expected);
const openAll = (output) => millrace.open('aes-256-gcm', { key, source: output });
const openKey = opensAs((output) => promises.openWithKey(key, output), bytes);
const openPassphrase = opensAs(
  (output) => promises.openWithPassphrase('passphrase', output),
  bytes,
);
const openStreamed = opensAs(
  (output) => all(Readable.from([output]).pipe(promises.openStream(sealing))),
  bytes,
);
const isBytes = (output) => assert.deepEqual(output, bytes);

/** Not asynchronous. */
const others = new RegExp(
  '^(configure|engines|get\\w+|create\\w*Key|needsRehash|timingSafeEqual|randomBytes|generateKey|' +
    '(combine|multipart)Checksums?|hashTransformStream|[A-Z]\\w+)$',
);

/**
 * The calls of each export: those of test/support/calls.mjs, or larger ones. Where the results of
 * two calls differ, the call ends with a check and returns nothing.
 */
const cases = {
  ...Object.fromEntries(
    templates(millrace)
      .filter(({ name }) => name in promises && !others.test(name))
      .map(({ name, args }) => [name, [() => promises[name](...args())]]),
  ),
  hash: [
    () => promises.hash('sha256', bytes),
    () => promises.hash('sha256', text, 'hex'),
    () => promises.hash('blake3', bytes, { outputLength: SIZE }),
    () => promises.hash('shake256', bytes, { outputLength: SIZE, encoding: 'hex' }),
    () => promises.hash('tuplehash128', [bytes, text]),
    () => promises.hash('kmac256', bytes, { key }),
    () => promises.hash('sha256', pieces()),
    () => promises.hash('sha256', new Blob([bytes])),
    () => into(32, (place) => promises.hash('sha256', bytes, { target: place })),
  ],
  hmac: [
    () => promises.hmac('sha256', bytes, bytes),
    () => promises.hmac('sha256', text, text),
    () => promises.hmac('sha256', text, pieces()),
  ],
  verifyHmac: [
    () => promises.verifyHmac('sha256', { key: bytes, source: bytes, mac: Buffer.alloc(32) }),
  ],
  verifyMac: [
    () => promises.verifyMac('hmac-sha256', { key: bytes, source: bytes, mac: Buffer.alloc(32) }),
    () => promises.verifyMac('kmac256', { key: bytes, source: bytes, mac: Buffer.alloc(64) }),
  ],
  hashMany: [
    () => promises.hashMany('sha256', long),
    () => promises.hashMany('sha256', short, 'hex'),
    () => promises.hashMany('sha256', { data: bytes.subarray(0, 100_000), size: 1000 }),
    () => promises.hashMany('sha256', long.values()),
    () => promises.hashMany('tuplehash128', [[bytes, text]]),
    () => into(32 * 40, (place) => promises.hashMany('sha256', long, { target: place })),
  ],
  hmacMany: [
    () => promises.hmacMany('sha256', bytes, long),
    () => promises.hmacMany('sha256', text, short.values()),
  ],
  hashFile: [() => promises.hashFile('sha256', file)],
  hashFiles: [() => promises.hashFiles('sha256', files)],
  seal: [
    () => promises.seal('aes-256-gcm', { key, nonce, source: bytes }),
    () => promises.seal('aes-256-gcm', { key, nonce, source: text, aad: text }),
    () => promises.seal('aes-256-gcm', { key, source: bytes }).then(openAll).then(isBytes),
    () =>
      into(SIZE + 16, (place) =>
        promises.seal('aes-256-gcm', { key, nonce, source: bytes, target: place }),
      ),
  ],
  open: [
    () => promises.open('aes-256-gcm', { key, nonce, source: sealed }),
    () =>
      into(SIZE, (place) =>
        promises.open('aes-256-gcm', { key, nonce, source: sealed, target: place }),
      ),
  ],
  cipher: [() => promises.cipher('aes-256-ctr', { encrypt: true, key, iv: salt, source: bytes })],
  sign: [
    () => promises.sign(null, bytes, asymmetric),
    () => promises.sign(null, text, asymmetric, { encoding: 'hex' }),
  ],
  encapsulate: [
    async () => {
      const key = { key: bytes.subarray(0, 64), format: 'seed', algorithm: 'ml-kem-1024' };
      const { sharedKey, ciphertext } = await promises.encapsulate(key);
      assert.deepEqual(await promises.decapsulate(key, ciphertext), sharedKey);
    },
  ],
  hpkeSeal: [
    async () => {
      const options = { info: text, aad: bytes };
      const { encapsulatedKey, ciphertext } = await promises.hpkeSeal(agreeing, text, options);
      return promises.hpkeOpen(agreeing, encapsulatedKey, ciphertext, options);
    },
  ],
  createHpkeSender: [
    async () => {
      const sender = await promises.createHpkeSender(agreeing, { info: bytes });
      const { encapsulatedKey } = sender;
      const options = { info: bytes };
      const recipient = await promises.createHpkeRecipient(agreeing, encapsulatedKey, options);
      const sealed = [sender.seal(text, bytes), await sender.sealAsync(bytes, text)];
      await Promise.all([
        recipient.openAsync(sealed[0], bytes),
        recipient.openAsync(sealed[1], text),
      ]);
      assert.deepEqual(recipient.export(text, 8000), sender.export(text, 8000));
    },
  ],
  generateKeyPair: [
    () => promises.generateKeyPair('ml-dsa-87').then(({ privateKey }) => privateKey.size),
  ],
  wrapKey: [() => promises.wrapKey('aes-256-kwp', { key, source: bytes.subarray(0, 60_000) })],
  unwrapKey: [() => promises.unwrapKey('aes-256-kw', { key, source: wrapped })],
  scrypt: [() => promises.scrypt(bytes, salt, SIZE, { N: 16 })],
  pbkdf2: [() => promises.pbkdf2(text, bytes, 1, 100_000, 'sha256')],
  hkdf: [() => promises.hkdf('sha256', bytes, text, 'info', 8000)],
  argon2: [
    () => promises.argon2('argon2id', { message: bytes, nonce: salt, tagLength: SIZE, ...light }),
  ],
  hashPassword: [() => promises.hashPassword(text, light).then((hash) => hash.length > 50)],
  verifyPassword: [() => promises.verifyPassword(text, stored)],
  sealWithKey: [() => promises.sealWithKey(key, bytes).then(openKey)],
  openWithKey: [() => promises.openWithKey(key, withKey)],
  sealWithPassphrase: [
    () => promises.sealWithPassphrase('passphrase', bytes, { N: 1024 }).then(openPassphrase),
  ],
  openWithPassphrase: [() => promises.openWithPassphrase('passphrase', withPassphrase)],
  openRange: [
    () => {
      const options = { ...sealing, end: bytes.length };
      return promises.openRange((start, end) => streamed.subarray(start, end), options);
    },
  ],
  hashPart: [
    () => promises.hashPart('blake3', bytes, { size: SIZE }),
    () => promises.hashPart('kt128', bytes, { size: SIZE }),
  ],
  joinParts: [
    () => promises.joinParts('blake3', [bytesPart]),
    () => promises.joinParts('kt128', [bytesLeaves], { outputLength: SIZE }),
  ],
  planSealing: [() => promises.planSealing([bytesPart], sealing).then(({ ranges }) => ranges)],
  sealRange: [() => promises.sealRange(bytesRange, bytes, sealing)],
  hashFilesIterator: [
    async () => {
      const digests = [];
      for await (const { index, digest } of promises.hashFilesIterator('sha256', files))
        digests[index] = digest;
      return digests;
    },
  ],
  ...Object.fromEntries(
    [
      ['', [sealing], streamed, openStreamed],
      ['WithKey', [key], withKey, openKey],
      ['WithPassphrase', ['passphrase', { N: 1024 }], withPassphrase, openPassphrase],
    ].flatMap(([by, given, sealed, opensRight]) =>
      Object.entries({ Stream: through, TransformStream: throughWeb }).flatMap(([kind, pass]) => {
        const [seal, open] = [`seal${kind}${by}`, `open${kind}${by}`];
        return [
          [seal, [() => pass(promises[seal](...given), bytes, opensRight)]],
          [open, [() => pass(promises[open](given[0]), sealed, isBytes)]],
        ];
      }),
    ),
  ),
  createCipher: [
    () => inPieces(millrace.createCipher('aes-256-gcm', { key, nonce, aad: text })),
    () => through(millrace.createCipher('aes-256-gcm', { key, nonce }), bytes),
  ],
  createDecipher: [
    () => {
      const authTag = sealed.subarray(SIZE);
      const decipher = millrace.createDecipher('aes-256-gcm', { key, nonce, authTag });
      return inPieces(decipher, [sealed.subarray(0, 1e5), sealed.subarray(1e5, SIZE)]);
    },
  ],
  createHash: [
    () => inPieces(millrace.createHash('sha256')),
    () => inPieces(millrace.createHash('tuplehash128')),
    () => through(millrace.createHash('kmac256', { key, outputLength: SIZE }), bytes),
  ],
  createHmac: [() => inPieces(millrace.createHmac('sha256', text))],
};

/** Queues pieces of all kinds; the result of the end if every piece was taken. */
async function inPieces(running, given = [bytes, bytes, text, [text, 'latin1'], 'tail']) {
  const calls = given.map((each) => running.updateAsync(...[each].flat()));
  calls.push((running.finalAsync ?? running.digestAsync).call(running));
  const results = await Promise.allSettled(calls);
  const failed = results.findIndex(({ status }) => status === 'rejected');
  if (failed < 0) return joined(results.map(({ value }) => value ?? []));
  const { reason } = results[failed];
  // Updates queued before may have been rejected by the argument; the end is not of a shorter
  // message.
  assert.equal(results.at(-1).status, 'rejected', 'the end of a message that lacks a piece');
  assert.equal(results.at(-1).reason, reason);
  await assert.rejects(running.updateAsync('x'), (error) => error === reason);
  assert.throws(
    () => running.update('x'),
    (error) => error === reason,
  );
  throw reason;
}

test('every large allocation of every asynchronous export fails', async (t) => {
  const names = Object.keys(promises).filter((name) => !others.test(name));
  assert.deepEqual(names.sort(), Object.keys(cases).sort());
  for (const [name, calls] of Object.entries(cases)) {
    const skip = isPortable && nativeOnly.test(name) && 'the portable engine refuses it';
    await t.test(name, { skip }, async () => {
      for (const [index, call] of calls.entries()) {
        const what = `${name}, ${index}: ${call}`;
        const expected = await call();
        for (let number = 1, reached = true; reached; number++) {
          assert.ok(number < 100, what);
          failAt(number);
          const outcome = await (async () => ({ value: await call() }))().catch((error) => ({
            error,
          }));
          reached = restore();
          const { error } = outcome;
          if (error !== undefined) {
            assert.ok(reached, `${what}: ${error.stack}`);
            assert.equal(error.code, 'ERR_OUT_OF_MEMORY', `${what}, ${number}: ${error.stack}`);
          } else {
            assert.deepEqual(outcome.value, expected, `${what}, ${number}`);
          }
          if (reached) assert.deepEqual(await call(), expected, `${what} after ${number}`);
        }
      }
    });
  }
});
