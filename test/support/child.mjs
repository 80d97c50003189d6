// Programs run in processes of their own, for what ends a process or must be seen from outside.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

const require = createRequire(import.meta.url);

/** Where a child finds each entry point, by path: the child may lie anywhere. */
export const entryPaths = Object.fromEntries(
  ['millrace', 'millrace/promises', 'millrace/crypto-async', 'millrace/webcrypto'].map((name) => [
    name,
    require.resolve(name),
  ]),
);

/**
 * Runs a program and gives `{ code, signal, stdout, stderr, ms }`, whatever its end.
 *
 * @param source the program; `millrace`, `promises` and `cryptoAsync` are defined in it
 * @param options `args` and `flags` of Node, `env`, `timeout` in ms, `esm` for a module, `bare` to
 * load nothing, `echo` to print its errors as they come
 */
export function run(
  source,
  {
    args = [],
    flags = [],
    env = {},
    timeout = 300_000,
    esm = false,
    bare = false,
    echo = false,
  } = {},
) {
  const folder = temporary();
  const file = join(folder, esm ? 'program.mjs' : 'program.cjs');
  writeFileSync(file, `${bare ? '' : esm ? importing() : requiring()}\n${source}\n`);
  const begin = performance.now();
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...flags, file, ...args],
      { timeout, killSignal: 'SIGKILL', maxBuffer: 2 ** 24, env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        rmSync(folder, { recursive: true, force: true });
        resolve({
          code: child.exitCode,
          signal: child.signalCode,
          stdout,
          stderr,
          ms: performance.now() - begin,
        });
      },
    );
    if (echo) child.stderr.pipe(process.stderr, { end: false });
  });
}

/** Runs a program that must end by itself, with code 0, and returns what it prints. */
export async function output(source, options) {
  const { code, signal, stdout, stderr } = await run(source, options);
  assert.deepEqual([code, signal], [0, null], stderr);
  return stdout;
}

/** Returns a new folder outside the package. */
export function temporary() {
  return mkdtempSync(join(tmpdir(), 'millrace-test-'));
}

/** Returns the first lines of a CommonJS program. */
export function requiring() {
  return `const millrace = require(${JSON.stringify(entryPaths.millrace)});
const promises = require(${JSON.stringify(entryPaths['millrace/promises'])});
const cryptoAsync = require(${JSON.stringify(entryPaths['millrace/crypto-async'])});`;
}

function importing() {
  const url = (name) => JSON.stringify(pathToFileURL(entryPaths[name]).href);
  return `import millrace from ${url('millrace')};
import promises from ${url('millrace/promises')};
import cryptoAsync from ${url('millrace/crypto-async')};`;
}
