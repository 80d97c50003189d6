// Wrong types and wrong numbers: each argument of each form, in every call style.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import {
  aeadNames,
  cipherNames,
  ciphers,
  hashNames,
  hashes,
  streamNames,
} from '../support/algorithms.mjs';
import { refuses } from '../support/refusals.mjs';

const notBytes = [
  undefined,
  null,
  0,
  1,
  true,
  false,
  1n,
  Symbol('bytes'),
  {},
  [],
  [1, 2, 3],
  { length: 4 },
  new Date(0),
  new Map(),
];
const notData = notBytes;
const strings = ['', 'text'];
const notNumbers = [undefined, null, '0', '', true, {}, [], 1n, Buffer.alloc(1), NaN.toString()];
const notUnsigned = [-1, 0.5, 1.5, NaN, Infinity, -Infinity, 2 ** 53, Number.MAX_VALUE, -(2 ** 31)];
const notStrings = [
  undefined,
  null,
  0,
  1,
  true,
  1n,
  {},
  [],
  ['sha256'],
  Buffer.from('sha256'),
  new String('sha256'),
  Symbol('sha256'),
];

const bytes = (size) => Buffer.alloc(size, 7);

/** The arguments of a valid call by name, in order. */
const forms = {
  hash: { method: 'hash', valid: { algorithm: 'sha256', data: bytes(10) }, data: ['data'] },
  hmac: {
    method: 'hmac',
    valid: { algorithm: 'sha256', key: bytes(10), data: bytes(10) },
    data: ['key', 'data'],
  },
  cipher: {
    method: 'cipher',
    valid: {
      algorithm: 'aes-128-ctr',
      encrypt: true,
      key: bytes(16),
      iv: bytes(16),
      source: bytes(10),
    },
    bytes: ['key', 'iv'],
    data: ['source'],
  },
  'cipher with aad and tag': {
    method: 'cipher',
    valid: {
      algorithm: 'aes-128-gcm',
      encrypt: true,
      key: bytes(16),
      iv: bytes(12),
      source: bytes(10),
      aad: bytes(3),
      tag: bytes(16),
    },
    bytes: ['key', 'iv', 'tag'],
    data: ['source', 'aad'],
    optional: ['aad'],
  },
};

const optionForms = {
  'hash options': {
    method: 'hash',
    first: { algorithm: 'blake3', data: bytes(10) },
    valid: { key: bytes(32), outputLength: 20, target: bytes(40), targetOffset: 4 },
    bytes: ['key', 'target'],
    optional: ['key', 'outputLength', 'targetOffset', 'target'],
  },
  'hmac options': {
    method: 'hmac',
    first: { algorithm: 'sha1', key: bytes(10), data: bytes(10) },
    valid: { target: bytes(40), targetOffset: 4 },
    bytes: ['target'],
    optional: ['targetOffset', 'target'],
  },
  'cipher options': {
    method: 'cipher',
    first: { algorithm: 'aes-256-gcm' },
    valid: {
      encrypt: true,
      key: bytes(32),
      iv: bytes(12),
      source: bytes(10),
      aad: bytes(3),
      tag: bytes(16),
      target: bytes(40),
      targetOffset: 4,
    },
    bytes: ['key', 'iv', 'tag', 'target'],
    data: ['source', 'aad'],
    optional: ['aad', 'targetOffset', 'target'],
  },
  'seal options': {
    method: 'seal',
    first: { algorithm: 'aes-256-gcm' },
    valid: {
      key: bytes(32),
      nonce: bytes(12),
      source: bytes(10),
      aad: bytes(3),
      authTagLength: 16,
      target: bytes(40),
      targetOffset: 4,
    },
    bytes: ['key', 'nonce', 'target'],
    data: ['source', 'aad'],
    optional: ['nonce', 'aad', 'authTagLength', 'targetOffset', 'target'],
  },
  'open options': {
    method: 'open',
    first: { algorithm: 'aes-256-gcm' },
    valid: {
      key: bytes(32),
      nonce: bytes(12),
      source: bytes(26),
      aad: bytes(3),
      authTagLength: 16,
      target: bytes(40),
      targetOffset: 4,
    },
    bytes: ['key', 'nonce', 'source', 'target'],
    data: ['aad'],
    optional: ['nonce', 'aad', 'authTagLength', 'targetOffset', 'target'],
  },
};

