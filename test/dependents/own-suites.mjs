// Runs the test suites of packages that use node:crypto, from checkouts of their repositories, with
// Node alone and with millrace/register. Their packages are installed from npm, without scripts;
// what their tests need besides is named here. Linters, types and coverage are left out.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { npm } from '../../tools/install.mjs';
import { root } from '../../tools/steps.mjs';

const exec = promisify(execFile);
const LIMIT_MS = 300_000;
const registers = ['register', 'register-webcrypto'].map(
  (name) => `--import ${pathToFileURL(join(root, 'dist', 'compat', `${name}.mjs`)).href}`,
);

const nodeTest = (folder, pattern) => ({
  files: [folder, pattern],
  run: [['--test', '--test-reporter=tap']],
});
const tape = (...files) => ({ needs: ['tape'], run: files.map((file) => [file]) });
const mocha = (...args) => ({
  needs: ['mocha'],
  run: [[join('node_modules', 'mocha', 'bin', 'mocha'), '--reporter', 'tap', ...args]],
});

/** Suites of Ava in TypeScript: of packages that use WebCrypto. */
const ava = (...needs) => ({
  needs: ['ava', 'ts-blank-space', ...needs],
  run: [['node_modules/ava/entrypoints/cli.mjs', '--tap']],
  flags: ['--import=ts-blank-space/register'],
});

/**
 * By the name of the folder. `run` has the arguments of Node.js for programs that print TAP;
 * `files` are added to them. Without `run` each of the files is a program and one test. `needs` has
 * names of devDependencies, `first` is a command that makes keys, and `flags` are options of Node.js.
 */
const suites = {
  ssh2: { files: ['test', /^test-.*\.js$/] },
  jws: { ...tape('test/jws.test.js'), needs: ['tape', 'semver'], first: ['make', 'test/keys'] },
  'fast-jwt': { ...nodeTest('test', /\.spec\.js$/), needs: ['jose', 'jsonwebtoken'] },
  jsonwebtoken: { ...mocha('--exit'), needs: ['mocha', 'chai', 'sinon', 'atob'] },
  jose: ava('undici', 'timekeeper', 'qunit'),
  'openid-client': ava('undici', 'oidc-provider', 'raw-body', 'selfsigned'),
  paseto: { needs: ['ava', 'sinon'], run: [['node_modules/ava/entrypoints/cli.mjs', '--tap']] },
  ssri: nodeTest('test', /\.js$/),
  'object-hash': mocha('test'),
  ws: mocha('--throw-deprecation', 'test/*.test.js'),
  'express-session': {
    ...mocha('--require', 'test/support/env', '--check-leaks', '--no-exit', 'test/'),
    needs: ['mocha', 'after', 'cookie-parser', 'express', 'supertest'],
    first: ['sh', 'test/support/gencert.sh'],
  },
  pbkdf2: { ...tape('test/index.js'), needs: ['tape', 'semver', 'object.assign'] },
  hasha: { ...nodeTest('.', /^test\.js$/), needs: ['esmock'] },
  'browserify-sign': { ...tape('test/index.js'), needs: ['tape', 'semver'] },
  'cookie-signature': { ...mocha('--require', 'should'), needs: ['mocha', 'should'] },
  cryptr: tape('tests/index.js'),
  iron: {
    needs: ['@hapi/lab', '@hapi/code'],
    run: [['node_modules/@hapi/lab/bin/lab', '-a', '@hapi/code', '-r', 'tap', '-l']],
  },
};

/**
 * Runs the suites with checkouts in `directory` that `isChosen` accepts. Prints a row for
 * each, by `row`; resolves to notes about failures, and sets the exit code if one fails only with
 * Millrace.
 */
