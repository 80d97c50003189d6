// What runs the tests: order and lanes of tasks, the verdict on a file, what the cache keeps.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { mayAppear, unexpectedSkips } from '../../tools/absent-tools.mjs';
import { cached, keep, keepVerdict, verdict } from '../../tools/cache.mjs';
import { treeFiles } from '../../tools/fingerprint.mjs';
import { rustSources } from '../../tools/rust-tests.mjs';
import { leftOut, long } from '../../tools/long-tests.mjs';
import { runTasks } from '../../tools/schedule.mjs';
import { Stop, root } from '../../tools/steps.mjs';
import { Results, testTask } from '../../tools/test-files.mjs';
import { temporary } from '../support/child.mjs';

const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));
process.env.MILLRACE_CACHE = join(folder, 'cache');

test('tasks run side by side, those of a lane one at a time, after what they need', async () => {
  const running = new Set();
  const order = [];
  let most = 0;
  const task = (title, lane, needs) => ({
    title,
    lane,
    needs,
    run: async () => {
      if (lane !== undefined) assert.ok(![...running].some((each) => each.lane === lane));
      const me = { lane };
      running.add(me);
      most = Math.max(most, running.size);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running.delete(me);
      order.push(title);
    },
  });
  const { failed, seconds } = await runTasks(
    [task('c', 'x', ['b']), task('a', 'x'), task('b', 'x', ['a']), task('d'), task('e')],
    2,
  );
  assert.deepEqual(failed, []);
  assert.equal(most, 2);
  assert.deepEqual(
    order.filter((title) => 'abc'.includes(title)),
    ['a', 'b', 'c'],
  );
  assert.deepEqual([...seconds.keys()].sort(), ['a', 'b', 'c', 'd', 'e']);
});

test('what needs a failed task is not run and fails, the others run', async () => {
  const ran = [];
  const { failed } = await runTasks(
    [
      { title: 'front', run: () => Promise.reject(new Stop('')) },
      { title: 'tests', needs: ['front'], run: async () => ran.push('tests') },
      { title: 'more tests', needs: ['tests'], run: async () => ran.push('more tests') },
      { title: 'lints', needs: ['not among them'], run: async () => ran.push('lints') },
    ],
    2,
  );
  assert.deepEqual(failed.sort(), ['front', 'more tests', 'tests']);
  assert.deepEqual(ran, ['lints']);
  const mistake = { title: 'mistake', run: () => Promise.reject(new TypeError('a mistake')) };
  await assert.rejects(runTasks([mistake], 1), TypeError);
});

test('a file fails by a test, by its end and by its exit code', async () => {
  const cases = {
    passes: ["test('a', () => {});", { passed: 1, failed: 0 }],
    fails: ["test('a', () => { throw new Error('wrong'); });", { passed: 0, failed: 1 }],
    'fails within': [
      "test('a', async (t) => { await t.test('b', () => { throw new Error('wrong'); }); });",
      { passed: 0, failed: 1 },
    ],
    ends: ["test('a', () => {}); process.exit(0);", { passed: 0, failed: 1 }],
    exits: ["test('a', () => {}); process.on('exit', () => process.exit(3));", { failed: 1 }],
    'is killed': ["process.kill(process.pid, 'SIGKILL');", { passed: 0, failed: 1 }],
    'does not compile': ['test(', { passed: 0, failed: 1 }],
    skips: ["test('a', { skip: 'no such CPU' }, () => {});", { passed: 0, failed: 0 }],
  };
  for (const [name, [text, expected]] of Object.entries(cases)) {
    const file = join(folder, `${name.replaceAll(' ', '-')}.test.mjs`);
    writeFileSync(file, `import { test } from 'node:test';\n${text}\n`);
    const results = new Results();
    const texts = [];
    const { failed } = await runTasks([testTask(file, [], results, (text) => texts.push(text))], 1);
    assert.equal(/FAILED/.test(texts.join('')), expected.failed > 0, name);
    for (const [count, value] of Object.entries(expected))
      assert.equal(results[count], value, `${name}: ${count}`);
    assert.equal(failed.length, expected.failed, name);
    assert.deepEqual(results.skipped, name === 'skips' ? ['a: no such CPU'] : []);
  }
});

