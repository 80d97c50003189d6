// node:crypto against millrace/node-crypto: single calls, and three packages that use node:crypto.
//
//   npm run bench -- node-crypto [--node PATH]... [--match EXPRESSION] [--rounds 201] [--time 2]
//
// Each row has a separate process, in which both take turns after they returned the same result.
// The figures are minima of many short rounds, which other programs disturb least.
// `--node` names other versions of Node.js to run in; jose, ssri and ssh2 are installed from npm.

import { execFile } from 'node:child_process';
import { mkdirSync, existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { npm } from '../tools/install.mjs';
import { root } from '../tools/steps.mjs';
import { machineName } from './machine.mjs';
import { packages, rows } from './node-crypto/rows.mjs';
import { figure } from './competitors/report.mjs';

const run = promisify(execFile);
const folder = join(root, 'target', 'bench-node-crypto');
const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: [process.execPath] },
    match: { type: 'string', default: '' },
    rounds: { type: 'string', default: '201' },
    time: { type: 'string', default: '2' },
  },
});
const match = new RegExp(values.match);
const chosen = [...rows.entries()].filter(([, { name }]) => match.test(name));

if (chosen.some(([, { uses }]) => uses !== undefined)) await installPackages();
console.log(machineName().replace(/, v[\d.]+$/, ''));
for (const node of values.node) {
  const { stdout: version } = await run(node, ['--version']);
  console.log(`\n| Node.js ${version.trim()} | node:crypto | Millrace | times as fast |`);
  console.log('|---|---|---|---|');
  for (const [index, { name }] of chosen) {
    const entries = await measure(node, index);
    if (entries === undefined) continue;
    const [ours, theirs] = entries.map(({ least }) => least);
    const cells = [theirs, ours].map((seconds) => figure({ seconds }));
    console.log(`| ${[name, ...cells, (theirs / ours).toFixed(2)].join(' | ')} |`);
  }
}

/** Returns the figures of a row, or undefined if this version of Node.js lacks the call. */
async function measure(node, index) {
  const program = fileURLToPath(new URL('node-crypto/process.mjs', import.meta.url));
  const args = [program, String(index), values.rounds, values.time, folder];
  const { stdout } = await run(node, args);
  return stdout === '' ? undefined : JSON.parse(stdout);
}

async function installPackages() {
  const missing = Object.entries(packages).filter(([name, version]) => {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    return !existsSync(manifest) || createRequire(manifest)(manifest).version !== version;
  });
  if (missing.length === 0) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  // Without scripts: ssh2 would build its own ciphers, and then it does not use node:crypto's.
  const given = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-optional'];
  const [command, args, options] = npm([...given, ...wanted]);
  await run(command, args, { ...options, cwd: folder });
}
