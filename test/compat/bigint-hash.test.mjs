// The drop-in entry points against what is known of bigint-hash 0.2.2 and bigint-buffer 1.1.5:
// exports, enums, classes, single use, messages, byte order, and the inputs at which the original
// packages aborted the process.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import millrace from 'millrace';
import bufferDoor, * as bufferNamespace from 'millrace/bigint-buffer';
import entryPoint, * as namespace from 'millrace/bigint-hash';

import { viewOf, viewTypes } from '../conformance/bytes.mjs';
import { hashNames, hashes } from '../support/algorithms.mjs';
import { run } from '../support/child.mjs';
import { oracle } from '../support/oracles.mjs';
import { random } from '../support/random.mjs';

const require = createRequire(import.meta.url);
const { HashType, InputEncoding, OutputType, getHasher, hashAsBigInt, hashAsBuffer } = entryPoint;
const { OpensslHasher, KeccakHasher, XxHasher } = entryPoint;
const { toBigIntLE, toBigIntBE, toBufferLE, toBufferBE } = entryPoint;
const hashers = [OpensslHasher, KeccakHasher, XxHasher];

/** The original package's table: member, value, our name, class and number, digest size. */
const types = require('./bigint-hash-types.json').map((row) => {
  const [member, value, name, hasher, number, size] = row;
  return { member, value, name, hasher: entryPoint[hasher], number, size };
});

const numberOf = {
  OpensslHasher: OpensslHasher.getOpensslType,
  KeccakHasher: KeccakHasher.getKeccakType,
  XxHasher: XxHasher.getXxHashType,
};
const big = (bytes) =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const plainError = (message) => ({ name: 'Error', message, constructor: Error });
const typeError = (code) => (error) => {
  assert.ok(error instanceof TypeError, `${error}`);
  assert.equal(error.code, code, `${error}`);
  return true;
};
const md5 = (data) => hashAsBigInt('md5', Buffer.from(data));
function updated(...given) {
  return getHasher('md5')
    .update(...given)
    .digestBigInt();
}

/** Checks that every call with the value throws the error of `check`. */
function refuses(calls, value, check) {
  for (const call of calls) assert.throws(() => call(value), check, String(call));
}

// the module

const enumerations = ['HashType', 'InputEncoding', 'OutputType'];
const functions = ['getHasher', 'hashAsBigInt', 'hashAsBuffer'];
const nine = [...enumerations, ...functions, ...hashers.map(({ name }) => name)];
const four = ['toBigIntLE', 'toBigIntBE', 'toBufferLE', 'toBufferBE'];

test('the exports: the nine of one original package and the four of the other', () => {
  const required = require('millrace/bigint-hash');
  assert.equal(required, entryPoint);
  assert.equal(required.__esModule, true);
  assert.deepEqual(Object.keys(required).sort(), [...nine, ...four].sort());
  assert.deepEqual(Object.keys(namespace).sort(), [...nine, ...four, 'default'].sort());
  assert.deepEqual(Object.keys(require('millrace/bigint-buffer')).sort(), [...four].sort());
  assert.deepEqual(Object.keys(bufferNamespace).sort(), [...four, 'default'].sort());
  for (const name of four) assert.equal(entryPoint[name], bufferDoor[name], name);
  // A getter would cost every call some nanoseconds.
  for (const name of [...nine, ...four])
    assert.ok('value' in Object.getOwnPropertyDescriptor(required, name), name);
  const lengths = [...functions, ...four].map((name) => entryPoint[name].length);
  assert.deepEqual(lengths, [1, 2, 2, 1, 1, 2, 2]);
});

test("the original packages' entries lead to the same modules", () => {
  for (const path of ['millrace/bigint-hash', 'millrace/bigint-buffer'])
    for (const entry of ['node', 'node.js', 'browser', 'browser.js'])
      assert.equal(require(`${path}/dist/${entry}`), require(path), `${path} ${entry}`);
});

test('loading prints nothing', async () => {
  const files = ['bigint-hash', 'bigint-buffer'].map((name) => require.resolve(`millrace/${name}`));
  const source = `for (const file of ${JSON.stringify(files)}) require(file);`;
  const { code, stdout, stderr } = await run(source, { bare: true });
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' });
});

