// Portable key derivation by itself, described as calls describe it, against the native engine:
// bytes, statuses, bytes of memory that are said to be needed.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { compareSync, hashSync } from 'bcryptjs';
import { bcrypt as wasmBcrypt } from 'hash-wasm';
import millrace from 'millrace';

import { hashNames, hashes } from '../support/algorithms.mjs';
import { portable } from '../support/portable-bundle.mjs';
import { random } from '../support/random.mjs';

const { derivationOf, derive, deriveFast, memoryOf, needsRehash, predict, Refused } =
  await portable('src/portable/kdf/index.ts');
const { At, Flag, Operation, Status } = await portable('src/request/frame.ts');
const require = createRequire(import.meta.url);
const dist = dirname(require.resolve('millrace'));
const { native } = require(join(dist, 'core.js'))['engines/binding'];
const { frame } = require(join(dist, 'core.js'))['request/frame'];

const NOTHING = new Uint8Array(0);

/** Writes a call into a frame, as the parsers do. */
function write(
  into,
  {
    operation,
    algorithm = 0,
    count = 0,
    messageSize = 0,
    seedLow = 0,
    seedHigh = 0,
    memory = 2 ** 40,
    time = 1e9,
    password = NOTHING,
    salt = NOTHING,
    aad = NOTHING,
    secret,
    size = 32,
  },
) {
  into.fill(0);
  into[At.Operation] = operation;
  into[At.Algorithm] = algorithm;
  into[At.Slot] = -1;
  into[At.Flags] =
    Flag.HasTarget | Flag.HasIv | Flag.HasAad | Flag.HasKey | (secret ? Flag.HasTag : 0);
  into[At.KeySize] = password.length;
  into[At.IvSize] = salt.length;
  into[At.AadSize] = aad.length;
  into[At.TagSize] = secret?.length ?? 0;
  into[At.TargetSize] = size;
  into[At.Count] = count;
  into[At.MessageSize] = messageSize;
  into[At.SeedLow] = seedLow;
  into[At.SeedHigh] = seedHigh;
  into[At.MaxMemory] = memory;
  into[At.MaxTime] = time;
}

/** `{ status, bytes, needed }` of the native engine. */
function nativeAnswer(call) {
  const { password = NOTHING, salt = NOTHING, aad = NOTHING, secret, size = 32 } = call;
  const target = Buffer.alloc(size);
  write(frame, call);
  const status = native.run(NOTHING, target, salt, aad, secret, password);
  return answer(status, target, frame[At.MaxMemory]);
}

/** The same of the portable engine; `way` is derive or deriveFast. */
async function portableAnswer(call, way = derive) {
  const {
    operation,
    password = NOTHING,
    salt = NOTHING,
    aad = NOTHING,
    secret = NOTHING,
    size = 32,
  } = call;
  const own = new Float64Array(At.Length);
  const target = Buffer.alloc(size);
  write(own, call);
  try {
    const derivation = derivationOf(operation, own, aad);
    assert.ok(memoryOf(derivation) >= 0 && predict(derivation, size) >= 0);
    await way(derivation, { password, salt, aad, secret }, target);
    return answer(Status.Done, target, own[At.MaxMemory]);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return answer(error.status, target, own[At.MaxMemory]);
  }
}

function answer(status, target, needed) {
  if (status === Status.Done) return { status, bytes: target.toString('hex') };
  return status === Status.MemoryLimit ? { status, needed } : { status };
}

/** Both engines, and both ways of the portable one, answer alike. */
async function alike(call, note) {
  const expected = nativeAnswer(call);
  assert.deepEqual(await portableAnswer(call), expected, note);
  assert.deepEqual(await portableAnswer(call, deriveFast), expected, `${note}, fast`);
  return expected;
}

