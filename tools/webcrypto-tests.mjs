// Runs the Web Platform Tests of WebCryptoAPI twice: with millrace/register-webcrypto, and with
// Node alone as the control; its failures are known. Prints tests passed and failed by file.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { Stop, probe, root } from './steps.mjs';

const LIMIT_MS = 300_000;
const harness = join(root, 'test', 'compat', 'web-platform', 'run-file.cjs');
const register = join(root, 'dist', 'compat', 'register-webcrypto.js');

/** Files that need a window. */
const skipped = /algorithm-discards-context|historical|idlharness|secure_context|crashtests/;

/**
 * Runs the tests, after `prepare` if the options are right; resolves to the exit code: 1 if a test
 * fails only with Millrace.
 */
export async function webcryptoTests(args, prepare) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      node: { type: 'string', default: process.execPath },
      match: { type: 'string', default: '' },
    },
  });
  const [given] = positionals;
  if (given === undefined)
    throw new Stop('usage: npm run test:webcrypto -- DIRECTORY [--node PATH] [--match REGEXP]');
  const folder = resolve(given);
  const match = new RegExp(values.match);
  const files = readdirSync(folder, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.any.js') && match.test(file) && !skipped.test(file))
    .sort();
  if (files.length === 0) throw new Stop(`millrace: no *.any.js in ${folder}`);
  await prepare();
  const { stdout: version } = (await probe(values.node, ['--version'])) ?? { stdout: '?' };
  const results = [];
  const waiting = [...files];
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const node = await run(values.node, folder, file, []);
      const millrace = await run(values.node, folder, file, ['--require', register]);
      results.push({ file, node, millrace });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  results.sort((left, right) => (left.file < right.file ? -1 : 1));
  return report(results, version.trim());
}

/** Runs one file in a separate process. Resolves to the statuses of its tests by name. */
async function run(node, folder, file, extra) {
  const place = mkdtempSync(join(tmpdir(), 'millrace-tests-'));
  const output = join(place, 'results.json');
  const child = spawn(node, [...extra, '--no-warnings', harness, folder, file, output], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  await new Promise((settle) => {
    child.on('exit', settle);
  });
  clearTimeout(timer);
  try {
    return new Map(JSON.parse(readFileSync(output, 'utf8')));
  } catch {
    return new Map([['the file ends', 'it does not end']]);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function report(results, version) {
  const row = (file, ...cells) =>
    console.log([file.padEnd(64), ...cells.map((cell) => String(cell).padStart(8))].join(' '));
  row(
    `with Millrace | with Node ${version} alone`,
    'passed',
    'failed',
    'passed',
    'failed',
    'worse',
  );
  const total = [0, 0, 0, 0, 0];
  for (const { file, millrace, node } of results) {
    const passed = (statuses) => [...statuses.values()].filter((each) => each === '').length;
    const worse = [...node.keys()].filter(
      (name) => node.get(name) === '' && millrace.get(name) !== '',
    );
    const cells = [
      passed(millrace),
      millrace.size - passed(millrace),
      passed(node),
      node.size - passed(node),
      worse.length,
    ];
    cells.forEach((cell, index) => (total[index] += cell));
    row(file, ...cells);
    for (const name of worse.slice(0, 20))
      console.log(`    ${name}: ${millrace.get(name) ?? 'not run'}`);
  }
  row(`total, ${results.length} files`, ...total);
  console.log(
    `${total[0]} passed, ${total[1]} failed, ${total[4]} failed only with Millrace (Node ${version})`,
  );
  return total[4] === 0 ? 0 : 1;
}
