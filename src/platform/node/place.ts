/**
 * Where this package stands on disk, and the packages that carry the binary: in CommonJS. In the
 * build for bundlers, place-module.mts stands in this file's place.
 */
import { dirname } from 'node:path';

/** The file this is compiled into; undefined where the runtime does not tell. */
export const file: string | undefined = typeof __filename === 'string' ? __filename : undefined;

/** Its folder. */
export const folder: string | undefined = file && dirname(file);

/**
 * The file of a platform package; throws if it cannot be resolved, and returns undefined for an
 * unknown name.
 *
 * Each name is a literal, because tools that trace files (@vercel/nft: Next.js, Vercel, Netlify)
 * read them without running the code. webpack reads them too and would parse the binary as a
 * module: it drops this code, as it knows the type of `__webpack_require__`.
 */
export function resolvePackage(platform: string): string | undefined {
  if (typeof __webpack_require__ === 'function') return undefined;
  // In a single executable `require` knows the modules of Node.js only.
  if (typeof require.resolve !== 'function') return undefined;
  switch (platform) {
    case 'linux-x64-gnu':
      return require.resolve('@millrace/linux-x64-gnu');
    case 'linux-x64-musl':
      return require.resolve('@millrace/linux-x64-musl');
    case 'linux-arm64-gnu':
      return require.resolve('@millrace/linux-arm64-gnu');
    case 'linux-arm64-musl':
      return require.resolve('@millrace/linux-arm64-musl');
    case 'darwin-x64':
      return require.resolve('@millrace/darwin-x64');
    case 'darwin-arm64':
      return require.resolve('@millrace/darwin-arm64');
    case 'win32-x64':
      return require.resolve('@millrace/win32-x64');
    case 'win32-arm64':
      return require.resolve('@millrace/win32-arm64');
    default:
      return undefined;
  }
}

declare const __webpack_require__: unknown;
