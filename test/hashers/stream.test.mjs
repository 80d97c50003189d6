// Hashers as streams: what node:crypto's Hash and Hmac do as Transforms, with them as the oracles.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compose, Duplex, PassThrough, Readable, Transform, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished, pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import millrace from 'millrace';

import { output, temporary } from '../support/child.mjs';
import { families, pieces, subjects } from '../support/hashers.mjs';
import { random } from '../support/random.mjs';

const { createHash, createHmac } = millrace;
const rng = random('streams');
const message = rng.bytes(300_000);
const expected = crypto.createHash('sha256').update(message).digest();

/** Both, for what must be alike. */
const makers = {
  'node:crypto': {
    hash: (options) => crypto.createHash('sha256', options),
    hmac: () => crypto.createHmac('sha256', 'key'),
  },
  millrace: {
    hash: (options) => createHash('sha256', options),
    hmac: () => createHmac('sha256', 'key'),
  },
};

/** Tests that both give the same. */
async function alike(name, act) {
  await test(name, async () => {
    const found = {};
    for (const [name, make] of Object.entries(makers)) found[name] = await act(make);
    assert.deepEqual(found.millrace, found['node:crypto']);
  });
}

/** Ways to send chunks through a hasher and to read its digest. */
const readings = {
  async data(stream, chunks) {
    const got = [];
    stream.on('data', (chunk) => got.push(chunk));
    Readable.from(chunks).pipe(stream);
    await once(stream, 'end');
    return Buffer.concat(got);
  },
  async readable(stream, chunks) {
    for (const chunk of chunks) if (!stream.write(chunk)) await once(stream, 'drain');
    stream.end();
    await once(stream, 'readable');
    return stream.read();
  },
  iteration: (stream, chunks) => buffer(Readable.from(chunks).pipe(stream)),
  pipeline: (stream, chunks) => pipeline(chunks, stream, buffer),
  async text(stream, chunks) {
    stream.setEncoding('hex');
    await pipeline(Readable.from(chunks), stream);
    return Buffer.from((await stream.toArray()).join(''), 'hex');
  },
  async 'web streams'(stream, chunks) {
    const { readable, writable } = Duplex.toWeb(stream);
    const writing = Readable.toWeb(Readable.from(chunks)).pipeTo(writable);
    const got = await buffer(readable);
    await writing;
    return got;
  },
};

test('every algorithm hashes random chunks in every reading mode', async () => {
  for (const subject of subjects) {
    const data = message.subarray(0, rng.pick([0, 1, 1000, 5000, 100_000, 300_000]));
    const reading = rng.pick(Object.keys(readings));
    assert.deepEqual(
      await readings[reading](subject.make(), pieces(data, rng)),
      subject.expected(data),
      `${subject.name}, ${data.length} bytes, ${reading}`,
    );
  }
});

test('chunks may have any size, from tiny to 4 MiB', async () => {
  for (const size of [1, 7, 1023, 1024, 65_535, 65_536, 65_537, 2 ** 20, 4 * 2 ** 20]) {
    const chunk = Buffer.alloc(size, 'chunk');
    const count = size < 100 ? 20_000 : 5;
    const oracle = crypto.createHash('sha256');
    for (let index = 0; index < count; index++) oracle.update(chunk);
    const [digest] = await Readable.from(Array.from({ length: count }, () => chunk))
      .pipe(createHash('sha256'))
      .toArray();
    assert.deepEqual(digest, oracle.digest(), `${count} chunks of ${size} bytes`);
  }
});

test('large and small chunks by turns keep their order', async () => {
  for (const subject of families) {
    const chunks = Array.from({ length: 30 }, (_, index) =>
      message.subarray(index, index + rng.pick([1, 100, 70_000, 5000, 66_000])),
    );
    const stream = subject.make();
    for (const chunk of chunks) stream.write(chunk);
    stream.end(Buffer.from('end'));
    const digest = subject.expected(Buffer.concat([...chunks, Buffer.from('end')]));
    assert.deepEqual((await stream.toArray())[0], digest, subject.name);
  }
});

