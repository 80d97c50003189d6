// millrace/aws-checksums beside the originals: names, results, states and refusals, for sequences
// of generated inputs of every kind.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { hash } from 'millrace';
import * as ours from 'millrace/aws-checksums';

import { writeAwsPackages } from '../../tools/aws-packages.mjs';
import { installed } from '../../tools/install.mjs';
import { root, run, temporary } from '../support/child.mjs';
import { random } from '../support/random.mjs';

const here = join(root, 'test', 'aws');
const skip = !installed(here) && 'not run: the originals are not installed (npm run test:aws)';
const load = createRequire(join(here, 'package.json'));
const originals = skip
  ? {}
  : {
      crc32: load('@aws-crypto/crc32'),
      crc32c: load('@aws-crypto/crc32c'),
      checksums: load('@aws-sdk/checksums/crc'),
      nvme: load('crc64-nvme-3.972.5'),
    };
const numbers = random('aws originals');

const bytes = (size) => Uint8Array.from({ length: size }, () => numbers.word());
const sizes = [0, 1, 3, 63, 64, 65, 66, 100, 1000, 70_000];
const size = () => sizes[numbers.word() % sizes.length];

class Odd extends Uint8Array {
  *[Symbol.iterator]() {
    yield* [1, 2, 3];
  }
}
const failing = function* () {
  yield 7;
  throw new RangeError('midway');
};
const detached = () => {
  const array = bytes(100);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
};
const resizable = () => {
  const buffer = new ArrayBuffer(200, { maxByteLength: 300 });
  return new Uint8Array(buffer, 10);
};
const shorter = () => Object.defineProperty(bytes(100), 'length', { value: 70 });
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable(bytes(100), {});
  revoke();
  return proxy;
};
const foreign = (code) => runInNewContext(code, { values: [...bytes(100)] });

/** Makers of inputs by name; each is called once for an input that both sides get. */
const inputs = {
  'a Uint8Array': () => bytes(size()),
  'a Buffer': () => Buffer.from(bytes(size())),
  'a part of a Buffer': () => Buffer.from(bytes(1000)).subarray(numbers.word() % 500, 900),
  'a Uint8Array of shared memory': () => new Uint8Array(new SharedArrayBuffer(size())).fill(3),
  'a Uint8Array of resizable memory': resizable,
  'a Uint8Array of another realm': () => foreign('new Uint8Array(values)'),
  'a Uint8Array with another iterator': () => new Odd(100),
  'a Uint8Array with another length': shorter,
  'a detached Uint8Array': detached,
  'a Uint8ClampedArray': () => Uint8ClampedArray.from(bytes(100)),
  'an Int8Array': () => Int8Array.from(bytes(100)),
  'a Uint16Array': () => Uint16Array.from({ length: 99 }, () => numbers.word()),
  'a Float64Array': () => Float64Array.from({ length: 99 }, () => numbers.word() / 7),
  'a BigInt64Array': () => new BigInt64Array(20),
  'a DataView': () => new DataView(bytes(100).buffer, 3, 90),
  'an ArrayBuffer': () => bytes(size()).buffer,
  'an ArrayBuffer of another realm': () => foreign('new Uint8Array(values).buffer'),
  'a SharedArrayBuffer': () => new SharedArrayBuffer(100),
  'a string': () => 'a string \u{1f600} '.repeat(numbers.word() % 20),
  'a string of digits': () => '0123456789'.repeat(10),
  'a string with lone surrogates': () => '\ud800 \udc00 \ud83d',
  'an empty string': () => '',
  'an array': () => [...bytes(80)],
  'an array of anything': () => [300, -1, NaN, '5', 'x', null, undefined, 1.5, [], {}, true],
  'an array with a BigInt': () => [1, 2, 3n, 4],
  'an array with a Symbol': () => [1, Symbol.iterator, 4],
  'an array with a hole': () => [1, , 3],
  'a Set': () => new Set([1, 2, 3]),
  'a Map': () => new Map([[1, 2]]),
  'something like an array': () => ({ length: 3, 0: 1, 1: 2, 2: '3' }),
  'a negative length': () => ({ length: -3 }),
  'a byteLength of 0': () => ({ byteLength: 0, length: 2, 0: 1, 1: 2 }),
  'a byteLength': () => ({ byteLength: 2 }),
  'an iterator that fails': () => ({ [Symbol.iterator]: failing }),
  'a value that fails': () => [1, { valueOf: () => assert.fail('valueOf') }, 3],
  'a small number': () => 5,
  'a negative number': () => -5,
  'a huge number': () => 2 ** 60,
  'a BigInt': () => 5n,
  'a boolean': () => true,
  'a symbol': () => Symbol.iterator,
  'a function': () => (a, b) => [a, b],
  null: () => null,
  undefined: () => undefined,
  'a date': () => new Date(5),
  'a revoked Proxy': revoked,
  'a Proxy of a Uint8Array': () => new Proxy(bytes(100), {}),
};

