// Fails the allocations of native code, one after the other, in each of a table of operations. A
// separate program: MILLRACE_BINARY names a binary with the feature `failing-allocator`.
//
//   node failing-allocations.mjs '{"names": ["hash sha256"], "count": 1}'
//
// With `from` N only its N-th allocation fails, in a process that has made no other call.
// Without names it prints the table; with `everything` all algorithms and call styles are in it.
// With them it prints `NAME<tab>NUMBER` before each attempt, so that the last line names the
// attempt that ended the process, and `NAME<tab>done<tab>ERRORS`.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { ciphers, hashes } from './algorithms.mjs';
import { attempt, callStylesFor } from './entry-points.mjs';

/** The most attempts of an operation, and of the rounds in which its allocations may vary. */
const ATTEMPTS = 3000;
/** Milliseconds after which an operation hangs. */
const PATIENCE = 30_000;

const bytes = (size, step = 7) =>
  Buffer.from({ length: size }, (_, at) => at).map((at) => at * step);
const key = bytes(32);
const [short, long] = [bytes(100), bytes(600_000)];
const password = 'correct horse';
const salt = bytes(16);

const folder = mkdtempSync(join(tmpdir(), 'millrace-allocations-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const files = [100, 300_000, 5 << 20].map((size, at) => {
  const path = join(folder, `${at}`);
  writeFileSync(path, Buffer.alloc(size, at));
  return path;
});

const longPath = join(folder, 'a'.repeat(200), 'b'.repeat(200));
mkdirSync(join(longPath, '..'));
writeFileSync(longPath, short);

/** Waits for all calls; fails with the first error. */
async function all(count, call) {
  const settled = await Promise.allSettled(Array.from({ length: count }, (_, at) => call(at)));
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  return settled.map(({ value }) => value);
}

/** The algorithms and forms of calls of the short form. */
const few = {
  algorithms:
    /^(sha256|blake3|blake2b512|shake256|kmac256|kt128|parallelhash128|aes-256-(ctr|gcm|gcm-siv)|chacha20-poly1305)$/,
  forms: /^(options|seal\/open) with (target|prepared key)$/,
};

/**
 * Returns the operations by name, all or those of the short form. The result of each is equal every
 * time.
 */
