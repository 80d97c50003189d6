// Bundles for workerd, as Wrangler makes them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'esbuild';

/**
 * Bundles a module into `folder/worker.js`, with the conditions of Wrangler. Returns the names of
 * the WebAssembly files, which are copied beside it.
 */
export async function bundleForWorkerd(contents, { resolveDir, folder }) {
  const names = new Set();
  await build({
    stdin: { contents, resolveDir },
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'compiled modules',
        setup({ onResolve }) {
          onResolve({ filter: /\.wasm\?module$/ }, ({ path, resolveDir: from }) => {
            const name = path.replace(/^\.\/|\?module$/g, '');
            names.add(name);
            writeFileSync(join(folder, name), readFileSync(join(from, name)));
            return { path: name, external: true, sideEffects: false };
          });
        },
      },
    ],
  });
  return [...names];
}
