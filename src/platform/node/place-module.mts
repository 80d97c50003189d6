/**
 * The exports of place.ts for the ES modules that bundlers take. Bundlers leave `createRequire`
 * alone, so this needs no guards.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const file: string | undefined = fileOfModule();
export const folder: string | undefined = file && dirname(file);

/** Packages are resolved from the files that binary.ts lists. */
export function resolvePackage(_platform: string): string | undefined {
  return undefined;
}

/**
 * A CommonJS bundle has no `import.meta.url`; webpack inserts the source's URL on the build
 * machine.
 */
function fileOfModule(): string | undefined {
  try {
    return fileURLToPath(import.meta.url);
  } catch {
    return typeof __filename === 'string' ? __filename : undefined;
  }
}
