// The steps of `npm run check`: what can be checked without running a test. CONTRIBUTING.md says
// what each tool is for.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

import { checkArm64 } from './cross.mjs';
import { prettier } from './format.mjs';
import { cargo } from './cargo.mjs';
import { npm } from './install.mjs';
import { prepareNativeBuild } from './prerequisites.mjs';
import { rustSources } from './rust-tests.mjs';
import { Stop, probe, root, skipped, step } from './steps.mjs';

/** @returns {import('./schedule.mjs').Task[]} */
export function checks() {
  const lints = [...clippy, '--', '-D', 'warnings'];
  const format = ['fmt', '--check', '--', '--color', 'never'];
  const needs = ['front'];
  const ofRust = { lane: 'cargo', reads: rustSources };
  return [
    { title: 'clippy', ...ofRust, run: () => component('clippy', lints, 'clippy') },
    { title: 'arm64', lane: 'cargo', run: () => checkArm64(clippy) },
    { title: 'WebAssembly: clippy', ...ofRust, run: checkWebAssembly },
    { title: 'documentation of Rust', ...ofRust, run: rustDocs },
    { title: 'rustfmt', run: () => component('rustfmt', format, 'rustfmt') },
    { title: 'licences and sources of crates', run: checkCrates },
    { title: 'generated calls', run: () => checkGenerated('calls') },
    { title: 'generated catalog', lane: 'cargo', run: () => checkGenerated('catalog') },
    { title: 'Prettier', run: checkFormat },
    { title: 'oxlint', run: () => tool('oxlint', 'oxlint', ['--deny-warnings']) },
    types('types of the tests', 'tools/tsconfig.types.json'),
    // Programs with some of the platform's types.
    ...['dom-node', 'dom', 'bare'].map((name) =>
      types(`types of programs (${name})`, `test/types/platforms/tsconfig.${name}.json`),
    ),
    types('types of cli and tools', 'tools/tsconfig.json'),
    { title: 'unused code', run: () => tool('unused code', 'knip', []) },
    { title: 'directions of imports', run: checkImports },
    { title: 'workflows', run: checkWorkflows },
    { title: 'package', needs, run: checkPackage },
  ];
}

/** @returns {import('./schedule.mjs').Task} */
function types(title, project) {
  const run = () => tool(title, 'typescript', ['--project', join(root, project)], 'tsc');
  return { title, run, needs: ['front'] };
}

/** The cache knows which files it found formatted, by content, version and options. */
function checkFormat() {
  // prettier-ignore
  return step('Prettier', process.execPath, [
    prettier, '--check', '--log-level', 'warn', root,
    '--cache', '--cache-strategy', 'content',
    '--cache-location', join(root, 'target', 'prettier-cache'),
  ]);
}

/** Fails if a file is not as its generator in this folder would write it. */
async function checkGenerated(name) {
  const { staleFiles } = await import(`./${name}.mjs`);
  const stale = staleFiles();
  if (stale.length > 0)
    throw new Stop(`millrace: run node tools/${name}.mjs, which writes ${stale.join(', ')}`);
}

const clippy = ['clippy', '--workspace', '--all-targets'];

/** Runs a cargo command of a rustup component, and reports if the component is missing. */
async function component(title, args, name) {
  const env = await prepareNativeBuild();
  const answer = await probe('cargo', [args[0], '--version'], { env });
  if (answer?.code !== 0) return skipped(title, `not installed (rustup component add ${name})`);
  return cargo(title, args);
}

/** Checks the core with RustCrypto's crates in place of AWS-LC, for WebAssembly. */
async function checkWebAssembly() {
  const title = 'WebAssembly: clippy';
  const target = 'wasm32-unknown-unknown';
  const env = await prepareNativeBuild();
  const installed = await probe('rustup', ['target', 'list', '--installed'], { env });
  if (!installed?.stdout.split('\n').includes(target))
    return skipped(title, `not installed (rustup target add ${target})`);
  const core = ['--package', 'millrace-core', '--no-default-features', '--features', 'rust-crypto'];
  return cargo(title, ['clippy', ...core, '--target', target, '--', '-D', 'warnings']);
}

/**
 * Licences, duplicates and sources of crates, by deny.toml; and known vulnerabilities, if the
 * database of them can be fetched. In CI it must be.
 */
