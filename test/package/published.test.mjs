// The package as it is published: packed, served by a registry on this machine, installed by npm,
// pnpm, yarn and bun with scripts blocked, and used. The examples of README.md and docs/*.md run
// against it.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { build, transform } from 'esbuild';

import { missingBrowser, startBrowser } from '../../tools/browser.mjs';
import { findManagers, findTypeScripts } from '../../tools/managers.mjs';
import { hostPlatform, platforms } from '../../tools/platforms.mjs';
import { prepareNativeBuild } from '../../tools/prerequisites.mjs';
import { serve as serveFolder } from '../../tools/serve.mjs';
import { allExamples, examplesOf, referenceExamples } from './examples.mjs';
import { pack, serve } from './packed.mjs';
import { root, temporary } from '../support/child.mjs';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const platform = platforms.find(({ name }) => name === hostPlatform());
const entries = Object.keys(manifest.exports)
  .filter((name) => name !== './package.json' && !name.includes('*'))
  .map((name) => `millrace${name.slice(1)}`);
const PROMPTLY = 120_000;
const noShell =
  process.platform !== 'win32' && spawnSync('bash', ['-c', 'true']).status === 0
    ? false
    : 'bash is not here';

const folder = temporary();
let packages;
let registry;
before(async () => {
  packages = await pack(folder);
  registry = await serve(packages);
});
after(async () => {
  await registry?.close();
  rmSync(folder, { recursive: true, force: true });
});

const published = (name) => join(folder, 'npm', name);
const textOf = (name, file) => readFileSync(join(published(name), file), 'utf8');
const jsonOf = (name, file) => JSON.parse(textOf(name, file));
const listing = (name) =>
  readdirSync(published(name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, path, name: file }) =>
      join(parentPath ?? path, file)
        .slice(published(name).length + 1)
        .replaceAll('\\', '/'),
    );

// what is in it