test('a piped file has its digest', async () => {
  const folder = temporary();
  const file = join(folder, 'file');
  writeFileSync(file, message);
  const [digest] = await createReadStream(file).pipe(createHash('sha256')).toArray();
  assert.deepEqual(digest, expected);
  await rm(folder, { recursive: true });
});

await alike(
  'end with a chunk, with a text, with a text and an encoding, with nothing',
  async ({ hash }) => {
    const digests = [];
    for (const given of [
      [message],
      ['grün'],
      ['6162', 'hex'],
      ['YWI=', 'base64'],
      ['ÿ', 'latin1'],
      [],
      ...[undefined, null, new Uint8Array([1, 2]), ''].map((each) => [each]),
    ]) {
      const [digest] = await hash()
        .end(...given)
        .toArray();
      digests.push(digest.toString('hex'));
    }
    return digests;
  },
);

await alike('setEncoding, defaultEncoding, setDefaultEncoding', async ({ hash }) => {
  const found = [];
  for (const encoding of ['hex', 'base64', 'latin1', 'utf8', 'base64url'])
    found.push((await hash().setEncoding(encoding).end('abc').toArray()).join(''));
  for (const options of [
    { defaultEncoding: 'latin1' },
    { defaultEncoding: 'hex' },
    { encoding: 'hex' },
  ])
    found.push((await hash(options).end('abcd').toArray()).map(String).join(''));
  const stream = hash();
  stream.setDefaultEncoding('hex');
  stream.write('6162');
  found.push((await stream.end().toArray())[0].toString('hex'));
  return found;
});

await alike('update and digest as well as a stream', async ({ hash, hmac }) => {
  const found = [];
  const stream = hash();
  stream.update('before');
  stream.write('middle');
  stream.update('after');
  stream.end();
  found.push((await stream.toArray())[0].toString('hex'));
  for (const make of [hash, hmac]) {
    const each = make();
    each.write('one');
    each.write('two');
    found.push(each.digest('hex'));
  }
  const copied = hash();
  copied.write('one');
  const copy = copied.copy();
  copied.end('two');
  found.push((await copied.toArray())[0].toString('hex'), copy.update('three').digest('hex'));
  return found;
});

await alike('what a stream says of itself', async ({ hash }) => {
  const stream = hash();
  const told = (names) => names.map((name) => stream[name]);
  const before = [
    ...[Transform, Duplex, Readable, Writable].map((Class) => stream instanceof Class),
    ...['pipe', Symbol.asyncIterator].map((name) => typeof stream[name]),
    Object.keys(stream).length > 20,
  ];
  const states = ['writable', 'readable', 'writableEnded', 'readableEnded', 'destroyed'];
  const sizes = ['writableHighWaterMark', 'readableHighWaterMark', 'writableLength'];
  const modes = ['writableObjectMode', 'readableObjectMode'];
  const during = told([...states, ...sizes, ...modes]);
  stream.end('x');
  await stream.toArray();
  await turn();
  const after = told([...states, 'writableFinished', 'errored', 'closed']);
  return [before, during, after];
});

await alike('events in order', async ({ hash }) => {
  const seen = [];
  const stream = hash();
  const writing = ['pipe', 'unpipe', 'prefinish', 'finish', 'drain'];
  for (const name of [...writing, 'data', 'end', 'close', 'error'])
    stream.on(name, () => seen.push(name));
  Readable.from([Buffer.from('a'), Buffer.from('b')]).pipe(stream);
  await once(stream, 'close');
  return seen;
});

// misuse

await alike('write after end', async ({ hash }) => {
  const stream = hash();
  stream.end('a');
  const error = once(stream, 'error');
  stream.write('b', (reason) => assert.equal(reason.code, 'ERR_STREAM_WRITE_AFTER_END'));
  return (await error)[0].code;
});

