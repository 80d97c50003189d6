// The original packages' own test programs, unmodified, against our entry points: src/index.spec.ts
// of bigint-buffer 1.1.5 (38 tests, fetched from the registry into a cache) and of bigint-hash (48
// tests; its package lacks them, so MILLRACE_BIGINT_HASH_SPEC=<file> says where the file of its
// repository is). Each runs twice, as under Node and as in a browser, in a folder laid out like the
// original package's, where dist/ leads to ours and a few lines replace mocha and chai. A missing
// program is skipped and reported; test/compat/bigint-hash.test.mjs has tests of the same inputs.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

import { root, temporary } from '../support/child.mjs';
import { fetchPackage } from '../support/registry.mjs';

const require = createRequire(import.meta.url);
const resolved = (name) => JSON.stringify(require.resolve(name));
const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

const suites = [
  {
    entryPoint: 'bigint-buffer',
    tests: 38,
    broken: 'toBufferBE: () => Buffer.alloc(1)',
    find: () => join(fetchPackage('bigint-buffer', '1.1.5'), 'src', 'index.spec.ts'),
  },
  { entryPoint: 'bigint-hash', tests: 48, broken: 'hashAsBigInt: () => 0n', find: givenSpec },
];

/** Where each of the two lays its compiled test, and the entry that it looks for from there. */
const layouts = [
  { entry: 'node', place: 'src', browser: false },
  { entry: 'browser', place: join('build', 'src'), browser: true },
];

for (const { entryPoint, tests, broken, find } of suites) {
  const spec = attempt(() => compile(entryPoint, find()));
  const options = { skip: spec.missing };
  for (const { entry, place, browser } of layouts) {
    const name = `millrace/${entryPoint}/dist/${entry}.js`;
    test(`the original's ${tests} tests against ${name}`, options, async () => {
      const source = `module.exports = require(${resolved(name)});\n`;
      const suite = layOut(`${entryPoint}-${entry}`, spec.file, place, entry, source);
      assert.deepEqual(await runSuite(suite, browser), { passed: tests, failed: [] });
    });
  }

  test(`the original's tests of ${entryPoint} do use our entry point`, options, async () => {
    // With one function broken some must fail; else they would have been testing something else.
    const ours = `...require(${resolved(`millrace/${entryPoint}`)})`;
    const source = `module.exports = { ${ours}, ${broken} };\n`;
    const suite = layOut(`${entryPoint}-broken`, spec.file, 'src', 'node', source);
    const { passed, failed } = await runSuite(suite, false);
    assert.ok(failed.length > 0);
    assert.equal(passed + failed.length, tests);
  });
}

function attempt(prepare) {
  try {
    return { file: prepare(), missing: false };
  } catch (error) {
    const [reason] = String(error.message).split('\n');
    return { missing: `the original's tests cannot be had here: ${reason}` };
  }
}

function givenSpec() {
  const file = process.env.MILLRACE_BIGINT_HASH_SPEC;
  if (!file)
    throw new Error('MILLRACE_BIGINT_HASH_SPEC does not name src/index.spec.ts of bigint-hash');
  assert.ok(existsSync(file), `${file} is not there`);
  return file;
}

/**
 * Compiles TypeScript to JavaScript without checking types: those of mocha and chai are missing.
 */
function compile(entryPoint, spec) {
  const place = join(folder, `${entryPoint}-spec`);
  mkdirSync(place);
  copyFileSync(spec, join(place, 'index.spec.ts'));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const loose = ['--ignoreConfig', '--noCheck', '--noResolve', '--types', ''];
  const format = ['--module', 'commonjs', '--target', 'es2022', '--outDir', place];
  execFileSync(process.execPath, [tsc, join(place, 'index.spec.ts'), ...loose, ...format], {
    cwd: place,
  });
  return join(place, 'index.spec.js');
}

function layOut(name, spec, place, entry, entryPoint) {
  const base = join(folder, name);
  const files = {
    [join('dist', `${entry}.js`)]: entryPoint,
    [join('node_modules', 'mocha', 'index.js')]: mocha,
    [join('node_modules', 'chai', 'index.js')]: chai,
    [join(place, 'index.spec.js')]: readFileSync(spec, 'utf8'),
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), text);
  }
  return join(base, place, 'index.spec.js');
}

async function runSuite(file, browser) {
  const flags = browser
    ? ['--eval', `process.browser = true; require(${JSON.stringify(file)});`]
    : [file];
  const options = { timeout: 300_000, maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)(process.execPath, flags, options);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

const mocha = `
const tests = [];
globalThis.describe = (name, body) => body();
globalThis.it = (name, body) => void tests.push({ name, body });
setImmediate(async () => {
  const failed = [];
  for (const { name, body } of tests) {
    try {
      await body();
    } catch (error) {
      failed.push(name + ': ' + error.message);
    }
  }
  console.log(JSON.stringify({ passed: tests.length - failed.length, failed }));
});
`;

const chai = `
'use strict';
const assert = require('node:assert/strict');
exports.should = () => {
  Object.defineProperty(Object.prototype, 'should', {
    configurable: true,
    get() {
      return {
        equal: (expected) => assert.equal(this.valueOf(), expected),
        deep: { equal: (expected) => assert.deepEqual(this, expected) },
      };
    },
  });
};
`;
