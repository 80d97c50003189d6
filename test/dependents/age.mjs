// Checks millrace/age with packages from the registries: the vectors of C2SP/CCTV (npm's cctv-age),
// typage (npm's age-encryption), age and rage, each both ways, and typage's own tests.
//
//   npm run test:age -- [DIRECTORY] [--age PROGRAM]... [--speed [--size MiB]]
//
// DIRECTORY is a checkout of typage; without it its tests are skipped. `--age` names programs
// besides the `age` and `rage` of the PATH; rage.py is rage, by PyPI's pyrage. Prints a table, and
// fails if anything fails only with Millrace. With `--speed` it measures them instead, on a file of
// 256 MiB or of `--size`: run it on a quiet machine.

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  cpSync,
  createReadStream,
  createWriteStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { inflateSync } from 'node:zlib';

import * as age from 'millrace/age';

import { npm } from '../../tools/install.mjs';
import { root } from '../../tools/steps.mjs';
import { temporary } from '../support/child.mjs';
import { vectors } from '../support/vectors.mjs';

const exec = promisify(execFile);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    age: { type: 'string', multiple: true, default: [] },
    speed: { type: 'boolean', default: false },
    size: { type: 'string', default: '256' },
  },
});
const packages = { 'age-encryption': '0.3.1', 'cctv-age': '0.2.0' };
const sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_000];

const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const notes = [];
const folder = temporary();
process.umask(0o077);

/** Runs checks with Millrace and with the original, and prints a row. */
async function runChecks(name, checks) {
  let [passed, failed, worse] = [0, 0, 0];
  for (const [title, ours, theirs] of checks) {
    const error = await errorOf(ours);
    if (error === undefined) {
      passed++;
      continue;
    }
    failed++;
    const also = await errorOf(theirs);
    notes.push(`${name}: ${title}: ${also === undefined ? '' : 'also the original: '}${error}`);
    if (also === undefined) worse++;
  }
  report(name, passed, failed, worse);
}

function report(name, passed, failed, worse) {
  row([name, passed, failed, worse]);
  if (worse > 0) process.exitCode = 1;
}

async function errorOf(check) {
  try {
    await check();
    return undefined;
  } catch (error) {
    return String(error.message).slice(0, 300);
  }
}

function same(found, expected) {
  if (!Buffer.from(found).equals(Buffer.from(expected))) throw new Error('another message');
}

/** Yields the checks of the vectors. */
function* cctv(kit, typage) {
  for (const [name, contents] of Object.entries(kit)) {
    if (!(contents instanceof Uint8Array)) continue;
    const bytes = Buffer.from(contents);
    const at = bytes.indexOf('\n\n');
    const facts = Object.fromEntries(
      bytes
        .toString('latin1', 0, at)
        .split('\n')
        .map((line) => /^(.*?): (.*)$/.exec(line).slice(1)),
    );
    const rest = bytes.subarray(at + 2);
    const file = facts.compressed === 'zlib' ? inflateSync(rest) : rest;
    const { expect, payload, identity = age.generateIdentity(), passphrase } = facts;
    const check = (decrypt) => async () => {
      const found = await decrypt().then(
        (message) => createHash('sha256').update(message).digest('hex'),
        (error) => error,
      );
      if (expect === 'success' ? found !== payload : typeof found === 'string')
        throw new Error(`expected ${expect}, got ${found.message ?? 'a message'}`);
    };
    const options = { identities: identity, ...(passphrase && { passphrase }) };
    yield [
      name,
      check(() => age.decrypt(file, options)),
      check(async () => {
        const decrypter = new typage.Decrypter();
        if (passphrase) decrypter.addPassphrase(passphrase);
        else decrypter.addIdentity(identity);
        return decrypter.decrypt(
          facts.armored ? typage.armor.decode(file.toString('latin1')) : file,
        );
      }),
    ];
  }
}

