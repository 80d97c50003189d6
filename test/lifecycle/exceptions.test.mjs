// Exceptions in callbacks end a process, or do not, exactly as those in the callbacks of node:fs.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { entryPaths as entryPoints, run } from '../support/child.mjs';

/** Asynchronous calls to compare: one of Node's own, and ours by every route and entry point. */
const starts = {
  'fs.stat': 'require("node:fs").stat(__filename, CALLBACK)',
  'a short hash': 'millrace.hash("sha256", "x", CALLBACK)',
  'a long hash': 'millrace.hash("sha256", Buffer.alloc(300_000), CALLBACK)',
  'a failed open':
    'millrace.open("aes-256-gcm", { key: Buffer.alloc(32), nonce: Buffer.alloc(12), ' +
    'source: Buffer.alloc(16) }, CALLBACK)',
  'a batch': 'millrace.hashMany("sha256", ["a", "b"], CALLBACK)',
  'the digest of a hasher': 'millrace.createHash("sha256").update("x").digest(CALLBACK)',
  'a file': 'millrace.hashFile("sha256", __filename, CALLBACK)',
  'the drop-in entry point': 'cryptoAsync.hash("sha256", Buffer.from("x"), CALLBACK)',
};

/** Programs around a call, with `throwing` as its callback. */
const programs = {
  'an error': 'function throwing() { throw new RangeError("mine") }',
  'an error with properties':
    'function throwing() { throw Object.assign(new Error("mine"), { code: "E_MINE", detail: 7 }) }',
  'a string': 'function throwing() { throw "mine" }',
  null: 'function throwing() { throw null }',
  undefined: 'function throwing() { throw undefined }',
  'a rejection made in it': 'function throwing() { Promise.reject(new Error("mine")) }',
  'an async callback': 'async function throwing() { throw new Error("mine") }',
  'process.exitCode was set':
    'process.exitCode = 5; function throwing() { throw new Error("mine") }',
  'a handler':
    'process.on("uncaughtException", (error, origin) => console.log(error.message, ' +
    'origin)); function throwing() { throw new Error("mine") }',
  'a handler for one':
    'process.once("uncaughtException", (error) => { console.log(error.message); again() ' +
    '}); function throwing() { throw new Error("mine") }',
  'a handler that throws':
    'process.on("uncaughtException", () => { throw new Error("of the handler") }); ' +
    'function throwing() { throw new Error("mine") }',
  'a monitor':
    'process.on("uncaughtExceptionMonitor", (error, origin) => ' +
    'console.log(error.message, origin)); function throwing() { throw new Error("mine") }',
  'a capture callback':
    'process.setUncaughtExceptionCaptureCallback((error) => console.log(error.message)); ' +
    'function throwing() { throw new Error("mine") }',
  'an exit listener':
    'process.on("exit", (code) => console.log("exit", code)); function throwing() { ' +
    'throw new Error("mine") }',
  'an exit listener with another code':
    'process.on("exit", () => { process.exitCode = 9 }); function throwing() { throw new ' +
    'Error("mine") }',
  'process.exit in it': 'function throwing() { process.exit(4) }',
};

const program = (start, text) =>
  `${text};\nfunction again() { ${starts[start].replace('CALLBACK', 'throwing')} }\nagain();\n`;

/**
 * Returns what a process says at its end, without what must differ: where in which file, and the
 * frames of the stack.
 */
function told({ code, signal, stdout, stderr }) {
  const lines = stderr
    .split('\n')
    .filter(
      (line) =>
        !/^\s+at |^\s*\^+$|^node:|^\/|^[A-Z]:\\/.test(line) &&
        !/rethrow|throw error;|throwing\(\)/.test(line) &&
        line.trim() !== '',
    );
  return { code, signal, stdout, stderr: lines };
}

for (const [name, text] of Object.entries(programs)) {
  test(`thrown in a callback: ${name}`, async () => {
    const [nodes, ...ours] = await Promise.all(
      Object.keys(starts).map((start) => run(program(start, text))),
    );
    const expected = told(nodes);
    for (const [index, start] of Object.keys(starts).slice(1).entries())
      assert.deepEqual(
        told(ours[index]),
        expected,
        `${start}\n${ours[index].stderr}\nbut fs.stat\n${nodes.stderr}`,
      );
  });
}

test('the codes are those of the manual', async () => {
  const code = async (name) => (await run(program('a short hash', programs[name]))).code;
  assert.equal(await code('an error'), 1);
  assert.equal(await code('a handler'), 0);
  assert.equal(await code('a handler that throws'), 7);
});

test('in a worker_thread an exception is its error event', async () => {
  const worker = (start) =>
    run(
      `
        const { Worker } = require('node:worker_threads');
        const worker = new Worker(${JSON.stringify(
          `const { entryPaths } = require('node:worker_threads').workerData;
          const [millrace, cryptoAsync] = entryPaths.map((path) => require(path));
          ${program(start, programs['an error'])}`,
        ).replaceAll('__filename', 'process.execPath')}, {
          eval: true,
          workerData: {
            entryPaths: [
              require.resolve(${JSON.stringify('MAIN')}),
              require.resolve(${JSON.stringify('CRYPTO_ASYNC')}),
            ],
          },
        });
        worker.on('error', (error) => console.log(error.name, error.message));
        worker.on('exit', (code) => console.log('exit', code));
  `
        .replace('MAIN', entryPoints.millrace)
        .replace('CRYPTO_ASYNC', entryPoints['millrace/crypto-async']),
    );
  const nodes = await worker('fs.stat');
  assert.equal(nodes.stdout, 'RangeError mine\nexit 1\n');
  for (const start of Object.keys(starts).slice(1)) {
    const { code, stdout, stderr } = await worker(start);
    assert.deepEqual(
      { code, stdout, stderr },
      { code: nodes.code, stdout: nodes.stdout, stderr: nodes.stderr },
      start,
    );
  }
});
