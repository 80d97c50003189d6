// Each bundler as its own documentation begins: no configuration but where the page is and where it
// goes to. Rollup knows packages by its plugin only, which has to be told that this is for
// browsers.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NONE = /^$/;

/**
 * By name: takes the entry's path and a folder, and writes minified ES modules or scripts there;
 * resolves to the first of them. Fails for complaints of the bundler but those that `accepted`
 * matches.
 */
export const bundlers = {
  async esbuild(entry, out, _project, accepted = NONE) {
    const { build } = await import('esbuild');
    const { warnings } = await build({
      entryPoints: { page: entry },
      outdir: out,
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      logLevel: 'silent',
    });
    refuse(
      warnings.map(({ text }) => text),
      accepted,
    );
    return 'page.js';
  },

  async vite(entry, out, project) {
    const { build } = await import('vite');
    writeFileSync(
      join(project, 'index.html'),
      `<!doctype html><script type="module" src="${entry}"></script>\n`,
    );
    const { output } = await build({
      root: project,
      configFile: false,
      logLevel: 'silent',
      build: { outDir: out, emptyOutDir: true },
    });
    return output.find(({ isEntry }) => isEntry).fileName;
  },

  async webpack(entry, out, _project, accepted = NONE) {
    const { default: webpack } = await import('webpack');
    const stats = await new Promise((resolve, reject) => {
      const compiler = webpack({
        mode: 'production',
        entry,
        output: { path: out, filename: 'page.js' },
      });
      compiler.run((error, done) => compiler.close(() => (error ? reject(error) : resolve(done))));
    });
    // Its sizes are those of the page, which has everything.
    const { errors, warnings } = stats.toJson({ errors: true, warnings: true });
    refuse(
      [...errors, ...warnings]
        .map(({ message }) => message)
        .filter((message) => !/size limit|lazy load/.test(message)),
      accepted,
    );
    return 'page.js';
  },

  async rollup(entry, out, _project, accepted = NONE) {
    const [{ rollup }, { nodeResolve }, { transform }] = await Promise.all([
      import('rollup'),
      import('@rollup/plugin-node-resolve'),
      import('esbuild'),
    ]);
    const complaints = [];
    const bundle = await rollup({
      input: { page: entry },
      plugins: [nodeResolve({ browser: true })],
      onwarn: ({ message }) => complaints.push(message),
    });
    // It does not minify by itself.
    const minify = {
      name: 'minify',
      renderChunk: async (code) => ({
        code: (await transform(code, { minify: true, format: 'esm' })).code,
        map: null,
      }),
    };
    await bundle.write({ dir: out, format: 'es', plugins: [minify] });
    await bundle.close();
    refuse(complaints, accepted);
    return 'page.js';
  },
};

function refuse(complaints, accepted) {
  const refused = complaints.filter((each) => !accepted.test(each));
  if (refused.length > 0) throw new Error(refused.join('\n'));
}
