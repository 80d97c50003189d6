// Every way of loading the package, and what is said when it cannot be.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

import millrace, * as namespace from 'millrace';
import promises, * as promisesNamespace from 'millrace/promises';

import { entryPaths, output, root, run, temporary } from '../support/child.mjs';

/** Functions that both entry points share, and those that each has for itself. */
const shared = ['MillraceError', 'configure', 'createKey', 'engines', 'getCiphers', 'getHashes'];
const own = ['cipher', 'hash', 'hmac', 'open', 'seal'];

// A project that has the package in its node_modules.
const project = temporary();
mkdirSync(join(project, 'node_modules'));
symlinkSync(root, join(project, 'node_modules', 'millrace'), 'junction');
after(() => rmSync(project, { recursive: true, force: true }));

test('the entry points have their names as default and named exports', () => {
  for (const name of [...shared, ...own]) {
    assert.equal(typeof millrace[name], 'function', name);
    assert.equal(namespace[name], millrace[name], name);
    assert.equal(typeof promises[name], 'function', `promises.${name}`);
    assert.equal(promisesNamespace[name], promises[name], `promises.${name}`);
  }
  for (const name of shared) assert.equal(promises[name], millrace[name], name);
});

test('getCiphers and getHashes give new, sorted lists', () => {
  for (const list of ['getCiphers', 'getHashes']) {
    const first = millrace[list]();
    assert.deepEqual(first, [...first].sort());
    first.length = 0;
    assert.ok(millrace[list]().length > 5);
  }
});

/** What a program begins with, and its digest of nothing or a promise of it. */
const programs = {
  require: ["const millrace = require('millrace')", "millrace.hash('md5', '')"],
  'require, destructured': ["const { hash } = require('millrace')", "hash('md5', '')"],
  'require of promises': ['', "require('millrace/promises').hash('md5', '')"],
  'require of crypto-async': [
    "const { hash } = require('millrace/crypto-async')",
    "hash('md5', Buffer.alloc(0))",
  ],
  'import of the default': ["import millrace from 'millrace'", "millrace.hash('md5', '')"],
  'import by name': ["import { hash } from 'millrace'", "hash('md5', '')"],
  'import of everything': ["import * as all from 'millrace'", "all.hash('md5', '')"],
  'import of promises by name': ["import { hash } from 'millrace/promises'", "hash('md5', '')"],
  'import of promises': ["import promises from 'millrace/promises'", "promises.hash('md5', '')"],
  'import of crypto-async by name': [
    `import { hash, E_CORRUPT } from 'millrace/crypto-async';
     if (E_CORRUPT !== 'corrupt') throw E_CORRUPT`,
    "hash('md5', Buffer.alloc(0))",
  ],
  'dynamic import from CommonJS': ['', "import('millrace').then(({ hash }) => hash('md5', ''))"],
  'import and require are one': [
    `import millrace from 'millrace';
     import { createRequire } from 'node:module';
     const other = createRequire(import.meta.url)('millrace');
     if (other.hash !== millrace.hash || other.MillraceError !== millrace.MillraceError)
       throw new Error('two')`,
    "millrace.hash('md5', '')",
  ],
  'package.json': [
    "if (require('millrace/package.json').name !== 'millrace') throw 0",
    "require('millrace').hash('md5', '')",
  ],
};

for (const [name, [beginning, digest]] of Object.entries(programs)) {
  test(`in a project: ${name}`, async () => {
    const extension = beginning.startsWith('import ') ? '.mjs' : '.cjs';
    const told = "(digest) => console.log(digest.toString('hex'))";
    const stdout = await runHere(
      extension,
      `${beginning}; Promise.resolve(${digest}).then(${told});`,
    );
    assert.equal(stdout, 'd41d8cd98f00b204e9800998ecf8427e\n');
  });
}

for (const options of [
  '--no-warnings',
  '--throw-deprecation --pending-deprecation --trace-warnings',
  '--disable-proto=throw',
  '--stack-size=500',
  '--max-old-space-size=64',
  '--zero-fill-buffers',
  '--no-deprecation --unhandled-rejections=strict',
]) {
  test(`NODE_OPTIONS=${options}`, async () => {
    const flags = options.includes('stack-size')
      ? { flags: [options] }
      : { env: { NODE_OPTIONS: options } };
    const program = `
      const given = { key: Buffer.alloc(16), nonce: Buffer.alloc(12), source: '' };
      promises.seal('aes-128-gcm', given).then((sealed) => console.log(sealed.toString('hex')))`;
    const { code, stdout, stderr } = await run(program, flags);
    assert.deepEqual([code, stdout, stderr], [0, '58e2fccefa7e3061367f1d57a4e7455a\n', '']);
  });
}