for (const [
  title,
  { method, valid, bytes: byteNames = [], data: dataNames = [], optional = [] },
] of Object.entries(forms)) {
  const replace = (name, value) => Object.values({ ...valid, [name]: value });

  test(`${title}: the valid call is valid`, () => {
    try {
      millrace[method](...Object.values(valid));
    } catch (error) {
      // The decryption here has no true tag, and so has got as far as it can.
      assert.equal(error.code, 'ERR_AUTHENTICATION');
    }
  });

  test(`${title}: bytes of the wrong type`, async () => {
    const wrong = (values, name) =>
      values.filter((value) => value !== undefined || !optional.includes(name));
    const codes = ['ERR_ARGUMENT_TYPE', 'ERR_MISSING_ARGUMENT'];
    for (const name of byteNames) {
      for (const value of wrong([...notBytes, ...strings], name))
        await refuses(
          method,
          replace(name, value),
          value === undefined ? codes : 'ERR_ARGUMENT_TYPE',
          named(name),
        );
    }
    for (const name of dataNames) {
      for (const value of wrong(notData, name))
        await refuses(
          method,
          replace(name, value),
          value === undefined ? codes : 'ERR_ARGUMENT_TYPE',
          named(name),
        );
    }
  });

  const integers = Object.keys(valid).filter((each) => /(Offset|Size)$/.test(each));
  if (integers.length > 0)
    test(`${title}: integers of the wrong type or value`, async () => {
      for (const name of integers) {
        for (const value of notNumbers)
          await refuses(method, replace(name, value), 'ERR_ARGUMENT_TYPE', named(name));
        for (const value of notUnsigned)
          await refuses(method, replace(name, value), 'ERR_ARGUMENT_VALUE', named(name));
      }
    });

  test(`${title}: algorithm of the wrong type or unknown`, async () => {
    for (const value of notStrings)
      await refuses(method, replace('algorithm', value), 'ERR_ARGUMENT_TYPE', /algorithm/);
    for (const value of [
      '',
      'unknown',
      'sha256 ',
      ' sha256',
      'aes-128-ctr\0',
      'sha256\0junk',
      'ſha256',
      'aes-256-cbc',
      '__proto__',
      'constructor',
      'x'.repeat(100_000),
    ]) {
      await refuses(method, replace('algorithm', value), 'ERR_UNKNOWN_ALGORITHM');
    }
  });

  test(`${title}: any other number of arguments`, async () => {
    const all = Object.values(valid);
    const counts = { hash: [2, 3, 6], hmac: [3, 4, 9], cipher: [2, 5, 7, 13, 19] }[method];
    for (let count = 0; count <= 25; count++) {
      if (counts.includes(count)) continue;
      const given = Array.from({ length: count }, (_, index) => all[index % all.length]);
      await refuses(method, given, ['ERR_MISSING_ARGUMENT', 'ERR_ARGUMENT_TYPE']);
    }
  });
}

for (const [
  title,
  { method, first, valid, bytes: byteNames, data: dataNames = [], optional },
] of Object.entries(optionForms)) {
  const withOption = (name, value) => [...Object.values(first), { ...valid, [name]: value }];

  test(`${title}: the valid call is valid`, () => {
    try {
      assert.equal(typeof millrace[method](...Object.values(first), valid), 'number');
    } catch (error) {
      assert.equal(error.code, 'ERR_AUTHENTICATION');
    }
  });

  test(`${title}: wrong types`, async () => {
    const but = (values, name) =>
      optional.includes(name) ? values.filter((value) => value !== undefined) : values;
    for (const name of byteNames)
      for (const value of but([...notBytes, ...strings], name))
        await refuses(
          method,
          withOption(name, value),
          ['ERR_ARGUMENT_TYPE', 'ERR_MISSING_ARGUMENT'],
          named(name),
        );
    for (const name of dataNames)
      for (const value of but(notData, name))
        await refuses(
          method,
          withOption(name, value),
          ['ERR_ARGUMENT_TYPE', 'ERR_MISSING_ARGUMENT'],
          named(name),
        );
    for (const name of ['targetOffset', 'authTagLength', 'outputLength'].filter(
      (each) => each in valid,
    )) {
      for (const value of but(notNumbers, name))
        await refuses(method, withOption(name, value), 'ERR_ARGUMENT_TYPE', named(name));
      for (const value of notUnsigned)
        await refuses(
          method,
          withOption(name, value),
          ['ERR_ARGUMENT_VALUE', 'ERR_TAG_SIZE', 'ERR_OUTPUT_SIZE'],
          named(name),
        );
    }
  });

  test(`${title}: a target that is too small or an offset past its end`, async () => {
    for (const offset of [41, 40, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER])
      await refuses(method, withOption('targetOffset', offset), 'ERR_ARGUMENT_VALUE', /target/);
    for (const size of [0, 1])
      await refuses(method, withOption('target', bytes(size)), 'ERR_ARGUMENT_VALUE', /target/);
  });

  test(`${title}: an offset without a target`, async () => {
    await refuses(
      method,
      withOption('target', undefined),
      ['ERR_MISSING_ARGUMENT', 'ERR_ARGUMENT_VALUE'],
      /target/,
    );
  });

  test(`${title}: no object at all`, async () => {
    const wrong = [null, 0, 1, true, 1n, Symbol('options'), Buffer.alloc(4), new Uint8Array(4)];
    if (method === 'seal' || method === 'open' || method === 'cipher') wrong.push('hex', undefined);
    for (const value of wrong)
      await refuses(
        method,
        [...Object.values(first), value],
        ['ERR_ARGUMENT_TYPE', 'ERR_MISSING_ARGUMENT'],
      );
  });
}

