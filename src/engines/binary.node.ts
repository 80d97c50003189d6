/**
 * Finds and opens the native binary: beside this package, in the platform package that npm
 * installed, or near the program into which this package was bundled. docs/servers-and-bundlers.md
 * documents the search.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeError, type MillraceError } from '../base/errors.js';
import type { Native } from '../base/frame.js';
import { explain, faults, refuseCutShort, type Attempt, type Fault } from './binary-faults.node.js';
import { file, folder, nodeModule, resolvePackage } from '#platform/base/place.js';
import { buildsSnapshot } from '#platform/base/runtime.js';

/** The version in package.json; the build inserts it. */
declare const MILLRACE_VERSION: string;

// Before a statement that stays in a bundle: webpack leaves out other comments.
/*! Millrace: its binary is not in a bundle. Where no node_modules is deployed, copy
    node_modules/@millrace/<platform>/millrace.<platform>.node beside the bundle. Without it the
    portable engine serves, slower, and warns once at run time: "Servers and bundlers" in the
    documentation. */

/** The platforms with published binaries: tools/platforms.mjs. */
export const published = [
  'linux-x64-gnu',
  'linux-x64-musl',
  'linux-arm64-gnu',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64',
  'win32-arm64',
];

/** Returns an environment variable, undefined if the program may not read it. */
export function environment(name: string): string | undefined {
  try {
    return Object.hasOwn(process.env, name) ? process.env[name] : undefined;
  } catch {
    // Deno without `--allow-env`.
    return undefined;
  }
}

/** Returns the file that MILLRACE_BINARY names, if any. */
export function namedBinary(): string | undefined {
  return environment('MILLRACE_BINARY') || undefined;
}

/**
 * Opens the binary.
 *
 * @throws MillraceError ERR_NO_BINARY; its message says what was tried, the fault and the remedy
 */
export function openBinary(): Native {
  if (buildsSnapshot())
    throw makeError(
      'ERR_NO_BINARY',
      'millrace cannot load its native binary while a startup snapshot is made: Node.js would ' +
        "abort. Set MILLRACE_ENGINE=portable for it, and call configure({ engine: 'native' }) in " +
        'the function that setDeserializeMainFunction takes',
    );
  const named = namedBinary();
  const attempts: Attempt[] = [];
  if (named !== undefined) {
    const native = tryFile(resolve(named), attempts);
    if (native !== undefined) return native;
    const { where, reason } = attempts[0]!;
    throw makeError(
      'ERR_NO_BINARY',
      `MILLRACE_BINARY names ${where}, which cannot be loaded: ${reason}. ` +
        `${remedyFor(attempts, NAMED_REMEDY)}`,
    );
  }
  const platform = `${process.platform}-${process.arch}`;
  // The C library of Linux is found by trying: process.report takes longer than loading the binary.
  const names = process.platform === 'linux' ? [`${platform}-gnu`, `${platform}-musl`] : [platform];
  for (const name of names) {
    const native = tryPlatform(name, attempts);
    if (native !== undefined) return native;
  }
  throw notFound(platform, names, attempts);
}

const NAMED_REMEDY =
  `Set it to the millrace.<platform>.node file of millrace ${MILLRACE_VERSION}, ` +
  'or remove the variable';

function tryPlatform(name: string, attempts: Attempt[]): Native | undefined {
  const binary = `millrace.${name}.node`;
  if (folder !== undefined) {
    // In a checkout, or where a binary was placed beside a bundle.
    for (const path of [
      join(folder, '..', 'native', binary),
      join(folder, '..', '..', 'native', binary),
      join(folder, binary),
    ]) {
      const native = isThere(path, attempts) ? tryFile(path, attempts) : undefined;
      if (native !== undefined) return native;
    }
  }
  let found = tryPackage(`@millrace/${name}`, () => resolvePackage(name), attempts);
  if (found !== undefined || attempts.some(({ fault }) => fault === 'addons')) return found;
  for (const base of places()) {
    found = tryPackage(
      `@millrace/${name} from ${dirname(base)}`,
      () => resolveFrom(base, name),
      attempts,
    );
    if (found !== undefined) return found;
  }
  if (!isBundled()) return undefined;
  for (const program of [file, process.argv[1], process.execPath]) {
    if (program === undefined) continue;
    const beside = join(dirname(resolve(program)), binary);
    if (attempts.some(({ where }) => where === beside)) continue;
    if (isThere(beside, attempts)) {
      const native = tryFile(beside, attempts);
      if (native !== undefined) return native;
    } else if (attempts.at(-1)?.where !== beside) {
      attempts.push({ where: beside, fault: 'missing', reason: 'not found' });
    }
  }
  return undefined;
}

function tryPackage(
  where: string,
  find: () => string | undefined,
  attempts: Attempt[],
): Native | undefined {
  let path: string | undefined;
  try {
    path = find();
  } catch (error) {
    attempts.push(explain(where, error));
  }
  return path === undefined || attempts.some((each) => each.where === path)
    ? undefined
    : tryFile(path, attempts);
}