function operations(everything) {
  const table = {};
  const add = (name, run) => {
    assert.ok(!(name in table), name);
    table[name] = run;
  };
  /** Adds a call of `millrace`, and the one of `millrace/promises`. */
  const addBoth = (name, call) => {
    add(name, () => call(millrace));
    add(`promises.${name}`, () => call(promises));
  };
  /** Returns what a prepared key gives. */
  const withKey = async (algorithm, bytes, use) => {
    const prepared = millrace.createKey(algorithm, bytes);
    try {
      return await use(prepared);
    } finally {
      prepared.dispose();
    }
  };
  const named = (table) =>
    Object.entries(table).filter(([name]) => everything || few.algorithms.test(name));
  /** Adds every call style of a job; on the pool and divided where it is asynchronous. */
  const styles = (label, job) => {
    for (const style of callStylesFor(job).filter(
      ({ form }) => everything || few.forms.test(form.name),
    ))
      for (const route of style.waiting === 'sync' ? ['auto'] : ['pool', 'split'])
        add(`${label}: ${style.name}, ${route}`, async () => {
          millrace.configure({ route });
          try {
            const outcome = await attempt(style, job);
            if (outcome.error) throw outcome.error;
            return [outcome.output, outcome.tag];
          } finally {
            millrace.configure({ route: 'auto' });
          }
        });
  };

  // Digests.
  for (const [name, facts] of named(hashes)) {
    const parameters = Object.fromEntries(
      Object.entries({ customization: bytes(300), blockSize: 1000, salt, personalization: salt })
        .filter(([option]) => facts.parameters && option in facts.parameters)
        .filter(([option]) => !/blake2s/.test(name) || option.length > 20),
    );
    if (facts.parameters?.key !== undefined) parameters.key = key;
    const hasParameters = Object.keys(parameters).length > 0;
    const tuple = name.startsWith('tuplehash');
    const message = (data) => (tuple ? [data] : data);
    if (!name.startsWith('kmac') && !tuple)
      for (const size of [100, 600_000])
        styles(`${name} of ${size}`, { kind: 'hash', algorithm: name, source: bytes(size) });
    if (facts.hmac) styles(`hmac ${name}`, { kind: 'hmac', algorithm: name, key, source: long });
    const calls = {
      hash: (module, route) =>
        module.hash(name, message(long), { ...parameters, ...(route && { route }) }),
      hashMany: (module) =>
        module.hashMany(name, Array(40).fill(message(short)), hasParameters ? parameters : {}),
    };
    if (facts.hmac) calls.hmacMany = (module) => module.hmacMany(name, key, Array(40).fill(short));
    if (hasParameters) {
      add(`hash ${name} with parameters`, () => calls.hash(millrace));
      for (const route of ['pool', 'split'])
        add(`promises.hash ${name} with parameters, ${route}`, () => calls.hash(promises, route));
    }
    for (const method of ['hashMany', 'hmacMany'].filter((method) => method in calls))
      addBoth(`${method} ${name}`, calls[method]);
    const begins = [['createHash', (module) => module.createHash(name, parameters)]];
    if (facts.hmac) begins.push(['createHmac', (module) => module.createHmac(name, key)]);
    for (const [method, begin] of begins) {
      add(`${method} ${name}`, () => {
        const hasher = begin(millrace).update(short).update(long);
        const copy = hasher.copy();
        return [hasher.digest('hex'), copy.update(short).digest('hex')];
      });
      add(`promises.${method} ${name}`, async () => {
        const hasher = begin(promises);
        await hasher.updateAsync(long);
        return hasher.update(short).digest('hex');
      });
    }
    if (facts.parameters?.key !== undefined)
      add(`createKey ${name}`, () =>
        withKey(name, key, (prepared) => millrace.hash(name, short, { key: prepared })),
      );
    if (facts.xof)
      for (const route of ['pool', 'split'])
        add(`long output of ${name}, ${route}`, () =>
          promises.hash(name, message(short), { ...parameters, outputLength: 700_000, route }),
        );
  }
  add('many short hashes', () => all(100, (at) => promises.hash('sha256', bytes(300, at))));
  add('many short hashes on the pool', () =>
    all(100, (at) => promises.hash('sha256', bytes(300, at), { route: 'pool' })),
  );
  add('many long hashes', () => all(12, (at) => promises.hash('sha256', bytes(300_000, at))));
  add('many HMACs with one key', () =>
    withKey('hmac-sha256', key, (prepared) =>
      all(60, (at) => promises.hmac('sha256', prepared, bytes(3000, at))),
    ),
  );
  add('a cancellable hash', () =>
    promises.hash('sha256', long, { route: 'pool', signal: new AbortController().signal }),
  );
  add('createKey of a long key', () =>
    withKey('kmac256', long, (prepared) =>
      millrace.hash('kmac256', short, { key: prepared, customization: salt }),
    ),
  );
  add('exportState', () => {
    const state = millrace.createHash('sha256').update(short).exportState();
    return millrace.createHash('sha256', { state }).update(short).digest('hex');
  });
  addBoth('verifyHmac', (module) =>
    module.verifyHmac('sha256', { key, source: short, mac: millrace.hmac('sha256', key, short) }),
  );
  add('hash of a stream', () => promises.hash('sha256', Readable.from([long, short])));
  add('timingSafeEqual', () => millrace.timingSafeEqual(short, bytes(100)));

  // Ciphers.
  for (const [name, facts] of named(ciphers)) {
    const common = { key: bytes(facts.key), iv: bytes(facts.iv) };
    for (const source of [short, long]) {
      const plain = { kind: 'cipher', algorithm: name, encrypt: true, ...common, source };
      if (facts.aead) Object.assign(plain, { aad: short, tagSize: facts.tag });
      styles(`${name} of ${source.length}`, plain);
      if (!facts.aead) continue;
      const sealed = millrace.seal(name, { key: common.key, nonce: common.iv, aad: short, source });
      const at = sealed.length - facts.tag;
      const [body, tag] = [sealed.subarray(0, at), sealed.subarray(at)];
      const opened = { ...plain, encrypt: false, source: body, tag, tagSize: undefined };
      styles(`open ${name} of ${source.length}`, opened);
    }
    const nonce = facts.aead ? { nonce: common.iv } : { iv: common.iv };
    if (facts.aead)
      add(`many seals, ${name}`, () =>
        all(40, (at) => promises.seal(name, { key: common.key, ...nonce, source: bytes(at) })),
      );
    if (/siv/.test(name)) continue; // Its tag is the first thing it needs of a message.
    const final = (cipher) => (facts.aead ? [cipher.final(), cipher.authTag] : cipher.final());
    add(`createCipher ${name}`, () => {
      const prepared = millrace.createKey(name, common.key);
      const cipher = millrace.createCipher(name, { key: prepared, ...nonce });
      prepared.dispose();
      return [cipher.update(short), cipher.update(long), final(cipher)];
    });
    add(`promises.createCipher ${name}`, async () => {
      const cipher = promises.createCipher(name, { key: common.key, ...nonce });
      return [await cipher.updateAsync(long), cipher.update(short), final(cipher)];
    });
  }

  // Key derivation.
  const cheap = { memory: 64, passes: 1, parallelism: 1 };
  const derivations = {
    scrypt: (module) => module.scrypt(password, salt, 100, { N: 256, p: 2 }),
    'scrypt of 128 MiB': (module) =>
      module.scrypt(password, salt, 100, { N: 16, r: 1, maxmem: 1 << 28 }),
    pbkdf2: (module) => module.pbkdf2(password, salt, 200, 100, 'sha256'),
    'pbkdf2 sha512': (module) => module.pbkdf2(password, salt, 200, 100, 'sha512'),
    hkdf: (module) => module.hkdf('sha256', key, salt, 'info', 100),
    argon2: (module) =>
      module.argon2('argon2id', { message: password, nonce: salt, tagLength: 100, ...cheap }),
    wrapKey: (module) => module.wrapKey('aes-256-kw', { key, source: salt }),
    unwrapKey(module) {
      const source = millrace.wrapKey('aes-256-kw', { key, source: salt });
      return module.unwrapKey('aes-256-kw', { key, source });
    },
  };
  for (const [name, options] of Object.entries({
    argon2id: { algorithm: 'argon2id', ...cheap },
    scrypt: { algorithm: 'scrypt', N: 256 },
    bcrypt: { algorithm: 'bcrypt', cost: 4 },
  })) {
    const hash = millrace.hashPassword(password, options);
    derivations[`hashPassword ${name}`] = async (module) =>
      (await module.hashPassword(password, options)).length;
    derivations[`verifyPassword ${name}`] = (module) => module.verifyPassword(password, hash);
    add(`needsRehash ${name}`, () => millrace.needsRehash(hash, options));
  }
  for (const [name, derive] of Object.entries(derivations)) {
    addBoth(name, derive);
    add(`many of ${name}`, () => all(10, () => derive(promises)));
  }
  add('a derivation with progress', () =>
    promises.scrypt(password, salt, 32, { N: 256, onProgress() {} }),
  );

  // Files and streams.
  for (const name of ['sha256', 'blake3', 'kt128'])
    addBoth(`hashFiles ${name}`, (module) => module.hashFiles(name, files));
  const many = Array(300).fill(files[0]);
  addBoth('hashFiles of many', (module) => module.hashFiles('sha256', many));
  addBoth('hashFiles of a long path', (module) => module.hashFiles('sha256', [longPath]));
  addBoth('hashFile', (module) => module.hashFile('sha256', files[1]));
  const passphrase = { N: 1024 };
  for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305'])
    add(`sealStream ${algorithm}`, async () => {
      const parts = [];
      const source = Readable.from([long, long, short]);
      const sealed = source.pipe(promises.sealStream({ algorithm, key }));
      for await (const part of sealed.pipe(promises.openStream({ algorithm, key })))
        parts.push(part);
      return Buffer.concat(parts);
    });
  add('sealWithPassphrase', async () => {
    const sealed = await promises.sealWithPassphrase(password, short, passphrase);
    return promises.openWithPassphrase(password, sealed);
  });
  add('configure', () => millrace.configure({ threads: 2 }).threads);
  return table;
}