test('millrace: every file that its manifest names, and nothing of the repository beside', () => {
  const files = listing('millrace');
  const shipped = jsonOf('millrace', 'package.json');
  const named = [];
  const walk = (value) =>
    typeof value === 'string' ? named.push(value) : Object.values(value).forEach(walk);
  walk([shipped.bin, shipped.main, shipped.man, shipped.types, shipped.exports]);
  assert.ok(named.length > 20);
  for (const path of named) {
    const [start, end = ''] = path.replace(/^\.\//, '').split('*');
    const found = files.some((file) =>
      path.includes('*') ? file.startsWith(start) && file.endsWith(end) : file === start,
    );
    assert.ok(found, path);
  }
  const others = 'LICENSE README.md CHANGELOG.md SECURITY.md scrypt-bench.mjs dist/uplot/LICENSE';
  for (const path of others.split(' ')) assert.ok(files.includes(path), path);
  const licences = files.filter((path) => /^dist\/.*LICENSES\.txt$/.test(path));
  assert.ok(licences.includes('dist/browser/LICENSES.txt'));
  for (const path of licences) {
    const given = textOf('millrace', path);
    const [, other] = /^The licences are in (\S+)\.\n$/.exec(given) ?? [];
    const text = other === undefined ? given : textOf('millrace', join(dirname(path), other));
    for (const crate of ['aes', 'blake3', 'sha2'])
      assert.match(text, new RegExp(`^${crate} \\d[^]*?Apache License`, 'm'), path);
  }
  assert.deepEqual(
    files.filter(
      (path) =>
        !/^(cli|dist|man)\/|^[A-Z]+(\.md)?$|^(package|sbom\.cdx)\.json$|^scrypt-bench\.mjs$/.test(
          path,
        ) || /\.(node|rs|map)$|\.stamp|\.test\./.test(path),
    ),
    [],
  );
  for (const field of ['scripts', 'private', 'dependencies']) assert.ok(!(field in shipped), field);
  assert.deepEqual(
    shipped.optionalDependencies,
    Object.fromEntries(
      packages
        .map(({ manifest: { name } }) => name)
        .filter((name) => name !== 'millrace' && !/noble-|aws-|tweetnacl/.test(name))
        .map((name) => [name, manifest.version]),
    ),
  );
});

test('the platform package: its binary, licences, and with cargo-cyclonedx what is in it', () => {
  const others = ['LICENSE', 'LICENSES.txt', 'README.md', 'package.json'];
  assert.deepEqual(
    listing(platform.name)
      .filter((path) => !/^index\.|^sbom\.cdx\.json$/.test(path))
      .sort(),
    [...others, `millrace.${platform.name}.node`].sort(),
  );
});

test('the bill of materials of millrace has the bundled npm packages and crates', () => {
  const { components } = jsonOf('millrace', 'sbom.cdx.json');
  const npm = components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
  assert.deepEqual(
    npm.map(({ name }) => name),
    ['uplot'],
  );
  for (const { name, version, purl, licenses, hashes } of npm) {
    const folder = join(root, 'node_modules', name);
    const installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    assert.equal(version, installed.version);
    assert.equal(purl, `pkg:npm/${name.replace('@', '%40')}@${version}`);
    assert.deepEqual(licenses, [{ expression: installed.license }]);
    assert.match(hashes[0].content, /^[\da-f]{128}$/);
    // The field `license` of the package covers what is bundled.
    assert.ok(
      jsonOf('millrace', 'package.json').license.split(' AND ').includes(installed.license),
    );
  }
  // The crates in the WebAssembly modules.
  const crates = components.filter(({ purl }) => purl.startsWith('pkg:cargo/'));
  for (const name of ['aes', 'blake3', 'chacha20', 'sha2'])
    assert.ok(
      crates.some((each) => each.name === name),
      name,
    );
  for (const { name, version, licenses, hashes } of crates) {
    assert.match(licenses[0].expression, /MIT|Apache-2\.0|BSD-3-Clause/, name);
    assert.match(version, /^\d+\.\d+\.\d+/, name);
    assert.match(hashes[0].content, /^[\da-f]{64}$/, name);
  }
});

test('LICENSES.txt of a platform has what is in its binary', () => {
  const text = textOf(platform.name, 'LICENSES.txt');
  const [list] = text.split('-'.repeat(80));
  // The paths of sources in the messages of panics.
  const binary = readFileSync(
    join(published(platform.name), `millrace.${platform.name}.node`),
    'latin1',
  );
  const named = new Set(
    [...binary.matchAll(/([a-z][\w-]*)-\d+\.\d+\.\d+[/\\]src[/\\]/g)].map(([, name]) => name),
  );
  assert.ok(named.has('blake3'), `only ${[...named].join(', ')}`);
  for (const name of named)
    assert.match(list, new RegExp(`^${name} `, 'm'), `${name} is in the binary`);
  if (platform.os === 'linux')
    assert.doesNotMatch(list, /windows|wasi|fortanix|r-efi|hermit|vex|wit-bindgen|moto|unwinding/);
  assert.match(list, /^hashbrown(?: \S+)? of the standard library/m);
  const { license } = jsonOf(platform.name, 'package.json');
  assert.equal(license, 'Apache-2.0 AND BSD-3-Clause AND CC0-1.0 AND ISC AND MIT AND Unicode-3.0');
});

test('LICENSES.txt has every linked crate with the text of its licence', async () => {
  const text = textOf(platform.name, 'LICENSES.txt');
  const listed = [...text.split('-'.repeat(80))[0].matchAll(/^(\S+) (\d\S*) \(/gm)].map(
    ([, name, version]) => `${name} ${version}`,
  );
  const reachable = await reachableCrates();
  assert.ok(reachable.length > 5);
  if (platform.os === 'linux')
    assert.match(
      readFileSync(join(root, 'docs', 'audit.md'), 'utf8'),
      new RegExp(`audited the ${listed.length} crates that are compiled in`),
    );
  assert.deepEqual(listed, reachable);
  const lock = readFileSync(join(root, 'Cargo.lock'), 'utf8');
  for (const each of listed) {
    const [name, version] = each.split(' ');
    assert.ok(lock.includes(`name = "${name}"\nversion = "${version}"`), each);
    const sections = text
      .split(/-{80}\n/)
      .flatMap((part, index, all) =>
        part.split('\n').includes(each) && index > 0 ? [all[index + 1]] : [],
      );
    assert.ok(
      sections.some(
        (section) =>
          section?.length > 500 && /copyright|public domain|Apache License/i.test(section),
      ),
      each,
    );
  }
  const owners =
    'Amazon.com, The OpenSSL Project, fiat-crypto, Eric Young, LongYinan, The Rust Project Developers';
  for (const owner of owners.split(', ')) assert.ok(text.includes(owner), owner);
});

/**
 * Returns the crates that the binding reaches by dependencies that are neither for the build nor
 * for tests.
 */
async function reachableCrates() {
  const env = await prepareNativeBuild();
  // Of this package alone: the features of others in the workspace do not count.
  const options =
    `--locked --package millrace-node --target ${platform.rust} --edges normal ` +
    '--prefix none --format {p}';
  const { status, stdout, stderr } = spawnSync('cargo', ['tree', ...options.split(' ')], {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  assert.equal(status, 0, stderr);
  const found = stdout.split('\n').filter((line) => line !== '' && !line.includes('('));
  return [...new Set(found.map((line) => line.trim().replace(' v', ' ')))].sort((left, right) =>
    left.localeCompare(right, 'en'),
  );
}

// installing

/** Makes an empty project that knows the registry, in each manager's own words. */
function project(name, url = registry.url) {
  const place = join(folder, name.replaceAll(' ', '-'));
  const home = join(place, 'home');
  const cwd = join(place, 'project');
  mkdirSync(home, { recursive: true });
  mkdirSync(cwd);
  const files = {
    'package.json': '{ "name": "project", "version": "1.0.0", "private": true }\n',
    '.npmrc':
      `registry=${url}\naudit=false\nfund=false\nupdate-notifier=false\n` +
      `manage-package-manager-versions=false\n`,
  };
  if (name === 'yarn 1') files['.yarnrc'] = `registry "${url}"\ndisable-self-update-check true\n`;
  if (name === 'yarn 4') {
    files['.yarnrc.yml'] = `nodeLinker: pnp
pnpEnableEsmLoader: true
enableGlobalCache: false
enableScripts: false
enableTelemetry: false
unsafeHttpWhitelist: ["127.0.0.1"]
npmRegistryServer: "${url.replace(/\/$/, '')}"
`;
    // The folder is a separate project.
    files['yarn.lock'] = '';
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
  // Variables of the npm that runs this test would reach those it tests.
  const own = Object.entries(process.env).filter(
    ([variable]) => !/^(npm_|yarn_|pnpm_|bun_|node_test|millrace_)/i.test(variable),
  );
  const folders = ['cache', 'data', 'config', 'state'].map((each) => [
    `XDG_${each.toUpperCase()}_HOME`,
    join(home, each),
  ]);
  const env = {
    ...Object.fromEntries([...own, ...folders]),
    HOME: home,
    USERPROFILE: home,
    NO_COLOR: '1',
    CI: '1',
    BUN_INSTALL_CACHE_DIR: join(home, 'bun'),
    // The loader of yarn 4 is experimental to Node, which says so.
    ...(name === 'yarn 4' ? { NODE_NO_WARNINGS: '1' } : {}),
  };
  return { cwd, env };
}

/** Runs a program without input; what takes too long is ended with all that it has started. */
function start(command, args, { cwd, env }) {
  const windows = process.platform === 'win32';
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: !windows,
      shell: windows && command === 'npm',
    });
    const timer = setTimeout(
      () => (windows ? child.kill() : process.kill(-child.pid, 'SIGKILL')),
      PROMPTLY,
    );
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => (said[name] += text));
    const end = (code) => {
      clearTimeout(timer);
      resolve({ code, ...said, all: `${said.stdout}${said.stderr}` });
    };
    child.once('error', ({ code }) => end(code));
    child.once('close', (code, signal) => end(code ?? signal));
  });
}

