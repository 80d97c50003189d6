// Calls of every entry point while Object.prototype has a getter for each name: what Millrace reads
// of it; and with fewer arguments than they need, while Object.prototype has the others. Programs of
// pollution.test.mjs.

import { types } from 'node:util';

import millrace from 'millrace';
import age from 'millrace/age';
import bigintHash from 'millrace/bigint-hash';
import cryptoAsync from 'millrace/crypto-async';
import ethers from 'millrace/ethers';
import javascript from 'millrace/javascript';
import nobleCiphers from 'millrace/noble-ciphers';
import nobleHashes from 'millrace/noble-hashes';
import nodeCrypto from 'millrace/node-crypto';
import portable from 'millrace/portable';
import promises from 'millrace/promises';
import webcrypto from 'millrace/webcrypto';

import { calls as subtleCalls } from '../compat/subtle-calls.mjs';
import { hooksOf, isOptions } from '../support/calls.mjs';
import { entryPaths } from '../support/child.mjs';
import { callsOf, isFailure, shown } from './pollution.mjs';

const bytes = (size) => Buffer.alloc(size, 7);
const part = bytes(20);

/** Arguments for functions of any shape. Most calls fail, which must not read more either. */
const lists = () => [
  [],
  [bytes(32)],
  ['text', 'hex'],
  [['text', bytes(9)], 'hex'],
  [bytes(32), { outputLength: 9, dkLen: 9 }],
  [bytes(32), { key: bytes(32) }],
  [bytes(32), bytes(32)],
  [bytes(32), bytes(32), bytes(16)],
  [bytes(32), bytes(12)],
  [bytes(32), bytes(16)],
  [bytes(32), bytes(24), bytes(5)],
  [bytes(32), bytes(64), { dkLen: 9 }],
  [portable.sha256, bytes(32), bytes(9), bytes(9), 32],
  [portable.sha256, bytes(32), bytes(16), 2, 32],
  [{ key: bytes(32), nonce: bytes(12), source: bytes(9) }],
  ['argon2id', { message: bytes(9), nonce: bytes(16), parallelism: 1, memory: 64, passes: 1 }],
];

/** Arguments for functions of node:crypto and of the packages whose shape Millrace has. */
const named = {
  argon2Sync: [
    [
      'argon2id',
      { message: 'x', nonce: bytes(16), parallelism: 1, tagLength: 9, memory: 64, passes: 1 },
    ],
  ],
  cipher: [0, 1].map((encrypt) => ['aes-256-ctr', encrypt, bytes(32), bytes(16), bytes(64)]),
  createCipheriv: [16, 24, 32].flatMap((size) => [
    [`aes-${size * 8}-gcm`, bytes(size), bytes(12)],
    [`aes-${size * 8}-gcm`, bytes(size), bytes(40), { authTagLength: 12 }],
    [`aes-${size * 8}-ctr`, bytes(size), bytes(16)],
  ]),
  createDecipheriv: [['chacha20', bytes(32), bytes(16)]],
  createHash: [['sha256'], ['shake128', { outputLength: 5 }]],
  createHmac: [['sha256', 'key']],
  getHasher: ['md5', 'sha256', 'blake3', 'xxHash64', 'sha3-256'].map((name) => [name]),
  hash: [['sha256', bytes(9)]],
  hashAsBigInt: [['sha256', bytes(9)]],
  hashAsBuffer: [['blake3', bytes(9)]],
  hkdf: [
    ['sha256', 'key', 'salt', 'info', 32],
    ['sha256', 'key', 'salt', 'info', 32, () => {}],
  ],
  hkdfSync: [['sha256', 'key', 'salt', 'info', 32]],
  hmac: [['sha256', bytes(9), bytes(9)]],
  pbkdf2Sync: [['x', 'salt', 2, 32, 'sha256']],
  scrypt: [
    ['x', 'salt', 32],
    ['x', 'salt', 32, () => {}],
    ['x', 'salt', 32, { N: 16 }, () => {}],
  ],
  scryptSync: [
    ['x', 'salt', 32],
    ['x', 'salt', 32, { N: 16, r: 1, p: 1 }],
  ],
};