export async function runOwnSuites({ directory, isChosen, node, folder, row }) {
  const notes = [];
  const { stdout } = await exec(node, ['--version']);
  const counts = ['passed', 'failed', 'failed only with Millrace', 'calls served'];
  row([`own tests, Node.js ${stdout.trim()}`, ...counts]);
  row(['---', ...counts.map(() => '---')]);
  for (const [name, suite] of Object.entries(suites).filter(isChosen)) {
    const checkout = join(resolve(directory), name);
    if (!existsSync(join(checkout, 'package.json'))) {
      console.log(`skipped: ${name}: no checkout at ${join(directory, name)}`);
      continue;
    }
    const place = join(folder, `suite-${name}`);
    const { version } = await prepare(checkout, place, suite);
    const { flags = [] } = suite;
    const plain = await results(node, place, suite, { NODE_OPTIONS: flags.join(' ') });
    const options = [...registers, ...flags].join(' ');
    const env = { NODE_OPTIONS: options, MILLRACE_REGISTER_LOG: '1' };
    const ours = await results(node, place, suite, env);
    const worse = [...ours.failed].filter(([test, count]) => count > (plain.failed.get(test) ?? 0));
    const title = `${name} ${version}`;
    row([title, ours.passed, total(ours.failed), worse.length, ours.served]);
    for (const [test, count] of plain.failed)
      notes.push(`${title}: also without: ${test} (${count})`);
    for (const [test] of worse) notes.push(`${title}: only with Millrace: ${test}`);
    if (worse.length > 0 || ours.passed < plain.passed) process.exitCode = 1;
    if (ours.passed !== plain.passed)
      notes.push(`${title}: ${plain.passed} passed without Millrace`);
    if (ours.passed === 0) {
      notes.push(`${title}: nothing passed: ${ours.output.slice(-1000)}`);
      process.exitCode = 1;
    }
    rmSync(place, { recursive: true, force: true });
  }
  return notes;
}

/** Copies a checkout and installs what its tests need. Resolves to its manifest. */
async function prepare(checkout, place, { needs = [], first }) {
  cpSync(checkout, place, { recursive: true, filter: (path) => !/node_modules|\.git$/.test(path) });
  const file = join(place, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const { devDependencies = {} } = manifest;
  const kept = Object.fromEntries(needs.map((each) => [each, devDependencies[each]]));
  writeFileSync(file, JSON.stringify({ ...manifest, devDependencies: kept }));
  rmSync(join(place, 'package-lock.json'), { force: true });
  const given = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--force'];
  const [command, args, options] = npm(given);
  await exec(command, args, { ...options, cwd: place });
  if (first !== undefined) await exec(first[0], first.slice(1), { cwd: place });
  return manifest;
}

/** Runs a suite; resolves to the number of tests passed, and those failed by name. */
async function results(node, place, { run, files }, env) {
  const found = { passed: 0, failed: new Map(), served: 0, output: '' };
  const fail = (test) => found.failed.set(test, (found.failed.get(test) ?? 0) + 1);
  const [folder, pattern] = files ?? [];
  const paths = files && readdirSync(join(place, folder)).filter((each) => pattern.test(each));
  const added = paths?.sort().map((each) => join(folder, each)) ?? [];
  const programs = run?.map((args) => [...args, ...added]) ?? added.map((path) => [path]);
  for (const args of programs) {
    const options = { cwd: place, env: { ...process.env, ...env }, maxBuffer: 2 ** 28 };
    const ended = await exec(node, args, { ...options, timeout: LIMIT_MS }).catch((error) => error);
    const { stdout, stderr, code = 0 } = ended;
    found.output += stdout + stderr;
    for (const [, count] of `${stdout}\n${stderr}`.matchAll(/^(?:# )? *(\d+) {2}Millrace /gm))
      found.served += Number(count);
    const points = run === undefined ? [] : readTap(stdout);
    for (const { ok, test } of points)
      if (ok) found.passed += 1;
      else fail(test);
    // One result for a program that is one test, or that ended before it failed a test.
    const failed = points.some(({ ok }) => !ok);
    if (code !== 0 && !failed) fail(`${args.at(-1)}: exit code ${code}`);
    if (code === 0 && run === undefined) found.passed += 1;
  }
  return found;
}

/** Returns the test points of TAP that have no points of their own. */
function readTap(text) {
  const points = [];
  let [last, group] = [0, ''];
  for (const line of text.split('\n')) {
    const heading = /^# (?!tests|pass|fail|skip)(.+)$/.exec(line);
    if (heading !== null) group = `${heading[1]}: `;
    const found = /^( *)(not )?ok\b *\d* *-? *(.*)$/.exec(line);
    if (found === null) continue;
    const [, { length: indent }, not, title] = found;
    const isParent = indent < last;
    last = indent;
    if (isParent || /# (skip|todo)\b/i.test(title)) continue;
    const test = (indent === 0 ? group : '') + title.replace(/ *#? *(time=.*|\(\d+ms\))$/, '');
    points.push({ ok: not === undefined, test });
  }
  return points;
}

function total(counts) {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
