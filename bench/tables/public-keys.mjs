// Public keys: single calls with prepared keys and with PEM text beside node:crypto, noble and
// sodium-native; verifyMany beside loops; jose and jsonwebtoken under millrace/register beside
// themselves without it; and how long `fs.stat` and the event loop wait for calls in flight.

import crypto from 'node:crypto';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setImmediate as iteration, setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

import { quantile, uncoordinated } from '../../cli/bench/numbers.mjs';
import { load as importPackage, requirePackage } from '../../cli/bench/packages.mjs';
import { runningTime } from '../../cli/bench/usage.mjs';

export const settings = { rounds: 51, time: 5 };

const IN_FLIGHT = 16;
const MANY = 1000;
const require = createRequire(new URL('../../package.json', import.meta.url));

/** Returns the libraries; empty objects for those that are not installed. */
export async function load() {
  const present = async (name, find) => Object(await find(name).catch(() => undefined));
  const noble = {};
  for (const name of [
    'curves/ed25519',
    'curves/nist',
    'post-quantum/ml-kem',
    'post-quantum/ml-dsa',
  ])
    Object.assign(noble, await present(`@noble/${name}.js`, importPackage));
  return {
    millrace: require('millrace'),
    promises: { ...require('millrace'), ...require('millrace/promises') },
    noble,
    sodium: await present('sodium-native', async (name) => requirePackage(name)),
  };
}

const message = Buffer.from('A message of 64 bytes, as short as most that are signed.'.padEnd(64));
const seeded = (head, size) => {
  const seed = crypto.randomBytes(size);
  return { seed, der: Buffer.concat([Buffer.from(head, 'hex'), seed]) };
};
const generated = (type, options) => {
  const { privateKey } = /** @type {any} */ (crypto).generateKeyPairSync(type, options);
  const { d } = privateKey.export({ format: 'jwk' });
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  return { seed: Buffer.from(d, 'base64url'), der, hash: 'sha256' };
};
const RSA = { modulusLength: 2048 };
/**
 * Keys as PKCS#8. Some are written by hand, because Node.js 20 cannot generate all.
 *
 * @type {Record<string, { seed: Buffer, der: Buffer, hash?: string }>}
 */
const keys = {
  Ed25519: seeded('302e020100300506032b657004220420', 32),
  'P-256': generated('ec', { namedCurve: 'P-256' }),
  'RSA-2048': generated('rsa', RSA),
  'ML-DSA-65': seeded('3034020100300b060960864801650304031204228020', 32),
  'ML-KEM-768': seeded('3054020100300b060960864801650304040204428040', 64),
  X25519: seeded('302e020100300506032b656e04220420', 32),
};

/** Returns a pair of keys of `lib`, Millrace or node:crypto; undefined if it has no such keys. */
function pairOf(lib, name) {
  try {
    const secret = lib.createPrivateKey({ key: keys[name].der, format: 'der', type: 'pkcs8' });
    return { secret, key: lib.createPublicKey(secret) };
  } catch (error) {
    if (lib.createPrivateKey !== crypto.createPrivateKey) throw error;
  }
}
const rawPublic = (name) =>
  pairOf(crypto, name).key.export({ format: 'der', type: 'spki' }).subarray(-32);

/**
 * Operations in pairs: `second` takes what `first` returns, or its part that is sent, and returns
 * the `answer`. `like` makes both for Millrace or node:crypto, with synchronous calls or with
 * promises; `others` for other libraries.
 */
