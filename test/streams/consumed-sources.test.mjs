// A source that was read before it is given is refused by every function that takes one: the digest
// of what is left would be the same for every message.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import millrace from 'millrace';
import promises from 'millrace/promises';

const path = fileURLToPath(import.meta.url);
const items = [path, path];
const key = Buffer.alloc(32, 1);
const refused = { code: 'ERR_SOURCE_CONSUMED', message: /was read before/ };

async function read(source) {
  for await (const chunk of source) void chunk;
  return source;
}

/** Resolves to the body of a POST request as a server has it after `parse`. */
async function request(body, parse) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const sent = fetch(`http://127.0.0.1:${port}`, { method: 'POST', body }).catch(() => {});
  const [incoming, answer] = await once(server, 'request');
  await parse(incoming);
  return {
    incoming,
    async end() {
      answer.end();
      await sent;
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Sources that were read, in part or whole. Strings are messages as well as paths. */
const kinds = {
  'a Readable that was read': () => read(Readable.from(items)),
  'an empty Readable that was read': () => read(Readable.from([])),
  'a Readable that was read in part': async () => {
    const stream = Readable.from(items);
    await once(stream, 'readable');
    stream.read();
    return stream;
  },
  'a Readable that was resumed': async () => {
    const stream = Readable.from(items).resume();
    await once(stream, 'end');
    return stream;
  },
  'a destroyed Readable': async () => Readable.from(items).destroy(),
  'a file that was read': () => read(createReadStream(path)),
  'a stream of the package readable-stream that has ended': async () => ({
    pipe() {},
    destroy() {},
    on() {},
    _readableState: { endEmitted: true },
    async *[Symbol.asyncIterator]() {},
  }),
  'a web stream that was read': () => read(ReadableStream.from(items)),
  'a web stream that was read in part': async () => {
    const stream = ReadableStream.from(items);
    const reader = stream.getReader();
    await reader.read();
    reader.releaseLock();
    return stream;
  },
  ...Object.fromEntries(
    Object.entries({
      'a cancelled web stream': (stream) => stream.cancel(),
      'a locked web stream': (stream) => stream.getReader(),
      'a web stream after tee()': (stream) => stream.tee(),
    }).map(([kind, use]) => [
      kind,
      async () => {
        const stream = ReadableStream.from(items);
        await use(stream);
        return stream;
      },
    ]),
  ),
  'the body of a Response after text()': async () => {
    const response = new Response('body');
    const { body } = response;
    await response.text();
    return body;
  },
  'the body of a Request after json()': async () => {
    const given = new Request('http://localhost', { method: 'POST', body: '{}' });
    const { body } = given;
    await given.json();
    return body;
  },
};

/** Arguments with a source in every place, besides which the others are right. */
const shapes = [
  (source) => [source],
  (source) => ['sha256', source],
  (source) => ['sha256', source, 'hex'],
  (source) => ['sha256', key, source],
  (source) => ['sha256', { key, source, mac: key }],
  (source) => ['aes-256-gcm', { key, source }],
  (source) => ['kmac256', source, { key }],
  (source) => [key, source],
];

const settled = async (call) => (await Promise.allSettled([(async () => call())()]))[0];

/** Returns the calls of millrace/promises that read a source. */
async function readers() {
  const found = [];
  for (const [name, call] of Object.entries(promises)) {
    if (typeof call !== 'function' || name.endsWith('Error')) continue;
    for (const shape of shapes) {
      const fresh = Readable.from(items);
      await settled(() => call(...shape(fresh)));
      if (fresh.readableDidRead) found.push([name, (source) => call(...shape(source))]);
    }
  }
  return found;
}

test('every function of millrace/promises that takes a source', async () => {
  const found = await readers();
  assert.deepEqual([...new Set(found.map(([name]) => name))].sort(), [
    'hash',
    'hashFiles',
    'hashMany',
    'hashOutboard',
    'hmac',
    'hmacMany',
  ]);
  for (const [name, call] of found) {
    for (const [kind, make] of Object.entries(kinds)) {
      const source = await make();
      await assert.rejects(async () => call(source), refused, `${name} of ${kind}`);
    }
    const generator = (async function* () {
      yield* items;
    })();
    const first = await settled(() => call(generator));
    assert.equal(first.status, 'fulfilled', `${name} of a generator: ${first.reason}`);
    await assert.rejects(async () => call(generator), refused, `${name} of a generator again`);
    const stream = Readable.from(items);
    const [, again] = await Promise.allSettled([call(stream), call(stream)]);
    assert.equal(again.reason?.code, refused.code, `${name} of one stream twice at a time`);
    const failed = Readable.from(items).on('error', () => {});
    failed.destroy(new Error('its own'));
    await assert.rejects(async () => call(failed), { message: 'its own' }, name);
    const list = { [Symbol.asyncIterator]: () => Readable.from(items)[Symbol.asyncIterator]() };
    assert.deepEqual(await call(list), await call(list), `${name} of an iterable, twice`);
  }
});

test('a request after a body parser, and one that nothing has read', async () => {
  const { hmac } = promises;
  const body = '{"event":"paid"}';
  const parsed = await request(body, async (incoming) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    await once(incoming, 'end');
    JSON.parse(Buffer.concat(chunks));
  });
  assert.equal(parsed.incoming.complete, true);
  await assert.rejects(hmac('sha256', key, parsed.incoming), refused);
  await parsed.end();
  const raw = await request(body, async () => {});
  const expected = millrace.hmac('sha256', key, body, 'hex');
  assert.equal(await hmac('sha256', key, raw.incoming, 'hex'), expected);
  await assert.rejects(hmac('sha256', key, raw.incoming), refused);
  await raw.end();
  await assert.rejects(hmac('sha256', key, new Response(body)), { code: 'ERR_ARGUMENT_TYPE' });
});

test('iterators of synchronous calls', () => {
  const generator = (function* () {
    yield* items;
  })();
  for (const call of [
    (source) => millrace.hashMany('sha256', source),
    (source) => millrace.hmacMany('sha256', key, source),
  ]) {
    const source = items.values();
    call(source);
    assert.throws(() => call(source), refused);
  }
  millrace.hashFiles('sha256', generator, () => {});
  assert.throws(() => millrace.hashFiles('sha256', generator, () => {}), refused);
});

test('a stream that has ended is not piped into a digest, a cipher or a sealed stream', async () => {
  const nonce = Buffer.alloc(12);
  const sealing = { algorithm: 'aes-256-gcm', key };
  const streams = {
    createHash: () => millrace.createHash('sha256'),
    createHmac: () => millrace.createHmac('sha256', key),
    createCipher: () => millrace.createCipher('aes-256-gcm', { key, nonce }),
    createDecipher: () =>
      millrace.createDecipher('aes-256-gcm', { key, nonce, authTag: Buffer.alloc(16) }),
    sealStream: () => promises.sealStream(sealing),
    openStream: () => promises.openStream(sealing),
    sealStreamWithPassphrase: () => promises.sealStreamWithPassphrase('a passphrase', { N: 1024 }),
    openStreamWithPassphrase: () => promises.openStreamWithPassphrase('a passphrase'),
  };
  for (const [name, make] of Object.entries(streams)) {
    const [piped] = await once((await read(Readable.from(items))).pipe(make()), 'error');
    assert.equal(piped.code, 'ERR_SOURCE_CONSUMED', name);
    const ended = await read(Readable.from(items));
    await assert.rejects(pipeline(ended, make(), new PassThrough()), refused, name);
  }
  // The rest of a stream may be piped after its first bytes were read.
  const stream = Readable.from(['head', 'rest'], { objectMode: false });
  await once(stream, 'readable');
  assert.equal(String(stream.read(4)), 'head');
  const [digest] = await stream.pipe(millrace.createHash('sha256')).toArray();
  assert.deepEqual(digest, millrace.hash('sha256', 'rest'));
});
