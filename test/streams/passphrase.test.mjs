// Sealed files, with a passphrase or a key: there and back in every form, the command's format,
// limits on what a header asks for, other formats.

import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { output } from '../support/child.mjs';
import { inFolder } from '../support/shell.mjs';

const { openWithKey, openWithPassphrase, sealWithKey, sealWithPassphrase } = promises;
/** The least there is, so that the tests are quick. */
const quick = { N: 1024 };

const called = (name, ...given) =>
  new Promise((resolve, reject) =>
    millrace[name](...given, (error, value) => (error ? reject(error) : resolve(value))),
  );

/** Passes the message through a Node stream, in chunks of this size. */
async function throughNode(stream, message, piece) {
  const outputs = [];
  const pieces = Array.from({ length: Math.ceil(message.length / piece) }, (_, index) =>
    message.subarray(index * piece, (index + 1) * piece),
  );
  await pipeline(pieces, stream, async (found) => {
    for await (const output of found) outputs.push(output);
  });
  return Buffer.concat(outputs);
}

async function throughWeb(transform, message) {
  return Buffer.from(
    await new Response(new Blob([message]).stream().pipeThrough(transform)).arrayBuffer(),
  );
}

/** Returns the forms of one name, each a function of secret, message and options. */
function formsOf(name) {
  const [how, by] = name.split('With');
  const streams = (form) => promises[`${how}${form}With${by}`];
  return {
    promise: promises[name],
    stream: (secret, message, options) =>
      throughNode(streams('Stream')(secret, options), message, 10_000),
    'stream, byte by byte': (secret, message, options) =>
      throughNode(streams('Stream')(secret, options), message, message.length < 1000 ? 1 : 999),
    transform: (secret, message, options) =>
      throughWeb(streams('TransformStream')(secret, options), message),
  };
}

const sealing = {
  ...formsOf('sealWithPassphrase'),
  callback: (...given) => called('sealWithPassphrase', ...given),
};
const opening = {
  ...formsOf('openWithPassphrase'),
  callback: (...given) => called('openWithPassphrase', ...given),
};

/** Returns a copy of which one bit differs. */
const flipped = (sealed, at) => Buffer.from(sealed).fill(sealed[at] ^ 1, at, at + 1);

/** Checks that every form refuses each of the rows of bytes, code, message and secret. */
async function refusesToOpen(forms, ownSecret, rows) {
  for (const [name, open] of Object.entries(forms))
    for (const [bytes, code, message, secret = ownSecret] of rows)
      await assert.rejects(
        open(secret, bytes),
        { code, ...(message && { message }) },
        `${name}: ${code} ${message}`,
      );
}

for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305']) {
  test(`${algorithm}: what one form seals every form opens`, async () => {
    for (const size of [0, 1, 16_383, 16_384, 100_000]) {
      const message = randomBytes(size);
      for (const [name, seal] of Object.entries(sealing)) {
        const sealed = await seal('pass', message, { ...quick, algorithm });
        assert.equal(sealed.length, 31 + 56 + size + 16 * (Math.floor(size / 16_384) + 1), name);
        const number = algorithm === 'aes-256-gcm' ? 1 : 2;
        assert.equal(sealed.toString('latin1', 0, 8), 'millrace');
        assert.deepEqual([...sealed.subarray(8, 15)], [1, number, 1, 19, 10, 8, 1]);
        for (const [other, open] of Object.entries(opening))
          assert.deepEqual(await open('pass', sealed), message, `${name}, ${other}, ${size} bytes`);
      }
    }
  });
}

test('the defaults: aes-256-gcm and N = 2^17', async () => {
  const sealed = await called('sealWithPassphrase', 'pass', 'text');
  assert.deepEqual([...sealed.subarray(9, 15)], [1, 1, 19, 17, 8, 1]);
  assert.equal((await openWithPassphrase('pass', sealed)).toString(), 'text');
});

