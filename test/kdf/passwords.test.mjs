// Password hashes: made, verified, those of other programs, and what asks for too much.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { compareSync, hashSync } from 'bcryptjs';
import millrace from 'millrace';
import promises from 'millrace/promises';

import { run } from '../support/child.mjs';
import { refuses } from '../support/refusals.mjs';

const { hashPassword, needsRehash, verifyPassword } = millrace;

/** Quick ones. */
const quick = { memory: 64, passes: 1 };

/**
 * Of libargon2's and crypt_blowfish's tests, passlib's documentation, npm's argon2 0.45.1 and
 * AdonisJS 10.1.1; in other orders, and with associated data.
 */
const ofOthers = [
  [
    'password',
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  ],
  ['password', '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ'],
  [
    'password',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ],
  [
    'password',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  ],
  ...['m=1024,p=1,t=2', 't=2,m=1024,p=1'].map((costs) => [
    'password',
    `$argon2id$v=19$${costs}$c2l4dGVlbiBieXRlcy4uLg$gvQxAaaFHoo47YgWgjgAln8Ry+kSgdZVI2ADJva3QA8`,
  ]),
  ...['m=1024,p=1,t=2,data=dXNlci0xNw', 'data=dXNlci0xNw,t=2,m=1024,p=1'].map((costs) => [
    'password',
    `$argon2id$v=19$${costs}$c2l4dGVlbiBieXRlcy4uLg$Ils7Nzip4NZtiyDtvnJBj8/NzLmgRNqSC4DlGtSAPHs`,
  ]),
  [
    'password',
    '$scrypt$n=1024,r=8,p=1$cTNCfE4oWpqPYgker2d/XQ$/4106KW9fp3ohEj9q0rQueBJSzN3rUk2oF8Mpk3kmMYkWmo' +
      'BuBLKRdhHwksHkkTvzpCufXDYkeZSZ8K907BkMA',
  ],
  ['password', '$bcrypt$v=98$r=10$nopforsFY1yv7GkynHJRSA$t7/Ej38em28p7bqFTghyzTNA0YL/sB4'],
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
  ['U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  [
    '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after ' +
      '72 are ignored',
    '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
  ],
];

test('hashes of other programs are verified', async () => {
  for (const [password, hash] of ofOthers) {
    for (const engine of ['native', 'portable'])
      assert.equal(verifyPassword(password, hash, { engine }), true, `${hash}, ${engine}`);
    assert.equal(verifyPassword(Buffer.from('Password'), hash), false, hash);
    assert.equal(await promises.verifyPassword(password, hash), true, hash);
    assert.equal(await promises.verifyPassword('another', hash), false, hash);
    assert.equal(await promisify(verifyPassword)(password, hash), true, hash);
  }
});