/** Runs a call: its result or its error, without what V8 says of names of variables. */
function outcome(call) {
  try {
    return { result: call() };
  } catch (error) {
    const named = /is not (a function|iterable|an object)|Iterator result/.test(error.message);
    return { name: error.name, message: named ? '' : error.message };
  }
}

/** The own properties of an instance, and those of an instance in it. */
const stateOf = (object) =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null ? stateOf(value) : value,
    ]),
  );

/** The same sequences of updates for two classes: everything that a program can see. */
async function compare(Original, Ours) {
  const names = Object.keys(inputs);
  for (let round = 0; round < 400; round++) {
    const [theirs, mine] = [new Original(), new Ours()];
    // Each input first, and then those that follow one another by chance.
    const begin = names[round % names.length];
    for (let step = 0; step < 4; step++) {
      const name = step === 0 ? begin : names[numbers.word() % names.length];
      const input = inputs[name]();
      const of = (object) => () => object.update(input) === object;
      assert.deepEqual(outcome(of(mine)), outcome(of(theirs)), name);
      assert.deepEqual(stateOf(mine), stateOf(theirs), name);
      const [expected, found] = [await theirs.digest(), await mine.digest()];
      assert.deepEqual(found, expected, name);
      if (typeof expected === 'object') assert.equal(found.buffer.byteLength, found.length);
      if (theirs.digestSync) assert.equal(mine.digestSync(), theirs.digestSync(), name);
      if (numbers.word() % 5 === 0 && theirs.reset)
        for (const each of [theirs, mine]) assert.equal(each.reset(), undefined);
    }
    assert.deepEqual(stateOf(mine), stateOf(theirs));
  }
}

const pairs = skip
  ? {}
  : {
      'Crc32 of @aws-crypto/crc32': [originals.crc32.Crc32, ours.Crc32],
      'AwsCrc32 of @aws-crypto/crc32': [originals.crc32.AwsCrc32, ours.AwsCrc32],
      'Crc32c of @aws-crypto/crc32c': [originals.crc32c.Crc32c, ours.Crc32c],
      'AwsCrc32c of @aws-crypto/crc32c': [originals.crc32c.AwsCrc32c, ours.AwsCrc32c],
      'Crc32 of @aws-sdk/checksums': [
        originals.checksums.Crc32,
        ours.overCrc32(originals.checksums.Crc32),
      ],
      'Crc32cJs of @aws-sdk/checksums': [originals.checksums.Crc32cJs, ours.Crc32cJs],
      'Crc64NvmeJs of @aws-sdk/checksums': [originals.checksums.Crc64NvmeJs, ours.Crc64NvmeJs],
      'Crc64Nvme of @aws-sdk/checksums': [originals.checksums.Crc64Nvme, ours.Crc64Nvme],
      'Crc64Nvme of @aws-sdk/crc64-nvme 3.972.5': [originals.nvme.Crc64Nvme, ours.Crc64NvmeJs],
    };

test('the page names the versions that are compared', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const page = readFileSync(join(root, 'docs', 'aws-checksums.md'), 'utf8').replaceAll('\n', ' ');
  for (const [name, version] of Object.entries(devDependencies)) {
    const [, other, exact] = /^npm:(.*)@(.*)$/.exec(version) ?? [undefined, name, version];
    assert.ok(page.includes(`\`${other}\` ${exact}`), `${other} ${exact}`);
  }
  const program = readFileSync(join(here, 'run.mjs'), 'utf8');
  const [, pinned] = /'@aws-sdk\/client-s3': '([\d.]+)'/.exec(program);
  assert.ok(page.includes(` and ${pinned}.`), pinned);
  assert.ok(page.includes(`compares ${Object.keys(inputs).length} kinds of generated inputs`));
});

test('every pair of classes is compared', { skip }, () =>
  assert.equal(Object.keys(pairs).length, 9),
);
for (const [title, [Original, Ours]] of Object.entries(pairs))
  test(`${title}: results, states and refusals are those of the original`, () =>
    compare(Original, Ours));

test('a broken class is noticed', { skip }, async () => {
  class Broken extends ours.Crc64NvmeJs {
    update(data) {
      super.update(data?.length === 66 ? data.subarray(1) : data);
    }
  }
  await assert.rejects(compare(originals.checksums.Crc64NvmeJs, Broken));
});

test('crc32 and crc32c answer and refuse as the originals do', { skip }, () => {
  for (const name of ['crc32', 'crc32c'])
    for (const [title, make] of Object.entries(inputs)) {
      const input = make();
      if (title === 'an iterator that fails') continue;
      assert.deepEqual(
        outcome(() => ours[name](input)),
        outcome(() => originals[name][name](input)),
        title,
      );
    }
});

