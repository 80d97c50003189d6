// Processes that begin with the memory of another one: from a V8 startup snapshot, and after a
// fork. Nothing that one of them makes at random is made by another.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import esbuild from 'esbuild';

import { hostPlatform } from '../../tools/platforms.mjs';
import { aeadNames, ciphers } from '../support/algorithms.mjs';
import { requiring, root, temporary } from '../support/child.mjs';

const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

/** Seals in every call style, and calls each function that makes a salt. */
const MAKE_RANDOM = `
const inCallback = (name, ...given) =>
  new Promise((resolve, reject) =>
    millrace[name](...given, (error, value) => (error ? reject(error) : resolve(value))),
  );
async function sealedStream(key) {
  const stream = promises.sealStream({ algorithm: 'aes-256-gcm', key });
  stream.end('text');
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
async function makeRandom() {
  const made = [];
  for (const [algorithm, size] of ${JSON.stringify(aeadNames.map((name) => [name, ciphers[name].key]))}) {
    const bytes = Buffer.alloc(size, 1);
    const key = millrace.createKey(algorithm, bytes);
    for (const job of [{ key: bytes, source: 'x' }, { key, source: 'x' }])
      made.push(
        millrace.seal(algorithm, job),
        await inCallback('seal', algorithm, job),
        await promises.seal(algorithm, job),
      );
  }
  const nonces = made.map((sealed) => sealed.subarray(0, 12));
  const key = Buffer.alloc(32, 1);
  return [
    ...nonces,
    await sealedStream(key),
    await promises.sealWithPassphrase('passphrase', 'text', { N: 1024 }),
    millrace.hashPassword('password', { memory: 8, passes: 1 }),
    await promises.hashPassword('password', { memory: 8, passes: 1 }),
  ].map((each) => each.toString('hex'));
}`;

const SNAPSHOT = `
const { startupSnapshot } = require('node:v8');
${requiring()}
${MAKE_RANDOM}
// Random bytes requested for several calls must not remain in the snapshot. It is made without
// WebAssembly.
require(${JSON.stringify(join(root, 'dist', 'browser', 'javascript.cjs'))}).useJavaScript();
for (const algorithm of ['aes-256-gcm', 'xchacha20-poly1305'])
  millrace.seal(algorithm, { key: Buffer.alloc(32, 1), source: 'x' });
startupSnapshot.setDeserializeMainFunction(async () => {
  if (process.argv.includes('native')) millrace.configure({ engine: 'native' });
  console.log(JSON.stringify(await makeRandom()));
});`;

