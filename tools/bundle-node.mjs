// Bundles src for Node.js with esbuild: CommonJS in a few files (dist/*.js), and ES modules for
// bundlers (dist/module).
//
// Nothing is minified, so stack traces have the names of the sources, and each part of a file
// begins with the name of its source. There are no source maps, which would double the size of the
// package.

import { readFileSync, readdirSync } from 'node:fs';
import { basename, join, posix, relative, sep } from 'node:path';
import { build } from 'esbuild';

import { licences, put } from './bundle.mjs';
import { root } from './steps.mjs';

const source = join(root, 'src');

/**
 * Modules that dist/core.js exports for the command and the tests, besides those of other files.
 */
const shownAlways = [
  'catalog/catalog',
  'catalog/catalog-table',
  'engines/binding',
  'base/frame',
  'scheduling/completions',
  'scheduling/cost-model',
  'streams/file-batch',
];

/** Files that are loaded on first use, and their modules. All other modules are in the core. */
const lateFiles = {
  'streams/sealed-streams': [
    'streams/sealed-streams',
    'streams/chunk-format',
    'streams/chunk-pump',
    'streams/open-range',
    'streams/sealed-file-header',
  ],
  'streams/passphrase/transforms': [
    'streams/passphrase/transforms',
    'streams/passphrase/pumps',
    'streams/passphrase/parameters',
    'streams/passphrase/derive-key',
  ],
  'streams/sealed-duplex': ['streams/sealed-duplex'],
  // These load node:crypto, which takes longer than the core.
  'compat/node-crypto/exports': [
    'compat/node-crypto/exports',
    'compat/node-crypto/callable-class',
    'compat/node-crypto/cipher',
    'compat/node-crypto/cipher-message',
    'compat/node-crypto/cipher-object',
    'compat/node-crypto/derivations',
    'compat/node-crypto/digester',
    'compat/node-crypto/hash',
    'compat/node-crypto/hmac',
    'compat/node-crypto/served-ciphers',
    'compat/node-crypto/served-hashes',
    'compat/node-crypto/serving',
    'compat/node-crypto/stream-message',
  ],
  // Node's functions are captured before millrace/register replaces them.
  'compat/node-crypto/original': [
    'compat/node-crypto/original',
    'compat/node-crypto/first-call',
    'compat/node-crypto/key-types',
  ],
  // One state for the register entry points.
  'compat/node-crypto/call-log-output': [
    'compat/node-crypto/call-log-output',
    'compat/node-crypto/call-log',
  ],
  'compat/register': ['compat/register'],
  'compat/webcrypto/subtle': [
    'compat/webcrypto',
    'compat/webcrypto/subtle',
    'compat/webcrypto/ciphers',
    'compat/webcrypto/derivations',
    'compat/webcrypto/dictionaries',
    'compat/webcrypto/digests',
    'compat/webcrypto/formats',
    'compat/webcrypto/keys',
    'compat/webcrypto/platform',
    'compat/webcrypto/run',
  ],
  'compat/register-webcrypto': ['compat/register-webcrypto'],
  'compat/noble/hash-modules': [
    'compat/noble-hashes',
    'compat/noble/hash-modules',
    'compat/noble/hash-objects',
    'compat/noble/derivations',
    'compat/noble/checks',
    'compat/noble/original',
    'compat/noble/parameters',
    'compat/noble/modules/_assert',
    'compat/noble/modules/argon2',
    'compat/noble/modules/blake2',
    'compat/noble/modules/blake3',
    'compat/noble/modules/crypto',
    'compat/noble/modules/hkdf',
    'compat/noble/modules/hmac',
    'compat/noble/modules/legacy',
    'compat/noble/modules/pbkdf2',
    'compat/noble/modules/scrypt',
    'compat/noble/modules/sha2',
    'compat/noble/modules/sha3',
    'compat/noble/modules/sha3-addons',
    'compat/noble/modules/byte-helpers',
    'compat/noble/algorithms.node',
    'compat/noble/derivation-engine.node',
    'compat/noble/hash-engine.node',
  ],
  'compat/noble/cipher-modules': [
    'compat/noble-ciphers',
    'compat/noble/cipher-modules',
    'compat/noble/cipher-objects',
    'compat/noble/key-wraps',
    'compat/noble/modules/aes',
    'compat/noble/modules/chacha',
    'compat/noble/cipher-engine.node',
  ],
};
const fileOf = Object.fromEntries(
  Object.entries(lateFiles).flatMap(([file, modules]) => modules.map((name) => [name, file])),
);

/** Folders whose modules are all in late files: in the core too they would have two states. */
const lateFolders = [
  'compat/noble',
  'compat/noble/modules',
  'compat/node-crypto',
  'compat/webcrypto',
  'streams/passphrase',
];