const signature = (name, noble, sodium = (_library) => undefined) => ({
  names: ['sign', 'verify'].map((operation) => `${name} ${operation}`),
  answer: () => true,
  like(lib, { secret, key }, { hash } = keys[name]) {
    const first = () => lib.sign(hash, message, secret);
    return { first, second: (signed) => () => lib.verify(hash, message, key, signed) };
  },
  others: (libraries) => ({
    noble: noble(libraries.noble),
    'sodium-native': sodium(libraries.sodium),
  }),
});
function ofNoble(lib, secret, options) {
  const key = lib.getPublicKey(secret);
  const first = () => lib.sign(message, secret, options);
  return { first, second: (signed) => () => lib.verify(signed, message, key, options) };
}
/** Returns a call that writes the result to a Buffer of so many bytes. */
const ofSodium = (size, call, ...given) => {
  return () => {
    const result = Buffer.allocUnsafe(size);
    call(result, ...given);
    return result;
  };
};
const agreeing = (first) => first && { first, second: () => first };
/** @type {Record<string, any>} */
const schemes = {
  Ed25519: signature(
    'Ed25519',
    ({ ed25519 }) => ed25519 && ofNoble(ed25519, keys.Ed25519.seed),
    ({ crypto_sign_detached: sign, crypto_sign_verify_detached: verify }) => {
      const key = rawPublic('Ed25519');
      const first = ofSodium(64, sign, message, Buffer.concat([keys.Ed25519.seed, key]));
      return sign && { first, second: (signed) => () => verify(signed, message, key) };
    },
  ),
  'P-256': signature(
    'P-256',
    ({ p256 }) => p256 && ofNoble(p256, keys['P-256'].seed, { format: 'der', lowS: false }),
  ),
  'RSA-2048': signature('RSA-2048', () => undefined),
  'ML-DSA-65': signature(
    'ML-DSA-65',
    ({ ml_dsa65: dsa }) => dsa && ofNoble(dsa, dsa.keygen(keys['ML-DSA-65'].seed).secretKey),
  ),
  'ML-KEM-768': {
    names: ['ML-KEM-768 encapsulate', 'ML-KEM-768 decapsulate'],
    sent: (result) => result.ciphertext ?? result.cipherText,
    answer: (result) => result.sharedKey ?? result.sharedSecret,
    like(lib, { secret, key }) {
      const first = () => lib.encapsulate(key);
      return { first, second: (sent) => () => lib.decapsulate(secret, sent) };
    },
    others({ noble: { ml_kem768: kem } }) {
      const { publicKey, secretKey } = Object(kem?.keygen(keys['ML-KEM-768'].seed));
      const first = () => kem.encapsulate(publicKey);
      return { noble: kem && { first, second: (sent) => () => kem.decapsulate(sent, secretKey) } };
    },
  },
  X25519: {
    names: ['X25519'],
    answer: (secret) => secret,
    like: (lib, { secret: privateKey, key: publicKey }) =>
      agreeing(lib.diffieHellman && (() => lib.diffieHellman({ privateKey, publicKey }))),
    others({ noble: { x25519 }, sodium: { crypto_scalarmult: multiply } }) {
      const [{ seed }, key] = [keys.X25519, rawPublic('X25519')];
      return {
        noble: x25519 && agreeing(() => x25519.getSharedSecret(seed, key)),
        'sodium-native': multiply && agreeing(ofSodium(32, multiply, seed, key)),
      };
    },
  },
};

const same = (one, other) =>
  one === other || (typeof one === 'object' && Buffer.compare(one, other) === 0);
/** Changes the values of an object that are not undefined. */
const mapped = (object, change) =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (value ? [[name, change(value)]] : [])),
  );
function check(right, what) {
  if (!right) throw new Error(`wrong result: ${what}`);
}

/** Returns false for another library that throws: Node.js 22 reads ML-DSA keys, but cannot sign. */
function able([name, { first, second }], sent) {
  try {
    second(sent(first()))();
  } catch (error) {
    if (name === 'millrace') throw error;
    return false;
  }
  return true;
}

/**
 * Returns the calls of an operation, after each library has opened what each has made, and not what
 * was damaged.
 */
function checked(name, operation, forms) {
  const { names, answer, sent = (result) => result } = schemes[name];
  const given = Object.entries(mapped(forms, (form) => form));
  const all = Object.fromEntries(given.filter((each) => able(each, sent)));
  for (const [by, { first }] of Object.entries(all)) {
    const result = first();
    const damaged = Buffer.from(sent(result));
    damaged[damaged.length - 1] ^= 1;
    for (const [to, { second }] of Object.entries(all)) {
      check(same(second(sent(result))(), answer(result)), `${name}, ${by} to ${to}`);
      if (names.length > 1)
        check(!same(second(damaged)(), answer(result)), `${name}, damaged, ${by} to ${to}`);
    }
  }
  const made = sent(all.millrace.first());
  return mapped(all, ({ first, second }) => (operation === 0 ? first : second(made)));
}

/** A row whose forms have been verified: their results need not be equal. */
const row = (name, forms, more = {}) => {
  const shared = { wait: 'sync', verified: true, medians: true, wanted: 'node:crypto' };
  return { name, ...shared, forms, ...more };
};
const schemeRows = Object.entries(schemes).flatMap(([name, { names, like, others }]) =>
  names.map((title, operation) =>
    row(title, (libraries) => {
      const [ours, theirs] = [libraries.millrace, crypto].map((lib) => [lib, pairOf(lib, name)]);
      const node = theirs[1] && like(...theirs);
      const forms = { millrace: like(...ours), 'node:crypto': node, ...others(libraries) };
      return checked(name, operation, forms);
    }),
  ),
);

