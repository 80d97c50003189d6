// The portable engine's modules as a browser would get them: bundled from the sources, with nothing
// of Node's within reach.

import esbuild from 'esbuild';
import { join } from 'node:path';
import { root } from './child.mjs';

/**
 * Returns the text of a module and all it imports, as one for browsers; `minify` as a bundle that
 * is shipped.
 */
export async function bundle(entry, { minify = false, contents } = {}) {
  const result = await esbuild.build({
    ...(contents === undefined
      ? { entryPoints: [join(root, entry)] }
      : { stdin: { contents, resolveDir: root, loader: 'ts' } }),
    bundle: true,
    write: false,
    minify,
    format: minify ? 'esm' : 'cjs',
    platform: 'browser',
    conditions: ['millrace-source'],
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'error',
  });
  return result.outputFiles[0].text;
}

/** Returns what a module of src/portable exports, with all operations provided. */
export async function portable(entry) {
  const module = { exports: {} };
  const names = [
    'Buffer',
    'process',
    'require',
    'global',
    'setImmediate',
    '__dirname',
    '__filename',
  ];
  const contents = `
    import { provideCiphers } from './src/portable/ciphers.js';
    import { provideDigests } from './src/portable/digests.js';
    import { provideParts } from './src/portable/parts.js';
    import { providePasswords } from './src/portable/passwords.js';
    for (const provide of [provideCiphers, provideDigests, provideParts, providePasswords]) provide();
    export * from './${entry}';`;
  const text = await bundle(entry, { contents });
  new Function('module', 'exports', ...names, text)(module, module.exports);
  return module.exports;
}
