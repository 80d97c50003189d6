/**
 * Functions in place of Node's that load Millrace at the first call of any of them: a program that
 * does not use node:crypto starts without it, and one that only hashes without ciphers.
 */
import module = require('node:module');
import { counted } from './call-log.js';
import { logCalls } from './call-log-output.js';
import { availableOf, moduleExports, nameAs, nodeFunction, servedBy } from './original.js';

type Function = (...given: unknown[]) => unknown;
type Functions = Readonly<Record<string, Function>>;

/** Puts the functions into node:crypto. */
export function replaceAtFirstCall(): void {
  replace(servedBy.hashes, () => (require('./hashes.js') as Replacing).replacements);
  replace(servedBy.ciphers, () => (require('./ciphers.js') as Replacing).replacements);
  replace(servedBy.derivations, () =>
    availableOf({ ...(require('./derivations.js') as Derivations) }),
  );
  replace(servedBy.publicKeys, () =>
    availableOf({ ...(require('./public-keys.js') as PublicKeys) }),
  );
}

type Replacing = typeof import('./hashes.js');
type PublicKeys = typeof import('./public-keys.js');
type Derivations = typeof import('./derivations.js');

/** Puts the functions of these names into node:crypto; `loadAll` loads Millrace's. */
function replace(names: readonly string[], loadAll: () => object): void {
  const functions = Object.fromEntries(
    names.flatMap((name) => {
      const theirs = nodeFunction(name);
      return theirs === undefined ? [] : [[name, functionFor(name, theirs as Function)]];
    }),
  );
  Object.assign(moduleExports, functions);
  let loaded: Functions | undefined;

  /** Returns Millrace's functions, and puts them into node:crypto when they are loaded. */
  function load(): Functions {
    if (loaded !== undefined) return loaded;
    loaded = loadAll() as Functions;
    const now = moduleExports as unknown as Record<string, unknown>;
    // A program may have replaced some of them by others, which call them.
    for (const [name, own] of Object.entries(loaded))
      if (now[name] === functions[name]) now[name] = own;
    module.syncBuiltinESMExports();
    return loaded;
  }

  function functionFor(name: string, theirs: Function): Function {
    function first(this: unknown, ...given: unknown[]): unknown {
      const own = load()[name]!;
      const derived = new.target as unknown;
      if (derived === undefined) return Reflect.apply(own, this, given);
      return Reflect.construct(own, given, (derived === first ? own : derived) as Function);
    }
    nameAs(first, theirs);
    const { prototype } = theirs as { prototype?: object };
    // Classes: their objects are instances of Node's.
    if (prototype !== undefined) Object.defineProperty(first, 'prototype', { value: prototype });
    return first;
  }
}

/** Replaces the functions that remain Node's by ones that count their calls, if the log is on. */
export function countOthers(): void {
  if (!logCalls()) return;
  const served: readonly string[] = Object.values(servedBy).flat();
  const counting: Record<string, object> = {};
  for (const [name, { value, writable }] of Object.entries(
    Object.getOwnPropertyDescriptors(moduleExports as object),
  )) {
    // Getters, classes and constants remain as they are.
    if (typeof value !== 'function' || !writable || !/^[a-z]/.test(name)) continue;
    if (!served.includes(name)) counting[name] = counted(name, value as object);
  }
  Object.assign(moduleExports, counting);
}
