// The original package's own test program, unmodified, against our entry point: test.js of
// @ronomon/crypto-async 5.0.1 in a folder with an index.js of one line that requires ours. The
// package is fetched from the registry into a cache; where it cannot be had, the test is skipped
// and says so. Its seed is random and cannot be given, hence several runs: 3, or
// MILLRACE_UPSTREAM_RUNS=<number>.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

import { entryPaths, temporary } from '../support/child.mjs';
import { fetchPackage } from '../support/registry.mjs';

const runs = Number(process.env.MILLRACE_UPSTREAM_RUNS || 3);
const entryPoint = JSON.stringify(entryPaths['millrace/crypto-async']);
const packages = { '@ronomon/crypto-async': '5.0.1', '@ronomon/queue': '3.0.1' };

const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

const missing = prepare();

const options = { skip: missing, timeout: 300_000 + runs * 60_000 };
test(`the original's test.js, ${runs} times`, options, async (t) => {
  for (let round = 1; round <= runs; round++) {
    const { stdout, stderr, code } = await runUpstream();
    const seed = /SEED\s*=\s*\S+/.exec(stdout)?.[0] ?? 'no seed printed';
    const output = `${stdout.slice(-2000)}\n${stderr.slice(-4000)}`;
    assert.equal(code, 0, `run ${round}, ${seed}: exit code ${code}\n${output}`);
    assert.match(stdout, /PASSED ALL TESTS/, `run ${round}, ${seed}`);
    t.diagnostic(`upstream run ${round}: ${seed}`);
  }
});

test("the original package's test.js does use our entry point", { skip: missing }, async () => {
  // With one constant changed it must fail; else it would have been testing something else.
  writeFileSync(
    join(folder, 'index.js'),
    `module.exports = { ...require(${entryPoint}), E_KEY: 'changed' };\n`,
  );
  const { code, stdout } = await runUpstream();
  assert.notEqual(code, 0);
  assert.doesNotMatch(stdout, /PASSED ALL TESTS/);
});

/** Lays out the folder; gives the reason if that cannot be done. */
function prepare() {
  try {
    const [upstream, queue] = Object.entries(packages).map(([name, version]) =>
      fetchPackage(name, version),
    );
    for (const file of ['test.js', 'common.js'])
      copyFileSync(join(upstream, file), join(folder, file));
    const place = join(folder, 'node_modules', '@ronomon', 'queue');
    mkdirSync(place, { recursive: true });
    for (const file of ['package.json', 'index.js'])
      copyFileSync(join(queue, file), join(place, file));
    writeFileSync(join(folder, 'index.js'), `module.exports = require(${entryPoint});\n`);
    return false;
  } catch (error) {
    return `@ronomon/crypto-async cannot be had here: ${String(error.message).split('\n')[0]}`;
  }
}

async function runUpstream() {
  const options = { cwd: folder, timeout: 300_000, maxBuffer: 2 ** 26 };
  const ended = await promisify(execFile)(process.execPath, ['test.js'], options).catch(
    (error) => error,
  );
  return { code: ended.code ?? ended.signal ?? 0, stdout: ended.stdout, stderr: ended.stderr };
}