await alike('end twice', async ({ hash }) => {
  const stream = hash();
  stream.resume();
  stream.end('a');
  stream.end();
  await finished(stream);
  const codes = [];
  await new Promise((resolve) => {
    stream.on('error', (error) => codes.push(error.code));
    stream.end('b', (error) => {
      codes.push(error?.code);
      resolve();
    });
  });
  await turn();
  return codes;
});

await alike('write of null, of a number, of an object', async ({ hash }) => {
  return [null, 5, {}, true, [1]].map((value) => {
    try {
      hash().write(value);
      return 'taken';
    } catch (error) {
      return error.code;
    }
  });
});

test('other views and ArrayBuffers are refused or read as node:stream does', () => {
  for (const value of [
    new ArrayBuffer(4),
    new DataView(new ArrayBuffer(4)),
    new Float64Array([1, 2]),
  ]) {
    const [theirs, ours] = Object.values(makers).map(({ hash }) => {
      try {
        const stream = hash().on('error', () => {});
        stream.write(value);
        return stream.digest('hex');
      } catch (error) {
        return error.code;
      }
    });
    assert.equal(ours, theirs, value.constructor.name);
  }
});

test('update, copy and export after the stream has ended', async () => {
  const stream = createHash('sha256');
  stream.end('a');
  await stream.toArray();
  for (const late of [() => stream.update('b'), () => stream.copy(), () => stream.exportState()]) {
    assert.throws(late, { code: 'ERR_HASHER_SPENT' });
  }
  // A stream that has ended stays so, but the hasher can be used again.
  assert.equal(stream.reset().update('abc').digest('hex'), millrace.hash('sha256', 'abc', 'hex'));
  assert.throws(() => stream.write.call(null, 'x'), TypeError);
});

test('digest() after the stream has ended gives its digest once, as in node:crypto', async () => {
  const inForms = {
    buffer: (stream) => stream.digest('hex'),
    latin1: (stream) => Buffer.from(stream.digest('latin1'), 'latin1').toString('hex'),
    bigint: (stream) => stream.digest('bigint').toString(16).padStart(64, '0'),
    callback: (stream) =>
      new Promise((resolve, reject) =>
        stream.digest('hex', (error, digest) => (error ? reject(error) : resolve(digest))),
      ),
    promise: (stream) => stream.digestAsync('hex'),
    into: (stream) => {
      const target = Buffer.alloc(40);
      assert.equal(stream.digestInto(target, 8), 32);
      return target.toString('hex', 8);
    },
  };
  for (const [what, make] of Object.entries({
    createHash: (library) => library.createHash('sha256'),
    createHmac: (library) => library.createHmac('sha256', 'key'),
  })) {
    for (const size of [3, message.length]) {
      const source = message.subarray(0, size);
      const wanted = make(crypto).update(source).digest('hex');
      for (const [form, digestOf] of Object.entries(inForms)) {
        const stream = make(millrace);
        await pipeline(Readable.from([source]), stream);
        const read = stream.read();
        assert.equal(read.toString('hex'), wanted);
        read.fill(0); // the reader's copy is the reader's
        assert.equal(await digestOf(stream), wanted, `${what}, ${size} bytes, ${form}`);
        const spent = { code: 'ERR_HASHER_SPENT' };
        assert.throws(() => stream.digest(), spent, `${what}: a second time`);
        await assert.rejects(stream.digestAsync(), spent);
      }
    }
    const stream = make(millrace);
    const finish = once(stream, 'finish');
    stream.end(message);
    await finish;
    const whole = make(crypto).update(message).digest('hex');
    assert.equal(stream.digest('hex'), whole, `${what}: on 'finish'`);
  }
});

