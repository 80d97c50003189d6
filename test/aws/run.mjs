// Installs the AWS SDK by npm, as it is and with the overrides of docs/aws-checksums.md, from
// tarballs as they are published, and compares what calls.mjs prints in both: with the newest SDK,
// and with one that has the older packages. Then it runs the program of docs/recipes/s3.md against
// an S3 server. It needs the npm registry.
//
//   npm run test:aws -- [--suites DIRECTORY] [--server PROGRAM]
//
// With --suites it also runs the tests of a checkout of aws-sdk-js-crypto-helpers. The server is
// versitygw, which Go builds from its registry once, or the program given: it gets the arguments
// `--port 127.0.0.1:PORT posix FOLDER`.

import { spawn } from 'node:child_process';
import { execFile } from 'node:child_process';
import { deepStrictEqual } from 'node:assert';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';

import { npm } from '../../tools/install.mjs';
import { skipped } from '../../tools/steps.mjs';
import { examplesOf } from '../package/examples.mjs';
import { pack, serve } from '../package/packed.mjs';
import { root, temporary } from '../support/child.mjs';

const exec = promisify(execFile);
const { values } = parseArgs({
  options: { suites: { type: 'string' }, server: { type: 'string' } },
});
const GATEWAY = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';

/** Both overrides of the page: of the newest SDK, and of older ones with exact dependencies. */
const projects = {
  newest: {
    dependencies: { '@aws-sdk/client-s3': 'latest' },
    overrides: { '@aws-sdk/checksums': 'npm:@millrace/aws-checksums@3' },
  },
  pinned: {
    dependencies: { '@aws-sdk/client-s3': '3.958.0', '@smithy/eventstream-codec': '4.2.7' },
    overrides: {
      '@aws-crypto/crc32': 'npm:@millrace/aws-crc32@5',
      '@aws-crypto/crc32c': 'npm:@millrace/aws-crc32c@5',
      '@aws-sdk/crc64-nvme': 'npm:@millrace/aws-crc64-nvme@3',
    },
  },
};

const folder = temporary();
let registry;
try {
  const packages = await pack(folder);
  registry = await serve(packages);
  const { file } = packages.find(({ manifest: { name } }) => name === 'millrace');
  for (const [name, { dependencies, overrides }] of Object.entries(projects)) {
    const plain = await install(`${name}-plain`, dependencies, {}, file);
    const replaced = await install(`${name}-replaced`, dependencies, overrides, file);
    await compare(name, plain, replaced, Object.keys(overrides));
  }
  if (values.suites !== undefined) await runSuites(resolve(values.suites));
  await runRecipe(join(folder, 'newest-replaced'));
} finally {
  await registry?.close();
  rmSync(folder, { recursive: true, force: true });
}

async function install(name, dependencies, overrides, millrace) {
  const place = join(folder, name);
  mkdirSync(place);
  const manifest = {
    private: true,
    dependencies: { ...dependencies, millrace: `file:${millrace}` },
    overrides,
  };
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(place, '.npmrc'), `@millrace:registry=${registry.url}\n`);
  const [command, args, options] = npm(['install', '--ignore-scripts', '--no-audit', '--no-fund']);
  await exec(command, args, { ...options, cwd: place });
  return place;
}

/** Runs calls.mjs in both; fails where they differ, or where a call did not reach Millrace. */
async function compare(name, plain, replaced, overridden) {
  const run = async (cwd) => {
    copyFileSync(join(root, 'test', 'aws', 'calls.mjs'), join(cwd, 'calls.mjs'));
    const { stdout } = await exec(process.execPath, ['calls.mjs'], {
      cwd,
      maxBuffer: 2 ** 26,
    });
    return JSON.parse(stdout);
  };
  const [theirs, ours] = [await run(plain), await run(replaced)];
  const place = join(replaced, 'node_modules', '@aws-sdk', 'client-s3', 'package.json');
  const { version } = JSON.parse(readFileSync(place, 'utf8'));
  const calls = Object.keys(theirs.results);
  const different = calls.filter((each) => {
    try {
      deepStrictEqual(ours.results[each], theirs.results[each]);
      return false;
    } catch (error) {
      console.log(`${name}: ${each}: ${error.message}`);
      return true;
    }
  });
  const unserved = overridden.filter((each) => !ours.served[each]);
  const wrong = Object.keys(theirs.served).filter((each) => theirs.served[each]);
  if (different.length + unserved.length + wrong.length > 0) process.exitCode = 1;
  console.log(
    `@aws-sdk/client-s3 ${version}: ${calls.length} checks, ${different.length} different with ` +
      `Millrace; served: ${overridden.filter((each) => ours.served[each]).join(', ') || 'none'}`,
  );
}

