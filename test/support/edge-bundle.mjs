// Bundles for edge runtimes, as Wrangler and Vercel make them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'esbuild';

/**
 * Bundles a module into `folder/worker.js`, with the conditions of Wrangler or, for `edge-light`,
 * of Vercel. Returns the names of the WebAssembly files, which are copied beside it.
 */
export async function bundleForEdge(contents, { resolveDir, folder, ...options }) {
  const { condition = 'workerd', format = 'esm', ...others } = options;
  const names = new Set();
  await build({
    stdin: { contents, resolveDir },
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format,
    conditions: [condition, 'worker', 'browser'],
    ...others,
    logLevel: 'silent',
    plugins: [
      {
        name: 'compiled modules',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /\.wasm\?module$/ }, ({ path, resolveDir: from }) => {
            const name = path.replace(/^\.\/|\?module$/g, '');
            names.add(name);
            writeFileSync(join(folder, name), readFileSync(join(from, name)));
            // A script imports nothing: its modules are a global object.
            return format === 'iife'
              ? { path: name, namespace: 'global', sideEffects: false }
              : { path: name, external: true, sideEffects: false };
          });
          onLoad({ filter: /./, namespace: 'global' }, ({ path }) => ({
            contents: `export default modules[${JSON.stringify(path)}];`,
          }));
        },
      },
    ],
  });
  return [...names];
}