test('the command opens it, and it what the command seals', () =>
  inFolder({}, async ($) => {
    $.write('pass', 'f\u00fcr\n', 0o600);
    $.write('a.sealed', await sealWithPassphrase('fu\u0308r', 'a message', quick));
    await $.millrace('open -p pass a.sealed');
    assert.equal(readFileSync($.path('a'), 'latin1'), 'a message');
    await $.millrace('seal --cost 11 -p pass -f a');
    const sealed = readFileSync($.path('a.sealed'));
    assert.equal(String(await openWithPassphrase(Buffer.from('f\u00fcr'), sealed)), 'a message');
  }));

test('a passphrase is text in any form of Unicode, or bytes', async () => {
  const sealed = await sealWithPassphrase('f\u00fcr', 'x', quick);
  for (const same of [
    'fu\u0308r',
    Buffer.from('fu\u0308r'),
    new Uint8Array(Buffer.from('f\u00fcr')).buffer,
  ])
    assert.equal((await openWithPassphrase(same, sealed)).toString(), 'x');
  const bytes = Buffer.from([255, 254]);
  const byBytes = await sealWithPassphrase(bytes, 'x', quick);
  assert.equal((await openWithPassphrase(bytes, byBytes)).toString(), 'x');
  await assert.rejects(openWithPassphrase(Buffer.from([255, 253]), byBytes), {
    code: 'ERR_AUTHENTICATION',
  });
  assert.deepEqual(bytes, Buffer.from([255, 254]), "the caller's bytes stay");
});

test('passphrase and message are copied at the call', async () => {
  const [pass, message] = [Buffer.from('pass'), randomBytes(50_000)];
  const before = Buffer.from(message);
  const begun = sealWithPassphrase(pass, message, quick);
  pass.fill(0);
  message.fill(0);
  const sealed = await begun;
  const [again, given] = [Buffer.from('pass'), Buffer.from(sealed)];
  const opened = openWithPassphrase(again, given);
  const stream = promises.openStreamWithPassphrase(again);
  again.fill(0);
  given.fill(0);
  assert.ok((await opened).equals(before));
  assert.ok((await throughNode(stream, sealed, 60_000)).equals(before));
});

const WRONG_SECRET = 'authentication failed: wrong passphrase or key, or the header was changed';

test('whatever is changed does not open, in any form', async () => {
  const sealed = await sealWithPassphrase('pass', randomBytes(40_000), quick);
  const notSealed = /^not a sealed file: it does not begin with "millrace"; openStream opens/;
  await refusesToOpen(opening, 'pass', [
    [flipped(sealed, 0), 'ERR_FORMAT', notSealed],
    [flipped(sealed, 8), 'ERR_FORMAT', /version 0/],
    [flipped(sealed, 10), 'ERR_FORMAT', /damaged/],
    ...[13, 20, 60].map((at) => [flipped(sealed, at), 'ERR_AUTHENTICATION', WRONG_SECRET]),
    [flipped(sealed, 90), 'ERR_AUTHENTICATION', /chunk 0/],
    [flipped(sealed, sealed.length - 1), 'ERR_AUTHENTICATION', /chunk 2/],
    [sealed.subarray(0, 31 + 56 + 16_400), 'ERR_TRUNCATED', /last chunk/],
    [sealed.subarray(0, 60), 'ERR_TRUNCATED', /header/],
    [sealed.subarray(0, 20), 'ERR_TRUNCATED', /header/],
    [sealed.subarray(0, 11), 'ERR_FORMAT', /not a sealed file/],
    [Buffer.alloc(0), 'ERR_FORMAT', /not a sealed file/],
    [sealed, 'ERR_AUTHENTICATION', WRONG_SECRET, 'Pass'],
    [
      await sealWithKey(randomBytes(32), 'x'),
      'ERR_FORMAT',
      'sealed with a key, not a passphrase: use openWithKey',
    ],
  ]);
});

const key = randomBytes(32);
const withKey = { seal: formsOf('sealWithKey'), open: formsOf('openWithKey') };

