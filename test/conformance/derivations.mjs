// Key derivation and password hashes: published vectors, by every call style, and several at
// once.

import { hex, pattern, toHex, utf8 } from './bytes.mjs';
import { ok, same, sameBytes, sameError } from './verdicts.mjs';
import { errorOf, callStylesOf } from './call-styles.mjs';

const filled = (size, byte) => new Uint8Array(size).fill(byte);
const counting = (from, to) =>
  Uint8Array.from({ length: to - from + 1 }, (_, index) => from + index);

/**
 * `[name, arguments, where the options go, result]`: RFC 7914, RFC 6070 and the same under SHA-2,
 * RFC 5869, RFC 9106.
 */
const vectors = [
  [
    'scrypt',
    ['', '', 64, { N: 16, r: 1, p: 1 }],
    '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a75' +
      '3a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
  ],
  [
    'scrypt',
    ['password', 'NaCl', 64, { N: 1024, r: 8, p: 16 }],
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109' +
      '279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
  ],
  [
    'scrypt',
    ['pleaseletmein', 'SodiumChloride', 64, {}],
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d497' +
      '05242a9af9e61e85dc0d651e40dfcf017b45575887',
  ],
  ['pbkdf2', ['password', 'salt', 1, 20, 'sha1', {}], '0c60c80f961f0e71f3a9b524af6012062fe037a6'],
  ['pbkdf2', ['password', 'salt', 2, 20, 'sha1', {}], 'ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957'],
  [
    'pbkdf2',
    ['password', 'salt', 4096, 20, 'sha1', {}],
    '4b007901b765489abead49d926f721d065a429c1',
  ],
  [
    'pbkdf2',
    ['passwordPASSWORDpassword', 'saltSALTsaltSALTsaltSALTsaltSALTsalt', 4096, 25, 'sha1', {}],
    '3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038',
  ],
  ['pbkdf2', ['pass\0word', 'sa\0lt', 4096, 16, 'sha1', {}], '56fa6aa75548099dcc37d7f03425e0c3'],
  [
    'pbkdf2',
    ['password', 'salt', 4096, 32, 'sha256', {}],
    'c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a',
  ],
  [
    'pbkdf2',
    ['password', 'salt', 4096, 64, 'sha512', {}],
    'd197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5143f30602641b3d55cd335' +
      '988cb36b84376060ecd532e039b742a239434af2d5',
  ],
  [
    'hkdf',
    ['sha256', filled(22, 0x0b), counting(0, 0x0c), counting(0xf0, 0xf9), 42, {}],
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  ],
  [
    'hkdf',
    ['sha256', counting(0, 0x4f), counting(0x60, 0xaf), counting(0xb0, 0xff), 82, {}],
    'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41' +
      'c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87',
  ],
  [
    'hkdf',
    ['sha256', filled(22, 0x0b), '', '', 42, {}],
    '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  ],
  [
    'hkdf',
    ['sha1', filled(22, 0x0b), '', '', 42, {}],
    '0ac1af7002b3d761d1e55298da9d0506b9ae52057220a306e07b6b87e8df21d0ea00033de03984d34918',
  ],
  ...Object.entries({
    argon2d: '512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb',
    argon2i: 'c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8',
    argon2id: '0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659',
  }).map(([algorithm, expected]) => [
    'argon2',
    [
      algorithm,
      {
        message: filled(32, 1),
        nonce: filled(16, 2),
        secret: filled(8, 3),
        associatedData: filled(12, 4),
        memory: 32,
        passes: 3,
        parallelism: 4,
        tagLength: 32,
      },
    ],
    expected,
  ]),
];

/** RFC 5869, A.1 in two steps; RFC 3394, 4.6; RFC 5649, 6. The last is the row of the document. */
const parts = [
  [
    'hkdf.extract',
    ['sha256', filled(22, 0x0b), counting(0, 0x0c), {}],
    '077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5',
    'hkdf',
  ],
  [
    'hkdf.expand',
    [
      'sha256',
      hex('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5'),
      counting(0xf0, 0xf9),
      42,
      {},
    ],
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    'hkdf',
  ],
  ...[
    [
      'aes-256-kw',
      toHex(counting(0, 31)),
      '00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f',
      '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21',
    ],
    [
      'aes-192-kwp',
      '5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8',
      '466f7250617369',
      'afbeb0f07dfbf5419200f2ccb50bb24f',
    ],
  ].flatMap(([algorithm, key, plain, wrapped]) => {
    const row = algorithm.endsWith('p') ? 'aes-kwp' : 'aes-kw';
    const given = (source) => [algorithm, { key: hex(key), source: hex(source) }];
    return [
      ['wrapKey', given(plain), wrapped, row],
      ['unwrapKey', given(wrapped), plain, row],
    ];
  }),
];

/** Of libargon2's and crypt_blowfish's tests, and passlib's documentation. */
const strings = [
  [
    'argon2i',
    'password',
    '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
  ],
  [
    'argon2i',
    'password',
    '$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY',
  ],
  [
    'argon2id',
    'password',
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  ],
  ['bcrypt', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt', 'U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt', '', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
  [
    'bcrypt',
    '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after ' +
      '72 are ignored',
    '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
  ],
];

/** A cost that is short enough for a page and a test. */
const quick = { memory: 64, passes: 1, parallelism: 1 };

export function derivations({ millrace, promises, options, add }) {
  for (const name of ['scrypt', 'pbkdf2', 'hkdf', 'argon2']) {
    for (const { name: way, call } of callStylesOf(millrace, promises)) {
      add('derivations', name, `${way}, published vectors`, async () => {
        for (const [index, [method, args, expected]] of vectors.entries()) {
          if (method === name)
            sameBytes(
              await call(method, ...given(way, method, args, options)),
              expected,
              `vector ${index}`,
            );
        }
      });
    }
    add('derivations', name, 'several at once', async () => {
      const [method, args, expected] = vectors.find(([each]) => each === name);
      for (const each of await Promise.all(
        Array.from({ length: 6 }, () =>
          promises[method](...given('promise', method, args, options)),
        ),
      ))
        sameBytes(each, expected, 'each');
    });
  }
  for (const [method, args, expected, row] of parts)
    for (const { name: way, call } of callStylesOf(millrace, promises))
      add('derivations', row, `${way}, ${method}`, async () =>
        sameBytes(await call(method, ...given(way, method, args, options)), expected, method),
      );
  for (const { name: way, call } of callStylesOf(millrace, promises))
    add('derivations', 'aes-kw', `${way}, what is not authentic`, async () => {
      const source = hex('28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326');
      const error = await errorOf(
        call('unwrapKey', 'aes-256-kw', { key: counting(0, 31), source, ...options }),
        'unwrapKey',
      );
      sameError(error, 'ERR_AUTHENTICATION', millrace, 'unwrapKey');
    });
  add('derivations', 'argon2', 'progress', async () => {
    const seen = [];
    const key = await promises.argon2('argon2id', {
      ...options,
      message: 'pw',
      nonce: pattern(16),
      memory: 4096,
      passes: 6,
      onProgress: (progress) => seen.push(progress),
    });
    sameBytes(
      key,
      millrace.argon2('argon2id', {
        ...options,
        message: 'pw',
        nonce: pattern(16),
        memory: 4096,
        passes: 6,
      }),
      'key',
    );
    ok(seen.length > 0, 'no progress was told');
  });
  add('derivations', 'timingSafeEqual', 'equal and not', () => {
    for (const size of [0, 1, 16, 1000]) {
      same(millrace.timingSafeEqual(pattern(size), pattern(size)), true, `${size} bytes`);
      if (size === 0) continue;
      const other = pattern(size);
      other[size - 1] ^= 1;
      same(millrace.timingSafeEqual(pattern(size), other), false, `${size} bytes`);
    }
    for (const [args, code] of [
      [[pattern(3), pattern(4)], 'ERR_ARGUMENT_VALUE'],
      [['a', 'a'], 'ERR_ARGUMENT_TYPE'],
    ]) {
      let error;
      try {
        millrace.timingSafeEqual(...args);
      } catch (thrown) {
        error = thrown;
      }
      sameError(error, code, millrace, 'timingSafeEqual');
    }
  });
}

export function passwords({ millrace, promises, options, add }) {
  const verify = (call, ...args) => call('verifyPassword', ...args, options);
  for (const { name: way, call } of callStylesOf(millrace, promises)) {
    for (const algorithm of ['argon2i', 'argon2id', 'bcrypt']) {
      add('passwords', algorithm, `${way}, hashes of other programs`, async () => {
        for (const [, password, hash] of strings.filter(([each]) => each === algorithm)) {
          same(await verify(call, password, hash), true, hash);
          same(
            await verify(call, `${password}x`.slice(-20), hash),
            false,
            `${hash}, another password`,
          );
        }
      });
    }
    for (const cost of [
      { ...quick },
      { ...quick, algorithm: 'argon2d' },
      { ...quick, algorithm: 'argon2i', memory: 80, passes: 3, parallelism: 2, hashLength: 40 },
      { algorithm: 'scrypt', N: 256, r: 2, p: 2 },
      { algorithm: 'bcrypt', cost: 4 },
    ]) {
      add('passwords', cost.algorithm ?? 'argon2id', `${way}, hashed and verified`, async () => {
        const hash = await call('hashPassword', 'Grüße', { ...cost, ...options });
        ok(
          /^\$(argon2(id|i|d)\$v=19\$m=\d+,t=\d,p=\d|scrypt\$ln=8,r=2,p=2)\$[\w+/]+\$[\w+/]+$/.test(
            hash,
          ) || /^\$2b\$04\$[./\w]{53}$/.test(hash),
          hash,
        );
        ok(
          hash !== (await call('hashPassword', 'Grüße', { ...cost, ...options })),
          'a salt used twice',
        );
        same(await verify(call, utf8('Grüße'), hash), true, hash);
        same(await verify(call, 'Grüsse', hash), false, hash);
        same(millrace.needsRehash(hash, cost), false, 'needsRehash');
        const more = cost.algorithm === 'bcrypt' ? { cost: 5 } : { saltLength: 17 };
        same(millrace.needsRehash(hash, { ...cost, ...more }), true, 'needsRehash');
      });
    }
    add('passwords', 'argon2id', `${way}, with a secret`, async () => {
      const hash = await call('hashPassword', 'pw', { ...quick, ...options, secret: 'pepper' });
      same(
        await call('verifyPassword', 'pw', hash, { ...options, secret: 'pepper' }),
        true,
        'right',
      );
      same(await call('verifyPassword', 'pw', hash, options), false, 'without');
    });
    add('passwords', 'argon2id', `${way}, what is refused`, async () => {
      const tail = '$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
      for (const [hash, code] of [
        ['', 'ERR_PASSWORD_HASH'],
        ['$1$abc$def', 'ERR_PASSWORD_HASH'],
        [`$argon2ix$v=19$m=64,t=1,p=1${tail}`, 'ERR_PASSWORD_HASH'],
        [`$argon2id$v=19$m=262148,t=1,p=1${tail}`, 'ERR_MEMORY_LIMIT'],
        [`$argon2id$v=19$m=65536,t=4294967295,p=1${tail}`, 'ERR_WORK_LIMIT'],
        ['$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'ERR_WORK_LIMIT'],
      ]) {
        sameError(await errorOf(verify(call, 'x', hash), hash), code, millrace, hash);
      }
      sameError(
        await errorOf(
          call('scrypt', 'x', 'y', 32, { ...options, N: 16384, maxmem: 1000 }),
          'maxmem',
        ),
        'ERR_MEMORY_LIMIT',
        millrace,
        'maxmem',
      );
      sameError(
        await errorOf(call('hashPassword', 'x', { ...options, algorithm: 'bcrypts' }), 'bcrypts'),
        'ERR_UNKNOWN_ALGORITHM',
        millrace,
        'bcrypts',
      );
    });
  }
  add('passwords', 'bcrypt', 'made anew by default', () =>
    same(millrace.needsRehash(strings[3][2]), true, toHex(utf8('bcrypt'))),
  );
}

/** Returns the arguments of a call: the synchronous forms of pbkdf2 and hkdf get no options. */
function given(way, method, args, options) {
  const last = args.at(-1);
  if (way === 'synchronous' && (method === 'pbkdf2' || method.startsWith('hkdf')))
    return args.slice(0, -1);
  return [...args.slice(0, -1), { ...last, ...options }];
}
