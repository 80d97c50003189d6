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
    const options = { entryPoints: { page: entry }, outdir: out, format: 'esm' };
    refuse(await runEsbuild({ ...options, minify: true, splitting: true }), accepted);
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
    const complaints = await runWebpack({ entry, output: { path: out, filename: 'page.js' } });
    // Its sizes are those of the page, which has everything; its chunks are those of first use.
    refuse(
      complaints.filter(
        (message) => !/size limit|lazy load|optimization\.runtimeChunk/.test(message),
      ),
      accepted,
    );
    return 'page.js';
  },

  async rollup(entry, out, _project, accepted = NONE) {
    const [{ nodeResolve }, { transform }] = await Promise.all([
      import('@rollup/plugin-node-resolve'),
      import('esbuild'),
    ]);
    // It does not minify by itself.
    const minify = {
      name: 'minify',
      renderChunk: async (code) => ({
        code: (await transform(code, { minify: true, format: 'esm' })).code,
        map: null,
      }),
    };
    const input = { input: { page: entry }, plugins: [nodeResolve({ browser: true })] };
    const complaints = await runRollup(input, { dir: out, format: 'es', plugins: [minify] });
    refuse(complaints, accepted);
    return 'page.js';
  },
};

/** Bundles with esbuild; resolves to its complaints. */
export async function runEsbuild(options) {
  const { build } = await import('esbuild');
  const { warnings } = await build({ bundle: true, logLevel: 'silent', ...options });
  return warnings.map(({ text }) => text);
}

/** Bundles with webpack; resolves to its complaints. */
export async function runWebpack(options) {
  const { default: webpack } = await import('webpack');
  const stats = await new Promise((resolve, reject) => {
    const compiler = webpack({ mode: 'production', ...options });
    compiler.run((error, done) => compiler.close(() => (error ? reject(error) : resolve(done))));
  });
  const { errors, warnings } = stats.toJson({ errors: true, warnings: true });
  return [...errors, ...warnings].map(({ message }) => message);
}

/** Bundles with Rollup; resolves to its complaints. */
export async function runRollup(input, output) {
  const { rollup } = await import('rollup');
  const complaints = [];
  const bundle = await rollup({ ...input, onwarn: ({ message }) => complaints.push(message) });
  await bundle.write(output);
  await bundle.close();
  return complaints;
}

export function refuse(complaints, accepted = NONE) {
  const refused = complaints.filter((each) => !accepted.test(each));
  if (refused.length > 0) throw new Error(refused.join('\n'));
}
