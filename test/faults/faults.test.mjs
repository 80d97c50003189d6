// Faults of the system: threads and descriptors refused, disks that fail or are full, clocks that
// jump, threads that stop, workers that are terminated. A call gives its right result or an error
// with a code, nothing hangs, and later calls work. `npm run test:faults` runs the long forms.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { entryPaths, root } from '../support/child.mjs';
import { environment, folder, prepare, readFaults, withFaults } from './faults.mjs';

const long = process.env.MILLRACE_FAULTS_LONG === 'all';
const skip = prepare() ?? false;
/** A test of a program with faults. */
const faulty = (title, act) => test(title, { skip }, act);

const path = join(folder, 'millrace-fault-file');
const content = Buffer.from({ length: 6_000_000 }, (_, at) => (at * 7) >> 3);
writeFileSync(path, content);
const smallPath = join(folder, 'millrace-fault-small');
writeFileSync(smallPath, content.subarray(0, 5000));
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const files = JSON.stringify([path, smallPath]);
const digests = [sha256(content), sha256(content.subarray(0, 5000))];

// threads

const calls = `
  // Node.js aborts if it cannot start its own threads for files.
  await Promise.all([1, 2, 3, 4].map(() => require('node:fs').promises.stat('.')));
  const large = Buffer.alloc(3 << 20, 5);
  millrace.configure({ threads: 6 });
  const calls = {
    hash: () => promises.hash('sha256', large, { encoding: 'hex', route: 'pool' }),
    split: () => promises.hash('blake3', large, { encoding: 'hex', route: 'split' }),
    hmac: () => promises.hmac('sha256', Buffer.alloc(32), large, { encoding: 'hex', route: 'pool' }),
    seal: async () => (await promises.seal('aes-256-gcm', {
      key: Buffer.alloc(32), nonce: Buffer.alloc(12), source: large, route: 'split',
    })).toString('hex', 0, 16),
    pbkdf2: async () => (await promises.pbkdf2('a', 'salt', 1000, 32, 'sha256')).toString('hex'),
    scrypt: async () => (await promises.scrypt('a', 'salt', 32)).toString('hex'),
    many: async () => (await promises.hashMany('sha256', Array(500).fill(large.subarray(0, 999)),
      { route: 'pool' })).toString('hex', 0, 32),
    file: () => promises.hashFile('sha256', ${JSON.stringify(path)}, { encoding: 'hex' }),
    short: () => Promise.all(Array.from({ length: 50 }, () =>
      promises.hash('sha256', large.subarray(0, 4000), { encoding: 'hex', route: 'pool' })))
      .then((all) => all.join('').slice(0, 64)),
  };
  const all = async () => {
    const found = {};
    for (const [name, call] of Object.entries(calls)) found[name] = await outcome(call);
    return found;
  };`;

/** Checks that each result is the right one or an error with this code. */
function assertResults(found, right, code, title) {
  for (const [name, result] of Object.entries(found))
    assert.ok(result === right[name] || result === code, `${title}: ${name}: ${result}`);
}

faulty('threads refused: a coded error or the right result, and later calls work', async () => {
  const [right] = await withFaults(`${calls} told(await all());`);
  for (const [name, result] of Object.entries(right)) assert.match(result, /^[0-9a-f]+$/, name);
  // Every thread after the first n: none of the pool's, or some of them.
  for (const allowed of long ? [0, 1, 2, 3] : [0, 1]) {
    const [during, count, after] = await withFaults(
      `${calls}
      const threads = ${allowed};
      // n + 1 counts down to 0, at which threads are refused.
      fault('threads', threads === 0 ? 0 : threads + 1);
      told(await all());
      told(injected());
      fault('threads', -1);
      told(await all());`,
    );
    assertResults(during, right, 'ERR_OUT_OF_MEMORY', `${allowed} threads`);
    assert.ok(count > 0, 'no thread was refused');
    assert.deepEqual(after, right);
  }
});

// files

const hashingFiles = `
  const files = ${files};
  const hashing = async () => ({
    hashFile: await outcome(() => promises.hashFile('sha256', files[0], { encoding: 'hex' })),
    small: await outcome(() => promises.hashFile('sha256', files[1], { encoding: 'hex' })),
    hashFiles: await outcome(() => promises.hashFiles('sha256', files, { encoding: 'hex' })),
    sync: await outcome(() => millrace.hashFiles('sha256', files, { encoding: 'hex' })),
  });`;
const hashed = { hashFile: digests[0], small: digests[1], hashFiles: digests, sync: digests };

