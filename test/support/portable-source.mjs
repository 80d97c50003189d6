// Parts of src/portable by themselves, as their sources are now.

import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const source = (entry) => fileURLToPath(new URL(`../../src/portable/${entry}`, import.meta.url));

/** The exports of a file below src/portable, bundled with what it imports. */
export async function portableSource(entry) {
  const { outputFiles } = await build({ entryPoints: [source(entry)], bundle: true, write: false, format: 'esm', platform: 'neutral', mainFields: ['module', 'main'], target: 'es2022' });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
