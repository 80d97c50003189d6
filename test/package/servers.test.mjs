// Servers: what is published, as packed tarballs in a project's node_modules, goes through
// bundlers, tracers and test runners, and the native engine serves afterwards. The tools have a
// manifest of their own in test/bundlers: `npm run test:bundlers` installs them.

import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

import { missingBrowser, startBrowser } from '../../tools/browser.mjs';
import { installed } from '../../tools/install.mjs';
import { hostPlatform } from '../../tools/platforms.mjs';
import { findRuntime, workerd } from '../../tools/runtimes.mjs';
import { serve } from '../../tools/serve.mjs';
import { root, temporary } from '../support/child.mjs';
import { bundleForEdge } from '../support/edge-bundle.mjs';
import { projects } from './examples.mjs';
import { pack } from './packed.mjs';

const tools = join(root, 'test', 'bundlers');
const missing =
  !installed(tools) && 'not run: the bundlers are not installed (npm run test:bundlers)';
const platform = hostPlatform();
const SERVED = 'SERVER ba7816bf $argon2id 35bce4ea true native=true\n';

/** The commands of docs/recipes/deployments.md that npx finds. */
const commands = [
  [root, 'esbuild'],
  [tools, 'postject'],
  [tools, 'vite'],
];

const project = temporary();
const modules = join(project, 'node_modules');

before(() => missing || layOut());
after(() => rmSync(project, { recursive: true, force: true }));

/** Lays out the project: the packages as they are published, and beside them the tools. */
async function layOut() {
  mkdirSync(modules);
  for (const name of readdirSync(join(tools, 'node_modules')).filter(
    (each) => !each.startsWith('.'),
  ))
    symlinkSync(join(tools, 'node_modules', name), join(modules, name), 'junction');
  for (const { manifest, file } of await pack(project)) {
    const folder = join(modules, manifest.name);
    mkdirSync(folder, { recursive: true });
    await run('tar', ['-xzf', file, '--strip-components=1', '-C', folder]);
  }
  mkdirSync(join(modules, '.bin'));
  for (const [place, name] of noShell() ? [] : commands)
    symlinkSync(join(place, 'node_modules', '.bin', name), join(modules, '.bin', name));
  copyFileSync(join(tools, 'server.mjs'), join(project, 'server.mjs'));
  writeFileSync(
    join(project, 'package.json'),
    '{ "name": "server", "version": "1.0.0", "private": true }\n',
  );
}

/** Runs a command; an error has all that it said. */
function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const settings = {
      cwd: project,
      timeout: 300_000,
      maxBuffer: 2 ** 26,
      ...options,
      env: { ...process.env, NO_COLOR: '1', ...options.env },
    };
    execFile(command, args, settings, (error, stdout, stderr) => {
      const told = `${error?.message.slice(0, 500)}\n${stdout}\n${stderr}`;
      if (error) reject(new Error(`${command} ${args.join(' ')}: ${told}`));
      else resolve({ stdout, stderr });
    });
  });
}

/** Runs Node. */
const runNode = (args, options) => run(process.execPath, args, options);