/** Makes a project in which npm has installed the package. */
async function projectOfNpm(name, url) {
  const place = project(name, url);
  const { command, args } = findManagers().npm;
  const added = await start(command, [...args, ...verbs.npm.add], place);
  assert.equal(added.code, 0, added.all);
  return place;
}

/** How each manager adds a package, and runs Node and a package's command. */
const verbs = {
  npm: {
    add: ['install', '--ignore-scripts', 'millrace'],
    bin: ['exec', '--no', '--', 'millrace'],
  },
  pnpm: { add: ['add', '--ignore-scripts', 'millrace'], bin: ['exec', 'millrace'] },
  'yarn 1': {
    add: ['add', '--ignore-scripts', '--non-interactive', 'millrace'],
    bin: ['--silent', 'run', 'millrace'],
  },
  'yarn 4': { add: ['add', 'millrace'], bin: ['run', 'millrace'], node: ['node'] },
  bun: { add: ['add', '--ignore-scripts', 'millrace'], bin: ['x', '--no-install', 'millrace'] },
};

const ABC = createHash('sha256').update('abc').digest('hex');

const answers = `
const expect = (found, wanted, what) => {
  if (found !== wanted) throw new Error(what + ': ' + found);
};
const check = (entryPoints) => {
  const main = entryPoints['millrace'];
  expect(main.engines().native.available, true, 'native');
  expect(main.hash('sha256', 'abc', 'hex'), '${ABC}', 'hash');
  for (const [name, entryPoint] of Object.entries(entryPoints))
    // The register entry points export nothing, ethers one function.
    if (Object.keys(entryPoint).length < (name.startsWith('millrace/register') ? 0 : 1))
      throw new Error(name + ' is empty');
  console.log('ok ' + Object.keys(entryPoints).length);
};
`;

