// combineChecksums and multipartChecksum: beside the digests of whole messages, and with hostile
// lists of parts.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import * as millrace from 'millrace';
import * as promises from 'millrace/promises';

import { random } from '../support/random.mjs';

const { combineChecksums, hash, hashMany, multipartChecksum } = millrace;
const numbers = random('checksums');
const crcs = { crc32: 4, crc32c: 4, crc64nvme: 8 };
const encodings = ['buffer', 'hex', '0xhex', 'base64', 'base64url', 'bigint'];

/** Cuts bytes at random places; some parts are empty. */
function cut(data, count) {
  const places = Array.from({ length: count - 1 }, () => numbers.below(data.length + 1));
  const ends = [...places.sort((a, b) => a - b), data.length];
  return ends.map((end, index) => data.subarray(index === 0 ? 0 : ends[index - 1], end));
}

for (const [name, size] of Object.entries(crcs)) {
  test(`${name}: the CRC of parts is that of the whole, in every encoding`, () => {
    for (let round = 0; round < 100; round++) {
      const data = numbers.bytes(numbers.below(3000));
      const pieces = cut(data, 1 + numbers.below(6));
      const parts = pieces.map((piece) => ({
        checksum: hash(name, piece, numbers.pick(encodings)),
        size: piece.length,
      }));
      for (const encoding of encodings) {
        const expected = hash(name, data, encoding);
        assert.deepEqual(combineChecksums(name, parts, encoding), expected);
        assert.deepEqual(combineChecksums(name, parts.values(), encoding), expected);
      }
      assert.deepEqual(combineChecksums(name, new Set(parts)), hash(name, data));
    }
  });

  test(`${name}: of 4 GiB and more of zeros, as bit by bit`, () => {
    // x^n mod P by multiplying with x, in BigInts: only the size of the message is large.
    const bits = BigInt(8 * size);
    const reflected = { crc32: 0xedb88320n, crc32c: 0x82f63b78n, crc64nvme: 0x9a6c9329ac4bc9b5n };
    const times = (a, b) => {
      let product = 0n;
      for (let bit = bits - 1n; bit >= 0n; bit--) {
        if ((a >> bit) & 1n) product ^= b;
        b = b & 1n ? (b >> 1n) ^ reflected[name] : b >> 1n;
      }
      return product;
    };
    const first = hash(name, 'the first part', 'bigint');
    for (const length of [1, 2 ** 32, 2 ** 32 + 1, 5 * 2 ** 40, Number.MAX_SAFE_INTEGER]) {
      let power = 1n << (bits - 1n);
      for (const digit of (BigInt(length) * 8n).toString(2)) {
        power = times(power, power);
        if (digit === '1') power = times(power, 1n << (bits - 2n));
      }
      const second = 0x1234567n;
      const parts = [
        { checksum: first, size: 14 },
        { checksum: second, size: length },
      ];
      const expected = times(first, power) ^ second;
      assert.equal(combineChecksums(name, parts, 'bigint'), expected, `${length}`);
    }
  });
}

test('names, aliases and numbers, as other packages have them', () => {
  const parts = [{ checksum: 0xcbf43926, size: 9 }];
  assert.equal(combineChecksums('CRC-32', parts, 'hex'), 'cbf43926');
  assert.equal(combineChecksums('CRC32', parts, 'base64'), 'y/Q5Jg==');
  assert.equal(
    combineChecksums('CRC64NVME', [{ checksum: '"rosUhgp5mIg="', size: 9 }], 'hex'),
    'ae8b14860a799888',
  );
  assert.equal(promises.combineChecksums, combineChecksums);
  assert.equal(promises.multipartChecksum, multipartChecksum);
});

const digest = (name, data) => createHash(name).update(data).digest();

test('a composite checksum and an ETag are the digest of the digests', () => {
  const data = numbers.bytes(1_000_001);
  const size = 300_000;
  const pieces = [0, 1, 2, 3].map((index) => data.subarray(index * size, (index + 1) * size));
  for (const name of ['md5', 'sha1', 'sha256', 'sha512']) {
    const digests = pieces.map((piece) => digest(name, piece));
    const whole = digest(name, Buffer.concat(digests));
    const composite = `${whole.toString('base64')}-4`;
    const forms = [
      hashMany(name, pieces),
      digests,
      digests.map((each) => each.toString('hex')),
      digests.map((each) => `"${each.toString('hex')}"`),
      digests.map((each) => each.toString('base64')).values(),
      { data, size },
    ];
    for (const parts of forms) assert.equal(multipartChecksum(name, parts), composite);
    assert.equal(multipartChecksum(name, { data, size }, 'composite'), composite);
    if (name === 'md5')
      assert.equal(
        multipartChecksum('md5', { data, size }, 'etag'),
        `"${whole.toString('hex')}-4"`,
      );
  }
  for (const name of ['crc32', 'crc32c']) {
    const joined = Buffer.concat(pieces.map((piece) => hash(name, piece)));
    const composite = `${hash(name, joined, 'base64')}-4`;
    assert.equal(multipartChecksum(name, { data: new Uint8Array(data).buffer, size }), composite);
  }
});