test('the enumerations: plain objects in the order of old', () => {
  const values = types.map(({ member, value }) => [member, value]);
  assert.deepEqual(Object.entries(HashType), values);
  const encodings = { UTF8: 'utf8', ASCII: 'ascii', LATIN1: 'latin1' };
  assert.deepEqual(Object.entries(InputEncoding), Object.entries(encodings));
  const outputs = { BigInt: 'bigint', Buffer: 'buffer' };
  assert.deepEqual(Object.entries(OutputType), Object.entries(outputs));
  for (const each of [HashType, InputEncoding, OutputType])
    assert.equal(Object.getPrototypeOf(each), Object.prototype);
});

test('the classes and their numbers', () => {
  for (const { member, hasher, number } of types) {
    const made = getHasher(HashType[member]);
    assert.ok(made instanceof hasher, member);
    assert.equal(made.constructor, hasher, member);
    assert.equal(numberOf[hasher.name](HashType[member]), number, member);
    assert.equal(new hasher(HashType[member]).digestBigInt(), made.digestBigInt(), member);
    for (const other of hashers.filter((each) => each !== hasher)) {
      assert.equal(made instanceof other, false, member);
      const type = HashType[member];
      const calls = [(name) => new other(name), numberOf[other.name]];
      refuses(calls, type, plainError(`Unsupported hash type ${type}`));
    }
  }
  for (const each of hashers) {
    assert.equal(each.length, 1);
    assert.throws(() => each('md5'), {
      name: 'TypeError',
      message: `Class constructor ${each.name} cannot be invoked without 'new'`,
    });
  }
});

// digests

const inputs = {
  empty: '',
  a: 'a',
  abc: 'abc',
  helloworld: 'helloworld',
  'hello world': 'hello world',
  'bytes 00..ff': Uint8Array.from({ length: 256 }, (_, index) => index),
  "1000 x 'a'": 'a'.repeat(1000),
  '1 MiB of zero': new Uint8Array(2 ** 20),
};

/** Every way to a digest, as Buffers. */
const ways = {
  hashAsBuffer: (type, data) => hashAsBuffer(type, data),
  hashAsBigInt: (type, data, size) => toBufferBE(hashAsBigInt(type, data), size),
  'digest()': (type, data) => getHasher(type).update(data).digest(),
  "digest('buffer')": (type, data) => getHasher(type).update(data).digest(OutputType.Buffer),
  "digest('bigint')": (type, data, size) =>
    toBufferBE(getHasher(type).update(data).digest(OutputType.BigInt), size),
  digestBigInt: (type, data, size) => toBufferBE(getHasher(type).update(data).digestBigInt(), size),
  digestAsBigInt: (type, data, size) =>
    toBufferBE(getHasher(type).update(data).digestAsBigInt(), size),
  'three updates': (type, data) => {
    const hasher = getHasher(type).update(data.subarray(0, 1)).update(data.subarray(1, 80));
    return hasher.update(data.subarray(80)).digest();
  },
};

test('the vectors, Keccak included, in every call style', () => {
  const vectors = require('../vectors/digests.json');
  let count = 0;
  for (const { member, name, size } of types) {
    for (const [input, digest] of Object.entries(vectors[name])) {
      const data = Buffer.from(inputs[input]);
      for (const [way, digestOf] of Object.entries(ways)) {
        const made = digestOf(HashType[member], data, size);
        assert.ok(Buffer.isBuffer(made));
        assert.equal(made.toString('hex'), digest, `${member} of ${input} by ${way}`);
      }
      const number = BigInt(`0x${digest}`);
      assert.equal(hashAsBigInt(HashType[member], data), number, `${member} of ${input}`);
      count++;
    }
  }
  assert.equal(count, 128);
});

test('no update at all, and an empty one', () => {
  for (const { member, name, size } of types) {
    const expected = oracle({ kind: 'hash', algorithm: name, source: Buffer.alloc(0) }).output;
    const make = () => getHasher(HashType[member]);
    assert.deepEqual(make().digest(), expected, member);
    assert.equal(make().digestBigInt(), big(expected), member);
    assert.deepEqual(make().update('').update(Buffer.alloc(0)).digest(), expected, member);
    assert.deepEqual(hashAsBuffer(HashType[member], Buffer.alloc(0)), expected, member);
    assert.equal(expected.length, size);
  }
});

