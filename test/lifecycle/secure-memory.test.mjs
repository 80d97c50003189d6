// Prepared keys are in memory that is locked, between pages that cannot be accessed, not in core
// dumps and empty after a fork; and where the system does not lock memory, that is said or refused.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';

import { requiring, run, temporary } from '../support/child.mjs';
import { SECURE, keyMaker, look } from '../support/memory-search.mjs';

const linux = process.platform === 'linux' ? false : 'the guarantees of Linux';
const windows = process.platform === 'win32' && 'Windows has no such memory here';

/** Skips a test where this process may lock no memory. */
function needsLocking(t) {
  const { locked, reason } = millrace.engines().secureMemory;
  if (!locked) t.skip(`skipped: no memory can be locked: ${reason}`);
  return locked;
}

test('engines() tells what holds', { skip: linux }, () => {
  const key = millrace.createKey('aes-256-gcm', millrace.randomBytes(32));
  const report = millrace.engines().secureMemory;
  const { guarded, undumped, wipedOnFork, used, committed } = report;
  assert.deepEqual([guarded, undumped, wipedOnFork], [true, true, true]);
  assert.ok(used > 0 && committed >= used, JSON.stringify(report));
  assert.equal(report.locked, report.reason === undefined);
  key.dispose();
  assert.ok(millrace.engines().secureMemory.used < used);
});

/** Ways to prepare a key of 32 bytes, and what of it is in memory. */
const kept = {
  'aes-256-gcm': "millrace.createKey('aes-256-gcm', key)",
  'aes-256-ctr': "millrace.createKey('aes-256-ctr', key)",
  'chacha20-poly1305': "millrace.createKey('chacha20-poly1305', key)",
  'aes-256-gcm-siv': "millrace.createKey('aes-256-gcm-siv', key)",
  blake3: "millrace.createKey('blake3', key)",
  'an incremental cipher': "millrace.createCipher('aes-256-ctr', { key, iv })",
  'the private key of Ed25519':
    "millrace.createPrivateKey({ key, format: 'raw', algorithm: 'ed25519' })",
  'the seed of X-Wing': "millrace.createPrivateKey({ key, format: 'raw', algorithm: 'x-wing' })",
  'xaes-256-gcm': "millrace.createKey('xaes-256-gcm', key)",
};

test('each copy of a prepared key is in secure memory', { skip: linux }, async (t) => {
  if (!needsLocking(t)) return;
  const ways = Object.values(kept);
  const program = `
    globalThis.kept = [
      ${ways.map((way, index) => `using(${index + 1}, (key) => ${way}),`).join('\n')}
    ];
    millrace.seal('aes-256-gcm', { key: kept[0], nonce, source });
    millrace.sign(null, source, kept[6]);
    await promises.sign(null, source, kept[6]);
    reportAtOnce();
  `;
  const seeds = ways.map((_, index) => index + 1);
  const found = await look(program, seeds, { main: false });
  if (typeof found === 'string') return t.skip(`skipped: the memory was not searched: ${found}`);
  for (const [index, name] of Object.keys(kept).entries()) {
    assert.ok(found[index].length > 0, `${name} is nowhere`);
    assert.deepEqual(
      found[index].filter((place) => !place.startsWith(SECURE)),
      [],
      name,
    );
  }
  const switchOff = "millrace.configure({ secureMemory: 'off' });";
  const off = await look(`${switchOff}${program}`, seeds, { main: false });
  for (const [index, name] of Object.keys(kept).entries())
    assert.ok(
      off[index].some((place) => !place.startsWith(SECURE)),
      `${name}: the search would prove nothing`,
    );
});

/** A program that makes the keys of `keyMaker` with two seeds, and aborts with a core dump. */
const dumping = `
  const keyMaker = ${keyMaker};
  const made = (seed) => keyMaker(seed, Buffer.from(new ArrayBuffer(32)));
  const raw = made(1);
  globalThis.kept = [millrace.createKey('aes-256-gcm', raw), made(2)];
  raw.fill(0);
  process.abort();
`;

test('a core dump holds no prepared key', { skip: linux }, async (t) => {
  const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim();
  if (/[|/]/.test(pattern)) return t.skip(`skipped: core dumps go to ${pattern}`);
  const folder = temporary();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'program.cjs'), `${requiring()}\n${dumping}`);
  await new Promise((resolve) => {
    const shell = 'ulimit -c unlimited && exec "$0" program.cjs';
    execFile('sh', ['-c', shell, process.execPath], { cwd: folder }, resolve);
  });
  const core = readdirSync(folder).find((name) => name !== 'program.cjs');
  if (core === undefined) return t.skip('skipped: the system writes no core dump');
  const dump = readFileSync(join(folder, core));
  const places = [1, 2].map((seed) => dump.indexOf(keyMaker(seed, Buffer.alloc(32))));
  assert.ok(places[1] > 0, 'the search would prove nothing');
  assert.equal(places[0], -1);
});

