// Calls that exhaust the stack within WebAssembly: the instance is lost, and the next call runs in
// a new one. Each test exhausts the stack many times, at another depth each time.

import assert from 'node:assert/strict';
import { test } from 'node:test';

/** Calls of modules that threw. */
let traps = 0;
const { Instance } = WebAssembly;
WebAssembly.Instance = function makeInstance(...given) {
  const { exports } = new Instance(...given);
  const counted = Object.entries(exports).map(([name, call]) => [
    name,
    typeof call !== 'function'
      ? call
      : (...numbers) => {
          try {
            return call(...numbers);
          } catch (error) {
            traps++;
            throw error;
          }
        },
  ]);
  return { exports: Object.fromEntries(counted) };
};

process.env.MILLRACE_ENGINE = 'portable';
const { default: millrace } = await import('millrace');
const functions = await import('millrace/portable');

const key = Buffer.alloc(32, 5);
const nonce = Buffer.alloc(12, 3);
const source = Buffer.alloc(1000, 'message');
const long = Buffer.alloc(70_000, 'message');

/**
 * Makes the call in the deepest frames that the stack has room for. Compiled code needs less stack
 * than the module, so that it gets there.
 */
function exhaust(call) {
  for (let warm = 0; warm < 300; warm++) call();
  let calls = 0;
  const descend = () => {
    try {
      descend();
    } catch {
      // The deepest frame.
    }
    if (calls++ >= 1000) return;
    try {
      call();
    } catch {
      // Here, or within the call.
    }
  };
  descend();
}

const { sha256, sha3_256, xxh64, hmac, chacha20_poly1305, aes_256_gcm } = functions;
const calls = {
  'a digest as text': () => millrace.hash('sha256', source, 'hex'),
  'a digest as bytes': () => millrace.hash('blake2b512', source),
  'a digest of a long message': () => millrace.hash('sha3-256', long, 'hex'),
  'an output of any length': () => millrace.hash('shake128', source, { outputLength: 1000 }),
  'a running hash': () => millrace.createHash('sha512').update(long).update(source).digest('hex'),
  HMAC: () => millrace.hmac('sha256', key, source, 'hex'),
  'many messages': () => millrace.hashMany('sha256', [source, long, source]),
  'a cipher': () => millrace.cipher('aes-256-ctr', 1, key, Buffer.alloc(16), source),
  sealing: () => millrace.seal('aes-256-gcm', { key, nonce, source }),
  'sealing a long message': () => millrace.seal('chacha20-poly1305', { key, nonce, source: long }),
  'a prepared key': () => {
    const prepared = millrace.createKey('aes-256-gcm', key);
    return millrace.seal('aes-256-gcm', { key: prepared, nonce, source });
  },
  'a derivation': () => millrace.pbkdf2('password', 'salt', 10, 32, 'sha512'),
  'a derivation with memory': () => millrace.scrypt('password', 'salt', 32, { N: 64 }),
  comparing: () => millrace.timingSafeEqual(source, Buffer.from(source)),
  'sha256 of millrace/portable': () => sha256(source, 'hex'),
  'sha3_256 of millrace/portable': () => sha3_256(long, 'hex'),
  'xxh64 of millrace/portable': () => xxh64(source, 'bigint'),
  'hmac of millrace/portable': () => hmac(sha256, key, source, 'hex'),
  'aes_256_gcm of millrace/portable': () => aes_256_gcm.seal({ key, nonce, source }),
  'chacha20_poly1305 of millrace/portable': () =>
    chacha20_poly1305.seal({ key, nonce, source: long }),
  'argon2 of millrace/portable': () =>
    functions.argon2('argon2id', { message: key, nonce, memory: 64 }),
};

for (const [name, call] of Object.entries(calls))
  test(`${name} is right after calls that exhausted the stack`, () => {
    const before = call();
    exhaust(call);
    for (let again = 0; again < 3; again++) assert.deepEqual(call(), before);
  });

test('a prepared key and a message outlive a lost instance', () => {
  const seal = (prepared) => millrace.seal('aes-256-gcm', { key: prepared, nonce, source });
  const prepared = millrace.createKey('aes-256-gcm', key);
  const before = seal(prepared);
  const begin = () => millrace.createCipher('aes-256-gcm', { key: prepared, nonce });
  const message = begin();
  const first = message.update(source);
  exhaust(() => seal(prepared));
  assert.deepEqual(seal(prepared), before);
  const rest = message.final();
  assert.deepEqual(Buffer.concat([first, rest, message.authTag]), Buffer.from(before));
});

test('the stack was exhausted within the modules', () => assert.ok(traps > 20, `${traps} calls`));