test('the cache returns what was kept for the same inputs, and survives its loss', () => {
  const write = (place) => writeFileSync(join(place, 'text'), 'kept');
  assert.equal(cached('kind', [1]), undefined);
  const entry = keep('kind', [1], write);
  assert.equal(cached('kind', [1]), entry);
  assert.equal(readFileSync(join(entry, 'text'), 'utf8'), 'kept');
  assert.equal(keep('kind', [1], write), entry);
  for (const [kind, inputs] of Object.entries({ kind: [2], other: [1] }))
    assert.equal(cached(kind, inputs), undefined);
  // A half-written result is none.
  assert.throws(() =>
    keep('kind', [3], (place) => {
      mkdirSync(join(place, 'half'));
      throw new Error('no space');
    }),
  );
  assert.equal(cached('kind', [3]), undefined);
  assert.equal(readdirSync(process.env.MILLRACE_CACHE).length, 1);

  keepVerdict('tests', ['tree'], { passed: 3 });
  assert.deepEqual(verdict('tests', ['tree']), { passed: 3 });
  assert.equal(verdict('tests', ['another tree']), undefined);
  assert.equal(verdict('other tests', ['tree']), undefined);
  rmSync(process.env.MILLRACE_CACHE, { recursive: true });
  assert.equal(verdict('tests', ['tree']), undefined);
});

test('a verdict depends on every file of the repository', (t) => {
  const { status, stdout } = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) return t.skip('not a checkout of git');
  const files = new Set(treeFiles());
  const tracked = stdout.split('\n').filter((path) => existsSync(join(root, path)) && path !== '');
  assert.ok(tracked.length > 500);
  assert.deepEqual(
    tracked.filter((path) => !files.has(path)),
    [],
  );
});

test('compilers and tests of Rust read nothing but what their verdicts depend on', () => {
  const outside = treeFiles('crates')
    .filter((file) => /\.(rs|toml)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const paths = [...text.matchAll(/"\/?((?:\.\.\/)+[^"]*)"/g)].map(([, path]) => path);
      const crate = file.split('/').slice(0, 2).join('/');
      // Relative to the file, or to the crate in env!("CARGO_MANIFEST_DIR").
      return paths.flatMap((path) => [join(dirname(file), path), join(crate, path)]);
    })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => existsSync(join(root, path)))
    .filter((path) => !rustSources.some((each) => path === each || path.startsWith(`${each}/`)));
  assert.deepEqual([...new Set(outside)], []);
  for (const path of rustSources) assert.ok(existsSync(join(root, path)), path);
});

test('CONTRIBUTING.md has what npm test leaves out, its seconds, and the verb of each', () => {
  const row = /^ *\| `?((?:test\/|documentation site)[\w./-]*)`? \| ([\d.]+) \| (.*) \|$/gm;
  const rows = [...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(row)];
  const told = rows.map(([, title, seconds]) => [title, Number(seconds)]);
  const times = JSON.parse(readFileSync(join(root, 'tools', 'test-times.json'), 'utf8'));
  const wanted = long.flatMap(({ titles }) => titles);
  assert.deepEqual(
    told,
    wanted.map((title) => [title, Math.round(times[title])]),
  );
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const workflows = ['ci', 'nightly', 'packages'].map((name) =>
    readFileSync(join(root, '.github', 'workflows', `${name}.yml`), 'utf8'),
  );
  for (const [, title, , where] of rows)
    for (const [, verb] of where.matchAll(/`(?:npm run )?([\w:]+)`/g)) {
      assert.ok(verb in scripts, `${title}: ${verb}`);
      assert.ok(
        workflows.some((text) => text.includes(verb)),
        `${title}: ${verb}`,
      );
    }
  assert.ok(workflows.every((text, index) => index === 0 || text.includes('test:all')));
});

