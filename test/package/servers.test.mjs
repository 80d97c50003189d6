// Servers: what is published, as packed tarballs in a project's node_modules, goes through
// bundlers, tracers and test runners, and the native engine serves afterwards. The tools have a
// manifest of their own in test/bundlers: `npm run test:bundlers` installs them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';

import { installed } from '../../tools/install.mjs';
import { hostPlatform } from '../../tools/platforms.mjs';
import { pack } from './packed.mjs';
import { root, temporary } from '../support/child.mjs';

const tools = join(root, 'test', 'bundlers');
const missing =
  !installed(tools) && 'not run: the bundlers are not installed (npm run test:bundlers)';
const platform = hostPlatform();
const SERVED = 'SERVER ba7816bf $argon2id 35bce4ea true native=true\n';

const project = temporary();
const modules = join(project, 'node_modules');

before(async () => {
  if (missing) return;
  await layOut();
});
after(() => rmSync(project, { recursive: true, force: true }));

/** The project: the packages as they are published, and beside them the tools. */
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
    execFile(command, args, settings, (error, stdout, stderr) =>
      error
        ? reject(
            new Error(
              `${command} ${args.join(' ')}: ${error.message.slice(0, 500)}\n${stdout}\n${stderr}`,
            ),
          )
        : resolve({ stdout, stderr }),
    );
  });
}