test('by default a hash is Argon2id as OWASP recommends, with a new salt', async () => {
  const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/;
  const hashes = [
    hashPassword('secret'),
    await promises.hashPassword('secret'),
    await promisify(hashPassword)('secret'),
  ];
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
  const plain = (bytes) => bytes.toString('base64').replace(/=+$/, '');
  const ways = [
    [
      { memory: 80, passes: 3, parallelism: 2, hashLength: 40 },
      '$argon2id$v=19$m=80,t=3,p=2',
      millrace.argon2('argon2id', {
        message: 'pw',
        nonce: salt,
        memory: 80,
        passes: 3,
        parallelism: 2,
        tagLength: 40,
      }),
    ],
    [
      { ...quick, algorithm: 'argon2d', secret: 'pepper' },
      '$argon2d$v=19$m=64,t=1,p=1',
      millrace.argon2('argon2d', { message: 'pw', nonce: salt, ...quick, secret: 'pepper' }),
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
  ];
  for (const [options, prefix, key] of ways) {
    const expected = `${prefix}$${plain(salt)}$${plain(key)}`;
    const secret = options.secret === undefined ? {} : { secret: options.secret };
    assert.equal(hashPassword('pw', { ...options, salt }), expected);
    assert.equal(await promises.hashPassword('pw', { ...options, salt }), expected);
    assert.equal(verifyPassword('pw', expected, secret), true);
    assert.equal(
      verifyPassword('pw', expected, options.algorithm === 'scrypt' ? {} : { secret: 'another' }),
      options.algorithm === 'scrypt',
    );
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
  ]) {
    assert.equal(needsRehash(hash, { ...quick, ...other }), true, JSON.stringify(other));
  }
  for (const [, hash] of ofOthers) assert.equal(needsRehash(hash), true, hash);
  // Neither the order of parameters nor associated data, which is no cost.
  const salted = { memory: 1024, passes: 2, parallelism: 1 };
  for (const [, hash] of ofOthers.filter(([, text]) => /m=1024/.test(text)))
    assert.equal(needsRehash(hash, salted), false, hash);
  const adonis = { algorithm: 'scrypt', N: 1024, hashLength: 64 };
  assert.equal(needsRehash(ofOthers.find(([, text]) => /n=1024/.test(text))[1], adonis), false);
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
  const good = ofOthers[2][1];
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
  await refuses(
    'verifyPassword',
    ['x', `$argon2id$v=19$m=262148,t=1,p=1${tail}`],
    'ERR_MEMORY_LIMIT',
    /268439552/,
  );
  await refuses(
    'verifyPassword',
    ['x', `$argon2id$v=19$m=4294967295,t=4294967295,p=1${tail}`],
    'ERR_MEMORY_LIMIT',
    /bytes/,
  );
  await refuses(
    'verifyPassword',
    ['x', `$scrypt$ln=40,r=8,p=1${tail}`],
    'ERR_MEMORY_LIMIT',
    /bytes/,
  );
  await refuses(
    'verifyPassword',
    ['x', `$argon2id$v=19$m=65536,t=4294967295,p=1${tail}`],
    'ERR_WORK_LIMIT',
    /maxTime/,
  );
  await refuses(
    'verifyPassword',
    ['x', `$scrypt$ln=10,r=8,p=100000${tail}`],
    'ERR_WORK_LIMIT',
    /maxTime/,
  );
  await refuses(
    'verifyPassword',
    ['x', '$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    'ERR_WORK_LIMIT',
    /maxTime/,
  );
  await refuses(
    'verifyPassword',
    ['x', ofOthers[2][1], { maxMemory: 2 ** 26 - 1 }],
    'ERR_MEMORY_LIMIT',
    /67108864/,
  );
  await refuses(
    'verifyPassword',
    ['x', ofOthers[2][1], { maxTime: 1 }],
    'ERR_WORK_LIMIT',
    /maxTime/,
  );
  // Most of them would take minutes or hours.
  assert.ok(performance.now() - before < 20_000);
  assert.equal(
    verifyPassword('password', ofOthers[2][1], { maxMemory: 2 ** 26, maxTime: 60_000 }),
    true,
  );
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
    const text = `${cost}${tail}`;
    for (const [engine, maxTime] of [
      ['native', native],
      ['portable', portable],
    ]) {
      assert.throws(
        () => verifyPassword('x', text, { maxTime, engine }),
        { code: 'ERR_WORK_LIMIT' },
        `${cost}, ${engine}`,
      );
      await assert.rejects(
        promises.verifyPassword('x', text, { maxTime, engine }),
        { code: 'ERR_WORK_LIMIT' },
        `${cost}, ${engine}`,
      );
    }
  }
  assert.ok(process.cpuUsage(before).user < 2_000_000, 'nothing was computed');
});