test('a long test runs for all that changed since it passed last', async (t) => {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  let head, first;
  try {
    head = git('rev-parse', 'HEAD');
    first = git('rev-list', '--max-parents=0', 'HEAD').split('\n').at(-1);
  } catch (error) {
    return t.skip(`not in a checkout of git: ${error.message}`);
  }
  const titles = long.flatMap((each) => each.titles);
  if (git('status', '--porcelain') === '')
    assert.deepEqual([...(await leftOut(() => head)).keys()], titles);
  if (first !== head) assert.deepEqual([...(await leftOut(() => first)).keys()], []);
  const other = await leftOut((title) => (title === titles[0] ? first : head));
  assert.equal(other.has(titles[0]), first === head);
});

test('in CI a test that lacks a tool fails the run, unless the tool is listed', () => {
  const skips = [
    'a: valgrind is not installed',
    'b: there is no zsh',
    'c: not installed: npm run test:noble -- --versions',
    'd: this Node.js has no crypto.argon2',
    'e: not run: there is no Firefox here (apt-get install firefox-esr, or FIREFOX=path)',
  ];
  assert.deepEqual(unexpectedSkips(skips, { CI: 'true' }, true), skips.slice(0, 2));
  assert.deepEqual(unexpectedSkips(skips, { CI: 'true' }, false), []);
  assert.deepEqual(unexpectedSkips(skips, {}, true), []);
  // A verdict is not kept where a package may be installed later.
  const may = ['a: there is no cksum --base64', 'b: root reads every file', ...skips.slice(2)];
  assert.deepEqual(
    may.filter((text) => mayAppear(text, ['cksum'])),
    [skips[2], skips[4]],
  );
});

const windows = process.platform === 'win32' && 'folders are not read-only on Windows';

test('a home folder that cannot be written is left alone', { skip: windows }, (t) => {
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o555 });
  const module = pathToFileURL(join(root, 'tools', 'prerequisites.mjs')).href;
  const script = `
    import { leaveHomeAlone } from ${JSON.stringify(module)};
    const env = { CARGO_HOME: ${JSON.stringify(tmpdir())} };
    leaveHomeAlone(env);
    process.stdout.write(JSON.stringify(env));`;
  // Root writes everywhere.
  const user = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
  const options = { cwd: '/', env: { ...process.env, HOME: home }, encoding: 'utf8', ...user };
  const args = ['--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, options);
  // To a user who may not look into a folder, what is there is not found.
  if (/EACCES|ERR_MODULE_NOT_FOUND/.test(stderr))
    return t.skip('another user may not read this checkout');
  const env = { CARGO_HOME: tmpdir(), npm_config_cache: join(root, 'target', 'home', '.npm') };
  assert.deepEqual(JSON.parse(stdout), env);
});

test('a verb reads its options before it installs and builds', () => {
  for (const verb of [
    'test:kernel',
    'test:node-crypto',
    'test:webcrypto',
    'platforms',
    'release',
  ]) {
    const args = [join(root, 'tools', 'bootstrap.mjs'), verb, '--nosuch'];
    // Without the places of programs nothing could be installed.
    const options = { env: { PATH: '' }, encoding: 'utf8' };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^Unknown option '--nosuch'/, verb);
  }
});

test('without a cache everything is computed', () => {
  const place = process.env.MILLRACE_CACHE;
  process.env.MILLRACE_CACHE = 'off';
  try {
    let calls = 0;
    assert.equal(
      keep('kind', [1], () => calls++),
      undefined,
    );
    assert.equal(cached('kind', [1]), undefined);
    keepVerdict('tests', ['tree'], {});
    assert.equal(verdict('tests', ['tree']), undefined);
    assert.equal(calls, 0);
    assert.ok(!existsSync('off'));
  } finally {
    process.env.MILLRACE_CACHE = place;
  }
});