/** Yields the checks of typage, both ways. */
function* withTypage(typage) {
  const theirs = {
    async encrypt(message, { recipients, passphrase, armor }) {
      const encrypter = new typage.Encrypter();
      if (passphrase === undefined) encrypter.addRecipient(recipients);
      else {
        encrypter.setScryptWorkFactor(10);
        encrypter.setPassphrase(passphrase);
      }
      const file = await encrypter.encrypt(message);
      return armor ? Buffer.from(typage.armor.encode(file)) : file;
    },
    async decrypt(file, { identities, passphrase }) {
      const decrypter = new typage.Decrypter();
      if (passphrase === undefined) decrypter.addIdentity(identities);
      else decrypter.addPassphrase(passphrase);
      const isText = Buffer.from(file).toString('latin1').startsWith('-----');
      return decrypter.decrypt(isText ? typage.armor.decode(file.toString('latin1')) : file);
    },
  };
  for (const type of ['x25519', 'mlkem768x25519', 'passphrase']) {
    const identities = type === 'passphrase' ? undefined : age.generateIdentity(type);
    const passphrase = type === 'passphrase' ? 'correct horse' : undefined;
    const recipients = identities && age.identityToRecipient(identities);
    const sealing = passphrase ? { passphrase, workFactor: 10 } : { recipients };
    const opening = passphrase ? { passphrase } : { identities };
    for (const size of sizes)
      for (const armor of [false, true]) {
        const message = randomBytes(size);
        const check = (from, to) => async () =>
          same(
            await to.decrypt(await from.encrypt(message, { ...sealing, armor }), opening),
            message,
          );
        const title = `${type}, ${size} bytes${armor ? ', armor' : ''}`;
        yield [`${title}, written by Millrace`, check(age, theirs), check(theirs, theirs)];
        yield [`${title}, read by Millrace`, check(theirs, age), check(theirs, theirs)];
      }
  }
}

/** Yields the checks of a program with the options of age, both ways. */
function* withProgram(program) {
  const run = (command, args) => {
    const [file, ...first] = command;
    const { status, stderr, error } = spawnSync(file, [...first, ...args], { cwd: folder });
    if (status !== 0) throw new Error(`${error ?? stderr}`);
  };
  const millrace = [process.execPath, join(root, 'cli', 'main.js'), 'age'];
  const identity = (type) => {
    const secret = age.generateIdentity(type);
    return { type, private: `${secret}\n`, public: age.identityToRecipient(secret) };
  };
  const keys = [
    identity('x25519'),
    identity('mlkem768x25519'),
    ...vectors('age-ssh').filter(({ encrypted }) => !encrypted),
  ];
  for (const key of keys) {
    writeFileSync(join(folder, 'key'), key.private);
    const args = ['-d', '-i', 'key', '-o', 'opened', 'key'];
    const { stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    if (/unknown identity/.test(stderr)) {
      notes.push(`skipped: ${program} has no identities ${key.type}`);
      continue;
    }
    for (const size of sizes)
      for (const armor of [[], ['-a']]) {
        const message = randomBytes(size);
        const check = (from, to) => () => {
          writeFileSync(join(folder, 'key'), key.private);
          writeFileSync(join(folder, 'list'), `${key.public.trim()}\n`);
          writeFileSync(join(folder, 'message'), message);
          for (const name of ['file', 'opened']) rmSync(join(folder, name), { force: true });
          run(from, ['-R', 'list', ...armor, '-o', 'file', 'message']);
          run(to, ['-d', '-i', 'key', '-o', 'opened', 'file']);
          // Old versions of age make no file for an empty message.
          const opened = join(folder, 'opened');
          same(existsSync(opened) ? readFileSync(opened) : '', message);
        };
        const title = `${key.type}, ${size} bytes${armor.length > 0 ? ', armor' : ''}`;
        const alone = check([program], [program]);
        yield [`${title}, written by Millrace`, check(millrace, [program]), alone];
        yield [`${title}, read by Millrace`, check([program], millrace), alone];
      }
  }
}

/** Runs typage's tests in a copy of its checkout; resolves to the outcome of each. */
async function typageTests(directory, adapted) {
  const place = join(folder, adapted ? 'adapted' : 'plain');
  cpSync(directory, place, { recursive: true });
  rmSync(join(place, 'vitest.config.ts'), { force: true });
  if (adapted) {
    renameSync(join(place, 'lib', 'index.ts'), join(place, 'lib', 'original.ts'));
    cpSync(join(import.meta.dirname ?? root, 'typage-adapter.ts'), join(place, 'lib', 'index.ts'));
  }
  const names = ['vitest@4', 'cctv-age@0.2.0', 'esbuild', '@fast-check/vitest@0.2'];
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  delete manifest.devDependencies;
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
  await install(place, names);
  const report = join(place, 'report.json');
  const args = [
    'node_modules/vitest/vitest.mjs',
    '--run',
    '--reporter=json',
    `--outputFile=${report}`,
  ];
  await exec(process.execPath, [...args, 'tests/index.test.ts', 'tests/testkit.test.ts'], {
    cwd: place,
    env: { ...process.env, MILLRACE_ROOT: root },
    maxBuffer: 2 ** 26,
  }).catch((error) => notes.push(existsSync(report) ? '' : `typage's tests: ${error.stderr}`));
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return new Map(
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ fullName, status, failureMessages }) => [
        fullName,
        { status, message: failureMessages?.[0]?.slice(0, 300) },
      ]),
    ),
  );
}

