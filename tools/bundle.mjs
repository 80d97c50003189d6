// Bundles src with the files *.browser.ts and the portable engine as ES modules with esbuild: for
// browsers (dist/browser), with WebAssembly as text, and for edge runtimes (dist/edge), with
// WebAssembly as files, because those compile no bytes.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build, transform } from 'esbuild';

import { root } from './steps.mjs';

const source = join(root, 'src');

/** The folder of modules as text, and the files with one each. */
const modules = 'src/portable/modules/';
export const moduleFiles = /[\\/]portable[\\/]modules[\\/][\w-]+\.ts$/;

/** The entry points for browsers, by name in package.json, and their modules. */
export const browserEntryPoints = {
  index: 'index',
  promises: 'promises',
  age: 'age',
  'aws-checksums': 'compat/aws-checksums',
  'bigint-hash': 'compat/bigint-hash',
  'bigint-buffer': 'compat/bigint-buffer',
  'crypto-async': 'compat/browser-crypto-async',
  'noble-hashes': 'compat/noble-hashes',
  'noble-ciphers': 'compat/noble-ciphers',
  ethers: 'compat/ethers',
  webcrypto: 'compat/webcrypto',
  portable: 'portable/entry',
  javascript: 'portable/javascript',
};

/** The imports of the modules of millrace/noble-hashes and millrace/noble-ciphers. */
const nobleModules = Object.fromEntries(
  [
    'original',
    ...readdirSync(join(source, 'compat', 'noble', 'modules')).map((file) => basename(file, '.ts')),
  ].map((name) => [
    `noble/${name}`,
    `compat/noble/${name === 'original' ? '' : 'modules/'}${name}`,
  ]),
);

/**
 * Modules that begin a chunk, so that bundlers can leave out what a page does not use: they omit
 * whole files, but keep classes and tables of option names within a file that they need.
 */
const chunkRoots = [
  'ciphers/create',
  'compat/noble/cipher-modules',
  'compat/noble/hash-modules',
  'functions/checksums',
  'functions/ciphers',
  'functions/derivations',
  'functions/digests',
  'functions/engines',
  'functions/hpke',
  'functions/parts',
  'functions/public-keys',
  'functions/running-signatures',
  'functions/settings',
  'hashers/create',
  'hashers/running',
  'operations/batch/jobs',
  'operations/cipher',
  'operations/hmac',
  'operations/key',
  'public-keys/keys',
  'streams/digest-stream',
  'streams/outboards',
  'streams/passphrase/pumps',
  'streams/sealed-parts',
  'streams/sealed-streams',
];

/** The syntax that all current browsers support. */
const target = ['es2022'];

/** Imports that esbuild leaves of chunks of which nothing is used. */
const bareImports = /(?<=^|;)import *"[^"]+";\n?/gm;

/** Writes dist/browser and dist/edge. Resolves to the files written, relative to dist. */
export async function bundleForWeb(dist) {
  const [browser, edge] = ['browser', 'edge'].map((name) => join(dist, name));
  const worker = workerSource(await workerText());
  const written = await bundleModules(browser, browserEntryPoints, [worker]);
  written.push(
    ...(await bundleForRequire(browser)),
    ...declarations(browser),
    licences(browser),
    ...(await bundleForEdge(edge)),
  );
  return written.map((path) => relative(dist, path));
}

/**
 * Writes the entry points for edge runtimes, which have no workers. Imports of modules/NAME.js
 * become imports of wasm/NAME.mjs, which gets a compiled module from the runtime.
 */
async function bundleForEdge(out) {
  const entryPoints = Object.fromEntries(
    Object.entries(browserEntryPoints).filter(([name]) => name !== APART),
  );
  const names = new Set();
  const written = await bundleModules(out, entryPoints, [workerSource(''), wasmFiles(names)], {
    minifySyntax: true,
    minifyWhitespace: true,
  });
  for (const name of names) {
    const text = readFileSync(join(root, modules, `${name}.ts`), 'utf8');
    const [, constant, literal] = /^export const (\w+): string =\s+(".*");$/m.exec(text);
    written.push(
      put(join(out, 'wasm', `${name}.wasm`), decode(JSON.parse(literal))),
      put(
        join(out, 'wasm', `${name}.mjs`),
        // Wrangler takes the name with and without the query, edge functions of Next.js only with
        // it.
        `export { default as ${constant} } from './${name}.wasm?module';\n`,
      ),
    );
  }
  written.push(put(join(out, 'LICENSES.txt'), 'The licences are in ../browser/LICENSES.txt.\n'));
  return written;
}

/** Replaces imports of modules, and collects their names. */
function wasmFiles(names) {
  return {
    name: 'WebAssembly as files',
    setup({ onResolve }) {
      onResolve({ filter: /\/modules\/[\w-]+\.js$/ }, ({ path, resolveDir }) => {
        if (!moduleFiles.test(join(resolveDir, path.replace(/js$/, 'ts')))) return undefined;
        const name = basename(path, '.js');
        names.add(name);
        return { path: `../wasm/${name}.mjs`, external: true, sideEffects: false };
      });
    },
  };
}

