// The prerequisites of a build from source. Each check answers with nothing, or with one line that
// names what is missing and the remedy. Only asked when something has to be built.

import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { Stop, probe, root, skipped, step, told } from './steps.mjs';

/**
 * Where the home folder is read-only, as in some containers, npm and cargo keep in target/ what
 * they fetch.
 */
export function leaveHomeAlone(env = process.env) {
  const places = { npm_config_cache: '.npm', CARGO_HOME: '.cargo' };
  for (const [name, folder] of Object.entries(places)) {
    if (isWritable(env[name] ?? join(homedir(), folder))) continue;
    env[name] = join(root, 'target', 'home', folder);
    told('home folder', `${folder} is read-only: ${env[name]} stands in for it`);
  }
}

/** Returns true if a folder can be written, or made. */
function isWritable(folder) {
  if (!existsSync(folder) && dirname(folder) !== folder) return isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Throws Stop with one line when the machine cannot build the native code. Returns the environment
 * to build in.
 */
export async function prepareNativeBuild() {
  const env = buildEnvironment();
  await chooseToolchain(env);
  for (const check of [rust, compiler, perl]) {
    const missing = await check(env);
    if (missing !== undefined) throw new Stop(`millrace: ${missing}`);
  }
  return env;
}

/** The target of the portable engine's modules. */
export const wasmTarget = 'wasm32-unknown-unknown';

/**
 * Throws Stop with one line when the machine cannot build WebAssembly; where rustup is, it adds the
 * target. Returns the environment to build in.
 */
export async function prepareWasmBuild() {
  const env = buildEnvironment();
  await chooseToolchain(env);
  const missing = await rust(env);
  if (missing !== undefined) throw new Stop(`millrace: ${missing}`);
  await prepareTargets(env, [wasmTarget]);
  return env;
}

/**
 * Throws Stop with one line when Rust lacks its library for a target; where rustup is, it adds it.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} targets
 */
export async function prepareTargets(env, targets) {
  for (const target of targets) {
    const missing = await standardLibrary(env, target);
    if (missing !== undefined) throw new Stop(`millrace: ${missing}`);
  }
}

async function standardLibrary(env, target) {
  const list = ['--print', 'target-libdir', '--target', target];
  const present = async () => {
    const answer = await probe('rustc', list, { env });
    return answer?.code === 0 && existsSync(answer.stdout.trim());
  };
  if (await present()) return undefined;
  if (await found('rustup', ['--version'], env)) {
    await step(`add the target ${target}`, 'rustup', ['target', 'add', target], { env });
    if (await present()) return undefined;
  }
  return (
    `Rust lacks its library for ${target}: install it, e.g. \`rustup target add ${target}\`` +
    (target === wasmTarget
      ? ', `apt-get install libstd-rust-dev-wasm32` or `dnf install rust-std-static-' +
        `${wasmTarget}\`.`
      : '.')
  );
}

function buildEnvironment() {
  const env = { ...process.env };
  // rustup installs here, and a shell that was open before does not have it on its PATH yet.
  const cargoBin = [env.CARGO_HOME, join(homedir(), '.cargo')]
    .filter((folder) => folder !== undefined)
    .map((folder) => join(folder, 'bin'))
    .find((folder) => existsSync(folder));
  const pathKey = Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  if (cargoBin !== undefined) env[pathKey] = `${env[pathKey] ?? ''}${delimiter}${cargoBin}`;
  // AWS-LC ships assembled objects for Windows; without them its build asks for NASM.
  if (process.platform === 'win32') env.AWS_LC_SYS_PREBUILT_NASM ??= '1';
  return env;
}

/**
 * Lets rustup use its default toolchain if the pinned one is not installed: building from source
 * needs any version from `rust-version` on, and must not download one. CI uses the pinned one.
 */
async function chooseToolchain(env) {
  if (env.CI || env.RUSTUP_TOOLCHAIN !== undefined) return;
  const pinned = field('rust-toolchain.toml', 'channel');
  const listed = await probe('rustup', ['toolchain', 'list'], { env });
  const names = listed?.code === 0 ? listed.stdout.split('\n') : [];
  if (names.some((line) => line.startsWith(`${pinned}-`))) return;
  const [usual] = names.find((line) => line.includes('default'))?.split(' ') ?? [];
  if (usual !== undefined) env.RUSTUP_TOOLCHAIN = usual;
}

/** Returns the value of a string in a TOML file of the repository. */
function field(file, name) {
  const text = readFileSync(join(root, file), 'utf8');
  return new RegExp(`^${name}\\s*=\\s*"([^"]+)"`, 'm').exec(text)?.[1];
}

async function rust(env) {
  const required = field('Cargo.toml', 'rust-version') ?? '1.89';
  const remedy = 'install it from https://rustup.rs/ and run this again';
  const cargo = await probe('cargo', ['--version'], { env });
  if (cargo === undefined || cargo.code !== 0) {
    return (
      `no Rust toolchain found (cargo, ${required} or later, builds the native code): ` +
      `${remedy}.`
    );
  }
  const version = /\d+\.\d+(\.\d+)?/.exec(cargo.stdout)?.[0] ?? '0';
  if (older(version, required)) {
    return (
      `Rust ${required} or later is needed, this is ${version}: run \`rustup update\`, or ` +
      `${remedy}.`
    );
  }
  return undefined;
}

async function compiler(env) {
  if (process.platform === 'win32') {
    if (
      env.CC ||
      (await found('cl', [], env)) ||
      (await found('gcc', ['--version'], env)) ||
      (await hasVisualStudio(env))
    ) {
      return undefined;
    }
    return (
      'no C compiler found (AWS-LC is written in C): install the Visual Studio Build Tools ' +
      'with "Desktop development with C++".'
    );
  }
  if (process.platform === 'darwin') {
    // /usr/bin/cc always exists on macOS; without the command line tools it only opens a dialog.
    if (env.CC || (await probe('xcode-select', ['-p'], { env }))?.code === 0) return undefined;
    return 'no C compiler found (AWS-LC is written in C): run `xcode-select --install`.';
  }
  if (env.CC || (await found('cc', ['--version'], env))) return undefined;
  return (
    'no C compiler found (AWS-LC is written in C): install one, e.g. `apt-get install ' +
    'build-essential`, `dnf install gcc` or `apk add build-base`.'
  );
}

// The SHA-3 assembly is generated by the Perl scripts it was published as. CMake is not asked for:
// AWS-LC builds with the C compiler alone on every platform of tools/platforms.mjs.
async function perl(env) {
  const lock = join(root, 'Cargo.lock');
  const needed = !existsSync(lock) || /name = "(sha3|keccak)-asm"/.test(readFileSync(lock, 'utf8'));
  if (!needed || (await found('perl', ['-v'], env))) return undefined;
  return (
    'no Perl found (it generates the SHA-3 assembly): install it, e.g. `apt-get install ' +
    'perl`, `apk add perl` or Strawberry Perl on Windows.'
  );
}

/** Programs that tests run, and the packages of Debian's that have them. */
export const testPrograms = {
  valgrind: 'valgrind',
  zsh: 'zsh',
  fish: 'fish',
  xxhsum: 'xxhash',
  rhash: 'rhash',
};

/** Installs {@link testPrograms} that are missing: see {@link installPrograms}. */
export async function prepareTestPrograms() {
  const programs = Object.entries(testPrograms);
  const answers = await Promise.all(programs.map(([name]) => probe(name, ['--version'])));
  const missing = programs.flatMap(([, name], index) => (answers[index]?.code === 0 ? [] : [name]));
  if (missing.length > 0) await installPrograms('programs of tests', missing);
}

/**
 * Installs packages of Debian's with apt-get where that needs no password; otherwise, or if it
 * fails, the tests of `what` are skipped and say so themselves.
 */
export async function installPrograms(what, packages) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  if ((await probe('apt-get', ['--version']))?.code !== 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const list = packages.join(' ');
  try {
    if ((await probe('apt-get', ['install', '--simulate', ...packages]))?.code !== 0)
      await step('update package lists', 'apt-get', ['update', '-qq'], { env });
    const args = ['install', '-y', '--no-install-recommends', ...packages];
    await step(`install ${list}`, 'apt-get', args, { env });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    skipped(what, `${list} could not be installed`);
  }
}

async function found(command, args, env) {
  return (await probe(command, args, { env })) !== undefined;
}

async function hasVisualStudio(env) {
  const programs = env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)';
  const vswhere = join(programs, 'Microsoft Visual Studio', 'Installer', 'vswhere.exe');
  const tools = 'Microsoft.VisualStudio.Component.VC.Tools.*';
  const answer = await probe(
    vswhere,
    ['-products', '*', '-requires', tools, '-requiresAny', '-property', 'installationPath'],
    { env },
  );
  return answer !== undefined && answer.stdout.trim() !== '';
}

function older(version, required) {
  const left = version.split('.').map(Number);
  const right = required.split('.').map(Number);
  for (let i = 0; i < right.length; i++) {
    if ((left[i] ?? 0) !== right[i]) return (left[i] ?? 0) < right[i];
  }
  return false;
}
