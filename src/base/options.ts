/**
 * Checks the names of options. A misspelt option could silently weaken a call, so every function
 * rejects unknown names.
 *
 * Each function has a table of its option names, which option-names.ts has from the types of its
 * options; the compiler checks that they agree. Options are the own enumerable properties of the
 * given object, as `{ ...given }` copies them: what another package adds to Object.prototype has no
 * effect.
 */
import { makeError, wrongType, type MillraceError } from './errors.js';
import { isBytesView, isRevoked } from './intrinsics.js';
import { optionHint } from '#platform/base/hints.js';

/** The words of a text of names separated by spaces. */
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text;

/** The options that a function accepts. */
export interface Accepted<Name extends PropertyKey> {
  /** The function and its arguments for messages, such as `scrypt(password, salt, keylen)`. */
  readonly signature: string;
  /**
   * All names, the most recently used first, then undefined. Most calls pass the same names in the
   * same order, so that each name takes one comparison.
   */
  readonly order: (string | undefined)[];
  /** Returns the error for a name that a call with other arguments would take. */
  readonly refuse: ((name: string, argument: string) => MillraceError | undefined) | undefined;
  /** Makes tables with different names incompatible types. It does not exist at run time. */
  readonly exactly?: (name: Name) => Name;
}

/** Makes the table of a function from lists of names. */
export function accepted<Text extends string>(
  signature: string,
  ...names: Text[]
): Accepted<Words<Text>> {
  const order = [...new Set(names.join(' ').split(' ')), undefined];
  // `refuse` is own: an error must not read what Object.prototype may have.
  return { signature, order, refuse: undefined };
}

/**
 * Options without which a call is weaker or has another result. `undefined` is most likely a value
 * that is missing, such as an environment variable, and is refused.
 */
const guarded: ReadonlySet<string> = new Set([
  'aad',
  'associatedData',
  'commit',
  'context',
  'customization',
  'functionName',
  'key',
  'personalization',
  'salt',
  'secret',
]);

/**
 * Returns the own enumerable properties of an options object in an object without a prototype, so
 * that nothing is inherited, and checks them. Each getter runs once.
 */
export function ownOptions<T extends object>(
  value: unknown,
  argument: string,
  table: Accepted<keyof T>,
): T {
  if (value === undefined) return none as T;
  const own = ownProperties(value, argument);
  checkNames(own, argument, table);
  return own as T;
}

// Captured at load: no patched method may run while options are read.
const { hasOwn } = Object;

/** The options of a call without any. */
export const none: object = /* @__PURE__ */ Object.freeze({ __proto__: null });

/** For addEventListener, which reads inherited options too. */
export const ONCE = /* @__PURE__ */ Object.freeze({ __proto__: null, once: true }) as {
  readonly once: true;
};

/** Returns the own enumerable properties of an object, in an object without a prototype. */
export function ownProperties(value: unknown, argument: string): object {
  if (!isOptions(value) || isPromise(value)) throw wrongType(argument, 'an object', value);
  try {
    return { ...value, __proto__: null };
  } catch (error) {
    throw unreadable(value, argument, error);
  }
}

/**
 * True where `{ ...given, __proto__: null }` takes 110 to 160 ns and `{ ...given }` 11 to 15: in V8
 * of Node.js 24 and 26. Before, both take 7 to 16.
 */
export const slowBare: boolean = /* @__PURE__ */ (() => Object.hasOwn(Set.prototype, 'union'))();

/** Returns true for an object that can have options. */
export function isOptions(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isBytesView(value);
}

/** Returns true for a promise, which has no options: one that was not awaited. */
export function isPromise(value: object): boolean {
  try {
    return value instanceof Promise;
  } catch {
    return false;
  }
}

/** Returns the error of an object with unreadable properties: its own, unless it is revoked. */
export function unreadable(value: unknown, argument: string, error: unknown): unknown {
  return isRevoked(value) ? wrongType(argument, 'an object', value) : error;
}

/**
 * Throws if a name is unknown, or a value undefined that must not be; otherwise returns the number
 * of names. `own` has no getters, and no prototype or one without these names:
 * `{ ...given, __proto__: null }` or `bare` of option-names.ts. A function that is called for short
 * messages makes it itself, as V8 caches the shapes of the objects that one spread copies.
 */
export function checkNames(own: object, argument: string, table: Accepted<any>): number {
  const { order } = table;
  let at = 0;
  for (const name in own) {
    if (order[at] === name) at += 1;
    else if (!hasOwn(own, name)) continue;
    else at = place(name, at, argument, table);
    if (own[name as keyof object] === undefined && guarded.has(name))
      throw undefinedOption(name, argument);
  }
  return at;
}

/** Returns the error for an option that is undefined and must not be. */
function undefinedOption(name: string, argument: string): MillraceError {
  return makeError(
    'ERR_ARGUMENT_TYPE',
    `${argument}.${name} must not be undefined: pass a value, or leave the property out`,
  );
}

/** Moves a name to its expected place and returns the place of the next one. */
function place(name: string, at: number, argument: string, table: Accepted<any>): number {
  const { order } = table;
  const found = order.indexOf(name, at);
  if (found < 0) throw unknownName(name, argument, table);
  order[found] = order[at];
  order[at] = name;
  return at + 1;
}

/** Returns these options of an object without a prototype, if they are there. */
export function pick<Text extends string>(
  own: object,
  names: Text,
): { readonly [Name in Words<Text>]?: any } {
  const picked = { __proto__: null } as { [Name in Words<Text>]?: any };
  for (const name of names.split(' ') as (Words<Text> & keyof object)[])
    if (own[name] !== undefined) picked[name] = own[name];
  return picked;
}

/** Returns the error for an unknown option. In Node.js it says which one is meant. */
export function unknownName(
  name: string,
  argument: string,
  { signature, order, refuse }: Accepted<any>,
): MillraceError {
  const special = refuse?.(name, argument);
  if (special !== undefined) return special;
  const [call] = signature.split('(');
  const names = order.filter((each) => each !== undefined).sort();
  const shown = JSON.stringify(name.slice(0, 40)).slice(1, -1);
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `${argument}.${shown} is not an option of ${call}; ` +
      optionHint(name.slice(0, 40), argument, names, signature),
  );
}