test('scrypt as natively', async () => {
  const rng = random('portable scrypt');
  for (let round = 0; round < 40; round++) {
    const [n, r, p] = [2 ** rng.between(1, 10), rng.between(1, 12), rng.between(1, 4)];
    const call = {
      operation: Operation.Scrypt,
      count: n,
      messageSize: r,
      seedLow: p,
      password: rng.bytes(rng.below(100)),
      salt: rng.bytes(rng.below(80)),
      size: rng.below(130),
    };
    const { status } = await alike(call, `N=${n} r=${r} p=${p}`);
    assert.equal(status, Status.Done);
  }
  await alike(
    {
      operation: Operation.Scrypt,
      count: 16384,
      messageSize: 8,
      seedLow: 1,
      password: Buffer.from('pleaseletmein'),
      salt: Buffer.from('SodiumChloride'),
      size: 64,
    },
    'RFC 7914',
  );
});

test('costs of scrypt are refused as natively', async () => {
  for (const [count, messageSize, seedLow, memory] of [
    [0, 8, 1],
    [1, 8, 1],
    [3, 8, 1],
    [2, 0, 1],
    [2 ** 16, 1, 1],
    [2 ** 17, 1, 1],
    [2 ** 33, 8, 1],
    [2, 2 ** 30, 1],
    [2, 1, 0],
    [2, 1, 2 ** 30],
    [2, 2 ** 15, 2 ** 15],
    [2, 1, 2 ** 40],
    [2, 2 ** 40, 1],
    [1024, 8, 1, 128 * 8 * 1027],
    [1024, 8, 1, 128 * 8 * 1027 - 1],
    [1.5, 8, 1],
    [1024, -1, 1],
    [1024, 8, NaN],
    [1024, 8, 1, -1],
    [1024, 8, 0.5],
  ])
    await alike(
      { operation: Operation.Scrypt, count, messageSize, seedLow, memory: memory ?? 2 ** 40 },
      `${[count, messageSize, seedLow, memory]}`,
    );
});

test('Argon2 as natively', async () => {
  const rng = random('portable argon2');
  for (let round = 0; round < 60; round++) {
    const lanes = rng.between(1, 5);
    const [memory, passes, variant] = [
      8 * lanes + rng.below(200),
      rng.between(1, 4),
      rng.below(3) + 256 * rng.pick([0x10, 0x13]),
    ];
    const call = {
      operation: Operation.Argon2,
      count: passes,
      messageSize: memory,
      seedLow: lanes,
      seedHigh: variant,
      password: rng.bytes(rng.below(60)),
      salt: rng.bytes(rng.between(8, 40)),
      aad: rng.bytes(rng.pick([0, 0, 12])),
      secret: rng.bytes(rng.pick([0, 8, 40])),
      size: rng.between(4, 140),
    };
    const { status } = await alike(call, `m=${memory} t=${passes} p=${lanes} ${variant}`);
    assert.equal(status, Status.Done);
  }
});

test('costs and sizes of Argon2 are refused as natively', async () => {
  const good = {
    count: 1,
    messageSize: 8,
    seedLow: 1,
    seedHigh: 2 + 256 * 0x13,
    salt: Buffer.alloc(8),
  };
  for (const wrong of [
    { count: 0 },
    { seedLow: 0 },
    { messageSize: 7 },
    { messageSize: 31, seedLow: 4 },
    { seedLow: 2 ** 24, messageSize: 2 ** 31 },
    { seedHigh: 3 + 256 * 0x13 },
    { seedHigh: 2 },
    { count: 2 ** 32 },
    { count: 1.5 },
    { messageSize: -8 },
    { salt: Buffer.alloc(7) },
    { size: 3 },
    { size: 0 },
    {},
  ]) {
    await alike({ operation: Operation.Argon2, ...good, ...wrong }, JSON.stringify(wrong));
  }
});