describe('installed, with scripts blocked', { concurrency: 2 }, () => {
  for (const [name, { command, args, missing }] of Object.entries(findManagers())) {
    test(`by ${name}`, { skip: missing ?? false }, async () => {
      const place = project(name);
      const { add, bin, node } = verbs[name];
      const run = (given, more) => start(command, [...args, ...given], { ...place, ...more });
      const inNode = (file) =>
        node === undefined ? start(process.execPath, [file], place) : run([...node, file]);

      const added = await run(add);
      assert.equal(added.code, 0, added.all);
      writeFileSync(join(place.cwd, 'abc.txt'), 'abc');
      const names = JSON.stringify(entries);
      writeFileSync(
        join(place.cwd, 'check.cjs'),
        `${answers}check(Object.fromEntries(${names}.map((name) => [name, require(name)])));\n`,
      );
      writeFileSync(
        join(place.cwd, 'check.mjs'),
        `${answers}const entryPoints = {};
for (const name of ${names}) entryPoints[name] = await import(name);
check(entryPoints);\n`,
      );
      for (const file of ['check.cjs', 'check.mjs']) {
        const { stdout, stderr, code } = await inNode(file);
        assert.deepEqual(
          { stdout, stderr, code },
          { stdout: `ok ${entries.length}\n`, stderr: '', code: 0 },
          file,
        );
      }
      const sum = await run([...bin, 'sum', 'abc.txt']);
      assert.equal(sum.stdout, `${ABC}  abc.txt\n`, sum.all);
      for (const given of [
        'keygen key',
        'seal --key-file key abc.txt',
        'open --key-file key --output opened.txt abc.txt.sealed',
      ]) {
        const { code, all } = await run([...bin, ...given.split(' ')]);
        assert.equal(code, 0, all);
      }
      assert.equal(readFileSync(join(place.cwd, 'opened.txt'), 'utf8'), 'abc');
    });
  }
});

test('millrace/register-webcrypto under jose', async () => {
  const place = await projectOfNpm('with jose');
  cpSync(join(root, 'node_modules', 'jose'), join(place.cwd, 'node_modules', 'jose'), {
    recursive: true,
  });
  writeFileSync(
    join(place.cwd, 'jose.mjs'),
    `import { SignJWT, jwtVerify } from 'jose';
     const secret = new Uint8Array(32);
     const jwt = await new SignJWT({ sub: 'abc' }).setProtectedHeader({ alg: 'HS256' }).sign(secret);
     console.log((await jwtVerify(jwt, secret)).payload.sub);\n`,
  );
  const { code, stdout, stderr } = await start(
    process.execPath,
    ['--import', 'millrace/register-webcrypto', 'jose.mjs'],
    { ...place, env: { ...place.env, MILLRACE_REGISTER_LOG: '1' } },
  );
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'abc\n');
  for (const call of ['sign', 'verify'])
    assert.match(stderr, new RegExp(`Millrace +subtle\\.${call} hmac$`, 'm'));
});

// without the platform package

