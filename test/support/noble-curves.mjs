// The versions of @noble/curves that are compared with millrace/overrides.

import { cpSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { fetchPackage } from './registry.mjs';

/** Those of version 1, and the hashes that they need: ethers 6 pins the first. */
const first = { '1.2.0': '1.3.2', '1.9.7': '1.8.0' };

const installed = {
  ed25519: () => import('@noble/curves/ed25519.js'),
  nist: () => import('@noble/curves/nist.js'),
  secp256k1: () => import('@noble/curves/secp256k1.js'),
};

/** Returns functions that resolve to a module, by version; says which versions are absent. */
export function nobleCurvesVersions() {
  const found = { 2: (path) => installed[path]() };
  for (const [version, hashes] of Object.entries(first)) {
    try {
      const folder = fetchPackage('@noble/curves', version);
      const place = join(folder, 'node_modules', '@noble', 'hashes');
      if (!existsSync(place))
        cpSync(fetchPackage('@noble/hashes', hashes), place, { recursive: true });
      const load = createRequire(join(folder, 'program.js'));
      found[version] = (path) => load(`./${path}.js`);
    } catch {
      console.log(`skipped: @noble/curves ${version}: it cannot be fetched from the registry`);
    }
  }
  return found;
}

/** Returns a curve whose functions throw, but for what Millrace asks of the original. */
export function poisoned(curve) {
  const refuse = () => {
    throw new Error('the original was asked');
  };
  return Object.fromEntries(
    Object.entries(curve).map(([name, value]) => [
      name,
      typeof value === 'function' && !/^[A-Z]/.test(name) ? refuse : value,
    ]),
  );
}
