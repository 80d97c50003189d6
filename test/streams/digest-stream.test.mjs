// Sources of chunks: every kind gives the digest of the whole; an error closes it.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import millrace from 'millrace';
import { hash, hmac } from 'millrace/promises';

import { output } from '../support/child.mjs';
import { random } from '../support/random.mjs';

const numbers = random('pieces');
const message = numbers.bytes(700_001);
const digest = millrace.hash('sha256', message, 'hex');

/** Returns the message cut at every multiple of `size`. */
function cut(size) {
  return Array.from({ length: Math.ceil(message.length / size) }, (_, index) =>
    message.subarray(index * size, (index + 1) * size),
  );
}

async function* each(pieces) {
  for (const piece of pieces) {
    await null;
    yield piece;
  }
}

const kinds = {
  'an async generator': (pieces) => each(pieces),
  'a Readable': (pieces) => Readable.from(pieces),
  'a Readable of bytes': (pieces) => Readable.from(pieces, { objectMode: false }),
  'a web stream': (pieces) => ReadableStream.from(pieces),
  'a Blob': (pieces) => new Blob(pieces),
  'a response': (pieces) => new Response(new Blob(pieces)).body,
};

for (const [kind, make] of Object.entries(kinds)) {
  test(`${kind}, cut in chunks of any size`, async () => {
    for (const size of [700_001, 100_003, 65_536, 65_535, 4096, 997])
      assert.equal(await hash('sha256', make(cut(size)), 'hex'), digest, `${size}`);
    assert.equal(await hash('sha256', make([]), 'hex'), millrace.hash('sha256', '', 'hex'));
  });
}

test('chunks of mixed sizes, empty ones among them', async () => {
  for (let round = 0; round < 20; round++) {
    const pieces = [];
    for (let at = 0; at < message.length;) {
      const size = numbers.pick([0, 1, 63, 64, 1000, 65_535, 65_536, 65_537, 200_000]);
      pieces.push(message.subarray(at, at + size));
      at += size;
    }
    assert.equal(await hash('sha256', each(pieces), 'hex'), digest);
  }
});

test('bytes in every form, and strings', async () => {
  const copy = message.slice(0, 70_000);
  const pieces = [
    'grüße \ud83d\ude00',
    new Uint16Array([1, 2, 3]),
    new DataView(copy.buffer, copy.byteOffset, 99),
    copy.buffer.slice(0, 5),
    new SharedArrayBuffer(3),
    'x'.repeat(100_000),
  ];
  const whole = Buffer.from(await new Blob(pieces).arrayBuffer());
  assert.equal(await hash('sha256', each(pieces), 'hex'), millrace.hash('sha256', whole, 'hex'));
});

test('an iterable may use the memory of a piece again', async () => {
  async function* again(size) {
    const memory = Buffer.alloc(size);
    for (const piece of cut(size)) {
      piece.copy(memory);
      yield memory.subarray(0, piece.length);
      memory.fill(0);
    }
  }
  for (const size of [1000, 65_536, 100_000])
    assert.equal(await hash('sha256', again(size), 'hex'), digest, `${size}`);
});

test('every algorithm, encoding and option', async () => {
  // TupleHash takes no stream.
  for (const algorithm of millrace.getHashes().filter((name) => !name.startsWith('tuplehash'))) {
    const options = {
      ...(algorithm.startsWith('shake') && { outputLength: 77 }),
      ...(algorithm.startsWith('kmac') && { key: Buffer.alloc(32, 1) }),
    };
    assert.deepEqual(
      await hash(algorithm, each(cut(65_537)), options),
      millrace.hash(algorithm, message, options),
      algorithm,
    );
  }
  for (const encoding of ['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'])
    for (const given of [encoding, { encoding }])
      assert.deepEqual(
        await hash('sha512', each(cut(1000)), given),
        millrace.hash('sha512', message, encoding),
      );
  for (const [algorithm, options] of [
    ['blake3', { key: numbers.bytes(32), outputLength: 100 }],
    ['xxh64', { seed: 7n, encoding: 'bigint' }],
  ])
    assert.deepEqual(
      await hash(algorithm, each(cut(70_000)), options),
      millrace.hash(algorithm, message, options),
    );
  const target = Buffer.alloc(40);
  assert.equal(await hash('sha256', each(cut(70_000)), { target, targetOffset: 3 }), 32);
  assert.equal(target.toString('hex', 3, 35), digest);
});

