// Compares the statements of SECURITY.md and docs/audit.md about tests, figures and the supply
// chain with the files, the code and the workflows.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { platforms } from '../../tools/platforms.mjs';
import { root } from '../../tools/steps.mjs';

const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const security = read('SECURITY.md');
const audit = read('docs', 'audit.md');

test('each guarantee has a row of tests that exist, and so has all own cryptography', () => {
  const [, guarantees] = /^## Guarantees\n([^]*?)^## /m.exec(security);
  const names = [...guarantees.matchAll(/^- \*\*(.+?)\.\*\*/gm)].map(([, name]) => name);
  assert.ok(names.length > 8);
  const [, claims] = /^## Claims\n([^]*?)^### /m.exec(audit);
  const rows = [...claims.matchAll(/^\| (?!guarantee)([\w ]+) \| (.*) \|$/gm)];
  assert.deepEqual(
    rows.map(([, name]) => name),
    names,
  );
  const files = [...audit.matchAll(/`((?:test|crates|src)\/[\w/.-]+)`/g)].map(([, file]) => file);
  assert.ok(files.length > 20);
  for (const file of files) assert.ok(existsSync(join(root, file)), file);
  const { scripts } = JSON.parse(read('package.json'));
  const verbs = [...audit.matchAll(/^\| `npm run ([\w:-]+)/gm)].map(([, verb]) => verb);
  assert.ok(verbs.length > 4);
  for (const verb of verbs) assert.ok(verb in scripts, verb);
  const [, map] = /^## Own cryptographic code\n([^]*?)^## /m.exec(audit);
  const core = join(root, 'crates', 'core', 'src');
  // What the implementations share.
  const shared = `
    aead base64 chunks clock contract digest digest_types function hasher key many message mod parts
    phc running running_cipher state state_format text
  `.match(/\w+/g);
  for (const folder of ['cipher', 'hash', 'kdf'])
    for (const name of readdirSync(join(core, folder)).map((file) => file.replace(/\.rs$/, '')))
      if (!shared.includes(name)) assert.match(map, new RegExp(`\\b${folder}/${name}\\b`), name);
  for (const folder of ['aarch64', 'any', 'wasm32', 'x86_64'])
    for (const name of readdirSync(join(core, 'cpu', folder)).map((file) => file.split('.')[0]))
      if (!['mod', 'prefetch'].includes(name))
        assert.match(map, new RegExp(`cpu/\\*/[^\`]*\\b${name}\\b`), name);
  const places = ['hmac/computation.rs', 'hmac/iteration.rs', 'primitives', 'wipe.rs', 'memory.rs'];
  for (const place of places) assert.ok(map.includes(`\`${place}\``), place);
});
const workflows = readdirSync(join(root, '.github', 'workflows')).map((name) =>
  read('.github', 'workflows', name),
);

test('a workflow runs every verb of tests', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const text = workflows.join('\n');
  const verbs = Object.keys(scripts).filter((name) => name.startsWith('test'));
  const missing = verbs.filter((name) => !new RegExp(`\\b${name}(?![\\w:-])`).test(text));
  assert.deepEqual(missing, []);
  // Options with which a verb runs other tests; not those that are used by hand.
  const code = read('tools', 'verbs.mjs');
  const functions = new Map(
    code.split(/^async function (?=\w+\()/m).map((each) => [/^\w+/.exec(each)?.[0], each]),
  );
  const modes = [...code.matchAll(/^  '(test:[\w-]+)': (\w+),/gm)].flatMap(([, verb, name]) =>
    [...functions.get(name).matchAll(/args\.includes\('(--[\w-]+)'\)/g)]
      .map(([, option]) => [verb, option])
      .filter(([, option]) => !/^--(record|managers)$/.test(option)),
  );
  assert.ok(modes.length >= 4);
  for (const [verb, option] of modes)
    assert.match(text, new RegExp(`\\b${verb}\\b(', options: ')?[^\n']*\\${option}\\b`));
  // What `npm test` skips without these is not skipped everywhere.
  assert.match(text, /apt-get install --yes valgrind zsh fish xxhash rhash\s+- run: npm test\n/);
  assert.match(text, /--env MILLRACE_INSTRUCTIONS=required[^]{0,200}npm test"/);
  assert.match(text, /npm test -- test\/compat\/bigint-hash-upstream[^]{0,80}BIGINT_HASH_SPEC/);
});

test('actions are pinned by commit, container images by digest', () => {
  const text = workflows.join('\n');
  const used = [...text.matchAll(/uses: (\S+)/g)].map(([, each]) => each);
  const own = used.filter((each) => each.startsWith('./'));
  assert.deepEqual(own, ['./.github/workflows/packages.yml']);
  const actions = used.filter((each) => !own.includes(each));
  assert.ok(actions.length > 10);
  for (const each of actions) assert.match(each, /^[\w/-]+@[\da-f]{40}$/);
  const images = [...text.matchAll(/\bnode:\d[^\s']*/g)].map(([each]) => each);
  assert.ok(images.length >= 6);
  for (const each of images) assert.match(each, /^node:\d+-[a-z]+@sha256:[\da-f]{64}$/);
});

test('every verb of a workflow is a script of package.json', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const text = workflows.join('\n');
  const verbs = [
    ...[...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, each]) => each),
    ...[...text.matchAll(/\bverb: '?([\w:-]+)/g)].map(([, each]) => each),
    ...[...text.matchAll(/\bverb:\s*\[([^\]]+)\]/g)].flatMap(([, each]) =>
      each.trim().split(/,\s*/),
    ),
  ];
  assert.ok(verbs.length > 20);
  assert.deepEqual(
    verbs.filter((each) => each !== '' && !(each.replace(/ -- .*/, '') in scripts)),
    [],
  );
});

test('rustup, Zig and what cargo installs are pinned', () => {
  for (const text of workflows) {
    assert.doesNotMatch(text, /rustup-init|sh\.rustup\.rs/);
    for (const [command] of text.matchAll(/cargo install.*/g))
      assert.match(command, /^cargo install --locked [\w-]+@\d+\.\d+\.\d+$/);
  }
  const rustup = read('tools', 'rustup.sh');
  for (const cpu of ['x86_64', 'aarch64'])
    for (const libc of ['gnu', 'musl'])
      assert.match(rustup, new RegExp(`^ *${cpu}-\\*-${libc}\\) sum=[\\da-f]{64} ;;$`, 'm'));
  const fetched = read('tools', 'platforms', 'fetch.mjs');
  assert.match(fetched, /'--require-hashes'/);
  for (const name of ['ziglang', 'cargo-zigbuild'])
    assert.match(fetched, new RegExp(`^${name}==[\\d.]+ [^=]*--hash=sha256:[\\da-f]{64}`, 'm'));
});

test('no script of an npm package runs but in the benchmark', () => {
  for (const text of workflows) {
    for (const [command] of text.matchAll(/npm (?:ci|install)\b.*/g))
      assert.match(command, /--ignore-scripts/);
    assert.doesNotMatch(text, /npm run bench/);
  }
  const without = ['tools', 'bench', 'cli', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.mjs') && !name.includes('node_modules'))
      .map((name) => join(folder, name))
      .filter((name) => {
        const text = read(name);
        return /\bnpm\(\[\s*'(ci|install)'/.test(text) && !text.includes('--ignore-scripts');
      }),
  );
  assert.deepEqual(without, [join('tools', 'competitors.mjs')]);
});

/** Returns the jobs of a workflow: names and texts. */
const jobsOf = (name) =>
  read('.github', 'workflows', name)
    .split(/^jobs:\n/m)[1]
    .split(/^ {2}(?=[\w-]+:\n)/m)
    .slice(1)
    .map((text) => [/^[\w-]+/.exec(text)[0], text]);

test('a job of a release that has an identity compiles and installs nothing', () => {
  const all = ['packages.yml', 'release.yml'].flatMap(jobsOf);
  const identified = all.filter(([, text]) => /id-token: write|contents: write/.test(text));
  assert.deepEqual(
    identified.map(([name]) => name),
    ['attest', 'attest-materials', 'packages', 'stage', 'draft'],
  );
  const commands = identified.flatMap(([name, text]) =>
    [...text.matchAll(/ run: (.*)/g)].map(([, command]) => `${name}: ${command}`),
  );
  assert.deepEqual(commands, [
    'stage: node tools/release/publish.mjs --stage --from packages --tag "$TAG"',
    'draft: node tools/release/notes.mjs "$TAG" >notes.md',
    'draft: gh release create "$TAG" --verify-tag --draft --title "$TAG" --notes-file notes.md packages/*',
  ]);
  const [, stage] = identified.find(([name]) => name === 'stage');
  assert.match(stage, /environment: npm/);
  assert.match(stage, /node-version: \d+\.\d+\.\d+\n/);
  // Nothing of an earlier run is in what is released.
  for (const [name, text] of all) {
    assert.doesNotMatch(text, /actions\/cache/, name);
    const nodes = text.match(/actions\/setup-node@/g)?.length ?? 0;
    assert.equal(text.match(/package-manager-cache: false/g)?.length ?? 0, nodes, name);
  }
});

test('the bills of materials of all binaries and of the JavaScript are attested', () => {
  const [, attest] = jobsOf('packages.yml').find(([name]) => name === 'attest-materials');
  const [, listed] = /^ {8}name:\n((?: {10}- .*\n)+)/m.exec(attest);
  const names = [...listed.matchAll(/- (.*)/g)].map(([, name]) => name);
  assert.deepEqual(names.sort(), [...platforms.map(({ name }) => name), 'javascript'].sort());
});

test('no checkout keeps credentials, and no command contains an expression of a ref', () => {
  for (const text of workflows) {
    const checkouts = text.match(/actions\/checkout@/g)?.length ?? 0;
    assert.equal(text.match(/persist-credentials: false/g)?.length ?? 0, checkouts);
    for (const [command] of text.matchAll(/^ *(?:- )?run:.*/gm))
      assert.doesNotMatch(command, /\$\{\{ *(github|inputs)/);
  }
});

test('dependabot updates every lockfile, a week after a version is published', (t) => {
  const text = read('.github', 'dependabot.yml');
  const { status, stdout } = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) return t.skip('not a checkout of git');
  const tracked = stdout.split('\n');
  const kinds = { npm: 'package-lock.json', cargo: 'Cargo.lock', pip: 'requirements.txt' };
  for (const [kind, lockfile] of Object.entries(kinds)) {
    const [, entry] = new RegExp(`package-ecosystem: ${kind}\\n((?: {4}.*\\n)+)`).exec(text);
    assert.match(entry, /cooldown:\n {6}default-days: 7\n/);
    const [, listed] = /director(?:ies: \[(?=.*\])|y: )(.*?)\]?\n/.exec(entry);
    const folders = tracked
      .filter((file) => file === lockfile || file.endsWith(`/${lockfile}`))
      .map((file) => `/${file.slice(0, -lockfile.length).replace(/\/$/, '')}`);
    assert.deepEqual(listed.split(', ').sort(), folders.sort(), kind);
  }
});

test('advisories of AWS-LC that do not matter are about code that is not called', () => {
  const { statements } = JSON.parse(read('docs', 'millrace.openvex.json'));
  assert.ok(statements.length >= 5);
  const names = platforms.map(({ name }) => `pkg:npm/%40millrace/${name}`);
  for (const { vulnerability, products, status, justification } of statements) {
    assert.match(vulnerability.name, /^(CVE|RUSTSEC)-\d{4}-\d+$/);
    assert.deepEqual(
      [status, justification],
      ['not_affected', 'vulnerable_code_not_in_execute_path'],
    );
    assert.deepEqual(products.map((each) => each['@id']).sort(), names.sort());
  }
  const files = readdirSync(join(root, 'crates'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.rs')))
    assert.doesNotMatch(read('crates', file), /\b(X509|PKCS7|CRL|X509V3)_\w|_ccm\b/, file);
});

test('the lines of own cryptography are those of the code, within a tenth', () => {
  const files = ['core', 'public-keys']
    .flatMap((crate) => {
      const folder = join('crates', crate, 'src');
      const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
      return names.map((name) => join(folder, name).replaceAll('\\', '/'));
    })
    .filter((file) => file.endsWith('.rs') && !/(^|\/)tests(\/|\.rs$)/.test(file));
  const [, map] = /^## Own cryptographic code\n([^]*?)^## /m.exec(audit);
  const rows = [...map.matchAll(/^\| (`.*?`) \| ([\d,]+) \|/gm)];
  assert.ok(rows.length > 12);
  for (const [, places, lines] of rows) {
    const patterns = [...places.matchAll(/`(.+?)`/g)].map(([, place]) => {
      const alternatives = place.replace(
        /\{(.*)\}/,
        (_, names) => `(${names.replaceAll(',', '|')})`,
      );
      const name = alternatives.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
      const folder = place.startsWith('crates/') ? '' : 'crates/core/src/';
      return new RegExp(`^${folder}${name}(\\.rs|/.*)?$`);
    });
    const own = files.filter((file) => patterns.some((pattern) => pattern.test(file)));
    const counted = own.reduce((sum, file) => {
      const [code] = read(file).split(/^#\[cfg\(test\)\]\n(?=#\[test\]|(?:#\[.*\n)*mod \w+ \{)/m);
      return sum + code.split('\n').length - 1;
    }, 0);
    const stated = Number(lines.replaceAll(',', ''));
    assert.ok(Math.abs(stated - counted) <= counted / 10, `${places}: ${counted}, not ${stated}`);
  }
});

test('the figures of stacks are those of the code', () => {
  const stack = read('crates', 'core', 'src', 'stack.rs');
  const size = (name) => Number(new RegExp(`const ${name}: usize = (\\d+) << 10;`).exec(stack)[1]);
  for (const [text, name] of [
    [/a worker overwrites (\d+) KiB of its stack/, 'DEEP'],
    [/keyed `hashMany` overwrites (\d+) KiB/, 'NEAR'],
    [/`createDecipher` (\d+) KiB/, 'KEY'],
  ])
    assert.equal(Number(text.exec(audit.replace(/\s+/g, ' '))[1]), size(name), name);
});