test(
  'without the platform package: one warning that names the portable engine; an error with ' +
    'MILLRACE_ENGINE=native',
  async () => {
    const alone = await serve(packages.filter(({ manifest: { name } }) => name === 'millrace'));
    const place = await projectOfNpm('alone', alone.url).finally(() => alone.close());
    assert.ok(alone.asked.includes(`@millrace/${platform.name}`), alone.asked.join());
    const program =
      "const millrace = require('millrace'); require('millrace/promises'); for (let call = " +
      "0; call < 3; call++) millrace.hash('sha256', 'abc'); " +
      "console.log(millrace.hash('sha256', 'abc', 'hex'), " +
      'millrace.engines().native.available)';
    const run = (env = {}) =>
      start(process.execPath, ['-e', program], { cwd: place.cwd, env: { ...place.env, ...env } });

    const printed = { code: 0, stdout: `${ABC} false\n` };
    const { code, stdout, stderr } = await run();
    assert.deepEqual({ code, stdout }, printed, stderr);
    assert.equal(stderr.match(/MillraceWarning/g)?.length, 1, stderr);
    for (const part of ['[MILLRACE_NO_BINARY]', 'portable engine', `@millrace/${platform.name}`])
      assert.ok(stderr.includes(part), `${part} in ${stderr}`);

    const refused = await run({ MILLRACE_ENGINE: 'native' });
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /ERR_NO_BINARY/);
    assert.ok(refused.stderr.includes(`@millrace/${platform.name}`), refused.stderr);
    assert.doesNotMatch(refused.stderr, /MillraceWarning/);
    const { all: _, ...asked } = await run({ MILLRACE_ENGINE: 'portable' });
    assert.deepEqual(asked, { ...printed, stderr: '' });
  },
);

// types and examples