test('HMAC with a raw and a prepared key', async () => {
  const key = numbers.bytes(200);
  const expected = millrace.hmac('sha512', key, message);
  assert.deepEqual(await hmac('sha512', key, each(cut(70_000))), expected);
  assert.deepEqual(
    await hmac('sha512', millrace.createKey('hmac-sha512', key), Readable.from(cut(100)), 'hex'),
    expected.toString('hex'),
  );
});

test('progress reports the bytes hashed, and the total if it is known', async () => {
  for (const [source, total] of [
    [new Blob(cut(50_000)), message.length],
    [each(cut(50_000)), undefined],
  ]) {
    const seen = [];
    await hash('sha256', source, { onProgress: (progress) => seen.push(progress) });
    assert.ok(seen.length > 0);
    assert.deepEqual(seen.at(-1), { bytes: message.length, total });
    assert.deepEqual(
      seen.map(({ bytes }) => bytes),
      seen.map(({ bytes }) => bytes).toSorted((left, right) => left - right),
    );
  }
});

test('progress keeps the context of its call', async () => {
  const storage = new AsyncLocalStorage();
  const seen = new Set();
  await storage.run('here', () =>
    hash('sha256', each(cut(70_000)), { onProgress: () => seen.add(storage.getStore()) }),
  );
  assert.deepEqual([...seen], ['here']);
});

// what goes wrong

/** Returns an async iterable that tells how it ended. */
function watched(pieces, { failing } = {}) {
  const source = {
    ended: undefined,
    async *[Symbol.asyncIterator]() {
      source.ended = 'early';
      try {
        yield* pieces;
        if (failing !== undefined) throw failing;
        source.ended = 'whole';
      } finally {
        source.closed = true;
      }
    },
  };
  return source;
}

test('an error of the source is passed on as it is', async () => {
  const failing = new Error('the disk is gone');
  for (const source of [
    watched(cut(70_000), { failing }),
    new Readable({
      read() {
        this.destroy(failing);
      },
    }),
    new ReadableStream({ pull: (controller) => controller.error(failing) }),
  ])
    await assert.rejects(hash('sha256', source), (error) => error === failing);
});

test('an invalid chunk is refused and the source is closed', async () => {
  for (const wrong of [1, null, undefined, {}, [1], Symbol('x'), true, 1n]) {
    const source = watched([message.subarray(0, 70_000), wrong, message]);
    await assert.rejects(hash('sha256', source), {
      code: 'ERR_ARGUMENT_TYPE',
      message: /^chunk must be/,
    });
    await sleep(0);
    assert.equal(source.closed, true);
    assert.equal(source.ended, 'early');
  }
  const readable = Readable.from([message, 5, message]);
  await assert.rejects(hash('sha256', readable), { code: 'ERR_ARGUMENT_TYPE' });
  assert.equal(readable.destroyed, true);
});

test('an abort midway closes the source and rejects with the reason at once', async () => {
  const reason = new Error('enough');
  const never = () => new Promise(() => {});
  const sources = {
    iterable: () => {
      const source = {
        async next() {
          return source.begun ? never() : ((source.begun = true), { value: message, done: false });
        },
        async return() {
          source.closed = true;
          return {};
        },
        [Symbol.asyncIterator]() {
          return source;
        },
      };
      return [source, () => source.closed];
    },
    readable: () => {
      const source = new Readable({ read() {} });
      source.push(message);
      return [source, () => source.destroyed];
    },
    web: () => {
      let cancelled;
      const source = new ReadableStream(
        {
          start: (controller) => controller.enqueue(message),
          pull: never,
          cancel(why) {
            cancelled = why;
          },
        },
        { highWaterMark: 0 },
      );
      return [source, () => cancelled === reason];
    },
  };
  for (const [name, make] of Object.entries(sources)) {
    const [source, closed] = make();
    const controller = new AbortController();
    const hashing = hash('sha256', source, { signal: controller.signal });
    await sleep(5);
    controller.abort(reason);
    await assert.rejects(hashing, (error) => error === reason, name);
    await sleep(0);
    assert.equal(closed(), true, name);
  }
});