/** Prints the throughput of each, the median of five rounds in turns; of typage one. */
async function measure(typage, programs) {
  const bytes = Number(values.size) * 2 ** 20;
  const [message, identities] = [Buffer.alloc(bytes, 'a message'), age.generateIdentity()];
  const recipients = age.identityToRecipient(identities);
  const path = (name) => join(folder, name);
  writeFileSync(path('message'), message);
  writeFileSync(path('key'), `${identities}\n`);
  const piped = (from, stream, to) =>
    pipeline(
      createReadStream(path(from), { highWaterMark: 2 ** 20 }),
      stream,
      createWriteStream(path(to)),
    );
  let file;
  const rows = [
    [
      'millrace/age, streams',
      () => piped('message', age.encryptStream({ recipients }), 'file'),
      () => piped('file', age.decryptStream({ identities }), 'opened'),
    ],
    [
      'millrace/age, in memory',
      async () => (file = await age.encrypt(message, { recipients })),
      () => age.decrypt(file, { identities }),
    ],
    ...[
      [process.execPath, join(root, 'cli', 'main.js'), 'age'],
      ...programs.map((each) => [each]),
    ].map(([program, ...first]) => [
      first.length > 0 ? 'millrace age' : program,
      () => exec(program, [...first, '-r', recipients, '-o', path('file'), path('message')]),
      () => exec(program, [...first, '-d', '-i', path('key'), '-o', path('opened'), path('file')]),
    ]),
    [
      'typage, in memory',
      async () => {
        const encrypter = new typage.Encrypter();
        encrypter.addRecipient(recipients);
        file = await encrypter.encrypt(message);
      },
      async () => {
        const decrypter = new typage.Decrypter();
        decrypter.addIdentity(identities);
        await decrypter.decrypt(file);
      },
    ],
  ];
  const found = rows.map(() => [[], []]);
  for (let round = 0; round < 5; round++)
    for (const [index, [name, ...runs]] of rows.entries())
      for (const [which, run] of runs.entries()) {
        if (round > 0 && name.startsWith('typage')) continue;
        const begin = performance.now();
        await run();
        found[index][which].push(bytes / 1000 / (performance.now() - begin));
      }
  console.log(`Node.js ${process.version}, ${cpus()[0].model}, ${cpus().length} cores; MB/s\n`);
  row([`${values.size} MiB`, 'encrypt', 'decrypt']);
  row(['---', '---', '---']);
  for (const [index, [name]] of rows.entries())
    row([
      name,
      ...found[index].map((rates) => Math.round(rates.sort((a, b) => a - b)[rates.length >> 1])),
    ]);
}

/** Runs all checks. */
async function checkAll(typage, kit, programs) {
  row(['checked by', 'passed', 'failed', 'failed only with Millrace']);
  row(['---', '---', '---', '---']);
  await runChecks('CCTV, beside typage', cctv(kit, typage));
  await runChecks('typage, both ways', withTypage(typage));
  for (const program of programs) {
    let version;
    try {
      version = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
    } catch {
      row([`skipped: ${program}: not installed`, '', '', '']);
      continue;
    }
    const name = program.split('/').at(-1);
    await runChecks(
      `${version.startsWith(name) ? '' : `${name} `}${version}, both ways`,
      withProgram(program),
    );
  }
  if (positionals.length === 0) row(["skipped: typage's tests: no DIRECTORY", '', '', '']);
  for (const directory of positionals) {
    const [plain, ours] = [
      await typageTests(resolve(directory), false),
      await typageTests(resolve(directory), true),
    ];
    let [passed, failed, worse] = [0, 0, 0];
    for (const [name, { status, message }] of ours) {
      // The adapter is no part of typage.
      if (name.endsWith('should tree shake')) continue;
      if (status === 'passed') passed++;
      if (status !== 'failed') continue;
      failed++;
      const isWorse = plain.get(name)?.status !== 'failed';
      if (isWorse) worse++;
      notes.push(`typage's tests: ${name}: ${isWorse ? '' : 'also the original: '}${message}`);
    }
    for (const [name, { status }] of plain)
      if (status === 'passed' && !ours.has(name)) {
        worse++;
        notes.push(`typage's tests: ${name}: was not run with Millrace`);
      }
    report("typage's tests", passed, failed, worse);
  }
  const said = notes.filter(Boolean);
  if (said.length > 0) console.log(`\n${said.join('\n')}`);
}

const isThere = (program) => spawnSync(program, ['--version']).status === 0;

async function install(place, names) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  const [command, args, settings] = npm(['install', ...options, ...names]);
  await exec(command, args, { ...settings, cwd: place });
}

try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await install(
    folder,
    Object.entries(packages).map((each) => each.join('@')),
  );
  const require = createRequire(join(folder, 'package.json'));
  const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
  const [typage, kit] = [await load('age-encryption'), await load('cctv-age')];
  const programs = ['age', 'rage', ...values.age.map((path) => resolve(path))];
  if (values.speed) await measure(typage, programs.filter(isThere));
  else await checkAll(typage, kit, programs);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