for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305'])
  test(`${algorithm} with a key: what one form seals every form opens`, async () => {
    for (const size of [0, 1, 16_384, 100_000]) {
      const message = randomBytes(size);
      for (const [name, seal] of Object.entries(withKey.seal)) {
        const sealed = await seal(key, message, { algorithm });
        assert.equal(sealed.length, 68 + size + 16 * (Math.floor(size / 16_384) + 1), name);
        const number = algorithm === 'aes-256-gcm' ? 1 : 2;
        assert.deepEqual([...sealed.subarray(8, 12)], [1, number, 0, 0]);
        for (const [other, open] of Object.entries(withKey.open))
          assert.deepEqual(await open(key, sealed), message, `${name}, ${other}, ${size} bytes`);
        const prepared = millrace.createKey(algorithm, key);
        assert.deepEqual(await openWithKey(prepared, sealed), message);
        assert.deepEqual(await openWithKey(createSecretKey(key), sealed), message);
      }
    }
  });

test('with a key: whatever is changed does not open, in any form', async () => {
  const sealed = await sealWithKey(key, randomBytes(40_000));
  const other = millrace.createKey('chacha20-poly1305', key);
  const stream = promises.sealStream({ algorithm: 'aes-256-gcm', key });
  stream.end('text');
  const sealedStream = Buffer.concat(await stream.toArray());
  const byPassphrase = await sealWithPassphrase('p', 'x', quick);
  await refusesToOpen(withKey.open, key, [
    [flipped(sealed, 0), 'ERR_FORMAT', /not a sealed file/],
    [flipped(sealed, 8), 'ERR_FORMAT', /version 0/],
    [flipped(sealed, 9), 'ERR_FORMAT', /damaged/],
    [flipped(sealed, 10), 'ERR_FORMAT', /damaged/],
    [flipped(sealed, 20), 'ERR_AUTHENTICATION', WRONG_SECRET],
    [flipped(sealed, 70), 'ERR_AUTHENTICATION', /chunk 0/],
    [flipped(sealed, sealed.length - 1), 'ERR_AUTHENTICATION', /chunk 2/],
    [sealed.subarray(0, 68 + 16_400), 'ERR_TRUNCATED', /last chunk/],
    [sealed.subarray(0, 40), 'ERR_TRUNCATED', /header/],
    [sealed.subarray(0, 12), 'ERR_TRUNCATED', /header/],
    [sealed.subarray(0, 11), 'ERR_FORMAT', /not a sealed file/],
    [sealed, 'ERR_AUTHENTICATION', WRONG_SECRET, randomBytes(32)],
    [sealed, 'ERR_KEY_ALGORITHM', /prepared for chacha20-poly1305/, other],
    [byPassphrase, 'ERR_FORMAT', 'sealed with a passphrase, not a key: use openWithPassphrase'],
    [
      sealedStream,
      'ERR_FORMAT',
      'not a sealed file: it does not begin with "millrace"; ' +
        'openStream opens what sealStream wrote',
    ],
  ]);
});

test('openStream names a sealed file', async () => {
  const sealed = await sealWithKey(key, 'text');
  const options = { algorithm: 'aes-256-gcm', key };
  for (const through of [
    () => throughNode(promises.openStream(options), sealed, 20),
    () => throughWeb(promises.openTransformStream(options), sealed),
  ])
    await assert.rejects(through(), {
      code: 'ERR_FORMAT',
      message:
        'this is a sealed file, not a sealed stream: use openWithKey, openWithPassphrase or ' +
        'their streams',
    });
});