/** Runs `body` with a folder that has nothing of the project. */
async function elsewhere(body) {
  const folder = temporary();
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const served = async (file, options) =>
  assert.deepEqual(await runNode([file], options), { stdout: SERVED, stderr: '' });

test('without any tool', { skip: missing }, () => served(join(project, 'server.mjs')));

for (const name of [
  'esbuild (esm)',
  'esbuild (cjs)',
  'webpack',
  'rollup',
  'Vite SSR',
  '@vercel/ncc',
  '@vercel/nft',
]) {
  // Traced files and assets are there without the project; bundled code finds the platform package
  // in its node_modules.
  const place = name.startsWith('@vercel/')
    ? elsewhere
    : (body) => body(join(project, 'out', name.replace(/\W/g, '')));
  test(name, { skip: missing }, () =>
    place(async (out) => {
      const [file, ...given] = [join(tools, 'build-server.mjs'), name, project, out].map((each) =>
        JSON.stringify(each),
      );
      const program =
        `const { builders } = await import(${file}); ` +
        `process.stdout.write(await builders[${given[0]}](${given[1]}, ${given[2]}));`;
      const { stdout } = await runNode(['--input-type=module', '-e', program]);
      await served(stdout, { cwd: '/' });
      // A bundle says what must be copied where there is no node_modules.
      if (name === '@vercel/nft') return;
      // webpack moves comments to a file beside it.
      const files = readdirSync(dirname(stdout)).filter((each) =>
        /js(\.LICENSE\.txt)?$/.test(each),
      );
      const texts = files.map((each) => readFileSync(join(dirname(stdout), each), 'utf8'));
      const isSaid = (text) => /copy\s+node_modules\/@millrace\/<platform>/.test(text);
      assert.ok(texts.some(isSaid), `no comment in ${files.join()}`);
    }),
  );
}

// test runners

const assertions = `
  expect(hash('sha256', 'abc', 'hex')).toMatch(/^ba7816bf/);
  expect(hash('sha256', new Uint8Array(3), 'hex')).toHaveLength(64);
  expect(() => hash('nope', 'a')).toThrow(MillraceError);
  const stored = await promises.hashPassword('\\u00e4\\u{1f600}', { memory: 64, passes: 1 });
  expect(await promises.verifyPassword('\\u00e4\\u{1f600}', stored)).toBe(true);
  expect(await promises.hash('sha256', new Uint8Array(100_000), 'hex')).toHaveLength(64);
`;

const runners = {
  vitest: {
    file: 'some.test.mjs',
    imports: `
      import { expect, test } from 'vitest';
      import millrace, { engines, hash, MillraceError } from 'millrace';
      import * as promises from 'millrace/promises';
    `,
    more: 'expect(millrace.hash).toBe(hash);',
    start(environment, settings) {
      writeFileSync(
        join(project, 'vitest.config.mjs'),
        `export default { test: ${JSON.stringify({ ...settings, include: ['some.test.mjs'] })} };`,
      );
      const program = join(modules, 'vitest', 'vitest.mjs');
      return runNode([program, 'run', '--environment', environment]);
    },
  },
  jest: {
    file: 'some.test.js',
    imports: `
      const { engines, hash, MillraceError } = require('millrace');
      const promises = require('millrace/promises');
    `,
    more: '',
    start(environment, testEnvironmentOptions) {
      const config = {
        rootDir: project,
        testMatch: ['**/some.test.js'],
        testEnvironment: join(tools, 'node_modules', `jest-environment-${environment}`),
        testEnvironmentOptions,
        haste: { enableSymlinks: false },
        watchman: false,
      };
      const program = join(tools, 'node_modules', 'jest', 'bin', 'jest.js');
      return runNode([program, '--config', JSON.stringify(config)]);
    },
  },
};

const inlined = { server: { deps: { inline: true } } };
const conditions = { customExportConditions: ['node', 'node-addons'] };
for (const [runner, environment, native, settings, how = ''] of [
  ['vitest', 'node', true],
  ['vitest', 'jsdom', true],
  ['vitest', 'node', true, inlined, ', dependencies inlined'],
  ['jest', 'node', true],
  // With jsdom Jest asks for what browsers get: the portable engine, and asks for that of Node.js
  // with customExportConditions.
  ['jest', 'jsdom', false],
  ['jest', 'jsdom', true, conditions, ' with the conditions of Node.js'],
]) {
  test(`${runner}, environment ${environment}${how}`, { skip: missing }, async () => {
    const { file, imports, more, start } = runners[runner];
    const program = `${imports}
      test('some', async () => {
        ${assertions}
        expect(engines().native.available).toBe(${native});
        ${more}
      });
    `;
    writeFileSync(join(project, file), program);
    await start(environment, settings);
  });
}

// Node.js itself

test(
  'a single executable, the platform package in node_modules beside it, or the binary alone',
  { skip: missing || noExecutables() },
  async () => {
    const out = join(project, 'executable');
    mkdirSync(out);
    const { builders } = await import('../bundlers/build-server.mjs');
    const main = await builders['esbuild (cjs)'](project, out);
    writeFileSync(
      join(out, 'sea.json'),
      JSON.stringify({ main, output: join(out, 'sea.blob'), disableExperimentalSEAWarning: true }),
    );
    await runNode(['--experimental-sea-config', join(out, 'sea.json')]);
    const executable = join(out, 'server');
    copyFileSync(process.execPath, executable);
    chmodSync(executable, 0o755);
    const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
    const postject = join(modules, 'postject', 'dist', 'cli.js');
    await runNode([postject, executable, 'NODE_SEA_BLOB', join(out, 'sea.blob'), ...fuse]);
    const expected = { stdout: SERVED, stderr: '' };
    assert.deepEqual(await run(executable, [], { cwd: '/' }), expected);
    await elsewhere(async (alone) => {
      cpSync(executable, join(alone, 'server'));
      const binary = `millrace.${platform}.node`;
      copyFileSync(join(modules, '@millrace', platform, binary), join(alone, binary));
      assert.deepEqual(await run(join(alone, 'server'), [], { cwd: '/' }), expected);
    });
  },
);

function noShell() {
  if (process.platform === 'win32') return 'not run: commands for other systems';
  return spawnSync('bash', ['-c', 'true']).status !== 0 && 'not run: bash is not here';
}

function noExecutables() {
  if (process.platform !== 'linux')
    return 'not run: only on Linux, elsewhere executables are signed';
  return dirname(process.execPath) === '' && 'not run: there is no executable to copy';
}

const permission =
  Number.parseInt(process.versions.node, 10) >= 24 ? '--permission' : '--experimental-permission';

test(`${permission} --allow-addons --allow-fs-read=<project>`, { skip: missing }, async () => {
  const { stdout } = await runNode([
    permission,
    '--allow-addons',
    `--allow-fs-read=${project}/*`,
    '--no-warnings',
    join(project, 'server.mjs'),
  ]);
  assert.equal(stdout, SERVED);
});

// docs/recipes/deployments.md

const deployments = new Map(projects().map((each) => [each.title, each]));

/**
 * Writes the files of a section and runs its commands, in a folder that has the packages. Returns
 * the folder.
 */
async function deploy(title) {
  const { files, commands, prints } = deployments.get(title);
  const folder = join(project, 'deployments', title.replace(/\W/g, ''));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text.replaceAll('linux-x64-gnu', platform));
  }
  if (!existsSync(join(folder, 'node_modules')))
    symlinkSync(modules, join(folder, 'node_modules'), 'junction');
  if (commands === '') return folder;
  const { stdout } = await run('bash', ['-ec', commands], {
    cwd: folder,
    env: { npm_config_offline: 'true' },
  });
  if (prints !== undefined) assert.ok(stdout.endsWith(prints), stdout);
  return folder;
}