test('millrace loads its core, and in it nothing that few programs use', async () => {
  const dist = dirname(entryPaths.millrace);
  const listed = 'console.log(JSON.stringify(Object.keys(cache)))';
  const programs = [
    `require('millrace'); const { cache } = require; ${listed}`,
    `import('millrace').then(() => { const { cache } = require; ${listed} })`,
  ];
  for (const program of programs) {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', program], {
      cwd: project,
    });
    const files = JSON.parse(stdout || stderr).map((file) => relative(dist, file));
    assert.deepEqual(files.sort(), ['base/errors.js', 'core.js', 'index.js'], program);
  }
  const core = readFileSync(join(dist, 'core.js'), 'utf8');
  const modules = [...core.matchAll(/^\s*\/\/ src\/(\S+)\.ts$/gm)].map(([, name]) => name);
  assert.ok(modules.includes('operations/cipher'), 'the names of modules');
  const late =
    /^(age|compat|kdf)|^streams\/(age|chunk|open|pass|sealed-)|(committing|expanding-key|parts|raw-keys)$/;
  assert.deepEqual(
    modules.filter((name) => late.test(name)),
    [],
  );
});

test('several copies of the package work in one process', async () => {
  // As test runners do that evaluate modules afresh for each file.
  const paths = [entryPaths.millrace, entryPaths['millrace/promises']];
  const stdout = await output(
    `
      const load = () => {
        for (const path of Object.keys(require.cache)) delete require.cache[path];
        const [millrace, promises] = ${JSON.stringify(paths)}.map((path) => require(path));
        return { millrace, promises };
      };
      const expected = millrace.hash('sha256', 'x', 'hex');
      const key = millrace.createKey('hmac-sha256', 'secret');
      (async () => {
        for (let round = 0; round < 20; round++) {
          const copies = [load(), load(), { millrace, promises }];
          if (copies[0].millrace.hash === millrace.hash) throw new Error('not a copy');
          const call = (_, index) => copies[index % 3].promises.hash('sha256', 'x', 'hex');
          const digests = await Promise.all(Array.from({ length: 60 }, call));
          if (digests.some((digest) => digest !== expected)) throw new Error('wrong digest');
          try {
            const mac = copies[0].millrace.hmac('sha256', key, 'x', 'hex');
            if (mac !== millrace.hmac('sha256', 'secret', 'x', 'hex'))
              throw new Error('the key of one copy is another key in a second');
          } catch (error) {
            if (!(error instanceof copies[0].millrace.MillraceError)) throw error;
          }
          copies[1].promises.hash('sha512', Buffer.alloc(100_000));
          globalThis.gc();
        }
        console.log('done');
      })();
  `,
    { flags: ['--expose-gc'] },
  );
  assert.equal(stdout, 'done\n');
});

test('frozen intrinsics do not matter', async () => {
  const stdout = await output(
    "console.log(millrace.hash('md5', '', 'hex')); promises.hash('md5', '').catch(console.log)",
    { flags: ['--frozen-intrinsics', '--no-warnings'] },
  );
  assert.equal(stdout, 'd41d8cd98f00b204e9800998ecf8427e\n');
});

test('other internals are out of reach', async () => {
  for (const inner of ['dist/index.js', 'dist/binding.js', 'src/index.ts', 'nothing'])
    await assert.rejects(
      runHere('.cjs', `require('millrace/${inner}')`),
      /ERR_PACKAGE_PATH_NOT_EXPORTED/,
    );
});

// With the portable engine: binary.test.mjs and test/engines/fallback.test.mjs.
test('without the native binary and the portable engine: ERR_NO_BINARY', async () => {
  const copy = join(temporary(), 'millrace');
  try {
    cpSync(dirname(entryPaths.millrace), join(copy, 'dist'), { recursive: true });
    rmSync(join(copy, 'dist', 'portable'), { recursive: true });
    cpSync(join(root, 'package.json'), join(copy, 'package.json'));
    for (const path of [copy, join(copy, 'dist', 'promises.js')]) {
      const program = `
        try {
          require(${JSON.stringify(path)});
        } catch (error) {
          console.log(error.code, error.message);
        }`;
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
      assert.match(stdout, /^ERR_NO_BINARY .*npm/);
      assert.match(stdout, new RegExp(`${process.platform}-${process.arch}`));
    }
  } finally {
    rmSync(dirname(copy), { recursive: true, force: true });
  }
});

test('the types are where package.json says', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const leaves = (entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(leaves);
  const files = leaves(exports);
  assert.ok(files.length > 8);
  for (const file of files) {
    // Of a pattern, the folder.
    const path = file.includes('*') ? file.slice(0, file.indexOf('*')) : file;
    assert.ok(existsSync(join(root, path)), file);
  }
});

async function runHere(extension, program) {
  const file = join(project, `program-${Math.random().toString(36).slice(2)}${extension}`);
  writeFileSync(file, program);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: project });
  return stdout;
}