test('PBKDF2 over every hash as natively', async () => {
  const rng = random('portable pbkdf2');
  for (const [algorithm, name] of hashNames.entries()) {
    for (const count of [1, 2, 7, 300]) {
      const call = {
        operation: Operation.Pbkdf2,
        algorithm,
        count,
        password: rng.bytes(rng.below(200)),
        salt: rng.bytes(rng.below(60)),
        size: rng.below(150),
      };
      const { status } = await alike(call, `${name} ${count} ${call.size}`);
      assert.equal(status, hashes[name].hmac ? Status.Done : Status.NotSupported, name);
    }
  }
  for (const wrong of [{ count: 0 }, { count: 2 ** 32 }, { count: -1 }, { algorithm: 99 }])
    await alike(
      { operation: Operation.Pbkdf2, algorithm: 3, count: 1, ...wrong },
      JSON.stringify(wrong),
    );
});

test('HKDF over every hash as natively', async () => {
  const rng = random('portable hkdf');
  for (const [algorithm, name] of hashNames.entries()) {
    const { digest, hmac } = hashes[name];
    for (const size of [0, 1, digest, digest + 1, 255 * digest, 255 * digest + 1, rng.below(400)]) {
      const call = {
        operation: Operation.Hkdf,
        algorithm,
        password: rng.bytes(rng.below(200)),
        salt: rng.bytes(rng.below(200)),
        aad: rng.bytes(rng.below(90)),
        size,
      };
      const { status } = await alike(call, `${name} ${size}`);
      if (hmac)
        assert.equal(
          status,
          size > 255 * digest ? Status.OutputSize : Status.Done,
          `${name} ${size}`,
        );
    }
  }
});

// password hashes

const verify = (password, text, more = {}) => ({
  operation: Operation.Verify,
  password: Buffer.from(password),
  aad: Buffer.from(text),
  memory: 2 ** 28,
  time: 5000,
  size: 1,
  ...more,
});

