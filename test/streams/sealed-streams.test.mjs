// Streams of sealed chunks: Node's and the web's, against the published vectors and an
// implementation straight from the specification; every attack; back-pressure, abort and
// destruction.

import assert from 'node:assert/strict';
import { createHash, createSecretKey } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';

import millrace from 'millrace';
import promises, {
  openStream,
  openTransformStream,
  sealStream,
  sealTransformStream,
} from 'millrace/promises';

import { entryPaths, run } from '../support/child.mjs';
import {
  CHUNK,
  chunkedAlgorithms,
  HEADER,
  openChunked,
  sealChunked,
  TAG,
} from '../support/chunked-oracle.mjs';
import { collectGarbage } from '../support/garbage.mjs';
import { random } from '../support/random.mjs';

const dist = dirname(entryPaths.millrace);
const require = createRequire(import.meta.url);
const { SealingPump } = require(join(dist, 'streams/sealed-streams.js'));
const { native } = require(join(dist, 'core.js'))['engines/binding'];

const MiB = 2 ** 20;
const SEALED = CHUNK + TAG;
const algorithms = Object.keys(chunkedAlgorithms);
const numbers = random('sealed streams');
const keys = Object.fromEntries(
  algorithms.map((name) => [name, numbers.bytes(chunkedAlgorithms[name].keySize)]),
);
const salt = numbers.bytes(24);
const algorithm = 'aes-256-gcm';
const key = keys[algorithm];

// the ways through

/**
 * Every way sends pieces through a stream, and gives `{ output, error }`: what came out, and how it
 * ended.
 */
const ways = {
  'Node streams': {
    seal: (options) => throughNode(sealStream(options)),
    open: (options) => throughNode(openStream(options)),
  },
  'web streams': {
    seal: (options) => throughWeb(sealTransformStream(options)),
    open: (options) => throughWeb(openTransformStream(options)),
  },
};

const throughNode = (stream) => async (pieces) => {
  const output = [];
  let error;
  stream.on('data', (piece) => output.push(piece));
  const closed = new Promise((resolve) => stream.on('close', resolve));
  stream.on('error', (reason) => {
    error = reason;
  });
  const ended = once(stream, 'end').catch(() => {});
  for (const piece of pieces) {
    if (stream.destroyed) break;
    if (!stream.write(piece)) await Promise.race([once(stream, 'drain').catch(() => {}), closed]);
  }
  stream.end();
  await Promise.race([ended, closed]);
  await closed;
  return { output: Buffer.concat(output), error };
};

const throughWeb =
  ({ readable, writable }) =>
  async (pieces) => {
    const output = [];
    let error;
    const writing = (async () => {
      const writer = writable.getWriter();
      writer.closed.catch(() => {});
      for (const piece of pieces) {
        await writer.ready;
        writer.write(piece).catch(() => {});
      }
      await writer.close();
    })().catch((reason) => {
      error = reason;
    });
    try {
      for await (const piece of readable) output.push(piece);
    } catch (reason) {
      error = reason;
    }
    await writing;
    return { output: Buffer.concat(output), error };
  };

async function sealed(way, options, pieces) {
  const { output, error } = await ways[way].seal(options)(pieces);
  assert.ifError(error);
  return output;
}

async function opened(way, options, pieces) {
  const { output, error } = await ways[way].open(options)(pieces);
  assert.ifError(error);
  return output;
}

/** Seals without a stream, so that salt and number of the first chunk can be chosen. */
async function sealedWith(chosenSalt, first, options, pieces) {
  const output = [];
  const pump = new SealingPump(
    { put: (piece) => output.push(piece) > 0, fail() {} },
    options,
    chosenSalt,
    first,
  );
  const settled = (begin) =>
    new Promise((resolve, reject) =>
      begin((error) => (error === undefined ? resolve() : reject(error))),
    );
  for (const piece of pieces) await settled((taken) => pump.write(piece, taken));
  await settled((ended) => pump.end(ended));
  return Buffer.concat(output);
}

