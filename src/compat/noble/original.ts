/**
 * noble itself, for what Millrace lacks: found as an optional peer dependency, or handed over by
 * the program. Each use is counted, so that a program can see what runs outside Millrace.
 */
import { makeError } from '../../base/errors.js';
import { environment, loadNoble, reportNoble, type LoadedNoble } from '#platform/compat/noble.js';

/** The major version of the interface that a module has. */
export type MajorVersion = 1 | 2;
/** `@noble/hashes` or `@noble/ciphers`. */
export type NoblePackage = 'hashes' | 'ciphers';
/** A module of noble: its exports by name. */
export type NobleModule = Readonly<Record<string, any>>;
/** Returns a module of noble by its sub-path without `.js`, such as `sha3-addons`. */
export type NobleSource = (subpath: string) => NobleModule;

/** A function or object that takes the place of one of noble's. */
export type Lent = any;

const sources = new Map<string, NobleSource>();
const single = new Map<string, Lent>();
const calls = new Map<string, number>();

/**
 * Sets where noble itself comes from, instead of the optional peer dependency: in browsers, and in
 * packages that replace noble.
 *
 * @example
 * ```js
 * import { useNoble } from 'millrace/noble-hashes';
 * import * as blake1 from '@noble/hashes/blake1.js';
 *
 * useNoble('hashes', 2, (subpath) => ({ blake1 })[subpath]);
 * ```
 *
 * @param name `hashes` or `ciphers`
 * @param major the major version, 1 or 2
 * @param source returns a module by its sub-path: `(subpath) => ({ blake1, utils }[subpath])`
 */
export function useNoble(name: NoblePackage, major: MajorVersion, source: NobleSource): void {
  if ((name !== 'hashes' && name !== 'ciphers') || (major !== 1 && major !== 2))
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      "useNoble takes 'hashes' or 'ciphers', and version 1 or 2",
    );
  if (typeof source !== 'function')
    throw makeError('ERR_ARGUMENT_TYPE', 'useNoble: source must be a function');
  sources.set(`${name}@${major}`, source);
}

/**
 * Returns how many calls noble itself has served, by name: `{ 'blake1/blake256': 3 }`. With
 * `MILLRACE_NOBLE_LOG=1` each name is also written to standard error once.
 *
 * @example
 * ```js
 * import { nobleCalls } from 'millrace/noble-hashes';
 *
 * nobleCalls(); // { 'blake1/blake256': 3 }
 * ```
 */
