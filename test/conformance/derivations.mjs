// Key derivation and password hashes: published vectors, by every call style, and several at
// once.

import { decoded, hex, pattern, utf8 } from './bytes.mjs';
import { ok, same, sameBytes } from './verdicts.mjs';
import { member } from './call-styles.mjs';

/** Password hashes of libargon2's tests, beside those of vectors/password-hashes.json. */
const argon2Hashes = [
  '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
  '$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY',
  '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
].map((hash) => ({ password: 'password', hash }));

/** A cost that is short enough for a page and a test. */
const quick = { memory: 64, passes: 1, parallelism: 1 };

export async function derivations({ millrace, promises, options, add, load, styles, refused }) {
  const rows = {};
  for (const vector of await load('vectors/derivations.json')) {
    const args = decoded(vector.args);
    (rows[derivationOf(vector)] ??= []).push({ ...vector, args });
  }
  for (const [row, vectors] of Object.entries(rows)) {
    for (const { name: way, call } of styles) {
      const derived = async ({ name, args, expected }) => {
        const key = await call(name, ...given(args, options));
        sameBytes(key, expected, `${name}(${args.slice(0, 2)})`);
      };
      add('derivations', row, `${way}, published vectors`, derived, vectors);
    }
    add('derivations', row, 'several at once', async () => {
      const [{ name, args, expected }] = vectors;
      const derive = () => member(promises, name)(...given(args, options));
      for (const each of await Promise.all(Array.from({ length: 6 }, derive)))
        sameBytes(each, expected, 'each');
    });
  }
  for (const { name: way, call } of styles)
    add('derivations', 'aes-kw', `${way}, what is not authentic`, () => {
      const source = hex('28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326');
      const key = Uint8Array.from({ length: 32 }, (_, index) => index);
      const unwrapped = call('unwrapKey', 'aes-256-kw', { key, source, ...options });
      return refused(unwrapped, 'ERR_AUTHENTICATION', 'unwrapKey');
    });
  add('derivations', 'argon2', 'progress', async () => {
    const seen = [];
    const parameters = { message: 'pw', nonce: pattern(16), memory: 4096, passes: 6 };
    const onProgress = (progress) => seen.push(progress);
    const key = await promises.argon2('argon2id', { ...options, ...parameters, onProgress });
    sameBytes(key, millrace.argon2('argon2id', { ...options, ...parameters }), 'key');
    ok(seen.length > 0, 'no progress was told');
  });
  add('derivations', 'timingSafeEqual', 'equal and not', async () => {
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
    ])
      await refused(() => millrace.timingSafeEqual(...args), code, 'timingSafeEqual');
  });
}

export async function passwords({ millrace, options, add, load, styles, refused }) {
  const published = await load('vectors/password-hashes.json');
  const hashes = { bcrypt: published.filter(({ hash }) => hash.startsWith('$2')) };
  for (const each of argon2Hashes) (hashes[each.hash.split('$')[1]] ??= []).push(each);
  for (const { name: way, call } of styles) {
    const hashed = (password, cost) => call('hashPassword', password, { ...cost, ...options });
    const verify = (password, hash, more) =>
      call('verifyPassword', password, hash, { ...options, ...more });
    for (const [algorithm, list] of Object.entries(hashes)) {
      const verified = async ({ password, hash }) => {
        same(await verify(password, hash), true, hash);
        same(await verify(`${password}x`.slice(-20), hash), false, `${hash}, another password`);
      };
      add('passwords', algorithm, `${way}, hashes of other programs`, verified, list);
    }
    for (const cost of [
      { ...quick },
      { ...quick, algorithm: 'argon2d' },
      { ...quick, algorithm: 'argon2i', memory: 80, passes: 3, parallelism: 2, hashLength: 40 },
      { algorithm: 'scrypt', N: 256, r: 2, p: 2 },
      { algorithm: 'bcrypt', cost: 4 },
    ]) {
      add('passwords', cost.algorithm ?? 'argon2id', `${way}, hashed and verified`, async () => {
        const hash = await hashed('Grüße', cost);
        ok(
          /^\$(argon2(id|i|d)\$v=19\$m=\d+,t=\d,p=\d|scrypt\$ln=8,r=2,p=2)\$[\w+/]+\$[\w+/]+$/.test(
            hash,
          ) || /^\$2b\$04\$[./\w]{53}$/.test(hash),
          hash,
        );
        ok(hash !== (await hashed('Grüße', cost)), 'a salt used twice');
        same(await verify(utf8('Grüße'), hash), true, hash);
        same(await verify('Grüsse', hash), false, hash);
        same(millrace.needsRehash(hash, cost), false, 'needsRehash');
        const more = cost.algorithm === 'bcrypt' ? { cost: 5 } : { saltLength: 17 };
        same(millrace.needsRehash(hash, { ...cost, ...more }), true, 'needsRehash');
      });
    }
    add('passwords', 'argon2id', `${way}, with a secret`, async () => {
      const secret = 'pepper';
      const hash = await hashed('pw', { ...quick, secret });
      same(await verify('pw', hash, { secret }), true, 'right');
      same(await verify('pw', hash), false, 'without');
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
      ])
        await refused(verify('x', hash), code, hash);
      const derived = call('scrypt', 'x', 'y', 32, { ...options, N: 16384, maxmem: 1000 });
      await refused(derived, 'ERR_MEMORY_LIMIT', 'maxmem');
      await refused(hashed('x', { algorithm: 'bcrypts' }), 'ERR_UNKNOWN_ALGORITHM', 'bcrypts');
    });
  }
  add('passwords', 'bcrypt', 'made anew by default', () =>
    same(millrace.needsRehash(hashes.bcrypt[0].hash), true, 'needsRehash'),
  );
}

/** Returns the algorithm of a vector, as `engines()` and docs/engines.md name it. */
export function derivationOf({ name, args: [algorithm] }) {
  if (!/wrap/i.test(name)) return name.split('.')[0];
  return /kwp|pad/.test(algorithm) ? 'aes-kwp' : 'aes-kw';
}

/** Returns arguments with options. */
function given(args, options) {
  const last = args.at(-1);
  if (typeof last !== 'object' || ArrayBuffer.isView(last)) return [...args, options];
  return [...args.slice(0, -1), { ...last, ...options }];
}
