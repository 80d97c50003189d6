/**
 * Functions in place of Node's that load Millrace at the first call of any of them: a program that
 * does not use node:crypto starts without it.
 */
import module = require('node:module');
import { moduleExports, nameAs, nodeFunction, servedNames } from './original.js';

type Function = (...given: unknown[]) => unknown;
type Functions = Readonly<Record<string, Function>>;

/** Puts the functions into node:crypto. */
export function replaceAtFirstCall(): void {
  const functions = Object.fromEntries(
    servedNames.flatMap((name) => {
      const theirs = nodeFunction(name);
      return theirs === undefined ? [] : [[name, functionFor(name, theirs as Function)]];
    }),
  );
  Object.assign(moduleExports, functions);
  let loaded: Functions | undefined;

  /** Returns Millrace's functions, and puts them into node:crypto when they are loaded. */
  function load(): Functions {
    if (loaded !== undefined) return loaded;
    const { replacements } = require('./exports.js') as typeof import('./exports.js');
    loaded = replacements as Functions;
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
  const { counted, logCalls } = require('./call-log-output.js') as CallLog;
  if (!logCalls()) return;
  const counting: Record<string, object> = {};
  for (const [name, { value, writable }] of Object.entries(
    Object.getOwnPropertyDescriptors(moduleExports as object),
  )) {
    // Getters, classes and constants remain as they are.
    if (typeof value !== 'function' || !writable || !/^[a-z]/.test(name)) continue;
    if (!servedNames.includes(name as never)) counting[name] = counted(name, value as object);
  }
  Object.assign(moduleExports, counting);
}

type CallLog = typeof import('./call-log-output.js');
