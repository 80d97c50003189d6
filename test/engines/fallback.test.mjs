// That another engine serves than the one asked for is never hidden: a warning once for each
// algorithm and reason, and a count. And what happens where there is no binary.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';

import { entryPaths, output, root, run, temporary } from '../support/child.mjs';

const warnings =
  "const warnings = []; process.on('warning', ({ name, code, message }) => " +
  'warnings.push({ name, code, message }));\n';
const last =
  '\nsetImmediate(() => setImmediate(() => console.log(JSON.stringify({ warnings, ...given }))));';

/** Returns the warnings of a program, and what it puts into `given`. */
async function warned(program, options) {
  const source = `${warnings}const given = {};\n${program}${last}`;
  return JSON.parse(await output(source, { flags: ['--no-warnings'], ...options }));
}

test('a fallback is reported once, and counted each time', async () => {
  const { warnings: told, fallbacks } = await warned(`
    const options = { engine: ['kernel', 'native'] };
    for (let i = 0; i < 3; i++) millrace.hash('blake3', 'abc', options);
    millrace.createHash('blake3', options).update(Buffer.alloc(10000)).digest();
    millrace.hash('shake128', 'abc', { ...options, outputLength: 16 });
    given.fallbacks = millrace.engines().fallbacks;
  `);
  assert.equal(told.length, 2);
  for (const { name, code } of told)
    assert.deepEqual([name, code], ['MillraceWarning', 'MILLRACE_ENGINE_FALLBACK']);
  const expected = /^blake3: the kernel engine does not serve, and native does instead: ./;
  assert.match(told[0].message, expected);
  assert.deepEqual(
    fallbacks.map(({ algorithm, from, to, count }) => [algorithm, from, to, count]),
    [
      ['blake3', 'kernel', 'native', 4],
      ['shake128', 'kernel', 'native', 1],
    ],
  );
  for (const { reason } of fallbacks) assert.ok(reason.length > 20, reason);
});

test('asynchronous calls fall back with the key and message of the call', async () => {
  const stdout = await output(
    `
    ${warnings}
    const [key, source] = [Buffer.alloc(32, 7), Buffer.alloc(500000, 5)];
    const engine = ['kernel', 'portable'];
    const sealing = { key, nonce: Buffer.alloc(24), source };
    const expected = [
      millrace.hash('blake3', source),
      millrace.seal('xchacha20-poly1305', sealing),
    ];
    const calls = [
      promises.hash('blake3', source, { engine }),
      promises.seal('xchacha20-poly1305', { ...sealing, engine }),
    ];
    key.fill(0);
    source.fill(0);
    Promise.all(calls).then((results) => {
      const same = results.map((each, index) => each.equals(expected[index]));
      console.log(JSON.stringify({ told: warnings.length, same }));
    });
  `,
    { flags: ['--no-warnings'] },
  );
  assert.deepEqual(JSON.parse(stdout), { told: 2, same: [true, true] });
});

test('a fallback that is not allowed is an error', async () => {
  const found = await warned(`
    try {
      millrace.hash('blake3', 'abc', { engine: 'kernel' });
    } catch (error) {
      given.code = error.code;
    }`);
  assert.deepEqual(found, { warnings: [], code: 'ERR_ENGINE_UNAVAILABLE' });
});

// the environment

test('MILLRACE_ENGINE chooses what serves by default', async () => {
  const program = `
    given.engine = millrace.configure().engine;
    given.digest = millrace.hash('sha256', 'abc', 'hex');
    given.portable = millrace.engines().portable.available;`;
  const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  for (const [asked, engine] of [
    ['portable', 'auto'],
    ['native', 'auto'],
    ['', 'auto'],
    ['portable,native', ['portable', 'native']],
    ['auto', 'auto'],
  ]) {
    const found = await warned(program, { env: { MILLRACE_ENGINE: asked } });
    assert.deepEqual(found, { warnings: [], engine, digest, portable: true }, asked);
  }
  const { code, stderr } = await run('', { env: { MILLRACE_ENGINE: 'gpu' } });
  assert.equal(code, 1);
  assert.match(stderr, /MILLRACE_ENGINE must be 'native'/);
});

test('MILLRACE_ENGINE=portable leaves the binary alone until it is asked for', async () => {
  const found = await warned(
    `
      const maps = () =>
        require('node:fs').existsSync('/proc/self/maps')
          ? /millrace\\..*\\.node/.test(require('node:fs').readFileSync('/proc/self/maps', 'utf8'))
          : undefined;
      const digest = millrace.hash('sha512', 'abc', 'hex');
      given.before = maps();
      given.same = millrace.hash('sha512', 'abc', { encoding: 'hex', engine: 'native' }) === digest;
      given.after = maps();`,
    { env: { MILLRACE_ENGINE: 'portable' } },
  );
  assert.equal(found.same, true);
  if (found.before !== undefined) assert.deepEqual([found.before, found.after], [false, true]);
});

// without a binary

