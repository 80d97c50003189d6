// Proofs of what the compiler makes of kernels, for all inputs; docs/proofs.md is their result. The
// programs are in prove/, in Python, with solvers that pip installs by hash into target/.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { installPrograms, prepareNativeBuild, prepareTargets } from './prerequisites.mjs';
import { Stop, probe, root, skipped, step, stream } from './steps.mjs';

const source = join(root, 'tools', 'prove');
const venv = join(root, 'target', 'prove', 'venv');
const bin = process.platform === 'win32' ? 'Scripts' : 'bin';
const python = join(venv, bin, 'python');
const requirements = join(source, 'requirements.txt');
const targets = ['x86_64-unknown-linux-gnu', 'aarch64-unknown-linux-gnu'];
const [fastTarget = ''] = targets;

/** What the proofs of `npm test` depend on. */
export const proofSources = [
  'Cargo.toml',
  'Cargo.lock',
  'rust-toolchain.toml',
  'crates/core',
  'crates/families',
  'tools/wasm.mjs',
  'tools/prove',
  'tools/prove.mjs',
  // It has the statements that are fast.
  'docs/proofs.md',
];

/**
 * Proves all statements, or those with these beginnings of names:
 *   npm run prove -- chacha20-avx2 [--fast] [--write]
 *
 * @param {readonly string[]} args
 */
export async function prove(args) {
  const env = await prepareProver(targets);
  return stream(python, ['-m', 'prove', ...args], { cwd: join(root, 'tools'), env });
}

/** Proves the statements that take half a second; skipped where the solvers cannot be had. */
export async function fastProofs() {
  const title = 'proofs of kernels, the fast ones';
  let env;
  try {
    env = await prepareProver([fastTarget]);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const reason = error.message.replace('millrace: ', '');
    skipped(title, `${reason} (npm run prove)`);
    return { skipped: [`${title}: ${reason}`] };
  }
  await step(title, python, ['-m', 'prove', '--fast'], { cwd: join(root, 'tools'), env });
  return undefined;
}

/**
 * Prepares Rust and Python; throws Stop with one line that names what is missing.
 *
 * @param {readonly string[]} targets
 */
async function prepareProver(targets) {
  if (process.platform === 'win32') throw new Stop('millrace: proofs run on Linux and macOS');
  const env = await prepareNativeBuild();
  await prepareTargets(env, targets);
  await prepareSolvers();
  return { ...env, PYTHONDONTWRITEBYTECODE: '1' };
}

async function prepareSolvers() {
  const stamp = join(venv, '.stamp-requirements');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  await checkPython();
  mkdirSync(join(root, 'target', 'prove'), { recursive: true });
  await attempt('python3 -m venv', 'python3', ['-m', 'venv', venv]);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const options = ['--require-hashes', '--only-binary', ':all:', '-r', requirements];
  await attempt('pip', python, [...install, ...options]);
  writeFileSync(stamp, wanted);
}

async function checkPython() {
  const works = async () => (await probe('python3', ['-c', 'import ensurepip, venv']))?.code === 0;
  if (!(await works())) await installPrograms('proofs of kernels', ['python3-venv']);
  if (!(await works()))
    throw new Stop(
      'millrace: there is no Python 3 with venv and pip (apt-get install python3-venv)',
    );
  const answer = await probe('python3', ['-c', 'import sys; print(*sys.version_info[:2])']);
  const minor = Number(answer?.stdout.split(' ')[1]);
  if (minor < 10 || minor > 14)
    throw new Stop(`millrace: the solvers need Python 3.10 to 3.14, this is 3.${minor}`);
}

async function attempt(title, command, args) {
  const answer = await probe(command, args);
  if (answer?.code === 0) return;
  const lines = (answer?.all ?? '').trim().split('\n');
  throw new Stop(`millrace: the solvers could not be installed: ${title}: ${lines.at(-1)}`);
}