function pemOf(name) {
  const { secret, key } = pairOf(crypto, name);
  const text = secret.export({ format: 'pem', type: 'pkcs8' });
  return { secret: text, key: key.export({ format: 'pem', type: 'spki' }) };
}
const pemRows = ['Ed25519', 'P-256', 'RSA-2048'].map((name) =>
  row(`${name} sign, PEM text at each call`, ({ millrace }) => {
    const both = { millrace, 'node:crypto': crypto };
    const forms = mapped(both, (lib) => schemes[name].like(lib, pemOf(name)));
    return checked(name, 0, forms);
  }),
);

const many = row(
  `verifyMany of ${MANY} Ed25519 signatures, beside loops of verify`,
  async ({ millrace, promises, sodium }) => {
    const [ours, theirs] = [millrace, crypto].map((lib) => pairOf(lib, 'Ed25519'));
    const raw = rawPublic('Ed25519');
    const items = Array.from({ length: MANY }, () => {
      const data = crypto.randomBytes(64);
      return { key: ours.key, data, signature: crypto.sign(null, data, theirs.secret) };
    });
    const [messages, signers, signatures] = ['data', 'key', 'signature'].map((name) =>
      items.map((item) => item[name]),
    );
    const loop = (verify) => async () => items.map((item) => verify(item));
    const { crypto_sign_verify_detached: verify } = sodium;
    const all = {
      millrace: () => promises.verifyMany(null, messages, signers, signatures),
      loop: loop(({ data, key, signature }) => millrace.verify(null, data, key, signature)),
      'node:crypto': loop((item) => crypto.verify(null, item.data, theirs.key, item.signature)),
      'sodium-native': verify && loop(({ data, signature }) => verify(signature, data, raw)),
    };
    items[7].signature[0] ^= 1;
    for (const [name, call] of Object.entries(mapped(all, (form) => form)))
      check(
        (await call()).every((right, at) => right === (at !== 7)),
        name,
      );
    items[7].signature[0] ^= 1;
    return all;
  },
  { wait: 'promise', per: MANY },
);

// Tokens: the libraries are loaded twice, before and after Millrace takes the places of functions
// of node:crypto and WebCrypto. Those of a form are put there before its turn.

const subtle = Object.getPrototypeOf(globalThis.crypto.subtle);
function functionsOf(object) {
  const all = Object.entries(Object.getOwnPropertyDescriptors(object));
  const functions = all.filter(([, each]) => each.writable && typeof each.value === 'function');
  return Object.fromEntries(functions.map(([name, { value }]) => [name, value]));
}

function places() {
  const state = () => ({
    jose5: requirePackage('jose5'),
    jsonwebtoken: requirePackage('jsonwebtoken'),
    functions: [functionsOf(crypto), functionsOf(subtle)],
  });
  const theirs = state();
  for (const path of Object.keys(require.cache))
    if (/node_modules.(jose5|jsonwebtoken|jws|jwa)\b/.test(path)) delete require.cache[path];
  require('millrace/register');
  require('millrace/register-webcrypto');
  const ours = state();
  let current = ours;
  function enter(form) {
    if (current === form) return;
    // The first call of a function has put others there.
    current.functions = state().functions;
    current = form;
    Object.assign(crypto, form.functions[0]);
    Object.assign(subtle, form.functions[1]);
  }
  return { forms: { millrace: ours, 'without register': theirs }, enter };
}

const claims = { sub: '1234567890', name: 'a name', admin: true };
async function ofJose(jose, alg, pem) {
  // Keys that cannot be extracted remain with the platform.
  const secret = await jose.importPKCS8(pem.secret, alg, { extractable: true });
  const key = await jose.importSPKI(pem.key, alg, { extractable: true });
  return {
    first: () => new jose.SignJWT(claims).setProtectedHeader({ alg }).sign(secret),
    second: (token) => async () => (await jose.jwtVerify(token, key)).payload.sub,
  };
}
const tokenLibraries = {
  'jose 6': async (_form, alg, pem) => ofJose(await import('jose'), alg, pem),
  'jose 5': ({ jose5 }, alg, pem) => ofJose(jose5, alg, pem),
  jsonwebtoken: ({ jsonwebtoken }, algorithm, { secret, key }) => ({
    first: async () => jsonwebtoken.sign(claims, secret, { algorithm }),
    second: (token) => async () => jsonwebtoken.verify(token, key).sub,
  }),
};
const tokenRows = Object.entries(tokenLibraries).flatMap(([library, make]) =>
  Object.entries({ ES256: 'P-256', EdDSA: 'Ed25519', RS256: 'RSA-2048' })
    .filter(([alg]) => library !== 'jsonwebtoken' || alg !== 'EdDSA')
    .flatMap(([alg, name]) =>
      ['sign', 'verify'].flatMap((operation) =>
        ['', `, ${IN_FLIGHT} in flight`].map((end) =>
          row(
            `${library}, ${alg} ${operation}${end}`,
            () => tokenForms(operation, (form) => make(form, alg, pemOf(name))),
            {
              wait: 'promise',
              inFlight: end === '' ? 1 : IN_FLIGHT,
              flight: 10,
              wanted: 'without register',
            },
          ),
        ),
      ),
    ),
);