const copy = join(temporary(), 'millrace');
before(() => {
  mkdirSync(copy);
  cpSync(dirname(entryPaths.millrace), join(copy, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
});
after(() => rmSync(dirname(copy), { recursive: true, force: true }));

/** Runs a program with the package without a binary. */
const without = (program, options) => {
  const file = join(dirname(copy), 'program.cjs');
  writeFileSync(file, '');
  return run(
    `const millrace = require(${JSON.stringify(copy)}), promises = ` +
      `require(${JSON.stringify(join(copy, 'dist', 'promises.js'))});\n${program}`,
    { bare: true, ...options },
  );
};

test('without a binary the portable engine runs, with one warning', async () => {
  const { code, stdout, stderr } = await without(
    `
    ${warnings};
    const crypto = require('node:crypto');
    const [source, key, nonce] = [200000, 32, 12].map((size) => crypto.randomBytes(size));
    (async () => {
      const sealed = millrace.seal('aes-256-gcm', { key, nonce, source });
      const results = [
        millrace.hash('sha256', source),
        await promises.hash('sha3-512', source),
        await promises.open('aes-256-gcm', { key, nonce, source: sealed }),
        await promises.scrypt('password', 'salt', 32),
      ];
      const expected = [
        crypto.createHash('sha256').update(source).digest(),
        crypto.createHash('sha3-512').update(source).digest(),
        source,
        crypto.scryptSync('password', 'salt', 32),
      ];
      const same = results.map((each, index) => each.equals(expected[index]));
      const { threads } = millrace.configure();
      console.log(JSON.stringify({ same, warnings, engines: millrace.engines(), threads }));
      process.exit(0);
    })();
  `,
    { flags: ['--no-warnings'] },
  );
  assert.equal(code, 0, stderr);
  const { same, warnings: told, engines, threads } = JSON.parse(stdout);
  assert.deepEqual(same, [true, true, true, true]);
  assert.equal(told.length, 1);
  assert.equal(told[0].code, 'MILLRACE_NO_BINARY');
  const platform = `${process.platform}-${process.arch}`;
  const expected = new RegExp(`no native binary for ${platform}.*npm.*portable engine`, 's');
  assert.match(told[0].message, expected);
  const { native, portable, kernel } = engines;
  const available = [native, portable, kernel].map((engine) => engine.available);
  assert.deepEqual([...available, threads > 0], [false, true, false, true]);
  assert.match(native.reason, /npm/);
  assert.match(kernel.reason, /native code/);
});

test('without a binary the engines that need it are refused', async () => {
  const flags = ['--no-warnings'];
  const { stdout } = await without(
    `for (const engine of ['native', 'kernel', 'af_alg', 'cryptodev'])
      try {
        millrace.hash('sha256', '', { engine });
      } catch ({ code, message }) {
        console.log(code, /npm/.test(message));
      }`,
    { flags },
  );
  assert.equal(stdout, 'ERR_ENGINE_UNAVAILABLE true\n'.repeat(4));
  const { stdout: allowed } = await without(
    `const options = { engine: ['native', 'portable'], encoding: 'hex' };
    console.log(millrace.hash('md5', '', options), millrace.engines().fallbacks[0].from);`,
    { flags },
  );
  assert.equal(allowed, 'd41d8cd98f00b204e9800998ecf8427e native\n');
});

test('in a bundle without a binary the warning names the settings of bundlers', async () => {
  const bundle = join(dirname(copy), 'bundle');
  mkdirSync(bundle);
  cpSync(dirname(entryPaths.millrace), join(bundle, 'server'), { recursive: true });
  const { code, stderr } = await run(
    `require(${JSON.stringify(join(bundle, 'server', 'index.js'))}).hash('md5', '')`,
    { bare: true, cwd: bundle },
  );
  assert.equal(code, 0);
  for (const named of [
    'MILLRACE_NO_BINARY',
    '.node beside the bundle, or mark "millrace" as external',
    "serverExternalPackages: ['millrace'] in next.config",
    'see "Servers and bundlers" in the documentation',
  ])
    assert.ok(stderr.includes(named), `${named} is not in ${stderr}`);
});

test('without a binary, MILLRACE_ENGINE=native: ERR_NO_BINARY, and what to do', async () => {
  const { code, stderr } = await without('', { env: { MILLRACE_ENGINE: 'native' } });
  assert.equal(code, 1);
  assert.match(stderr, /ERR_NO_BINARY/);
  assert.match(stderr, /npm/);
});

test('short asynchronous calls settle on an engine that is not the default', async () => {
  const program = `
    const key = Buffer.alloc(32);
    const engine = process.argv[2];
    const calls = [
      () => promises.hash('sha256', 'abc', { engine }),
      () => promises.hmac('sha256', key, 'abc', { engine }),
      () => promises.pbkdf2('password', 'salt', 2, 20, 'sha256', { engine }),
      () => promises.hkdf('sha256', key, '', '', 20, { engine }),
      () => promises.seal('aes-256-gcm', { key, nonce: Buffer.alloc(12), source: 'abc', engine }),
    ];
    // One at a time, so that no later call delivers the result of an earlier one.
    (async () => {
      for (const call of calls) await call();
      console.log('settled');
    })();
  `;
  for (const [base, other] of [
    ['native', 'portable'],
    ['portable', 'native'],
  ]) {
    const stdout = await output(program, { args: [other], env: { MILLRACE_ENGINE: base } });
    assert.equal(stdout, 'settled\n', `${other} beside ${base}`);
  }
});
