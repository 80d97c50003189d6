// The ancestor's own test program, unmodified, against our door: test.js of
// @ronomon/crypto-async 5.0.1 in a folder whose index.js is one line that requires ours. The
// package is fetched from the registry into a cache; where it cannot be had, the test is skipped
// and says so. Its seed is random and cannot be given, hence several runs: 3, or
// MILLRACE_UPSTREAM_RUNS=<number>.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

import { doorPaths, root, temporary } from './support/child.mjs';

const runs = Number(process.env.MILLRACE_UPSTREAM_RUNS || 3);
const packages = { '@ronomon/crypto-async': '5.0.1', '@ronomon/queue': '3.0.1' };

const cache = join(root, 'node_modules', '.cache', 'millrace-upstream');
const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

const missing = prepare();

test(`the ancestor's test.js, ${runs} times`, { skip: missing, timeout: 60_000 + runs * 60_000 }, async (t) => {
  for (let round = 1; round <= runs; round++) {
    const { stdout, stderr, code } = await runUpstream('test.js');
    const seed = /SEED\s*=\s*\S+/.exec(stdout)?.[0] ?? 'no seed printed';
    assert.equal(code, 0, `run ${round}, ${seed}: exit code ${code}\n${stdout.slice(-2000)}\n${stderr.slice(-4000)}`);
    assert.match(stdout, /PASSED ALL TESTS/, `run ${round}, ${seed}`);
    t.diagnostic(`upstream run ${round}: ${seed}`);
  }
});

test("the ancestor's test.js does use our door", { skip: missing }, async () => {
  // With one constant changed it must fail; else it would have been testing something else.
  writeFileSync(join(folder, 'index.js'), `module.exports = { ...require(${JSON.stringify(doorPaths['millrace/crypto-async'])}), E_KEY: 'changed' };\n`);
  const { code, stdout } = await runUpstream('test.js');
  assert.notEqual(code, 0);
  assert.doesNotMatch(stdout, /PASSED ALL TESTS/);
});

/** Lays out the folder; gives the reason if that cannot be done. */
function prepare() {
  try {
    const [upstream, queue] = Object.entries(packages).map(([name, version]) => fetchPackage(name, version));
    for (const file of ['test.js', 'common.js']) copyFileSync(join(upstream, file), join(folder, file));
    const place = join(folder, 'node_modules', '@ronomon', 'queue');
    mkdirSync(place, { recursive: true });
    for (const file of ['package.json', 'index.js']) copyFileSync(join(queue, file), join(place, file));
    writeFileSync(join(folder, 'index.js'), `module.exports = require(${JSON.stringify(doorPaths['millrace/crypto-async'])});\n`);
    return false;
  } catch (error) {
    return `@ronomon/crypto-async cannot be had here: ${String(error.message).split('\n')[0]}`;
  }
}

/** The unpacked package, from the cache or the registry; nothing of it is run but its test. */
function fetchPackage(name, version) {
  const place = join(cache, `${name.replace(/\W+/g, '-').slice(1)}-${version}`);
  if (!existsSync(join(place, 'package.json'))) {
    const partial = `${place}.${process.pid}`;
    mkdirSync(partial, { recursive: true });
    // npm is a script of Node; started through a shell only on Windows, where it is a .cmd.
    const npm = ['pack', `${name}@${version}`, '--ignore-scripts', '--silent', '--pack-destination', partial];
    const output = execFileSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', npm, { cwd: partial, encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'ignore'], shell: process.platform === 'win32' });
    execFileSync('tar', ['-xzf', join(partial, output.trim().split('\n').at(-1)), '-C', partial, '--strip-components=1'], { stdio: 'ignore' });
    try {
      renameSync(partial, place);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      if (!existsSync(place)) throw error;
    }
  }
  assert.equal(JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')).version, version);
  return place;
}

async function runUpstream(program) {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { cwd: folder, timeout: 60_000, maxBuffer: 2 ** 26 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return { code: error.code ?? error.signal, stdout: error.stdout ?? '', stderr: error.stderr ?? '' };
  }
}