test('classes for ES5 can inherit, as from the originals', { skip }, () => {
  for (const { AwsCrc32 } of [originals.crc32, ours]) {
    const Sub = function () {
      return AwsCrc32.call(this) || this;
    };
    Sub.prototype = Object.create(AwsCrc32.prototype);
    const made = new Sub();
    made.update('abc');
    assert.equal(made.crc32.digest(), 0x352441c2);
    assert.throws(() => AwsCrc32(), TypeError);
  }
});

test('in browsers the results are the same', async () => {
  const file = join(root, 'dist', 'browser', 'aws-checksums.mjs');
  const portable = await import(pathToFileURL(file).href);
  assert.deepEqual(Object.keys(portable), Object.keys(ours));
  for (const name of ['Crc32', 'AwsCrc32', 'Crc32c', 'AwsCrc32c', 'Crc32cJs', 'Crc64Nvme']) {
    const [theirs, mine] = [new portable[name](), new ours[name]()];
    for (const each of sizes) {
      const data = bytes(each);
      theirs.update(data);
      mine.update(data);
      assert.deepEqual(await theirs.digest(), await mine.digest(), `${name}, ${each} bytes`);
    }
  }
});

test('in pages that may not compile WebAssembly a table computes', async () => {
  const url = pathToFileURL(join(root, 'dist', 'browser', 'aws-checksums.mjs')).href;
  const source = `
    delete globalThis.WebAssembly;
    const { AwsCrc32c, Crc64Nvme } = await import('${url}');
    const answers = [];
    for (const Class of [AwsCrc32c, Crc64Nvme]) {
      const checksum = new Class();
      checksum.update(new Uint8Array(1000).fill(7));
      answers.push(Buffer.from(await checksum.digest()).toString('hex'));
    }
    console.log(answers.join());`;
  const { stdout } = await run(source, { esm: true, bare: true });
  const data = new Uint8Array(1000).fill(7);
  const expected = ['crc32c', 'crc64nvme'].map((name) => hash(name, data, 'hex'));
  assert.equal(stdout.trim(), expected.join());
});

test('known answers, with a table and with the engine', async () => {
  const digits = Buffer.from('123456789');
  assert.equal(ours.crc32(digits), 0xcbf43926);
  assert.equal(ours.crc32c(digits), 0xe3069283);
  // RFC 3720, appendix B.4, and the same byte by byte.
  const zeros = new Uint8Array(32);
  assert.equal(ours.crc32c(zeros), 0x8a9136aa);
  for (const Class of [ours.AwsCrc32, ours.AwsCrc32c, ours.Crc64Nvme]) {
    const million = Buffer.alloc(1_000_000, 'a');
    const [whole, pieces] = [new Class(), new Class()];
    whole.update(million);
    for (let at = 0; at < million.length; at += 50) pieces.update(million.subarray(at, at + 50));
    assert.deepEqual(await pieces.digest(), await whole.digest(), Class.name);
  }
});

test('the class of the CRT is used where it is installed', async (t) => {
  t.after(() => (ours.crc64NvmeCrtContainer.CrtCrc64Nvme = null));
  ours.crc64NvmeCrtContainer.CrtCrc64Nvme = class {
    digest = () => 'of the CRT';
  };
  assert.equal(await new ours.Crc64Nvme().digest(), 'of the CRT');
});

test('the packages for overrides have the names of the originals', { skip }, async (t) => {
  const folder = temporary();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const manifest = load(join(root, 'package.json'));
  writeAwsPackages(join(folder, 'node_modules'), manifest);
  const link = (name, target) =>
    symlinkSync(target, join(folder, 'node_modules', name), 'junction');
  link('millrace', root);
  const modules = join(here, 'node_modules');
  for (const each of ['@aws-sdk', '@smithy', 'tslib']) link(each, join(modules, each));
  link('aws-checksums-original', join(modules, '@aws-sdk', 'checksums'));
  const placed = createRequire(join(folder, 'package.json'));
  const packages = {
    'aws-crc32': '@aws-crypto/crc32',
    'aws-crc32c': '@aws-crypto/crc32c',
    'aws-crc64-nvme': '@aws-sdk/crc64-nvme',
    ...Object.fromEntries(
      ['', '/crc', '/flexible-checksums', '/md5', '/sha', '/xxh'].map((path) => [
        `aws-checksums${path}`,
        `@aws-sdk/checksums${path}`,
      ]),
    ),
  };
  for (const [name, original] of Object.entries(packages)) {
    const names = Object.keys(
      original === '@aws-sdk/crc64-nvme' ? originals.nvme : load(original),
    ).sort();
    assert.deepEqual(Object.keys(placed(name)).sort(), names, name);
    const path = name.includes('/') ? name.split('/')[1] : 'index';
    const file = join(folder, 'node_modules', name.split('/')[0], `${path}.mjs`);
    const module = await import(pathToFileURL(file).href);
    assert.deepEqual(
      Object.keys(module)
        .filter((each) => !['default', 'module.exports'].includes(each))
        .sort(),
      names,
      file,
    );
  }
});
