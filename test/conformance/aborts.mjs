// Signals: what is aborted before it begins, while it waits, and while it runs.

import { pattern } from './bytes.mjs';
import { ok, same, sameBytes } from './verdicts.mjs';
import { errorOf } from './call-styles.mjs';

export function aborts({ millrace, promises, options, made, add, refused }) {
  const reason = new Error('no more');
  const aborted = AbortSignal.abort(reason);
  const source = pattern(100_000);
  const [key, nonce, iv, salt] = [pattern(32), pattern(12), pattern(16), pattern(16)];
  /** Calls by name, each of a function with its arguments before the options, and these. */
  const calls = {
    hash: ['hash', ['sha256', source]],
    'hash by position': ['hash', ['sha256', source, 'hex']],
    hmac: ['hmac', ['sha256', 'k', source]],
    hashMany: ['hashMany', ['sha256', [source]]],
    seal: ['seal', ['aes-256-gcm'], { key, nonce, source }],
    cipher: ['cipher', ['aes-256-ctr'], { encrypt: true, key, iv, source }],
    pieces: ['hash', () => ['sha256', slow()]],
  };
  const derived = {
    scrypt: ['scrypt', ['p', 's', 32]],
    pbkdf2: ['pbkdf2', ['p', 's', 1000, 32, 'sha256']],
    argon2: ['argon2', ['argon2id'], { message: 'p', nonce: salt }],
    hashPassword: ['hashPassword', ['p'], { memory: 64 }],
  };
  /** Calls that take very long. */
  const long = {
    pbkdf2: ['pbkdf2', ['p', 's', 200_000_000, 32, 'sha256']],
    scrypt: ['scrypt', ['p', 's', 32], { N: 2 ** 14, p: 4000, maxmem: 2 ** 30 }],
    argon2: ['argon2', ['argon2id'], { message: 'p', nonce: salt, passes: 20_000 }],
  };
  const call = ([method, args, own], signal) => {
    const before = typeof args === 'function' ? args() : args;
    // Beside an encoding by position there may be a signal, but no engine.
    const given = before.includes('hex') ? { signal } : { ...options, ...own, signal };
    return promises[method](...before, given);
  };
  for (const [name, each] of Object.entries({ ...calls, ...derived })) {
    const family = name in derived ? 'aborted derivations' : 'aborts';
    add(family, name, 'aborted before the call', async () =>
      same(await errorOf(call(each, aborted), name), reason, "the signal's reason"),
    );
    add(family, name, 'a signal that never aborts', async () => {
      const { signal } = new AbortController();
      ok((await call(each, signal)) !== undefined, 'no result');
    });
    add(family, name, 'a value that is not a signal', () =>
      refused(call(each, { aborted: false }), 'ERR_ARGUMENT_TYPE', name),
    );
  }
  const waiting = async (size) => {
    const controller = new AbortController();
    const promise = call(['hash', ['sha256', pattern(size)]], controller.signal);
    controller.abort(reason);
    const outcome = await promise.then(
      (digest) => ({ digest }),
      (error) => ({ error }),
    );
    if (outcome.error === undefined)
      sameBytes(outcome.digest, millrace.hash('sha256', pattern(size), options), `${size} bytes`);
    else same(outcome.error, reason, `${size} bytes`);
    const next = await promises.hash('sha256', pattern(1), options);
    sameBytes(next, made.hashes.sha256.sizes[1], 'the next call');
  };
  add('aborts', 'hash', 'aborted while it waits, or done', waiting, [10, 100_000, 3_000_000]);
  add('aborts', 'pieces', 'aborted between pieces: the source is closed', async () => {
    const controller = new AbortController();
    let closed = false;
    const endless = async function* () {
      try {
        for (;;) yield* slow();
      } finally {
        closed = true;
      }
    };
    setTimeout(() => controller.abort(reason), 10);
    const hashing = call(['hash', ['sha256', endless()]], controller.signal);
    same(await errorOf(hashing, 'pieces'), reason, 'reason');
    await new Promise((resolve) => setTimeout(resolve, 20));
    same(closed, true, 'closed');
  });
  for (const [name, each] of Object.entries(long)) {
    add('aborted derivations', name, 'aborted while it runs', async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 30);
      const begin = performance.now();
      same(await errorOf(call(each, controller.signal), name), reason, 'reason');
      const took = Math.round(performance.now() - begin);
      ok(took < 20_000, `it took ${took} ms to stop`);
    });
  }
}

async function* slow() {
  for (let count = 0; count < 3; count++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    yield pattern(100);
  }
}
