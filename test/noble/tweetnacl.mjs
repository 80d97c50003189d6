// Runs the test files of a checkout of tweetnacl-js with the original and with Millrace, which
// installs its test runner from the npm registry. Fails if a check fails with Millrace only.
//
//   npm run test:noble -- --tweetnacl DIRECTORY

import { execFile } from 'node:child_process';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { npm } from '../../tools/install.mjs';
import { root, temporary } from '../support/child.mjs';

const exec = promisify(execFile);
const [given] = process.argv.slice(2).filter((each) => !each.startsWith('--'));
if (given === undefined) throw new Error('usage: npm run test:noble -- --tweetnacl DIRECTORY');

/** Runs a test file; resolves to the numbers of checks that passed and failed. */
async function run(cwd, file, source) {
  const env = { ...process.env, NACL_SRC: source };
  const { stdout } = await exec(process.execPath, [join('test', file)], { cwd, env }).catch(
    (error) => error,
  );
  const count = (name) => Number(new RegExp(`^# ${name} +(\\d+)`, 'm').exec(stdout)?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail') };
}

const folder = temporary();
try {
  cpSync(resolve(given), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const overrides = JSON.stringify(join(root, 'dist', 'compat', 'overrides.js'));
  writeFileSync(
    join(folder, 'millrace.js'),
    `module.exports = require(${overrides}).tweetnacl(require('./nacl-fast.js'));\n`,
  );
  const packages = ['tape@4', 'tweetnacl-util@0.15'];
  const [command, args, options] = npm(['install', '--ignore-scripts', '--no-audit', ...packages]);
  await exec(command, args, { ...options, cwd: folder });
  console.log('| file | tweetnacl passed | failed | Millrace passed | failed |');
  console.log('|---|---|---|---|---|');
  for (const file of readdirSync(join(folder, 'test')).filter((name) => name.endsWith('.js'))) {
    const [original, ours] = [
      await run(folder, file, 'nacl-fast.js'),
      await run(folder, file, 'millrace.js'),
    ];
    const cells = [file, ...[original, ours].flatMap(({ passed, failed }) => [passed, failed])];
    console.log(`| ${cells.join(' | ')} |`);
    if (original.passed === 0 || ours.passed < original.passed || ours.failed > original.failed)
      process.exitCode = 1;
  }
  console.log('\nskipped: test/c: it needs a C compiler, and compares with tweetnacl.c');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
