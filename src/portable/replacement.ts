/**
 * The replacements for modules that cannot be compiled. `millrace/javascript` leaves them where
 * every bundle finds them, because bundles may contain this file more than once.
 */

/** A compiled module, which can be posted to a worker. */
export interface Module {
  readonly compiledWebAssembly?: never;
}

/** What stands for a module in JavaScript: from its imports to its exports. */
export type JavaScriptModule = (imports: object) => object;

/**
 * Returns the replacement of a module by its name: compiled without vectors, if only those are
 * missing, or in JavaScript.
 */
export type Replace = (name: string, plain: boolean) => Module | JavaScriptModule;

const PLACE = Symbol.for('millrace.javascript');

const shared = globalThis as { [PLACE]?: Replace };

export function setReplacement(replace: Replace): void {
  shared[PLACE] = replace;
}

export function replacement(): Replace | undefined {
  return shared[PLACE];
}
