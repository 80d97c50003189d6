// Password hashes: made, verified, those of other programs, and what asks for too much.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compareSync, hashSync } from 'bcryptjs';
import millrace from 'millrace';
import promises from 'millrace/promises';

import { run } from '../support/child.mjs';
import { refuses } from '../support/refusals.mjs';
import { vectors } from '../support/vectors.mjs';
import { ways } from '../support/ways.mjs';

const { hashPassword, needsRehash, verifyPassword } = millrace;

/** Quick ones. */
const quick = { memory: 64, passes: 1 };

/** Where they come from: vectors/README.md. */
const ofOthers = vectors('password-hashes');
const [argon2i, , argon2id, scrypt] = ofOthers.map(({ hash }) => hash);
const engines = ['native', 'portable'];

/** Returns Base64 without padding. */
const spelled = (bytes) => bytes.toString('base64').replace(/=+$/, '');

for (const { password, hash } of ofOthers)
  test(`a hash of another program is verified: ${hash}`, async () => {
    for (const engine of engines)
      assert.equal(verifyPassword(password, hash, { engine }), true, engine);
    assert.equal(verifyPassword(Buffer.from('Password'), hash), false);
    assert.equal(await promises.verifyPassword(password, hash), true);
    assert.equal(await promises.verifyPassword('another', hash), false);
    assert.equal(await ways.callback('verifyPassword', password, hash), true);
  });

test('by default a hash is Argon2id as OWASP recommends, with a new salt', async () => {
  const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/;
  const hashes = await Promise.all(Object.values(ways).map((way) => way('hashPassword', 'secret')));
  assert.equal(new Set(hashes).size, 3);
  for (const hash of hashes) {
    assert.match(hash, form);
    assert.equal(verifyPassword('secret', hash), true);
    assert.equal(verifyPassword('Secret', hash), false);
    assert.equal(needsRehash(hash), false);
  }
});

test('options decide, and the bytes are those of the derivation', async () => {
  const salt = Buffer.from('0123456789abcdef');
  const large = { memory: 80, passes: 3, parallelism: 2 };
  const argon2 = (name, parameters) =>
    millrace.argon2(name, { message: 'pw', nonce: salt, ...parameters });
  for (const [options, prefix, key] of [
    [
      { ...large, hashLength: 40 },
      '$argon2id$v=19$m=80,t=3,p=2',
      argon2('argon2id', { ...large, tagLength: 40 }),
    ],
    [
      { ...quick, algorithm: 'argon2d', secret: 'pepper' },
      '$argon2d$v=19$m=64,t=1,p=1',
      argon2('argon2d', { ...quick, secret: 'pepper' }),
    ],
    [
      { algorithm: 'scrypt', N: 1024, p: 2 },
      '$scrypt$ln=10,r=8,p=2',
      millrace.scrypt('pw', salt, 32, { N: 1024, p: 2 }),
    ],
    [
      { algorithm: 'scrypt', cost: 2048, blockSize: 4, hashLength: 64 },
      '$scrypt$ln=11,r=4,p=1',
      millrace.scrypt('pw', salt, 64, { N: 2048, r: 4 }),
    ],
  ]) {
    const expected = `${prefix}$${spelled(salt)}$${spelled(key)}`;
    const secret = options.secret === undefined ? {} : { secret: options.secret };
    assert.equal(hashPassword('pw', { ...options, salt }), expected);
    assert.equal(await promises.hashPassword('pw', { ...options, salt }), expected);
    assert.equal(verifyPassword('pw', expected, secret), true);
    if (options.algorithm !== 'scrypt')
      assert.equal(verifyPassword('pw', expected, { secret: 'another' }), false);
    assert.equal(needsRehash(expected, options), false);
    assert.equal(needsRehash(expected), true);
  }
  assert.match(
    hashPassword('pw', { algorithm: 'scrypt', N: 16, r: 1, saltLength: 8, hashLength: 16 }),
    /^\$scrypt\$ln=4,r=1,p=1\$[\w+/]{11}\$[\w+/]{22}$/,
  );
});