/** Runs the suites of @aws-crypto/crc32 and crc32c with the originals and with the overrides. */
async function runSuites(directory) {
  for (const name of ['crc32', 'crc32c'])
    for (const kind of ['plain', 'replaced']) {
      const place = join(folder, `pinned-${kind}`);
      const out = join(place, `${name}.test.cjs`);
      const chai = join(place, 'node_modules', 'chai');
      if (!existsSync(chai)) {
        const [command, args, options] = npm(['install', '--no-save', 'chai@4', '--no-audit']);
        await exec(command, args, { ...options, cwd: place });
      }
      await build({
        entryPoints: [join(directory, 'packages', name, 'test', 'index.test.ts')],
        outfile: out,
        bundle: true,
        platform: 'node',
        logLevel: 'error',
        nodePaths: [join(place, 'node_modules')],
        banner: { js: "const { describe, it } = require('node:test');" },
        plugins: [
          {
            name: 'installed package',
            setup({ onResolve }) {
              onResolve({ filter: /^\.\.\/src/ }, () => ({
                path: `@aws-crypto/${name}`,
                external: true,
              }));
              onResolve({ filter: /^mocha$/ }, () => ({ path: 'node:test', external: true }));
            },
          },
        ],
      });
      const args = ['--test', '--test-reporter=tap', out];
      const { stdout } = await exec(process.execPath, args, { cwd: place }).catch((error) => error);
      const count = (each) => Number(new RegExp(`^# ${each} (\\d+)`, 'm').exec(stdout)?.[1]);
      console.log(`@aws-crypto/${name}, ${kind}: ${count('pass')} passed, ${count('fail')} failed`);
      if (!(count('pass') > 0) || (kind === 'replaced' && count('fail') > 0)) process.exitCode = 1;
    }
}

/** Runs the program of docs/recipes/s3.md, as it is on the page, against a server. */
async function runRecipe(place) {
  const program = values.server ?? (await gateway());
  if (program === undefined) {
    skipped('docs/recipes/s3.md', 'there is no Go to build versitygw with');
    return;
  }
  const page = 'docs/recipes/s3.md';
  const [example] = examplesOf(page, readFileSync(join(root, page), 'utf8'));
  writeFileSync(join(place, 'recipe.mjs'), example.code);
  const port = await freePort();
  const objects = join(folder, 'objects');
  mkdirSync(objects);
  const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
  const roots = { ROOT_ACCESS_KEY: 'key', ROOT_SECRET_KEY: 'secret' };
  const server = spawn(program, ['--port', `127.0.0.1:${port}`, 'posix', objects], {
    env: { ...process.env, ...roots },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (told += text));
  try {
    const endpoint = `http://127.0.0.1:${port}`;
    await reachable(endpoint, () => told);
    const env = { ...process.env, ...keys, AWS_REGION: 'us-east-1', S3_ENDPOINT: endpoint };
    const { stdout } = await exec(process.execPath, ['recipe.mjs'], { cwd: place, env });
    deepStrictEqual(stdout, example.prints);
    console.log(`${page}: prints what it says it prints`);
  } finally {
    server.kill();
  }
}

/** Resolves to the path of versitygw, which Go builds into target/s3; undefined without Go. */
async function gateway() {
  const out = join(root, 'target', 's3');
  const program = join(out, 'versitygw');
  if (existsSync(program)) return program;
  try {
    await exec('go', ['version']);
  } catch {
    return undefined;
  }
  await exec('go', ['install', GATEWAY], { env: { ...process.env, GOBIN: out }, cwd: folder });
  return program;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

async function reachable(url, told) {
  for (let left = 100; left > 0; left--) {
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  throw new Error(`the server does not answer: ${told()}`);
}