/** Fails for a module of these folders that no late file lists. */
function checkLateFolders() {
  for (const folder of lateFolders)
    for (const file of readdirSync(join(source, folder)).filter((each) =>
      /(?<!\.browser)\.ts$/.test(each),
    )) {
      const name = `${folder}/${file.replace(/\.ts$/, '')}`;
      if (!(name in fileOf)) throw new Error(`list ${name} in lateFiles of tools/bundle-node.mjs`);
    }
}

/** @satisfies {import('esbuild').BuildOptions} */
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: ['node20'],
  metafile: true,
  write: false,
  legalComments: 'none',
  // tsc checks the command, which loads dist/core.js. The sources are ES modules, which are strict;
  // esbuild drops that from CommonJS, where `arguments` would alias parameters, at 300 instructions
  // a call.
  banner: { js: "// @ts-nocheck\n'use strict';" },
  external: ['@millrace/*'],
  conditions: ['millrace-source'],
  inject: [join(source, 'base', 'text-codecs.node.ts')],
  define: {
    MILLRACE_VERSION: JSON.stringify(
      JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
    ),
  },
};

/**
 * Writes the entry points as one CommonJS file, dist/core.js, so that they load quickly and share
 * state, and the files that are loaded on first use. Resolves to the files, relative to dist.
 */
export async function bundleForNode(dist, entryPoints) {
  checkLateFolders();
  const inCore = entryPoints.filter((name) => !name.startsWith('portable/') && !(name in fileOf));
  const files = [];
  const shown = new Set(shownAlways);
  const bundle = async (file, contents, find) => {
    const { outputFiles, metafile } = await build({
      ...options,
      stdin: { contents, resolveDir: source, loader: 'ts' },
      outfile: join(dist, `${file}.js`),
      format: 'cjs',
      plugins: [parts(file, find), exportsByName],
    });
    files.push(...outputFiles.map(({ path, text }) => put(path, withClassNames(text))));
    return metafile;
  };
  await bundle('base/errors', "export * from './base/errors.js';", () => 'inside');
  for (const file of ['engines/portable.node', 'engines/worker.node'])
    await bundle(file, `export * from './${file}.js';`, (name) =>
      name === 'portable/worker' ? 'itself' : 'inside',
    );
  files.push(...(await bundlePortable(dist, bundle)));
  for (const [file, inside] of Object.entries(lateFiles)) {
    const contents = [
      `export * from './${file}.js';`,
      ...inside.map((name) => `export * as '${name}' from './${name}.js';`),
    ];
    await bundle(file, contents.join('\n'), (name) => {
      if (inside.includes(name)) return 'inside';
      if (!(name in fileOf)) shown.add(name);
      return fileOf[name] ?? 'core';
    });
  }
  const property = (name, index) =>
    `'${name}': ${name === 'compat/crypto-async' ? `entry${index}` : `copy(entry${index})`}`;
  const core = [
    ...inCore.map((name, index) =>
      name === 'compat/crypto-async'
        ? `import entry${index} from './${name}.js';`
        : `import * as entry${index} from './${name}.js';`,
    ),
    // Copies, because a namespace of esbuild has a getter for each name, which slows down each
    // call.
    "const copy = (names: object) => Object.defineProperty({ ...names }, '__esModule', { " +
      'value: true });',
    `export const entryPoints = { ${inCore.map(property).join(', ')} };`,
    ...[...shown].sort().map((name) => `export * as '${name}' from './${name}.js';`),
  ];
  await bundle('core', core.join('\n'), () => 'inside');
  return files.map((path) => relative(dist, path));
}

/** Writes the portable engine with its libraries. It shares request/errors with the core. */
async function bundlePortable(dist, bundle) {
  const names = ['binding', 'worker', 'entry'];
  const { inputs } = await bundle(
    'portable/engine',
    names.map((name) => `export * as ${name} from './portable/${name}.js';`).join('\n'),
    () => 'inside',
  );
  const shims = names.map((name) =>
    put(join(dist, 'portable', `${name}.js`), `module.exports = require('./engine.js').${name};\n`),
  );
  return [...shims, licences(join(dist, 'portable'), { inputs })];
}

/** Returns the name of an entry point in package.json. */
const publicName = (name) => (name === 'portable/entry' ? 'portable' : basename(name));

/** Writes ES modules for bundlers. `names` are the exports of crypto-async. */
export async function bundleForBundlers(dist, entryPoints, names) {
  const { outputFiles } = await build({
    ...options,
    entryPoints: Object.fromEntries(entryPoints.map((name) => [publicName(name), `entry:${name}`])),
    outdir: join(dist, 'module'),
    outExtension: { '.js': '.mjs' },
    chunkNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    conditions: ['millrace-source', 'module'],
    plugins: [moduleEntries(names), modulePlatform, exportsByName],
  });
  return outputFiles.map(({ path, text }) => relative(dist, put(path, withClassNames(text))));
}