/** Returns arguments for a function of millrace/age. */
function ageCalls(name) {
  const identities = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX';
  const recipients = 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj';
  const file = Buffer.from(
    `age-encryption.org/v1\n-> X25519 ${'B'.repeat(42)}A\n${'A'.repeat(43)}\n` +
      `--- ${'A'.repeat(43)}\n${'x'.repeat(64)}`,
  );
  const secrets = [{ identities }, { passphrase: 'x' }];
  const all = [
    { recipients, armor: true },
    { passphrase: 'x', workFactor: 1 },
  ];
  if (name === 'generateIdentity') return [[]];
  if (name === 'identityToRecipient') return [[identities]];
  if (name === 'decryptRange') return secrets.map((each) => [() => file, { ...each, end: 9 }]);
  const options = name.startsWith('encrypt') ? all : secrets;
  if (name.includes('Stream')) return options.map((each) => [each]);
  return options.map((each) => [file, each]);
}

/** Returns cheap arguments for a derivation, of noble's shape and of millrace/portable. */
function derivations(name) {
  const [message, nonce] = [bytes(9), bytes(16)];
  const cost = { memory: 64, passes: 1, parallelism: 1, tagLength: 9 };
  if (name.startsWith('argon2'))
    return [
      [message, nonce, { t: 1, m: 64, p: 1 }],
      ['argon2id', { message, nonce, ...cost }],
    ];
  if (name.startsWith('scrypt'))
    return [
      [message, nonce, { N: 16, r: 1, p: 1 }],
      [message, nonce, 32, { N: 16 }],
    ];
  if (!name.startsWith('pbkdf2')) return undefined;
  return [
    [nobleHashes.v2.sha2.sha256, message, nonce, { c: 2 }],
    [message, nonce, 2, 32, portable.sha256],
    [portable.sha256, message, nonce, 2, 32],
  ];
}

/** Yields the functions of an object and of its objects. */
function* functionsIn(module, path, depth = 3) {
  for (const [name, value] of Object.entries(module))
    if (types.isProxy(value))
      continue; // What Millrace lends of noble.
    else if (typeof value === 'function') yield [`${path}.${name}`, name, value];
    else if (depth > 0 && typeof value === 'object' && value !== null)
      yield* functionsIn(value, `${path}.${name}`, depth - 1);
}

/** Calls what a result has: the methods of hashes and ciphers. Returns a promise as it is. */
function use(result) {
  if (result instanceof Promise) return result;
  if (typeof result !== 'object' || result === null || ArrayBuffer.isView(result)) return;
  for (const name of ['setAAD', 'update', 'encrypt', 'decrypt', 'clone', 'digest', 'final'])
    if (typeof result[name] === 'function')
      for (const given of [[part], []])
        try {
          result[name](...given);
        } catch {
          // Without or with arguments, one of both is invalid.
        }
}

function* shapes() {
  const modules = {
    age,
    bigintHash,
    cryptoAsync,
    ethers: { register: ethers.register, ...hooksOf(ethers) },
    javascript,
    millrace,
    nobleCiphers,
    nobleHashes,
    nodeCrypto,
    portable,
    promises,
  };
  for (const [path, module] of Object.entries(modules))
    for (const [label, name, function_] of functionsIn(module, path)) {
      const ours = path !== 'nodeCrypto' || Object.hasOwn(named, name);
      if (!ours || /^(useNoble|configure)$|Passphrase$/.test(name)) continue;
      const own = path === 'age' ? ageCalls(name) : (named[name] ?? derivations(name));
      for (const given of own ?? lists())
        for (const call of [function_, function_.create].filter(Boolean))
          yield { name: label, args: () => given, call: (args) => use(call(...args)) };
    }
}

/** Returns calls with an option that does not exist; what words their errors inherits nothing. */
function refusedCalls() {
  return callsOf()
    .filter(({ args }) => args().some(isOptions))
    .map(({ name, args, call }) => ({
      name: `${name}, with an unknown option`,
      args: () => args().map((each) => (isOptions(each) ? { ...each, nonsense: 1 } : each)),
      call,
    }));
}

/** Resolves to the calls of SubtleCrypto. */
async function callsOfSubtle() {
  const { subtle } = webcrypto;
  const found = [];
  for (const [method, all] of Object.entries(subtleCalls))
    for (const [label, prepare] of all())
      try {
        const { given } = await prepare(subtle);
        const name = `subtle.${method} ${label}`;
        found.push({ name, args: given, call: (args) => subtle[method](...args) });
      } catch {
        // This version of Node.js lacks the algorithm.
      }
  return found;
}