describe('in a project of npm', { concurrency: 2 }, () => {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  let place;
  before(async () => {
    place = await projectOfNpm('documented');
    const noble = join('node_modules', '@noble', 'hashes');
    cpSync(join(root, noble), join(place.cwd, noble), { recursive: true });
  });

  /** Compiles a project, of which `config` is the file with its options. */
  const compile = async ({ command, args }, config, options, include) => {
    const common = { target: 'es2022', strict: true, noEmit: true };
    const typeRoots = [join(root, 'node_modules', '@types')];
    const compilerOptions = { ...common, typeRoots, ...options };
    writeFileSync(config, JSON.stringify({ compilerOptions, include }));
    const { code, all } = await start(command, [...args, '--project', config], place);
    assert.equal(code, 0, `${config}: ${all}`);
  };

  const newest = { command: process.execPath, args: [tsc] };
  const [oldest] = findTypeScripts();
  for (const [resolution, module, compiler, name = ''] of [
    ['nodenext', 'nodenext', newest],
    ['bundler', 'esnext', newest],
    ['nodenext', 'nodenext', oldest, `, ${oldest.name}`],
    ['bundler', 'esnext', oldest, `, ${oldest.name}`],
    ['node10', 'commonjs', oldest, `, ${oldest.name}`],
    ['bundler', 'esnext', newest, ', in a browser'],
    ['bundler', 'esnext', oldest, `, ${oldest.name}, in a browser`],
  ]) {
    const title = `the declarations are found, module resolution ${resolution}${name}`;
    test(title, { skip: compiler.missing }, async () => {
      const names = entries.map((_, index) => `entry${index}`);
      const imports = entries.map((entry, index) => `import * as ${names[index]} from '${entry}';`);
      const uses = `import { hash, seal } from 'millrace';
import { hash as promised } from 'millrace/promises';
export const text: string = hash('sha256', 'abc', 'hex');
export const later: Promise<bigint> = promised('sha256', 'abc', 'bigint');
// @ts-expect-error
seal('aes-256-gcm', 7);
export default [${names.join(', ')}];
`;
      const base = join(place.cwd, `types-${resolution}${name.replace(/\W+/g, '-')}`);
      mkdirSync(base);
      writeFileSync(join(base, 'use.mts'), `${imports.join('\n')}\n${uses}`);
      const required = entries.map(
        (entry, index) => `import ${names[index]} = require('${entry}');\n`,
      );
      if (resolution === 'nodenext')
        writeFileSync(
          join(base, 'use.cts'),
          `${required.join('')}export = [${names.join(', ')}];\n`,
        );
      const options = {
        module,
        moduleResolution: resolution,
        lib: ['es2022', 'dom'],
        // Declarations import from `#platform`, which node10 does not resolve.
        skipLibCheck: resolution === 'node10',
        types: ['node'],
        ...(name.endsWith('browser') && { customConditions: ['browser'] }),
      };
      await compile(compiler, join(base, 'tsconfig.json'), options, ['*.mts', '*.cts']);
    });
  }

  for (const [title, compiler] of [
    ['', newest],
    [`, ${oldest.name}`, oldest],
  ])
    test(`a wrong option is reported as one${title}`, { skip: compiler.missing }, async () => {
      const base = join(place.cwd, `options${title.replace(/\W+/g, '-')}`);
      mkdirSync(base);
      const calls = [
        "hash('sha256', 'x'",
        "hashMany('sha256', ['x']",
        "hashFiles('sha256', ['x']",
        "promised('sha256', 'x'",
        "scrypt('x', 'x', 32",
        "hkdf('sha256', 'x', 'x', 'x', 32",
        "sign('sha256', 'x', 'x'",
        "generateKeyPair('rsa'",
      ].map((call) => `${call}, { unknown: 1 });\n`);
      const names = 'generateKeyPair, hash, hashFiles, hashMany, hkdf, scrypt, sign';
      writeFileSync(
        join(base, 'use.mts'),
        `import { ${names} } from 'millrace';
import { hash as promised } from 'millrace/promises';
${calls.join('')}`,
      );
      const typeRoots = [join(root, 'node_modules', '@types')];
      const node = { module: 'nodenext', moduleResolution: 'nodenext', types: ['node'] };
      const compilerOptions = { target: 'es2022', strict: true, noEmit: true, typeRoots, ...node };
      writeFileSync(join(base, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      const { command, args } = compiler;
      const { stdout } = await start(command, [...args, '--project', base], place);
      const errors = stdout.split(/^(?=\S.*error TS)/m);
      assert.equal(errors.length, calls.length, stdout);
      for (const each of errors) {
        const [last] = each.match(/'unknown' does not exist in type '.*/g)?.slice(-1) ?? [];
        assert.match(last ?? each, /Options/);
        assert.doesNotMatch(last, /Callback/);
      }
    });

  // Those of test/types/platforms, which `npm run check` compiles in the repository.
  for (const { name, missing, ...compiler } of findTypeScripts()) {
    const title = `programs with the DOM, @types/node or neither compile, ${name}`;
    test(title, { skip: missing }, async () => {
      const base = join(place.cwd, name.replace(' ', '-'));
      const source = join(root, 'test', 'types');
      for (const each of ['platforms', 'equal.mts'])
        cpSync(join(source, each), join(base, each), { recursive: true });
      for (const file of ['dom-node', 'dom', 'bare'].map((each) => `tsconfig.${each}.json`)) {
        const config = join(base, 'platforms', file);
        const { compilerOptions, include } = JSON.parse(readFileSync(config, 'utf8'));
        const { lib, types } = compilerOptions;
        const node = { module: 'nodenext', moduleResolution: 'nodenext' };
        await compile(compiler, config, { lib, types, ...node }, include);
      }
    });
  }

  test('every command is there, with its help and what it needs', async () => {
    const millrace = (...given) =>
      start(
        process.execPath,
        [join(place.cwd, 'node_modules', 'millrace', 'cli', 'main.js'), ...given],
        place,
      );
    const { stdout, code } = await millrace('help');
    assert.equal(code, 0);
    const commands = [...stdout.matchAll(/^ {2}(?!help )(\w+) {2,}/gm)].map(([, name]) => name);
    assert.ok(
      commands.length >= 7 && commands.includes('sum') && commands.includes('bench'),
      stdout,
    );
    for (const name of commands) assert.equal((await millrace('help', name)).code, 0, name);
    for (const given of [
      '--version',
      'engines',
      'completion bash',
      'keygen',
      'bench hash -a sha256 -s 64 -c node:crypto --time 1 --rounds 2 --html page.html --csv rows.csv',
    ]) {
      const ran = await millrace(...given.split(' '));
      assert.equal(ran.code, 0, `${given}: ${ran.all}`);
      assert.notEqual(ran.stdout, '', given);
    }
    const flags = ['--iterations=2', '--concurrency=1', '--N=1024'];
    const scrypt = await millrace('bench', 'scrypt', ...flags);
    assert.match(scrypt.stdout, /^Done: variant=millrace conc=1 ok=2 fail=0/m, scrypt.all);
    const alone = await start(
      process.execPath,
      [join(place.cwd, 'node_modules', 'millrace', 'scrypt-bench.mjs'), ...flags],
      place,
    );
    assert.match(alone.stdout, /^Done: variant=callback conc=1 ok=2 fail=0/m, alone.all);
  });

  const examples = allExamples();

  test('the extractor sees every block, and every comment', () => {
    assert.ok(examples.length > 30);
    for (const file of ['README.md', 'docs/hashing.md', 'docs/cli.md'])
      assert.ok(
        examples.some((each) => each.file === file),
        file,
      );
    const [one, two, ...none] = examplesOf(
      'x',
      '<!-- example: setup\nconst a = 1;\n-->\n```js\na;\n```\n```text\nno\n```\n\n<!-- ' +
        'example: not run: why -->\n\n```sh\nb\n```\n',
    );
    assert.deepEqual(
      [one.setup, one.code, one.line, two.notRun, none.length],
      ['const a = 1;\n', 'a;\n', 4, 'why', 0],
    );
    assert.throws(
      () => examplesOf('x', '<!-- example: not run: why -->\ntext\n```js\n```\n'),
      /no example below/,
    );
    assert.throws(() => examplesOf('x', '<!-- example: skip -->\n```js\n```\n'), /cannot read/);
  });

  test('a program of js needs no setup, is at most 80 columns wide, comments stand above', () => {
    const programs = examples.filter(({ language }) => language === 'js');
    assert.deepEqual(
      programs.filter(({ setup }) => setup !== ''),
      [],
    );
    for (const { file, line, code } of programs)
      for (const each of code.split('\n')) {
        assert.ok(each.length <= 80, `${file}:${line}: ${each}`);
        assert.doesNotMatch(each, /[;,{] +\/\/ /, `${file}:${line}`);
      }
  });

  for (const example of examples) {
    const { file, line, language, notRun, browser } = example;
    const shell = ['sh', 'console'].includes(language);
    const skip = notRun ?? (shell && noShell);
    test(`${file}:${line} (${language})`, { skip }, async (t) => {
      const { stdout } = await runExample(example, place);
      if (!browser) return;
      await t.test('in Chromium', { skip: missingBrowser() }, async () => {
        assert.notEqual(stdout, '');
        assert.equal(await printedInChromium(example, place), stdout);
      });
    });
  }

  test('every example of the API reference runs unchanged', () => runReference(place));
});

/** Returns what a bundle of an example prints in a page. */
async function printedInChromium({ code, file, line }, place) {
  const site = temporary();
  await build({
    stdin: { contents: `${code}\nconsole.log('the end');`, resolveDir: place.cwd },
    outfile: join(site, 'page.js'),
    bundle: true,
    format: 'esm',
    logLevel: 'silent',
  });
  writeFileSync(join(site, 'index.html'), '<script type="module" src="/page.js"></script>');
  const server = await serveFolder({ folder: site });
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    const lines = [];
    await new Promise((resolve, reject) => {
      page.on('pageerror', (error) => reject(new Error(`${file}:${line}: ${error}`)));
      page.on('console', (message) => {
        if (message.text() === 'the end') resolve();
        else if (message.type() === 'log') lines.push(`${message.text()}\n`);
      });
      page.goto(`${server.url}/`).catch(reject);
    });
    return lines.join('');
  } finally {
    await browser.close();
    await server.close();
    rmSync(site, { recursive: true, force: true });
  }
}

async function runExample({ file, line, language, code, setup, mayThrow, prints }, place) {
  const cwd = join(place.cwd, 'examples', `${file.replace(/\W/g, '-')}-${line}`);
  mkdirSync(join(cwd, 'photos'), { recursive: true });
  for (const name of ['photos.tar', 'photos/cat.jpg', 'photos/dog.jpg'])
    writeFileSync(join(cwd, name), Buffer.alloc(100_000, name));
  writeFileSync(join(cwd, 'notes.txt'), 'abc');
  writeFileSync(join(cwd, 'passphrase'), 'correct horse battery staple\n');
  const shell = ['sh', 'console'].includes(language);
  const ran = shell
    ? await inShell(language, setup, code, cwd, place)
    : await asModule(language, code, cwd, place);
  if (language === 'console') {
    const linesOf = (text) =>
      text.split('\n').filter((line) => line !== '' && !line.startsWith('$ '));
    assert.deepEqual(linesOf(ran.stdout), linesOf(code));
    return ran;
  }
  if (mayThrow !== undefined && ran.code !== 0 && ran.stderr.includes(mayThrow)) return ran;
  assert.equal(ran.code, 0, `${ran.all}\n${file}:${line} must run as it is`);
  if (prints !== undefined) assert.deepEqual([ran.stdout, ran.stderr], [prints, '']);
  return ran;
}

/** Runs the examples of the API reference, all in one process. */
async function runReference(place) {
  const cwd = join(place.cwd, 'reference');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'photos.tar'), Buffer.alloc(100_000, 'photos'));
  writeFileSync(join(cwd, 'notes.txt'), 'abc');
  const reference = referenceExamples();
  assert.ok(reference.length > 140, `${reference.length} examples`);
  const programs = reference.map(({ file, line, code }, index) => {
    writeFileSync(join(cwd, `${index}.mjs`), withAssertions(code));
    return `await import('./${index}.mjs').catch((error) => {
  throw new Error('${file}:${line}', { cause: error });
});\n`;
  });
  // The hooks of ethers, which is not installed here; `npm run test:dependents` has all of it.
  const ethers = join(cwd, 'node_modules', 'ethers');
  mkdirSync(ethers, { recursive: true });
  const hooks = 'keccak256 sha256 sha512 ripemd160 computeHmac pbkdf2 scrypt scryptSync'.replaceAll(
    /\w+ ?/g,
    'export const $& = { register() {} };\n',
  );
  writeFileSync(join(ethers, 'index.mjs'), hooks);
  writeFileSync(join(ethers, 'package.json'), '{"name":"ethers","exports":"./index.mjs"}');
  mkdirSync(join(cwd, 'node_modules', '@noble'));
  for (const name of ['tweetnacl', '@noble/curves', '@noble/post-quantum'])
    symlinkSync(join(root, 'node_modules', name), join(cwd, 'node_modules', name), 'junction');
  writeFileSync(join(cwd, 'all.mjs'), programs.join(''));
  const ran = await start(process.execPath, ['all.mjs'], { cwd, env: place.env });
  assert.equal(ran.code, 0, ran.all);
}

/** Compares calls with the literals that comments beside them promise: `call(); // true`. */
function withAssertions(code) {
  const promised = /^((?:await )?\w+\(.*\)(?:\.\w+\(.*\))?); \/\/ (true|\d+n|'[^'\u2026]*')$/gm;
  const asserted = code.replace(promised, 'assert.deepEqual($1, $2);');
  return asserted === code ? code : `import assert from 'node:assert/strict';\n${asserted}`;
}

async function asModule(language, code, cwd, place) {
  const common = /\brequire\(|\bmodule\.exports\b/.test(code) && !/^import /m.test(code);
  const program = join(cwd, common ? 'example.cjs' : 'example.mjs');
  writeFileSync(program, language === 'ts' ? (await transform(code, { loader: 'ts' })).code : code);
  return start(process.execPath, [program], { cwd, env: place.env });
}

function inShell(language, setup, code, cwd, place) {
  const commands = language === 'sh' ? code : code.replaceAll(/^(?!\$ ).*\n|^\$ /gm, '');
  const mode = language === 'sh' ? 'set -euo pipefail' : 'exec 2>&1';
  // A separate project for `npm install`.
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
  writeFileSync(join(cwd, 'example.sh'), `${mode}\n${setup}\n${commands}\n`);
  const env = {
    ...place.env,
    PATH: `${join(place.cwd, 'node_modules', '.bin')}${delimiter}${place.env.PATH}`,
    npm_config_prefix: join(cwd, 'global'),
    npm_config_registry: registry.url,
  };
  return start('bash', ['example.sh'], { cwd, env });
}
