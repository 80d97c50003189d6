/**
 * The exports of place.node.ts for the ES modules that bundlers take. Bundlers leave
 * `createRequire` alone, so this needs no guards.
 */
import { existsSync } from 'node:fs';
// The default import: webpack follows an imported `createRequire`, and would parse the binary as a
// module.
import Module from 'node:module';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const file: string | undefined = fileOfModule();
export const folder: string | undefined = file && dirname(file);

export function nodeModule(): typeof import('node:module') {
  return Module;
}

export function nodeOs(): typeof import('node:os') {
  return os;
}

/**
 * Returns undefined: packages are resolved from the files that binary.node.ts lists.
 *
 * The two calls are for Turbopack (Next.js), which copies the files of such calls, and no others,
 * beside a bundle: the installed platform packages. In the bundle `__dirname` is not this folder.
 * Other bundlers ignore them; Turbopack and webpack refuse `require.resolve` of a binary.
 */
export function resolvePackage(platform: string): string | undefined {
  if (typeof __dirname === 'string') {
    existsSync(join(__dirname, '../../../@millrace', platform, 'package.json'));
    existsSync(join(__dirname, '../../../@millrace', platform, `millrace.${platform}.node`));
  }
  return undefined;
}

/**
 * Returns the file of this module. A CommonJS bundle has no `import.meta.url`; webpack inserts the
 * source's URL on the build machine.
 */
function fileOfModule(): string | undefined {
  try {
    return fileURLToPath(import.meta.url);
  } catch {
    return typeof __filename === 'string' ? __filename : undefined;
  }
}
