// Refused calls, with their codes, in all three ways: thrown, also where a callback is given, and
// as a rejection.

import { pattern } from './bytes.mjs';
import { fail, ok, sameError } from './verdicts.mjs';

const bytes = pattern(32);
const resizable = (size = 32) => new Uint8Array(new ArrayBuffer(size, { maxByteLength: 64 }));

/** Returns rows of `[method, arguments, code, what the message names]`. */
function tables() {
  const sealed = { key: bytes, nonce: pattern(12), source: pattern(40) };
  const plain = { encrypt: true, key: bytes, iv: pattern(16), source: pattern(40) };
  return {
    names: [
      ['hash', ['sha257', ''], 'ERR_UNKNOWN_ALGORITHM', /sha256/],
      ['hash', [5, ''], 'ERR_ARGUMENT_TYPE', /algorithm/],
      ['hash', ['constructor', ''], 'ERR_UNKNOWN_ALGORITHM'],
      ['hash', ['aes-256-gcm', ''], 'ERR_UNKNOWN_ALGORITHM'],
      ['hmac', ['sha999', 'k', ''], 'ERR_UNKNOWN_ALGORITHM'],
      ['hmac', ['xxh64', 'k', ''], 'ERR_ARGUMENT_VALUE'],
      ['hmac', ['shake128', 'k', ''], 'ERR_ARGUMENT_VALUE'],
      ['hashMany', ['nothing', []], 'ERR_UNKNOWN_ALGORITHM'],
      ['cipher', ['aes-256-cbc', plain], 'ERR_UNKNOWN_ALGORITHM'],
      ['seal', ['aes-256-ctr', sealed], 'ERR_ARGUMENT_VALUE', /authenticate/],
      ['open', ['sha256', sealed], 'ERR_UNKNOWN_ALGORITHM'],
      ['pbkdf2', ['p', 's', 1, 8, 'nope'], 'ERR_UNKNOWN_ALGORITHM'],
      ['hkdf', ['nope', 'k', '', '', 8], 'ERR_UNKNOWN_ALGORITHM'],
      ['argon2', ['argon3', { message: '', nonce: bytes }], 'ERR_UNKNOWN_ALGORITHM'],
    ],
    'types and missing arguments': [
      ['hash', [], 'ERR_MISSING_ARGUMENT'],
      ['hash', ['sha256'], 'ERR_MISSING_ARGUMENT'],
      ['hash', ['sha256', 5], 'ERR_ARGUMENT_TYPE', /data/],
      ['hash', ['sha256', null], 'ERR_ARGUMENT_TYPE', /data/],
      ['hash', ['sha256', [1, 2]], 'ERR_ARGUMENT_TYPE', /data/],
      ['hash', ['sha256', {}], 'ERR_ARGUMENT_TYPE', /data/],
      ['hash', ['sha256', '', 5], 'ERR_ARGUMENT_TYPE'],
      ['hash', ['sha256', '', 'utf9'], 'ERR_ARGUMENT_VALUE', /encoding/],
      ['hash', ['sha256', '', { target: 'x' }], 'ERR_ARGUMENT_TYPE', /target/],
      ['hmac', ['sha256', 'k'], 'ERR_MISSING_ARGUMENT'],
      ['hmac', ['sha256', 5, ''], 'ERR_ARGUMENT_TYPE', /key/],
      ['hashMany', ['sha256', 'abc'], 'ERR_ARGUMENT_TYPE', /sources/],
      ['hashMany', ['sha256', [bytes, 5]], 'ERR_ARGUMENT_TYPE', /sources\[1\]/],
      ['seal', ['aes-256-gcm'], 'ERR_MISSING_ARGUMENT'],
      ['seal', ['aes-256-gcm', { ...sealed, key: 'text' }], 'ERR_ARGUMENT_TYPE', /key/],
      ['seal', ['aes-256-gcm', { ...sealed, source: 7 }], 'ERR_ARGUMENT_TYPE', /source/],
      ['seal', ['aes-256-gcm', { ...sealed, nonce: 'text' }], 'ERR_ARGUMENT_TYPE', /nonce/],
      [
        'cipher',
        ['aes-256-ctr', { ...plain, encrypt: 2 }],
        ['ERR_ARGUMENT_TYPE', 'ERR_ARGUMENT_VALUE'],
        /encrypt/,
      ],
      ['cipher', ['aes-256-ctr', true, bytes], 'ERR_MISSING_ARGUMENT'],
      ['scrypt', ['p'], 'ERR_MISSING_ARGUMENT'],
      ['scrypt', [5, 's', 8], 'ERR_ARGUMENT_TYPE', /password/],
      ['argon2', ['argon2id'], 'ERR_MISSING_ARGUMENT'],
      ['verifyPassword', ['p', 5], 'ERR_ARGUMENT_TYPE', /hash/],
    ],
    sizes: [
      ['hash', ['shake128', '', { outputLength: 0 }], 'ERR_OUTPUT_SIZE'],
      ['hash', ['sha256', '', { outputLength: 31 }], 'ERR_OUTPUT_SIZE'],
      ['hash', ['blake3', '', { outputLength: 0 }], 'ERR_OUTPUT_SIZE'],
      ['hash', ['blake3', '', { key: bytes.subarray(1) }], 'ERR_KEY_SIZE'],
      ['hash', ['sha256', '', { key: bytes }], 'ERR_ARGUMENT_VALUE'],
      ['hash', ['sha256', '', { seed: 1 }], 'ERR_ARGUMENT_VALUE'],
      ['hash', ['xxh32', '', { seed: 2 ** 32 }], 'ERR_ARGUMENT_VALUE'],
      ['hash', ['xxh64', '', { seed: -1n }], 'ERR_ARGUMENT_VALUE'],
      ['hash', ['sha256', '', { target: new Uint8Array(31) }], 'ERR_ARGUMENT_VALUE', /target/],
      [
        'hash',
        ['sha256', '', { target: new Uint8Array(40), targetOffset: 9 }],
        'ERR_ARGUMENT_VALUE',
        /target/,
      ],
      ['hash', ['sha256', bytes, 0, 32, new Uint8Array(32), 0], 'ERR_MISSING_ARGUMENT', /subarray/],
      ['hashMany', ['sha256', { data: bytes, size: 5 }], 'ERR_ARGUMENT_VALUE'],
      ['seal', ['aes-256-gcm', { ...sealed, key: bytes.subarray(1) }], 'ERR_KEY_SIZE'],
      ['seal', ['aes-256-gcm', { ...sealed, nonce: pattern(129) }], 'ERR_IV_SIZE'],
      ['seal', ['xchacha20-poly1305', sealed], 'ERR_IV_SIZE'],
      [
        'seal',
        ['aes-256-gcm', { ...sealed, target: new Uint8Array(55) }],
        'ERR_ARGUMENT_VALUE',
        /target/,
      ],
      ['open', ['aes-256-gcm', { ...sealed, source: pattern(15) }], 'ERR_SOURCE_SIZE'],
      ['cipher', ['aes-256-ctr', { ...plain, iv: pattern(12) }], 'ERR_IV_SIZE'],
      ['cipher', ['aes-256-ctr', { ...plain, key: pattern(16) }], 'ERR_KEY_SIZE'],
      [
        'cipher',
        ['aes-256-gcm', { ...plain, iv: pattern(12), tag: new Uint8Array(3) }],
        'ERR_TAG_SIZE',
      ],
      ['cipher', ['aes-256-gcm', { ...plain, iv: pattern(12) }], 'ERR_MISSING_ARGUMENT', /tag/],
      ['scrypt', ['p', 's', 8, { N: 3 }], 'ERR_ARGUMENT_VALUE', /N/],
      ['scrypt', ['p', 's', 8, { N: 2 ** 20 }], 'ERR_MEMORY_LIMIT', /bytes/],
      ['pbkdf2', ['p', 's', 0, 8, 'sha256'], 'ERR_ARGUMENT_VALUE', /iterations/],
      ['hkdf', ['sha256', 'k', '', '', 255 * 32 + 1], 'ERR_OUTPUT_SIZE'],
      ['argon2', ['argon2id', { message: '', nonce: pattern(7) }], 'ERR_ARGUMENT_VALUE', /nonce/],
      [
        'argon2',
        ['argon2id', { message: '', nonce: bytes, memory: 7 }],
        'ERR_ARGUMENT_VALUE',
        /memory/,
      ],
    ],
  };
}

