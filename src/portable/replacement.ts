/**
 * The replacement for the engine's module where that cannot be compiled. `millrace/javascript`
 * leaves it where every bundle finds it, because bundles may contain this file more than once.
 */

/** The module without vectors, and in JavaScript: from its imports to its exports. */
export interface Replacement {
  readonly plain: string;
  readonly instantiate: (imports: object) => object;
}

const PLACE = Symbol.for('millrace.javascript');

const shared = globalThis as { [PLACE]?: Replacement };

export function setReplacement(replacement: Replacement): void {
  shared[PLACE] = replacement;
}

export function replacement(): Replacement | undefined {
  return shared[PLACE];
}
