// Each tool as its own documentation begins with a server: by name, a function that takes the
// project's folder, writes a program below `out` and resolves to the program's path and what is to
// be said against its log. Run in a separate process each.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

export const builders = {
  async 'esbuild (esm)'(project, out) {
    return esbuild(project, join(out, 'server.mjs'), 'esm');
  },

  async 'esbuild (cjs)'(project, out) {
    return esbuild(project, join(out, 'server.cjs'), 'cjs');
  },

  async webpack(project, out) {
    const { default: webpack } = await import('webpack');
    const stats = await new Promise((resolve, reject) => {
      const compiler = webpack({
        mode: 'production',
        target: 'node',
        context: project,
        entry: './server.mjs',
        output: { path: out, filename: 'server.cjs' },
      });
      compiler.run((error, done) => compiler.close(() => (error ? reject(error) : resolve(done))));
    });
    const { errors, warnings } = stats.toJson({ errors: true, warnings: true });
    refuse([...errors, ...warnings].map(({ message }) => message));
    return join(out, 'server.cjs');
  },

  async rollup(project, out) {
    const [{ rollup }, { nodeResolve }, { default: commonjs }] = await Promise.all([
      import('rollup'),
      import('@rollup/plugin-node-resolve'),
      import('@rollup/plugin-commonjs'),
    ]);
    const complaints = [];
    const plugins = [nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs()];
    const bundle = await rollup({
      input: join(project, 'server.mjs'),
      plugins,
      onwarn: ({ message }) => complaints.push(message),
    });
    await bundle.write({ dir: out, format: 'es', entryFileNames: '[name].mjs' });
    await bundle.close();
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
    const { writeFileSync, mkdirSync } = await import('node:fs');
    const { dirname } = await import('node:path');
    const { code, assets } = await require('@vercel/ncc')(join(project, 'server.mjs'), {
      cache: false,
      quiet: true,
      filename: 'server.mjs',
    });
    for (const [name, { source }] of Object.entries({
      ...assets,
      'server.mjs': { source: code },
    })) {
      mkdirSync(dirname(join(out, name)), { recursive: true });
      writeFileSync(join(out, name), source);
    }
    // The binary is an asset: the program needs no node_modules.
    refuse(
      Object.keys(assets).some((name) => name.endsWith('.node'))
        ? []
        : ['the binary is not among the assets'],
    );
    return join(out, 'server.mjs');
  },

  /**
   * The files that Next.js (standalone), Vercel and Netlify deploy: the files that are traced, and
   * no others.
   */
  async '@vercel/nft'(project, out) {
    const { copyFileSync, mkdirSync } = await import('node:fs');
    const { dirname } = await import('node:path');
    const { nodeFileTrace } = await import('@vercel/nft');
    const { fileList, warnings } = await nodeFileTrace([join(project, 'server.mjs')], {
      base: project,
    });
    // The packages of other platforms are not installed.
    refuse(
      [...warnings]
        .map(({ message }) => message)
        .filter((message) => !message.startsWith('Failed to resolve dependency "@millrace/')),
    );
    for (const file of fileList) {
      mkdirSync(dirname(join(out, file)), { recursive: true });
      copyFileSync(join(project, file), join(out, file));
    }
    return join(out, 'server.mjs');
  },
};

async function esbuild(project, outfile, format) {
  const { build } = await import('esbuild');
  const { warnings } = await build({
    entryPoints: [join(project, 'server.mjs')],
    outfile,
    bundle: true,
    platform: 'node',
    format,
    logLevel: 'silent',
  });
  refuse(warnings.map(({ text }) => text));
  return outfile;
}

function refuse(complaints) {
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
}