test('lengths 0 to 600, one-shot and incremental, against other libraries', () => {
  const numbers = random('bigint-hash lengths');
  const all = numbers.bytes(600);
  for (const { member, name } of types) {
    for (let length = 0; length <= 600; length += numbers.between(1, 7)) {
      const source = all.subarray(0, length);
      const { output } = oracle({ kind: 'hash', algorithm: name, source });
      assert.equal(hashAsBigInt(HashType[member], source), big(output), `${member} ${length}`);
      const hasher = getHasher(HashType[member]);
      for (let at = 0; at < length;) {
        const size = numbers.between(1, 250);
        hasher.update(source.subarray(at, at + size));
        at += size;
      }
      assert.deepEqual(hasher.digest(), output, `${member} ${length} incrementally`);
    }
  }
});

test('leading zeros: gone from a BigInt, kept in a Buffer', () => {
  const sha256 = Buffer.from('x38764');
  assert.equal(hashAsBuffer('sha256', sha256).subarray(0, 2).toString('hex'), '0000');
  assert.equal(hashAsBigInt('sha256', sha256).toString(16).length, 60);
  const xxHash64 = Buffer.from('x55283');
  assert.equal(hashAsBuffer('xxHash64', xxHash64).toString('hex'), '0000603383952b54');
  assert.equal(hashAsBigInt('xxHash64', xxHash64), 105774367189844n);
  assert.equal(getHasher('xxHash64').update(xxHash64).digest().toString('hex'), '0000603383952b54');
});

test('a hasher keeps what it was given, not the memory', () => {
  const data = Buffer.from('helloworld');
  const hasher = getHasher(HashType.SHA256).update(data);
  data.fill(0);
  assert.deepEqual(hasher.digest(), hashAsBuffer(HashType.SHA256, Buffer.from('helloworld')));
});

test('hashers run side by side', () => {
  const [one, other] = [getHasher('md5').update('hello'), getHasher('md5').update('other')];
  assert.equal(other.digestBigInt(), md5('other'));
  assert.equal(one.update('world').digestBigInt(), md5('helloworld'));
});

// names

test('every name of the catalog is taken, as are its aliases, in any case', () => {
  const { hashes: table } = require(require.resolve('millrace').replace(/index\.js$/, 'core.js'))[
    'catalog/catalog-table'
  ];
  const source = Buffer.from('helloworld');
  assert.deepEqual(table.map(({ name }) => name).sort(), Object.keys(hashes).sort());
  for (const { name, aliases } of table.filter((facts) => hashNames.includes(facts.name))) {
    const { output } = oracle({ kind: 'hash', algorithm: name, source });
    const spelled = [name, ...aliases];
    const lower = spelled.map((each) => each.toLowerCase());
    for (const each of [...spelled, ...lower, ...lower.map((one) => one.toUpperCase())]) {
      assert.deepEqual(hashAsBuffer(each, source), output, each);
      assert.equal(hashAsBigInt(each, source), big(output), each);
      assert.deepEqual(getHasher(each).update(source).digest(), output, each);
    }
  }
});

test('another spelling of a known algorithm has its class and number', () => {
  for (const [name, hasher] of [
    ['SHA-256', OpensslHasher],
    ['RSA-MD5', OpensslHasher],
    ['Keccak-256', KeccakHasher],
    ['SHA3_256', KeccakHasher],
    ['xxh64', XxHasher],
  ]) {
    assert.equal(getHasher(name).constructor, hasher, name);
    assert.equal(new hasher(name).constructor, hasher, name);
  }
  assert.equal(OpensslHasher.getOpensslType('SHA-256'), 4);
  for (const name of ['ripemd160', 'blake3', 'blake2b512', 'sha512-256', 'xxh3-64', 'md5-sha1']) {
    const hasher = getHasher(name);
    for (const each of hashers) {
      assert.equal(hasher instanceof each, false, name);
      assert.throws(() => new each(name), plainError(`Unsupported hash type ${name}`));
    }
  }
});

