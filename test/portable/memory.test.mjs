// The bytes that calls of the portable engine, and of millrace/portable, leave in the memory of
// their module and of the caller.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hashes } from '../support/algorithms.mjs';
import { extended } from '../support/oracles.mjs';
import { portableCalls } from '../support/portable-calls.mjs';
import { leftIn, message, nonce, secret, wasmInstances } from '../support/wasm-memory.mjs';

process.env.MILLRACE_ENGINE = 'portable';
const { default: millrace } = await import('millrace');
const functions = await import('millrace/portable');

const aeads = ['aes-256-gcm', 'aes-256-gcm-siv', 'chacha20-poly1305', 'xaes-256-gcm'];
const nonceOf = (name) => (name === 'xaes-256-gcm' ? new Uint8Array(24).fill(9) : nonce);
/** Longer than the window that a message passes through. */
const long = new Uint8Array(200_000);
for (let at = 0; at < long.length; at += message.length)
  long.set(message.subarray(0, Math.min(message.length, long.length - at)), at);

const calls = portableCalls({ millrace, functions, key: secret, nonce, message, long });
// A checksum takes no secrets and wipes nothing.
delete calls['xxh64 of millrace/portable'];
for (const name of Object.keys(hashes).filter((each) => !/^(xxh|crc)/.test(each)))
  calls[`a long ${name}`] = () =>
    millrace.hash(name, name.startsWith('tuple') ? [long] : long, {
      ...(name.startsWith('kmac') && { key: nonce }),
    });
// Those of KangarooTwelve have bytes of the message, over which a checksum is computed.
for (const source of [message, long])
  calls[`a keyed part of ${source.length} bytes, joined`] = () => {
    const given = { key: secret, size: source.length };
    const parts = [millrace.hashPart('blake3', source, given)];
    nothingLeft();
    millrace.joinParts('blake3', parts, { key: secret });
  };
for (const name of aeads) {
  const { seal, open } = functions[name.replaceAll('-', '_')];
  for (const source of [message, long]) {
    const title = `${source.length} bytes by ${name}`;
    calls[title] = sealAndOpen(
      name,
      source,
      (given) => millrace.seal(name, given),
      (given) => millrace.open(name, given),
    );
    calls[`${title} of millrace/portable`] = sealAndOpen(name, source, seal, open);
  }
  if (name === 'aes-256-gcm-siv') continue;
  calls[`an incremental message by ${name}`] = () => {
    const cipher = millrace.createCipher(name, { key: secret, nonce: nonceOf(name) });
    for (const part of [message, long]) cipher.update(part);
    cipher.final();
  };
}

/** Returns a call that seals, opens, and refuses to open. */
function sealAndOpen(name, source, seal, open) {
  const given = { key: secret, nonce: nonceOf(name), aad: message.subarray(0, 99) };
  return () => {
    const sealed = seal({ ...given, source });
    nothingLeft();
    open({ ...given, source: sealed });
    nothingLeft();
    sealed[0] ^= 1;
    assert.throws(() => open({ ...given, source: sealed }), { code: 'ERR_AUTHENTICATION' });
  };
}

function nothingLeft() {
  assert.ok(wasmInstances.size > 0);
  assert.deepEqual([leftIn(secret), leftIn(message)], [[], []]);
}

test('the search finds what is there', () => {
  millrace.hash('sha256', message);
  const [{ exports }] = wasmInstances;
  const place = new Uint8Array(exports.memory.buffer, 70_000, secret.length);
  place.set(secret);
  try {
    assert.notDeepEqual(leftIn(secret), []);
  } finally {
    place.fill(0);
  }
});

for (const [name, call] of Object.entries(calls))
  test(`${name} leaves no secret in the memory of its module`, () => {
    call();
    nothingLeft();
  });

for (const name of aeads)
  for (const size of [100, long.length])
    test(`${name}: ${size} bytes that do not authenticate leave zeros in place`, () => {
      const given = { key: secret, nonce: nonceOf(name) };
      const sealed = millrace.seal(name, { ...given, source: long.subarray(0, size) });
      sealed[size >> 1] ^= 1;
      const target = sealed.subarray(0, size);
      assert.throws(() => millrace.open(name, { ...given, source: sealed, target }), {
        code: 'ERR_AUTHENTICATION',
      });
      assert.ok(target.every((byte) => byte === 0));
    });

test('no key of XAES-256-GCM is left in the memory of a module', () => {
  const iv = nonceOf('xaes-256-gcm');
  const { key } = extended({ key: secret, iv: Buffer.from(iv) });
  const given = { key: secret, nonce: iv, source: long };
  for (const seal of [functions.xaes_256_gcm.seal, (all) => millrace.seal('xaes-256-gcm', all)]) {
    seal(given);
    assert.deepEqual(leftIn(key), []);
  }
});

test('a call that is refused before it begins leaves its target as it is', () => {
  const target = new Uint8Array(long.length + 16).fill(7);
  const source = target.subarray(0, long.length);
  const given = { key: secret.subarray(1), nonce, source, target };
  assert.throws(() => millrace.seal('aes-256-gcm', given), { code: 'ERR_KEY_SIZE' });
  assert.ok(target.every((byte) => byte === 7));
});