test('needsRehash compares every parameter', () => {
  const hash = hashPassword('x', { ...quick });
  assert.equal(needsRehash(hash, quick), false);
  for (const other of [
    { memory: 72 },
    { passes: 2 },
    { parallelism: 2 },
    { algorithm: 'argon2i' },
    { algorithm: 'scrypt', N: 16, memory: undefined, passes: undefined, parallelism: undefined },
    { saltLength: 17 },
    { hashLength: 33 },
  ])
    assert.equal(needsRehash(hash, { ...quick, ...other }), true, JSON.stringify(other));
  for (const { hash } of ofOthers) assert.equal(needsRehash(hash), true, hash);
  // Neither the order of parameters nor associated data, which is no cost.
  const salted = { memory: 1024, passes: 2, parallelism: 1 };
  for (const { hash } of ofOthers.filter((other) => /m=1024/.test(other.hash)))
    assert.equal(needsRehash(hash, salted), false, hash);
  const adonis = { algorithm: 'scrypt', N: 1024, hashLength: 64 };
  assert.equal(needsRehash(ofOthers.find(({ hash }) => /n=1024/.test(hash)).hash, adonis), false);
});

test('a cost of the other algorithm is refused: it would change nothing', async () => {
  for (const [options, name] of [
    [{ N: 1024 }, 'N'],
    [{ cost: 1024 }, 'cost'],
    [{ algorithm: 'scrypt', N: 16, memory: 64 }, 'memory'],
    [{ algorithm: 'scrypt', passes: 1 }, 'passes'],
  ]) {
    await refuses(
      'hashPassword',
      ['x', options],
      'ERR_ARGUMENT_VALUE',
      new RegExp(`options\\.${name} is not an option of hashPassword with`),
    );
    assert.throws(() => needsRehash('x', options), { code: 'ERR_ARGUMENT_VALUE' });
  }
});