for (const [name, kind] of Object.entries(readFaults))
  faulty(`reads that are ${name}: the right digest or the system's error`, async () => {
    const [found, count, after] = await withFaults(
      `${hashingFiles}
      for (const after of [1, 4000, 300_000]) {
        fault('readAfter', after);
        fault('read', ${kind});
        told(await hashing());
        fault('read', 0);
      }
      told(injected());
      told(await hashing());`,
    ).then((all) => [all.slice(0, 3), ...all.slice(3)]);
    // Node.js itself does not repeat a read that a signal interrupted.
    const errors = { short: [], interrupted: ['EINTR'], broken: ['EIO'] }[name];
    for (const each of found)
      for (const [call, result] of Object.entries(each))
        if (!errors.includes(result)) assert.deepEqual(result, hashed[call], call);
    assert.ok(count > 0, 'no read failed');
    if (name === 'broken') assert.ok(found.every(({ hashFile }) => hashFile === 'EIO'));
    assert.deepEqual(after, hashed);
  });

faulty('no descriptors left: a coded error or the right result, and later calls work', async () => {
  const [found, after] = await withFaults(`${hashingFiles}
    const all = async () => ({
      hash: await promises.hash('sha256', 'x', { encoding: 'hex', route: 'pool' }),
      random: millrace.randomBytes(32).length,
      ...(await hashing()),
    });
    const { execFileSync } = require('node:child_process');
    execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=64:']);
    const opened = [];
    try { for (;;) opened.push(openSync('/dev/null')); } catch (error) {
      if (error.code !== 'EMFILE') throw error;
    }
    told(await all());
    for (const each of opened) require('node:fs').closeSync(each);
    told(await all());`);
  const right = { hash: sha256('x'), random: 32 };
  assert.deepEqual(after, { ...right, ...hashed });
  const refused = Object.keys(hashed).map((name) => [name, 'EMFILE']);
  assert.deepEqual(found, { ...right, ...Object.fromEntries(refused) });
});

const cli = join(root, 'cli', 'main.js');
const millrace = (args, env, options) =>
  spawnSync(process.execPath, [cli, ...args], { env: { ...process.env, ...env }, ...options });

faulty('seal and open on a full disk: an error, and no file is left', () => {
  const disk = join(folder, 'millrace-fault-disk');
  mkdirSync(disk);
  const key = join(folder, 'key');
  writeFileSync(key, millrace(['keygen']).stdout, { mode: 0o600 });
  const sealed = join(folder, 'sealed');
  const seal = ['seal', '--key-file', key, '--output'];
  assert.equal(millrace([...seal, sealed, path]).status, 0);
  const open = ['open', '--key-file', key, '--output'];
  for (const writeAfter of long ? [0, 1, 100, 16_000, 65_536, 1_000_000, 5_999_999] : [0, 100_000])
    for (const [command, source] of [
      [seal, path],
      [open, sealed],
    ]) {
      const output = join(disk, 'output');
      const { status, stderr } = millrace(
        [...command, output, source],
        environment({ writeAfter }),
      );
      assert.notEqual(status, 0, `after ${writeAfter} bytes`);
      assert.match(String(stderr), /no space left|ENOSPC/i);
      assert.deepEqual(readdirSync(disk), [], 'what was written is removed');
      // An existing file stays as it was.
      writeFileSync(output, 'before');
      const again = millrace([...command, output, '--force', source], environment({ writeAfter }));
      assert.notEqual(again.status, 0);
      assert.deepEqual(readdirSync(disk), ['output']);
      assert.equal(readFileSync(output, 'utf8'), 'before');
      spawnSync('rm', [output]);
    }
});

// clocks

faulty('clocks that jump: right results and no hang', async () => {
  const [right, ...found] = await withFaults(`${calls}
    told(await all());
    for (const [name, seconds] of [
      ['realtime', 86_400 * 400], ['realtime', -86_400 * 400], ['realtime', 0],
      ['monotonic', 3600], ['monotonic', 86_400 * 400],
    ]) {
      const flying = all();
      setImmediate(() => fault(name, seconds));
      told(await flying);
      told(await all());
    }
    told(process.uptime() > 86_400);`);
  assert.equal(found.pop(), true, 'the clock has not jumped');
  for (const each of found) assert.deepEqual(each, right);
});