test('with a key: bad arguments, abort, and a key that is overwritten after the call', async () => {
  for (const [given, code, message] of [
    [[], 'ERR_MISSING_ARGUMENT', /key/],
    [[key], 'ERR_MISSING_ARGUMENT', /data/],
    [['x'.repeat(32), Buffer.alloc(9)], 'ERR_ARGUMENT_TYPE', /^key must be a Buffer/],
    [[key.subarray(1), Buffer.alloc(9)], 'ERR_KEY_SIZE', /^key must be 32 bytes.*, not 31$/],
    [[key, 5], 'ERR_ARGUMENT_TYPE', /data/],
    [[key, Buffer.alloc(9), { N: 5 }], 'ERR_ARGUMENT_VALUE', /options\.N/],
    [[key, Buffer.alloc(9), { signal: 5 }], 'ERR_ARGUMENT_TYPE', /signal/],
  ])
    for (const call of [sealWithKey, openWithKey])
      await assert.rejects(call(...given), { code, message }, JSON.stringify(given));
  await assert.rejects(sealWithKey(key, 'x', { algorithm: 'aes-128-gcm' }), {
    code: 'ERR_UNKNOWN_ALGORITHM',
  });
  await assert.rejects(openWithKey(key, 'text'), { code: 'ERR_ARGUMENT_TYPE', message: /data/ });
  assert.throws(() => promises.openStreamWithKey(key.subarray(1)), { code: 'ERR_KEY_SIZE' });
  const reason = new Error('enough');
  for (const call of [sealWithKey, openWithKey])
    await assert.rejects(call(key, Buffer.alloc(9), { signal: AbortSignal.abort(reason) }), reason);
  const copy = Buffer.from(key);
  const sealing = sealWithKey(copy, 'text');
  copy.fill(0);
  const sealed = await sealing;
  copy.set(key);
  const opening_ = openWithKey(copy, sealed);
  copy.fill(0);
  assert.equal((await opening_).toString(), 'text');
});

test('a header may not ask for more than the limits, and costs nothing then', async () => {
  const header = (log, r, p) =>
    Buffer.concat([
      Buffer.from('millrace'),
      Buffer.from([1, 1, 1, 19, log, r, p]),
      Buffer.alloc(16 + 56 + 16),
    ]);
  const before = process.cpuUsage();
  for (const [cost, options, code, message = /./] of [
    [[19, 8, 1], {}, 'ERR_MEMORY_LIMIT', /53687\d{4} bytes.*285212672/],
    [[30, 255, 255], {}, 'ERR_MEMORY_LIMIT'],
    [[18, 8, 255], {}, 'ERR_WORK_LIMIT', /maxTime allows 5000/],
    [[10, 8, 1], { maxMemory: 2 ** 20 }, 'ERR_MEMORY_LIMIT'],
    [[17, 8, 1], { maxTime: 100 }, 'ERR_WORK_LIMIT'],
  ])
    for (const [name, open] of Object.entries(opening))
      await assert.rejects(open('p', header(...cost), options), { code, message }, name);
  assert.ok(process.cpuUsage(before).user < 1_000_000);
  const limits = { maxMemory: 2 ** 21, maxTime: 10 };
  await assert.rejects(openWithPassphrase('p', header(10, 8, 1), limits), {
    code: 'ERR_AUTHENTICATION',
  });
});

test('signals and progress', async () => {
  const reason = new Error('enough');
  const slow = { N: 2 ** 18 };
  for (const begin of [
    (signal) => sealWithPassphrase('p', 'x', { ...slow, signal }),
    (signal) => called('sealWithPassphrase', 'p', 'x', { ...slow, signal }),
  ]) {
    await assert.rejects(begin(AbortSignal.abort(reason)), reason);
    const controller = new AbortController();
    const begun = begin(controller.signal);
    setTimeout(() => controller.abort(reason), 10);
    await assert.rejects(begun, reason);
  }
  const controller = new AbortController();
  const stream = promises.sealStreamWithPassphrase('p', { ...slow, signal: controller.signal });
  stream.write('x');
  setTimeout(() => controller.abort(reason), 10);
  await assert.rejects(stream.toArray(), { name: 'AbortError' });
  const seen = [];
  await sealWithPassphrase('p', 'x', {
    N: 2 ** 14,
    onProgress: ({ fraction }) => seen.push(fraction),
  });
  assert.equal(seen.at(-1), 1);
});