async function tokenForms(operation, make) {
  const { forms, enter } = places();
  const all = [];
  for (const [name, form] of Object.entries(forms)) {
    enter(form);
    const calls = await make(form);
    all.push({ name, ...calls, beforeTurn: () => enter(form), token: await calls.first() });
  }
  const other = Buffer.from('{"sub":"another"}').toString('base64url');
  for (const { name, second, beforeTurn } of all) {
    beforeTurn();
    for (const { token } of all) {
      check((await second(token)()) === claims.sub, name);
      const refused = await second(token.replace(/\.[^.]*/, `.${other}`))().catch((error) => error);
      check(refused instanceof Error, `${name}, other claims`);
    }
  }
  const call = ({ first, second }) => (operation === 'sign' ? first : second(all[0].token));
  return Object.fromEntries(
    all.map((each) => [each.name, Object.assign(call(each), { beforeTurn: each.beforeTurn })]),
  );
}

// What else waits while calls are in flight.

const { createPrivateKey, createPublicKey } = crypto;
const inNode = { createPrivateKey, createPublicKey };
for (const name of ['sign', 'verify', 'encapsulate', 'decapsulate', 'generateKeyPair'])
  if (crypto[name]) inNode[name] = promisify(crypto[name]);
// Older ones have no callback.
if (crypto.diffieHellman.length > 1) inNode.diffieHellman = promisify(crypto.diffieHellman);

/** Each makes calls that return promises; none if `lib` lacks them. */
const jobs = {
  nothing: (lib) => lib !== inNode && (() => pause(1)),
  'RSA-2048 key generation': (lib) => () => lib.generateKeyPair('rsa', RSA),
};
for (const [name, { names, like, sent = (result) => result }] of Object.entries(schemes))
  for (const [operation, title] of names.entries())
    jobs[title] = async (lib) => {
      const pair = pairOf(lib, name);
      const calls = pair && like(lib, pair);
      return operation === 0 ? calls?.first : calls?.second(sent(await calls.first()));
    };

async function statTimes(running) {
  const times = [];
  while (running()) {
    const start = performance.now();
    await stat('.');
    times.push(performance.now() - start);
    await pause(1);
  }
  return quantile(uncoordinated(times, 1), 0.99);
}

async function longestIteration(running) {
  let longest = 0;
  for (let start = runningTime(); running();) {
    await iteration();
    const end = runningTime();
    longest = Math.max(longest, end - start);
    start = end;
  }
  return longest;
}

async function beside(call, time, probe) {
  // The warm-up is longer than a turn.
  const end = performance.now() + Math.min(50 * time, 250);
  let running = IN_FLIGHT;
  const result = probe(() => running > 0);
  const chain = async () => {
    while (performance.now() < end) await call();
    running--;
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, chain));
  return (await result) / 1000;
}

const waitRows = Object.entries({
  'fs.stat, 99th percentile': statTimes,
  'the event loop held': longestIteration,
}).flatMap(([what, probe]) =>
  Object.entries(jobs).map(([name, job]) =>
    row(
      `${what}, beside ${IN_FLIGHT} of ${name}`,
      async ({ promises }) => {
        const theirs = await Promise.resolve(job(inNode)).catch(() => undefined);
        const calls = { millrace: await job(promises), 'node:crypto': theirs };
        return mapped(calls, (call) => (time) => beside(call, time, probe));
      },
      {
        wait: 'promise',
        measure: 'returned',
        rounds: name.endsWith('generation') ? 3 : 9,
        wanted: name === 'nothing' ? undefined : 'node:crypto',
      },
    ),
  ),
);

export const rows = [...schemeRows, ...pemRows, many, ...tokenRows, ...waitRows];
