// Published vectors, by every call style: scrypt (RFC 7914), PBKDF2 (RFC 6070, and the same
// under SHA-2), HKDF (RFC 5869), Argon2 (RFC 9106), AES key
// wrap (RFC 3394, RFC 5649).

import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { everyWay } from './call-styles.mjs';

const bytes = (from, to) =>
  Buffer.from(Array.from({ length: to - from + 1 }, (_, index) => from + index));

/** The longest key of RFC 3394's examples. */
const RFC_3394 = Buffer.from(
  '00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f',
  'hex',
);

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
    ['pleaseletmein', 'SodiumChloride', 64],
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d497' +
      '05242a9af9e61e85dc0d651e40dfcf017b45575887',
  ],
  ['pbkdf2', ['password', 'salt', 1, 20, 'sha1'], '0c60c80f961f0e71f3a9b524af6012062fe037a6'],
  ['pbkdf2', ['password', 'salt', 2, 20, 'sha1'], 'ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957'],
  ['pbkdf2', ['password', 'salt', 4096, 20, 'sha1'], '4b007901b765489abead49d926f721d065a429c1'],
  [
    'pbkdf2',
    ['passwordPASSWORDpassword', 'saltSALTsaltSALTsaltSALTsaltSALTsalt', 4096, 25, 'sha1'],
    '3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038',
  ],
  ['pbkdf2', ['pass\0word', 'sa\0lt', 4096, 16, 'sha1'], '56fa6aa75548099dcc37d7f03425e0c3'],
  [
    'pbkdf2',
    ['password', 'salt', 4096, 32, 'sha256'],
    'c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a',
  ],
  [
    'pbkdf2',
    ['password', 'salt', 4096, 64, 'sha512'],
    'd197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5143f30602641b3d55cd335' +
      '988cb36b84376060ecd532e039b742a239434af2d5',
  ],
  [
    'hkdf',
    ['sha256', Buffer.alloc(22, 0x0b), bytes(0, 0x0c), bytes(0xf0, 0xf9), 42],
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  ],
  [
    'hkdf',
    ['sha256', bytes(0, 0x4f), bytes(0x60, 0xaf), bytes(0xb0, 0xff), 82],
    'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41' +
      'c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87',
  ],
  [
    'hkdf',
    ['sha256', Buffer.alloc(22, 0x0b), '', '', 42],
    '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  ],
  [
    'hkdf',
    ['sha1', Buffer.alloc(22, 0x0b), '', '', 42],
    '0ac1af7002b3d761d1e55298da9d0506b9ae52057220a306e07b6b87e8df21d0ea00033de03984d34918',
  ],
  [
    'hkdf.extract',
    ['sha256', Buffer.alloc(22, 0x0b), bytes(0, 0x0c)],
    '077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5',
  ],
  [
    'hkdf.expand',
    [
      'sha256',
      Buffer.from('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5', 'hex'),
      bytes(0xf0, 0xf9),
      42,
    ],
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  ],
  [
    'hkdf.extract',
    ['sha1', Buffer.alloc(22, 0x0c), ''],
    '2adccada18779e7c2077ad2eb19d3f3e731385dd',
  ],
  [
    'hkdf.expand',
    ['sha1', Buffer.from('2adccada18779e7c2077ad2eb19d3f3e731385dd', 'hex'), '', 42],
    '2c91117204d745f3500d636a62f64f0ab3bae548aa53d423b0d1f27ebba6f5e5673a081d70cce7acfc48',
  ],
  // RFC 3394, 4.1, 4.3 and 4.6.
  [
    'wrapKey',
    ['aes-128-kw', { key: bytes(0, 15), source: RFC_3394.subarray(0, 16) }],
    '1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5',
  ],
  [
    'wrapKey',
    ['aes-256-kw', { key: bytes(0, 31), source: RFC_3394.subarray(0, 16) }],
    '64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7',
  ],
  [
    'wrapKey',
    ['aes-256-kw', { key: bytes(0, 31), source: RFC_3394 }],
    '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21',
  ],
  [
    'unwrapKey',
    [
      'id-aes256-wrap',
      {
        key: bytes(0, 31),
        source: Buffer.from(
          '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21',
          'hex',
        ),
      },
    ],
    RFC_3394.toString('hex'),
  ],
  // RFC 5649, 6.
  ...[
    [
      'c37b7e6492584340bed12207808941155068f738',
      '138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a',
    ],
    ['466f7250617369', 'afbeb0f07dfbf5419200f2ccb50bb24f'],
  ].flatMap(([plain, wrapped]) => {
    const key = Buffer.from('5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8', 'hex');
    return [
      ['wrapKey', ['aes-192-kwp', { key, source: Buffer.from(plain, 'hex') }], wrapped],
      ['unwrapKey', ['AES192-wrap-pad', { key, source: Buffer.from(wrapped, 'hex') }], plain],
    ];
  }),
  ...Object.entries({
    argon2d: '512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb',
    argon2i: 'c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8',
    argon2id: '0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659',
  }).map(([algorithm, expected]) => [
    'argon2',
    [
      algorithm,
      {
        message: Buffer.alloc(32, 1),
        nonce: Buffer.alloc(16, 2),
        secret: Buffer.alloc(8, 3),
        associatedData: Buffer.alloc(12, 4),
        memory: 32,
        passes: 3,
        parallelism: 4,
        tagLength: 32,
      },
    ],
    expected,
  ]),
];

// RFC 7914's last vector takes 1 GiB; a machine with less than 4.1 GiB does not give it by default.
const { maxKdfMemory } = millrace.configure();
const short =
  maxKdfMemory > 0 ? maxKdfMemory < 2 ** 30 + 17_408 : totalmem() / 4 < 2 ** 30 + 17_408;
const skip = short && 'needs 4.1 GiB of memory: a quarter of it may go to derivations';
test('scrypt, N = 2^20: within the default of maxKdfMemory', { skip }, async () => {
  const options = { N: 2 ** 20, r: 8, p: 1, maxmem: 2 ** 31 };
  const key = await promises.scrypt('pleaseletmein', 'SodiumChloride', 64, options);
  assert.equal(
    key.toString('hex'),
    '2101cb9b6a511aaeaddbbe09cf70f881ec568d574a2ffd4dabe5ee9820adaa478e56fd8f4ba5d09ffa1c6d' +
      '927c40f4c337304049e8a952fbcbf45c6fa77a41a4',
  );
});

for (const [index, [name, args, expected]] of vectors.entries()) {
  test(`${name}, vector ${index}`, async () => {
    for (const [way, result] of await everyWay(name, args)) {
      assert.ok(Buffer.isBuffer(result), way);
      assert.equal(result.toString('hex'), expected, way);
    }
  });
}