test('encrypt takes true, false, 0, 1 and nothing else', async () => {
  const args = (encrypt) => ['aes-128-ctr', encrypt, bytes(16), bytes(16), bytes(10)];
  const expected = millrace.cipher(...args(true));
  for (const value of [true, false, 0, 1, -0]) {
    assert.deepEqual(millrace.cipher(...args(value)), expected);
    assert.deepEqual(
      millrace.cipher('aes-128-ctr', {
        encrypt: value,
        key: bytes(16),
        iv: bytes(16),
        source: bytes(10),
      }),
      expected,
    );
  }
  for (const value of [
    2,
    -1,
    0.5,
    NaN,
    '',
    '1',
    'true',
    null,
    1n,
    [],
    Symbol('encrypt'),
    new Number(1),
  ]) {
    await refuses('cipher', args(value), ['ERR_ARGUMENT_TYPE', 'ERR_ARGUMENT_VALUE'], /encrypt/);
    await refuses(
      'cipher',
      ['aes-128-ctr', { encrypt: value, key: bytes(16), iv: bytes(16), source: bytes(10) }],
      ['ERR_ARGUMENT_TYPE', 'ERR_ARGUMENT_VALUE'],
      /encrypt/,
    );
  }
  await refuses(
    'cipher',
    ['aes-128-ctr', { key: bytes(16), iv: bytes(16), source: bytes(10) }],
    ['ERR_ARGUMENT_TYPE', 'ERR_MISSING_ARGUMENT'],
    /encrypt/,
  );
});

for (const algorithm of cipherNames) {
  const { key, iv, aead } = ciphers[algorithm];
  const tagged = aead ? { aad: bytes(2), tag: bytes(16) } : {};

  test(`key and iv of the wrong size: ${algorithm}`, async () => {
    for (const size of [0, 1, key - 1, key + 1, key * 2, 1000].filter((each) => each !== key)) {
      await refuses(
        'cipher',
        [
          algorithm,
          { encrypt: true, key: bytes(size), iv: bytes(iv), source: bytes(3), ...tagged },
        ],
        'ERR_KEY_SIZE',
        /key/,
      );
      await refuses(
        'cipher',
        [algorithm, true, bytes(size), bytes(iv), bytes(3), ...Object.values(tagged)],
        'ERR_KEY_SIZE',
        /key/,
      );
      if (aead)
        await refuses(
          'seal',
          [algorithm, { key: bytes(size), nonce: bytes(iv), source: bytes(3) }],
          'ERR_KEY_SIZE',
          /key/,
        );
      if (aead)
        await refuses(
          'open',
          [algorithm, { key: bytes(size), nonce: bytes(iv), source: bytes(30) }],
          'ERR_KEY_SIZE',
          /key/,
        );
    }
    for (const size of [0, 1, 8, iv - 1, iv + 1, 12, 16, 24, 32, 129].filter(
      (each) => each !== iv,
    )) {
      if (algorithm.endsWith('-gcm') && size >= 1 && size <= 128) continue;
      await refuses(
        'cipher',
        [
          algorithm,
          { encrypt: true, key: bytes(key), iv: bytes(size), source: bytes(3), ...tagged },
        ],
        'ERR_IV_SIZE',
        /iv/,
      );
      if (aead)
        await refuses(
          'seal',
          [algorithm, { key: bytes(key), nonce: bytes(size), source: bytes(3) }],
          'ERR_IV_SIZE',
          /nonce|iv/,
        );
    }
  });
}

