/**
 * This package's place on disk, the packages that contain the binary, and modules of Node.js that
 * are loaded on first use, in CommonJS. The build for bundlers uses place.module.mts instead.
 */
import { dirname } from 'node:path';

/** The compiled file; undefined where the runtime does not report it. */
export const file: string | undefined = typeof __filename === 'string' ? __filename : undefined;

/** Its folder. */
export const folder: string | undefined = file && dirname(file);

// Each takes 0.2 ms to load.

export function nodeModule(): typeof import('node:module') {
  return require('node:module') as typeof import('node:module');
}

export function nodeOs(): typeof import('node:os') {
  return require('node:os') as typeof import('node:os');
}

/**
 * Returns the file of a platform package. Throws if it cannot be resolved; returns undefined for an
 * unknown name.
 *
 * Each name is a literal, because tools that trace files (@vercel/nft: Next.js, Vercel, Netlify)
 * read them without running the code. webpack reads them too and would parse the binary as a
 * module: it drops this code because it knows the type of `__webpack_require__`.
 */
export function resolvePackage(platform: string): string | undefined {
  if (typeof __webpack_require__ === 'function') return undefined;
  // In a single executable `require` knows Node's own modules only.
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