test('an array is refused: it might be many messages', async () => {
  for (const wrong of [[], ['a'], [message], new Set([message]), new String('a')])
    await assert.rejects(hash('sha256', wrong), {
      code: 'ERR_ARGUMENT_TYPE',
      message: /^data must be/,
    });
});

test('an error in onProgress ends the hashing and closes the source', async () => {
  const source = watched(cut(70_000));
  const failing = new Error('mine');
  const onProgress = () => {
    throw failing;
  };
  await assert.rejects(hash('sha256', source, { onProgress }), failing);
  await sleep(0);
  assert.deepEqual([source.closed, source.ended], [true, 'early']);
});

test('what is aborted or refused at the call reads nothing', async () => {
  let read = false;
  const next = () => {
    read = true;
    return { done: true };
  };
  const source = { [Symbol.asyncIterator]: () => ({ next }) };
  for (const [call, expected] of [
    [() => hash('sha256', source, 'hex', { signal: AbortSignal.abort() }), { name: 'AbortError' }],
    [() => hash('sha255', source), { code: 'ERR_UNKNOWN_ALGORITHM', message: /sha256/ }],
    [() => hash('shake128', source, { outputLength: 0 }), { code: 'ERR_OUTPUT_SIZE' }],
    [() => hash('sha256', source, 'hexx'), { code: 'ERR_ARGUMENT_VALUE' }],
    [() => hash('sha256', source, { onProgress: 5 }), { code: 'ERR_ARGUMENT_TYPE' }],
    [() => hash('sha256', source, { signal: {} }), { code: 'ERR_ARGUMENT_TYPE' }],
    [() => hash('sha256', source, 'hex', 5), { code: 'ERR_ARGUMENT_TYPE' }],
    [() => hash('sha256', source, { target: Buffer.alloc(31) }), { code: 'ERR_ARGUMENT_VALUE' }],
    [() => hash('blake3', source, { key: Buffer.alloc(31) }), { code: 'ERR_KEY_SIZE' }],
    [() => hmac('shake128', 'key', source), { code: 'ERR_ARGUMENT_VALUE' }],
    [() => hmac('sha256', 5, source), { code: 'ERR_ARGUMENT_TYPE' }],
  ])
    await assert.rejects(call, expected);
  assert.equal(read, false);
});

test('2 GiB from a generator in constant memory', { timeout: 300_000 }, async () => {
  const printed = await output(
    `
    const block = Buffer.alloc(1 << 20, 'millrace');
    function* blocks() {
      for (let index = 0; index < 2048; index++) {
        block.writeUInt32LE(index);
        yield block;
      }
    }
    async function* chunks() {
      yield* blocks();
    }
    let [peak, base] = [0, 0];
    const onProgress = ({ bytes }) => {
      if (bytes > 2 ** 27) peak = Math.max(peak, process.memoryUsage.rss());
      else base = process.memoryUsage.rss();
    };
    promises.hash('xxh3-64', chunks(), { encoding: 'hex', onProgress }).then((digest) => {
      const hasher = millrace.createHash('xxh3-64');
      for (const each of blocks()) hasher.update(each);
      console.log(digest === hasher.digest('hex'), Math.round((peak - base) / 2 ** 20));
    });
  `,
    { timeout: 300_000 },
  );
  const [same, grown] = printed.trim().split(' ');
  assert.equal(same, 'true');
  assert.ok(Number(grown) < 64, `memory grew by ${grown} MiB`);
});

test('endless small chunks let the event loop turn', async () => {
  let turned = 0;
  const timer = setInterval(() => {
    turned += 1;
  }, 1);
  async function* tiny() {
    for (let index = 0; index < 300_000; index++) yield message.subarray(0, 32);
  }
  await hash('blake3', tiny());
  clearInterval(timer);
  assert.ok(turned > 0);
});
