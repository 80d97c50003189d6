// docs/recipes/many-machines.md as it is pasted, with the packed package, BullMQ and a Redis that
// this file starts. BullMQ has a manifest of its own in test/queue: `npm run test:package` installs
// it.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { installed } from '../../tools/install.mjs';
import { root, temporary } from '../support/child.mjs';
import { examplesOf } from './examples.mjs';
import { pack } from './packed.mjs';

const PAGE = 'docs/recipes/many-machines.md';
const tools = join(root, 'test', 'queue');
const noRedis = spawnSync('redis-server', ['--version']).status !== 0;
const skip = noRedis
  ? 'not run: redis-server is not installed (apt-get install redis-server)'
  : !installed(tools) && 'not run: BullMQ is not installed (npm run test:package)';

const folder = temporary();
const [example] = examplesOf(PAGE, readFileSync(join(root, PAGE), 'utf8'));
const program = join(folder, 'many-machines.mjs');
/** The servers that run. */
const servers = new Set();

before(async () => {
  if (skip) return;
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(tools, 'node_modules')).filter((each) => each[0] !== '.'))
    symlinkSync(join(tools, 'node_modules', name), join(modules, name), 'junction');
  for (const { manifest, file } of await pack(folder)) {
    const place = join(modules, manifest.name);
    mkdirSync(place, { recursive: true });
    const { status } = spawnSync('tar', ['-xzf', file, '--strip-components=1', '-C', place]);
    assert.equal(status, 0, file);
  }
  writeFileSync(program, example.code);
});
after(async () => {
  await Promise.all([...servers].map((server) => server.stop('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a port of the loopback interface that is free now. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a Redis that keeps nothing, on the loopback interface only. */
async function startRedis(port) {
  const options = { save: '', appendonly: 'no', dir: folder, bind: '127.0.0.1', port };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let log = '';
  await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`redis-server ended: ${log}`)));
    child.stdout.on('data', (text) => {
      log += text;
      if (log.includes('Ready to accept connections')) resolve();
    });
  });
  const server = { stop: (signal) => (child.kill(signal), ended) };
  servers.add(server);
  ended.then(() => servers.delete(server));
  return server;
}

/** Runs the program and its workers to their end. `watch` gets what it says of its progress. */
function run(port, watch = () => {}) {
  const env = { ...process.env, REDIS_URL: `redis://127.0.0.1:${port}` };
  const child = spawn(process.execPath, [program], { cwd: folder, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => {
    stderr += text;
    watch(stderr);
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

const limits = { skip, timeout: 100_000 };

test('a worker is killed midway: the result is that of one machine', limits, async () => {
  const port = await freePort();
  await startRedis(port);
  const { code, stdout, stderr } = await run(port);
  assert.equal(stdout, example.prints, stderr);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^seal: 31 of 31$/m);
});

test('Redis is killed midway and comes back without its data: the same', limits, async () => {
  const port = await freePort();
  const redis = await startRedis(port);
  let gone;
  const { code, stdout, stderr } = await run(port, (text) => {
    if (gone !== undefined || !/^hash: 1\d of 31$/m.test(text)) return;
    gone = redis
      .stop('SIGKILL')
      .then(() => new Promise((resolve) => setTimeout(resolve, 500)))
      .then(() => startRedis(port));
  });
  assert.ok(gone, stderr);
  await gone;
  assert.equal(stdout, example.prints, stderr);
  assert.equal(code, 0, stderr);
});