test('a text that is not a password hash is refused', async () => {
  const good = argon2id;
  for (const hash of [
    '',
    'password',
    '$',
    '$1$abc$def',
    good.slice(1),
    `${good}=`,
    `${good}\n`,
    good.replace('m=', 'm=0'),
    good.replace('t=2', 't=0'),
    good.replace('t=2', 't=2,t=2'),
    good.replace('t=2', 't=2,keyid=YQ'),
    good.replace('t=2', 't=2,data=YR'),
    good.replace('t=2,', ''),
    good.replace('19', '18'),
    good.replace('argon2id', 'argon2ix'),
    `${good}${'a'.repeat(300)}`,
    'é',
    '$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  ]) {
    await refuses('verifyPassword', ['x', hash], 'ERR_PASSWORD_HASH', /hash/);
    assert.throws(() => needsRehash(hash), { code: 'ERR_PASSWORD_HASH' }, hash);
  }
  for (const hash of [undefined, null, 5, Buffer.from(good), {}]) {
    await refuses('verifyPassword', ['x', hash], 'ERR_ARGUMENT_TYPE', /hash/);
    assert.throws(() => needsRehash(hash), { code: 'ERR_ARGUMENT_TYPE' });
  }
});

test('costs above the limits are refused before anything is computed', async () => {
  const tail = '$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  const before = performance.now();
  for (const [hash, code, message, options = {}] of [
    [`$argon2id$v=19$m=262148,t=1,p=1${tail}`, 'ERR_MEMORY_LIMIT', /268439552/],
    [`$argon2id$v=19$m=4294967295,t=4294967295,p=1${tail}`, 'ERR_MEMORY_LIMIT', /bytes/],
    [`$scrypt$ln=40,r=8,p=1${tail}`, 'ERR_MEMORY_LIMIT', /bytes/],
    [`$argon2id$v=19$m=65536,t=4294967295,p=1${tail}`, 'ERR_WORK_LIMIT', /maxTime/],
    [`$scrypt$ln=10,r=8,p=100000${tail}`, 'ERR_WORK_LIMIT', /maxTime/],
    ['$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'ERR_WORK_LIMIT', /maxTime/],
    [argon2id, 'ERR_MEMORY_LIMIT', /67108864/, { maxMemory: 2 ** 26 - 1 }],
    [argon2id, 'ERR_WORK_LIMIT', /maxTime/, { maxTime: 1 }],
  ])
    await refuses('verifyPassword', ['x', hash, options], code, message);
  // Most of them would take minutes or hours.
  assert.ok(performance.now() - before < 20_000);
  const enough = { maxMemory: 2 ** 26, maxTime: 60_000 };
  assert.equal(verifyPassword('password', argon2id, enough), true);
});

test('each engine refuses long work in small steps by its own costs', async () => {
  const tail = '$AQEBAQEBAQEBAQEBAQEBAQ$AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE';
  const before = process.cpuUsage();
  for (const [cost, native, portable] of [
    ['$scrypt$ln=1,r=1,p=300000', 900, 2000],
    ['$scrypt$ln=1,r=8,p=60000', 1500, 3000],
    ['$argon2id$v=19$m=8,t=100000,p=1', 300, 600],
    ['$argon2id$v=19$m=65536,t=3,p=4', 30, 60],
    ['$scrypt$ln=14,r=8,p=4', 80, 160],
  ]) {
    for (const [engine, maxTime] of Object.entries({ native, portable }))
      await refuses(
        'verifyPassword',
        ['x', `${cost}${tail}`, { maxTime, engine }],
        'ERR_WORK_LIMIT',
      );
  }
  assert.ok(process.cpuUsage(before).user < 2_000_000, 'nothing was computed');
});

test('hashes and salts of up to 512 bytes, as other programs make them', async () => {
  const quickest = { memory: 8, passes: 1, parallelism: 1 };
  const argon2 = (nonce, tagLength) =>
    millrace.argon2('argon2id', { message: 'pw', nonce, tagLength, ...quickest });
  const scrypt2 = (salt, size) => millrace.scrypt('pw', salt, size, { N: 2, r: 1 });
  const kinds = { '$argon2id$v=19$m=8,t=1,p=1': argon2, '$scrypt$ln=1,r=1,p=1': scrypt2 };
  const refusal = {
    code: 'ERR_PASSWORD_HASH',
    message: 'hash must have a salt of 8 to 512 bytes and a hash of 16 to 512 bytes',
  };
  for (const engine of engines)
    for (const [prefix, derive] of Object.entries(kinds)) {
      const hashOf = ([salt, size]) => {
        const bytes = Buffer.alloc(salt, 7);
        return `${prefix}$${spelled(bytes)}$${spelled(derive(bytes, size))}`;
      };
      for (const hash of [
        [16, 65],
        [65, 66],
        [512, 512],
      ].map(hashOf)) {
        assert.equal(verifyPassword('pw', hash, { engine }), true, hash);
        assert.equal(await promises.verifyPassword('pW', hash, { engine }), false, hash);
        const [, algorithm] = prefix.split('$');
        assert.equal(needsRehash(hash, { algorithm, engine }), true, 'another cost');
      }
      for (const hash of [
        [16, 15],
        [16, 513],
        [513, 32],
      ].map(hashOf)) {
        assert.throws(() => verifyPassword('pw', hash, { engine }), refusal);
        await assert.rejects(promises.verifyPassword('pw', hash, { engine }), refusal);
        assert.throws(() => needsRehash(hash, { engine }), refusal);
      }
    }
  assert.throws(() => verifyPassword('pw', `$argon2id$${'A'.repeat(2000)}`), {
    code: 'ERR_PASSWORD_HASH',
    message: 'hash is not a PHC or bcrypt string: it has 2010 characters, not 1 to 1536',
  });
});

test('a hash of less than 16 bytes is refused: a part of an scrypt hash is one too', async () => {
  const whole = hashPassword('pw', { algorithm: 'scrypt', N: 16, r: 1 });
  const [head, salt] = [
    whole.slice(0, whole.lastIndexOf('$') + 1),
    Buffer.from(whole.split('$')[3], 'base64'),
  ];
  for (const size of [10, 11, 15]) {
    const part = head + spelled(millrace.scrypt('pw', salt, size, { N: 16, r: 1 }));
    for (const engine of engines)
      await refuses('verifyPassword', ['pw', part, { engine }], 'ERR_PASSWORD_HASH');
  }
  for (const engine of engines) assert.equal(verifyPassword('pw', whole, { engine }), true);
});

test(
  'work that takes longer than was predicted is stopped by the clock',
  { skip: process.platform === 'win32' && 'Windows cannot stop a process' },
  async () => {
    // Stopped for 4 s while it computes what is predicted to take 0.85, and may take 2.8. A
    // synchronous call, as time in which a worker lets others pass does not count.
    const { stdout, stderr } = await run(`
    const { spawn } = require('node:child_process');
    const hash =
      '$scrypt$ln=16,r=8,p=8$AQEBAQEBAQEBAQEBAQEBAQ$AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE';
    spawn(
      'sh',
      ['-c', 'sleep 0.1; kill -STOP ' + process.pid + '; sleep 4; kill -CONT ' + process.pid],
      { detached: true, stdio: 'ignore' },
    ).unref();
    try {
      console.log(millrace.verifyPassword('x', hash, { maxTime: 900 }));
    } catch ({ code }) {
      console.log(code);
    }
  `);
    assert.equal(stdout, 'ERR_WORK_LIMIT\n', stderr);
  },
);

test('the portable engine is stopped by the clock', () => {
  const hash = hashPassword('pw', { algorithm: 'argon2id', memory: 8192, passes: 4 });
  const now = Date.now;
  let looks = 0;
  // The clock is a second further at every look.
  Date.now = () => now() + 1000 * looks++;
  try {
    assert.throws(() => verifyPassword('pw', hash, { engine: 'portable', maxTime: 2000 }), {
      code: 'ERR_WORK_LIMIT',
    });
  } finally {
    Date.now = now;
  }
  assert.ok(looks > 3);
  assert.equal(verifyPassword('pw', hash, { engine: 'portable', maxTime: 2000 }), true);
});

test('bcrypt hashes verify in another library, and the reverse', async () => {
  // crypt_blowfish's vector.
  const salt = Buffer.from('10410410410410410410410410410410', 'hex');
  const longest = 'é'.repeat(36);
  for (const engine of engines) {
    const options = { algorithm: 'bcrypt', cost: 5, engine };
    assert.equal(
      hashPassword('U*U', { ...options, salt }),
      '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    );
    for (const password of ['', 'secret', longest]) {
      const hashes = await Promise.all(
        Object.values(ways).map((way) => way('hashPassword', password, options)),
      );
      assert.equal(new Set(hashes).size, 3, 'a new salt');
      for (const hash of hashes) {
        assert.match(hash, /^\$2b\$05\$[./A-Za-z0-9]{53}$/);
        assert.equal(compareSync(password, hash), true, hash);
        assert.equal(verifyPassword(password, hash), true, hash);
        assert.equal(verifyPassword(`x${password}`.slice(0, 70), hash), false, hash);
      }
    }
    assert.equal(verifyPassword('secret', hashSync('secret', 5), { engine }), true);
  }
});

test('bcrypt: what it does not take is refused, not ignored', async () => {
  const cost = 4;
  for (const engine of engines)
    for (const [password, options, names] of [
      ['x'.repeat(73), {}, /72/],
      [Buffer.alloc(73, 1), {}, /73 bytes/],
      ['é'.repeat(37), {}, /74 bytes/],
      ['\ud800'.repeat(25), {}, /75 bytes/],
      ['a\0b', {}, /zero byte/],
      [Buffer.from([0]), {}, /zero byte/],
      ...Object.entries({ memory: 64, N: 16, saltLength: 16, hashLength: 23, secret: 'pepper' })
        .concat([
          ['cost', 3],
          ['cost', 32],
          ['salt', Buffer.alloc(15)],
        ])
        .map(([name, value]) => ['x', { [name]: value }, new RegExp(`options.${name}`)]),
    ]) {
      const given = { algorithm: 'bcrypt', engine, cost, ...options };
      await refuses('hashPassword', [password, given], 'ERR_ARGUMENT_VALUE', names);
    }
  await refuses('hashPassword', ['x', { algorithm: 'bcrypt', cost: '5' }], 'ERR_ARGUMENT_TYPE');
});

test('bcrypt: needsRehash compares the cost', () => {
  const bcrypt = { algorithm: 'bcrypt', cost: 5 };
  const hash = hashPassword('x', bcrypt);
  assert.equal(needsRehash(hash, bcrypt), false);
  for (const other of [{ ...bcrypt, cost: 6 }, { algorithm: 'bcrypt' }, undefined])
    assert.equal(needsRehash(hash, other), true);
  assert.equal(needsRehash(hashPassword('x', quick), bcrypt), true);
});

test('wrong arguments are refused', async () => {
  const [TYPE, VALUE] = ['ERR_ARGUMENT_TYPE', 'ERR_ARGUMENT_VALUE'];
  await refuses('hashPassword', [], 'ERR_MISSING_ARGUMENT', /password/);
  await refuses('verifyPassword', ['x'], 'ERR_MISSING_ARGUMENT', /hash/);
  for (const password of [undefined, null, 1, {}, []]) {
    await refuses('hashPassword', [password, quick], TYPE, /password/);
    await refuses('verifyPassword', [password, argon2i], TYPE, /password/);
  }
  const UNKNOWN = 'ERR_UNKNOWN_ALGORITHM';
  for (const [code, options] of [
    [UNKNOWN, { algorithm: ['bcrypts', 'argon2x'] }],
    [TYPE, { algorithm: [5], memory: ['64'], salt: ['text with 16 chars'], secret: [5] }],
    [VALUE, { memory: [7, 2 ** 32], passes: [0, 1.5], parallelism: [0], saltLength: [7, 65] }],
    [VALUE, { hashLength: [15, 65], salt: [Buffer.alloc(7)] }],
  ])
    for (const [name, values] of Object.entries(options))
      for (const value of values)
        await refuses('hashPassword', ['x', { [name]: value }], code, new RegExp(name));
  const scrypts = { algorithm: 'scrypt' };
  await refuses('hashPassword', ['x', { ...scrypts, secret: 'x' }], VALUE, /secret/);
  await refuses('hashPassword', ['x', { ...scrypts, N: 1000 }], VALUE, /N/);
  const zero = Buffer.from([0]);
  for (const [args, code, names] of [
    [['x', scrypt, { secret: 'x' }], VALUE, /secret/],
    [['x', argon2i, { maxMemory: -1 }], VALUE, /maxMemory/],
    [['x', argon2i, { maxTime: '5' }], TYPE, /maxTime/],
    ...ofOthers
      .filter(({ hash }) => /^\$(?:2|bcrypt)/.test(hash))
      .map(({ hash }) => [['a\0b', hash], VALUE, /password/]),
    [[zero, ofOthers.at(-1).hash], VALUE, /password/],
  ])
    await refuses('verifyPassword', args, code, names);
});

test('timingSafeEqual compares bytes of equal size', () => {
  const { timingSafeEqual } = millrace;
  assert.equal(timingSafeEqual(Buffer.from('abc'), new Uint8Array([97, 98, 99])), true);
  assert.equal(timingSafeEqual(Buffer.from('abc'), Buffer.from('abd')), false);
  assert.equal(
    timingSafeEqual(new Uint16Array([1, 2]), new DataView(new Uint16Array([1, 2]).buffer)),
    true,
  );
  assert.equal(timingSafeEqual(Buffer.alloc(0), new ArrayBuffer(0)), true);
  for (const [a, b, code, message] of [
    [Buffer.alloc(3), Buffer.alloc(4), 'ERR_ARGUMENT_VALUE', /./],
    ['abc', Buffer.from('abc'), 'ERR_ARGUMENT_TYPE', /^a must/],
    [Buffer.from('abc'), 5, 'ERR_ARGUMENT_TYPE', /^b must/],
  ])
    assert.throws(() => timingSafeEqual(a, b), { code, message });
  assert.equal(promises.timingSafeEqual, timingSafeEqual);
});
