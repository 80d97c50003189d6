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

import { hostPlatform } from '../../tools/platforms.mjs';
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

/** Puts a binary into the platform package: a file's path, bytes, or none. */
function install(content = built) {
  rmSync(platformPackage, { recursive: true, force: true });
  if (content === undefined || content === null) return;
  mkdirSync(platformPackage, { recursive: true });
  writeFileSync(
    join(platformPackage, 'package.json'),
    JSON.stringify({ name: `@millrace/${platform}`, version, main: binary }),
  );
  if (typeof content === 'string') copyFileSync(content, installed);
  else writeFileSync(installed, content);
}

const REPORT =
  "const { engines, hash } = require('millrace'); console.log(hash('md5', '', 'hex'), " +
  'engines().native.available);';
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

/** Checks that the portable engine serves, and that the warning matches. */
function warned({ code, stdout, stderr }, ...patterns) {
  assert.deepEqual([code, stdout], [0, PORTABLE], stderr);
  assert.equal(stderr.match(/MILLRACE_NO_BINARY/g)?.length, 1, stderr);
  for (const pattern of patterns) assert.match(stderr, pattern);
}

test('the platform package is found', async () => {
  assert.deepEqual(await run(REPORT), { code: 0, stdout: NATIVE, stderr: '' });
});

test('no platform package: how to install it', async () => {
  install(null);
  warned(await run(REPORT), /--include=optional/, new RegExp(`@millrace/${platform}: not found`));
});

test('MILLRACE_ENGINE=native makes a missing binary an error', async () => {
  install(null);
  const { code, stderr } = await run(REPORT, { env: { MILLRACE_ENGINE: 'native' } });
  assert.equal(code, 1);
  assert.match(stderr, /ERR_NO_BINARY/);
});

test('a package in its own folder never takes a binary from the working folder', async () => {
  install(null);
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

test('a text file as binary is reported', async () => {
  install(Buffer.from('version https://git-lfs.github.com/spec/v1\n'.repeat(200)));
  warned(await run(REPORT), /damaged, or not a native binary/, /Install millrace anew/);
});

test('an empty file as binary is reported', async () => {
  install(Buffer.alloc(0));
  warned(await run(REPORT), /damaged, or not a native binary/);
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

test('a binary for another CPU is reported', { skip: onLinux }, async () => {
  const [machine, name] = process.arch === 'arm64' ? [62, 'x64'] : [183, 'arm64'];
  install(Buffer.concat([elf(machine), Buffer.alloc(4096)]));
  warned(
    await run(REPORT),
    new RegExp(`a binary for linux-${name}, and this is linux-${process.arch}`),
  );
});

test('a binary for another system is reported', { skip: onLinux }, async () => {
  const mach = Buffer.alloc(4096);
  mach.writeUInt32LE(0xfeedfacf, 0);
  mach.writeUInt32LE(0x0100000c, 4);
  install(mach);
  warned(await run(REPORT), /a binary for darwin-arm64/);
  install(Buffer.concat([Buffer.from('MZ'), Buffer.alloc(4096)]));
  warned(await run(REPORT), /a binary for win32/);
});

test('a folder in place of the binary is reported', async () => {
  install(null);
  mkdirSync(installed, { recursive: true });
  writeFileSync(
    join(platformPackage, 'package.json'),
    JSON.stringify({ name: `@millrace/${platform}`, version, main: binary }),
  );
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
  install(null);
  copyFileSync(built, join(project, 'renamed.node'));
  for (const MILLRACE_BINARY of [built, 'renamed.node', join('.', 'renamed.node')])
    assert.deepEqual(await run(REPORT, { env: { MILLRACE_BINARY } }), {
      code: 0,
      stdout: NATIVE,
      stderr: '',
    });
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

test('an empty MILLRACE_BINARY names nothing', async () => {
  assert.deepEqual(await run(REPORT, { env: { MILLRACE_BINARY: '' } }), {
    code: 0,
    stdout: NATIVE,
    stderr: '',
  });
});

// the permission model

const permission =
  Number.parseInt(process.versions.node, 10) >= 24 ? '--permission' : '--experimental-permission';

test('the permission model with addons and the project readable: native', async () => {
  const { code, stdout, stderr } = await run(REPORT, {
    flags: [permission, '--allow-addons', `--allow-fs-read=${project}/*`, '--no-warnings'],
  });
  assert.deepEqual([code, stdout], [0, NATIVE], stderr);
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
  const contents =
    "import { engines, hash } from 'millrace'; console.log(hash('md5', '', 'hex'), " +
    'engines().native.available);';
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
  test(
    `a bundle (${format}) that left its binary behind says so; beside it, in node_modules, ` +
      'or named it is found',
    async () => {
      const { out, file } = await bundle(format);
      try {
        const lost = await run(undefined, { file, cwd: out });
        warned(lost, /bundled without it: mark "millrace" as external/, /servers-and-bundlers/);
        copyFileSync(built, join(out, 'dist', binary));
        assert.deepEqual(await run(undefined, { file, cwd: '/' }), {
          code: 0,
          stdout: NATIVE,
          stderr: '',
        });
        rmSync(join(out, 'dist', binary));
        assert.deepEqual(
          await run(undefined, { file, cwd: '/', env: { MILLRACE_BINARY: built } }),
          {
            code: 0,
            stdout: NATIVE,
            stderr: '',
          },
        );
        mkdirSync(join(out, 'node_modules', '@millrace'), { recursive: true });
        cpSync(platformPackage, join(out, 'node_modules', '@millrace', platform), {
          recursive: true,
        });
        assert.deepEqual(await run(undefined, { file, cwd: '/' }), {
          code: 0,
          stdout: NATIVE,
          stderr: '',
        });
        // As pnpm lays it out: the platform package is the dependency of millrace only.
        rmSync(join(out, 'node_modules'), { recursive: true });
        const nested = join(out, 'node_modules', 'millrace', 'node_modules', '@millrace', platform);
        cpSync(platformPackage, nested, { recursive: true });
        copyFileSync(
          join(package_, 'package.json'),
          join(out, 'node_modules', 'millrace', 'package.json'),
        );
        assert.deepEqual(await run(undefined, { file, cwd: '/' }), {
          code: 0,
          stdout: NATIVE,
          stderr: '',
        });
      } finally {
        rmSync(out, { recursive: true, force: true });
      }
    },
  );
}

test('the published platforms are those of the build', async () => {
  const { platforms } = await import('../../tools/platforms.mjs');
  const names = platforms.map(({ name }) => name);
  const text = (file) => readFileSync(join(root, 'src', file), 'utf8');
  const [, listed] = /published = \[([^\]]*)\]/.exec(text('engines/binary.node.ts'));
  assert.deepEqual(
    [...listed.matchAll(/'([^']+)'/g)].map(([, name]) => name),
    names,
  );
  assert.deepEqual(
    [...text('base/place.node.ts').matchAll(/require\.resolve\('@millrace\/([^']+)'\)/g)].map(
      ([, name]) => name,
    ),
    names,
  );
  assert.match(
    readFileSync(join(root, 'Cargo.toml'), 'utf8'),
    new RegExp(`^version = "${version}"$`, 'm'),
    'Cargo.toml and package.json are of different versions',
  );
  assert.ok(existsSync(built));
});
