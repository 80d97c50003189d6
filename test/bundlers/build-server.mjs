// Each tool as its own documentation begins with a server: by name, a function that takes the
// project's folder, writes a program below `out` and resolves to the program's path and what is to
// be said against its log. Run in a separate process each.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { refuse, runEsbuild, runRollup, runWebpack } from './bundle.mjs';

const require = createRequire(import.meta.url);

export const builders = {
  async 'esbuild (esm)'(project, out) {
    return esbuild(project, join(out, 'server.mjs'), 'esm');
  },

  async 'esbuild (cjs)'(project, out) {
    return esbuild(project, join(out, 'server.cjs'), 'cjs');
  },

  async webpack(project, out) {
    const output = { path: out, filename: 'server.cjs' };
    const program = { target: 'node', context: project, entry: './server.mjs' };
    refuse(await runWebpack({ ...program, output }));
    return join(out, 'server.cjs');
  },

  async rollup(project, out) {
    const [{ nodeResolve }, { default: commonjs }] = await Promise.all([
      import('@rollup/plugin-node-resolve'),
      import('@rollup/plugin-commonjs'),
    ]);
    const plugins = [nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs()];
    const complaints = await runRollup(
      { input: join(project, 'server.mjs'), plugins },
      { dir: out, format: 'es', entryFileNames: '[name].mjs' },
    );
    refuse(complaints);
    return join(out, 'server.mjs');
  },

  async 'Vite SSR'(project, out) {
    const { build } = await import('vite');
    const { output } = await build({
      root: project,
      configFile: false,
      logLevel: 'silent',
      ssr: { noExternal: true },
      build: { ssr: 'server.mjs', outDir: out, target: 'node20' },
    });
    return join(out, output.find(({ isEntry }) => isEntry).fileName);
  },

  async '@vercel/ncc'(project, out) {
    const { code, assets } = await require('@vercel/ncc')(join(project, 'server.mjs'), {
      cache: false,
      quiet: true,
      filename: 'server.mjs',
    });
    const files = { ...assets, 'server.mjs': { source: code } };
    for (const [name, { source }] of Object.entries(files)) {
      mkdirSync(dirname(join(out, name)), { recursive: true });
      writeFileSync(join(out, name), source);
    }
    // The binary is an asset: the program needs no node_modules.
    if (!Object.keys(assets).some((name) => name.endsWith('.node')))
      refuse(['the binary is not among the assets']);
    return join(out, 'server.mjs');
  },

  /**
   * The files that Next.js (standalone), Vercel and Netlify deploy: the files that are traced, and
   * no others.
   */
  async '@vercel/nft'(project, out) {
    const { nodeFileTrace } = await import('@vercel/nft');
    const server = join(project, 'server.mjs');
    const { fileList, warnings } = await nodeFileTrace([server], { base: project });
    // The packages of other platforms are not installed.
    const expected = 'Failed to resolve dependency "@millrace/';
    const messages = [...warnings].map(({ message }) => message);
    refuse(messages.filter((message) => !message.startsWith(expected)));
    for (const file of fileList) {
      mkdirSync(dirname(join(out, file)), { recursive: true });
      copyFileSync(join(project, file), join(out, file));
    }
    return join(out, 'server.mjs');
  },
};

async function esbuild(project, outfile, format) {
  const entryPoints = [join(project, 'server.mjs')];
  refuse(await runEsbuild({ entryPoints, outfile, platform: 'node', format }));
  return outfile;
}
