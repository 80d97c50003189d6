// How the binary is found, and what is told where it cannot be loaded: a package in a project of
// its own, with binaries of all sorts.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';

import { build } from 'esbuild';

import { hostPlatform, platforms } from '../../tools/platforms.mjs';
import { entryPaths, root, temporary } from '../support/child.mjs';

const platform = hostPlatform();
const binary = `millrace.${platform}.node`;
const built = join(root, 'native', binary);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const onLinux = process.platform !== 'linux' && 'not run: the files are made for Linux';

const project = temporary();
const package_ = join(project, 'node_modules', 'millrace');
const platformPackage = join(project, 'node_modules', '@millrace', platform);
const installed = join(platformPackage, binary);

before(() => {
  chmodSync(project, 0o755);
  mkdirSync(package_, { recursive: true });
  cpSync(dirname(entryPaths.millrace), join(package_, 'dist'), { recursive: true });
  copyFileSync(join(root, 'package.json'), join(package_, 'package.json'));
});
after(() => rmSync(project, { recursive: true, force: true }));
beforeEach(() => install());

/** Puts a binary into the platform package: bytes, a folder, or that of the build. */
function install(content) {
  rmSync(platformPackage, { recursive: true, force: true });
  mkdirSync(platformPackage, { recursive: true });
  const facts = { name: `@millrace/${platform}`, version, main: binary };
  writeFileSync(join(platformPackage, 'package.json'), JSON.stringify(facts));
  if (content === undefined) copyFileSync(built, installed);
  else if (content === 'a folder') mkdirSync(installed);
  else writeFileSync(installed, content);
}

const uninstall = () => rmSync(platformPackage, { recursive: true });

const TELL = "console.log(hash('md5', '', 'hex'), engines().native.available);";
const REPORT = `const { engines, hash } = require('millrace'); ${TELL}`;
const NATIVE = 'd41d8cd98f00b204e9800998ecf8427e true\n';
const PORTABLE = 'd41d8cd98f00b204e9800998ecf8427e false\n';

