/** Loads the optional peer dependency ethers. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { folder } from '#platform/base/place.js';

/** Returns the installed ethers. Throws if there is none. */
export function loadEthers(): object | undefined {
  return createRequire(join(folder ?? process.cwd(), 'ethers.js'))('ethers') as object;
}