export function refusals({ millrace, promises, add }) {
  for (const [title, rows] of Object.entries(tables())) {
    add('refusals', 'every entry point', title, async () => {
      for (const [method, args, code, names] of rows) {
        const shown = args.map((each) => (typeof each === 'string' ? each : typeof each));
        const what = `${method}(${shown.join(', ')})`;
        const check = (error, how) => {
          sameError(
            error,
            [code].flat().includes(error?.code) ? error.code : [code].flat()[0],
            millrace,
            `${what}, ${how}`,
          );
          ok(
            names === undefined || names.test(error.message),
            `${what}: "${error.message}" does not name ${names}`,
          );
        };
        check(
          thrown(() => millrace[method](...args)),
          'synchronous',
        );
        if (args.length > 1)
          check(
            thrown(() => millrace[method](...args, () => fail(`${what}: called back`))),
            'callback',
          );
        check(
          await promises[method](...args).then(
            () => undefined,
            (error) => error,
          ),
          'promise',
        );
      }
    });
  }
  add('refusals', 'every entry point', 'resizable buffers are not lent', async () => {
    if (!('resizable' in ArrayBuffer.prototype)) return;
    const given = { key: bytes, nonce: pattern(12), source: resizable(16) };
    sameError(
      await promises.seal('aes-256-gcm', { ...given, target: resizable() }).then(
        () => undefined,
        (error) => error,
      ),
      'ERR_RESIZABLE',
      millrace,
      'target',
    );
    ok((await promises.seal('aes-256-gcm', given)).length === 32, 'a source is copied');
    ok(
      millrace.seal('aes-256-gcm', { ...given, target: resizable() }) === 32,
      'a synchronous call takes a resizable target',
    );
  });
  add('refusals', 'every entry point', 'errors tell nothing they were given', async () => {
    const secret = 'correct horse battery';
    for (const call of [
      () => millrace.hash(secret.slice(0, 7), ''),
      () =>
        millrace.seal('aes-256-gcm', {
          key: new TextEncoder().encode(secret),
          nonce: pattern(12),
          source: secret,
        }),
    ]) {
      ok(!/battery/.test(String(thrown(call)?.stack)), 'the message was told');
    }
  });
}

function thrown(use) {
  try {
    use();
  } catch (error) {
    return error;
  }
  return undefined;
}
