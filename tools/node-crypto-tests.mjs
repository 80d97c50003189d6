// Runs a folder of Node's own tests of node:crypto (test/parallel/test-crypto-*.js of Node's
// repository) or WebCrypto (test-webcrypto-*.js) twice: with millrace/register or
// millrace/register-webcrypto, and with Node alone as the control. Prints assertions passed and
// failed by file. The folder's parent must have the suite's common/ and fixtures/.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { Stop, probe, root } from './steps.mjs';

const LIMIT_MS = 120_000;
const preload = join(root, 'test', 'compat', 'node-suite', 'count-assertions.cjs');
const registers = {
  crypto: join(root, 'dist', 'compat', 'register.js'),
  webcrypto: join(root, 'dist', 'compat', 'register-webcrypto.js'),
};

/**
 * Runs the tests, after `prepare` if the options are right; resolves to the exit code: 1 if a file
 * does worse than with Node alone in more places than `--allow` permits, or hangs or crashes.
 */
export async function nodeCryptoTests(args, prepare) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      node: { type: 'string', default: process.execPath },
      match: { type: 'string', default: 'test-crypto-' },
      allow: { type: 'string', default: '5' },
    },
  });
  const [given] = positionals;
  if (given === undefined)
    throw new Stop('usage: npm run test:node-crypto -- DIRECTORY [--node PATH] [--match REGEXP]');
  const folder = resolve(given);
  const match = new RegExp(values.match);
  const files = readdirSync(folder)
    .filter((name) => match.test(name) && /\.m?js$/.test(name))
    .sort();
  if (files.length === 0)
    throw new Stop(`millrace: no file that matches ${values.match} in ${folder}`);
  await prepare();
  const { stdout: version } = (await probe(values.node, ['--version'])) ?? { stdout: '?' };
  const results = [];
  const waiting = [...files];
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const path = join(folder, file);
      // One after the other: some tests use a fixed port or folder.
      const node = await run(values.node, path, []);
      const register = registers[file.startsWith('test-webcrypto-') ? 'webcrypto' : 'crypto'];
      const millrace = await run(values.node, path, ['--require', register]);
      results.push({ file, millrace, node, worse: worse(millrace, node) });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  results.sort((left, right) => (left.file < right.file ? -1 : 1));
  return report(results, version.trim(), Number(values.allow));
}

/** Runs one file in a separate process. */
async function run(node, path, extra) {
  const flags = /^\/\/ Flags:(.*)$/m.exec(readFileSync(path, 'utf8'))?.[1].trim().split(/\s+/);
  const place = mkdtempSync(join(tmpdir(), 'millrace-counts-'));
  const counts = join(place, 'counts.json');
  const child = spawn(node, [...(flags ?? []), ...extra, '--require', preload, path], {
    env: { ...process.env, MILLRACE_COUNTS: counts, NODE_TEST_DIR: place },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const [code, signal] = await new Promise((settle) => {
    child.on('exit', (...ended) => settle(ended));
  });
  clearTimeout(timer);
  let told;
  try {
    told = JSON.parse(readFileSync(counts, 'utf8'));
  } catch {
    told = { passed: 0, failed: [], uncaught: [] };
  }
  rmSync(place, { recursive: true, force: true });
  const ended = signal === null ? `exit code ${code}` : signal === 'SIGKILL' ? 'hangs' : signal;
  return { ...told, ended };
}

/** Returns what fails with Millrace and not with Node. */
function worse(millrace, node) {
  const known = new Map();
  const key = ({ where, message }) => `${where} ${message}`;
  // The stack of an error that nothing catches has no line of the test, or another one.
  const all = ({ failed, uncaught }) => [
    ...failed,
    ...uncaught.map(({ where, message }) => ({ where: where.replace(/:\d+$/, ''), message })),
  ];
  for (const each of all(node)) known.set(key(each), (known.get(key(each)) ?? 0) + 1);
  const found = [];
  for (const each of all(millrace)) {
    const left = known.get(key(each)) ?? 0;
    if (left > 0) known.set(key(each), left - 1);
    else found.push(`${each.where}: ${each.message}`);
  }
  // A file that Node alone does not end in time says nothing about Millrace.
  if (node.ended !== 'hangs' && millrace.ended !== node.ended && found.length === 0)
    found.push(`${millrace.ended}, with Node alone ${node.ended}`);
  return found;
}

function report(results, version, allowed) {
  const row = (file, ...cells) =>
    console.log([file.padEnd(58), ...cells.map((cell) => String(cell).padStart(9))].join(' '));
  row(`with Millrace | with Node ${version}`, 'passed', 'failed', 'passed', 'failed', 'worse');
  const total = [0, 0, 0, 0, 0];
  for (const { file, millrace, node, worse: found } of results) {
    const cells = [
      millrace.passed,
      millrace.failed.length + millrace.uncaught.length,
      node.passed,
      node.failed.length + node.uncaught.length,
      found.length,
    ];
    cells.forEach((cell, index) => (total[index] += cell));
    row(file, ...cells);
    for (const line of found) console.log(`    ${line}`);
  }
  row(`total, ${results.length} files`, ...total);
  console.log(
    `${total[0]} passed, ${total[1]} failed, ${total[4]} failed only with Millrace (Node ${version})`,
  );
  const broken = results.filter(
    ({ millrace, node }) =>
      node.ended !== 'hangs' && millrace.ended !== node.ended && !millrace.ended.startsWith('exit'),
  );
  for (const { file, millrace } of broken) console.log(`${file}: ${millrace.ended}`);
  return total[4] <= allowed && broken.length === 0 ? 0 : 1;
}