test('sizes of an object that are and are not a multiple of the part', () => {
  for (const [length, size, count] of [
    [0, 5, 1],
    [5, 5, 1],
    [6, 5, 2],
    [10_000, 1, 10_000],
  ])
    assert.match(
      multipartChecksum('md5', { data: Buffer.alloc(length), size }),
      new RegExp(`-${count}$`),
    );
  const etag = multipartChecksum('md5', [digest('md5', '')], 'etag');
  assert.equal(etag, `"${digest('md5', digest('md5', '')).toString('hex')}-1"`);
});

test('in browsers the answers and refusals are the same', async () => {
  const portable = await import('../../dist/browser/index.mjs');
  const data = new Uint8Array(numbers.bytes(100_000));
  for (const name of Object.keys(crcs))
    for (const encoding of encodings) {
      const parts = [data.subarray(0, 300), data.subarray(300)].map((piece) => ({
        checksum: hash(name, piece, encoding),
        size: piece.length,
      }));
      const [found, expected] = [portable, millrace].map((api) =>
        api.combineChecksums(name, parts, encoding),
      );
      if (encoding === 'buffer') assert.deepEqual([...found], [...expected]);
      else assert.equal(found, expected);
    }
  for (const [name, form] of [['md5', 'etag'], ['sha256'], ['crc32c']])
    assert.equal(
      portable.multipartChecksum(name, { data, size: 7000 }, form),
      multipartChecksum(name, { data, size: 7000 }, form),
    );
  for (const text of ['y/Q5Jh==', '0xcbf4392', '']) {
    const call = (api) => () => api.combineChecksums('crc32', [{ checksum: text, size: 1 }]);
    assert.throws(call(portable), { code: 'ERR_ARGUMENT_VALUE' });
  }
});

/** Expects an error with this code and this in its message. */
function refused(code, message, call) {
  assert.throws(call, (error) => {
    assert.equal(error.code, code, error.stack);
    assert.ok(error instanceof millrace.MillraceError);
    assert.match(error.message, message);
    return true;
  });
}

const part = (checksum, size) => [
  { checksum: 0, size: 0 },
  { checksum, size },
];

test('combineChecksums refuses what are no parts', () => {
  const value = 'ERR_ARGUMENT_VALUE';
  const type = 'ERR_ARGUMENT_TYPE';
  for (const parts of [[], new Set()])
    refused(value, /at least one part/, () => combineChecksums('crc32', parts));
  for (const parts of [undefined, null, 5, 'text', {}, Buffer.alloc(8), { data: 'x', size: 1 }])
    refused(type, /^parts must be an array/, () => combineChecksums('crc32', parts));
  for (const size of [-1, 1.5, NaN, Infinity, 2 ** 53, 2 ** 60])
    refused(value, /^parts\[1\]\.size .* below 2\^53/, () =>
      combineChecksums('crc32', part(1, size)),
    );
  for (const size of [undefined, null, '9', 9n, {}])
    refused(type, /^parts\[1\]\.size/, () => combineChecksums('crc32', part(1, size)));
  for (const checksum of [undefined, null, true, {}, [], Symbol('x'), () => {}])
    refused(type, /^parts\[1\]\.checksum/, () => combineChecksums('crc32', part(checksum, 1)));
  const texts = [
    '',
    'cbf4392',
    'cbf439266',
    'cbf4392g',
    '0xcbf4392',
    'y/Q5Jg=',
    'y/Q5Jg===',
    'y/Q5Jh==',
    'y/Q5J!==',
    'y/Q5J',
    ' y/Q5Jg==',
    '"cbf43926',
    'cbf43926\n',
    'ae8b14860a799888',
    '='.repeat(2 ** 20),
    'a'.repeat(2 ** 20),
  ];
  for (const text of texts)
    refused(value, /^parts\[1\]\.checksum .*4 bytes of crc32/, () =>
      combineChecksums('crc32', part(text, 1)),
    );
  for (const number of [-1n, 2n ** 32n, 2n ** 64n, -1, 1.5, 2 ** 32, 2 ** 53, NaN])
    refused(value, /^parts\[1\]\.checksum/, () => combineChecksums('crc32', part(number, 1)));
  for (const size of [0, 3, 5, 8])
    refused(value, /must have the 4 bytes/, () =>
      combineChecksums('crc32', part(Buffer.alloc(size), 1)),
    );
  refused(value, /must be 0 for a part of 0 bytes/, () => combineChecksums('crc32', part(1, 0)));
  refused(value, /parts\[0\]\.length/, () =>
    combineChecksums('crc32', [{ checksum: 0, size: 0, length: 9 }]),
  );
  refused('ERR_DETACHED', /^parts\[1\]/, () => combineChecksums('crc32', part(gone(), 1)));
  refused(value, /crc32, crc32c or crc64nvme, not sha256/, () => combineChecksums('sha256', []));
  refused('ERR_UNKNOWN_ALGORITHM', /getHashes/, () => combineChecksums('crc16', []));
  refused(type, /algorithm/, () => combineChecksums(5, []));
  refused(value, /encoding/, () => combineChecksums('crc32', part(1, 1), 'latin1'));
  refused('ERR_MISSING_ARGUMENT', /at most 3/, () =>
    combineChecksums('crc32', part(1, 1), 'hex', () => {}),
  );
});