test('digest() before the stream ends: end() fails with ERR_HASHER_SPENT', async () => {
  for (const size of [3, 200_000]) {
    const stream = createHash('sha256');
    stream.write(Buffer.alloc(3));
    stream.digest();
    const error = once(stream, 'error');
    stream.end(Buffer.alloc(size));
    assert.equal((await error)[0].code, 'ERR_HASHER_SPENT');
    assert.equal(stream.destroyed, true);
    const empty = createHash('sha256');
    empty.digest();
    empty.resume().end();
    await assert.rejects(finished(empty), { code: 'ERR_HASHER_SPENT' });
  }
});

test('an unknown encoding of a chunk is an error', async () => {
  const stream = createHash('sha256');
  assert.throws(() => stream.write('abc', 'klingon'), { code: 'ERR_UNKNOWN_ENCODING' });
  stream.end();
  assert.deepEqual((await stream.toArray())[0], millrace.hash('sha256', ''));
});

test('shake128 is a stream with and without an outputLength', async () => {
  for (const options of [undefined, { outputLength: 200 }]) {
    const [digest] = await createHash('shake128', options).end('a').toArray();
    assert.deepEqual(digest, millrace.hash('shake128', 'a', options));
  }
});

test('a key disposed midway is an error of the stream', async () => {
  for (const size of [10, 200_000]) {
    const key = millrace.createKey('hmac-sha256', 'key');
    const stream = createHmac('sha256', key);
    stream.write(Buffer.alloc(size));
    await turn();
    key.dispose();
    stream.resume().end(Buffer.alloc(size));
    await assert.rejects(finished(stream), { code: 'ERR_KEY_DISPOSED' });
  }
});

// ends before the end

test('a source that fails midway gives no digest', async () => {
  for (const size of [10, 100_000]) {
    const stream = createHash('sha256');
    function* failing() {
      for (let index = 0; index < 5; index++) yield Buffer.alloc(size);
      throw new Error('midway');
    }
    const source = Readable.from(failing());
    const sink = new PassThrough();
    await assert.rejects(pipeline(source, stream, sink), { message: 'midway' });
    assert.ok(stream.destroyed && sink.destroyed);
    assert.equal(sink.read(), null, 'no digest of half a message');
  }
});

test('a stream destroyed with chunks in flight gives no digest', async () => {
  for (const error of [undefined, new Error('enough')]) {
    const stream = createHash('sha256');
    const told = [];
    stream.on('error', (reason) => told.push(reason.message));
    stream.on('data', () => assert.fail('a digest of half a message'));
    for (let index = 0; index < 5; index++) stream.write(Buffer.alloc(500_000), () => {});
    stream.destroy(error);
    await once(stream, 'close').catch(() => {});
    await turn();
    assert.deepEqual(told, error ? ['enough'] : []);
    assert.equal(stream.destroyed, true);
    // Jobs on the pool have returned by now, or return later without harm.
    for (let busy = true; busy; await turn()) {
      try {
        stream.reset();
        busy = false;
      } catch (reason) {
        assert.equal(reason.code, 'ERR_HASHER_BUSY');
      }
    }
    assert.equal(stream.update('abc').digest('hex'), millrace.hash('sha256', 'abc', 'hex'));
  }
});

test('aborted by a signal', async () => {
  const controller = new AbortController();
  const stream = createHash('sha256', { signal: controller.signal });
  stream.write(Buffer.alloc(300_000));
  controller.abort();
  await assert.rejects(finished(stream), { name: 'AbortError' });
});

test('a reader may leave early', async () => {
  for await (const chunk of Readable.from([message]).pipe(createHash('sha256'))) {
    assert.deepEqual(chunk, expected);
    break;
  }
  const stream = createHash('sha256');
  stream.write('a');
  await stream[Symbol.asyncIterator]().return();
  assert.equal(stream.digest('hex'), millrace.hash('sha256', 'a', 'hex'));
});