test('unknown names are refused', () => {
  const calls = [
    (name) => getHasher(name),
    (name) => hashAsBigInt(name, Buffer.alloc(1)),
    (name) => hashAsBuffer(name, Buffer.alloc(1)),
    (name) => hashAsBigInt(name, 'text'),
  ];
  const texts = ['', ' sha256', 'sha256\0', 'constructor', '__proto__', 'toString'];
  const unknown = ['md4', 'whirlpool', 'sm3', 'nope', ...texts];
  for (const name of [...unknown, undefined, null, 5, {}, ['md5'], Symbol('md5')]) {
    refuses(calls, name, plainError('Unsupported hash type!'));
    const constructors = hashers.map((each) => () => new each(name));
    refuses(constructors, name, plainError(`Unsupported hash type ${String(name)}`));
  }
  // Hashes that need more than bytes.
  for (const name of ['kmac128', 'TupleHash256'])
    refuses(calls.slice(0, 3), name, plainError('Unsupported hash type!'));
  for (const call of calls.slice(0, 3)) assert.doesNotThrow(() => call('shake128'));
});

// single use

test('a hasher is good for one digest', () => {
  for (const type of [...types.map(({ value }) => value), 'blake3']) {
    for (const end of [
      (hasher) => hasher.digest(),
      (hasher) => hasher.digest('bigint'),
      (hasher) => hasher.digestBigInt(),
      (hasher) => hasher.digestAsBigInt(),
    ]) {
      const hasher = getHasher(type).update('helloworld');
      end(hasher);
      for (const data of ['more', null])
        assert.throws(() => hasher.update(data), plainError('Updating a disposed hasher'));
      for (const output of [undefined, 'hex'])
        assert.throws(() => hasher.digest(output), plainError('Digest a disposed hasher'));
      assert.throws(() => hasher.digestBigInt(), plainError('Digest a disposed hasher'));
    }
  }
});

test('an output that is not there is refused, and the hasher survives it', () => {
  const hasher = getHasher(HashType.MD5).update('helloworld');
  for (const output of ['hex', 'base64', 'BigInt', null, 0, '', {}, Symbol('bigint')])
    assert.throws(() => hasher.digest(output), plainError('Unsupported output type'));
  assert.equal(hasher.digest(undefined).toString('hex'), 'fc5e038d38a57032085441e7fe7010b0');
});

// inputs

test('strings are decoded by their encoding', () => {
  const text = 'h\u00e9llo \u20ac';
  const standard = ['utf8', 'ascii', 'latin1', 'hex', 'base64', 'base64url', 'utf16le'];
  for (const encoding of [undefined, ...standard, 'UTF-8', 'binary']) {
    for (const given of [text, '00ff7f', '00f', 'zz00', '']) {
      const expected = md5(Buffer.from(given, encoding));
      assert.equal(updated(given, encoding), expected, `${encoding} ${given}`);
    }
  }
  // ASCII as Node encodes it: the low byte of each unit.
  assert.equal(updated('\u00e9\u20ac', InputEncoding.ASCII), md5([0xe9, 0xac]));
  assert.equal(updated('\ud800'), md5([0xef, 0xbf, 0xbd]));
  assert.throws(() => updated('x', 'bogus'), typeError('ERR_UNKNOWN_ENCODING'));
  // An encoding does not matter to bytes.
  for (const encoding of ['hex', 'bogus'])
    assert.equal(updated(Buffer.from('ab'), encoding), md5('ab'));
});

test('arrays of bytes are for update, as Buffer.from takes them', () => {
  assert.equal(updated([1, 2]), md5([1, 2]));
});

test('views of every kind are read by their bytes', () => {
  const bytes = random('bigint-hash views').bytes(64);
  const memory = new ArrayBuffer(80);
  new Uint8Array(memory).set(bytes, 8);
  const shared = new SharedArrayBuffer(64);
  new Uint8Array(shared).set(bytes);
  const views = [
    ...viewTypes.map((Type) => viewOf(Type, bytes)),
    new DataView(memory, 8, 64),
    new Uint8Array(shared),
    Buffer.from(memory, 8, 64),
  ];
  for (const view of views) {
    const kind = view.constructor.name;
    for (const type of ['sha256', 'keccak256', 'xxHash64']) {
      assert.equal(hashAsBigInt(type, view), hashAsBigInt(type, bytes), kind);
      assert.deepEqual(hashAsBuffer(type, view), hashAsBuffer(type, bytes), kind);
      assert.equal(getHasher(type).update(view).digestBigInt(), hashAsBigInt(type, bytes), kind);
    }
    assert.equal(toBigIntBE(view), big(bytes), kind);
    assert.equal(toBigIntLE(view), big(Buffer.from(bytes).reverse()), kind);
  }
});

