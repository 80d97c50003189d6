// Values computed from a key are as secret as the key: AES's round keys, GHASH's H and what hides
// it in a tag, Poly1305's key, the midstates of HMAC. So is the text of a message with a wrong tag.
// None of it stays in the memory of a process that has used keys and wiped its own copies;
// secrets.test.mjs looks for the keys themselves, the keys derived from them, their
// codes, and HKDF's extracted key. Each is first found while it is in use, or looking for it would prove
// nothing.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import millrace from 'millrace';

import { temporary } from '../support/child.mjs';
import { keyMaker, leavesNothing, look } from '../support/memory-search.mjs';

const skip = process.platform !== 'linux' && 'reads /proc/<pid>/mem';

const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

// derived from keys

const block = (cipher, key, iv, source = Buffer.alloc(16)) =>
  crypto.createCipheriv(cipher, key, iv).update(source).subarray(0, 16);

/** Multiplies in AES's field. */
function product(one, other) {
  let sum = 0;
  for (; other > 0; other >>= 1, one = (one << 1) ^ (one & 128 ? 0x11b : 0))
    if (other & 1) sum ^= one;
  return sum;
}

/** Returns AES's substitution: the inverse, then an affine map (FIPS 197, 5.1.1). */
function substituted(byte) {
  let inverse = 0;
  for (let each = 1; each < 256; each++) if (product(byte, each) === 1) inverse = each;
  let result = 0x63;
  for (let turn = 0; turn < 5; turn++) result ^= (inverse << turn) | (inverse >> (8 - turn));
  return result & 255;
}

/** Returns the round keys of AES-256 (FIPS 197, 5.2). */
function roundKeys(key) {
  const words = Array.from({ length: 8 }, (_, at) => [...key.subarray(4 * at, 4 * at + 4)]);
  for (let at = 8, round = 1; at < 60; at++) {
    let word = words[at - 1];
    if (at % 8 === 0) {
      word = [...word.slice(1), word[0]].map(substituted);
      word[0] ^= round;
      round = product(round, 2);
    } else if (at % 8 === 4) word = word.map(substituted);
    words.push(word.map((byte, place) => byte ^ words[at - 8][place]));
  }
  return Buffer.from(words.flat());
}

/** Returns what AES-NI's decryption uses: the middle round keys through InvMixColumns. */
function inverseRoundKey(roundKey) {
  const made = Buffer.alloc(16);
  for (let at = 0; at < 16; at++) {
    const column = roundKey.subarray(at & ~3, (at & ~3) + 4);
    const factors = [14, 11, 13, 9];
    for (let row = 0; row < 4; row++)
      made[at] ^= product(column[row], factors[(row - (at & 3) + 4) & 3]);
  }
  return made;
}

const nonce = Buffer.alloc(12);
const counter = (number) => Buffer.concat([nonce, Buffer.from([0, 0, 0, number])]);

/** The derived secrets of a key, 16 bytes of each. */
const derived = {
  'round keys of AES': (key) => roundKeys(key).subarray(64, 80),
  'round keys of AES for decryption': (key) => inverseRoundKey(roundKeys(key).subarray(64, 80)),
  'H of GHASH': hOf,
  'H of GHASH, bytes backwards': (key) => hOf(key).reverse(),
  'the mask of a tag of GCM': (key) => block('aes-256-ecb', key, null, counter(1)),
  "Poly1305's key": (key) => {
    const made = block('chacha20', key, Buffer.concat([Buffer.alloc(4), nonce]));
    // As it is used: RFC 8439, 2.5.
    for (const at of [3, 7, 11, 15]) made[at] &= 15;
    for (const at of [4, 8, 12]) made[at] &= 252;
    return made;
  },
  'the inner midstate of HMAC-SHA-256': (key) => midstate(key, 0x36),
  'the outer midstate of HMAC-SHA-256': (key) => midstate(key, 0x5c),
  'the key with the inner pad of HMAC': (key) => key.subarray(0, 16).map((byte) => byte ^ 0x36),
};

function hOf(key) {
  return block('aes-256-ecb', key, null);
}

/** Returns the words of SHA-256 after the block of a padded key, little-endian. */
function midstate(key, pad) {
  const padded = Buffer.alloc(64, pad);
  key.forEach((byte, at) => (padded[at] ^= byte));
  const state = Buffer.from(millrace.createHash('sha256').update(padded).exportState());
  const at = state.indexOf('sha256') + 'sha256'.length;
  return state.subarray(at, at + 16);
}

const names = Object.keys(derived);
const secretsOf = (seed) => {
  const key = keyMaker(seed, Buffer.alloc(32));
  return names.map((name) => derived[name](key));
};

/** Calls with a key, and those that keep it. */
const uses = `
const used = (key) => [
  millrace.seal('aes-256-gcm', { key, nonce, source }),
  millrace.seal('aes-256-gcm-siv', { key, nonce, source }),
  millrace.cipher('aes-256-ctr', true, key, iv, source),
  millrace.seal('chacha20-poly1305', { key, nonce, source }),
  millrace.wrapKey('aes-256-kw', { key, source: iv }),
  millrace.unwrapKey('aes-256-kw', { key, source: millrace.wrapKey('aes-256-kw', { key, source: iv }) }),
  millrace.hmac('sha256', key, source),
  millrace.pbkdf2(key, 'salt', 10, 32, 'sha256'),
  millrace.hkdf('sha256', key, 'salt', 'info', 32),
  millrace.verifyHmac('sha256', { key, source, mac: Buffer.alloc(32) }),
];
const flying = (key) => ['inline', 'pool', 'split'].flatMap((route) => [
  promises.seal('aes-256-gcm', { key, nonce, source: large, route }),
  promises.cipher('aes-256-ctr', true, key, iv, large, { route }),
  promises.seal('chacha20-poly1305', { key, nonce, source: large, route }),
  promises.hmac('sha256', key, large, { route: route === 'split' ? 'pool' : route }),
]);
const held = (key) => [
  millrace.createKey('aes-256-gcm', key),
  millrace.createKey('aes-256-ctr', key),
  millrace.createKey('hmac-sha256', key),
  millrace.createCipher('aes-256-gcm', { key, nonce }),
  millrace.createCipher('chacha20-poly1305', { key, nonce }),
];
`;

