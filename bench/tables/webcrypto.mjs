// crypto.subtle of the platform beside millrace/webcrypto: single calls and 16 in flight, and jose
// under each.

import { stat } from 'node:fs/promises';
import { CompactEncrypt, CompactSign, compactDecrypt, compactVerify } from 'jose';

import { quantile } from '../../cli/bench/numbers.mjs';
import { bytes as label } from '../../cli/bench/report.mjs';

/** Long enough for many iterations of the event loop. */
export const settings = { rounds: 9, time: 60 };

const IN_FLIGHT = 16;
const theirs = globalThis.crypto.subtle;

export const load = async () => (await import('../../dist/compat/webcrypto.mjs')).subtle;

const bytes = (size) => Buffer.from(Array.from({ length: size }, (_, index) => index & 255));
const iv = bytes(12);
const raw = bytes(32);
const aes = { name: 'AES-GCM', iv };
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const derivation = { hash: 'SHA-256', salt: bytes(16), info: bytes(8), iterations: 100_000 };
const imported = (subtle, algorithm, ...usages) =>
  subtle.importKey('raw', raw, algorithm, false, usages);

/** Each makes a call for one implementation, for messages of several sizes. */
const sized = {
  'digest SHA-256': (subtle, data) => () => subtle.digest('SHA-256', data),
  'encrypt AES-GCM': async (subtle, data) => {
    const key = await imported(subtle, 'AES-GCM', 'encrypt');
    return () => subtle.encrypt(aes, key, data);
  },
  'sign HMAC': async (subtle, data) => {
    const key = await imported(subtle, HMAC, 'sign');
    return () => subtle.sign('HMAC', key, data);
  },
};

const derived = (name) => async (subtle) => {
  const key = await imported(subtle, name, 'deriveBits');
  return () => subtle.deriveBits({ ...derivation, name }, key, 256);
};

const calls = {
  'decrypt AES-GCM, 64 B': async (subtle) => {
    const key = await imported(subtle, 'AES-GCM', 'encrypt', 'decrypt');
    const sealed = Buffer.from(await subtle.encrypt(aes, key, bytes(64)));
    return () => subtle.decrypt(aes, key, sealed);
  },
  'deriveBits HKDF': derived('HKDF'),
  'deriveBits PBKDF2, 100,000': derived('PBKDF2'),
  'importKey and one encryption': (subtle) => async () =>
    subtle.encrypt(aes, await imported(subtle, 'AES-GCM', 'encrypt'), iv),
};

const key = new Uint8Array(raw);
const message = new TextEncoder().encode('{"sub":"1234567890","name":"a name"}');
const sign = () => new CompactSign(message).setProtectedHeader({ alg: 'HS256' }).sign(key);
const seal = (alg) =>
  new CompactEncrypt(message).setProtectedHeader({ alg, enc: 'A256GCM' }).encrypt(key);

/** Each makes a call of jose. */
const joseCalls = {
  'HS256 sign': () => sign,
  'HS256 verify': async () => {
    const signed = await sign();
    return () => compactVerify(signed, key);
  },
};
for (const alg of ['dir', 'A256GCMKW', 'A256KW']) {
  joseCalls[`${alg} A256GCM encrypt`] = () => () => seal(alg);
  joseCalls[`${alg} A256GCM decrypt`] = async () => {
    const sealed = await seal(alg);
    return () => compactDecrypt(sealed, key);
  };
}

export const rows = [
  ...[64, 4096, 2 ** 20].flatMap((size) =>
    Object.entries(sized).flatMap(([name, make]) => {
      const data = bytes(size);
      return beside(`${name}, ${label(size)}`, (subtle) => make(subtle, data));
    }),
  ),
  ...Object.entries(calls).flatMap(([name, make]) => beside(name, make)),
  ...Object.entries(joseCalls).flatMap(([name, make]) =>
    inBoth(`jose ${name}`, async (ours) => under(ours, await make())),
  ),
  {
    name: `fs.stat beside ${IN_FLIGHT} digests of 4 MiB, 99th percentile`,
    wait: 'promise',
    measure: 'returned',
    forms: (ours) => ({ millrace: () => statBeside(ours), WebCrypto: () => statBeside(theirs) }),
  },
];

function beside(name, make) {
  return inBoth(name, async (ours) => ({
    millrace: await make(ours),
    WebCrypto: await make(theirs),
  }));
}

/** Returns the rows of a call: one at a time, and several in flight. */
function inBoth(name, forms) {
  return [1, IN_FLIGHT].map((inFlight) => ({
    name: `${name}${inFlight === 1 ? '' : `, ${inFlight} in flight`}`,
    wait: 'promise',
    inFlight,
    forms,
  }));
}

/**
 * Returns a call under each implementation. Replaces the prototype's methods before each call, as
 * register-webcrypto does once: jose calls `crypto.subtle`.
 */
function under(ours, call) {
  const platform = Object.getPrototypeOf(theirs);
  const methods = Object.keys(ours).map((name) => [name, platform[name], ours[name].bind(ours)]);
  const replaced = (own) => () => {
    for (const [name, original, replacement] of methods)
      platform[name] = own ? replacement : original;
    // Encryption is random: there is nothing to compare.
    return call().then(() => true);
  };
  return { millrace: replaced(true), WebCrypto: replaced(false) };
}

/** Returns seconds: what `fs.stat` takes while digests are computed. */
async function statBeside(subtle) {
  const large = bytes(2 ** 22);
  const delays = [];
  let over = false;
  const digests = Array.from({ length: IN_FLIGHT }, async () => {
    for (let index = 0; index < 4; index++) await subtle.digest('SHA-256', large);
  });
  const all = Promise.all(digests).then(() => (over = true));
  while (!over) {
    const start = performance.now();
    await stat('.');
    delays.push((performance.now() - start) / 1000);
  }
  await all;
  return quantile(delays, 0.99);
}
