/** Finds the optional peer dependencies @noble/hashes and @noble/ciphers. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { environment as variable } from '../engines/binary.node.js';
import { folder } from '#platform/base/place.js';

/** Returns an environment variable. */
export function environment(name: string): string | undefined {
  return variable(name);
}

/** A module of noble and the version of its package. */
export interface LoadedNoble {
  readonly module: Readonly<Record<string, any>>;
  readonly version: string | undefined;
}

/** Loads a module of @noble/hashes or @noble/ciphers by its sub-path. Throws if it is missing. */
export function loadNoble(name: string, subpath: string): LoadedNoble | undefined {
  const load = createRequire(join(folder ?? process.cwd(), 'noble.js'));
  const file = load.resolve(`@noble/${name}/${subpath}.js`);
  // ES modules too: noble 2 needs a Node.js that can require them.
  return { module: load(file), version: versionOf(file) };
}

/** Returns the version of the package of a file. */
function versionOf(file: string): string | undefined {
  for (let place = dirname(file), above; (above = dirname(place)) !== place; place = above) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
      if (name !== undefined) return version;
    } catch {
      // No manifest here: look further up.
    }
  }
  return undefined;
}

/** Writes a line to standard error. */
export function reportNoble(line: string): void {
  process.stderr.write(`${line}\n`);
}
