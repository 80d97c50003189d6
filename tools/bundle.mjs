// What esbuild makes of the front for browsers (dist/browser): ES modules, where src/platform has
// other files and the portable engine is compiled in with its libraries; their licences stand
// beside them.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

import { root } from './steps.mjs';

const source = join(root, 'src');

/** The entry points for browsers, by name in package.json, and their modules. */
export const browserEntryPoints = {
  index: 'index',
  promises: 'promises',
  'bigint-hash': 'compat/bigint-hash',
  'bigint-buffer': 'compat/bigint-buffer',
  'crypto-async': 'compat/browser-crypto-async',
  portable: 'portable/entry',
};

/** What every browser of the last years understands. */
const target = ['es2022'];

/** For browsers. Resolves to the files written, relative to dist. */
export async function bundleForBrowsers(dist) {
  const out = join(dist, 'browser');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    // Who takes one hash from millrace/portable takes no other along: what is not pure is marked as
    // if it were. A module each would make that 0.7 KB smaller, and the package 50 files larger.
    entryPoints: Object.fromEntries(
      Object.entries(browserEntryPoints).map(([name, file]) => [
        `entries/${name}`,
        join('src', `${file}.ts`),
      ]),
    ),
    outdir: out,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['millrace-source', 'browser'],
    target,
    metafile: true,
    write: false,
    legalComments: 'none',
    plugins: [workerSource(await workerText())],
  });
  // Of a chunk that is imported for nothing esbuild keeps the import; as no module here has effects
  // of its own, it is but a warning in the bundlers of others.
  const written = outputFiles.map(({ path, text }) =>
    put(path, text.replace(/^import "[^"]+";\n/gm, '')),
  );
  for (const name of Object.keys(browserEntryPoints)) {
    // A default export as in Node.js. A namespace, not an object made of it: bundlers see through
    // that.
    written.push(
      put(
        join(out, `${name}.mjs`),
        `export * from './entries/${name}.mjs';\nimport * as entry from ` +
          `'./entries/${name}.mjs';\nexport { entry as default };\n`,
      ),
    );
  }
  written.push(...(await bundleForRequire(out)), ...declarations(out), licences(out, metafile));
  return written.map((path) => relative(dist, path));
}

/**
 * The same as CommonJS, one file for all entry points, for what runs code for browsers in Node.js
 * by `require`: Jest with jsdom. It has no source for workers, which do not exist there. Bundlers
 * take the ES modules, by the condition `module`.
 */
async function bundleForRequire(out) {
  const entryPoints = Object.entries(browserEntryPoints);
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: entryPoints
        .map(([name, file]) => `export * as '${name}' from './${file}.js';`)
        .join('\n'),
      resolveDir: source,
      loader: 'ts',
    },
    outfile: join(out, 'entries', 'all.cjs'),
    inject: [join(source, 'platform', 'browser', 'text-codecs.ts')],
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    conditions: ['millrace-source', 'browser'],
    target,
    write: false,
    legalComments: 'none',
    plugins: [workerSource('')],
  });
  const shims = entryPoints.map(([name]) =>
    put(join(out, `${name}.cjs`), `module.exports = require('./entries/all.cjs')['${name}'];\n`),
  );
  return [...outputFiles.map(({ path, text }) => put(path, text)), ...shims];
}

/**
 * What a worker runs, as one script: workers that are made of a text need no file to be found, and
 * no header.
 */
async function workerText() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join('src', 'platform', 'browser', 'worker.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    conditions: ['millrace-source', 'browser'],
    target,
    write: false,
    legalComments: 'none',
    plugins: [workerSource('')],
  });
  return outputFiles[0].text;
}

/** Puts the worker's script in the place of worker-source.ts. */
function workerSource(worker) {
  return {
    name: 'worker source',
    setup({ onLoad }) {
      onLoad({ filter: /browser[\\/]worker-source\.ts$/ }, () => ({
        contents: `export const source = ${JSON.stringify(worker)};\n`,
        loader: 'ts',
      }));
    },
  };
}

/** Types: those of tsc, where `#platform` follows the condition `browser`. */
function declarations(out) {
  return Object.entries(browserEntryPoints).flatMap(([name, file]) => [
    put(join(out, `${name}.d.cts`), `export * from '../${file}.js';\n`),
    put(
      join(out, `${name}.d.mts`),
      `export * from '../${file}.js';\nimport * as entry from '../${file}.js';\nexport { ` +
        'entry as default };\n',
    ),
  ]);
}

/** The licences of the libraries of a bundle, in one file. */
export function licences(out, metafile) {
  const names = new Set(
    Object.keys(metafile.inputs).flatMap(
      (file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
    ),
  );
  const texts = [...names].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return (
      `${name} ${version} ` + `(${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    );
  });
  return put(
    join(out, 'LICENSES.txt'),
    `Compiled into the files of this folder:\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`,
  );
}

export function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
  return path;
}