const good = [
  [
    'password',
    '$argon2i$v=19$m=256,t=2,p=2$c29tZXNhbHQ$tsEVYKap1h6scGt5ovl9aLRGOqOth+AMB+KwHpDFZPs',
  ],
  [
    'password',
    '$scrypt$ln=10,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  ],
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
  ['U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  [
    '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after ' +
      '72 are ignored',
    '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
  ],
];

test('password hashes are verified as natively', async () => {
  const rng = random('portable verify');
  for (const [password, text] of good) {
    await alike(verify(password, text), text);
    await alike(verify(`${password}x`, text), text);
  }
  for (let round = 0; round < 12; round++) {
    const password = rng.bytes(rng.below(90));
    const options = rng.pick([
      {
        algorithm: 'argon2id',
        memory: 64,
        passes: 1,
        hashLength: rng.between(16, 64),
        saltLength: rng.between(8, 64),
        secret: Buffer.from('pepper'),
      },
      { algorithm: 'argon2i', memory: 80, passes: 2, parallelism: 2 },
      { algorithm: 'argon2d', memory: 33, passes: 2 },
      { algorithm: 'scrypt', N: 256, r: 3, p: 2, hashLength: rng.between(16, 64) },
    ]);
    const text = millrace.hashPassword(password, options);
    const right = await alike(verify(password, text, { secret: options.secret }), text);
    assert.equal(right.bytes, '01');
    const wrong = await alike(
      verify(Buffer.concat([password, Buffer.from([1])]), text, { secret: options.secret }),
      text,
    );
    assert.equal(wrong.bytes, '00');
  }
  await alike(
    verify('password', good[1][1], { secret: Buffer.from('x') }),
    'a secret that scrypt does not take',
  );
  await alike(
    verify('U*U', good[2][1], { secret: Buffer.from('x') }),
    'a secret that bcrypt does not take',
  );
  await alike(verify('U\0U', good[2][1]), 'a zero byte in a password for bcrypt');
});

test('bcrypt of any bytes, as natively; of text as bcryptjs', async () => {
  const rng = random('portable bcrypt');
  const bytes = (size) => Buffer.from(rng.bytes(size).map((byte) => byte || 1));
  const salt = '$2b$04$abcdefghijklmnopqrstuu';
  for (const text of [
    '',
    'a',
    'password',
    'grüße €',
    '\u{1f600}'.repeat(30),
    'x'.repeat(71),
    'x'.repeat(72),
    'x'.repeat(73),
    'x'.repeat(200),
  ]) {
    const hash = hashSync(text, salt);
    assert.equal((await alike(verify(text, hash), text)).bytes, '01', text);
    assert.equal((await alike(verify(`y${text}`, hash), text)).bytes, '00', text);
    assert.ok(compareSync(text, hash));
  }
  // Bytes that are no text, which bcryptjs does not take.
  for (const size of [1, 2, 5, 30, 71, 72, 73, 100]) {
    const password = bytes(size);
    const hash = await wasmBcrypt({
      password: password.subarray(0, 72),
      salt: rng.bytes(16),
      costFactor: 4,
      outputType: 'encoded',
    });
    assert.equal((await alike(verify(password, hash), `${size} bytes`)).bytes, '01');
    password[size >> 1] ^= 0x80;
    if (password.includes(0)) continue;
    assert.equal(
      (await alike(verify(password, hash), `${size} bytes`)).bytes,
      size > 72 && size >> 1 >= 72 ? '01' : '00',
    );
  }
});

test('password hashes that are invalid or exceed limits are refused as natively', async () => {
  const tail = '$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  const argon = `$argon2id$v=19$m=64,t=1,p=1${tail}`;
  const texts = [
    '',
    'password',
    '$',
    '$$',
    '$$$',
    '$1$abc$def',
    '$argon2id',
    '$argon2id$',
    '$argon2id$v=19',
    '$argon2id$v=19$',
    argon,
    argon.slice(1),
    `${argon}=`,
    `${argon}$`,
    `${argon}\n`,
    ` ${argon}`,
    argon.replace('v=19', 'v=16'),
    argon.replace('v=19', 'v=18'),
    argon.replace('v=19', 'v=019'),
    argon.replace('v=19$', ''),
    argon.replace('v=19', 'v='),
    argon.replace('$v=19', '$v=19$v=19'),
    argon.replace('m=64', 'm=064'),
    argon.replace('m=64', 'm='),
    argon.replace('m=64', 'm=-64'),
    argon.replace('m=64', 'm=+64'),
    argon.replace('m=64', 'm=7'),
    argon.replace('m=64', 'm=6٤'),
    argon.replace('t=1', 't=0'),
    argon.replace('p=1', 'p=0'),
    argon.replace('p=1', 'p=9'),
    argon.replace('m=64,t=1', 't=1,m=64'),
    argon.replace(',p=1', ''),
    argon.replace('p=1', 'p=1,x=1'),
    argon.replace('p=1', 'p=1,'),
    argon.replace('m=64', 'M=64'),
    argon.replace('m=64', 'm=4294967296'),
    argon.replace('m=64', `m=${'9'.repeat(40)}`),
    argon.replace('t=1', 't=4294967295'),
    argon.replace('m=64', 'm=262148'),
    argon.replace('m=64', 'm=262145'),
    argon.replace('m=64', 'm=4294967295'),
    argon.replace('m=64', 'm=4294967295').replace('t=1', 't=4294967295'),
    '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbA$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHR$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1',
    '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5',
    `$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$${'A'.repeat(86)}`,
    `$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$${'A'.repeat(87)}`,
    `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(86)}$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`,
    `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(90)}$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`,
    argon.replace('c29t', 'c2-t'),
    argon.replace('c29t', 'c2.t'),
    argon.replace('argon2id', 'argon2ix'),
    argon.replace('argon2id', 'ARGON2ID'),
    argon.replace('c29t', 'c2ét'),
    `${argon}${'A'.repeat(180)}`,
    `${argon}${'A'.repeat(300)}`,
    `$scrypt$ln=10,r=8,p=1${tail}`,
    `$scrypt$ln=0,r=8,p=1${tail}`,
    `$scrypt$ln=63,r=8,p=1${tail}`,
    `$scrypt$ln=64,r=8,p=1${tail}`,
    `$scrypt$ln=40,r=8,p=1${tail}`,
    `$scrypt$ln=40,r=4294967295,p=1${tail}`,
    `$scrypt$ln=16,r=1,p=1${tail}`,
    `$scrypt$ln=15,r=1,p=1${tail}`,
    `$scrypt$ln=10,r=0,p=1${tail}`,
    `$scrypt$ln=10,r=8,p=0${tail}`,
    `$scrypt$ln=10,r=32768,p=32768${tail}`,
    `$scrypt$ln=2,r=1073741824,p=1${tail}`,
    `$scrypt$ln=10,r=8,p=40${tail}`,
    `$scrypt$ln=10,r=8,p=100000${tail}`,
    `$scrypt$ln=21,r=8,p=1${tail}`,
    `$scrypt$N=10,r=8,p=1${tail}`,
    `$scrypt$v=1$ln=10,r=8,p=1${tail}`,
    ...['2a', '2b', '2y', '2x', '2', '2c', '2A'].map(
      (kind) => `$${kind}$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`,
    ),
    ...['5', '4', '04', '03', '00', '31', '32', '005', '-5', '+5', '0x', ' 5', '5 '].map(
      (cost) => `$2b$${cost}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`,
    ),
    '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe',
    '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW',
    '$2b$05$CCCCCCCCCCCCCCCCCCCCCCE5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeX',
    '$2b$05$CCCCCCCCCCCCCCCCCCCC+.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW$',
    '$2b$05',
  ];
  const seen = new Set();
  for (const text of texts) {
    const limits = { memory: 2 ** 28, time: 50 };
    const native = nativeAnswer(verify('x', text, limits));
    seen.add(native.status);
    assert.deepEqual(await portableAnswer(verify('x', text, limits)), native, text);
  }
  assert.deepEqual(
    [...seen].sort((a, b) => a - b),
    [Status.Done, Status.MemoryLimit, Status.Encoded, Status.EncodedSize, Status.Work],
  );
  for (const [memory, time] of [
    [2 ** 16, 1],
    [2 ** 16 - 1, 1],
    [0, 0],
    [2 ** 40, 0],
    [-1, 5],
    [5, 0.5],
  ])
    await alike(verify('x', argon, { memory, time }), `${memory} ${time}`);
  await alike({ ...verify('x', argon), aad: Buffer.from([0x24, 0xff, 0xfe]) }, 'not UTF-8');
  await alike(
    {
      ...verify('x', argon),
      aad: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(argon)]),
    },
    'a byte order mark',
  );
});

