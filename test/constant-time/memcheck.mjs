// Runs the calls of calls.mjs in Node.js under valgrind's memcheck and reads what it reports.

import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const file = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Returns the reason why this machine cannot run the addon, and valgrind, or undefined. */
export function missing({ valgrind = true } = {}) {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch))
    return `not for ${process.platform}-${process.arch}`;
  if (valgrind && spawnSync('valgrind', ['--version']).status !== 0)
    return 'valgrind is not installed';
  if (spawnSync(compiler(), ['--version']).status !== 0) return 'there is no C compiler';
  return undefined;
}

const compiler = () => process.env.CC || 'cc';

/** Compiles the addon that marks secrets into `folder`; returns its path. */
export function buildAddon(folder) {
  const path = join(folder, 'memcheck.node');
  const args = ['-O2', '-shared', '-fPIC', file('memcheck.c'), '-o', path];
  const { status, stderr } = spawnSync(compiler(), args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`memcheck.c does not compile:\n${stderr}`);
  return path;
}

/**
 * @typedef {object} Seen what valgrind has seen of a call
 * @property {string} name
 * @property {number} errors branches and addresses that depended on secrets
 * @property {number} secretBytes bytes of the result that depend on secrets; -1 if it has none
 * @property {string} report the first report, if it is not of a place reported before
 */

/**
 * Runs the calls with the environment; `sizes` are those of calls.mjs, `only` is a text in the
 * names of the calls to run. Prints the progress every minute.
 *
 * @returns {Promise<{ calls: Seen[], engines: any }>}
 */
export async function watch(addon, { title, env = {}, sizes = 'few', only }) {
  const options = JSON.stringify({ sizes, only });
  const valgrind = [
    '-q',
    '--error-limit=no',
    '--num-callers=8',
    '--smc-check=all-non-file',
    `--suppressions=${file('../soak/valgrind.supp')}`,
  ];
  // Else each module of the portable engine reserves more addresses than valgrind has for all.
  const node = [process.execPath, '--disable-wasm-trap-handler'];
  const program = [...node, file('program.mjs'), addon, options];
  const child = spawn('valgrind', [...valgrind, ...program], { env: { ...process.env, ...env } });
  const output = { stdout: '', stderr: '' };
  for (const name of Object.keys(output))
    child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
  const progress = setInterval(() => {
    const done = output.stdout.split('\n').length - 2;
    process.stderr.write(`${title}: ${done} calls, ${Math.round(process.uptime() / 60)} minutes\n`);
  }, 120_000);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearInterval(progress);
  const own = (text) => text.replace(/^==\d+==.*\n/gm, '').trim();
  if (code !== 0) throw new Error(`the calls ended with ${code}:\n${own(output.stderr)}`);

  const reports = new Map();
  for (const [, name, text] of output.stderr.matchAll(/^-- (.*)\n([^]*?)(?=^-- |$(?![^]))/gm))
    reports.set(name, text.replace(/^==\d+== ?/gm, '').trim());
  const [first, ...facts] = output.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (!first.running) throw new Error('the program does not run under valgrind');
  const { engines } = facts.pop();
  return { calls: facts.map((each) => ({ ...each, report: reports.get(each.name) })), engines };
}
