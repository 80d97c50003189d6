/**
 * What place.ts has, in the ES modules that bundlers take. They leave `createRequire` alone, so
 * that nothing here needs a guard against them.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const file: string | undefined = fileOfModule();
export const folder: string | undefined = file && dirname(file);

/** Packages are resolved from the files that node-binary.ts knows. */
export function resolvePackage(_platform: string): string | undefined {
  return undefined;
}

/**
 * A bundle in CommonJS has no `import.meta.url`; webpack writes the URL of the source as it was on
 * the machine that built.
 */
function fileOfModule(): string | undefined {
  try {
    return fileURLToPath(import.meta.url);
  } catch {
    return typeof __filename === 'string' ? __filename : undefined;
  }
}
