// Builds a row's binary with a separate target folder, below target/platforms/<name>.
//
// The bytes of a shipped build depend on the commit and the toolchain only: paths of this machine
// are replaced (tools/reproducible.mjs compares two builds).

import { mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

import { prepareNativeBuild } from '../prerequisites.mjs';
import { Stop, probe, root, step } from '../steps.mjs';
import { fetching, macosSdk, python } from './fetch.mjs';
import { mingw } from './windows.mjs';

/**
 * The profile with which `npm run platforms` builds: an eighth of the time of the shipped profile.
 */
const fast = { LTO: 'off', CODEGEN_UNITS: '16', OPT_LEVEL: '2', INCREMENTAL: 'false' };

/** Most of AWS-LC that is executed here is assembly; its C takes four times as long to optimise. */
const fastC = ['--config', 'profile.release.package.aws-lc-sys.opt-level=0'];

const shippedProfile = { LTO: 'fat', CODEGEN_UNITS: '1', OPT_LEVEL: '3', INCREMENTAL: 'false' };

/**
 * Builds a row and returns the path of its library.
 *
 * @param {import('./rows.mjs').Row} row
 * @param {{ shipped?: boolean, source?: string, remap?: boolean }} options source: another
 *   checkout; remap: replace the paths of this machine, as shipped builds always do
 */
export async function buildRow(row, { shipped = false, source = root, remap = shipped } = {}) {
  const { name, rust, builder, suffix = '' } = row;
  const env = await environment(row, { shipped, source, remap });
  const args = [builder === 'zig' ? 'zigbuild' : 'build', '--release', '--locked'];
  args.push('--package', 'millrace-node', '--target', rust + suffix);
  if (!shipped) args.push(...fastC);
  const title = `build ${name}${shipped ? ', as shipped' : ''}`;
  await step(title, 'cargo', args, { env, cwd: source, errorOutput: 'stderr' });
  const folder = join(env.CARGO_TARGET_DIR, rust, 'release');
  const file = readdirSync(folder).find(isLibrary);
  if (file === undefined) throw new Stop(`millrace: cargo wrote no library to ${folder}`);
  return join(folder, file);
}

/**
 * Builds the tests of crates/core for a row, in the profile of `npm run platforms`. Returns the
 * paths of two programs: the tests of its modules and those of its public functions.
 *
 * @param {import('./rows.mjs').Row} row
 */
export async function buildCoreTests(row) {
  const options = { shipped: false, source: root, remap: false, programs: true };
  const env = await environment(row, options);
  const args = ['test', '--no-run', '--release', '--locked', '--package', 'millrace-core'];
  args.push('--lib', '--test', 'core', '--target', row.rust + (row.suffix ?? ''));
  args.push('--message-format', 'json-render-diagnostics', ...fastC);
  const output = await step(`build ${row.name}, tests`, 'cargo-zigbuild', args, {
    env,
    cwd: root,
    errorOutput: 'stderr',
  });
  const messages = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ executable }) => typeof executable === 'string');
  const program = (kind) => messages.find(({ target }) => target.kind.includes(kind)).executable;
  return { modules: program('lib'), functions: program('test') };
}

/**
 * Returns the environment for Cargo. Throws Stop if a program of the builder cannot be had.
 *
 * @param {import('./rows.mjs').Row} row
 * @param {{ shipped: boolean, source: string, remap: boolean, programs?: boolean }} options
 *   programs: not libraries, and so without shared libraries on musl
 */
async function environment({ name, rust, builder }, { shipped, source, remap, programs }) {
  const target = join(source, 'target', 'platforms', name, shipped ? 'shipped' : 'fast');
  mkdirSync(target, { recursive: true });
  const base = await prepareNativeBuild();
  await requireTarget(rust, base);
  /** @type {NodeJS.ProcessEnv} */
  const env = {
    ...base,
    ...profile(shipped ? shippedProfile : fast),
    ...(remap ? reproducible(source, rust, base) : flags(rust, [], [], programs)),
    CARGO_TARGET_DIR: target,
    // AWS-LC's assembled objects for Windows; its build asks for NASM otherwise.
    AWS_LC_SYS_PREBUILT_NASM: '1',
    // AWS-LC has no bindings for MinGW on ARM. Its bindings for MSVC are the same on both CPUs, and
    // those for MinGW on x64 differ from them in three enumerations that nothing here uses.
    AWS_LC_SYS_EFFECTIVE_TARGET_aarch64_pc_windows_gnullvm: 'aarch64-pc-windows-msvc',
    MACOSX_DEPLOYMENT_TARGET: '11.0',
  };
  const compilers = await fetching(builder === 'mingw' ? mingw : python);
  env.PATH = `${compilers}${delimiter}${env.PATH}`;
  if (rust.endsWith('-darwin')) env.SDKROOT = await macosSdk();
  return env;
}

function profile(settings) {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`CARGO_PROFILE_RELEASE_${name}`, value]),
  );
}

/** Returns what Rust's compiler always needs for a target. */
function needed(rust, programs) {
  // Node.js loads libraries, so they must share its musl; Rust's default is a static one.
  if (rust.endsWith('-musl')) return programs ? [] : ['-Ctarget-feature=-crt-static'];
  if (rust.endsWith('-gnullvm')) return ['-Clink-arg=tools/platforms/windows.def'];
  if (!rust.endsWith('-darwin')) return [];
  // LLVM's linker, which is a part of Rust's toolchain: Zig's exports every global symbol. The
  // library's number comes from all bytes, so paths of object files (-S) must not be among them.
  const link = ['-S', '-adhoc_codesign', '-install_name', '@rpath/millrace.node'];
  const linker = ['-Clinker=rust-lld', '-Clinker-flavor=ld64.lld'];
  return [...linker, ...link.map((each) => `-Clink-arg=${each}`)];
}

/** Returns the flags of compilers for a target, with those that it always needs. */
function flags(rust, own, c, programs = false) {
  // AWS-LC's jitterentropy exports its functions from whatever DLL it is linked into.
  const all = [...(rust.includes('-windows-') ? ['-Ddllexport='] : []), ...c];
  return {
    CARGO_ENCODED_RUSTFLAGS: [...needed(rust, programs), ...own].join('\x1f'),
    ...(all.length > 0 && { [`CFLAGS_${rust.replaceAll('-', '_')}`]: all.join(' ') }),
  };
}

/** Replaces the folders of this machine in what compilers write into the library. */
function reproducible(source, rust, env) {
  const cargo = env.CARGO_HOME ?? join(homedir(), '.cargo');
  const replaced = [
    [join(source, 'target'), '/target'],
    [source.replace(/[\\/]$/, ''), '/millrace'],
    [cargo, '/cargo'],
  ];
  const own = replaced.map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  const c = replaced.map(([from, to]) => `-ffile-prefix-map=${from}=${to}`);
  return { ...flags(rust, own, c), SOURCE_DATE_EPOCH: '0' };
}

async function requireTarget(rust, env) {
  const installed = await probe('rustup', ['target', 'list', '--installed'], { env });
  if (installed?.stdout.split('\n').includes(rust)) return;
  const added = await probe('rustup', ['target', 'add', rust], { env });
  if (added?.code !== 0)
    throw new Stop(`Rust's standard library for it cannot be had (rustup target add ${rust})`);
}

const isLibrary = (file) => /^(lib)?millrace_node\.(so|dylib|dll)$/.test(file);