/** Decodes a module's text: `encode` in tools/wasm.mjs describes it. */
function decode(text) {
  const bytes = [];
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at++) - 32;
    bytes.push((code > 91 ? (code - 91) * 92 + text.charCodeAt(at++) - 32 : code) - 8);
  }
  return Uint8Array.from(bytes);
}

/** Writes entry points as ES modules with common chunks. */
async function bundleModules(out, entryPoints, plugins, options = {}) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    // One chunk for each module would make a page that uses one hash of millrace/portable 0.4 KB
    // smaller, and the package 140 files larger.
    entryPoints: {
      ...Object.fromEntries(
        Object.entries({ ...entryPoints, ...nobleModules }).map(([name, file]) => [
          `entries/${name}`,
          join('src', `${file}.ts`),
        ]),
      ),
      ...Object.fromEntries(chunkRoots.map((name) => [`roots/${name}`, join('src', `${name}.ts`)])),
    },
    outdir: out,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['millrace-source', 'browser'],
    target,
    write: false,
    legalComments: 'none',
    plugins,
    ...options,
  });
  // No module here has side effects, and other bundlers warn about such imports.
  const written = [];
  for (const { path, text } of outputFiles)
    if (!path.startsWith(join(out, 'roots')))
      written.push(put(path, await smaller(path, text.replace(bareImports, ''))));
  for (const name of Object.keys(entryPoints)) {
    // A default export as in Node.js. It is a namespace, not an object, so that bundlers can omit
    // what a page does not use.
    written.push(
      put(
        join(out, `${name}.mjs`),
        `export * from './entries/${name}.mjs';\nimport * as entry from ` +
          `'./entries/${name}.mjs';\nexport { entry as default };\n`,
      ),
    );
  }
  return written;
}

/**
 * The entry point that others must not load: it is large, and few pages need it. Node.js loads it
 * too.
 */
const APART = 'javascript';

/** Returns the text of a file, minified if it is that of {@link APART}: 2.5 MB instead of 8.6. */
async function smaller(path, text) {
  if (!basename(path).startsWith(`${APART}.`)) return text;
  return (await transform(text, { minify: true, target })).code;
}

/**
 * Writes the entry points as CommonJS, in one file (but that of {@link APART}), for tools that load
 * browser code in Node.js with `require`, such as Jest with jsdom. It has no source for workers,
 * which do not exist there. Bundlers use the ES modules.
 */
async function bundleForRequire(out) {
  const entryPoints = Object.entries(browserEntryPoints).filter(([name]) => name !== APART);
  /** @type {import('esbuild').BuildOptions & { write: false }} */
  const options = {
    absWorkingDir: root,
    inject: [join(source, 'base', 'text-codecs.browser.ts')],
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    conditions: ['millrace-source', 'browser'],
    target,
    write: false,
    legalComments: 'none',
    plugins: [workerSource('')],
  };
  const contents = (text) =>
    /** @type {const} */ ({ contents: text, resolveDir: source, loader: 'ts' });
  const [{ outputFiles }, apart] = await Promise.all([
    build({
      ...options,
      stdin: contents(
        entryPoints.map(([name, file]) => `export * as '${name}' from './${file}.js';`).join('\n'),
      ),
      outfile: join(out, 'entries', 'all.cjs'),
    }),
    build({
      ...options,
      stdin: contents(`export * from './${browserEntryPoints[APART]}.js';`),
      outfile: join(out, `${APART}.cjs`),
    }),
  ]);
  outputFiles.push(...apart.outputFiles);
  const files = [];
  for (const { path, text } of outputFiles) files.push(put(path, await smaller(path, text)));
  const shims = entryPoints.map(([name]) =>
    put(join(out, `${name}.cjs`), `module.exports = require('./entries/all.cjs')['${name}'];\n`),
  );
  return [...files, ...shims];
}

/**
 * Returns the script of workers. A worker that is started from a string needs no file and no
 * headers.
 */
async function workerText() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join('src', 'engines', 'worker.browser.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    conditions: ['millrace-source', 'browser'],
    target,
    write: false,
    legalComments: 'none',
    plugins: [workerSource(''), noModules],
  });
  return outputFiles[0].text;
}

/** Leaves out the texts of modules: a worker is sent what it runs. */
const noModules = {
  name: 'no modules',
  setup({ onLoad }) {
    onLoad({ filter: moduleFiles }, () => ({ contents: "export const module = '';" }));
  },
};

/** Replaces worker-source.browser.ts by the worker's script. */
function workerSource(worker) {
  return {
    name: 'worker source',
    setup({ onLoad }) {
      onLoad({ filter: /worker-source\.browser\.ts$/ }, () => ({
        contents: `export const source = ${JSON.stringify(worker)};\n`,
        loader: 'ts',
      }));
    },
  };
}

/** Writes the types: tsc's, in which `#platform` follows the condition `browser`. */
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

/** Writes the licences of the libraries in the modules to a folder. */
export function licences(out) {
  const text = readFileSync(join(root, modules, 'LICENSES.txt'), 'utf8');
  return put(join(out, 'LICENSES.txt'), `Compiled into the files of this folder:\n\n${text}`);
}

export function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
  return path;
}