export function nobleCalls(): Record<string, number> {
  return Object.fromEntries([...calls].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns an export of noble itself.
 *
 * @throws MillraceError ERR_NOBLE_MISSING, ERR_NOBLE_VERSION
 */
export function original(
  major: MajorVersion,
  name: NoblePackage,
  subpath: string,
  entry: string,
): Lent {
  const label = `${subpath}/${entry}`;
  const loaded = single.get(`${name}@${major}/${label}`) ?? exportOf(major, name, subpath, entry);
  const count = calls.get(label) ?? 0;
  calls.set(label, count + 1);
  if (count === 0 && environment('MILLRACE_NOBLE_LOG') === '1')
    reportNoble(`millrace: @noble/${name} computes ${label}`);
  return loaded;
}

/** The versions of noble that the modules stand in for: those with test suites that pass. */
export const knownNoble: Readonly<Record<NoblePackage, Readonly<Record<MajorVersion, string>>>> = {
  hashes: { 1: '1.1 to 1.8', 2: '2.0 to 2.4' },
  ciphers: { 1: '1.0 to 1.3', 2: '2.0 to 2.4' },
};

function exportOf(major: MajorVersion, name: NoblePackage, subpath: string, entry: string): Lent {
  const label = `${subpath}/${entry}`;
  const place = `${name}@${major}`;
  let loaded: LoadedNoble | undefined;
  let detail = '';
  if (!sources.has(place)) {
    try {
      loaded = loadNoble(name, subpath);
    } catch (error) {
      if (error instanceof Error) detail = `: ${error.message.split('\n')[0]}`;
    }
  }
  // With an override the name leads to a package that re-exports Millrace and has called useNoble.
  const source = sources.get(place);
  if (source !== undefined) detail = '';
  const module = source === undefined ? loaded?.module : source(subpath);
  const version = source === undefined ? loaded?.version : undefined;
  if (version !== undefined && !version.startsWith(`${major}.`)) {
    throw makeError(
      'ERR_NOBLE_VERSION',
      `${label} needs @noble/${name} ${knownNoble[name][major]}; ${version} is installed`,
    );
  }
  if (module === undefined)
    throw makeError(
      'ERR_NOBLE_MISSING',
      `Millrace lacks ${label} or this use of it, and @noble/${name} cannot be loaded${detail}. ` +
        `Install @noble/${name}, or call useNoble`,
    );
  if (Object.hasOwn(module, entry)) return module[entry];
  throw makeError(
    'ERR_NOBLE_VERSION',
    `the installed @noble/${name} has no ${label}; install one of ${knownNoble[name][major]}`,
  );
}

/**
 * Sets where one export of noble comes from, and returns `served`. A bundle without `served` has
 * neither this call nor that export.
 *
 * @param name `hashes` or `ciphers`
 * @param major the major version
 * @param label the sub-path and the name: `blake2/blake2b`
 */
export function withNoble<Export>(
  served: Export,
  name: NoblePackage,
  major: MajorVersion,
  label: string,
  noble: unknown,
): Export {
  single.set(`${name}@${major}/${label}`, noble);
  return served;
}

/** Makes an export of a module of noble, with the interface of a major version. */
export interface Maker<Export> {
  (major: MajorVersion): Export;
  /** Where noble has what this falls back on or, if `lent`, replaces. */
  readonly noble?: readonly [subpath: string, entry: string];
  readonly lent?: true;
}

/** Says where noble has what a maker's result falls back on. */
export function backed<Export>(
  subpath: string,
  entry: string,
  make: (major: MajorVersion) => Export,
): Maker<Export> {
  return Object.assign(make, { noble: [subpath, entry] as const });
}

/**
 * Returns a stand-in for an export of noble. It loads noble when it is called or one of its
 * properties is read, so that importing a module loads nothing.
 */
export function lent(
  major: MajorVersion,
  name: NoblePackage,
  subpath: string,
  entry: string,
): Lent {
  return standIn(() => original(major, name, subpath, entry));
}

/**
 * Returns a function that returns makers of stand-ins for exports of noble, by name; a table has
 * the newest names of renamed ones.
 */
export function lend(name: NoblePackage) {
  return <Name extends string>(
    subpath: string,
    entries: readonly Name[] | Readonly<Record<Name, string>>,
  ): Record<Name, Maker<Lent>> => {
    const pairs = Array.isArray(entries)
      ? entries.map((entry) => [entry, entry])
      : Object.entries(entries);
    return Object.fromEntries(
      pairs.map(([shown, entry]) => [
        shown,
        Object.assign((major: MajorVersion) => lent(major, name, subpath, entry), {
          noble: [subpath, entry],
          lent: true,
        }),
      ]),
    ) as Record<Name, Maker<Lent>>;
  };
}

/** Makers of a module's exports, by name. */
type Makers = Readonly<Record<string, (major: MajorVersion) => unknown>>;

/** The exports of modules by sub-path and name. */
export type Modules<Table> = {
  readonly [Path in keyof Table]: {
    readonly [Name in keyof Table[Path]]: Table[Path][Name] extends (
      major: MajorVersion,
    ) => infer Export
      ? Export
      : never;
  };
};

/** Makes the modules of a major version. What two modules share is made once. */
export function modulesOf<const Table extends Readonly<Record<string, Makers>>>(
  major: MajorVersion,
  table: Table,
): Modules<Table> {
  const made = new Map<unknown, unknown>();
  const exportOf = (make: (major: MajorVersion) => unknown): unknown => {
    if (!made.has(make)) made.set(make, make(major));
    return made.get(make);
  };
  return Object.fromEntries(
    Object.entries(table).map(([path, makers]) => [
      path,
      Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, exportOf(make)])),
    ]),
  ) as Modules<Table>;
}

/** Returns a function or object that loads what it replaces at its first use. */
export function standIn(load: () => Lent): Lent {
  const proxy: object = new Proxy(function noble() {}, {
    apply: (_, self, given) => Reflect.apply(load(), self, given),
    construct: (_, given, made) =>
      Reflect.construct(load(), given, (made as unknown) === proxy ? load() : made),
    get: (_, key) => Reflect.get(load(), key),
    has: (_, key) => Reflect.has(load(), key),
    set: (_, key, value) => Reflect.set(load(), key, value),
    deleteProperty: (_, key) => Reflect.deleteProperty(load(), key),
  });
  return proxy;
}
