// Installs libraries with the overrides of the documentation, by each package manager, and checks
// that their calls reach Millrace, and the originals where native code refuses them. It needs the
// npm registry.
//
//   npm run test:noble -- --managers [npm|pnpm|"yarn 1"|"yarn 4"]...

import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { npm } from '../../tools/install.mjs';
import { findManagers } from '../../tools/managers.mjs';
import { pack, serve } from '../package/packed.mjs';
import { temporary } from '../support/child.mjs';
import { shownOverrides } from '../support/overrides.mjs';

const exec = promisify(execFile);
const { positionals } = parseArgs({
  options: { managers: { type: 'boolean' } },
  allowPositionals: true,
});

/**
 * The pages with overrides: the libraries that are installed, and of each that is checked the
 * package that it uses, with the version that the override names.
 */
const pages = {
  'noble-and-ethers': {
    dependencies: { 'ethereum-cryptography': '3.2.0' },
    uses: [['ethereum-cryptography', '@noble/hashes', '1']],
  },
  overrides: {
    dependencies: {
      'age-encryption': '0.3.1',
      ed2curve: '0.3.0',
      'ethereum-cryptography': '3.2.0',
      sshpk: '1.18.0',
      user: 'file:../user-1.0.0.tgz',
    },
    uses: [
      ['age-encryption', '@noble/curves', '2'],
      ['ed2curve', 'tweetnacl', '1'],
      ['ethereum-cryptography', '@noble/curves', '1'],
      ['sshpk', 'tweetnacl', '0.14'],
      ['user', '@noble/post-quantum', '0.7'],
    ],
  },
  'aws-checksums': {
    dependencies: {
      '@aws-sdk/middleware-flexible-checksums': '3.974.66',
      'older-checksums': 'npm:@aws-sdk/middleware-flexible-checksums@3.957.0',
    },
    uses: [
      ['@aws-sdk/middleware-flexible-checksums', '@aws-sdk/checksums'],
      ...['@aws-crypto/crc32', '@aws-crypto/crc32c', '@aws-sdk/crc64-nvme'].map((name) => [
        'older-checksums',
        name,
      ]),
    ],
  },
};

/** Returns the files with the overrides of a page, as a manager reads them. */
function filesOf(manager, page, manifest) {
  const lines = shownOverrides(page);
  const [kind] = manager.split(' ');
  const { uses } = pages[page];
  // yarn reads no versions in names: with several the library is named, too.
  const resolutions = Object.fromEntries(
    uses.map(([library, name, version]) => {
      const isOnly = uses.every(([, other, each]) => other !== name || each === version);
      const path = `${manager === 'yarn 1' ? '**/' : ''}${library}/${name}`;
      return [isOnly ? name : path, lines[version ? `${name}@${version}` : name]];
    }),
  );
  const fields = { npm: { overrides: lines }, yarn: { resolutions } }[kind];
  return {
    'package.json': { ...manifest, ...fields },
    ...(kind === 'pnpm' ? { 'pnpm-workspace.yaml': { overrides: lines } } : {}),
  };
}

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
  await packUser();
  console.log('| page | manager | calls reach Millrace | results |');
  console.log('|---|---|---|---|');
  for (const page of Object.keys(pages)) {
    const expected = await run(page, 'npm', findManagers().npm, undefined);
    for (const [name, manager] of Object.entries(findManagers())) {
      if (!(name in install) || (positionals.length > 0 && !positionals.includes(name))) continue;
      if (manager.missing !== undefined) {
        console.log(`| ${page} | ${name} | skipped: ${manager.missing} | |`);
        continue;
      }
      for (const linker of name === 'yarn 4' ? ['pnp', 'node-modules'] : ['']) {
        const found = await run(page, name, manager, linker);
        const titles = Object.keys(expected);
        const unserved = titles.filter((each) => !found[each].millrace);
        const different = titles.filter((each) => found[each].results !== expected[each].results);
        const served = unserved.length === 0 ? titles.length : `not from ${unserved.join(', ')}`;
        const results = different.length === 0 ? 'equal' : `differ: ${different.join(', ')}`;
        console.log(`| ${page} | ${name} ${linker} | ${served} | ${results} |`);
        for (const each of different) console.error(each, expected[each], found[each]);
        if (unserved.length + different.length > 0) process.exitCode = 1;
      }
    }
  }
} finally {
  await registry?.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Packs a library that uses noble-post-quantum 0.7. */
async function packUser() {
  const place = join(folder, 'user');
  mkdirSync(place);
  const dependencies = { '@noble/post-quantum': '0.7.1' };
  const manifest = { name: 'user', version: '1.0.0', main: './package.json', dependencies };
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
  const [command, args, options] = npm(['pack', place, '--pack-destination', folder]);
  await exec(command, args, { ...options, cwd: folder });
}

/** Installs by a manager, with the overrides if `linker` is given, and runs the program. */
async function run(page, name, { command, args }, linker) {
  const cwd = join(folder, `${page}-${name.replace(' ', '-')}-${linker}`);
  mkdirSync(cwd);
  const write = (file, text) => writeFileSync(join(cwd, file), text);
  const { dependencies, uses } = pages[page];
  const manifest = { name: 'project', version: '1.0.0', private: true, dependencies };
  const files = linker === undefined ? { 'package.json': manifest } : filesOf(name, page, manifest);
  for (const [file, value] of Object.entries(files)) write(file, JSON.stringify(value));
  copyFileSync(
    fileURLToPath(new URL('./managed-calls.cjs', import.meta.url)),
    join(cwd, 'managed-calls.cjs'),
  );
  const store = `store-dir=${join(folder, 'pnpm-store')}`;
  write('.npmrc', `registry=${registry.url}\nmanage-package-manager-versions=false\n${store}\n`);
  if (name === 'yarn 1') write('.yarnrc', `registry "${registry.url}"\n`);
  if (name === 'yarn 4') {
    const settings = [
      `nodeLinker: ${linker}`,
      'pnpEnableEsmLoader: true',
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
    const given = [...runs[1], 'managed-calls.cjs', JSON.stringify(uses)];
    const { stdout } = await exec(runs[0], given, { cwd, env });
    return JSON.parse(/^#found (.*)$/m.exec(stdout)[1]);
  } catch (error) {
    throw new Error(`${name}: ${error.message}\n${error.stdout}${error.stderr}`, { cause: error });
  }
}
