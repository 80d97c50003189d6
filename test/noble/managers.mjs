// Installs a library that depends on noble with the overrides of docs/noble-and-ethers.md, by each
// package manager, and checks that its calls reach Millrace. It needs the npm registry.
//
//   npm run test:noble -- --managers [npm|pnpm|"yarn 1"|"yarn 4"]

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { npm } from '../../tools/install.mjs';
import { findManagers } from '../../tools/managers.mjs';
import { pack, serve } from '../package/packed.mjs';
import { root, temporary } from '../support/child.mjs';

const exec = promisify(execFile);
const { positionals } = parseArgs({
  options: { managers: { type: 'boolean' } },
  allowPositionals: true,
});

/** The lines for package.json, as the page shows them. */
const page = readFileSync(join(root, 'docs', 'noble-and-ethers.md'), 'utf8');
const rows = page.matchAll(/^\| (npm|pnpm|yarn) +\| `("[^`]*)` +\|$/gm);
const lines = Object.fromEntries(
  [...rows].map(([, name, text]) => [name, JSON.parse(`{${text}}`)]),
);

/** Prints what the calls of ethereum-cryptography ran. */
const program = `
const { createRequire } = require('node:module');
const { keccak256 } = require('ethereum-cryptography/keccak.js');
const { pbkdf2Sync } = require('ethereum-cryptography/pbkdf2.js');
const library = createRequire(require.resolve('ethereum-cryptography/keccak.js'));
const inside = createRequire(library.resolve('@noble/hashes/sha3'));
let nobleCalls;
try {
  ({ nobleCalls } = inside('millrace/noble-hashes'));
} catch {}
const bytes = new Uint8Array(16);
const hex = (digest) => Buffer.from(digest).toString('hex');
console.log(JSON.stringify({
  keccak: hex(keccak256(bytes)),
  derived: hex(pbkdf2Sync(bytes, bytes, 1000, 32, 'sha256')),
  millrace: nobleCalls !== undefined,
  noble: nobleCalls?.(),
  native: nobleCalls && inside('millrace').engines().native.available,
}));
`;

const install = {
  npm: ['install', '--ignore-scripts', '--no-audit', '--no-fund'],
  pnpm: ['install', '--ignore-scripts'],
  'yarn 1': ['install', '--ignore-scripts', '--non-interactive'],
  'yarn 4': ['install'],
};

const folder = temporary();
let registry;
try {
  const [command, args, options] = npm(['config', 'get', 'registry']);
  const { stdout } = await exec(command, args, options);
  registry = await serve(await pack(folder), stdout.trim());
  const expected = await run('npm', findManagers().npm, {});
  console.log('| manager | calls reach Millrace | computed by noble | results |');
  console.log('|---|---|---|---|');
  for (const [name, manager] of Object.entries(findManagers())) {
    if (!(name in install) || (positionals.length > 0 && !positionals.includes(name))) continue;
    if (manager.missing !== undefined) {
      console.log(`| ${name} | skipped: ${manager.missing} | | |`);
      continue;
    }
    const found = await run(name, manager, lines[name.split(' ')[0]]);
    const equal = found.keccak === expected.keccak && found.derived === expected.derived;
    const served = found.millrace && found.native;
    const calls = JSON.stringify(found.noble);
    console.log(`| ${name} | ${served} | ${calls} | ${equal ? 'equal' : 'differ'} |`);
    if (!served || !equal || calls !== '{}') process.exitCode = 1;
  }
} finally {
  await registry?.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Installs by a manager and runs the program. */
async function run(name, { command, args }, fields) {
  const kind = Object.keys(fields).length === 0 ? 'plain' : 'replaced';
  const cwd = join(folder, `${name.replace(' ', '-')}-${kind}`);
  mkdirSync(cwd);
  const write = (file, text) => writeFileSync(join(cwd, file), text);
  const dependencies = { 'ethereum-cryptography': '3.2.0' };
  const manifest = { name: 'project', version: '1.0.0', private: true, dependencies, ...fields };
  write('package.json', JSON.stringify(manifest));
  write('program.cjs', program);
  const store = `store-dir=${join(folder, 'pnpm-store')}`;
  write('.npmrc', `registry=${registry.url}\nmanage-package-manager-versions=false\n${store}\n`);
  if (name === 'yarn 1') write('.yarnrc', `registry "${registry.url}"\n`);
  if (name === 'yarn 4') {
    const settings = [
      'nodeLinker: pnp',
      'enableGlobalCache: false',
      'enableScripts: false',
      'enableTelemetry: false',
      'unsafeHttpWhitelist: ["127.0.0.1"]',
      `npmRegistryServer: "${registry.url.replace(/\/$/, '')}"`,
    ];
    write('.yarnrc.yml', `${settings.join('\n')}\n`);
    write('yarn.lock', '');
  }
  const env = { ...process.env, CI: '', YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' };
  try {
    await exec(command, [...args, ...install[name]], { cwd, env, maxBuffer: 2 ** 26 });
    const runs = name === 'yarn 4' ? [command, [...args, 'node']] : [process.execPath, []];
    const { stdout } = await exec(runs[0], [...runs[1], 'program.cjs'], { cwd, env });
    return JSON.parse(stdout);
  } catch (error) {
    throw new Error(`${name}: ${error.message}\n${error.stdout}${error.stderr}`, { cause: error });
  }
}