test('busy while a large chunk is on the pool, as with updates', async () => {
  const stream = createHash('sha256');
  stream.write(Buffer.alloc(2 ** 21));
  assert.throws(() => stream.update('a'), { code: 'ERR_HASHER_BUSY' });
  assert.throws(() => stream.digest(), { code: 'ERR_HASHER_BUSY' });
  stream.end('b');
  const whole = Buffer.concat([Buffer.alloc(2 ** 21), Buffer.from('b')]);
  const digest = crypto.createHash('sha256').update(whole).digest();
  assert.deepEqual((await stream.toArray())[0], digest);
});

// options and inheritance

test('options of stream.Transform are handed on', async () => {
  const stream = createHash('sha256', { highWaterMark: 5, emitClose: false, encoding: 'hex' });
  assert.equal(stream.writableHighWaterMark, 5);
  assert.equal(stream.write('a'), true);
  assert.equal(createHmac('sha256', 'key', { highWaterMark: 7 }).writableHighWaterMark, 7);
  assert.equal(createHash('sha256').copy({ highWaterMark: 9 }).writableHighWaterMark, 9);
  stream.end();
  assert.equal((await stream.toArray()).join(''), millrace.hash('sha256', 'a', 'hex'));
});

test('options that would replace the hash do not make a wrong digest', async () => {
  // A transform or flush of the options' own is node:stream's business; the hasher's digest stays
  // what was taken in.
  for (const options of [
    { transform: (chunk, _encoding, done) => done() },
    { write: (_chunk, _encoding, done) => done() },
  ]) {
    const ours = createHash('sha256', options);
    const theirs = crypto.createHash('sha256', options);
    for (const stream of [ours, theirs]) stream.write('abc');
    await turn();
    assert.equal(ours.digest('hex'), theirs.digest('hex'));
  }
});

test('streams may be composed, several in one pipeline', async () => {
  const streams = [createHash('sha256'), createHash('sha1')];
  const both = await pipeline(Readable.from([message]), ...streams, buffer);
  assert.deepEqual(both, crypto.createHash('sha1').update(expected).digest());
  const composed = compose(new PassThrough(), createHash('sha256'));
  composed.end(message);
  assert.deepEqual((await composed.toArray())[0], expected);
});

test('one source may be piped to many hashers', async () => {
  const source = new PassThrough().setMaxListeners(100);
  const streams = families.map((subject) => ({ subject, stream: source.pipe(subject.make()) }));
  for (const piece of pieces(message, rng)) if (!source.write(piece)) await once(source, 'drain');
  source.end();
  for (const { subject, stream } of streams)
    assert.deepEqual((await stream.toArray())[0], subject.expected(message), subject.name);
});

test('a stream costs nothing until it is one', () => {
  const hash = createHash('sha256');
  hash.update('a').copy().digest();
  // Its own function is what structured clones refuse.
  assert.deepEqual(Object.getOwnPropertyNames(hash), ['_transform']);
  assert.deepEqual(Object.getOwnPropertySymbols(hash), []);
  assert.equal(hash.writable, true);
  assert.ok(Object.getOwnPropertyNames(hash).includes('_writableState'));
});

test('memory stays flat over a stream of 2 GiB', async () => {
  const printed = await output(`
    const { pipeline } = require('node:stream/promises');
    const chunk = Buffer.alloc(2 ** 20, 5);
    let [peak, base] = [0, 0];
    function* generated() {
      for (let index = 0; index < 2048; index++) {
        if (index === 256) base = process.memoryUsage().rss;
        if (index > 256 && index % 64 === 0) peak = Math.max(peak, process.memoryUsage().rss);
        yield chunk;
      }
    }
    pipeline(generated, millrace.createHash('blake3'), (hash) => hash.toArray()).then(([digest]) =>
      console.log(digest.length, peak - base < 48 * 2 ** 20 || peak - base),
    );
  `);
  assert.equal(printed, '32 true\n');
});