test('random damage to password hashes, as natively', async () => {
  const rng = random('portable damage');
  const texts = [
    ...good.map(([, text]) => text),
    '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ];
  let dearer = 0;
  for (let round = 0; round < 1000; round++) {
    const text = [...rng.pick(texts)];
    for (let times = rng.between(1, 3); times > 0; times--)
      text.splice(
        rng.below(text.length),
        rng.below(2),
        ...(rng.chance(0.7) ? [rng.pick([...'$=,0123456789vmtplnrabA./+-\0é'])] : []),
      );
    const call = verify('x', text.join(''), { memory: 2 ** 22, time: 6 });
    const [portable, native] = [await portableAnswer(call), nativeAnswer(call)];
    // Each engine has prices of its own, this one the higher ones: 2 to 40 times the native ones.
    if (portable.status === Status.Work && native.status !== Status.Work) dearer++;
    else assert.deepEqual(portable, native, text.join(''));
  }
  assert.ok(dearer < 200, `${dearer} of 1000 were too dear here only`);
});

test('what needs to be made anew, as natively', () => {
  const schemes = [
    {
      operation: Operation.Argon2,
      count: 1,
      messageSize: 64,
      seedLow: 1,
      seedHigh: 2 + 256 * 0x13,
    },
    {
      operation: Operation.Argon2,
      count: 1,
      messageSize: 64,
      seedLow: 1,
      seedHigh: 2 + 256 * 0x10,
    },
    {
      operation: Operation.Argon2,
      count: 2,
      messageSize: 256,
      seedLow: 2,
      seedHigh: 1 + 256 * 0x13,
    },
    { operation: Operation.Argon2, count: 0, messageSize: 256, seedLow: 2, seedHigh: 1 },
    { operation: Operation.Argon2, count: 2 ** 33, messageSize: 256, seedLow: 2, seedHigh: 1 },
    { operation: Operation.Argon2, count: 1.5, messageSize: 256, seedLow: 2, seedHigh: 1 },
    { operation: Operation.Scrypt, count: 1024, messageSize: 8, seedLow: 1 },
    { operation: Operation.Scrypt, count: 1024, messageSize: 8, seedLow: 2 },
    { operation: Operation.Scrypt, count: 1000, messageSize: 8, seedLow: 2 },
    { operation: Operation.Verify },
  ];
  const answers = new Set();
  for (const scheme of schemes) {
    for (const text of [
      ...good.map(([, each]) => each),
      '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
      '$argon2id$v=19$m=4294967295,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
      'none',
      '',
    ]) {
      for (const [saltSize, size] of [
        [8, 32],
        [9, 32],
        [8, 33],
        [16, 23],
        [0, 0],
      ]) {
        const call = { ...scheme, aad: Buffer.from(text), size };
        write(frame, call);
        frame[At.IvSize] = saltSize;
        frame[At.Flags] = Flag.HasAad;
        const expected = native.needsRehash(NOTHING, undefined, undefined, call.aad);
        const own = new Float64Array(At.Length);
        write(own, call);
        own[At.IvSize] = saltSize;
        let found;
        try {
          found = needsRehash(own, call.aad) ? 1 : 0;
        } catch (error) {
          assert.ok(error instanceof Refused, error);
          found = -error.status;
        }
        assert.equal(found, expected, `${JSON.stringify(scheme)} ${text} ${saltSize} ${size}`);
        answers.add(expected);
      }
    }
  }
  assert.ok(
    answers.has(0) && answers.has(1) && answers.has(-Status.Encoded) && answers.has(-Status.Cost),
    [...answers].join(),
  );
});

// engines

const long = {
  argon2: [
    { what: 'argon2', kind: 2, version: 0x13, memory: 100, passes: 2, lanes: 2 },
    globalThis.WebAssembly,
    'instantiate',
  ],
  scrypt: [{ what: 'scrypt', n: 64, r: 8, p: 1 }, globalThis.WebAssembly, 'instantiate'],
  pbkdf2: [
    { what: 'pbkdf2', hash: hashNames.indexOf('sha256'), iterations: 1000 },
    globalThis.crypto.subtle,
    'deriveBits',
  ],
};

for (const [name, [derivation, api, method]] of Object.entries(long)) {
  test(`${name}, asynchronous: JavaScript is the last choice`, async () => {
    const input = {
      password: Buffer.from('password'),
      salt: Buffer.from('salt and more salt'),
      aad: NOTHING,
      secret: NOTHING,
    };
    const expected = Buffer.alloc(40);
    derive(derivation, input, expected);
    const own = Object.getOwnPropertyDescriptor(api, method);
    const usual = api[method];
    let calls = 0;
    const answers = [
      function counted(...args) {
        calls++;
        return usual.apply(this, args);
      },
      async () => {
        throw new Error('refused');
      },
    ];
    try {
      for (const replaced of answers) {
        Object.defineProperty(api, method, { value: replaced, configurable: true, writable: true });
        const [target, told] = [Buffer.alloc(40), []];
        await deriveFast(derivation, input, target, (fraction) => told.push(fraction));
        assert.deepEqual(target, expected);
        assert.equal(told.at(-1), 1);
      }
      assert.ok(calls > 0, 'it was computed in JavaScript');
    } finally {
      if (own) Object.defineProperty(api, method, own);
      else delete api[method];
    }
  });
}

// progress

test('progress grows from 0 to 1, and an exception of it ends a derivation', () => {
  const input = {
    password: Buffer.from('x'),
    salt: Buffer.alloc(16),
    aad: NOTHING,
    secret: NOTHING,
  };
  const bcrypt = {
    what: 'verify',
    scheme: { what: 'bcrypt', kind: '2b', cost: 8 },
    salt: Buffer.alloc(16),
    hash: Buffer.alloc(23),
  };
  for (const derivation of [
    { what: 'scrypt', n: 1024, r: 8, p: 2 },
    { what: 'argon2', kind: 2, version: 0x13, memory: 256, passes: 3, lanes: 2 },
    { what: 'pbkdf2', hash: 3, iterations: 10_000 },
    bcrypt,
  ]) {
    const told = [];
    const target = Buffer.alloc(derivation === bcrypt ? 1 : 64);
    derive(derivation, input, target, (fraction) => told.push(fraction));
    assert.ok(told.length >= 3, `${derivation.what} ${told.length}`);
    assert.ok(
      told.every(
        (fraction, index) => fraction > 0 && fraction <= 1 && fraction >= (told[index - 1] ?? 0),
      ),
      derivation.what,
    );
    assert.ok(told.at(-1) > 0.9, derivation.what);
    const stop = new Error('stop');
    assert.throws(
      () =>
        derive(derivation, input, target, () => {
          throw stop;
        }),
      (error) => error === stop,
    );
  }
});

test('the parts of HKDF, key wrap and bcrypt hashes as natively, refused sizes too', async () => {
  const rng = random('portable parts');
  for (let round = 0; round < 40; round++) {
    const algorithm = rng.below(hashNames.length);
    const { digest } = hashes[hashNames[algorithm]];
    await alike(
      {
        operation: Operation.HkdfExtract,
        algorithm,
        password: rng.bytes(rng.below(90)),
        salt: rng.bytes(rng.below(90)),
        size: digest + (rng.chance(0.1) ? 1 : 0),
      },
      'extract',
    );
    await alike(
      {
        operation: Operation.HkdfExpand,
        algorithm,
        password: rng.bytes(Math.max(0, digest + rng.between(-1, 20))),
        aad: rng.bytes(rng.below(50)),
        size: rng.below(200),
      },
      'expand',
    );
    const padded = rng.below(2);
    const key = rng.bytes(rng.pick([16, 24, 32, 32, 20]));
    const plain = rng.bytes(rng.pick([0, 1, 7, 8, 15, 16, 24, 25, 64, 65_536, 65_544]));
    const size = Math.ceil(plain.length / 8) * 8 + 8 + (rng.chance(0.1) ? 1 : 0);
    const call = {
      operation: Operation.WrapKey,
      count: padded,
      password: key,
      secret: plain,
      size,
    };
    const wrapped = await alike(call, 'wrap');
    if (wrapped.status === Status.Done) {
      const sealed = Buffer.from(wrapped.bytes, 'hex');
      if (rng.chance(0.3)) sealed[rng.below(sealed.length)] ^= 1;
      const back = { ...call, operation: Operation.UnwrapKey, secret: sealed, size: size - 7 };
      await alike(back, 'unwrap');
    }
    const cost = rng.pick([3, 4, 4, 32]);
    await alike(
      {
        operation: Operation.Bcrypt,
        count: cost,
        password: rng.bytes(rng.pick([0, 1, 71, 72, 73])),
        salt: rng.bytes(rng.chance(0.1) ? 15 : 16),
        size: rng.chance(0.1) ? 24 : 23,
      },
      'bcrypt',
    );
  }
});
