/** Browsers cannot load a package at a call: the program hands noble over with useNoble. */

/** A module of noble and the version of its package. */
export interface LoadedNoble {
  readonly module: Readonly<Record<string, any>>;
  readonly version: string | undefined;
}

export function loadNoble(_name: string, _subpath: string): LoadedNoble | undefined {
  return undefined;
}

/** Browsers have no environment. */
export function environment(_name: string): string | undefined {
  return undefined;
}

export function reportNoble(line: string): void {
  (globalThis as { console?: { warn(text: string): void } }).console?.warn(line);
}