/** Renames classes: esbuild names a class that refers to itself `_Name`, which users would see. */
function withClassNames(text) {
  return [...text.matchAll(/^(?:var | {2,})(\w+) = class _\1\b/gm)].reduce(
    (done, [, name]) => done.replaceAll(new RegExp(`\\b_${name}\\b`, 'g'), name),
    text,
  );
}

/**
 * Decides where modules are: `find` returns `'inside'` for a module in this file, `'itself'` for
 * one with its own file, or the name of another file.
 */
function parts(file, find) {
  const relativeTo = (name) => {
    const path = posix.relative(posix.dirname(file), `${name}.js`);
    return path.startsWith('.') ? path : `./${path}`;
  };
  return {
    name: 'parts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(\.\.?|#platform)\// }, ({ path, resolveDir, kind }) => {
        const target = path.startsWith('#platform/')
          ? join(source, path.slice('#platform/'.length).replace(/\.js$/, '.node.js'))
          : join(resolveDir, path);
        const inside = relative(source, target).split(sep).join('/');
        if (inside.startsWith('..')) return undefined;
        const name = inside.replace(/\.js$/, '');
        // It has only constants, which are inlined.
        if (name === 'base/protocol') return undefined;
        const place =
          kind === 'require-call' || (name === 'base/errors' && file !== 'base/errors')
            ? 'itself'
            : find(name);
        if (place === 'itself') return { path: relativeTo(name), external: true };
        return place === 'inside'
          ? undefined
          : { path: `${place}#${name}`, namespace: 'other file' };
      });
      onResolve({ filter: /./, namespace: 'other file' }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: 'other file' }, async ({ path }) => {
        const [other, name] = path.split('#');
        const names = await constantsOf(name);
        return {
          contents: [
            `const all = require(${JSON.stringify(relativeTo(other))})[${JSON.stringify(name)}];`,
            // Calls of a pure function: esbuild leaves out the constants that are not used.
            'const find = (name) => all[name];',
            ...names.map((each) => `export const ${each} = /* @__PURE__ */ find('${each}');`),
          ].join('\n'),
          resolveDir: join(source, posix.dirname(file)),
        };
      });
    },
  };
}

const constants = new Map();

/**
 * Returns the names that a module exports and that do not change. A file has those of other files
 * as constants: a namespace of esbuild has a getter for each name, which takes 6 ns a call.
 */
function constantsOf(name) {
  let found = constants.get(name);
  if (found === undefined) constants.set(name, (found = readConstants(name)));
  return found;
}

async function readConstants(name) {
  const path = join(source, `${name}.ts`);
  const { metafile } = await build({
    ...options,
    inject: [],
    entryPoints: [path],
    outfile: 'names.mjs',
    format: 'esm',
    plugins: [exportsByName],
  });
  const [{ exports }] = Object.values(metafile.outputs);
  const text = readFileSync(path, 'utf8');
  // An import of one that changes fails the build.
  return exports.filter((each) => !new RegExp(`^export let ${each}\\b`, 'm').test(text));
}

/** Replaces `export =`, which would turn the module and its imports into late CommonJS modules. */
const exportsByName = {
  name: 'exports by name',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]compat[\\/]crypto-async\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/^export = /m, 'export default '),
      loader: 'ts',
    }));
  },
};

/** The entry points as modules, each with a default export of all. */
function moduleEntries(names) {
  return {
    name: 'entry points',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^entry:/ }, ({ path }) => ({
        path: path.slice('entry:'.length),
        namespace: 'entry',
      }));
      onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
        contents:
          path === 'compat/crypto-async'
            ? `import entry from './${path}.js';\nexport const { ${names.join(', ')} } = ` +
              'entry;\nexport default entry;\n'
            : `import * as entry from './${path}.js';\nexport * from ` +
              `'./${path}.js';\nexport default entry;\n`,
        resolveDir: source,
        loader: 'ts',
      }));
    },
  };
}

/** Replaces late `require` calls by imports, except for the portable engine. */
const modulePlatform = {
  name: 'platform of modules',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]platform[\\/]node[\\/](sealed|hasher-stream)\.ts$/ }, ({ path }) => {
      const imports = [];
      const text = readFileSync(path, 'utf8').replace(
        /\brequire\('([^']+)'\)/g,
        (_, from) => `required${imports.push(from)}`,
      );
      return {
        contents:
          imports
            .map((from, index) => `import * as required${index + 1} from '${from}';\n`)
            .join('') + text,
        loader: 'ts',
      };
    });
  },
};