/** CPU features that the libraries may not use: tools/cpu-tiers.mjs. */
const hidden = (process.env.MILLRACE_CPU_HIDE ?? '').split(',');

/** Secrets that no held key or cipher has, at least not in this form. */
const momentary = [
  // Without AES-NI AWS-LC permutes vectors with SSSE3, under round keys of a form of its own.
  ...(hidden.includes('aes-ni') && !hidden.includes('ssse3') ? ['round keys of AES'] : []),
  'round keys of AES for decryption',
  'the key with the inner pad of HMAC',
  // Kept as multiples of H.
  'H of GHASH',
  'H of GHASH, bytes backwards',
  'the mask of a tag of GCM',
  "Poly1305's key",
];

test('what keys in use are made of is found', { skip }, async (t) => {
  const found = await look(
    `${uses}
    globalThis.kept = held(fresh(1));
    globalThis.kept[3].update(source.subarray(0, 100));
    globalThis.kept[4].update(source.subarray(0, 100));
    // A control for what lives during a call only: the same bytes, held.
    globalThis.copies = ${JSON.stringify(secretsOf(2).map((each) => each.toString('hex')))}
      .map((hex) => Buffer.from(hex, 'hex'));
    await report();`,
    [],
    { others: [...secretsOf(1), ...secretsOf(2)] },
  );
  if (typeof found === 'string') return t.skip(found);
  for (const [at, name] of names.entries()) {
    assert.ok(found[names.length + at].length > 0, `${name}: its bytes are not found`);
    if (found[at].length > 0) t.diagnostic(`held: ${name}`);
    else assert.ok(momentary.includes(name), `${name}: not found in a key in use`);
  }
});

test('nothing is left of what was derived from keys', { skip }, async (t) => {
  const seeds = [10, 11];
  await leavesNothing(
    t,
    `${uses}
    const act = async () => {
      for (const seed of ${JSON.stringify(seeds)}) {
        using(seed, used);
        await Promise.all(using(seed, flying));
        const all = using(seed, held);
        for (const each of all.slice(3)) {
          each.update(source.subarray(0, 100));
          each.final();
        }
        for (const each of all.slice(0, 3)) each.dispose();
      }
      // Another key's calls use the same buffers.
      using(1, used);
    };
    await act();
    await collect();
    await report();`,
    [],
    { others: seeds.flatMap(secretsOf), main: false, names },
  );
});

// the text of messages that are not authentic

const textOf = (size) => {
  const text = Buffer.alloc(size);
  for (let at = 0; at < size; at += 32) keyMaker(7, text.subarray(at, at + 32));
  return text;
};

test('nothing is left of the text of a message that failed authentication', { skip }, async (t) => {
  const key = Buffer.alloc(32, 9);
  const algorithms = ['aes-256-gcm', 'chacha20-poly1305', 'aes-256-gcm-siv'];
  for (const algorithm of algorithms)
    for (const [index, size] of [64, 5024, 200_000, 4_000_000].entries()) {
      const sealed = millrace.seal(algorithm, { key, nonce, source: textOf(size) });
      sealed[sealed.length - 1] ^= 1;
      writeFileSync(join(folder, `${algorithm}-${index}`), sealed);
    }
  const program = (last) => `
    const { readFileSync } = require('node:fs');
    const key = Buffer.alloc(32, 9);
    const refused = async (act) => {
      try { await act(); } catch (error) {
        if (error.code === 'ERR_AUTHENTICATION') return;
        throw error;
      }
      throw new Error('a forged message was opened');
    };
    for (const algorithm of ${JSON.stringify(algorithms)})
      for (let index = 0; index < 4; index++) {
        const source = readFileSync(${JSON.stringify(folder)} + '/' + algorithm + '-' + index);
        const target = Buffer.alloc(source.length - 16);
        const options = { key, nonce, source };
        await refused(() => millrace.open(algorithm, options));
        await refused(() => millrace.open(algorithm, { ...options, target }));
        for (const route of ['auto', 'inline', 'pool', 'split']) {
          await refused(() => promises.open(algorithm, { ...options, route }));
          await refused(() => promises.open(algorithm, { ...options, target, route }));
        }
        const prepared = millrace.createKey(algorithm, key);
        await refused(() => promises.open(algorithm, { key: prepared, nonce, source }));
        prepared.dispose();
        if (algorithm.endsWith('-siv')) continue;
        const decipher = millrace.createDecipher(algorithm, { key, nonce });
        decipher.setAuthTag(source.subarray(-16));
        decipher.update(source.subarray(0, -16));
        await refused(() => decipher.final());
        const later = millrace.createDecipher(algorithm, { key, nonce });
        later.setAuthTag(source.subarray(-16));
        await later.updateAsync(source.subarray(0, -16));
        await refused(() => later.finalAsync());
      }
    ${last}
    await collect();
    await report();`;
  const others = [textOf(32)];
  const control = 'globalThis.kept = fresh(7);';
  await leavesNothing(t, program, [], { others, main: false, control });
});
