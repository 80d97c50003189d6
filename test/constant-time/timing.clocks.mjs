// Times of calls do not tell secrets apart: for the kernels that valgrind cannot execute (AVX-512,
// VAES, SHA-NI). As in dudect (Reparaz, Balasch, Verbauwhede: "Dude, is my code constant time?",
// 2017): each call is timed with a fixed secret or with a random one, in random order, and Welch's
// t-test compares the two classes. It is repeated without the slowest part of the times, as
// interrupts and collections are slow. Noise of other programs hits both classes alike.
//
// This shows leaks that it finds. It does not show that there are none: the printed difference is
// the smallest that would have been found.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import millrace from 'millrace';

import { buildAddon, missing } from './memcheck.mjs';

const skip = missing({ valgrind: false }) ?? false;
const folder = mkdtempSync(join(tmpdir(), 'millrace-timing-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const addon = skip === false ? createRequire(import.meta.url)(buildAddon(folder)) : undefined;

/** Above this |t| dudect speaks of a probable leak. */
const LIMIT = 10;
const SAMPLES = Number(process.env.MILLRACE_SAMPLES ?? 400_000);
/** Secrets of a class, at places of their own. */
const KINDS = 256;

let state = 1;
/**
 * Returns a number of a linear congruential generator: only the assignment of classes must be
 * unpredictable.
 */
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const randomBytes = (size) => Buffer.from({ length: size }, () => random() * 256);

/**
 * Times calls with the secrets of two classes. `call` finds the secret in the same memory each
 * time.
 */
function measure(size, secretOf, call) {
  const words = new Uint32Array(size / 4);
  const secret = Buffer.from(words.buffer);
  const pairs = Array.from({ length: KINDS }, () =>
    [0, 1].map((kind) => {
      const made = new Uint32Array(size / 4);
      Buffer.from(made.buffer).set(secretOf(kind));
      return made;
    }),
  );
  const [times, classes] = [new Float64Array(SAMPLES), new Uint8Array(SAMPLES)];
  for (let warmUp = 0; warmUp < 20_000; warmUp++) call(secret);
  for (let at = 0; at < SAMPLES; at++) {
    const kind = random() < 0.5 ? 0 : 1;
    const [fixed, other] = pairs[(random() * KINDS) | 0];
    // Both are read: the same addresses for each class, as caches and alignment have times too.
    for (let word = 0; word < words.length; word++)
      words[word] = fixed[word] ^ ((fixed[word] ^ other[word]) & -kind);
    const begin = addon.ticks();
    call(secret);
    times[at] = addon.ticks() - begin;
    classes[at] = kind;
  }
  return compare(times, classes);
}

/** Returns the largest |t| of the croppings, and the smallest difference that would be found. */
function compare(times, classes) {
  const sorted = times.slice().sort();
  let worst = { t: 0, difference: 0 };
  let visible = Infinity;
  for (let step = 0; step <= 20; step++) {
    // All times; without the slowest; the fastest part alone.
    const limit = step === 0 ? Infinity : sorted[Math.floor((1 - step / 21) * (SAMPLES - 1))];
    const sums = [0, 1].map((kind) => {
      let [count, mean, squares] = [0, 0, 0];
      for (let at = 0; at < SAMPLES; at++) {
        if (classes[at] !== kind || times[at] > limit) continue;
        count++;
        const delta = times[at] - mean;
        mean += delta / count;
        squares += delta * (times[at] - mean);
      }
      return { mean, error: squares / (count - 1) / count };
    });
    const error = Math.sqrt(sums[0].error + sums[1].error);
    if (!(error > 0)) continue;
    const difference = sums[0].mean - sums[1].mean;
    const t = difference / error;
    visible = Math.min(visible, LIMIT * error);
    if (Math.abs(t) > Math.abs(worst.t)) worst = { t, difference };
  }
  return { ...worst, visible };
}

const nonce = Buffer.alloc(12, 3);
const message = (size) => Buffer.alloc(size, 5);

/** Returns the bytes of a class: the fixed one is all zero; the others are random. */
const bytes = (size) => (kind) => (kind === 0 ? Buffer.alloc(size) : randomBytes(size));

/** Titles, with the size of the secret, the secret of a class, and a call with it. */
const measurements = {};
for (const name of ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305', 'aes-256-gcm-siv'])
  for (const size of [64, 1000, 8192]) {
    const at = name === 'aes-128-gcm' ? 16 : 32;
    const target = Buffer.alloc(size + 16);
    const options = (secret) => ({ key: secret.subarray(0, at), source: secret.subarray(at) });
    const seal = (secret) => millrace.seal(name, { ...options(secret), nonce, target });
    measurements[`seal ${name} ${size} B, key and message`] = [at + size, bytes(at + size), seal];
  }
for (const name of ['aes-256-ctr', 'chacha20']) {
  const given = { encrypt: true, iv: Buffer.alloc(16), target: Buffer.alloc(1000) };
  const cipher = (key) => millrace.cipher(name, { ...given, key, source: message(1000) });
  measurements[`cipher ${name} 1000 B, key`] = [32, bytes(32), cipher];
}
for (const name of ['sha1', 'sha256', 'sha512', 'sha3-256', 'blake2b512', 'blake3']) {
  const target = Buffer.alloc(64 * 16);
  const hmac = (key) => millrace.hmac(name, key, message(300), { target });
  measurements[`hmac ${name} 300 B, key`] = [32, bytes(32), hmac];
  const many = Array.from({ length: 16 }, () => message(100));
  const hmacMany = (key) => millrace.hmacMany(name, key, many, { target });
  measurements[`hmacMany ${name} 16 x 100 B, key`] = [32, bytes(32), hmacMany];
}
for (const encoding of ['hex', 'base64']) {
  const hmac = (key) => millrace.hmac('sha256', key, message(100), encoding);
  measurements[`hmac sha256 as ${encoding}, key`] = [32, bytes(32), hmac];
}

/** Returns a code that is wrong in its first byte, or in its last one. */
const wrongAt = (size) => (kind) => {
  const made = Buffer.alloc(size);
  made[kind === 0 ? 0 : size - 1] = 1;
  return made;
};
const zeros = Buffer.from(new ArrayBuffer(64));
const compareAll = (secret) => millrace.timingSafeEqual(secret, zeros);
measurements['timingSafeEqual 64 B, first or last byte'] = [64, wrongAt(64), compareAll];
const key = Buffer.alloc(32, 1);
const mac = millrace.hmac('sha256', key, message(64));
const wrongMac = (kind) => mac.map((byte, at) => byte ^ wrongAt(32)(kind)[at]);
const verify = (given) => millrace.verifyHmac('sha256', { key, source: message(64), mac: given });
measurements['verifyHmac 32 B, first or last byte'] = [32, wrongMac, verify];
const sealed = millrace.seal('aes-256-gcm', { key, nonce, source: message(64) });
const forged = (kind) =>
  Buffer.from(sealed.map((byte, at) => (at < 64 ? byte : byte ^ wrongAt(16)(kind)[at - 64])));
const refused = (source) => {
  try {
    millrace.open('aes-256-gcm', { key, nonce, source });
  } catch {
    return;
  }
  throw new Error('a forged message was opened');
};
measurements['open aes-256-gcm 64 B, first or last byte of the tag'] = [80, forged, refused];

const told = ({ t, difference, visible }) =>
  `|t| = ${Math.abs(t).toFixed(1)}, ${difference.toFixed(2)} ticks; ` +
  `${visible.toFixed(2)} ticks would be found`;

test('a comparison that ends early is found', { skip }, (t) => {
  const found = measure(64, wrongAt(64), (secret) => addon.equalUntil(secret, zeros));
  t.diagnostic(told(found));
  assert.ok(Math.abs(found.t) > LIMIT, told(found));
});

for (const [title, measurement] of Object.entries(measurements))
  test(title, { skip }, (t) => {
    let found = measure(...measurement);
    // A chance hit does not repeat.
    for (let again = 0; again < 2 && Math.abs(found.t) > LIMIT; again++)
      found = measure(...measurement);
    t.diagnostic(`${title}: ${told(found)}`);
    assert.ok(Math.abs(found.t) <= LIMIT, told(found));
    assert.ok(found.visible < Infinity, 'no difference would be found');
  });