function* cut(bytes, sizes) {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = typeof sizes === 'function' ? sizes() : sizes;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

function assertSame(actual, expected, note) {
  // Not deepEqual: a difference in megabytes takes it minutes to print.
  assert.ok(
    Buffer.from(actual.buffer, actual.byteOffset, actual.length).equals(expected),
    `${note}: ${actual.length} bytes, expected ${expected.length}`,
  );
}

// the format

const sizes = [
  0,
  1,
  1024,
  CHUNK - 1,
  CHUNK,
  CHUNK + 1,
  20 * 1024,
  2 * CHUNK - 1,
  2 * CHUNK,
  4 * CHUNK,
  4 * CHUNK + 1,
  5 * CHUNK,
  20 * CHUNK - 1,
  20 * CHUNK,
  MiB,
  84 * CHUNK,
  84 * CHUNK + 1,
  3 * MiB + 5,
];

for (const way of Object.keys(ways)) {
  for (const name of algorithms) {
    test(`${way}, ${name}: sizes around chunks and runs, against the oracle`, async () => {
      for (const size of sizes) {
        const message = numbers.bytes(size);
        const context = size % 2 === 0 ? undefined : 'a context';
        const options = { algorithm: name, key: keys[name], ...(context && { context }) };
        const ours = await sealed(way, options, cut(message, 65_536));
        assert.equal(
          ours.length,
          HEADER + size + TAG * (Math.floor(size / CHUNK) + 1),
          `size of ${size} bytes sealed`,
        );
        assertSame(
          openChunked(name, { key: keys[name], context, sealed: ours }),
          message,
          `sealed ${size}`,
        );
        const theirs = sealChunked(name, { key: keys[name], context, salt, message });
        assertSame(await opened(way, options, cut(theirs, 65_536)), message, `opened ${size}`);
      }
    });
  }

  test(`${way}: chunks of all sizes`, async () => {
    const options = { algorithm, key };
    const small = numbers.bytes(3 * CHUNK + 77);
    const smallSealed = sealChunked(algorithm, { key, salt, message: small });
    const short = small.subarray(0, CHUNK + 77);
    const shortest = [short, sealChunked(algorithm, { key, salt, message: short })];
    for (const size of [
      1,
      2,
      55,
      57,
      1000,
      CHUNK - 1,
      CHUNK,
      CHUNK + 1,
      SEALED - 1,
      SEALED,
      SEALED + 1,
    ]) {
      // A byte a write is slow: one chunk and a part of the next are enough.
      const [source, theirs] = size < 10 ? shortest : [small, smallSealed];
      assertSame(
        openChunked(algorithm, { key, sealed: await sealed(way, options, cut(source, size)) }),
        source,
        `sealed in ${size}`,
      );
      assertSame(await opened(way, options, cut(theirs, size)), source, `opened in ${size}`);
    }
    const message = numbers.bytes(9 * MiB + 12_345);
    const theirs = sealChunked(algorithm, { key, salt, message });
    const choices = [
      () => numbers.between(1, 100_000),
      () => numbers.between(1, 3 * MiB),
      () => 20 * MiB,
      () => (numbers.chance(0.5) ? 5 * MiB : numbers.below(3)),
      () => MiB,
    ];
    for (const sizesOf of choices) {
      assertSame(
        openChunked(algorithm, { key, sealed: await sealed(way, options, cut(message, sizesOf)) }),
        message,
        String(sizesOf),
      );
      assertSame(await opened(way, options, cut(theirs, sizesOf)), message, String(sizesOf));
    }
  });

  test(`${way}: Wycheproof`, async () => {
    const { fields, groups } = JSON.parse(
      readFileSync(new URL('../vectors/wycheproof-chunked.json', import.meta.url), 'utf8'),
    );
    let seen = 0;
    for (const group of groups) {
      for (const row of group.tests) {
        const vector = Object.fromEntries(fields.map((field, index) => [field, row[index]]));
        for (const pieceSize of [1000, 65_536, 10 * MiB])
          await compareWithVector(way, group.algorithm, vector, pieceSize);
        seen++;
      }
    }
    assert.equal(seen, 70);
  });
}

async function compareWithVector(
  way,
  name,
  { id, result, key: keyHex, ctx, ct, msgLength, msgSha512, flags, comment },
  pieceSize,
) {
  const note = `${name} ${id} ${comment}`;
  const options = {
    algorithm: name,
    key: Buffer.from(keyHex, 'hex'),
    context: Buffer.from(ctx, 'hex'),
  };
  const secret = inflateSync(Buffer.from(ct, 'hex'));
  if (flags.includes('InvalidKeySize')) {
    assert.throws(() => ways[way].open(options), { code: 'ERR_KEY_SIZE' }, note);
    return;
  }
  const { output, error } = await ways[way].open(options)(cut(secret, pieceSize));
  const digest = (bytes) => createHash('sha512').update(bytes).digest('hex');
  if (result === 'valid') {
    assert.ifError(error);
    assert.equal(digest(output), msgSha512, note);
    assert.equal(output.length, msgLength, note);
    // The message under the same salt gives the same bytes.
    assertSame(
      await sealedWith(secret.subarray(0, 24), 0, options, cut(output, pieceSize)),
      secret,
      note,
    );
    return;
  }
  assert.ok(['ERR_AUTHENTICATION', 'ERR_TRUNCATED'].includes(error?.code), `${note}: ${error}`);
  if (!flags.includes('Truncation') && !flags.includes('TrailingData'))
    assert.equal(error.code, 'ERR_AUTHENTICATION', note);
  if (flags.includes('WrongKey') || flags.includes('WrongContext'))
    assert.match(error.message, /another key, algorithm or context/, note);
  // At most the authentic beginning comes out.
  assert.ok(
    output.length === 0 || output.length === msgLength,
    `${note}: ${output.length} bytes came out`,
  );
  if (output.length > 0) assert.equal(digest(output), msgSha512, note);
}

test('fixed bytes', async () => {
  // Of the oracle; no vectors of ChaCha20-Poly1305 are published.
  const blobs = {
    'aes-128-gcm':
      '5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5ab97fe5f5dfcd87eca52bb3b7370b4e19449a3f' +
      '32dcef9fffd596760e80aee29534139514d240e72590d61c39b55ea334c2c9c4afa6ce4d0f73',
    'aes-256-gcm':
      '5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a984248a687f18cde00e91a231c893de316b127' +
      '27a2e15023329477f46f3652ecd4727a80aca7767d5c63a0acc5e331e1980afcb4824463f804',
    'chacha20-poly1305':
      '5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1e631a00422ce66a6fd35b7b3406a30950a157' +
      '85ea2863f471e58583ef804875009fab6b16767fcfd7ce516b4619e81dd54acf1e4368d91183',
  };
  const [fixedSalt, message] = [Buffer.alloc(24, 0x5a), Buffer.from('a message')];
  for (const [name, blob] of Object.entries(blobs)) {
    const options = {
      algorithm: name,
      key: Buffer.alloc(chunkedAlgorithms[name].keySize, 0x42),
      context: 'a context',
    };
    assert.equal((await sealedWith(fixedSalt, 0, options, [message])).toString('hex'), blob, name);
    assert.equal(
      sealChunked(name, { ...options, salt: fixedSalt, message }).toString('hex'),
      blob,
      name,
    );
  }
});

test('names and kinds of keys, strings, buffers of all kinds', async () => {
  const message = Buffer.from('text and more text');
  const secret = sealChunked(algorithm, { key, context: 'c', salt, message });
  for (const each of [
    key,
    new Uint8Array(key),
    new DataView(new Uint8Array(key).buffer),
    new Uint8Array(key).buffer,
    createSecretKey(key),
  ]) {
    for (const context of ['c', Buffer.from('c'), Uint8Array.of(99).buffer]) {
      assertSame(
        await opened('Node streams', { algorithm: 'AES-256-GCM', key: each, context }, [secret]),
        message,
        'opened',
      );
    }
  }
  for (const piece of [
    new Uint8Array(secret),
    new DataView(new Uint8Array(secret).buffer),
    new Uint8Array(secret).buffer,
    new Uint16Array(new Uint8Array(secret.subarray(0, secret.length & ~1)).buffer),
  ]) {
    const rest = secret.subarray(piece.byteLength);
    assertSame(
      await opened('web streams', { algorithm, key, context: 'c' }, [piece, rest]),
      message,
      'opened',
    );
  }
  const stream = sealStream({ algorithm, key });
  stream.write('text ');
  stream.write('YW5kIG1vcmUg', 'base64');
  stream.end('text');
  assertSame(openChunked(algorithm, { key, sealed: await buffer(stream) }), message, 'strings');
});

test('counters beyond 2^32, and the most chunks there may be', async () => {
  const message = numbers.bytes(4 * CHUNK + 5);
  for (const first of [2 ** 32 - 2, 2 ** 32 + 7, 2 ** 38 - 5]) {
    assertSame(
      await sealedWith(salt, first, { algorithm, key }, cut(message, 30_000)),
      sealChunked(algorithm, { key, salt, message, first }),
      `from ${first}`,
    );
  }
  await assert.rejects(sealedWith(salt, 2 ** 38 - 4, { algorithm, key }, [message]), {
    code: 'ERR_SOURCE_SIZE',
  });
  await assert.rejects(
    sealedWith(salt, 2 ** 38 - 1, { algorithm, key }, [message.subarray(0, CHUNK)]),
    { code: 'ERR_SOURCE_SIZE' },
  );
  assert.equal(
    (await sealedWith(salt, 2 ** 38 - 1, { algorithm, key }, [message.subarray(1, CHUNK)])).length,
    HEADER + SEALED - 1,
  );
});

test('two streams of one key and message have nothing in common', async () => {
  const [left, right] = await Promise.all(
    [0, 1].map(() => sealed('Node streams', { algorithm, key }, [Buffer.alloc(100)])),
  );
  assert.notDeepEqual(left.subarray(0, 24), right.subarray(0, 24));
  assert.notDeepEqual(left.subarray(24, HEADER), right.subarray(24, HEADER));
  assert.notDeepEqual(left.subarray(HEADER), right.subarray(HEADER));
});

// attacks

for (const way of Object.keys(ways)) {
  test(`${way}: every bit of a small stream, every place to cut it`, async () => {
    for (const name of algorithms) {
      const options = { algorithm: name, key: keys[name] };
      const secret = sealChunked(name, { ...options, salt, message: Buffer.from('a message') });
      for (let at = 0; at < secret.length; at++) {
        const changed = Buffer.from(secret);
        changed[at] ^= 1 << numbers.below(8);
        await refused(
          way,
          options,
          [changed],
          Buffer.alloc(0),
          'ERR_AUTHENTICATION',
          `bit in byte ${at}`,
        );
        await refused(
          way,
          options,
          [secret.subarray(0, at)],
          Buffer.alloc(0),
          at < HEADER + TAG ? 'ERR_TRUNCATED' : 'ERR_AUTHENTICATION',
          `cut at ${at}`,
        );
      }
    }
  });

  for (const name of algorithms) {
    test(`${way}, ${name}: bits, cuts, additions, order`, async () => {
      const options = { algorithm: name, key: keys[name], context: 'c' };
      const message = numbers.bytes(6 * CHUNK + 999);
      const secret = sealChunked(name, { ...options, salt, message });
      const other = sealChunked(name, { ...options, salt: numbers.bytes(24), message });
      const short = sealChunked(name, {
        ...options,
        salt,
        message: message.subarray(0, 6 * CHUNK),
      });
      const start = (chunk) => HEADER + chunk * SEALED;
      const chunks = (bytes) =>
        Array.from({ length: Math.ceil((bytes.length - HEADER) / SEALED) }, (_, index) =>
          bytes.subarray(start(index), start(index + 1)),
        );
      const built = (list, header = secret) => Buffer.concat([header.subarray(0, HEADER), ...list]);
      const own = chunks(secret);
      const flipped = (at) => {
        const changed = Buffer.from(secret);
        changed[at] ^= 1 << numbers.below(8);
        return changed;
      };
      const authentic = (chunk) => message.subarray(0, chunk * CHUNK);
      const wrong = 'ERR_AUTHENTICATION';
      const cases = [
        ...[0, 23, 24, 55].map((at) => [`bit in byte ${at} of the header`, flipped(at), 0, wrong]),
        ...[0, 1, 5].flatMap((chunk) =>
          [0, CHUNK >> 1, CHUNK - 1, CHUNK, SEALED - 1].map((at) => [
            `bit in byte ${at} of chunk ${chunk}`,
            flipped(start(chunk) + at),
            chunk,
            wrong,
          ]),
        ),
        ...[0, 998, 999, 1014].map((at) => [
          `bit in byte ${at} of the last chunk`,
          flipped(start(6) + at),
          6,
          wrong,
        ]),
        ...[0, 1, 5, 6].map((chunk) => [
          `cut before chunk ${chunk}`,
          secret.subarray(0, start(chunk)),
          chunk,
          'ERR_TRUNCATED',
        ]),
        ...[0, 5, 6].map((chunk) => [
          `cut 15 bytes into chunk ${chunk}`,
          secret.subarray(0, start(chunk) + 15),
          chunk,
          'ERR_TRUNCATED',
        ]),
        ...[0, 5, 6].map((chunk) => [
          `cut 16 bytes into chunk ${chunk}`,
          secret.subarray(0, start(chunk) + 16),
          chunk,
          wrong,
        ]),
        ['one byte less', secret.subarray(0, -1), 6, wrong],
        [
          'the last chunk of another length',
          built([...own.slice(0, 6), chunks(short)[6]]),
          7,
          undefined,
        ],
        ['one byte more', Buffer.concat([secret, Buffer.alloc(1)]), 6, wrong],
        ['a run of zeros more', Buffer.concat([secret, Buffer.alloc(2 * SEALED)]), 6, wrong],
        ['the last chunk twice', Buffer.concat([secret, own[6]]), 6, wrong],
        ['a stream after the stream', Buffer.concat([secret, secret]), 6, wrong],
        ['chunks 0 and 1 exchanged', built([own[1], own[0], ...own.slice(2)]), 0, wrong],
        ['chunks 4 and 5 exchanged', built([...own.slice(0, 4), own[5], own[4], own[6]]), 4, wrong],
        ['chunk 3 twice', built([...own.slice(0, 4), own[3], ...own.slice(4)]), 4, wrong],
        ['chunk 2 left out', built([...own.slice(0, 2), ...own.slice(3)]), 2, wrong],
        ['chunk 0 left out', built(own.slice(1)), 0, wrong],
        [
          'a chunk of another stream',
          built([...own.slice(0, 2), chunks(other)[2], ...own.slice(3)]),
          2,
          wrong,
        ],
        ['the header of another stream', built(own, other), 0, wrong],
        ['nothing', Buffer.alloc(0), 0, 'ERR_TRUNCATED'],
      ];
      for (const [note, bytes, chunk, code] of cases) {
        for (const pieceSize of [7777, MiB]) {
          if (code === undefined)
            assertSame(
              await opened(way, options, cut(bytes, pieceSize)),
              message.subarray(0, 6 * CHUNK),
              note,
            );
          else await refused(way, options, cut(bytes, pieceSize), authentic(chunk), code, note);
        }
      }
      for (const [note, changed] of [
        ['key', { key: numbers.bytes(keys[name].length) }],
        ['context', { context: 'd' }],
        ['no context', { context: '' }],
      ]) {
        await refused(way, { ...options, ...changed }, [secret], Buffer.alloc(0), wrong, note);
      }
    });
  }

  test(`${way}: another algorithm with the same key`, async () => {
    const secret = sealChunked(algorithm, { key, salt, message: Buffer.from('a message') });
    await refused(
      way,
      { algorithm: 'chacha20-poly1305', key },
      [secret],
      Buffer.alloc(0),
      'ERR_AUTHENTICATION',
      'algorithm',
    );
  });

  test(
    `${way}: a bad chunk far into a stream of many runs is named, and nothing from it on ` +
      'comes out',
    async () => {
      const message = numbers.bytes(12 * MiB);
      const secret = sealChunked(algorithm, { key, salt, message });
      for (const chunk of [3, 4, 83, 84, 300, 768]) {
        const changed = Buffer.from(secret);
        changed[HEADER + chunk * SEALED + (chunk === 768 ? 3 : 5000)] ^= 1;
        for (const pieceSize of [65_536, 20 * MiB]) {
          const error = await refused(
            way,
            { algorithm, key },
            cut(changed, pieceSize),
            message.subarray(0, chunk * CHUNK),
            'ERR_AUTHENTICATION',
            `chunk ${chunk}`,
          );
          assert.match(error.message, new RegExp(`chunk ${chunk} `));
        }
      }
    },
  );
}

/**
 * Checks that the stream ends with `code`, and that its output is the start of what is authentic.
 */
async function refused(way, options, pieces, authentic, code, note) {
  const { output, error } = await ways[way].open(options)(pieces);
  assert.equal(error?.code, code, `${note}: ${error}`);
  assert.ok(error instanceof millrace.MillraceError, note);
  assert.ok(
    output.length <= authentic.length,
    `${note}: ${output.length} bytes came out, ${authentic.length} are authentic`,
  );
  assertSame(output, authentic.subarray(0, output.length), note);
  return error;
}

// streams

test('pipes and pipelines of both kinds', async () => {
  const message = numbers.bytes(5 * MiB + 3);
  const options = { algorithm, key, context: 'pipes' };
  const chunks = () => Readable.from(cut(message, 65_536));
  assertSame(
    await buffer(chunks().pipe(sealStream(options)).pipe(openStream(options))),
    message,
    'pipe',
  );
  let collected;
  await pipeline(chunks(), sealStream(options), openStream(options), async (output) => {
    collected = await buffer(output);
  });
  assertSame(collected, message, 'pipeline');
  const body = new Blob([message]).stream().pipeThrough(sealTransformStream(options));
  assertSame(
    Buffer.from(await new Response(body.pipeThrough(openTransformStream(options))).arrayBuffer()),
    message,
    'pipeThrough',
  );
  // One kind into the other.
  const web = Readable.toWeb(chunks().pipe(sealStream(options))).pipeThrough(
    openTransformStream(options),
  );
  assertSame(await buffer(Readable.fromWeb(web)), message, 'both kinds');
});

test('little may be held', async () => {
  const message = numbers.bytes(3 * MiB + 3);
  for (const highWaterMark of [1, 16_384, 30 * MiB]) {
    const options = { algorithm, key, highWaterMark };
    assertSame(
      await buffer(
        Readable.from(cut(message, 65_536)).pipe(sealStream(options)).pipe(openStream(options)),
      ),
      message,
      'pipe',
    );
    const web = new Blob([message])
      .stream()
      .pipeThrough(sealTransformStream(options))
      .pipeThrough(openTransformStream(options));
    assertSame(Buffer.from(await new Response(web).arrayBuffer()), message, 'pipeThrough');
  }
});

test('output that waits for its reader is not joined by a copy', async () => {
  const readThrough = async (stream, pieces) => {
    const output = [];
    for await (const piece of Readable.from(pieces).pipe(stream)) output.push(piece);
    return output;
  };
  const sealed = await readThrough(
    sealStream({ algorithm, key }),
    Array(32).fill(Buffer.alloc(MiB)),
  );
  const opened = await readThrough(openStream({ algorithm, key }), sealed);
  const longest = (pieces) => Math.max(...pieces.map(({ length }) => length));
  // The first two runs are short, and may be taken together with a whole one.
  const chunks = 4 + 16 + 64;
  assert.ok(longest(sealed) <= chunks * SEALED, `${longest(sealed)} bytes`);
  assert.ok(longest(opened) <= chunks * CHUNK, `${longest(opened)} bytes`);
});

test('a piece may be reused as soon as it is taken, keys and contexts at once', async () => {
  const message = numbers.bytes(7 * MiB);
  const [ownKey, context] = [Buffer.from(key), Buffer.from('context')];
  const stream = sealStream({ algorithm, key: ownKey, context });
  const opener = openStream({ algorithm, key: ownKey, context });
  ownKey.fill(0);
  context.fill(0);
  const result = buffer(stream.pipe(opener));
  const piece = Buffer.alloc(3 * MiB);
  for (let at = 0; at < message.length; at += piece.length) {
    const size = message.copy(piece, 0, at);
    await new Promise((resolve, reject) =>
      stream.write(piece.subarray(0, size), (error) => (error ? reject(error) : resolve())),
    );
    piece.fill(0xee);
  }
  stream.end();
  assertSame(await result, message, 'opened');
});

test('a chunk comes out although no more comes in', { timeout: 300_000 }, async () => {
  for (const name of Object.keys(ways)) {
    const message = numbers.bytes(CHUNK + 1);
    const parts = [];
    if (name === 'Node streams') {
      const stream = sealStream({ algorithm, key }).on('data', (part) => parts.push(part));
      stream.write(message);
      while (parts.length < 2) await once(stream, 'data');
      stream.destroy();
    } else {
      const { readable, writable } = sealTransformStream({ algorithm, key });
      const reader = readable.getReader();
      writable
        .getWriter()
        .write(message)
        .catch(() => {});
      while (parts.length < 2) parts.push((await reader.read()).value);
      await reader.cancel();
    }
    assert.deepEqual(
      parts.map(({ length }) => length),
      [HEADER, SEALED],
    );
  }
});

test('without a reader the writer is held back', async () => {
  // Runs under way and waiting, the one gathered, and what both sides hold.
  const bound = (Math.min(millrace.configure().threads + 1, 16) + 1 + 4) * MiB;
  const count = (stream) => {
    let taken = 0;
    const source = new Readable({
      read() {
        taken += 65_536;
        setImmediate().then(() => this.push(Buffer.alloc(65_536)));
      },
    });
    source.pipe(stream);
    return { source, taken: () => taken };
  };
  const stream = sealStream({ algorithm, key });
  const node = count(stream);
  let webTaken = 0;
  const { readable, writable } = sealTransformStream({ algorithm, key });
  const feeding = new ReadableStream({
    async pull(controller) {
      webTaken += 65_536;
      await setImmediate();
      controller.enqueue(new Uint8Array(65_536));
    },
  })
    .pipeTo(writable)
    .catch(() => {});
  try {
    for (
      let still = 0, before = '';
      still < 200 && node.taken() + webTaken < 4 * bound;
      before = `${node.taken()} ${webTaken}`
    ) {
      await setImmediate();
      still = before === `${node.taken()} ${webTaken}` ? still + 1 : 0;
    }
    assert.ok(
      node.taken() > MiB && node.taken() <= bound,
      `a Node stream took ${node.taken()} bytes, allowed ${bound}`,
    );
    assert.ok(
      webTaken > MiB && webTaken <= bound,
      `a web stream took ${webTaken} bytes, allowed ${bound}`,
    );
    // It continues where it stopped.
    let read = 0;
    stream.on('data', (part) => {
      read += part.length;
    });
    while (read < bound) await setImmediate();
  } finally {
    node.source.destroy();
    stream.destroy();
    await readable.cancel();
    await feeding;
  }
});

test('1 GiB flows through seal and open with constant memory', { timeout: 300_000 }, async () => {
  const { code, stdout, stderr } = await run(
    `
    const { Readable, Writable } = require('node:stream');
    const { pipeline } = require('node:stream/promises');
    const MiB = 2 ** 20,
      total = 1024 * MiB;
    const piece = Buffer.alloc(65536, 7);
    let made = 0,
      seen = 0,
      wrong = 0;
    const rss = [];
    const source = new Readable({
      read() {
        if (made === total) return this.push(null);
        made += piece.length;
        this.push(piece);
      },
    });
    const sink = new Writable({
      write(part, encoding, done) {
        const before = Math.floor(seen / (64 * MiB));
        seen += part.length;
        if (part[0] !== 7 || part[part.length - 1] !== 7) wrong++;
        if (Math.floor(seen / (64 * MiB)) > before) {
          globalThis.gc();
          rss.push(process.memoryUsage().rss / MiB);
        }
        done();
      },
    });
    const options = { algorithm: 'aes-128-gcm', key: Buffer.alloc(16, 1) };
    pipeline(source, promises.sealStream(options), promises.openStream(options), sink).then(() => {
      const half = rss.length / 2;
      console.log(
        JSON.stringify({
          seen,
          wrong,
          early: Math.max(...rss.slice(0, half)),
          late: Math.max(...rss.slice(half)),
        }),
      );
    });
  `,
    { flags: ['--expose-gc'], timeout: 300_000 },
  );
  assert.equal(code, 0, stderr);
  const { seen, wrong, early, late } = JSON.parse(stdout);
  assert.deepEqual([seen, wrong], [2 ** 30, 0]);
  // A plateau: what is not held grows by 1024 MiB. Node 24 keeps some tens of MiB more of freed
  // memory for a while.
  assert.ok(late < early + 128, `${early} MiB in the first half, ${late} in the second`);
});

test('a signal destroys the stream, and is let go of', async () => {
  const reason = new Error('enough');
  for (const make of [sealStream, openStream]) {
    const controller = new AbortController();
    const stream = make({ algorithm, key, signal: controller.signal });
    stream.write(Buffer.alloc(10));
    controller.abort(reason);
    const [error] = await once(stream, 'error');
    assert.equal(error.code, 'ABORT_ERR');
    assert.equal(error.cause, reason);
    const late = make({ algorithm, key, signal: controller.signal });
    assert.equal((await once(late, 'error'))[0].code, 'ABORT_ERR');
  }
  for (const make of [sealTransformStream, openTransformStream]) {
    const controller = new AbortController();
    const { readable, writable } = make({ algorithm, key, signal: controller.signal });
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    writer.write(Buffer.alloc(10)).catch(() => {});
    controller.abort(reason);
    await assert.rejects(
      async () => {
        for await (const part of readable) assert.ok(part);
      },
      (error) => error === reason,
    );
    await assert.rejects(writer.write(Buffer.alloc(10)), (error) => error === reason);
    const late = make({ algorithm, key, signal: controller.signal });
    await assert.rejects(late.readable.getReader().read(), (error) => error === reason);
  }
  const { signal } = new AbortController();
  for (const way of Object.keys(ways)) {
    const secret = await sealed(way, { algorithm, key, signal }, [Buffer.alloc(100)]);
    await opened(way, { algorithm, key, signal }, [secret]);
    await refused(
      way,
      { algorithm, key, signal },
      [secret.subarray(1)],
      Buffer.alloc(0),
      'ERR_AUTHENTICATION',
      'under a signal',
    );
  }
  await setImmediate();
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('an error of the source or the sink destroys the stream', async () => {
  const failure = new Error('the disk is gone');
  async function* failing() {
    yield Buffer.alloc(3 * MiB);
    throw failure;
  }
  for (const make of [sealStream, openStream]) {
    const stream = make({ algorithm, key });
    const reason = await pipeline(
      Readable.from(failing()),
      stream,
      new Writable({
        write(part, encoding, done) {
          done();
        },
      }),
    ).catch((error) => error);
    assert.ok(
      reason === failure || (make === openStream && reason.code === 'ERR_AUTHENTICATION'),
      String(reason),
    );
    assert.ok(stream.destroyed);
  }
  const stream = sealStream({ algorithm, key });
  await assert.rejects(
    pipeline(
      Readable.from(cut(Buffer.alloc(3 * MiB), 65_536)),
      stream,
      new Writable({
        write(part, encoding, done) {
          done(failure);
        },
      }),
    ),
    failure,
  );
  assert.ok(stream.destroyed);
  const web = Readable.toWeb(Readable.from(failing())).pipeThrough(
    sealTransformStream({ algorithm, key }),
  );
  await assert.rejects(new Response(web).arrayBuffer());
});

test('write and end callbacks get the error of a destroyed stream', async () => {
  const stream = sealStream({ algorithm, key });
  const outcomes = [];
  // More than is taken while there is no reader.
  for (let index = 0; index < 40; index++)
    stream.write(Buffer.alloc(MiB), (error) => outcomes.push(error?.code));
  stream.end((error) => outcomes.push(error?.code));
  await setImmediate();
  stream.destroy();
  await once(stream, 'close');
  await setImmediate();
  assert.equal(outcomes.length, 41);
  assert.ok(
    outcomes.slice(-20).every((code) => code === 'ERR_STREAM_DESTROYED'),
    outcomes.join(),
  );
  const { readable, writable } = sealTransformStream({ algorithm, key });
  const writer = writable.getWriter();
  const writes = Array.from({ length: 40 }, () => writer.write(new Uint8Array(MiB)));
  const closing = writer.close();
  await setImmediate();
  await readable.cancel(new Error('no more'));
  const ends = await Promise.allSettled([...writes, closing, writer.closed]);
  assert.ok(
    ends.slice(-3).every(({ status }) => status === 'rejected'),
    ends.map(({ status }) => status).join(),
  );
});

test('a chunk that vanishes before it is taken is an error, not a shorter message', async () => {
  const stream = sealStream({ algorithm, key });
  const large = new Uint8Array(100 * MiB);
  stream.write(large);
  structuredClone(large.buffer, { transfer: [large.buffer] });
  stream.resume();
  const [error] = await once(stream, 'error');
  assert.equal(error.code, 'ERR_ARGUMENT_VALUE');
});

test('every key is wiped, however a stream ends', async () => {
  const { createKey, disposeKey } = native;
  let [made, wiped] = [0, 0];
  native.createKey = (...args) => {
    made++;
    return createKey(...args);
  };
  native.disposeKey = (...args) => {
    wiped++;
    return disposeKey(...args);
  };
  try {
    const secret = sealChunked(algorithm, { key, salt, message: Buffer.alloc(3 * MiB) });
    const options = { algorithm, key };
    for (const way of Object.keys(ways)) {
      await sealed(way, options, [Buffer.alloc(3 * MiB)]);
      await opened(way, options, [secret]);
      await ways[way].open(options)([secret.subarray(0, 10)]);
      await ways[way].open(options)([secret.subarray(1)]);
      await ways[way].open(options)([secret.subarray(0, -1)]);
    }
    for (const make of [sealStream, openStream]) {
      make(options).destroy();
      const stream = make(options);
      stream.write(secret);
      await setImmediate();
      stream.destroy();
      await once(stream, 'close');
      const controller = new AbortController();
      make({ ...options, signal: controller.signal })
        .on('error', () => {})
        .write(secret);
      controller.abort();
      await setImmediate();
    }
    for (const make of [sealTransformStream, openTransformStream]) {
      for (const end of ['cancel', 'abort', 'signal']) {
        const controller = new AbortController();
        const { readable, writable } = make({ ...options, signal: controller.signal });
        const writer = writable.getWriter();
        writer.closed.catch(() => {});
        writer.write(secret).catch(() => {});
        await setImmediate();
        if (end === 'cancel') await readable.cancel();
        else if (end === 'abort') await writer.abort();
        else controller.abort();
        await setImmediate();
      }
    }
    assert.ok(made > 30);
    assert.equal(wiped, made);
  } finally {
    Object.assign(native, { createKey, disposeKey });
  }
});

test('streams left in the middle are collected with their memory', async () => {
  const leave = (index) => {
    const stream =
      index % 2 === 0 ? sealStream({ algorithm, key }) : openStream({ algorithm, key });
    stream.on('error', () => {});
    stream.write(Buffer.alloc(2 * MiB));
    if (index % 3 === 0) stream.destroy();
    return new WeakRef(stream);
  };
  const left = [];
  for (let index = 0; index < 50; index++) {
    left.push(leave(index));
    if (index % 10 === 9) await setImmediate();
  }
  while (promises.engines().threads.queued > 0) await setImmediate();
  for (let round = 0; round < 50 && left.some((ref) => ref.deref() !== undefined); round++) {
    await setImmediate();
    collectGarbage();
  }
  assert.equal(left.filter((ref) => ref.deref() !== undefined).length, 0);
});

test('wrong options are refused at once', () => {
  const cases = [
    [undefined, 'ERR_MISSING_ARGUMENT', /options/],
    ['text', 'ERR_ARGUMENT_TYPE', /options/],
    [{ key }, 'ERR_ARGUMENT_TYPE', /algorithm/],
    [{ algorithm: 'aes-512-gcm', key }, 'ERR_UNKNOWN_ALGORITHM', /aes-512-gcm/],
    ...['aes-256-ctr', 'aes-192-gcm', 'xchacha20-poly1305', 'aes-256-gcm-siv', 'chacha20'].map(
      (name) => [{ algorithm: name, key }, 'ERR_ARGUMENT_VALUE', /algorithm/],
    ),
    [{ algorithm }, 'ERR_ARGUMENT_TYPE', /key/],
    [{ algorithm, key: 'a string of thirty-two characters' }, 'ERR_ARGUMENT_TYPE', /key/],
    [
      { algorithm, key: millrace.createKey('aes-256-ctr', key) },
      'ERR_KEY_ALGORITHM',
      /aes-256-ctr/,
    ],
    [
      { algorithm, key: millrace.createKey('chacha20-poly1305', key) },
      'ERR_KEY_ALGORITHM',
      /chacha20-poly1305/,
    ],
    [{ algorithm, key: key.subarray(1) }, 'ERR_KEY_SIZE', /key must be 32 bytes/],
    [{ algorithm, key: Buffer.alloc(64) }, 'ERR_KEY_SIZE', /key/],
    [{ algorithm, key: createSecretKey(key.subarray(1)) }, 'ERR_KEY_SIZE', /key/],
    [{ algorithm, key, context: 5 }, 'ERR_ARGUMENT_TYPE', /context/],
    [{ algorithm, key, signal: {} }, 'ERR_ARGUMENT_TYPE', /signal/],
    [{ algorithm, key, highWaterMark: -1 }, 'ERR_ARGUMENT_VALUE', /highWaterMark/],
    [{ algorithm, key, highWaterMark: 0 }, 'ERR_ARGUMENT_VALUE', /highWaterMark/],
    [{ algorithm, key, highWaterMark: '1' }, 'ERR_ARGUMENT_TYPE', /highWaterMark/],
  ];
  for (const make of [sealStream, openStream, sealTransformStream, openTransformStream]) {
    for (const [options, code, names] of cases) {
      assert.throws(
        () => make(options),
        (error) => {
          assert.ok(error instanceof millrace.MillraceError, String(error));
          assert.equal(error.code, code, error.message);
          assert.match(error.message, names);
          return true;
        },
      );
    }
  }
});

test('the web streams take bytes only', async () => {
  for (const wrong of ['text', 5, null, {}]) {
    const { readable, writable } = sealTransformStream({ algorithm, key });
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    const reading = readable
      .getReader()
      .read()
      .catch(() => {});
    await assert.rejects(writer.write(wrong), { code: 'ERR_ARGUMENT_TYPE' });
    await reading;
  }
});
