// That another engine serves than the one asked for is never hidden: a warning once for each
// algorithm and reason, and a count. And what happens where there is no binary.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';

import { entryPaths, root, run, temporary } from '../support/child.mjs';

const warnings =
  "const warnings = []; process.on('warning', ({ name, code, message }) => " +
  'warnings.push({ name, code, message }));\n';
const last =
  '\nsetImmediate(() => setImmediate(() => console.log(JSON.stringify({ warnings, ...given }))));';

/** Returns the warnings of a program, and what it puts into `given`. */
async function warned(program, options) {
  const { code, stdout, stderr } = await run(`${warnings}const given = {};\n${program}${last}`, {
    flags: ['--no-warnings'],
    ...options,
  });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test('a fallback is reported once, and counted each time', async () => {
  const { warnings: told, fallbacks } = await warned(`
    const options = { engine: ['kernel', 'native'] };
    for (let i = 0; i < 3; i++) millrace.hash('blake3', 'abc', options);
    millrace.createHash('blake3', options).update(Buffer.alloc(10000)).digest();
    millrace.hash('shake128', 'abc', { ...options, outputLength: 16 });
    given.fallbacks = millrace.engines().fallbacks;
  `);
  assert.deepEqual(
    told.map(({ name, code }) => [name, code]),
    [
      ['MillraceWarning', 'MILLRACE_ENGINE_FALLBACK'],
      ['MillraceWarning', 'MILLRACE_ENGINE_FALLBACK'],
    ],
  );
  assert.match(
    told[0].message,
    /^blake3: the kernel engine does not serve, and native does instead: ./,
  );
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
  const { warnings: told, same } = await warned(
    `
    const key = Buffer.alloc(32, 7),
      nonce = Buffer.alloc(12),
      source = Buffer.alloc(500000, 5);
    const expected = [
      millrace.hash('blake3', source),
      millrace.seal('xchacha20-poly1305', { key, nonce: Buffer.alloc(24), source }),
    ];
    const engine = ['kernel', 'portable'];
    const calls = [
      promises.hash('blake3', source, { engine }),
      promises.seal('xchacha20-poly1305', { key, nonce: Buffer.alloc(24), source, engine }),
    ];
    key.fill(0);
    source.fill(0);
    given.same = Promise.all(calls).then((results) =>
      results.map((each, index) => each.equals(expected[index])),
    );
    given.same.then(
      (same) => console.log(JSON.stringify({ warnings, same })),
      (error) => console.log(JSON.stringify({ error: error.message })),
    );
    given.toJSON = () => undefined;
  `.replace('given.toJSON = () => undefined;', 'setImmediate = () => {};'),
  );
  assert.deepEqual(same, [true, true]);
  assert.equal(told.length, 2);
});

test('a fallback that is not allowed is an error', async () => {
  const { warnings: told, code } = await warned(
    "try { millrace.hash('blake3', 'abc', { engine: 'kernel' }) } catch (error) { " +
      'given.code = error.code }',
  );
  assert.equal(code, 'ERR_ENGINE_UNAVAILABLE');
  assert.deepEqual(told, []);
});

// the environment

test('MILLRACE_ENGINE chooses what serves by default', async () => {
  const program =
    "given.engine = millrace.configure().engine; given.digest = millrace.hash('sha256', " +
    "'abc', 'hex'); given.portable = millrace.engines().portable.available;";
  const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  for (const [asked, engine] of [
    ['portable', 'auto'],
    ['native', 'auto'],
    ['', 'auto'],
    ['portable,native', ['portable', 'native']],
    ['auto', 'auto'],
  ]) {
    assert.deepEqual(
      await warned(program, { env: { MILLRACE_ENGINE: asked } }),
      { warnings: [], engine, digest, portable: true },
      asked,
    );
  }
  const { code, stderr } = await run('', { env: { MILLRACE_ENGINE: 'gpu' } });
  assert.equal(code, 1);
  assert.match(stderr, /MILLRACE_ENGINE must be 'native'/);
});

test('MILLRACE_ENGINE=portable leaves the binary alone until it is asked for', async () => {
  const {
    before: loaded,
    after: then,
    same,
  } = await warned(
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
  assert.equal(same, true);
  if (loaded !== undefined) assert.deepEqual([loaded, then], [false, true]);
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
    const source = crypto.randomBytes(200000),
      key = crypto.randomBytes(32),
      nonce = crypto.randomBytes(12);
    (async () => {
      const same = [
        millrace.hash('sha256', source, 'hex') ===
          crypto.createHash('sha256').update(source).digest('hex'),
        (await promises.hash('sha3-512', source)).equals(
          crypto.createHash('sha3-512').update(source).digest(),
        ),
        (
          await promises.open('aes-256-gcm', {
            key,
            nonce,
            source: millrace.seal('aes-256-gcm', { key, nonce, source }),
          })
        ).equals(source),
        (await promises.scrypt('password', 'salt', 32)).equals(
          crypto.scryptSync('password', 'salt', 32),
        ),
      ];
      const { native, portable, kernel } = millrace.engines();
      console.log(
        JSON.stringify({
          same,
          warnings,
          native,
          portable: portable.available,
          kernel,
          threads: millrace.configure().threads > 0,
        }),
      );
      process.exit(0);
    })();
  `,
    { flags: ['--no-warnings'] },
  );
  assert.equal(code, 0, stderr);
  const { same, warnings: told, native, portable, kernel, threads } = JSON.parse(stdout);
  assert.deepEqual(same, [true, true, true, true]);
  assert.deepEqual(
    told.map((each) => each.code),
    ['MILLRACE_NO_BINARY'],
  );
  assert.match(
    told[0].message,
    new RegExp(
      `no native binary for ${process.platform}-${process.arch}.*npm.*portable engine`,
      's',
    ),
  );
  assert.deepEqual(
    [native.available, portable, kernel.available, threads],
    [false, true, false, true],
  );
  assert.match(native.reason, /npm/);
  assert.match(kernel.reason, /native code/);
});

test('without a binary the engines that need it are refused', async () => {
  const { stdout } = await without(
    "for (const engine of ['native', 'kernel', 'af_alg', 'cryptodev']) try { " +
      "millrace.hash('sha256', '', { engine }) } catch ({ code, message }) { " +
      'console.log(code, /npm/.test(message)) }',
    { flags: ['--no-warnings'] },
  );
  assert.equal(stdout, 'ERR_ENGINE_UNAVAILABLE true\n'.repeat(4));
  const { stdout: allowed } = await without(
    "console.log(millrace.hash('md5', '', { engine: ['native', 'portable'], encoding: " +
      "'hex' }), millrace.engines().fallbacks[0].from)",
    { flags: ['--no-warnings'] },
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
    'mark "millrace" as external',
    "serverExternalPackages: ['millrace'] in next.config",
    'docs/servers-and-bundlers.md',
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
    const { stdout, stderr } = await run(program, {
      args: [other],
      env: { MILLRACE_ENGINE: base },
      timeout: 300_000,
    });
    assert.equal(stdout, 'settled\n', `${other} beside ${base}: ${stderr}`);
  }
});