for (const algorithm of aeadNames) {
  const { key, iv, tagSizes } = ciphers[algorithm];
  test(`tags of the wrong size: ${algorithm}`, async () => {
    for (let size = 0; size <= 20; size++) {
      if (tagSizes.includes(size)) continue;
      const secrets = { key: bytes(key), iv: bytes(iv) };
      await refuses(
        'cipher',
        [algorithm, { encrypt: true, ...secrets, source: bytes(3), tag: bytes(size) }],
        'ERR_TAG_SIZE',
        /tag/,
      );
      await refuses(
        'cipher',
        [algorithm, { encrypt: false, ...secrets, source: bytes(3), tag: bytes(size) }],
        'ERR_TAG_SIZE',
        /tag/,
      );
      await refuses(
        'seal',
        [algorithm, { key: bytes(key), nonce: bytes(iv), source: bytes(3), authTagLength: size }],
        'ERR_TAG_SIZE',
        /authTagLength/,
      );
      await refuses(
        'open',
        [algorithm, { key: bytes(key), nonce: bytes(iv), source: bytes(30), authTagLength: size }],
        'ERR_TAG_SIZE',
        /authTagLength/,
      );
    }
  });

  test(`an AEAD without a tag: ${algorithm}`, async () => {
    const missing = ['ERR_MISSING_ARGUMENT', 'ERR_TAG_SIZE', 'ERR_ARGUMENT_TYPE'];
    await refuses(
      'cipher',
      [algorithm, { encrypt: true, key: bytes(key), iv: bytes(iv), source: bytes(3) }],
      missing,
      /tag/,
    );
    await refuses(
      'cipher',
      [algorithm, { encrypt: false, key: bytes(key), iv: bytes(iv), source: bytes(3) }],
      missing,
      /tag/,
    );
    await refuses('cipher', [algorithm, true, bytes(key), bytes(iv), bytes(3)], missing, /tag/);
  });

  test(`open of a source shorter than the tag: ${algorithm}`, async () => {
    for (const size of [0, 1, 15]) {
      await refuses(
        'open',
        [algorithm, { key: bytes(key), nonce: bytes(iv), source: bytes(size) }],
        'ERR_SOURCE_SIZE',
        /source/,
      );
    }
  });
}

test('a cipher without authentication takes no aad and no tag', async () => {
  for (const algorithm of streamNames) {
    const secrets = { key: bytes(ciphers[algorithm].key), iv: bytes(16) };
    const codes = ['ERR_ARGUMENT_VALUE', 'ERR_TAG_SIZE'];
    await refuses(
      'cipher',
      [algorithm, { encrypt: true, ...secrets, source: bytes(3), aad: bytes(1) }],
      codes,
      /aad/,
    );
    await refuses(
      'cipher',
      [algorithm, { encrypt: true, ...secrets, source: bytes(3), tag: bytes(16) }],
      codes,
      /tag/,
    );
    await refuses(
      'cipher',
      [algorithm, true, secrets.key, secrets.iv, bytes(3), bytes(1), bytes(0)],
      codes,
      /aad/,
    );
    await refuses(
      'cipher',
      [algorithm, true, secrets.key, secrets.iv, bytes(3), bytes(0), bytes(16)],
      codes,
      /tag/,
    );
    // As in the original package: empty ones are none.
    assert.deepEqual(
      millrace.cipher(algorithm, true, secrets.key, secrets.iv, bytes(3), bytes(0), bytes(0)),
      millrace.cipher(algorithm, true, secrets.key, secrets.iv, bytes(3)),
    );
    for (const method of ['seal', 'open']) {
      await refuses(
        method,
        [algorithm, { key: secrets.key, nonce: secrets.iv, source: bytes(30) }],
        ['ERR_ARGUMENT_VALUE', 'ERR_UNKNOWN_ALGORITHM'],
        /algorithm|authenticat|AEAD/i,
      );
    }
  }
});

