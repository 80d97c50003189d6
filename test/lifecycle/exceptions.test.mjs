// Exceptions in callbacks end a process, or do not, exactly as those in the callbacks of node:fs.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { requiring, run } from '../support/child.mjs';

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
const mine = 'function throwing() { throw new Error("mine") }';
const say = '(error, origin) => console.log(error.message, origin)';
const programs = {
  'an error': 'function throwing() { throw new RangeError("mine") }',
  'an error with properties':
    'function throwing() { throw Object.assign(new Error("mine"), { code: "E_MINE", detail: 7 }) }',
  'a string': 'function throwing() { throw "mine" }',
  null: 'function throwing() { throw null }',
  undefined: 'function throwing() { throw undefined }',
  'a rejection made in it': 'function throwing() { Promise.reject(new Error("mine")) }',
  'an async callback': `async ${mine}`,
  'process.exitCode was set': `process.exitCode = 5; ${mine}`,
  'a handler': `process.on("uncaughtException", ${say}); ${mine}`,
  'a handler for one': `${mine} process.once("uncaughtException", (error) => {
    console.log(error.message);
    again();
  });`,
  'a handler that throws': `${mine} process.on("uncaughtException", () => {
    throw new Error("of the handler");
  });`,
  'a monitor': `process.on("uncaughtExceptionMonitor", ${say}); ${mine}`,
  'a capture callback': `process.setUncaughtExceptionCaptureCallback(${say}); ${mine}`,
  'an exit listener': `process.on("exit", (code) => console.log("exit", code)); ${mine}`,
  'an exit listener with another code': `process.on("exit", () => {
    process.exitCode = 9;
  }); ${mine}`,
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
  const worker = (start) => {
    const source = `${requiring()}\n${program(start, programs['an error'])}`;
    return run(`
      const { Worker } = require('node:worker_threads');
      const source = ${JSON.stringify(source.replaceAll('__filename', 'process.execPath'))};
      const worker = new Worker(source, { eval: true });
      worker.on('error', (error) => console.log(error.name, error.message));
      worker.on('exit', (code) => console.log('exit', code));
    `);
  };
  const nodes = await worker('fs.stat');
  assert.equal(nodes.stdout, 'RangeError mine\nexit 1\n');
  for (const start of Object.keys(starts).slice(1)) {
    const ours = await worker(start);
    for (const name of ['code', 'stdout', 'stderr'])
      assert.equal(ours[name], nodes[name], `${start}: ${name}`);
  }
});