test('a source may share its memory with the result', () => {
  // All of Node's pool: the result is cut from it.
  const pool = new Uint8Array(Buffer.allocUnsafe(1).buffer);
  const before = Buffer.from(pool);
  const digest = hashAsBuffer('sha256', pool);
  assert.equal(big(digest), hashAsBigInt('sha256', before));
});

test('invalid input for which the original package threw', () => {
  for (const value of [null, undefined]) {
    assert.throws(() => updated(value), {
      name: 'TypeError',
      message: `Cannot read properties of ${value} (reading 'byteLength')`,
    });
  }
  for (const value of [123, {}, true, Symbol('x'), () => {}])
    assert.throws(() => updated(value), typeError('ERR_ARGUMENT_TYPE'));
  // And the hasher continues.
  const hasher = getHasher('md5').update('hello');
  assert.throws(() => hasher.update(null), TypeError);
  assert.equal(hasher.update('world').digestBigInt(), 0xfc5e038d38a57032085441e7fe7010b0n);
});

test('invalid input for which the original package aborted the process', () => {
  const readers = [
    (value) => hashAsBigInt('md5', value),
    (value) => hashAsBuffer('md5', value),
    toBigIntBE,
    toBigIntLE,
  ];
  const writers = [
    (value) => toBufferBE(value, 4),
    (value) => toBufferLE(value, 4),
    (value) => toBufferBE(value, 100),
    (value) => toBufferLE(value, 0),
  ];
  const refusal = typeError('ERR_ARGUMENT_TYPE');
  const memory = [new ArrayBuffer(4), new SharedArrayBuffer(4), { byteLength: 4 }];
  const objects = [{}, [1, 2], { length: 4 }, () => {}, Object.create(Uint8Array.prototype)];
  const primitives = ['text', '', null, undefined, 5, 5n, true, Symbol('x')];
  for (const value of [...memory, ...objects, ...primitives]) {
    refuses(readers, value, refusal);
    refuses(readers, value, millrace.MillraceError);
  }
  for (const value of memory) assert.throws(() => updated(value), refusal);
  for (const value of [5, '5', null, undefined, {}, [5n], Object(5n), true, Symbol('x')])
    refuses(writers, value, refusal);
});

test('detached memory counts as empty', () => {
  const view = new Uint8Array(32).fill(1);
  structuredClone(view.buffer, { transfer: [view.buffer] });
  assert.equal(hashAsBigInt('md5', view), md5(''));
  assert.equal(updated(view), md5(''));
  assert.equal(toBigIntBE(view), 0n);
  assert.equal(toBigIntLE(view), 0n);
});

// conversions

/** Returns the same by way of hex. */
const littleOf = (bytes) => big(Buffer.from(bytes).reverse());
function lowBytes(number, width) {
  const low = BigInt.asUintN(8 * width, number < 0n ? -number : number);
  return Buffer.from(width === 0 ? '' : low.toString(16).padStart(2 * width, '0'), 'hex');
}

/** Compares the four conversions of bytes with those by way of hex. */
function checkConversions(bytes, width = bytes.length) {
  assert.equal(toBigIntBE(bytes), big(bytes), `${width}`);
  assert.equal(toBigIntLE(bytes), littleOf(bytes), `${width}`);
  assert.ok(toBufferBE(big(bytes), width).equals(bytes), `${width}`);
  assert.ok(toBufferLE(littleOf(bytes), width).equals(bytes), `${width}`);
}

test('bytes to a BigInt and back at every width to 300', () => {
  const numbers = random('bigint conversions');
  for (let width = 0; width <= 300; width++) {
    const zeros = Buffer.alloc(width >> 1);
    for (const bytes of [
      numbers.bytes(width),
      Buffer.alloc(width),
      Buffer.alloc(width, 0xff),
      Buffer.concat([zeros, numbers.bytes(width - zeros.length)]),
    ]) {
      checkConversions(bytes);
      // Anywhere in memory.
      const before = 1 + (width % 7);
      checkConversions(Buffer.concat([Buffer.alloc(before), bytes]).subarray(before));
    }
  }
});

