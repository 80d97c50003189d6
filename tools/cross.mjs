// Checks the code for 64-bit ARM on another machine, where it is not compiled otherwise.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { cargo } from './cargo.mjs';
import { prepareNativeBuild } from './prerequisites.mjs';
import { Stop, probe, root, skipped } from './steps.mjs';

const title = 'arm64: clippy, exports';
const target = 'aarch64-unknown-linux-gnu';
const compiler = 'aarch64-linux-gnu-gcc';

/**
 * Runs clippy for arm64 Linux and checks the exports of its library, or reports the missing tools.
 */
export async function checkArm64(clippy) {
  const env = await prepareNativeBuild();
  const missing = await whatIsMissing(env);
  if (missing !== undefined) return skipped(title, missing);
  // Keeps a wrapper or linker that is already set.
  env.CC_aarch64_unknown_linux_gnu ??= compiler;
  env.CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER ??= compiler;
  const lints = [...clippy, '--target', target, '--', '-D', 'warnings'];
  await cargo('arm64: clippy', lints, { env });
  const build = ['build', '--package', 'millrace-node', '--target', target];
  await cargo('arm64: exports', build, { env });
  const folder = env.CARGO_TARGET_DIR ?? join(root, 'target');
  const found = unexpectedExports(join(folder, target, 'debug', 'libmillrace_node.so'));
  if (found.length > 0) throw new Stop(`millrace: the arm64 library exports ${found.join(', ')}`);
}

async function whatIsMissing(env) {
  if (process.platform !== 'linux') return `it is compiled on Linux, this is ${process.platform}`;
  if (process.arch === 'arm64') return 'this machine is one: its own checks are the same';
  const installed = await probe('rustup', ['target', 'list', '--installed'], { env });
  if (!installed?.stdout.split('\n').includes(target))
    return `not installed (rustup target add ${target})`;
  if (!(await probe(env.CC_aarch64_unknown_linux_gnu ?? compiler, ['--version'], { env }))) {
    return 'no C compiler for it (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)';
  }
  if (!(await probe('nm', ['--version'], { env }))) return 'nm is not there';
  return undefined;
}

/** Returns the names of dynamic symbols of an ELF file: `--defined-only` or `--undefined-only`. */
export function dynamicSymbols(file, which) {
  return (
    execFileSync('nm', ['-D', which, file], { encoding: 'utf8', maxBuffer: 2 ** 26 })
      .split('\n')
      // AWS-LC looks for allocation hooks by weak references; that a host lacks them is the normal
      // case.
      .filter((line) => !/ w OPENSSL_memory_/.test(line))
      .map((line) => line.trim().split(/\s+/).at(-1).replace(/@.*/, ''))
      .filter(Boolean)
  );
}

/**
 * Returns the exports of a library besides the entry of Node-API, and that entry with an
 * exclamation mark if it is missing.
 */
export function unexpectedExports(file) {
  const shown = dynamicSymbols(file, '--defined-only');
  // secp256k1-sys exports four callbacks for its C code, with its version in their names.
  const known =
    /^(_init|_fini|__bss_start|_edata|_end|napi_\w+|node_api_\w+|rustsecp256k1_v\d+_\w+)$/;
  const unexpected = shown.filter((name) => !known.test(name));
  return shown.includes('napi_register_module_v1')
    ? unexpected
    : [...unexpected, '!napi_register_module_v1'];
}
