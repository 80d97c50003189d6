// What esbuild makes of the front for browsers (dist/browser): ES modules, where src/platform has
// other files and the portable engine is compiled in with its libraries; their licences stand
// beside them.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

import { root } from './steps.mjs';

const source = join(root, 'src');

/** The doors that browsers have too, by the files of their modules. */
export const browserDoors = {
  index: 'index',
  promises: 'promises',
  'bigint-hash': 'bigint-hash',
  'bigint-buffer': 'bigint-buffer',
  'crypto-async': 'platform/browser-crypto-async',
  portable: 'portable/door',
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
      Object.entries(browserDoors).map(([door, file]) => [
        `doors/${door}`,
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
    target,
    metafile: true,
    write: false,
    legalComments: 'none',
    plugins: [browserPlatform(await workerText())],
  });
  // Of a chunk that is imported for nothing esbuild keeps the import; as no module here has effects
  // of its own, it is but a warning in the bundlers of others.
  const written = outputFiles.map(({ path, text }) =>
    put(path, text.replace(/^import "[^"]+";\n/gm, '')),
  );
  for (const door of Object.keys(browserDoors)) {
    // A default export as in Node.js. A namespace, not an object made of it: bundlers see through
    // that.
    written.push(
      put(
        join(out, `${door}.mjs`),
        `export * from './doors/${door}.mjs';\nimport * as door from './doors/${door}.mjs';\nexport { door as default };\n`,
      ),
    );
  }
  written.push(
    ...(await bundleForRequire(out)),
    ...declarations(dist, out),
    licences(out, metafile),
  );
  return written.map((path) => relative(dist, path));
}

/**
 * The same as CommonJS, one file for all entry points, for what runs code for browsers in Node.js
 * by `require`: Jest with jsdom. It has no source for workers, which do not exist there. Bundlers
 * take the ES modules, by the condition `module`.
 */
async function bundleForRequire(out) {
  const doors = Object.entries(browserDoors);
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: doors
        .map(([door, file]) => `export * as '${door}' from './${file}.js';`)
        .join('\n'),
      resolveDir: source,
      loader: 'ts',
    },
    outfile: join(out, 'doors', 'all.cjs'),
    inject: [join(source, 'platform', 'browser-text-codecs.ts')],
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    target,
    write: false,
    legalComments: 'none',
    plugins: [browserPlatform('')],
  });
  const shims = doors.map(([door]) =>
    put(join(out, `${door}.cjs`), `module.exports = require('./doors/all.cjs')['${door}'];\n`),
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
    entryPoints: [join('src', 'platform', 'browser-worker.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target,
    write: false,
    legalComments: 'none',
    plugins: [browserPlatform('')],
  });
  return outputFiles[0].text;
}

/**
 * Takes each `node-` file of src/platform for its `browser-` file, and puts the worker's text in
 * its place.
 */
function browserPlatform(worker) {
  return {
    name: 'browser platform',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\/node(-[\w-]+)?\.js$/ }, ({ path, resolveDir }) => {
        const file = join(resolveDir, path);
        if (dirname(file) !== join(source, 'platform')) return undefined;
        return {
          path: join(
            dirname(file),
            basename(file).replace(/^node/, 'browser').replace(/\.js$/, '.ts'),
          ),
          sideEffects: false,
        };
      });
      onLoad({ filter: /browser-worker-source\.ts$/ }, () => ({
        contents: `export const source = ${JSON.stringify(worker)};\n`,
        loader: 'ts',
      }));
    },
  };
}

/** The declarations that tsc has made, with the platform's types exchanged. */
function declarations(dist, out) {
  const types = join(out, 'types');
  const written = [];
  for (const file of readdirSync(dist, { recursive: true }).filter(
    (each) =>
      each.endsWith('.d.ts') &&
      !/^(browser|uplot)[\\/]|^bigint-\w+[\\/]|^crypto-async|platform[\\/]node|sealed-duplex/.test(
        each,
      ),
  )) {
    const text = readFileSync(join(dist, file), 'utf8').replace(
      /((?:\.\.?\/)+(?:platform\/)?)node((?:-[\w-]+)?\.js)/g,
      (all, folder, rest) =>
        folder.endsWith('platform/') || file.startsWith('platform')
          ? `${folder}browser${rest}`
          : all,
    );
    written.push(put(join(types, file), text));
  }
  for (const [door, file] of Object.entries(browserDoors)) {
    written.push(put(join(out, `${door}.d.cts`), `export * from './types/${file}.js';\n`));
    written.push(
      put(
        join(out, `${door}.d.mts`),
        `export * from './types/${file}.js';\nimport * as door from './types/${file}.js';\nexport { door as default };\n`,
      ),
    );
  }
  return written;
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
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
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
