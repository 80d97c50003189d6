// Hashers: the main things, with node:crypto as the judge.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { Readable, Transform, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { inspect } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

const { createHash, createHmac, createKey } = millrace;
const source = crypto.randomBytes(300_000);
const judged = ['md5', 'sha1', 'sha256', 'sha512', 'sha3-256', 'blake2b512', 'ripemd160'];

/** Random cuts, many of them small. */
function pieces(bytes) {
  const cuts = [];
  for (let at = 0; at < bytes.length; ) {
    const size = Math.min(bytes.length - at, [0, 1, 63, 64, 500, 511, 512, 1024, 4095, 4096, 5000, 70_000][crypto.randomInt(12)]);
    cuts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cuts;
}

for (const algorithm of judged) {
  test(`${algorithm}: pieces come to what the whole does`, () => {
    for (const size of [0, 1, 64, 1023, 1024, 1025, 4095, 4096, 4097, 10_000, 300_000]) {
      const message = source.subarray(0, size);
      const hash = createHash(algorithm);
      for (const piece of pieces(message)) hash.update(piece);
      assert.equal(hash.digest('hex'), crypto.createHash(algorithm).update(message).digest('hex'), `${size} bytes`);
    }
  });
}

test('all algorithms: pieces come to what hash() does', () => {
  for (const algorithm of millrace.getHashes()) {
    const options = algorithm.startsWith('shake') ? { outputLength: 40 } : {};
    for (const size of [0, 100, 5000, 100_000]) {
      const hash = createHash(algorithm, options);
      for (const piece of pieces(source.subarray(0, size))) hash.update(piece);
      assert.deepEqual(hash.digest(), millrace.hash(algorithm, source.subarray(0, size), options), `${algorithm}, ${size} bytes`);
    }
  }
});

test('several at once do not meet', () => {
  const hashes = Array.from({ length: 9 }, (_, index) => ({ ours: createHash('sha256'), theirs: crypto.createHash('sha256'), index }));
  for (let round = 0; round < 200; round++) {
    for (const { ours, theirs, index } of hashes) {
      const piece = source.subarray(round, round + index * 37);
      ours.update(piece);
      theirs.update(piece);
    }
  }
  for (const { ours, theirs } of hashes) assert.equal(ours.digest('hex'), theirs.digest('hex'));
});

test('strings and encodings as node:crypto has them', () => {
  for (const [text, encoding] of [['grün \ud800 ', undefined], ['00ff', 'hex'], ['AP8=', 'base64'], ['ÿ', 'latin1'], ['ab', 'utf16le'], ['x'.repeat(9000), 'utf8']]) {
    for (const output of ['hex', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'utf8', 'utf16le', 'HEX']) {
      assert.equal(createHash('sha1').update(text, encoding).digest(output), crypto.createHash('sha1').update(text, encoding).digest(output), `${encoding} ${output}`);
    }
  }
  assert.equal(createHash('sha1').update('a').digest('bigint'), millrace.hash('sha1', 'a', 'bigint'));
  assert.throws(() => createHash('sha1').update('0', 'hex'), { code: 'ERR_ARGUMENT_VALUE' });
  assert.throws(() => createHash('sha1').update('0', 'klingon'), { code: 'ERR_ARGUMENT_VALUE' });
  assert.throws(() => createHash('sha1').digest('klingon'), { code: 'ERR_ARGUMENT_VALUE' });
});

test('hmac, from bytes, a string, a KeyObject and a prepared key', () => {
  const secret = Buffer.from('a key');
  const prepared = createKey('hmac-sha256', secret);
  for (const size of [0, 10, 5000]) {
    const message = source.subarray(0, size);
    const expected = crypto.createHmac('sha256', secret).update(message).digest('hex');
    for (const key of [secret, 'a key', crypto.createSecretKey(secret), prepared]) {
      const hmac = createHmac('sha256', key);
      for (const piece of pieces(message)) hmac.update(piece);
      assert.equal(hmac.digest('hex'), expected);
      assert.equal(hmac.reset().update(message).digest('hex'), expected);
    }
  }
  const hmac = createHmac('sha256', prepared).update('a');
  prepared.dispose();
  assert.throws(() => hmac.digest(), { code: 'ERR_KEY_DISPOSED' });
});

test('seed and key', () => {
  const key = crypto.randomBytes(32);
  for (const [algorithm, options] of [['xxh64', { seed: 7n }], ['xxh3-64', { seed: 2n ** 63n }], ['blake3', { key, outputLength: 50 }], ['blake3', { key: createKey('blake3', key) }]]) {
    const hash = createHash(algorithm, options);
    for (const piece of pieces(source)) hash.update(piece);
    assert.deepEqual(hash.digest(), millrace.hash(algorithm, source, options), algorithm);
  }
});

test('spent, reset, copy, digestInto', () => {
  const hash = createHash('sha256').update('abc');
  const copy = hash.copy();
  assert.equal(hash.digest('hex'), millrace.hash('sha256', 'abc', 'hex'));
  for (const late of [() => hash.update('a'), () => hash.digest(), () => hash.copy(), () => hash.exportState(), () => hash.digestInto(Buffer.alloc(32))]) {
    assert.throws(late, { code: 'ERR_HASHER_SPENT' });
  }
  assert.equal(hash.reset().update('xyz').digest('hex'), millrace.hash('sha256', 'xyz', 'hex'));
  const target = Buffer.alloc(40);
  assert.equal(copy.update(source).digestInto(target, 5), 32);
  assert.deepEqual(target.subarray(5, 37), crypto.createHash('sha256').update('abc').update(source).digest());
  assert.throws(() => createHash('sha256').digestInto(Buffer.alloc(31)), { code: 'ERR_ARGUMENT_VALUE' });
  assert.throws(() => createHash('shake128').digest(), { code: 'ERR_OUTPUT_SIZE' });
  assert.equal(createHash('shake128').update('a').copy({ outputLength: 8 }).digest('hex'), millrace.hash('shake128', 'a', { outputLength: 8, encoding: 'hex' }));
});

test('squeezing', () => {
  for (const algorithm of ['shake128', 'shake256', 'blake3']) {
    const whole = millrace.hash(algorithm, source, { outputLength: 5000 });
    const hash = createHash(algorithm).update(source.subarray(0, 1000)).update(source.subarray(1000));
    const parts = [hash.squeeze(1), hash.squeeze(3), Buffer.from(hash.squeeze(100, 'hex'), 'hex')];
    assert.throws(() => hash.update('a'), { code: 'ERR_HASHER_SPENT' });
    assert.throws(() => hash.digest(), { code: 'ERR_HASHER_SPENT' });
    const copy = hash.copy();
    const resumed = createHash(algorithm, { state: hash.exportState() });
    const rest = Buffer.alloc(5000 - 104);
    assert.equal(hash.squeezeInto(rest, 0, rest.length), rest.length);
    assert.deepEqual(Buffer.concat([...parts, rest]), whole, algorithm);
    assert.deepEqual(copy.squeeze(rest.length), rest);
    assert.deepEqual(resumed.squeeze(rest.length), rest);
  }
  assert.throws(() => createHash('sha256').squeeze(1), { code: 'ERR_ARGUMENT_VALUE' });
});

test('a state goes on elsewhere', () => {
  const key = crypto.randomBytes(32);
  const begin = [
    (more) => createHash('sha256', more),
    (more) => createHash('sha3-512', more),
    (more) => createHash('blake3', { ...more, key }),
    (more) => createHash('blake2b512', more),
    (more) => createHash('xxh3-128', { ...more, seed: 5 }),
    (more) => createHmac('sha512', key, more),
  ];
  for (const make of begin) {
    for (const size of [0, 1, 1000, 100_000]) {
      const first = make({}).update(source.subarray(0, size));
      const state = first.exportState();
      assert.ok(state.length < 3072);
      const second = make({ state });
      assert.deepEqual(second.update(source.subarray(size)).digest(), make({}).update(source).digest());
      assert.deepEqual(first.update(source.subarray(size)).digest(), make({}).update(source).digest());
    }
  }
  // The seed is the state's unless another is given.
  const seeded = createHash('xxh64', { seed: 9 }).update('a').exportState();
  assert.equal(createHash('xxh64', { state: seeded }).update('b').digest('hex'), millrace.hash('xxh64', 'ab', { seed: 9, encoding: 'hex' }));
});

test('a state that does not fit is refused, with the reason', () => {
  const state = createHash('sha256').update('abc').exportState();
  const refused = (reason, make) => assert.throws(make, (error) => error.code === 'ERR_STATE' && error instanceof RangeError && reason.test(error.message), String(reason));
  const changed = (at, by = 1) => {
    const copy = Buffer.from(state);
    copy[at] += by;
    return copy;
  };
  refused(/belongs to sha256, not to sha512/, () => createHash('sha512', { state }));
  refused(/belongs to a hash, not to an HMAC/, () => createHmac('sha256', 'key', { state }));
  refused(/version 2/, () => createHash('sha256', { state: changed(4) }));
  refused(/not the state of a hasher/, () => createHash('sha256', { state: changed(0) }));
  refused(/not the state of a hasher/, () => createHash('sha256', { state: Buffer.alloc(10) }));
  for (let at = 5; at < state.length; at++) refused(/damaged/, () => createHash('sha256', { state: changed(at) }));
  refused(/damaged/, () => createHash('sha256', { state: state.subarray(0, -1) }));
  const mac = createHmac('sha256', 'key').update('abc').exportState();
  refused(/another key/, () => createHmac('sha256', 'other', { state: mac }));
  const seeded = createHash('xxh64', { seed: 1 }).exportState();
  refused(/another seed/, () => createHash('xxh64', { state: seeded, seed: 2 }));
});

test('asynchronous operations run in order', async () => {
  const hash = createHash('sha256');
  const small = Buffer.from('small');
  const order = [];
  hash.update(source, (error) => order.push(error ?? 1));
  hash.update(small, (error) => order.push(error ?? 2));
  const large = Buffer.from(source);
  const third = hash.updateAsync(large).then(() => order.push(3));
  small.fill(0);
  large.fill(0); // taken when it was given
  const fourth = hash.updateAsync(source, 100, 200_000).then(() => order.push(4));
  for (const early of [() => hash.update('a'), () => hash.digest(), () => hash.copy(), () => hash.reset(), () => hash.exportState()]) {
    assert.throws(early, { code: 'ERR_HASHER_BUSY' });
  }
  const digest = hash.digestAsync('hex');
  assert.throws(() => hash.update('a', () => {}), { code: 'ERR_HASHER_SPENT' });
  await Promise.all([third, fourth]);
  const expected = crypto.createHash('sha256').update(source).update('small').update(source).update(source.subarray(100, 200_100)).digest('hex');
  assert.equal(await digest, expected);
  assert.deepEqual(order, [1, 2, 3, 4]);
  assert.equal(hash.reset().update('abc').digest('hex'), millrace.hash('sha256', 'abc', 'hex'));
});

test('callbacks keep their context and come later', async () => {
  const storage = new AsyncLocalStorage();
  let later = false;
  await new Promise((resolve) => {
    const hash = createHmac('sha256', 'key');
    storage.run('here', () => {
      hash.update('a', (error) => {
        assert.equal(error, undefined);
        assert.equal(later, true);
        assert.equal(storage.getStore(), 'here');
      });
      hash.digest('hex', (error, digest) => {
        assert.equal(storage.getStore(), 'here');
        assert.equal(digest, millrace.hmac('sha256', 'key', 'a', 'hex'));
        resolve(error);
      });
    });
    later = true;
  });
});

test('the same hashers behind the door of promises', () => {
  assert.equal(promises.createHash, createHash);
  assert.equal(promises.createHmac, createHmac);
});

test('a stream, when used as one', async () => {
  const hash = createHash('sha256');
  assert.ok(hash instanceof Transform && hash instanceof millrace.Hash);
  assert.deepEqual(Object.keys(hash), []);
  const expected = crypto.createHash('sha256').update(source).digest('hex');

  // end() and read(), 'data', for await, pipe, pipeline
  const read = createHash('sha256');
  read.end(source);
  await new Promise((resolve) => read.once('readable', resolve));
  assert.equal(read.read().toString('hex'), expected);

  const heard = createHash('sha256').setEncoding('hex');
  const data = new Promise((resolve) => heard.on('data', resolve));
  heard.write(source.subarray(0, 10));
  heard.end(source.subarray(10));
  assert.equal(await data, expected);

  const parts = Readable.from([source.subarray(0, 100_000), source.subarray(100_000, 100_010), source.subarray(100_010)]);
  for await (const digest of parts.pipe(createHash('sha256'))) assert.equal(digest.toString('hex'), expected);

  let piped;
  const sink = new Writable({ write: (chunk, _, done) => ((piped = chunk), done()) });
  await pipeline(Readable.from([source]), createHmac('sha256', 'key'), sink);
  assert.deepEqual(piped, crypto.createHmac('sha256', 'key').update(source).digest());

  const text = createHash('sha256', { encoding: 'base64' });
  text.end('grün', 'utf8');
  const [digest] = await text.toArray();
  assert.equal(digest, millrace.hash('sha256', 'grün', 'base64'));
});

test('a stream fails as streams do', async () => {
  const broken = Readable.from((function* () {
    yield source;
    throw new Error('midway');
  })());
  await assert.rejects(pipeline(broken, createHash('sha256'), new Writable({ write: (_, __, done) => done() })), { message: 'midway' });

  const spent = createHash('sha256');
  spent.digest();
  spent.end('a');
  await assert.rejects(finished(spent), { code: 'ERR_HASHER_SPENT' });

  const shake = createHash('shake128');
  shake.resume().end('a');
  await assert.rejects(finished(shake), { code: 'ERR_OUTPUT_SIZE' });

  const destroyed = createHash('sha256');
  destroyed.destroy(new Error('enough'));
  await assert.rejects(finished(destroyed), { message: 'enough' });
});

test('inspect tells what it is and nothing of what it holds', () => {
  assert.match(inspect(createHash('sha256').update('secret')), /^Hash \{\s+algorithm: 'sha256',\s+outputLength: 32,\s+blockSize: 64,\s+state: 'open',\s+length: 6\s+\}$/);
  assert.match(inspect(createHmac('sha1', 'key')), /^Hmac \{/);
});

test('arguments are named', () => {
  const hash = createHash('sha256');
  assert.throws(() => hash.update(), { code: 'ERR_MISSING_ARGUMENT' });
  assert.throws(() => hash.update(5), { code: 'ERR_ARGUMENT_TYPE', message: /^data must be/ });
  assert.throws(() => hash.update(source, 0), { code: 'ERR_MISSING_ARGUMENT' });
  assert.throws(() => hash.update(source, 1, source.length), { code: 'ERR_ARGUMENT_VALUE' });
  assert.throws(() => createHash('sha257'), { code: 'ERR_UNKNOWN_ALGORITHM' });
  assert.throws(() => createHash('sha256', { key: source.subarray(0, 32) }), { code: 'ERR_ARGUMENT_VALUE' });
  assert.throws(() => createHmac('xxh64', 'key'), { code: 'ERR_ARGUMENT_VALUE' });
  assert.throws(() => new millrace.Hash(), { code: 'ERR_ARGUMENT_TYPE' });
  assert.equal(hash.digest('hex'), millrace.hash('sha256', '', 'hex'));
});
