// The conditions of a count of instructions besides the sources: a record is valid only where all
// of them are the same.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { hostPlatform } from '../../tools/platforms.mjs';

const native = fileURLToPath(new URL('../../native/', import.meta.url));

/**
 * The features of an x86-64 CPU that valgrind passes on. It hides all others, AVX-512, SHA-NI
 * and VAES among them, so that most machines run the same code under it. RDSEED, which it passes on
 * too and Zen 5's kernels may hide, only seeds random numbers.
 */
const passedOn = ['avx', 'avx2', 'bmi1', 'bmi2', 'f16c', 'fma', 'abm', 'rdrand'];

/**
 * @typedef {object} Conditions
 * @property {string} platform
 * @property {string} cpu the features that valgrind does not hide
 * @property {string} valgrind
 * @property {string} compilers
 * @property {string} profile settings of the environment that differ from Cargo.toml
 * @property {string} node the version, and a digest of the executable
 * @property {string} libc
 */

/** The native code's count depends on these, the whole count on the others, too. */
export const ofNativeCode = /** @type {const} */ ([
  'platform',
  'cpu',
  'valgrind',
  'compilers',
  'profile',
]);

/** The profile of a build without settings in the environment. */
export const DEFAULT_PROFILE = 'Cargo.toml';

/**
 * Returns the conditions here, or the reason why instructions cannot be counted.
 *
 * @returns {{ conditions: Conditions } | { reason: string }}
 */
export function conditionsHere() {
  const valgrind = spawnSync('valgrind', ['--version'], { encoding: 'utf8' });
  if (valgrind.status !== 0) return { reason: 'valgrind is not installed' };
  const platform = hostPlatform();
  if (process.platform !== 'linux') return { reason: `callgrind is not used on ${platform}` };
  const built = join(native, `.build-${platform}.json`);
  if (!existsSync(built)) return { reason: 'the build does not say its profile: build again' };
  const { settings } = JSON.parse(readFileSync(built, 'utf8'));
  const list = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return {
    conditions: {
      platform,
      cpu: cpuFeatures(),
      valgrind: valgrind.stdout.trim(),
      compilers: compilersOf(join(native, `millrace.${platform}.node`)),
      profile: list.length === 0 ? DEFAULT_PROFILE : list.join(' '),
      node: `${process.version} ${digestOf(process.execPath)}`,
      libc: /** @type {any} */ (process.report.getReport()).header.glibcVersionRuntime ?? 'musl',
    },
  };
}

/** Returns the names of the conditions that differ, with both values. */
export function differences(one, other, names) {
  return names
    .filter((name) => one[name] !== other[name])
    .map((name) => `${name}: recorded with ${one[name]}, here ${other[name]}`);
}

function cpuFeatures() {
  const info = readFileSync('/proc/cpuinfo', 'utf8');
  const words = /^(?:flags|Features)\s*:(.*)$/m.exec(info)?.[1].trim().split(/\s+/) ?? [];
  const known = process.arch === 'x64' ? words.filter((word) => passedOn.includes(word)) : words;
  return known.sort().join(' ');
}

/** Returns the compilers' own notes in the section .comment, which stripping leaves. */
function compilersOf(binary) {
  const text = readFileSync(binary, 'latin1');
  const found = text.match(/rustc version [^\0]+|GCC: \([^\0]+|clang version [^\0]+/g) ?? [];
  return [...new Set(found)].sort().join(', ');
}

function digestOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12);
}