test('docs/recipes/deployments.md: every section has a test', () => {
  assert.deepEqual(
    [...deployments.keys()],
    ['Vite', 'Next.js', 'AWS Lambda', 'Cloudflare Workers', 'Single executables', 'Docker'],
  );
});

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

test(
  'docs/recipes/deployments.md: Vite, in Chromium',
  { skip: missing || noShell() || missingBrowser() },
  async () => {
    const dist = join(await deploy('Vite'), 'dist');
    const server = await serve({ folder: dist });
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`${server.url}/`);
      const buffer = Buffer.from('abc');
      await page.setInputFiles('input', { name: 'abc.txt', mimeType: 'text/plain', buffer });
      await page.waitForFunction("document.querySelector('output').textContent !== ''");
      assert.equal(
        await page.textContent('output'),
        '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85',
      );
    } finally {
      await browser.close();
      await server.close();
    }
  },
);

test(
  'docs/recipes/deployments.md: AWS Lambda, the function alone',
  { skip: missing || noShell() },
  async () => {
    const built = join(await deploy('AWS Lambda'), 'function');
    await elsewhere(async (alone) => {
      cpSync(built, alone, { recursive: true });
      const event = JSON.stringify({ body: 'YWJj', isBase64Encoded: true });
      const program = `import('./index.mjs').then(({ handler }) => handler(${event})).then(console.log)`;
      const { stdout } = await runNode(['-e', program], { cwd: alone });
      assert.ok(stdout.includes(ABC), stdout);
    });
  },
);

const found = findRuntime(workerd);
test(
  'docs/recipes/deployments.md: Cloudflare Workers, in workerd',
  { skip: missing || (found.missing && `not run: ${found.missing}`) },
  async () => {
    const folder = await deploy('Cloudflare Workers');
    const out = join(folder, 'dist');
    mkdirSync(out);
    const source = deployments.get('Cloudflare Workers').files['worker.js'];
    const names = await bundleForEdge(source, { resolveDir: folder, folder: out });
    const [, date] = /compatibility_date = "([\d-]+)"/.exec(
      deployments.get('Cloudflare Workers').files['wrangler.toml'],
    );
    const modules = names.map((name) => `(name = "${name}", wasm = embed "${name}")`);
    writeFileSync(
      join(out, 'config.capnp'),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js"), ${modules.join(', ')}],
  bindings = [(name = "SECRET", text = "a secret")],
  compatibilityDate = "${date}",
  compatibilityFlags = ["nodejs_compat"],
);
`,
    );
    const child = spawn(found.command, ['serve', '--control-fd=1', join(out, 'config.capnp')]);
    try {
      const errors = [];
      child.stderr.on('data', (chunk) => errors.push(chunk));
      const ended = new Promise((_, reject) =>
        child.once('exit', () => reject(new Error(Buffer.concat(errors).toString()))),
      );
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const { port } = JSON.parse((await Promise.race([lines.next(), ended])).value);
      const ask = async (signature) => {
        const headers = { 'x-signature': signature };
        const settings = { method: 'POST', body: 'abc', headers };
        return (await fetch(`http://127.0.0.1:${port}/`, settings)).text();
      };
      const right = createHmac('sha256', 'a secret').update('abc').digest('hex');
      assert.equal(await ask(right), 'authentic');
      assert.equal(await ask(right.replace(/^./, (c) => (c === '0' ? '1' : '0'))), 'forged');
      assert.equal(await ask(''), 'forged');
    } finally {
      child.kill();
    }
  },
);

