// Runs test files, each in a process of its own, and prints a line for each.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

import { Stop, root } from './steps.mjs';

/** A file of tests ends after so many milliseconds; then one of them hangs. */
const LIMIT = 30 * 60_000;

/** What all files said. */
export class Results {
  passed = 0;
  failed = 0;
  skipped = [];

  /** @param {{ passed?: number, failures?: string[], skipped?: string[] }} said */
  add({ passed = 0, failures = [], skipped = [] }) {
    this.passed += passed;
    this.failed += failures.length;
    this.skipped.push(...skipped);
  }

  /** Prints the counts, and each skipped test with the reason. Returns the number of failures. */
  conclude() {
    for (const skip of this.skipped) console.log(`  skipped: ${skip}`);
    const { passed, failed, skipped } = this;
    console.log(
      `  JavaScript tests: ${passed} passed, ${failed} failed, ${skipped.length} skipped`,
    );
    return failed;
  }
}

/** Returns the paths of all test files below a folder of test/. */
export function testFiles(folder = '', pattern = /\.test\.mjs$/) {
  const place = join(root, 'test', folder);
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file) && !file.includes('node_modules'))
    .sort()
    .map((file) => join(place, file));
}

/**
 * Returns the task that runs a file with options of Node.js and adds what it said to `results`.
 *
 * @param {string} file
 * @param {readonly string[]} options
 * @param {Results} results
 */
export function testTask(file, options, results, print = (text) => process.stdout.write(text)) {
  const run = async () => {
    const { text, ...said } = await runTestFile(file, options);
    print(text);
    results.add(said);
    if (said.failures.length > 0) throw new Stop('');
    return said;
  };
  return { title: relative(root, file).split(sep).join('/'), run };
}

/** Runs a file. Resolves to what it said, and the text of it. */
async function runTestFile(file, options) {
  const name = relative(root, file);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  const account = join(folder, 'account.json');
  const start = performance.now();
  try {
    const { code, signal, output } = await run([
      // The lifecycle tests force collections.
      '--expose-gc',
      `--test-reporter=${pathToFileURL(join(root, 'tools', 'test-reporter.mjs')).href}`,
      `--test-reporter-destination=${account}`,
      ...options,
      file,
    ]);
    const said = readAccount(account);
    const seconds = (performance.now() - start) / 1000;
    if (said.failures.length === 0 && (code !== 0 || !said.ended))
      said.failures.push(`FAILED ${name}: ${signal ?? `exit ${code}`}\n`);
    const counts = [`${said.passed} passed`];
    if (said.failures.length > 0) counts.push(`${said.failures.length} FAILED`);
    if (said.skipped.length > 0) counts.push(`${said.skipped.length} skipped`);
    const time = `${seconds.toFixed(1)} s`.padStart(7);
    const texts = [output, ...said.diagnostics, ...said.failures].filter((text) => text.trim());
    const line = `  ${name.padEnd(48)} ${time}  ${counts.join(', ')}\n`;
    return { ...said, text: line + texts.map(indent).join('') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readAccount(file) {
  try {
    return { ended: true, ...JSON.parse(readFileSync(file, 'utf8')) };
  } catch {
    return { ended: false, passed: 0, skipped: [], diagnostics: [], failures: [] };
  }
}

/** Runs Node.js. Resolves to what it printed, and how it ended. */
function run(args) {
  // With this variable a file would report to the runner of another.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      timeout: LIMIT,
      killSignal: 'SIGKILL',
    });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, output: Buffer.concat(chunks).toString() });
    });
  });
}

const indent = (text) => `${text.replace(/\n$/, '').replace(/^/gm, '    ')}\n`;