test('hashes and salts of up to 512 bytes, as other programs make them', async () => {
  const text = (bytes) => bytes.toString('base64').replace(/=+$/, '');
  const argon2id = (salt, size) =>
    `$argon2id$v=19$m=8,t=1,p=1$${text(salt)}$${text(
      millrace.argon2('argon2id', {
        message: 'pw',
        nonce: salt,
        memory: 8,
        passes: 1,
        parallelism: 1,
        tagLength: size,
      }),
    )}`;
  const scrypt = (salt, size) =>
    `$scrypt$ln=1,r=1,p=1$${text(salt)}$${text(millrace.scrypt('pw', salt, size, { N: 2, r: 1 }))}`;
  const refusal = {
    code: 'ERR_PASSWORD_HASH',
    message: 'hash must have a salt of 8 to 512 bytes and a hash of 16 to 512 bytes',
  };
  for (const engine of ['native', 'portable'])
    for (const make of [argon2id, scrypt]) {
      for (const [salt, size] of [
        [16, 65],
        [65, 66],
        [512, 512],
      ]) {
        const hash = make(Buffer.alloc(salt, 7), size);
        assert.equal(verifyPassword('pw', hash, { engine }), true, hash);
        assert.equal(await promises.verifyPassword('pW', hash, { engine }), false, hash);
        const algorithm = make === scrypt ? 'scrypt' : 'argon2id';
        assert.equal(needsRehash(hash, { algorithm, engine }), true, 'another cost');
      }
      for (const [salt, size] of [
        [16, 15],
        [16, 513],
        [513, 32],
      ]) {
        const hash = make(Buffer.alloc(salt, 7), size);
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
    const part = millrace
      .scrypt('pw', salt, size, { N: 16, r: 1 })
      .toString('base64')
      .replace(/=+$/, '');
    await refuses('verifyPassword', ['pw', head + part], 'ERR_PASSWORD_HASH');
    assert.throws(() => verifyPassword('pw', head + part, { engine: 'portable' }), {
      code: 'ERR_PASSWORD_HASH',
    });
  }
  for (const engine of ['native', 'portable'])
    assert.equal(verifyPassword('pw', whole, { engine }), true);
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
  for (const engine of ['native', 'portable']) {
    const options = { algorithm: 'bcrypt', cost: 5, engine };
    assert.equal(
      hashPassword('U*U', { ...options, salt }),
      '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    );
    for (const password of ['', 'secret', longest]) {
      const hashes = [
        hashPassword(password, options),
        await promises.hashPassword(password, options),
        await promisify(hashPassword)(password, options),
      ];
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
  for (const engine of ['native', 'portable'])
    for (const [password, options, names] of [
      ['x'.repeat(73), { cost }, /72/],
      [Buffer.alloc(73, 1), { cost }, /73 bytes/],
      ['é'.repeat(37), { cost }, /74 bytes/],
      ['\ud800'.repeat(25), { cost }, /75 bytes/],
      ['a\0b', { cost }, /zero byte/],
      [Buffer.from([0]), { cost }, /zero byte/],
      ['x', { cost: 3 }, /options.cost/],
      ['x', { cost: 32 }, /options.cost/],
      ['x', { cost, memory: 64 }, /options.memory/],
      ['x', { cost, N: 16 }, /options.N/],
      ['x', { cost, saltLength: 16 }, /options.saltLength/],
      ['x', { cost, hashLength: 23 }, /options.hashLength/],
      ['x', { cost, salt: Buffer.alloc(15) }, /options.salt/],
      ['x', { cost, secret: 'pepper' }, /options.secret/],
    ])
      await refuses(
        'hashPassword',
        [password, { algorithm: 'bcrypt', engine, ...options }],
        'ERR_ARGUMENT_VALUE',
        names,
      );
  await refuses('hashPassword', ['x', { algorithm: 'bcrypt', cost: '5' }], 'ERR_ARGUMENT_TYPE');
});

test('bcrypt: needsRehash compares the cost', () => {
  const hash = hashPassword('x', { algorithm: 'bcrypt', cost: 5 });
  assert.equal(needsRehash(hash, { algorithm: 'bcrypt', cost: 5 }), false);
  assert.equal(needsRehash(hash, { algorithm: 'bcrypt', cost: 6 }), true);
  assert.equal(needsRehash(hash, { algorithm: 'bcrypt' }), true);
  assert.equal(needsRehash(hash), true);
  assert.equal(needsRehash(hashPassword('x', quick), { algorithm: 'bcrypt', cost: 5 }), true);
});

test('wrong arguments are refused', async () => {
  const { ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE } = {
    ERR_ARGUMENT_TYPE: 'ERR_ARGUMENT_TYPE',
    ERR_ARGUMENT_VALUE: 'ERR_ARGUMENT_VALUE',
  };
  await refuses('hashPassword', [], 'ERR_MISSING_ARGUMENT', /password/);
  await refuses('verifyPassword', ['x'], 'ERR_MISSING_ARGUMENT', /hash/);
  for (const password of [undefined, null, 1, {}, []]) {
    await refuses('hashPassword', [password, quick], ERR_ARGUMENT_TYPE, /password/);
    await refuses('verifyPassword', [password, ofOthers[0][1]], ERR_ARGUMENT_TYPE, /password/);
  }
  for (const [options, code, names] of [
    [{ algorithm: 'bcrypts' }, 'ERR_UNKNOWN_ALGORITHM', /bcrypt/],
    [{ algorithm: 'argon2x' }, 'ERR_UNKNOWN_ALGORITHM', /algorithm/],
    [{ algorithm: 5 }, ERR_ARGUMENT_TYPE, /algorithm/],
    [{ memory: 7 }, ERR_ARGUMENT_VALUE, /memory/],
    [{ memory: 2 ** 32 }, ERR_ARGUMENT_VALUE, /memory/],
    [{ memory: '64' }, ERR_ARGUMENT_TYPE, /memory/],
    [{ passes: 0 }, ERR_ARGUMENT_VALUE, /passes/],
    [{ passes: 1.5 }, ERR_ARGUMENT_VALUE, /passes/],
    [{ parallelism: 0 }, ERR_ARGUMENT_VALUE, /parallelism/],
    [{ saltLength: 7 }, ERR_ARGUMENT_VALUE, /saltLength/],
    [{ saltLength: 65 }, ERR_ARGUMENT_VALUE, /saltLength/],
    [{ hashLength: 15 }, ERR_ARGUMENT_VALUE, /hashLength/],
    [{ hashLength: 65 }, ERR_ARGUMENT_VALUE, /hashLength/],
    [{ salt: 'text with 16 chars' }, ERR_ARGUMENT_TYPE, /salt/],
    [{ salt: Buffer.alloc(7) }, ERR_ARGUMENT_VALUE, /salt/],
    [{ secret: 5 }, ERR_ARGUMENT_TYPE, /secret/],
    [{ algorithm: 'scrypt', secret: 'x' }, ERR_ARGUMENT_VALUE, /secret/],
    [{ algorithm: 'scrypt', N: 1000 }, ERR_ARGUMENT_VALUE, /N/],
  ])
    await refuses('hashPassword', ['x', options], code, names);
  await refuses(
    'verifyPassword',
    ['x', ofOthers[3][1], { secret: 'x' }],
    ERR_ARGUMENT_VALUE,
    /secret/,
  );
  await refuses(
    'verifyPassword',
    ['x', ofOthers[0][1], { maxMemory: -1 }],
    ERR_ARGUMENT_VALUE,
    /maxMemory/,
  );
  await refuses(
    'verifyPassword',
    ['x', ofOthers[0][1], { maxTime: '5' }],
    ERR_ARGUMENT_TYPE,
    /maxTime/,
  );
  for (const [, hash] of ofOthers.filter(([, text]) => /^\$(?:2|bcrypt)/.test(text)))
    await refuses('verifyPassword', ['a\0b', hash], ERR_ARGUMENT_VALUE, /password/);
  await refuses(
    'verifyPassword',
    [Buffer.from([0]), ofOthers.at(-1)[1]],
    ERR_ARGUMENT_VALUE,
    /password/,
  );
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
  assert.throws(() => timingSafeEqual(Buffer.alloc(3), Buffer.alloc(4)), {
    code: 'ERR_ARGUMENT_VALUE',
  });
  assert.throws(() => timingSafeEqual('abc', Buffer.from('abc')), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /^a must/,
  });
  assert.throws(() => timingSafeEqual(Buffer.from('abc'), 5), {
    code: 'ERR_ARGUMENT_TYPE',
    message: /^b must/,
  });
  assert.equal(promises.timingSafeEqual, timingSafeEqual);
});