test('bad arguments', async () => {
  for (const [given, code, message] of [
    [[], 'ERR_MISSING_ARGUMENT', /passphrase/],
    [['p'], 'ERR_MISSING_ARGUMENT', /data/],
    [['', 'x'], 'ERR_ARGUMENT_VALUE', /empty/],
    [[5, 'x'], 'ERR_ARGUMENT_TYPE', /passphrase/],
    [['p', 5], 'ERR_ARGUMENT_TYPE', /data/],
    [['p', 'x', 5], 'ERR_ARGUMENT_TYPE', /options/],
    [['p', 'x', { n: 5 }], 'ERR_ARGUMENT_VALUE', /options\.N/],
    [['p', 'x', { N: 5 }], 'ERR_ARGUMENT_VALUE', /2\^10/],
    [['p', 'x', { N: 2 ** 21 }], 'ERR_ARGUMENT_VALUE', /2\^20/],
    [['p', 'x', { algorithm: 'aes-128-gcm' }], 'ERR_UNKNOWN_ALGORITHM', /algorithm/],
    [['p', 'x', { highWaterMark: 5 }], 'ERR_ARGUMENT_VALUE', /highWaterMark/],
    [['p', 'x', { signal: 5 }], 'ERR_ARGUMENT_TYPE', /signal/],
    [['p', 'x', { onProgress: 5 }], 'ERR_ARGUMENT_TYPE', /onProgress/],
  ])
    await assert.rejects(sealWithPassphrase(...given), { code, message }, JSON.stringify(given));
  await assert.rejects(openWithPassphrase('p', 'text'), { code: 'ERR_ARGUMENT_TYPE' });
  await assert.rejects(openWithPassphrase('p', Buffer.alloc(9), { maxTime: -1 }), {
    code: 'ERR_ARGUMENT_VALUE',
    message: /maxTime/,
  });
  assert.throws(() => millrace.sealWithPassphrase('p', 'x'), {
    code: 'ERR_MISSING_ARGUMENT',
    message: /callback/,
  });
  assert.throws(() => millrace.openWithPassphrase('p', Buffer.alloc(9), {}, 5), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /callback/,
  });
  assert.throws(() => promises.sealStreamWithPassphrase('p', { contxt: 5 }), {
    code: 'ERR_ARGUMENT_VALUE',
  });
  assert.throws(() => promises.openStreamWithPassphrase(''), { code: 'ERR_ARGUMENT_VALUE' });
  await called('sealWithPassphrase', '', 'x').then(assert.fail, ({ code }) =>
    assert.equal(code, 'ERR_ARGUMENT_VALUE'),
  );
});

test('a stream that is destroyed before its key is there ends quietly', async () => {
  const printed = await output(`
    for (const make of ['sealStreamWithPassphrase', 'openStreamWithPassphrase']) {
      const stream = promises[make]('p');
      stream.on('error', (error) => console.log(make, error.message));
      stream.write('x', () => {});
      setTimeout(() => stream.destroy(new Error('enough')), 5);
    }
  `);
  const expected = 'openStreamWithPassphrase enough sealStreamWithPassphrase enough';
  assert.equal(printed.split('\n').sort().join(' ').trim(), expected);
});

test('a write that waits for a key gets the error that ends the stream', async () => {
  const writes = {
    sealStreamWithPassphrase: Buffer.from('x'),
    openStreamWithPassphrase: await sealWithPassphrase('p', 'x', quick),
  };
  for (const [make, chunk] of Object.entries(writes)) {
    const stream = promises[make]('p');
    const written = new Promise((resolve) => stream.write(chunk, resolve));
    stream.destroy();
    assert.equal((await written)?.code, 'ERR_STREAM_DESTROYED', make);
  }
  const key = Buffer.alloc(32, 1);
  const stream = promises.openStreamWithKey(key).on('error', () => {});
  const written = new Promise((resolve) => stream.write(Buffer.alloc(40), resolve));
  assert.equal((await written)?.code, 'ERR_FORMAT');
  const writer = promises.openTransformStreamWithKey(key).writable.getWriter();
  writer.closed.catch(() => {});
  await assert.rejects(writer.write(Buffer.alloc(40)), { code: 'ERR_FORMAT' });
});