test('an unknown encoding is refused', async () => {
  for (const encoding of [
    'HEX',
    'utf8',
    'latin1',
    'binary',
    '',
    'hex ',
    '__proto__',
    'constructor',
    'toString',
  ]) {
    await refuses('hash', ['sha256', bytes(3), encoding], 'ERR_ARGUMENT_VALUE', /encoding/);
    await refuses('hash', ['sha256', bytes(3), { encoding }], 'ERR_ARGUMENT_VALUE', /encoding/);
    await refuses(
      'hmac',
      ['sha256', bytes(3), bytes(3), encoding],
      'ERR_ARGUMENT_VALUE',
      /encoding/,
    );
  }
  for (const encoding of [0, 1, null, true, {}, Symbol('hex'), 1n])
    await refuses('hash', ['sha256', bytes(3), { encoding }], 'ERR_ARGUMENT_TYPE', /encoding/);
  await refuses(
    'hash',
    ['sha256', bytes(3), { encoding: 'hex', target: bytes(32) }],
    'ERR_ARGUMENT_VALUE',
    /encoding|target/,
  );
  assert.equal(
    millrace.hash('sha256', bytes(3), { encoding: 'hex' }),
    millrace.hash('sha256', bytes(3), 'hex'),
  );
  assert.ok(Buffer.isBuffer(millrace.hash('sha256', bytes(3), undefined)));
  assert.ok(Buffer.isBuffer(millrace.hash('sha256', bytes(3), {})));
  assert.ok(
    Buffer.isBuffer(
      millrace.hash('sha256', bytes(3), {
        encoding: undefined,
        target: undefined,
        targetOffset: undefined,
        seed: undefined,
        outputLength: undefined,
      }),
    ),
  );
});

for (const algorithm of hashNames) {
  const { digest, xof, seedBits, key, parameters } = hashes[algorithm];
  test(`output length, seed and key: ${algorithm}`, async () => {
    for (const outputLength of [0, 1, digest - 1, digest + 1, 2 ** 31, 2 ** 40]) {
      if (outputLength < 0 || (xof && outputLength > 0 && outputLength < 2 ** 30)) continue;
      const [least, most] = parameters?.outputLength ?? [digest, digest];
      if (outputLength >= least && outputLength <= most) continue;
      await refuses(
        'hash',
        [algorithm, bytes(3), { outputLength }],
        ['ERR_OUTPUT_SIZE', 'ERR_ARGUMENT_VALUE'],
        /outputLength/,
      );
    }
    assert.deepEqual(
      millrace.hash(algorithm, bytes(3), { outputLength: digest }),
      millrace.hash(algorithm, bytes(3)),
    );
    for (const seed of ['0', null, true, {}, Symbol('seed')])
      await refuses('hash', [algorithm, bytes(3), { seed }], 'ERR_ARGUMENT_TYPE', /seed/);
    if (seedBits) {
      for (const seed of [-1, -1n, 0.5, NaN, Infinity, 2 ** 53, 2n ** BigInt(seedBits), 2n ** 200n])
        await refuses('hash', [algorithm, bytes(3), { seed }], 'ERR_ARGUMENT_VALUE', /seed/);
      assert.deepEqual(
        millrace.hash(algorithm, bytes(3), { seed: 5 }),
        millrace.hash(algorithm, bytes(3), { seed: 5n }),
      );
      assert.deepEqual(
        millrace.hash(algorithm, bytes(3), { seed: 0 }),
        millrace.hash(algorithm, bytes(3)),
      );
      assert.notDeepEqual(
        millrace.hash(algorithm, bytes(3), { seed: 2n ** BigInt(seedBits) - 1n }),
        millrace.hash(algorithm, bytes(3)),
      );
    } else {
      for (const seed of [0, 1, 1n])
        await refuses('hash', [algorithm, bytes(3), { seed }], 'ERR_ARGUMENT_VALUE', /seed/);
    }
    if (key) {
      for (const size of [0, 1, key - 1, key + 1, 64])
        await refuses('hash', [algorithm, bytes(3), { key: bytes(size) }], 'ERR_KEY_SIZE', /key/);
    } else if (parameters?.key) {
      for (const size of [parameters.key[0] - 1, parameters.key[1] + 1])
        await refuses('hash', [algorithm, bytes(3), { key: bytes(size) }], 'ERR_KEY_SIZE', /key/);
    } else {
      for (const size of [0, 32])
        await refuses(
          'hash',
          [algorithm, bytes(3), { key: bytes(size) }],
          'ERR_ARGUMENT_VALUE',
          /key/,
        );
    }
  });
}

test('an HMAC over a hash without one is refused', async () => {
  for (const algorithm of hashNames.filter((name) => !hashes[name].hmac)) {
    await refuses(
      'hmac',
      [algorithm, bytes(32), bytes(3)],
      'ERR_ARGUMENT_VALUE',
      new RegExp(algorithm),
    );
    await refuses(
      'hmac',
      [algorithm, bytes(32), bytes(3), { target: bytes(64) }],
      'ERR_ARGUMENT_VALUE',
      new RegExp(algorithm),
    );
  }
});