test(
  'docs/recipes/deployments.md: a single executable, alone',
  { skip: missing || noExecutables() || noShell() },
  async () => {
    const folder = await deploy('Single executables');
    await elsewhere(async (alone) => {
      cpSync(join(folder, 'build', 'digest'), join(alone, 'digest'));
      writeFileSync(join(alone, 'abc.txt'), 'abc');
      const options = { cwd: alone, env: { TMPDIR: alone } };
      const { stdout } = await run(join(alone, 'digest'), ['abc.txt'], options);
      assert.equal(stdout, `${ABC} true\n`);
      assert.deepEqual(readdirSync(alone).sort(), ['abc.txt', 'digest']);
    });
  },
);

test('docs/recipes/deployments.md: the server of the image', { skip: missing }, async () => {
  const folder = await deploy('Docker');
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', MILLRACE_ENGINE: 'native' },
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [, port] = /port (\d+)$/.exec((await lines.next()).value);
    const url = `http://127.0.0.1:${port}/`;
    assert.equal(await (await fetch(url, { method: 'POST', body: 'abc' })).text(), ABC);
  } finally {
    child.kill();
  }
});

// Next.js

const noNext =
  !existsSync(join(tools, 'node_modules', 'next', 'package.json')) &&
  'not run: Next.js is not installed (npm run test:bundlers -- --next); ' +
    '@vercel/nft and webpack stand for it';

for (const [bundler, flags] of [
  ['webpack', ['--webpack']],
  ['Turbopack', []],
])
  test(`Next.js: next build, standalone, ${bundler}`, { skip: missing || noNext }, async () => {
    // Inside `tools`, as Turbopack follows no links out of its root.
    const site = mkdtempSync(join(tools, 'site-'));
    try {
      for (const name of ['millrace', `@millrace/${platform}`])
        cpSync(join(modules, name), join(site, 'node_modules', name), { recursive: true });
      writeFileSync(
        join(site, 'package.json'),
        '{ "name": "site", "version": "1.0.0", "private": true }\n',
      );
      const { files } = deployments.get('Next.js');
      const here = JSON.stringify(tools);
      writeFileSync(
        join(site, 'next.config.mjs'),
        files['next.config.mjs'].replace(
          ' }',
          `, outputFileTracingRoot: ${here}, turbopack: { root: ${here} } }`,
        ),
      );
      const route = 'app/api/digest/route.js';
      mkdirSync(dirname(join(site, route)), { recursive: true });
      writeFileSync(join(site, route), files[route]);
      const program = join(tools, 'node_modules', 'next', 'dist', 'bin', 'next');
      const options = { cwd: site, env: { NEXT_TELEMETRY_DISABLED: '1' }, timeout: 600_000 };
      await runNode([program, 'build', ...flags], options);
      const traced = readdirSync(join(site, '.next', 'standalone'), { recursive: true });
      const found = traced.filter((file) =>
        /node_modules.@millrace.[^/\\]+.(package\.json|millrace\..*\.node)$/.test(file),
      );
      assert.equal(found.length, 2, found.join('\n'));
      await answersRoute(join(site, '.next', 'standalone', basename(site), 'server.js'));
    } finally {
      rmSync(site, { recursive: true, force: true });
    }
  });

/** Starts a server of Next.js alone, and asks the route of the page. */
async function answersRoute(server) {
  const free = createServer();
  await new Promise((resolve) => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address();
  await new Promise((resolve) => free.close(resolve));
  const env = { ...process.env, PORT: port, HOSTNAME: '127.0.0.1' };
  const child = spawn(process.execPath, [server], { env });
  try {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes('Ready')) break;
    const url = `http://127.0.0.1:${port}/api/digest`;
    const response = await fetch(url, { method: 'POST', body: 'abc' });
    const errors = child.stderr.read()?.toString();
    assert.equal(await response.text(), `{"sha256":"${ABC}"}`, errors);
  } finally {
    child.kill();
  }
}