/** Returns a Buffer without memory. */
function gone() {
  const array = new Uint8Array(4);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

test('multipartChecksum refuses what are no parts', () => {
  const value = 'ERR_ARGUMENT_VALUE';
  const type = 'ERR_ARGUMENT_TYPE';
  for (const parts of [[], Buffer.alloc(0), new Set()])
    refused(value, /at least one part/, () => multipartChecksum('md5', parts));
  const many = Array.from({ length: 10_001 }, () => Buffer.alloc(16));
  const forms = [many, Buffer.concat(many), { data: Buffer.alloc(10_001), size: 1 }, endless()];
  for (const parts of forms) refused(value, /at most 10000/, () => multipartChecksum('md5', parts));
  assert.match(multipartChecksum('md5', many.slice(1)), /-10000$/);
  for (const size of [0, -1, 1.5, NaN, 2 ** 53])
    refused(value, /^parts\.size/, () => multipartChecksum('md5', { data: Buffer.alloc(9), size }));
  refused(type, /^parts\.data/, () => multipartChecksum('md5', { data: 'text', size: 1 }));
  refused(type, /^parts\.size/, () => multipartChecksum('md5', { data: Buffer.alloc(9) }));
  refused(value, /partSize/, () =>
    multipartChecksum('md5', { data: Buffer.alloc(9), size: 1, partSize: 5 }),
  );
  for (const parts of [undefined, null, 5, 'text'])
    refused(type, /^parts/, () => multipartChecksum('md5', parts));
  refused(value, /16 bytes of md5 for each part, and have 17/, () =>
    multipartChecksum('md5', Buffer.alloc(17)),
  );
  refused(value, /^parts\[1\]/, () => multipartChecksum('md5', [Buffer.alloc(16), 'y/Q5Jg==']));
  refused(value, /ETag is of md5, not of sha256/, () =>
    multipartChecksum('sha256', [Buffer.alloc(32)], 'etag'),
  );
  refused(value, /no composite checksum of crc64nvme/, () =>
    multipartChecksum('crc64nvme', [Buffer.alloc(8)]),
  );
  refused(value, /no composite checksum of kmac128/, () => multipartChecksum('kmac128', ['x']));
  refused(value, /'composite' or 'etag'/, () => multipartChecksum('md5', many, 'ETag'));
  refused(type, /'composite' or 'etag'/, () => multipartChecksum('md5', many, 5));
  refused('ERR_MISSING_ARGUMENT', /at most 3/, () => multipartChecksum('md5', many, 'etag', 5));
});

function* endless() {
  while (true) yield Buffer.alloc(16);
}

test('parts are read once, in order, before anything is computed', () => {
  const read = [];
  const each = (name) => ({
    get checksum() {
      read.push(`${name}.checksum`);
      return 0;
    },
    get size() {
      read.push(`${name}.size`);
      // Calls within calls do not disturb each other.
      assert.equal(combineChecksums('crc32', [{ checksum: 7, size: 1 }], 'bigint'), 7n);
      return 5;
    },
  });
  combineChecksums('crc32', [each('a'), each('b')]);
  assert.deepEqual(read, ['a.checksum', 'a.size', 'b.checksum', 'b.size']);

  // An iterator may reuse the memory of a checksum.
  const memory = Buffer.alloc(16);
  function* reusing() {
    for (const value of [1, 2, 3]) yield memory.fill(value);
  }
  const apart = [1, 2, 3].map((value) => Buffer.alloc(16, value));
  assert.equal(multipartChecksum('md5', reusing()), multipartChecksum('md5', apart));

  let closed = false;
  const iterable = {
    *[Symbol.iterator]() {
      try {
        yield { checksum: 0, size: -1 };
      } finally {
        closed = true;
      }
    },
  };
  refused('ERR_ARGUMENT_VALUE', /size/, () => combineChecksums('crc32', iterable));
  assert.ok(closed);
});