test('an HMAC refuses options of a hash', async () => {
  for (const algorithm of ['sha256', 'blake3']) {
    for (const outputLength of [0, 1, 31, 33, 64])
      await refuses(
        'hmac',
        [algorithm, bytes(32), bytes(3), { outputLength }],
        ['ERR_OUTPUT_SIZE', 'ERR_ARGUMENT_VALUE'],
        /outputLength/,
      );
    for (const seed of [0, 1n])
      await refuses(
        'hmac',
        [algorithm, bytes(32), bytes(3), { seed }],
        'ERR_ARGUMENT_VALUE',
        /seed/,
      );
    await refuses(
      'hmac',
      [algorithm, bytes(32), bytes(3), { key: bytes(32) }],
      'ERR_ARGUMENT_VALUE',
      /key/,
    );
  }
});

test('an unknown algorithm names the nearest', () => {
  const nearest = (call) => {
    try {
      return call();
    } catch (error) {
      return error.message;
    }
  };
  assert.match(
    nearest(() => millrace.hash('sha265', '')),
    /sha256/,
  );
  assert.match(
    nearest(() => millrace.hash('SHA3256', '')),
    /sha3-256/,
  );
  assert.match(
    nearest(() => millrace.seal('aes-256-gmc', {})),
    /aes-256-gcm/,
  );
  assert.match(
    nearest(() => millrace.hmac('blake2b521', '', '')),
    /blake2b512/,
  );
});

test('offsets are refused, with the options that replace them', async () => {
  const [key, iv, source, target] = [bytes(16), bytes(16), bytes(50), bytes(50)];
  for (const [method, args] of [
    ['hash', ['sha256', source, 0, 50, target, 0]],
    ['hmac', ['sha256', key, 0, 16, source, 0, 50, target, 0]],
    ['cipher', ['aes-128-ctr', 1, key, 0, 16, iv, 0, 16, source, 0, 50, target, 0]],
  ])
    await refuses(method, args, 'ERR_MISSING_ARGUMENT', /subarray.*options.target.*crypto-async/);
});

test('a callback that is not a function is refused', async () => {
  for (const wrong of [0, null, {}, 'callback', Symbol('callback')]) {
    await assert.rejects(
      async () => millrace.hash('sha256', bytes(1), { target: bytes(32) }, wrong),
      TypeError,
    );
    await assert.rejects(
      async () => millrace.hmac('sha256', bytes(1), bytes(1), { target: bytes(32) }, wrong),
      TypeError,
    );
    await assert.rejects(
      async () => millrace.cipher('aes-128-ctr', 1, bytes(16), bytes(16), bytes(1), wrong),
      TypeError,
    );
    await assert.rejects(
      async () =>
        millrace.seal('aes-128-gcm', { key: bytes(16), nonce: bytes(12), source: bytes(3) }, wrong),
      TypeError,
    );
  }
});

test('no message holds bytes it was given', () => {
  const secret = Buffer.from('c0ffee-secret-key');
  for (const call of [
    () =>
      millrace.cipher('aes-256-gcm', {
        encrypt: true,
        key: secret,
        iv: bytes(12),
        source: bytes(1),
        tag: bytes(16),
      }),
    () => millrace.seal('aes-256-gcm', { key: secret, nonce: bytes(12), source: bytes(1) }),
    () => millrace.createKey('aes-256-gcm', secret),
    () =>
      millrace.cipher('aes-256-gcm', {
        encrypt: true,
        key: 'c0ffee-secret-key',
        iv: bytes(12),
        source: bytes(1),
        tag: bytes(16),
      }),
    () => millrace.hash('blake3', 'x', { key: 'c0ffee-secret-key' }),
  ]) {
    assert.throws(
      call,
      (error) =>
        !error.message.includes('c0ffee') && !error.message.includes(secret.toString('hex')),
    );
  }
});

/** Returns the window and option names of an argument; `data` is also the source. */
function named(name) {
  if (name === 'data') return /data|source/;
  if (name === 'nonce') return /nonce|iv/;
  return new RegExp(name);
}

// The sources are modules. A bundle that is not strict would show the arguments of a running call,
// such as keys, to the functions it calls, and its calls would take longer.
test('the functions are strict', () => {
  for (const name of ['hash', 'hmac', 'seal', 'open', 'cipher'])
    assert.ok(!Object.hasOwn(millrace[name], 'arguments'), name);
});