test('a number of any size has its low bytes at any width', () => {
  const numbers = random('bigint widths');
  const sizes = [0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200];
  const widths = [...sizes, 2, 12, 20, 71, 72, 73, 500];
  for (let round = 0; round < 3000; round++) {
    const sign = numbers.chance(0.2) ? -1n : 1n;
    const number = big(numbers.bytes(numbers.pick(sizes))) * sign;
    const width = numbers.pick(widths);
    const expected = lowBytes(number, width);
    assert.deepEqual(toBufferBE(number, width), expected, `${number} ${width}`);
    assert.deepEqual(toBufferLE(number, width), expected.reverse(), `${number} ${width}`);
  }
  // The figures of old.
  assert.equal(toBufferBE(0x1122334455n, 4).toString('hex'), '22334455');
  assert.equal(toBufferLE(0x1122334455n, 4).toString('hex'), '55443322');
  assert.equal(toBufferBE(-1n, 4).toString('hex'), '00000001');
  assert.deepEqual(toBufferLE(8n, 0), Buffer.alloc(0));
  assert.equal(toBigIntBE(Buffer.alloc(0)), 0n);
});

test('widths at which the original package overran its stack', () => {
  const numbers = random('bigint large');
  const widths = [256, 257, 500, 1001, 1023, 1024, 1025, 1032, 1033, 4097, 100_001, 2 ** 20 + 3];
  for (const width of widths) {
    const bytes = numbers.bytes(width);
    bytes[0] |= 1;
    bytes[width - 1] |= 1;
    checkConversions(bytes);
    assert.ok(toBufferBE(5n, width).equals(lowBytes(5n, width)), `${width}`);
    assert.ok(toBufferLE(5n, width).equals(lowBytes(5n, width).reverse()), `${width}`);
    const shifted = Buffer.concat([bytes.subarray(8), Buffer.alloc(8)]);
    assert.ok(toBufferBE(big(bytes) << 64n, width).equals(shifted), `${width}`);
    const padding = Buffer.alloc(4096);
    assert.equal(toBigIntBE(Buffer.concat([padding, bytes])), big(bytes), `${width}`);
    assert.equal(toBigIntLE(Buffer.concat([bytes, padding])), littleOf(bytes), `${width}`);
    assert.equal(toBigIntLE(Buffer.alloc(width)), 0n);
    assert.equal(toBigIntBE(Buffer.alloc(width)), 0n);
  }
});

test('a number that no BigInt can hold is a RangeError', () => {
  // V8 stops at 2^30 bits.
  const bytes = Buffer.alloc(2 ** 27 + 1);
  bytes[0] = bytes[bytes.length - 1] = 1;
  for (const convert of [toBigIntBE, toBigIntLE])
    assert.throws(() => convert(bytes), {
      name: 'RangeError',
      code: 'ERR_SOURCE_SIZE',
      message: 'buf is too large for a BigInt: Maximum BigInt size exceeded',
    });
  assert.equal(toBigIntBE(bytes.fill(0, 0, 1)), 1n);
});

test('a width that is not a size is refused', () => {
  for (const convert of [toBufferBE, toBufferLE]) {
    for (const width of [-1, NaN, Infinity, 2 ** 53])
      assert.throws(() => convert(1n, width), { name: 'RangeError', code: 'ERR_ARGUMENT_VALUE' });
    for (const width of [undefined, null, '4', 4n, {}])
      assert.throws(() => convert(1n, width), typeError('ERR_ARGUMENT_TYPE'));
    assert.equal(convert(1n, 4.5).length, 4);
  }
});

test('results are separate Buffers', () => {
  const [first, second] = [toBufferBE(1n, 32), toBufferBE(2n, 32)];
  assert.ok(Buffer.isBuffer(first));
  assert.equal(first[31], 1);
  assert.equal(second[31], 2);
  const digest = hashAsBuffer('sha256', first);
  const copy = Buffer.from(digest);
  for (let round = 0; round < 1000; round++) hashAsBuffer('sha256', second);
  assert.deepEqual(digest, copy);
});