const served = async (file, options) =>
  assert.deepEqual(await run(process.execPath, [file], options), { stdout: SERVED, stderr: '' });

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
  test(name, { skip: missing }, async () => {
    // What is traced or an asset is there without the project; what is bundled finds the platform
    // package in its node_modules.
    const alone = name.startsWith('@vercel/');
    const out = alone ? temporary() : join(project, 'out', name.replace(/\W/g, ''));
    try {
      const program =
        'const { builders } = await ' +
        `import(${JSON.stringify(join(tools, 'build-server.mjs'))}); ` +
        'process.stdout.write(await ' +
        `builders[${JSON.stringify(name)}](${JSON.stringify(project)}, ` +
        `${JSON.stringify(out)}));`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
      await served(stdout, { cwd: '/' });
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
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

const vitests = [
  ['node', {}, true],
  ['jsdom', {}, true],
  ['node', { server: { deps: { inline: true } } }, true],
];
for (const [environment, settings, native] of vitests) {
  const inlined = settings.server !== undefined;
  test(
    `vitest, environment ${environment}${inlined ? ', dependencies inlined' : ''}`,
    { skip: missing },
    async () => {
      writeFileSync(
        join(project, 'some.test.mjs'),
        `
      import { expect, test } from 'vitest';
      import millrace, { engines, hash, MillraceError } from 'millrace';
      import * as promises from 'millrace/promises';
      test('some', async () => {
        ${assertions}
        expect(engines().native.available).toBe(${native});
        expect(millrace.hash).toBe(hash);
      });
    `,
      );
      writeFileSync(
        join(project, 'vitest.config.mjs'),
        `export default { test: ${JSON.stringify({ ...settings, include: ['some.test.mjs'] })} };`,
      );
      await run(process.execPath, [
        join(modules, 'vitest', 'vitest.mjs'),
        'run',
        '--environment',
        environment,
      ]);
    },
  );
}

// With jsdom Jest asks for what browsers get: the portable engine, and ask for that of Node.js with
// customExportConditions.
const jests = [
  ['node', undefined, true],
  ['jsdom', undefined, false],
  ['jsdom', ['node', 'node-addons'], true],
];
for (const [environment, customExportConditions, native] of jests) {
  test(
    'jest, environment ' +
      `${environment}${customExportConditions ? ' with the conditions of Node.js' : ''}`,
    { skip: missing },
    async () => {
      writeFileSync(
        join(project, 'some.test.js'),
        `
      const { engines, hash, MillraceError } = require('millrace');
      const promises = require('millrace/promises');
      test('some', async () => {
        ${assertions}
        expect(engines().native.available).toBe(${native});
      });
    `,
      );
      const config = {
        rootDir: project,
        testMatch: ['**/some.test.js'],
        testEnvironment: join(tools, 'node_modules', `jest-environment-${environment}`),
        testEnvironmentOptions: { customExportConditions },
        haste: { enableSymlinks: false },
        watchman: false,
      };
      await run(process.execPath, [
        join(tools, 'node_modules', 'jest', 'bin', 'jest.js'),
        '--config',
        JSON.stringify(config),
      ]);
    },
  );
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
    await run(process.execPath, ['--experimental-sea-config', join(out, 'sea.json')]);
    const executable = join(out, 'server');
    copyFileSync(process.execPath, executable);
    chmodSync(executable, 0o755);
    await run(process.execPath, [
      join(modules, 'postject', 'dist', 'cli.js'),
      executable,
      'NODE_SEA_BLOB',
      join(out, 'sea.blob'),
      '--sentinel-fuse',
      'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    ]);
    assert.deepEqual(await run(executable, [], { cwd: '/' }), { stdout: SERVED, stderr: '' });
    const alone = temporary();
    try {
      copyFileSync(executable, join(alone, 'server'));
      chmodSync(join(alone, 'server'), 0o755);
      copyFileSync(
        join(modules, '@millrace', platform, `millrace.${platform}.node`),
        join(alone, `millrace.${platform}.node`),
      );
      assert.deepEqual(await run(join(alone, 'server'), [], { cwd: '/' }), {
        stdout: SERVED,
        stderr: '',
      });
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  },
);

function noExecutables() {
  if (process.platform !== 'linux')
    return 'not run: only on Linux, elsewhere executables are signed';
  return dirname(process.execPath) === '' && 'not run: there is no executable to copy';
}

const permission =
  Number.parseInt(process.versions.node, 10) >= 24 ? '--permission' : '--experimental-permission';

test(`${permission} --allow-addons --allow-fs-read=<project>`, { skip: missing }, async () => {
  const { stdout } = await run(process.execPath, [
    permission,
    '--allow-addons',
    `--allow-fs-read=${project}/*`,
    '--no-warnings',
    join(project, 'server.mjs'),
  ]);
  assert.equal(stdout, SERVED);
});

// Next.js

const next = existsSync(join(tools, 'node_modules', 'next', 'package.json'));

/** Webpack needs the setting; Turbopack copies the binary beside what it bundles. */
for (const [bundler, flags, settings] of [
  ['webpack', ['--webpack'], { serverExternalPackages: ['millrace'] }],
  ['Turbopack', [], {}],
])
  test(
    `Next.js: next build, standalone, ${bundler}`,
    {
      skip:
        missing ||
        (!next &&
          'not run: Next.js is not installed (npm run test:bundlers -- --next); ' +
            '@vercel/nft and webpack stand for it'),
    },
    async () => {
      // Inside `tools`, as Turbopack follows no links out of its root.
      const site = mkdtempSync(join(tools, 'site-'));
      try {
        mkdirSync(join(site, 'app', 'api'), { recursive: true });
        for (const name of ['millrace', `@millrace/${platform}`])
          cpSync(join(modules, name), join(site, 'node_modules', name), { recursive: true });
        writeFileSync(
          join(site, 'package.json'),
          '{ "name": "site", "version": "1.0.0", "private": true }\n',
        );
        const config = {
          output: 'standalone',
          outputFileTracingRoot: tools,
          turbopack: { root: tools },
          ...settings,
        };
        writeFileSync(join(site, 'next.config.mjs'), `export default ${JSON.stringify(config)};\n`);
        writeFileSync(
          join(site, 'app', 'layout.js'),
          'export default function Layout({ children }) { return ' +
            '<html><body>{children}</body></html>; }\n',
        );
        writeFileSync(
          join(site, 'app', 'api', 'route.js'),
          "import { engines, hash } from 'millrace';\nexport const dynamic = " +
            "'force-dynamic';\nexport const GET = () => Response.json({ hash: hash('md5', " +
            "'', 'hex'), native: engines().native.available });\n",
        );
        await run(
          process.execPath,
          [join(tools, 'node_modules', 'next', 'dist', 'bin', 'next'), 'build', ...flags],
          { cwd: site, env: { NEXT_TELEMETRY_DISABLED: '1' }, timeout: 600_000 },
        );
        const traced = readdirSync(join(site, '.next', 'standalone'), { recursive: true });
        const found = traced.filter((file) =>
          /node_modules.@millrace.[^/\\]+.(package\.json|millrace\..*\.node)$/.test(file),
        );
        assert.equal(found.length, 2, found.join('\n'));
      } finally {
        rmSync(site, { recursive: true, force: true });
      }
    },
  );