/** Returns the first call of each name with fewer arguments: none, then one, and so on. */
function withFewer(calls) {
  const first = new Map(calls.map((call) => [call.name, call]).reverse());
  return [...first.values()].flatMap(({ name, args, call }) =>
    args()
      // Without a cost, noble's Argon2 takes 20 seconds.
      .slice(/^noble.*argon2/.test(name) ? 1 : 0)
      .map((_, count) => ({
        name: `${name}, with ${count} arguments`,
        all: args,
        args: () => args().slice(0, count),
        call,
      })),
  );
}

async function allCalls() {
  return [...callsOf(), ...shapes(), ...(await callsOfSubtle())];
}

/** Notes what belongs to the caller: its values may inherit. */
function noteAll(value, mine) {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
  if (mine.has(value)) return;
  mine.add(value);
  if (!ArrayBuffer.isView(value)) for (const each of Object.values(value)) noteAll(each, mine);
}

/** Prints the reads that reach Object.prototype: of which name, of what and where. */
export async function watch({ engine, names }) {
  millrace.configure({ engine });
  const all = await allCalls();
  const calls = [...all, ...refusedCalls(), ...withFewer(all)];
  const given = calls.map(({ args }) => args());
  const mine = new WeakSet();
  noteAll([part, given], mine);
  const found = new Map();
  const folder = entryPaths.millrace.replace(/[^/\\]*$/, '');
  let asking = false;
  const note = (name, receiver) => {
    if (asking || Object(receiver) !== receiver || mine.has(receiver)) return;
    asking = true;
    const { stack } = new Error('a read');
    asking = false;
    const [, , , line] = stack.split('\n');
    if (!line?.includes(folder)) return;
    // These functions ask what Object.prototype has.
    if (/at (bare|featureOf) \(/.test(line)) return line.includes('bare') || undefined;
    const place = line.slice(line.indexOf(folder) + folder.length).replace(/\)$/, '');
    found.set(`${name} at ${place}`, true);
  };
  for (const name of names)
    Object.defineProperty(Object.prototype, name, {
      __proto__: null,
      configurable: true,
      get() {
        return note(name, this);
      },
      set(value) {
        const own = {
          __proto__: null,
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        };
        Object.defineProperty(this, name, own);
      },
    });
  let succeeded = 0;
  for (let index = 0; index < calls.length; index++) {
    let timer;
    const late = Symbol('late');
    const end = new Promise((resolve) => (timer = setTimeout(resolve, 2000, late)));
    try {
      const result = await Promise.race([calls[index].call(given[index]), end]);
      if (result === late) found.set(`${calls[index].name} does not settle`, true);
      succeeded += 1;
    } catch {
      // Other tests look at errors.
    }
    clearTimeout(timer);
  }
  for (const name of names) delete Object.prototype[name];
  console.log(JSON.stringify({ found: [...found.keys()], succeeded }));
  process.exit();
}

/** The result of a call, a symbol if it takes longer than 2 s. */
const late = Symbol('late');

/** Resolves to the result of a call as text, for which Object.prototype has these elements. */
async function resultWith(call, given, inherited) {
  let result;
  let timer;
  Object.assign(Object.prototype, inherited);
  try {
    result = call(given);
  } catch (error) {
    result = error;
  }
  for (const index of Object.keys(inherited)) delete Object.prototype[index];
  const end = new Promise((resolve) => (timer = setTimeout(resolve, 2000, late)));
  result = await Promise.race([result, end]).catch((error) => error);
  clearTimeout(timer);
  return shown(result);
}

/**
 * Makes each call with fewer arguments than it needs while Object.prototype has the others at their
 * indexes, and functions up to 39. Prints the calls with another result than without them.
 */
export async function callWithFewer({ engine }) {
  millrace.configure({ engine });
  process.on('unhandledRejection', () => {});
  const wrong = [];
  const calls = withFewer(await allCalls());
  for (const { name, all, args, call } of calls) {
    const inherited = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [index, all()[index] ?? (() => {})]),
    );
    const expected = await resultWith(call, args(), {});
    const found = await resultWith(call, args(), inherited);
    if (found === expected) continue;
    // Some results are random.
    const random = (await resultWith(call, args(), {})) !== expected;
    if (!random || isFailure(found) !== isFailure(expected))
      wrong.push(`${name}: ${found.slice(0, 200)} instead of ${expected.slice(0, 200)}`);
  }
  console.log(JSON.stringify({ wrong, count: calls.length }));
  process.exit();
}
