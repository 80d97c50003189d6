// No key stays in memory: another process looks through the whole memory of one that has used
// keys, disposed of them and wiped its own copies. Linux lets a parent read its child so.
//
// The stacks are searched too: compiled code and the libraries' routines spill there. `{ main:
// false }` leaves out the main thread's, after calls that do not wipe it (SECURITY.md, "Stacks and
// messages").

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import millrace from 'millrace';

import { entryPaths, requiring, temporary } from '../support/child.mjs';
import { derive } from '../support/chunked-oracle.mjs';

const skip = process.platform !== 'linux' && 'reads /proc/<pid>/mem';

/** A key the child makes by arithmetic alone, so that no copy of it comes in from outside. */
const keyMaker = (seed, target) => {
  let state = seed * 2654435761 + 12345;
  for (let index = 0; index < target.length; index++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    target[index] = state >>> 16;
  }
  return target;
};

const prelude = `
${requiring()}
const keyMaker = ${keyMaker};
// On an ArrayBuffer of its own: V8 keeps typed arrays up to 64 bytes in its heap, moves them, and
// leaves copies.
const fresh = (seed) => keyMaker(seed, Buffer.from(new ArrayBuffer(32)));
const nonce = Buffer.alloc(12), iv = Buffer.alloc(16);
const source = Buffer.alloc(3000, 1), large = Buffer.alloc(4 << 20, 1);
/** Uses a key, and wipes the caller's copy at once. */
const using = (seed, use) => {
  const key = fresh(seed);
  const result = use(key);
  key.fill(0);
  return result;
};
/** Reports and stops the thread with no work in between, which would overwrite the stack. */
const cell = new Int32Array(new SharedArrayBuffer(4));
const { writeSync } = require('node:fs');
const reportAtOnce = () => {
  writeSync(1, 'ready\\n');
  Atomics.wait(cell, 0, 0);
};
const report = () => new Promise((resolve) => {
  globalThis.gc();
  process.stdout.write('ready\\n');
  process.stdin.once('data', resolve);
});
`;

const uses = {
  'aes-256-gcm': (key) => `millrace.seal('aes-256-gcm', { key: ${key}, nonce, source })`,
  'aes-256-ctr': (key) => `millrace.cipher('aes-256-ctr', true, ${key}, iv, source)`,
  chacha20: (key) => `millrace.cipher('chacha20', true, ${key}, iv, source)`,
  'chacha20-poly1305': (key) =>
    `millrace.seal('chacha20-poly1305', { key: ${key}, nonce, source })`,
  'xchacha20-poly1305': (key) =>
    `millrace.seal('xchacha20-poly1305', { key: ${key}, nonce: Buffer.alloc(24), source })`,
  'aes-256-gcm-siv': (key) => `millrace.seal('aes-256-gcm-siv', { key: ${key}, nonce, source })`,
  'hmac-sha256': (key) => `millrace.hmac('sha256', ${key}, source)`,
  blake3: (key) => `millrace.hash('blake3', source, { key: ${key} })`,
};

test('a live key is found, or looking would prove nothing', { skip }, async (t) => {
  const found = await look(
    `
    globalThis.kept = [millrace.createKey('chacha20-poly1305', fresh(1)), fresh(2)];
    await report();
  `,
    [1, 2, 3],
  );
  if (typeof found === 'string') return t.skip(found);
  assert.ok(found[0].length > 0 && found[1].length > 0);
  assert.deepEqual(found[2], [], 'a key that was never made');
});

