// Signals: what is aborted before it begins, while it waits, and while it runs.

import { pattern } from './bytes.mjs';
import { ok, same, sameBytes, sameError } from './verdicts.mjs';
import { errorOf } from './call-styles.mjs';

export function aborts({ millrace, promises, options, made, add }) {
  const reason = new Error('no more');
  const aborted = AbortSignal.abort(reason);
  const calls = {
    hash: (signal) => promises.hash('sha256', pattern(100_000), { ...options, signal }),
    'hash by position': (signal) => promises.hash('sha256', pattern(100_000), 'hex', { signal }),
    hmac: (signal) => promises.hmac('sha256', 'k', pattern(100_000), { ...options, signal }),
    hashMany: (signal) => promises.hashMany('sha256', [pattern(100_000)], { ...options, signal }),
    seal: (signal) =>
      promises.seal('aes-256-gcm', {
        ...options,
        key: pattern(32),
        nonce: pattern(12),
        source: pattern(100_000),
        signal,
      }),
    cipher: (signal) =>
      promises.cipher('aes-256-ctr', {
        ...options,
        encrypt: true,
        key: pattern(32),
        iv: pattern(16),
        source: pattern(100_000),
        signal,
      }),
    pieces: (signal) => promises.hash('sha256', slow(), { ...options, signal }),
  };
  const derived = {
    scrypt: (signal) => promises.scrypt('p', 's', 32, { ...options, signal }),
    pbkdf2: (signal) => promises.pbkdf2('p', 's', 1000, 32, 'sha256', { ...options, signal }),
    argon2: (signal) =>
      promises.argon2('argon2id', { ...options, message: 'p', nonce: pattern(16), signal }),
    hashPassword: (signal) => promises.hashPassword('p', { ...options, memory: 64, signal }),
  };
  for (const [name, call] of Object.entries({ ...calls, ...derived })) {
    const family = name in derived ? 'aborted derivations' : 'aborts';
    add(family, name, 'aborted before the call', async () =>
      same(await errorOf(call(aborted), name), reason, "the signal's reason"),
    );
    add(family, name, 'a signal that never aborts', async () => {
      const { signal } = new AbortController();
      ok((await call(signal)) !== undefined, 'no result');
    });
    add(family, name, 'a value that is not a signal', async () =>
      sameError(await errorOf(call({ aborted: false }), name), 'ERR_ARGUMENT_TYPE', millrace, name),
    );
  }
  add('aborts', 'hash', 'aborted while it waits, or done', async () => {
    for (const size of [10, 100_000, 3_000_000]) {
      const controller = new AbortController();
      const promise = promises.hash('sha256', pattern(size), {
        ...options,
        signal: controller.signal,
      });
      controller.abort(reason);
      const outcome = await promise.then(
        (digest) => ({ digest }),
        (error) => ({ error }),
      );
      if (outcome.error === undefined)
        sameBytes(outcome.digest, millrace.hash('sha256', pattern(size), options), `${size} bytes`);
      else same(outcome.error, reason, `${size} bytes`);
    }
    sameBytes(
      await promises.hash('sha256', pattern(1), options),
      made.hashes.sha256.sizes[1],
      'the next call',
    );
  });
  add('aborts', 'pieces', 'aborted between pieces: the source is closed', async () => {
    const controller = new AbortController();
    let closed = false;
    const source = async function* () {
      try {
        for (;;) {
          yield pattern(1000);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      } finally {
        closed = true;
      }
    };
    setTimeout(() => controller.abort(reason), 10);
    same(
      await errorOf(
        promises.hash('sha256', source(), { ...options, signal: controller.signal }),
        'pieces',
      ),
      reason,
      'reason',
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    same(closed, true, 'closed');
  });
  for (const name of ['pbkdf2', 'scrypt', 'argon2']) {
    add('aborted derivations', name, 'aborted while it runs', async () => {
      const long = {
        pbkdf2: (signal) =>
          promises.pbkdf2('p', 's', 200_000_000, 32, 'sha256', { ...options, signal }),
        scrypt: (signal) =>
          promises.scrypt('p', 's', 32, {
            ...options,
            N: 2 ** 14,
            p: 4000,
            maxmem: 2 ** 30,
            signal,
          }),
        argon2: (signal) =>
          promises.argon2('argon2id', {
            ...options,
            message: 'p',
            nonce: pattern(16),
            passes: 20_000,
            signal,
          }),
      }[name];
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 30);
      const begin = performance.now();
      same(await errorOf(long(controller.signal), name), reason, 'reason');
      ok(
        performance.now() - begin < 20_000,
        `it took ${Math.round(performance.now() - begin)} ms to stop`,
      );
    });
  }
}

async function* slow() {
  for (let count = 0; count < 3; count++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    yield pattern(100);
  }
}