/** Runs a program without the right to lock memory, from its first line on. */
async function unlocked(t, program) {
  const dropping = 'if (process.getuid() === 0) process.setuid(65534);';
  const source = `${dropping}\n${program}`;
  const folder = temporary();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.cjs');
  writeFileSync(file, `${requiring()}\n${source}`);
  const [code, stdout, stderr] = await new Promise((resolve) => {
    const child = execFile(
      'sh',
      ['-c', 'ulimit -l 0 && exec "$0" "$1"', process.execPath, file],
      (error, ...printed) => resolve([child.exitCode, ...printed]),
    );
  });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test(
  'where nothing can be locked, required fails and preferred says so',
  { skip: linux },
  async (t) => {
    const told = await unlocked(
      t,
      `
    const before = millrace.configure().secureMemory;
    const { message, code: refused } = (() => {
      try {
        return millrace.configure({ secureMemory: 'required', threads: 1 });
      } catch (error) {
        return error;
      }
    })();
    const key = millrace.createKey('aes-256-gcm', Buffer.alloc(32));
    console.log(JSON.stringify({
      before, message, refused, after: millrace.configure(),
      report: millrace.engines().secureMemory, size: key.size,
    }));
  `,
    );
    assert.equal(told.before, 'preferred');
    assert.equal(told.refused, 'ERR_SECURE_MEMORY');
    assert.match(told.message, /locked memory.*mlock.*ulimit -l/);
    assert.equal(told.after.secureMemory, 'preferred');
    assert.equal(told.size, 32);
    const { locked, guarded, undumped, reason } = told.report;
    assert.deepEqual([locked, guarded, undumped], [false, true, true]);
    assert.match(reason, /mlock/);
  },
);

test(
  'a key that does not fit in locked memory is refused when required',
  { skip: linux },
  async (t) => {
    if (!needsLocking(t)) return;
    // The reserved memory is smaller than these keys; they are not on the heap instead.
    const { stdout, stderr } = await run(`
    millrace.configure({ secureMemory: 'required' });
    const kept = [];
    let code;
    const block = Buffer.alloc(900_000);
    try {
      for (let count = 0; count < 400; count++) kept.push(millrace.createKey('kmac256', block));
    } catch (error) {
      code = error.code;
    }
    const { used, locked } = millrace.engines().secureMemory;
    kept.pop().dispose();
    const works = millrace.hash('kmac256', 'x', { key: kept[0], outputLength: 32 }).length;
    kept.pop().dispose();
    millrace.createKey('kmac256', block).dispose();
    console.log(JSON.stringify({ code, count: kept.length, used, locked, works }));
  `);
    assert.equal(stderr, '');
    const told = JSON.parse(stdout);
    assert.equal(told.code, 'ERR_SECURE_MEMORY', stdout);
    assert.ok(told.count > 50 && told.used >= told.count * 900_000 && told.locked, stdout);
    assert.equal(told.works, 32);
  },
);

test(
  'the portable engine keeps no key when locked memory is required',
  { skip: windows },
  async (t) => {
    if (!needsLocking(t)) return;
    const { stdout, stderr } = await run(`
    const outcome = (call) => {
      try {
        return call() && 'made';
      } catch (error) {
        return error.code;
      }
    };
    const key = Buffer.alloc(32);
    const on = (engine) => outcome(() => millrace.createKey('aes-256-gcm', key, { engine }));
    const locking = () => outcome(() => millrace.configure({ secureMemory: 'required' }));
    millrace.engines(); // opens the portable engine, which holds no key yet
    const told = [locking(), on('native'), on('portable')];
    millrace.configure({ secureMemory: 'preferred' });
    told.push(on('portable'), locking(), millrace.configure().secureMemory);
    console.log(JSON.stringify(told));
  `);
    assert.equal(stderr, '');
    const [refused, key] = ['ERR_SECURE_MEMORY', 'made'];
    assert.deepEqual(JSON.parse(stdout), ['made', key, refused, key, refused, 'preferred']);
  },
);

test('the portable engine alone refuses what it cannot promise', async () => {
  const program = `
    const refused = (() => {
      try { millrace.configure({ secureMemory: 'required' }); } catch (error) { return error; }
    })();
    const { secureMemory } = millrace.engines();
    console.log(JSON.stringify([refused.code, refused.message, secureMemory]));
  `;
  const { stdout, stderr } = await run(program, { env: { MILLRACE_ENGINE: 'portable' } });
  assert.equal(stderr, '');
  const [code, message, { locked, guarded, reason }] = JSON.parse(stdout);
  assert.equal(code, 'ERR_SECURE_MEMORY');
  assert.match(message, /WebAssembly and JavaScript cannot lock/);
  assert.deepEqual([locked, guarded], [false, false]);
  assert.match(reason, /cannot lock/);
});

test('only the three modes are taken', () => {
  for (const secureMemory of [null, 0, true, {}, 1n])
    assert.throws(() => millrace.configure({ secureMemory }), { code: 'ERR_ARGUMENT_TYPE' });
  for (const secureMemory of ['', 'on', 'Required', '__proto__'])
    assert.throws(() => millrace.configure({ secureMemory }), { code: 'ERR_ARGUMENT_VALUE' });
  const { secureMemory } = millrace.configure({ secureMemory: undefined });
  assert.equal(millrace.configure({ secureMemory: 'off' }).secureMemory, 'off');
  assert.equal(millrace.engines().secureMemory.guarded, false);
  assert.equal(millrace.configure({ secureMemory }).secureMemory, secureMemory);
});