faulty('a clock that jumps while a password is verified: true or ERR_WORK_LIMIT', async () => {
  const found = await withFaults(`
    const hash = millrace.hashPassword('right', { memory: 8192, passes: 3, parallelism: 1 });
    told(await outcome(() => promises.verifyPassword('right', hash)));
    let seconds = 0;
    for (let round = 0; round < 20; round++) {
      const flying = outcome(() => promises.verifyPassword('right', hash));
      setImmediate(() => fault('monotonic', seconds += 100));
      told(await flying);
    }
    told(await outcome(() => promises.verifyPassword('right', hash)));`);
  assert.equal(found.at(0), true);
  assert.equal(found.at(-1), true);
  for (const each of found) assert.ok(each === true || each === 'ERR_WORK_LIMIT', String(each));
});

// threads that stop

faulty('a worker that stops and continues: all calls end, with the right results', async () => {
  const [same] = await withFaults(
    `${calls}
    const { readdirSync, readFileSync } = require('node:fs');
    const { setTimeout: after } = require('node:timers/promises');
    const workers = () => readdirSync('/proc/self/task').filter((id) => {
      try {
        return readFileSync('/proc/self/task/' + id + '/comm', 'utf8').startsWith('millrace');
      } catch { return false; }
    });
    const digest = await calls.hash();
    const key = await calls.scrypt();
    let same = true;
    for (let round = 0; round < ${long ? 200 : 10}; round++) {
      const flying = [1, 2, 3, 4].map(() => calls.scrypt());
      while (workers().length === 0) await after(1);
      const all = workers();
      const before = injected();
      fault('stopped', 1);
      process.kill(Number(all[round % all.length]), 'SIGURG');
      while (injected() === before) await after(1);
      // The others may serve these; they wait if the worker has stopped with the pool's lock.
      const others = Array.from({ length: 10 }, () => calls.hash());
      await Promise.race([Promise.all(others), after(100)]);
      fault('stopped', 0);
      same &&= (await Promise.all(others)).every((each) => each === digest);
      same &&= (await Promise.all(flying)).every((each) => each === key);
    }
    told(same);`,
  );
  assert.equal(same, true);
});

faulty('a stopped process continues with everything in flight', async () => {
  const [same] = await withFaults(`${calls}
    const right = await all();
    const { spawn } = require('node:child_process');
    const stopper = spawn('sh', ['-c',
      'for i in 1 2 3 4 5; do kill -STOP ' + process.pid + '; sleep 0.05; kill -CONT ' + process.pid
      + '; sleep 0.05; done']);
    const ended = new Promise((then) => stopper.on('close', then));
    let done = false;
    ended.then(() => (done = true));
    let same = true;
    while (!done) same &&= JSON.stringify(await all()) === JSON.stringify(right);
    told(same);`);
  assert.equal(same, true);
});

// workers

/** The program of a worker that is terminated with all of this in flight. */
const worker = `
  const millrace = require(${JSON.stringify(entryPaths.millrace)});
  const large = Buffer.alloc(1 << 20);
  const key = millrace.createKey('aes-256-gcm', Buffer.alloc(32));
  for (let at = 0; at < 8; at++) {
    millrace.hash('sha256', large, () => {});
    millrace.seal('aes-256-gcm', { key, source: large, route: 'split' }, () => {});
    millrace.pbkdf2('a', 'b', 100_000, 32, 'sha256', () => {});
  }
  millrace.createHash('sha256').update('x');
  require('node:worker_threads').parentPort.postMessage(0);
`;

const terminations = long ? 10_000 : 60;
faulty(`${terminations} workers terminated in the middle of calls`, async () => {
  const [growth] = await withFaults(
    `
    const { Worker } = require('node:worker_threads');
    const end = async () => {
      const worker = new Worker(${JSON.stringify(worker)}, { eval: true });
      await new Promise((then, fail) => {
        worker.once('message', then);
        worker.once('error', fail);
      });
      await worker.terminate();
    };
    const digest = () =>
      promises.hash('sha256', Buffer.alloc(1 << 20), { encoding: 'hex', route: 'pool' });
    const right = await digest();
    let memory;
    for (let done = 0; done < ${terminations}; done += 4) {
      await Promise.all([end(), end(), end(), end()]);
      if (done === 400) memory = process.memoryUsage().rss;
      if (done % 500 === 0 && done > 0)
        console.error(done + ' workers terminated in ' + Math.round(process.uptime()) + ' s');
    }
    if ((await digest()) !== right) throw new Error('wrong digest');
    told(memory === undefined ? 1 : process.memoryUsage().rss / memory);`,
    { timeout: 7_200_000, echo: true },
  );
  assert.ok(growth < 2, `the resident set grew ${growth} times`);
});