for (const [algorithm, use] of Object.entries(uses)) {
  test(`${algorithm}: nothing left of keys used synchronously`, { skip }, async (t) => {
    const found = await look(
      `
      for (let seed = 10; seed < 15; seed++)
        for (let round = 0; round < 20; round++) using(seed, (key) => ${use('key')});
      await report();
    `,
      [10, 11, 12, 13, 14],
      { main: false },
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(found, [[], [], [], [], []]);
  });

  test(`${algorithm}: nothing left of keys used asynchronously`, { skip }, async (t) => {
    const found = await look(
      `
        const flying = [];
        for (let seed = 20; seed < 25; seed++)
          for (let round = 0; round < 20; round++)
            flying.push(using(seed, (key) => ${use('key').replace('millrace.', 'promises.')}));
        await Promise.all(flying);
        await report();
    `,
      [20, 21, 22, 23, 24],
      { main: false },
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(found, [[], [], [], [], []]);
  });

  test(`${algorithm}: nothing left of prepared keys that were disposed`, { skip }, async (t) => {
    const found = await look(
      `
        for (let seed = 30; seed < 35; seed++) {
          const prepared = using(seed, (key) => millrace.createKey('${algorithm}', key));
          for (let round = 0; round < 5; round++) ${use('prepared')};
          const flying = Array.from(
            { length: 5 },
            () => ${use('prepared').replace('millrace.', 'promises.')},
          );
          prepared.dispose();
          await Promise.all(flying);
        }
        await report();
    `,
      [30, 31, 32, 33, 34],
      { main: false },
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(found, [[], [], [], [], []]);
  });
}

/** Long messages: what one worker does in slices, and what all do in parts. */
const long = {
  'aes-256-gcm': (key, route) =>
    `promises.seal('aes-256-gcm', { key: ${key}, nonce, source: large, route: '${route}' })`,
  'aes-256-ctr': (key, route) =>
    `promises.cipher('aes-256-ctr', true, ${key}, iv, large, { route: '${route}' })`,
  chacha20: (key, route) =>
    `promises.cipher('chacha20', true, ${key}, iv, large, { route: '${route}' })`,
  'chacha20-poly1305': (key, route) =>
    `promises.seal('chacha20-poly1305', { key: ${key}, nonce, source: large, route: '${route}' })`,
  'xchacha20-poly1305': (key, route) =>
    `promises.seal('xchacha20-poly1305', { key: ${key}, nonce: Buffer.alloc(24), source: ` +
    `large, route: '${route}' })`,
  'aes-256-gcm-siv': (key, route) =>
    `promises.seal('aes-256-gcm-siv', { key: ${key}, nonce, source: large, route: '${route}' })`,
  'hmac-sha256': (key, route) => `promises.hmac('sha256', ${key}, large, { route: '${route}' })`,
  blake3: (key, route) => `promises.hash('blake3', large, { key: ${key}, route: '${route}' })`,
};

for (const route of ['pool', 'split']) {
  for (const [algorithm, use] of Object.entries(long)) {
    test(
      `${algorithm}, a long message by route ${route}: nothing left of raw and disposed keys`,
      { skip },
      async (t) => {
        const found = await look(
          `
        const flying = [];
        for (const seed of [70, 71]) flying.push(using(seed, (key) => ${use('key', route)}));
        await Promise.all(flying);
        const prepared = using(72, (key) => millrace.createKey('${algorithm}', key));
        const last = ${use('prepared', route)};
        prepared.dispose();
        await last;
        await report();
      `,
          [70, 71, 72],
        );
        if (typeof found === 'string') return t.skip(found);
        assert.deepEqual(found, [[], [], []]);
      },
    );
  }
}

/** Ciphers in pieces. */
const pieces = Object.fromEntries(
  Object.entries({
    'aes-256-ctr': 'iv',
    chacha20: 'iv',
    'aes-256-gcm': 'nonce',
    'chacha20-poly1305': 'nonce',
  }).map(([algorithm, nonce]) => [
    algorithm,
    (key) => `millrace.createCipher('${algorithm}', { key: ${key}, nonce: ${nonce} })`,
  ]),
);

/** Hashers and batches: how they use a key, and the algorithm that a key is prepared for. */
const running = {
  'createHmac, a short message': [
    'hmac-sha256',
    (key) => `millrace.createHmac('sha256', ${key}).update('short').digest()`,
  ],
  'createHmac, a long message': [
    'hmac-sha512',
    (key) =>
      `millrace.createHmac('sha512', ` +
      `${key}).update(source).update('more').update(source).digest('hex')`,
  ],
  'createHmac, copied, exported, reset': [
    'hmac-sha384',
    (key) =>
      '((hmac) => { hmac.copy().digest(); hmac.exportState(); ' +
      `hmac.reset().update('x').digest(); })(millrace.createHmac('sha384', ` +
      `${key}).update(source))`,
  ],
  // Their inner midstate is the key with a pad; here the pad makes it the secret that is sought.
  ...Object.fromEntries(
    ['blake2b512', 'blake3'].map((hash) => [
      `createHmac ${hash}, copied, reset`,
      [
        `hmac-${hash}`,
        (key) =>
          `((hmac) => { hmac.copy().digest(); hmac.reset().update('x').digest(); })` +
          `(millrace.createHmac('${hash}', ArrayBuffer.isView(${key}) ` +
          `? ${key}.map((byte) => byte ^ 0x36) : ${key}).update(source))`,
      ],
    ]),
  ),
  'createHmac without a digest': [
    'hmac-sha256',
    (key) => `millrace.createHmac('sha256', ${key}).update('short')`,
  ],
  'createHmac, asynchronously': [
    'hmac-sha256',
    (key) =>
      '((hmac) => { hmac.updateAsync(source); return hmac.digestAsync(); ' +
      `})(millrace.createHmac('sha256', ${key}))`,
  ],
  'createHmac as a stream': [
    'hmac-sha256',
    (key) => `millrace.createHmac('sha256', ${key}).end(source).toArray()`,
  ],
  'createHash with a key': [
    'blake3',
    (key) => `millrace.createHash('blake3', { key: ${key} }).update(source).update('x').digest()`,
  ],
  'createHash with a key, squeezed': [
    'blake3',
    (key) => `millrace.createHash('blake3', { key: ${key} }).update('x').squeeze(100)`,
  ],
  hmacMany: ['hmac-sha256', (key) => `millrace.hmacMany('sha256', ${key}, ['a', source, 'b'])`],
  'hmacMany, asynchronously': [
    'hmac-sha512',
    (key) => `promises.hmacMany('sha512', ${key}, ['a', source, 'b'])`,
  ],
  'hashMany with a key': [
    'blake3',
    (key) => `millrace.hashMany('blake3', ['a', source, 'b'], { key: ${key} })`,
  ],
  'hashMany with a key, asynchronously': [
    'blake3',
    (key) => `promises.hashMany('blake3', ['a', source, 'b'], { key: ${key} })`,
  ],
  ...Object.fromEntries(
    Object.entries(pieces).map(([algorithm, create]) => [
      `createCipher ${algorithm}`,
      [
        algorithm,
        (key) => `((cipher) => { cipher.update(source); cipher.final(); })(${create(key)})`,
      ],
    ]),
  ),
};

for (const [name, [algorithm, use]] of Object.entries(running)) {
  test(
    `${name}: nothing left of its key once it is collected, or the prepared key disposed`,
    { skip },
    async (t) => {
      const found = await look(
        `
      const act = async () => {
        const flying = [];
        for (let seed = 40; seed < 43; seed++)
          for (let round = 0; round < 10; round++) flying.push(using(seed, (key) => ${use('key')}));
        for (let seed = 43; seed < 46; seed++) {
          const prepared = using(seed, (key) => millrace.createKey('${algorithm}', key));
          for (let round = 0; round < 5; round++) flying.push(${use('prepared')});
          await Promise.all(flying);
          prepared.dispose();
        }
      };
      await act();
      // Finalisers run between turns of the loop.
      for (let round = 0; round < 10; round++) {
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await report();
    `,
        [40, 41, 42, 43, 44, 45],
        { main: /Many/.test(name) },
      );
      if (typeof found === 'string') return t.skip(found);
      assert.deepEqual(found, [[], [], [], [], [], []]);
    },
  );
}

/** Derivations: the secret, and the key that comes of it, which its owner wipes. */
const derivations = {
  scrypt: (key) => `scrypt(${key}, 'salt', 32, { N: 64 })`,
  pbkdf2: (key) => `pbkdf2(${key}, 'salt', 100, 32, 'sha256')`,
  hkdf: (key) => `hkdf('sha256', ${key}, 'salt', 'info', 32)`,
  argon2: (key) =>
    `argon2('argon2id', { message: ${key}, nonce: '12345678', secret: ${key}, memory: 64 })`,
};

for (const [name, use] of Object.entries(derivations)) {
  for (const way of ['millrace', 'promises']) {
    test(
      `${name}, ${way}: nothing left of the secret, nor of the key its owner has wiped`,
      { skip },
      async (t) => {
        const seeds = [60, 61, 62, 63];
        const expected = seeds.map((seed) => {
          const key = keyMaker(seed, Buffer.alloc(32));
          return new Function('key', 'millrace', `return millrace.${use('key')}`)(key, millrace);
        });
        // HKDF's extracted key, from which all keys of the secret follow.
        if (name === 'hkdf')
          for (const seed of seeds)
            expected.push(millrace.hmac('sha256', 'salt', keyMaker(seed, Buffer.alloc(32))));
        const found = await look(
          `
            const flying = [];
            for (const seed of ${JSON.stringify(seeds)})
              for (let round = 0; round < 10; round++)
                flying.push(using(seed, (key) => ${way}.${use('key')}));
            for (const key of await Promise.all(flying)) key.fill(0);
            flying.length = 0;
            await report();
      `,
          seeds,
          { others: expected },
        );
        if (typeof found === 'string') return t.skip(found);
        assert.deepEqual(
          found,
          [...seeds, ...expected].map(() => []),
        );
      },
    );
  }
}

/** Synchronous calls after which the stack is wiped. */
const wiped = {
  ...Object.fromEntries(
    Object.entries(derivations).map(([name, use]) => [
      name,
      (key) => `millrace.${use(key)}.fill(0)`,
    ]),
  ),
  'createKey, aes-256-gcm': (key) => `millrace.createKey('aes-256-gcm', ${key}).dispose()`,
  'createKey, chacha20-poly1305': (key) =>
    `millrace.createKey('chacha20-poly1305', ${key}).dispose()`,
  'createKey, hmac-sha256': (key) => `millrace.createKey('hmac-sha256', ${key}).dispose()`,
  'createKey, blake3': (key) => `millrace.createKey('blake3', ${key}).dispose()`,
  ...Object.fromEntries(
    Object.entries(pieces).map(([algorithm, create]) => [
      `createCipher, ${algorithm}`,
      (key) => `${create(key)}.final()`,
    ]),
  ),
  hmacMany: (key) => `millrace.hmacMany('sha256', ${key}, ['a', source, 'b'])`,
  hashMany: (key) => `millrace.hashMany('blake3', ['a', source, 'b'], { key: ${key} })`,
};

for (const [name, use] of Object.entries(wiped)) {
  test(`${name}: nothing left on the stack right after a synchronous call`, { skip }, async (t) => {
    const key = keyMaker(80, Buffer.alloc(32));
    const others = name === 'hkdf' ? [millrace.hmac('sha256', 'salt', key)] : [];
    if (name in derivations)
      others.push(
        new Function('key', 'millrace', `return millrace.${derivations[name]('key')}`)(
          key,
          millrace,
        ),
      );
    const found = await look(
      `
      using(81, (key) => ${use('key')});
      using(80, (key) => ${use('key')});
      reportAtOnce();
    `,
      [80],
      { others },
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(
      found,
      [key, ...others].map(() => []),
    );
  });
}

test(
  'an HMAC that has given its code keeps nothing of the message it gathered',
  { skip },
  async (t) => {
    const found = await look(
      `
    const hold = globalThis.held = [];
    const message = (seed, take) => using(seed, (secret) => take(secret));
    for (let seed = 50; seed < 54; seed++) {
      for (const other of [false, true]) {
        const hmac = millrace.createHmac('sha256', 'key');
        message(seed, (secret) => hmac.update(secret));
        // Another hasher has it move out of the shared place.
        if (other) millrace.createHash('sha1').update('x');
        if (seed % 3 === 0) hmac.reset();
        else if (seed % 3 === 1) hmac.digest();
        else hmac.update(source).digest('hex');
        hold.push(hmac);
      }
    }
    await report();
  `,
      [50, 51, 52, 53],
      { main: false },
    );
    if (typeof found === 'string') return t.skip(found);
    assert.deepEqual(found, [[], [], [], []]);
  },
);

test('streams: nothing left of keys, given or derived', { skip }, async (t) => {
  const [seeds, salt] = [[40, 41, 42, 43, 44], Buffer.alloc(24, 5)];
  const derived = seeds.map(
    (seed) => derive('aes-256-gcm', keyMaker(seed, Buffer.alloc(32)), salt, '').aeadKey,
  );
  const streams = JSON.stringify(join(dirname(entryPaths.millrace), 'streams/sealed-streams.js'));
  const found = await look(
    `
    const { SealingPump } = require(${streams});
    const { buffer } = require('node:stream/consumers');
    const salt = Buffer.alloc(24, 5);
    const ends = [];
    for (const seed of ${JSON.stringify(seeds)}) {
      const options = (key) => ({ algorithm: 'aes-256-gcm', key });
      const [sealing, opening, left] = using(seed, (key) =>
        ['sealStream', 'openStream', 'openStream'].map((make) => promises[make](options(key))),
      );
      ends.push(buffer(sealing.pipe(opening)));
      sealing.end(source);
      left.destroy();
      const pump = using(
        seed,
        (key) => new SealingPump({ put: () => true, fail() {} }, options(key), salt),
      );
      ends.push(new Promise((done) => pump.write(source, () => pump.end(done))));
    }
    await Promise.all(ends);
    await report();
  `,
    seeds,
    { others: derived, main: false },
  );
  if (typeof found === 'string') return t.skip(found);
  assert.deepEqual(
    found,
    Array.from({ length: 10 }, () => []),
  );
});

/**
 * Runs the program until it reports, and returns the places of each key, and of other secrets, in
 * its memory; a string if that is not allowed.
 * Without `main` the main thread's stack is not searched. */
async function look(program, seeds, { others = [], main = true } = {}) {
  const folder = temporary();
  const file = join(folder, 'program.cjs');
  writeFileSync(file, `${prelude}\n(async () => {\n${program}\nprocess.exit(0);\n})();\n`);
  const child = spawn(process.execPath, ['--expose-gc', file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(([code]) => assert.fail(`the program ended with ${code}`)),
    ]);
    assert.equal(String(line), 'ready\n');
    return await places(
      child.pid,
      [...seeds.map((seed) => keyMaker(seed, Buffer.alloc(32))), ...others],
      main,
    );
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function places(pid, keys, main) {
  let memory;
  try {
    memory = openSync(`/proc/${pid}/mem`, 'r');
  } catch (error) {
    return `the memory of a child may not be read here: ${error.code}`;
  }
  const found = keys.map(() => []);
  // Half a key is as bad.
  const halves = keys.flatMap((key, index) => [
    [key.subarray(0, 16), index],
    [key.subarray(16), index],
  ]);
  const chunk = Buffer.allocUnsafeSlow(2 ** 22);
  const stacks = await stackPointers(pid);
  if (typeof stacks === 'string') return stacks;
  const searched = new Set();
  for (const [, first, last, name] of readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(
    /^([0-9a-f]+)-([0-9a-f]+) rw\S* \S+ \S+ \S+(.*)$/gm,
  )) {
    const [begin, end] = [BigInt(`0x${first}`), BigInt(`0x${last}`)];
    const held = stacks.filter((pointer) => pointer >= begin && pointer < end);
    held.forEach((pointer) => searched.add(pointer));
    if (!main && name.endsWith('[stack]')) continue;
    const place = held.length > 0 ? `a stack ${name.trim()}` : name.trim() || 'no name';
    for (let at = begin; at < end; at += BigInt(chunk.length - 32)) {
      let size;
      try {
        size = readSync(
          memory,
          chunk,
          0,
          Number(end - at < BigInt(chunk.length) ? end - at : BigInt(chunk.length)),
          at,
        );
      } catch {
        break; // Guard pages and devices cannot be read.
      }
      for (const [half, index] of halves) {
        const offset = chunk.subarray(0, size).indexOf(half);
        if (offset >= 0)
          found[index].push(`${place}, ${at + BigInt(offset) - begin} of ${end - begin}`);
      }
    }
  }
  closeSync(memory);
  assert.equal(searched.size, new Set(stacks).size, 'the stack of each thread is searched');
  return found;
}

/** Where the stack of each thread is. The kernel tells of those that wait in it, as all soon do. */
async function stackPointers(pid) {
  for (let round = 0; round < 200; round++) {
    try {
      const lines = readdirSync(`/proc/${pid}/task`).map((thread) =>
        readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'utf8').trim().split(' '),
      );
      if (lines.every((line) => line.length > 2)) return lines.map((line) => BigInt(line.at(-2)));
    } catch (error) {
      return `the stacks of a child cannot be told here: ${error.code}`;
    }
    await setTimeout(10);
  }
  return 'the threads of the child do not come to rest';
}