const loaded = { exports: {} };
process.dlopen(loaded, process.env.MILLRACE_BINARY);
const { failAllocations } = loaded.exports;

/** Returns the outcome of a call: its value, or the code of its error. */
async function outcomeOf(run) {
  const timer = new AbortController();
  const late = setTimeout(PATIENCE, undefined, timer).then(() => {
    throw new Error('hangs');
  });
  try {
    return { value: await Promise.race([(async () => run())(), late]) };
  } catch (error) {
    return { error };
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

const { names, count = 1, from = 0, everything = false } = JSON.parse(process.argv[2] ?? '{}');
const table = operations(everything);
if (names === undefined) writeSync(1, `${JSON.stringify(Object.keys(table))}\n`);
for (const name of names ?? []) {
  // From 0 on in a process in which the operation has run before; from another allocation on, as
  // the first asynchronous call of the process, which opens its queue and starts threads.
  let expected = from > 0 ? undefined : (await succeed(table[name], name)).value;
  let [errors, failed] = [0, 1];
  for (let index = Math.max(0, from - 1); failed > 0; index++) {
    assert.ok(index < ATTEMPTS, `${name}: allocates without end`);
    writeSync(1, `${name}\t${index}\n`);
    failAllocations(index, count);
    const { value, error } = await outcomeOf(table[name]);
    failed = failAllocations(0, 0);
    const label = `${name}, allocation ${index}`;
    const next = await succeed(table[name], `${label}: the next call`);
    expected ??= next.value;
    assert.deepEqual(next.value, expected, `${label}: the next call`);
    if (error) {
      errors += 1;
      assert.ok(failed > 0, `${label}: ${error.stack}`);
      // The errors of what it replaces have no codes.
      const known = name.includes('millrace/crypto-async')
        ? error.message === 'out of memory'
        : error.code === 'ERR_OUT_OF_MEMORY';
      assert.ok(known, `${label}: ${error.stack}`);
    } else assert.deepEqual(value, expected, label);
    await idle(label);
    if (from > 0) break;
  }
  writeSync(1, `${name}\t${failed > 0 ? 'more' : 'done'}\t${errors}\n`);
}
process.exit(0);

async function succeed(run, label) {
  const outcome = await outcomeOf(run);
  assert.ok(!outcome.error, `${label}: ${outcome.error?.stack}`);
  return outcome;
}

/** Waits until nothing of the calls is left: the pool ends after their results. */
async function idle(label) {
  for (const end = Date.now() + PATIENCE; ; await setTimeout(1)) {
    const { threads, queuedBytes, kdf } = millrace.engines();
    if (threads.queued + queuedBytes + kdf.memory + kdf.waiting === 0) return;
    assert.ok(Date.now() < end, `${label}: ${JSON.stringify({ threads, queuedBytes, kdf })}`);
  }
}