before(() =>
  esbuild.build({
    stdin: { contents: SNAPSHOT, resolveDir: folder, loader: 'js' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['*.node'],
    outfile: join(folder, 'program.cjs'),
    logLevel: 'error',
  }),
);

/** Runs Node.js in the folder; these variables choose the engine. */
async function node(args, { MILLRACE_ENGINE = '', MILLRACE_BINARY = '' } = {}) {
  const env = { ...process.env, NODE_NO_WARNINGS: '1', MILLRACE_ENGINE, MILLRACE_BINARY };
  try {
    return {
      code: 0,
      ...(await promisify(execFile)(process.execPath, args, { cwd: folder, env })),
    };
  } catch ({ code, signal, stdout, stderr }) {
    return { code, signal, stdout, stderr };
  }
}

const build = ['--snapshot-blob', 'blob', '--build-snapshot', 'program.cjs'];
const buildExecutable = ['--experimental-sea-config', 'executable.json'];
const portable = { MILLRACE_ENGINE: 'portable' };

test('processes of one startup snapshot make different random bytes', async () => {
  for (const environment of [{}, portable]) {
    const built = await node(build, environment);
    assert.equal(built.code, 0, built.stderr);
    const made = [];
    for (const engine of ['portable', 'portable', 'native', 'native']) {
      const { code, stdout, stderr } = await node(['--snapshot-blob', 'blob', engine], {
        MILLRACE_BINARY: join(root, 'native', `millrace.${hostPlatform()}.node`),
      });
      assert.equal(code, 0, `${engine}: ${stderr}`);
      made.push(...JSON.parse(stdout));
    }
    assert.equal(new Set(made).size, made.length);
  }
});

test('while a snapshot is made the native engine is refused', async () => {
  writeFileSync(
    join(folder, 'executable.json'),
    JSON.stringify({ main: 'program.cjs', output: 'executable.blob', useSnapshot: true }),
  );
  for (const args of [build, buildExecutable]) {
    const { code, stderr } = await node(args, { MILLRACE_ENGINE: 'native' });
    assert.notEqual(code, 0, args[0]);
    assert.match(stderr, /startup snapshot.*MILLRACE_ENGINE=portable/, args[0]);
    assert.equal((await node(args, portable)).code, 0, args[0]);
  }
});

/** An addon with a function `fork()`; it declares what it uses, as Node's headers may be absent. */
const FORKING_ADDON = `
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
typedef void *value;
int napi_create_int32(void *, int32_t, value *);
int napi_create_function(void *, const char *, size_t, value (*)(void *, void *), void *, value *);
int napi_set_named_property(void *, value, const char *, value);
static value number(void *env, int32_t number) {
  value result;
  napi_create_int32(env, number, &result);
  return result;
}
static value do_fork(void *env, void *info) { return number(env, fork()); }
static value do_exit(void *env, void *info) { _exit(0); }
static value do_wait(void *env, void *info) {
  int status = 0;
  wait(&status);
  return number(env, status);
}
static void add(void *env, value exports, const char *name, value (*call)(void *, void *)) {
  value function;
  napi_create_function(env, name, (size_t)-1, call, NULL, &function);
  napi_set_named_property(env, exports, name, function);
}
value napi_register_module_v1(void *env, value exports) {
  add(env, exports, "fork", do_fork);
  add(env, exports, "exit", do_exit);
  add(env, exports, "wait", do_wait);
  return exports;
}`;

test(
  'a forked child makes different random bytes, or cannot run JavaScript',
  { skip: process.platform !== 'linux' && 'not run: the addon is compiled for Linux' },
  async (t) => {
    writeFileSync(join(folder, 'addon.c'), FORKING_ADDON);
    try {
      const args = ['-shared', '-fPIC', '-o', 'addon.node', 'addon.c'];
      execFileSync('cc', args, { cwd: folder, stdio: 'pipe' });
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      t.skip('not run: no C compiler');
      return;
    }
    writeFileSync(
      join(folder, 'fork.cjs'),
      `${requiring()}
      const { writeSync } = require('node:fs');
      const addon = require('./addon.node');
      const nonces = () => Array.from({ length: 3 }, () =>
        millrace.seal('aes-256-gcm', { key: Buffer.alloc(32), source: 'x' }).toString('hex', 0, 12));
      const lines = (name, nonces) => nonces.map((nonce) => name + ' ' + nonce + '\\n');
      const print = (name, nonces) => writeSync(1, lines(name, nonces).join(''));
      nonces();
      if (addon.fork() === 0) {
        print('child', nonces());
        addon.exit();
      }
      const status = addon.wait();
      print('parent', nonces());
      console.log('status', status);`,
    );
    for (const MILLRACE_ENGINE of ['portable', 'native']) {
      const { code, stdout, stderr } = await node(['fork.cjs'], { MILLRACE_ENGINE });
      assert.equal(code, 0, stderr);
      const lines = stdout.trim().split('\n');
      const nonces = lines.slice(0, -1).map((line) => line.split(' ')[1]);
      assert.equal(new Set(nonces).size, nonces.length, stdout);
      // The child has either written its nonces or been killed by a signal.
      assert.equal(nonces.length, lines.at(-1) === 'status 0' ? 6 : 3, stdout);
    }
  },
);