function tryFile(path: string, attempts: Attempt[]): Native | undefined {
  try {
    return load(path);
  } catch (error) {
    attempts.push('fault' in (error as Attempt) ? (error as Attempt) : explain(path, error));
    return undefined;
  }
}

/**
 * Opens the binary anew for each copy of this module, where `require` would return the same
 * exports: a test runner that evaluates modules for each file gets a frame and a completion buffer
 * for each.
 */
function load(path: string): Native {
  const fresh = { exports: {} as { version?: () => string } };
  if (process.platform === 'linux') refuseCutShort(path);
  process.dlopen(fresh, path);
  const version = fresh.exports.version?.();
  if (version === MILLRACE_VERSION) return fresh.exports as unknown as Native;
  const reason =
    version === undefined
      ? 'not a binary of millrace, or one of an older version'
      : `it is of version ${version}, and millrace is ${MILLRACE_VERSION}`;
  throw { where: path, fault: 'version', reason } satisfies Attempt;
}

// places

/** Returns true if a file or folder exists; records errors other than its absence. */
function isThere(path: string, attempts: Attempt[]): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    attempts.push(explain(path, error));
    return false;
  }
}

/** Returns true if this code is part of another program's bundle. */
function isBundled(): boolean {
  const manifests =
    folder === undefined
      ? []
      : [join(folder, '..', 'package.json'), join(folder, '..', '..', 'package.json')];
  return !manifests.some((path) => {
    try {
      return (JSON.parse(readFileSync(path, 'utf8')) as { name?: unknown }).name === 'millrace';
    } catch {
      return false;
    }
  });
}

/**
 * Returns the files from which packages are resolved, one in a folder. For a bundle these are the
 * bundle, the program, the executable and, last, the working folder. A package in its own folder
 * searches nowhere else: a binary in the working folder must not be loaded by accident.
 */
function places(): readonly string[] {
  const own = file === undefined ? [] : [file];
  if (!isBundled()) return own;
  const program = process.argv[1];
  const all = [
    ...own,
    ...(program === undefined ? [] : [resolve(program)]),
    process.execPath,
    join(process.cwd(), 'package.json'),
  ];
  const folders = all.map((each) => dirname(each));
  return all.filter((_, index) => folders.indexOf(folders[index]!) === index);
}

/**
 * Resolves a package, also as a dependency of `millrace` in node_modules: pnpm gives packages
 * access to their own dependencies only.
 */
function resolveFrom(base: string, name: string): string {
  const module = nodeModule();
  const near = module.createRequire(base);
  try {
    return near.resolve(`@millrace/${name}`);
  } catch (error) {
    // Node.js treats an inaccessible folder as missing: this throws the system's message.
    for (const path of near.resolve.paths(`@millrace/${name}`) ?? [])
      statSync(join(path, '@millrace', name, 'package.json'), { throwIfNoEntry: false });
    let manifest: string;
    try {
      manifest = near.resolve('millrace/package.json');
    } catch {
      throw error;
    }
    return module.createRequire(manifest).resolve(`@millrace/${name}`);
  }
}

// messages

function notFound(
  platform: string,
  names: readonly string[],
  attempts: readonly Attempt[],
): MillraceError {
  const known = names.some((name) => published.includes(name));
  const missing = !known
    ? `None is published for ${platform} (published: ${published.join(', ')}); ` +
      'in a checkout "npm run build" compiles one'
    : isBundled()
      ? 'This program is bundled without it: copy ' +
        `node_modules/@millrace/${names[0]}/millrace.${names[0]}.node beside the bundle, or ` +
        'mark "millrace" as external in the bundler (for Next.js: ' +
        "serverExternalPackages: ['millrace'] in next.config), or set MILLRACE_BINARY to the " +
        'file; see "Servers and bundlers" in the documentation'
      : 'Install optional dependencies (npm install --include=optional; a lockfile made on ' +
        'another platform or node_modules copied from one lack ' +
        `this platform's package); in a checkout run "npm run build"`;
  const tried = attempts.map(({ where, reason }) => `${where}: ${reason}`).join('; ');
  return makeError(
    'ERR_NO_BINARY',
    `millrace has no native binary for ${platform} that can be loaded. ` +
      `${remedyFor(attempts, missing)}. Tried ${tried}`,
  );
}

/** Returns the remedy for the first fault. */
function remedyFor(attempts: readonly Attempt[], missing: string): string {
  const fault =
    faults.find((each) => attempts.some((attempt) => attempt.fault === each)) ?? 'missing';
  const of: Readonly<Record<Fault, string>> = {
    addons: hasPermissionModel()
      ? 'Start Node.js with --allow-addons: its permission model is on'
      : 'Start Node.js without --no-addons',
    permission:
      'Start Node.js with --allow-fs-read for the folder of the binary: its permission model is on',
    access: 'Let the user of this process read the file and enter its folders',
    file: `Install millrace anew on this machine: the file is damaged or for another platform`,
    version:
      `Install millrace ${MILLRACE_VERSION} and its platform package in the same version ` +
      '(remove node_modules, then npm install)',
    missing,
  };
  return of[fault];
}

/** Returns true if Node's permission model is active. */
function hasPermissionModel(): boolean {
  return Object.hasOwn(process, 'permission');
}