/** Runs a program in the project. */
function run(
  source,
  { flags = [], env = {}, cwd = project, file = join(project, 'program.cjs') } = {},
) {
  if (source !== undefined) writeFileSync(file, source);
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...flags, file],
      { cwd, env: { ...process.env, ...env }, timeout: 300_000 },
      (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** Checks that the native engine serves, and that nothing is said. */
const native = async (source, options) =>
  assert.deepEqual(await run(source, options), { code: 0, stdout: NATIVE, stderr: '' });

/** Checks that the portable engine serves, and that the warning matches. */
function warned({ code, stdout, stderr }, ...patterns) {
  assert.deepEqual([code, stdout], [0, PORTABLE], stderr);
  assert.equal(stderr.match(/MILLRACE_NO_BINARY/g)?.length, 1, stderr);
  for (const pattern of patterns) assert.match(stderr, pattern);
}

test('the platform package is found', () => native(REPORT));

test('no platform package: how to install it', async () => {
  uninstall();
  warned(await run(REPORT), /--include=optional/, new RegExp(`@millrace/${platform}: not found`));
});

test('a package in its own folder never takes a binary from the working folder', async () => {
  uninstall();
  const other = temporary();
  mkdirSync(join(other, 'node_modules', '@millrace', platform), { recursive: true });
  writeFileSync(join(other, 'node_modules', '@millrace', platform, 'index.js'), '');
  copyFileSync(built, join(other, binary));
  try {
    const answer = await run(REPORT, { cwd: other });
    warned(answer, /--include=optional/);
    assert.ok(!answer.stderr.includes(other), answer.stderr);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

// files that are not binaries of Millrace

/** Returns the header of an ELF file for a CPU, and nothing behind it. */
const elf = (machine) => {
  const header = Buffer.alloc(64);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(machine, 18);
  return header;
};

test('a text file or an empty one as binary is reported', async () => {
  for (const text of ['version https://git-lfs.github.com/spec/v1\n'.repeat(200), '']) {
    install(text);
    warned(await run(REPORT), /damaged, or not a native binary/, /Install millrace anew/);
  }
});

test('a truncated binary is reported', { skip: onLinux }, async () => {
  const whole = readFileSync(built);
  for (const size of [5000, whole.length / 2, whole.length - 1]) {
    install(whole.subarray(0, size));
    warned(
      await run(REPORT),
      /Install millrace anew/,
      new RegExp(`cut short: it has ${Math.floor(size)} bytes and should have \\d+`),
    );
  }
  // No more than its header.
  install(whole.subarray(0, 30));
  warned(await run(REPORT), /Install millrace anew/);
});

test('a binary for another CPU or system is reported', { skip: onLinux }, async () => {
  const [machine, name] = process.arch === 'arm64' ? [62, 'x64'] : [183, 'arm64'];
  const mach = Buffer.alloc(4096);
  mach.writeUInt32LE(0xfeedfacf, 0);
  mach.writeUInt32LE(0x0100000c, 4);
  const here = `linux-${process.arch}`;
  for (const [content, told] of [
    [Buffer.concat([elf(machine), Buffer.alloc(4096)]), `linux-${name}, and this is ${here}`],
    [mach, 'darwin-arm64'],
    [Buffer.concat([Buffer.from('MZ'), Buffer.alloc(4096)]), 'win32'],
  ]) {
    install(content);
    warned(await run(REPORT), new RegExp(`a binary for ${told}`));
  }
});

test('a folder in place of the binary is reported', async () => {
  install('a folder');
  warned(await run(REPORT), /not found|a folder, not a file/);
});

test(
  'a folder that this user may not enter is told as EACCES',
  { skip: process.platform === 'win32' && 'not run: modes of folders are not asked on Windows' },
  async () => {
    chmodSync(platformPackage, 0);
    try {
      // Root may enter every folder: it becomes another user, once the package is at hand.
      const answer = await run(`if (process.getuid() === 0) process.setuid(65534);\n${REPORT}`, {
        env: { MILLRACE_SEED: '1' },
      });
      warned(answer, /EACCES/, /Let the user of this process read the file/);
    } finally {
      chmodSync(platformPackage, 0o755);
    }
  },
);

test('a binary of another version is reported', async () => {
  const core = join(package_, 'dist', 'core.js');
  const text = readFileSync(core, 'utf8');
  assert.ok(text.includes(`"${version}"`));
  writeFileSync(core, text.replaceAll(`"${version}"`, '"0.0.1"'));
  try {
    warned(
      await run(REPORT),
      new RegExp(`it is of version ${version.replaceAll('.', '\\.')}, and millrace is 0\\.0\\.1`),
      /the same version/,
    );
  } finally {
    writeFileSync(core, text);
  }
});

test('a platform without a binary is reported', async () => {
  warned(
    await run(`Object.defineProperty(process, 'platform', { value: 'sunos' });\n${REPORT}`),
    /None is published for sunos-/,
    /linux-x64-gnu/,
    /npm run build/,
  );
});

// MILLRACE_BINARY

test('MILLRACE_BINARY names the file, also one relative to the working folder', async () => {
  uninstall();
  copyFileSync(built, join(project, 'renamed.node'));
  for (const MILLRACE_BINARY of [built, 'renamed.node', join('.', 'renamed.node')])
    await native(REPORT, { env: { MILLRACE_BINARY } });
});

test('a wrong MILLRACE_BINARY is an error, even if a binary is installed', async () => {
  writeFileSync(join(project, 'wrong.node'), 'text');
  for (const [name, pattern] of [
    ['nothing.node', /not found|no such file/i],
    ['wrong.node', /damaged, or not a native binary/],
    ['.', /a folder, not a file|directory/i],
  ]) {
    const { code, stdout, stderr } = await run(REPORT, { env: { MILLRACE_BINARY: name } });
    assert.deepEqual([code, stdout], [1, ''], name);
    assert.match(stderr, /ERR_NO_BINARY/, name);
    assert.match(stderr, /MILLRACE_BINARY names /, name);
    assert.match(stderr, pattern, name);
  }
});

test('an empty MILLRACE_BINARY names nothing', () =>
  native(REPORT, { env: { MILLRACE_BINARY: '' } }));

// the permission model

const permission =
  Number.parseInt(process.versions.node, 10) >= 24 ? '--permission' : '--experimental-permission';

test('the permission model with addons and the project readable: native', async () => {
  const flags = [permission, '--allow-addons', `--allow-fs-read=${project}/*`, '--no-warnings'];
  await native(REPORT, { flags });
});

test('the permission model without addons: the warning names --allow-addons first', async () => {
  const { code, stdout, stderr } = await run(REPORT, {
    flags: [permission, `--allow-fs-read=${project}/*`],
  });
  assert.deepEqual([code, stdout], [0, PORTABLE], stderr);
  const [line] = stderr.split('\n').filter((each) => each.includes('MILLRACE_NO_BINARY'));
  assert.match(line, /can be loaded\. Start Node\.js with --allow-addons/);
});

test('--no-addons is named in the error', async () => {
  warned(await run(REPORT, { flags: ['--no-addons'] }), /Start Node\.js without --no-addons/);
});

// bundles

/** Makes one file of a program and the package, in a separate folder. */
async function bundle(format) {
  const out = temporary();
  const file = join(out, 'dist', format === 'cjs' ? 'server.cjs' : 'server.mjs');
  const contents = `import { engines, hash } from 'millrace'; ${TELL}`;
  const { warnings } = await build({
    stdin: { contents, resolveDir: project },
    outfile: file,
    bundle: true,
    platform: 'node',
    format,
    logLevel: 'silent',
  });
  assert.deepEqual(warnings, []);
  return { out, file };
}

for (const format of ['cjs', 'esm']) {
  test(`a bundle (${format}) without its binary says so, and finds one where it may lie`, async () => {
    const { out, file } = await bundle(format);
    const modules = join(out, 'node_modules');
    const elsewhere = { file, cwd: '/' };
    try {
      const lost = await run(undefined, { file, cwd: out });
      warned(lost, /bundled without it: copy .*\.node beside the bundle, or mark "millrace" as/);
      const [, tried] = lost.stderr.split('Tried ');
      const places = tried.split('; ').map((each) => each.replace(/: .*/s, ''));
      assert.ok(places.includes(join(out, 'dist', binary)), tried);
      assert.deepEqual(places, [...new Set(places)], tried);
      const beside = await run(undefined, { file, cwd: dirname(file) });
      const from = ` from ${dirname(file)}: `;
      const count = beside.stderr.split(`@millrace/${platform}${from}`).length - 1;
      assert.equal(count, 1, beside.stderr);
      copyFileSync(built, join(out, 'dist', binary));
      await native(undefined, elsewhere);
      rmSync(join(out, 'dist', binary));
      await native(undefined, { ...elsewhere, env: { MILLRACE_BINARY: built } });
      cpSync(platformPackage, join(modules, '@millrace', platform), { recursive: true });
      await native(undefined, elsewhere);
      // As pnpm lays it out: the platform package is the dependency of millrace only.
      rmSync(modules, { recursive: true });
      const nested = join(modules, 'millrace', 'node_modules', '@millrace', platform);
      cpSync(platformPackage, nested, { recursive: true });
      const json = join(modules, 'millrace', 'package.json');
      copyFileSync(join(package_, 'package.json'), json);
      await native(undefined, elsewhere);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
}

test('the published platforms are those of the build', () => {
  const names = platforms.map(({ name }) => name);
  const text = (file) => readFileSync(join(root, 'src', file), 'utf8');
  const found = (source, pattern) => [...source.matchAll(pattern)].map(([, name]) => name);
  const [, listed] = /published = \[([^\]]*)\]/.exec(text('engines/binary.node.ts'));
  assert.deepEqual(found(listed, /'([^']+)'/g), names);
  const resolved = /require\.resolve\('@millrace\/([^']+)'\)/g;
  assert.deepEqual(found(text('base/place.node.ts'), resolved), names);
  assert.match(
    readFileSync(join(root, 'Cargo.toml'), 'utf8'),
    new RegExp(`^version = "${version}"$`, 'm'),
    'Cargo.toml and package.json are of different versions',
  );
  assert.ok(existsSync(built));
});