async function checkCrates() {
  const title = 'licences and sources of crates';
  const env = await prepareNativeBuild();
  const answer = await probe('cargo-deny', ['--version'], { env });
  if (answer?.code !== 0)
    return skipped(title, 'not installed (cargo install --locked cargo-deny)');
  const deny = ['--locked', '--color', 'never', 'check'];
  await step(title, 'cargo-deny', [...deny, 'licenses', 'bans', 'sources'], { env });
  const advisories = 'advisories about crates';
  if (!env.CI) {
    const fetched = await probe('cargo-deny', ['--color', 'never', 'fetch', 'db'], { env });
    if (fetched?.code !== 0)
      return skipped(advisories, 'the database of advisories cannot be fetched here');
  }
  return step(advisories, 'cargo-deny', [...deny, 'advisories'], { env });
}

/** Checks the documentation of Rust, private items too: it is for contributors. */
async function rustDocs() {
  const args = ['doc', '--workspace', '--no-deps', '--document-private-items'];
  await cargo('documentation of Rust', args, { env: { RUSTDOCFLAGS: '-D warnings' } });
}

/**
 * Checks the workflows of GitHub: syntax, expressions and commands by actionlint, what an attacker
 * could use by zizmor. Left is one finding of the lowest severity: the workflow `packages` is
 * called as `./...`, as actionlint does not know `$/...`.
 */
async function checkWorkflows() {
  const flags = ['--offline', '--no-progress', '--min-severity', 'medium', '.github'];
  await checkBy('actionlint', [], 'go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12');
  await checkBy('zizmor', flags, 'pip install zizmor==1.32.0');
}

/** Runs a program of this machine, or says how to install it. */
async function checkBy(name, args, install) {
  const title = `workflows: ${name}`;
  const answer = await probe(name, ['--version']);
  return answer?.code === 0
    ? step(title, name, args)
    : skipped(title, `not installed (${install})`);
}

/** Runs the command of an npm package of the repository. */
async function tool(title, name, args, command = name) {
  const folder = join(root, 'node_modules', name);
  if (!existsSync(folder)) return skipped(title, `${name} is not installed`);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return step(title, process.execPath, [join(folder, bin[command] ?? bin), ...args], {
    // Without colours, as the output is printed only after a failure.
    env: { ...process.env, NO_COLOR: '1' },
  });
}

/**
 * Checks the imports. dependency-cruiser reads TypeScript by the compiler's JavaScript API, which
 * version 7 does not have. esbuild removes the types first, but not the imports of types, which
 * count too.
 */
async function checkImports() {
  const { transform } = await import('esbuild');
  const folder = join('target', 'imports');
  rmSync(join(root, folder), { recursive: true, force: true });
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts')) continue;
    const source = readFileSync(join(root, 'src', path), 'utf8').replaceAll(
      /^(import|export)( type)? (\{[^}]*\}|\w+) from /gm,
      (_, verb, _type, names) => `${verb} ${names.replaceAll(/\btype /g, '')} from `,
    );
    const { code } = await transform(source, {
      loader: 'ts',
      format: 'esm',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    });
    const target = join(root, folder, 'src', path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    const up = '../'.repeat(path.split(sep).length - 1) || './';
    writeFileSync(target, code.replaceAll(/"#platform\/(.*)\.js"/g, `"${up}$1.node.js"`));
  }
  await tool(
    'directions of imports',
    'dependency-cruiser',
    ['--output-type', 'err', join(folder, 'src'), 'cli', 'tools', 'bench'],
    'depcruise',
  );
}

/** Looks at the package as npm packs it. */
async function checkPackage() {
  const folder = join(root, 'target', 'packed');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [command, args, options] = npm(['pack', '--silent', '--pack-destination', folder]);
  await step('pack', command, args, options);
  const [tarball] = readdirSync(folder).map((file) => join(folder, file));
  await tool('manifest of the package', 'publint', [tarball, '--strict']);
  // Resolution as of Node 10 finds entry points only by files beside package.json.
  await tool(
    'types of the package',
    '@arethetypeswrong/cli',
    // Resolution as of Node 10 does not know the imports field, which declarations use: ignored.
    // prettier-ignore
    [
      tarball, '--profile', 'node16', '--no-emoji', '--format', 'ascii',
      '--ignore-rules', 'internal-resolution-error',
    ],
    'attw',
  );
}
