// Key derivation: one by itself, several that may share lanes, password hashes; and how much memory
// all may take.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { ABORTED, drawManner, perform } from '../manner.mjs';

const MiB = 2 ** 20;

const kinds = {
  scrypt(rng, { password, salt, size }) {
    const [N, r] = [2 ** rng.between(1, 12), rng.pick([1, 2, 8, 8, 8, 11])];
    const options = { N, r, p: rng.pick([1, 1, 1, 2, 5]) };
    return {
      args: [password, salt, size, options],
      oracle: () => crypto.scryptSync(password, salt, size, { ...options, maxmem: 64 * MiB }),
    };
  },
  pbkdf2(rng, { password, salt, size }) {
    const iterations = Math.floor(2 ** (rng.below(120) / 10));
    const digest = rng.pick(['sha1', 'sha256', 'sha256', 'sha512', 'sha512', 'md5', 'sha3-256']);
    const args = [password, salt, iterations, size, digest];
    return { args, oracle: () => crypto.pbkdf2Sync(...args) };
  },
  hkdf(rng, { password, salt, size }) {
    const [digest, info] = [rng.pick(['sha1', 'sha256', 'sha512']), rng.bytes(rng.below(100))];
    // node:crypto takes no key of no bytes everywhere.
    const secret = password.length > 0 ? password : Buffer.alloc(1);
    const args = [digest, secret, salt, info, size];
    return { args, oracle: () => Buffer.from(crypto.hkdfSync(...args)) };
  },
  argon2(rng, { password, salt, size }) {
    const parallelism = rng.pick([1, 1, 2, 4]);
    const parameters = {
      message: password,
      nonce: Buffer.concat([salt, Buffer.alloc(8)]),
      parallelism,
      memory: 8 * parallelism + rng.below(rng.pick([64, 2048, 8192])),
      passes: rng.between(1, 3),
      tagLength: Math.max(4, size),
    };
    const args = [rng.pick(['argon2d', 'argon2i', 'argon2id']), parameters];
    // Others are too slow to oracle; alone and in one piece it is held against them elsewhere
    // (test/kdf).
    return { args, oracle: () => millrace.argon2(...args) };
  },
};

/** Options of a call go into the last argument of Argon2, and behind those of PBKDF2 and HKDF. */
function withOptions(kind, args, options) {
  if (Object.keys(options).length === 0) return args;
  if (kind === 'pbkdf2' || kind === 'hkdf') return [...args, options];
  return [...args.slice(0, -1), { ...args.at(-1), ...options }];
}

/**
 * Returns a step: one derivation in any call style. Its inputs are overwritten when the call has
 * returned.
 */
export function derivation(rng, workspace) {
  const kind = rng.pick(Object.keys(kinds));
  const password = Buffer.from(workspace.source(rng, rng.below(200)));
  const salt = rng.bytes(rng.below(60));
  const size = rng.chance(0.1) ? rng.between(1, 2000) : rng.between(1, 64);
  const { args, oracle } = kinds[kind](rng, { password, salt, size });
  const waiting = rng.pick(['sync', 'callback', 'promise', 'promise']);
  const manner = drawManner(rng, waiting, { routed: false });
  const watched = waiting !== 'sync' && rng.chance(0.3);
  const what =
    `${kind} of ${password.length} bytes, ${manner.told}` + `${watched ? ', watched' : ''}`;
  return {
    what,
    bytes: 10 * MiB,
    async run() {
      const right = oracle();
      const fractions = [];
      const progress = watched && { onProgress: ({ fraction }) => fractions.push(fraction) };
      const derived = await perform(manner, what, (options) => {
        const called = withOptions(kind, args, { ...options, ...progress });
        const settled = workspace.ledger.send(manner, kind, called, what);
        if (waiting !== 'sync') for (const secret of [password, salt]) secret.fill(0xee);
        return settled;
      });
      if (derived === ABORTED) return;
      assert.ok(derived.equals(right), `${what}: wrong key`);
      if (watched)
        assert.ok(
          fractions.at(-1) === 1 &&
            fractions.every((each, index) => index === 0 || each > fractions[index - 1]),
          `${what}: progress ${fractions}`,
        );
      workspace.retained.keep(what, derived);
    },
  };
}

/**
 * Returns a step: many scrypts or PBKDF2s of one cost in one turn, which run in lanes, some of them
 * cancelled.
 */
export function derivations(rng) {
  const kind = rng.pick(['scrypt', 'scrypt', 'pbkdf2']);
  const cost =
    kind === 'scrypt'
      ? [32, { N: 2 ** rng.between(4, 11), r: 8, p: 1 }]
      : [rng.between(1, 800), 32, rng.pick(['sha256', 'sha512'])];
  const jobs = Array.from({ length: rng.between(2, 24) }, () => ({
    args: [rng.bytes(rng.below(40)), rng.bytes(16), ...cost],
    manner: drawManner(rng, 'promise', { routed: false, aborts: 0.2 }),
  }));
  const aborted = jobs.filter(({ manner }) => manner.abort !== undefined).length;
  const what = `${jobs.length} of ${kind} at once, ${aborted} of them aborted`;
  return {
    what,
    bytes: 40 * MiB,
    async run() {
      const settled = jobs.map(async ({ args, manner }, index) => {
        const key = await perform(manner, what, (options) =>
          promises[kind](...withOptions(kind, args, options)),
        );
        if (key !== ABORTED)
          assert.ok(key.equals(crypto[`${kind}Sync`](...args)), `${what}: wrong key ${index}`);
      });
      await Promise.all(settled);
    },
  };
}

/**
 * Returns a step: a password that is hashed and verified: the right one, another one, and a damaged
 * hash.
 */
export function password(rng, workspace) {
  const options = rng.pick([
    { memory: 64, passes: 1 },
    { algorithm: 'argon2i', memory: 256, passes: 2, parallelism: 2 },
    { algorithm: 'scrypt', N: 256, r: 8, p: 1 },
  ]);
  const [secret, other] = [workspace.source(rng, rng.below(100)), Buffer.from(`not ${rng.word()}`)];
  const waiting = rng.pick(['sync', 'promise']);
  const what = `password hash by ${options.algorithm ?? 'argon2id'}, ${waiting}`;
  return {
    what,
    bytes: MiB,
    async run() {
      const entryPoint = waiting === 'sync' ? millrace : promises;
      const hash = await entryPoint.hashPassword(secret, options);
      assert.equal(await entryPoint.verifyPassword(secret, hash), true, `${what}: ${hash}`);
      assert.equal(
        await entryPoint.verifyPassword(other, hash),
        false,
        `${what}: another password, ${hash}`,
      );
      assert.throws(() => millrace.verifyPassword(secret, hash.replace('$', '%')), {
        code: 'ERR_PASSWORD_HASH',
      });
      assert.equal(millrace.needsRehash(hash, options), false, what);
    },
  };
}
