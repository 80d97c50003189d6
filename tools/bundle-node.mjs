// Bundles src for Node.js with esbuild: CommonJS in a few files (dist/*.js), and ES modules for
// bundlers (dist/module).
//
// Nothing is minified, so stack traces have the names of the sources, and each part of a file
// begins with the name of its source. There are no source maps, which would double the size of the
// package.

import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { build, transform } from 'esbuild';

import { licences, moduleFiles, put } from './bundle.mjs';
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
];

/**
 * Files that are loaded at the first call of one of their functions, and their modules. A program
 * needs a part of src, and compiling all of it takes 7 ms. Other files have a function in place of
 * each of theirs, which loads the file.
 */
const firstCallFiles = {
  'compat/node-crypto/derivations': ['compat/node-crypto/derivations'],
  'functions/checksums': ['functions/checksums'],
  'functions/engines': ['functions/engines', 'functions/settings'],
  'functions/many': [
    'functions/many',
    'operations/batch/arguments',
    'operations/batch/iterable',
    'operations/batch/jobs',
    'operations/batch/messages',
    'operations/batch/pairs',
    'operations/batch/readers',
    'operations/batch/request',
    'operations/batch/sync',
  ],
  'functions/promises/many': ['functions/promises/many'],
  'functions/promises/outboards': ['functions/promises/outboards', 'streams/outboards'],
  'functions/promises/sealed': ['functions/promises/sealed'],
  'operations/committing': ['operations/committing'],
  'functions/parts': ['functions/parts', 'functions/promises/parts', 'operations/parts'],
  'functions/derivations': [
    'base/kdf-costs',
    'base/wrap-algorithms',
    'functions/derivations',
    'functions/key-wrap',
    'functions/promises/derivations',
    'functions/promises/key-wrap',
    ...kdfModules(),
  ],
  'public-keys/keys': [
    'base/secret-base64',
    'public-keys/ed25519-points',
    'public-keys/encodings',
    'public-keys/export',
    'public-keys/held-key',
    'public-keys/jwk',
    'public-keys/keys',
    'public-keys/platform-keys.node',
  ],
  'functions/public-keys': [
    'functions/key-pairs',
    'functions/hpke',
    'functions/many-signatures',
    'functions/public-keys',
    'functions/promises/hpke',
    'functions/promises/many-signatures',
    'functions/promises/public-keys',
    'functions/running-signatures',
    'operations/encapsulation',
    'operations/hpke',
    'operations/hpke-contexts',
    'operations/key-pairs',
    'operations/many-signatures',
    'operations/rsa-encryption',
    'operations/signatures',
  ],
  // An age file has mostly recipients of another kind.
  'streams/age/ssh': ['streams/age/hybrid', 'streams/age/ssh'],
  'streams/passphrase/derive-key': ['streams/passphrase/derive-key'],
  'streams/digest-stream': [
    'streams/digest-stream',
    'streams/file-batch',
    'streams/files.node',
    'streams/hash-files',
    'streams/hash-files-options',
    'streams/hash-transform',
  ],
};

/**
 * Modules of these files with exported calls. A program may keep their functions, so they are the
 * same before and after the first call. The functions of other modules are replaced by the loaded
 * ones, so that later calls take no longer.
 */
const exportedCalls = [
  'compat/node-crypto/derivations',
  'functions/checksums',
  'functions/derivations',
  'functions/engines',
  'functions/hpke',
  'functions/key-wrap',
  'functions/parts',
  'functions/promises/derivations',
  'functions/promises/hpke',
  'functions/promises/key-wrap',
  'functions/promises/outboards',
  'functions/promises/parts',
  'functions/promises/public-keys',
  'functions/promises/sealed',
  'functions/public-keys',
  'functions/running-signatures',
  'functions/settings',
  'public-keys/keys',
];

/** Entry points with files of their own, which others would load too. */
export const entryFiles = {
  'compat/aws-checksums': 'entries/aws-checksums',
  'compat/bigint-buffer': 'entries/bigint-hash',
  'compat/bigint-hash': 'entries/bigint-hash',
  'compat/crypto-async': 'entries/crypto-async',
  'compat/ethers': 'entries/ethers',
  promises: 'entries/promises',
};

/** The other modules of these files. */
const entryModules = {
  'entries/aws-checksums': ['compat/aws/crc-engine.node'],
  'entries/bigint-hash': ['engines/numbers.node'],
  'entries/crypto-async': [],
  'entries/ethers': ['compat/ethers.node'],
  'entries/promises': [
    'functions/promises/call',
    'functions/promises/ciphers',
    'functions/promises/digests',
    'functions/promises/hkdf',
    'functions/promises/verify',
    'functions/promises/verify-mac',
  ],
};

/** Files that are loaded with those that need them, and their modules. */
const lateFiles = {
  'base/crc': ['base/crc'],
  'operations/agreement': ['operations/agreement', 'operations/public-key-arguments'],
  'operations/expanding-key': ['operations/expanding-key'],
  'streams/range-reader': ['streams/range-reader'],
  'streams/sealed-streams': [
    'streams/sealed-streams',
    'streams/chunk-format',
    'streams/chunk-pump',
    'streams/open-range',
    'streams/sealed-file-header',
  ],
  'streams/passphrase/pumps': ['streams/passphrase/pumps', 'streams/passphrase/parameters'],
  'streams/sealed-duplex': ['streams/sealed-duplex'],
  'streams/sealed-parts': ['streams/sealed-parts'],
  'streams/age/pumps': [
    'age',
    'streams/age/armor',
    'streams/age/bech32',
    'streams/age/format',
    'streams/age/header',
    'streams/age/options',
    'streams/age/pumps',
    'streams/age/recipients',
    'streams/age/x25519',
  ],
  'compat/node-crypto/exports': ['compat/node-crypto/exports'],
  'compat/node-crypto/hashes': [
    'compat/node-crypto/hashes',
    'compat/node-crypto/callable-class',
    'compat/node-crypto/digester',
    'compat/node-crypto/hash',
    'compat/node-crypto/hmac',
    'compat/node-crypto/served-hashes',
    'compat/node-crypto/serving',
  ],
  'compat/node-crypto/ciphers': [
    'compat/node-crypto/ciphers',
    'compat/node-crypto/cipher',
    'compat/node-crypto/cipher-message',
    'compat/node-crypto/cipher-object',
    'compat/node-crypto/served-ciphers',
    'compat/node-crypto/stream-message',
  ],
  'compat/node-crypto/public-keys': [
    'compat/node-crypto/public-keys',
    'compat/node-crypto/asymmetric-keys',
    'compat/node-crypto/key-exchange',
    'compat/node-crypto/key-pairs',
    'compat/node-crypto/signatures',
  ],
  // It loads node:crypto, which takes 2 ms, and captures Node's functions before millrace/register
  // replaces them. One state for the register entry points.
  'compat/node-crypto/original': [
    'compat/node-crypto/original',
    'compat/node-crypto/first-call',
    'compat/node-crypto/key-types',
  ],
  // WebCrypto counts its calls without node:crypto.
  'compat/node-crypto/call-log-output': [
    'compat/node-crypto/call-log-output',
    'compat/node-crypto/call-log',
  ],
  'compat/register': ['compat/register'],
  // It captures the platform's methods before millrace/register-webcrypto replaces them.
  'compat/webcrypto/original': ['compat/webcrypto/original'],
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
    'compat/webcrypto/public-keys.node',
    'compat/webcrypto/run',
  ],
  'compat/webcrypto/asymmetric': ['compat/webcrypto/asymmetric'],
  'compat/overrides': [
    'compat/overrides',
    'compat/overrides/bytes',
    'compat/overrides/curves',
    'compat/overrides/ecdsa',
    'compat/overrides/post-quantum',
    'compat/overrides/tweetnacl',
    'operations/raw-keys',
  ],
  'compat/register-webcrypto': ['compat/register-webcrypto'],
  'compat/noble/hash-modules': [
    'compat/noble-hashes',
    'compat/noble.node',
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
    'compat/noble/derive-by-parser',
    'compat/noble/password-engine.node',
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

/** The file of each module that is not in the core. */
const fileOf = {
  ...entryFiles,
  ...Object.fromEntries(
    Object.entries({ ...firstCallFiles, ...entryModules, ...lateFiles }).flatMap(
      ([file, modules]) => modules.map((name) => [name, file]),
    ),
  ),
};

/** Folders with all modules in late files: in the core too they would have two states. */
const lateFolders = [
  'compat/noble',
  'compat/noble/modules',
  'compat/node-crypto',
  'compat/overrides',
  'compat/webcrypto',
  'operations/batch',
  'streams/age',
  'streams/passphrase',
];

/** Returns the modules of src/kdf, but the comparison of secrets, which the core has. */
function kdfModules() {
  return readdirSync(join(source, 'kdf')).map((file) => `kdf/${basename(file, '.ts')}`);
}

/** Fails for a module of these folders that no file lists. */
function checkLateFolders() {
  for (const folder of lateFolders)
    for (const file of readdirSync(join(source, folder)).filter((each) =>
      /(?<!\.browser)\.ts$/.test(each),
    )) {
      const name = `${folder}/${file.replace(/\.ts$/, '')}`;
      if (!(name in fileOf)) throw new Error(`list ${name} in tools/bundle-node.mjs`);
    }
}

/** @satisfies {import('esbuild').BuildOptions} */
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: ['node20'],
  write: false,
  // Bundlers keep the one that says what to copy beside a bundle.
  legalComments: 'inline',
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
 * Writes dist/core.js, one CommonJS file with what most programs need, and the files that are
 * loaded with it or later. All share one state. Resolves to the files, relative to dist.
 */
export async function bundleForNode(dist, entryPoints) {
  checkLateFolders();
  const files = [];
  const shown = new Set(shownAlways);
  const bundle = async (file, contents, find, { footer = '', plugins = [] } = {}) => {
    const { outputFiles } = await build({
      ...options,
      stdin: { contents, resolveDir: source, loader: 'ts' },
      outfile: join(dist, `${file}.js`),
      footer: { js: footer },
      format: 'cjs',
      plugins: [
        unpollutedOnce,
        ...plugins,
        parts(file, find),
        exportsByName,
        catalogAsJson,
        lateRequires,
      ],
    });
    files.push(...outputFiles.map(({ path, text }) => put(path, finished(text))));
  };
  await bundle('base/errors', "export * from './base/errors.js';", () => 'inside');
  for (const file of ['engines/portable.node', 'engines/worker.node'])
    await bundle(file, `export * from './${file}.js';`, (name) =>
      name === 'portable/worker' ? 'itself' : 'inside',
    );
  // `millrace sum` needs a fifth of the core, and has its own copy: it starts 7 ms earlier.
  const forSum = [
    "import { findHash, getHashes, hashFacts } from './catalog/catalog.js';",
    'import { Answers, hashPath, hashPaths, hashPathsSync, workers } ' +
      "from './streams/file-batch.js';",
    'export const calls = { findHash, getHashes, hashFacts, Answers, hashPath, hashPaths, ' +
      'hashPathsSync, workers };',
  ];
  await bundle('entries/sum', forSum.join('\n'), () => 'inside');
  files.push(...(await bundlePortable(dist, bundle)));
  const shownByEntries = new Set();
  const findFrom = (file) => (name) => {
    if (fileOf[name] === file) return 'inside';
    if (!(name in fileOf)) shown.add(name);
    else if (fileOf[name] in entryModules) shownByEntries.add(name);
    return fileOf[name] ?? 'core';
  };
  for (const [file, inside] of Object.entries({ ...firstCallFiles, ...lateFiles })) {
    const contents = inside.map((name) => `export * as '${name}' from './${name}.js';`);
    // The modules that load a file with \`require\` use its names.
    if (file in lateFiles || file === 'compat/node-crypto/derivations')
      contents.unshift(`export * from './${file}.js';`);
    await bundle(file, contents.join('\n'), findFrom(file));
  }
  for (const file of Object.keys(entryModules)) {
    const names = entryPoints.filter((name) => entryFiles[name] === file);
    const contents = [
      await objectsOf('entryPoints', names),
      ...entryModules[file]
        .filter((name) => shownByEntries.has(name))
        .map((name) => `export * as '${name}' from './${name}.js';`),
    ];
    await bundle(file, contents.join('\n'), findFrom(file));
  }
  const inCore = entryPoints.filter((name) => !name.startsWith('portable/') && !(name in fileOf));
  const core = [
    await objectsOf('entryPoints', inCore),
    await objectsOf('modules', [...shown].sort()),
    'export const coreExports = Object.defineProperty(modules, "entryPoints", { value: ' +
      'entryPoints });',
  ];
  await bundle('core', core.join('\n'), (name) => fileOf[name] ?? 'inside', {
    footer: 'module.exports = coreExports;',
  });
  return files.map((path) => relative(dist, path));
}

/**
 * Returns the text of an object with a property for each module: an object with its exports, made
 * when it is read. A namespace of esbuild has a getter for each name, which is slower to make and
 * to call.
 */
async function objectsOf(constant, names) {
  const imports = [];
  const properties = [];
  for (const [index, name] of names.entries()) {
    if (name === 'compat/crypto-async') {
      imports.push(`import entry${index} from './${name}.js';`);
      properties.push(`get '${name}'() { return entry${index}; },`);
      continue;
    }
    const { fixed, changing } = await exportsOf(name);
    const own = (each) => `${constant}${index}_${each}`;
    const all = [...fixed, ...changing].sort();
    imports.push(
      `import { ${all.map((each) => `${each} as ${own(each)}`).join(', ')} } from './${name}.js';`,
    );
    const members = all.map((each) =>
      changing.includes(each) ? `get ${each}() { return ${own(each)}; }` : `${each}: ${own(each)}`,
    );
    properties.push(
      `get '${name}'() { return Object.defineProperty({ ${members.join(', ')} }, '__esModule', ` +
        '{ value: true }); },',
    );
  }
  return `${imports.join('\n')}\nexport const ${constant} = {\n${properties.join('\n')}\n};`;
}

/**
 * Writes the portable engine with its libraries. It shares base/errors with the core. Each
 * WebAssembly module is a file, which is loaded when it is compiled.
 */
async function bundlePortable(dist, bundle) {
  const names = ['binding', 'worker', 'entry'];
  const files = [];
  await bundle(
    'portable/engine',
    names.map((name) => `export * as ${name} from './portable/${name}.js';`).join('\n'),
    () => 'inside',
    { plugins: [modulesApart(join(dist, 'portable', 'modules'), files)] },
  );
  const shims = names.map((name) =>
    put(join(dist, 'portable', `${name}.js`), `module.exports = require('./engine.js').${name};\n`),
  );
  return [...files, ...shims, licences(join(dist, 'portable'))];
}

/** Writes the texts of WebAssembly modules to a folder, and replaces them by functions. */
function modulesApart(folder, files) {
  return {
    name: 'modules apart',
    setup({ onLoad }) {
      onLoad({ filter: moduleFiles }, ({ path }) => {
        const name = basename(path, '.ts');
        const [, constant, literal] = /^export const (\w+): string =\s+(".*");$/m.exec(
          readFileSync(path, 'utf8'),
        );
        files.push(
          put(join(folder, `${name}.js`), `'use strict';\nexports.${constant} =\n  ${literal};\n`),
        );
        return {
          contents: [
            importUnpolluted,
            `export const ${constant} = () =>`,
            `  unpolluted(() => require('./${name}.js').${constant});`,
          ].join('\n'),
          resolveDir: dirname(path),
        };
      });
    },
  };
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
  return outputFiles.map(({ path, text }) => relative(dist, put(path, finished(text))));
}

const finished = (text) => withOwnProperties(withClassNames(text));

/**
 * Makes esbuild's helpers ignore Object.prototype, to which another package may have added
 * properties before a file is loaded, at the first call of a function.
 */
function withOwnProperties(text) {
  return text
    .replace(
      /for \(var name in (\w+)\)(\s+)__defProp\(target, name, \{ get/,
      'for (const name of Object.keys($1))$2__defProp(target, name, { __proto__: null, get',
    )
    .replace('__defProp(to, key, { get:', '__defProp(to, key, { __proto__: null, get:')
    .replaceAll('"__esModule", { value: true }', '"__esModule", { __proto__: null, value: true }');
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
          kind === 'require-call'
            ? 'itself'
            : name === 'base/errors' && file !== name
              ? name
              : find(name);
        if (place === 'itself') return { path: relativeTo(name), external: true };
        return place === 'inside'
          ? undefined
          : { path: `${place}#${name}`, namespace: 'other file' };
      });
      onResolve({ filter: /./, namespace: 'other file' }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: 'other file' }, async ({ path }) => {
        const [other, name] = path.split('#');
        const property = other === 'base/errors' ? '' : `[${JSON.stringify(name)}]`;
        const required = `require(${JSON.stringify(relativeTo(other))})${property}`;
        const { fixed } = await exportsOf(name);
        return {
          contents:
            other in firstCallFiles
              ? await loadingCalls(name, required, file === 'core' ? [] : fixed)
              : constants(`const all = ${required};`, fixed),
          resolveDir: join(source, posix.dirname(file)),
        };
      });
    },
  };
}

/**
 * Returns a module with the exports of another file as constants: a namespace of esbuild has a
 * getter for each name, which takes 6 ns a call.
 */
function constants(begin, names) {
  return [
    begin,
    // Calls of a pure function: esbuild leaves out the constants that are not used.
    'const find = (name) => all[name];',
    ...names.map((each) => `export const ${each} = /* @__PURE__ */ find('${each}');`),
  ].join('\n');
}

/** What a module imports from the plugin {@link unpollutedOnce}. */
const importUnpolluted = "import { unpolluted } from 'unpolluted';";

/**
 * Calls `load` while Object.prototype and Array.prototype have nothing that programs added:
 * Node.js 20 finds package.json files that do not exist by an index there, and fails at a `signal`.
 * What languages define is not enumerable.
 */
const unpolluted = `export const unpolluted = (load) => {
  const saved = [];
  for (const prototype of [Array.prototype, Object.prototype])
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const found = Object.getOwnPropertyDescriptor(prototype, name);
      if (found.enumerable || /^\\d+$/.test(name)) {
        Object.defineProperty(saved, saved.length, {
          __proto__: null,
          value: [prototype, name, Object.setPrototypeOf(found, null)],
          enumerable: true,
        });
        Reflect.deleteProperty(prototype, name);
      }
    }
  try {
    return load();
  } finally {
    for (const [prototype, name, found] of saved) Object.defineProperty(prototype, name, found);
  }
};`;

/** Puts this function into a file once. */
const unpollutedOnce = {
  name: 'unpolluted',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^unpolluted$/ }, ({ path }) => ({ path, namespace: 'unpolluted' }));
    onLoad({ filter: /./, namespace: 'unpolluted' }, () => ({ contents: unpolluted }));
  },
};

/**
 * Loads files that a module requires by itself, at its first call, in the same way, and once: the
 * search for what programs added takes 4 us.
 */
const lateRequires = {
  name: 'late requires',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const places = [];
      const wrapped = text.replace(/\brequire\('\.[^']+'\)/g, (load) => {
        const place = `$late${places.length}`;
        places.push(place);
        return `(${place} ??= unpolluted(() => ${load}))`;
      });
      const contents = `${importUnpolluted}\nlet ${places.join(', ')};\n${wrapped}`;
      if (places.length > 0) return { contents, loader: 'ts', resolveDir: dirname(path) };
    });
  },
};

/**
 * Returns a module with the functions of another file, which load it at the first call. Others of
 * its `names` are constants, for which it is loaded at once; the core must not import them.
 */
async function loadingCalls(name, required, names) {
  const calls = await functionsOf(name);
  const isCall = new Set(calls.map((each) => each.name));
  const lines = [
    importUnpolluted,
    'let $loaded;',
    `const $all = () => ($loaded ??= unpolluted(() => ${required}));`,
  ];
  for (const { name: call, parameters } of calls) {
    const own = `$${call}`;
    const head = `${own} = function ${call}(${parameters.join(', ')})`;
    lines.push(
      ...(exportedCalls.includes(name)
        ? [
            `let ${own}Loaded;`,
            `const ${head} { return (${own}Loaded ??= $all().${call}).apply(this, arguments); };`,
          ]
        : [`let ${head} { ${own} = $all().${call}; return ${own}.apply(this, arguments); };`]),
      `export { ${own} as ${call} };`,
    );
  }
  lines.push('const find = (name) => $all()[name];');
  for (const each of names)
    if (!isCall.has(each)) lines.push(`export const ${each} = /* @__PURE__ */ find('${each}');`);
  return lines.join('\n');
}

/**
 * Returns the functions that a module exports, with the names of their parameters: of those before
 * a default value and a rest, which are the function's length.
 */
async function functionsOf(name) {
  // esbuild leaves out overloads, and writes parameters on one line.
  const text = readFileSync(join(source, `${name}.ts`), 'utf8');
  const { code } = await transform(text, { loader: 'ts', target: 'esnext' });
  return [...code.matchAll(/^export (?:async )?function\*? (\w+)\((.*)\) \{$/gm)].map(
    ([, own, parameters]) => {
      const names = parameters === '' ? [] : parameters.split(', ');
      const end = names.findIndex((each) => !/^\w+$/.test(each));
      return { name: own, parameters: end === -1 ? names : names.slice(0, end) };
    },
  );
}

let everyExport;

/** Returns the names that a module exports: those that do not change, and those that do. */
async function exportsOf(name) {
  const exports = (await (everyExport ??= readExports())).get(name);
  const text = readFileSync(join(source, `${name}.ts`), 'utf8');
  const changes = (each) => new RegExp(`^export let ${each}\\b`, 'm').test(text);
  // An import of one that changes by another file fails the build.
  return {
    fixed: exports.filter((each) => !changes(each)),
    changing: exports.filter(changes),
  };
}

/** Resolves to the names that each module exports, by the module's path in src. */
async function readExports() {
  const modules = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!portable.modules.).*(?<!\.browser|\.d)\.ts$/.test(file),
  );
  const { metafile } = await build({
    ...options,
    metafile: true,
    inject: [],
    entryPoints: modules.map((file) => join(source, file)),
    outdir: 'names',
    format: 'esm',
    splitting: true,
    plugins: [exportsByName, modulesLeft],
  });
  return new Map(
    Object.values(metafile.outputs)
      .filter(({ entryPoint }) => entryPoint !== undefined)
      .map(({ entryPoint, exports }) => [entryPoint.replace(/^src\/|\.ts$/g, ''), exports]),
  );
}

/** Leaves out the texts of WebAssembly modules: two megabytes. */
const modulesLeft = {
  name: 'modules left',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/modules\// }, ({ path, resolveDir }) =>
      basename(resolveDir) === 'portable' ? { path, external: true } : undefined,
    );
  },
};

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

/**
 * Replaces the catalog's table by its JSON, which takes 0.25 ms to load instead of 0.8, and has
 * entries with one hidden class.
 */
const catalogAsJson = {
  name: 'catalog as JSON',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]catalog[\\/]catalog-table\.ts$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'ts' });
      const table = await import(`data:text/javascript,${encodeURIComponent(code)}`);
      const parsed = (value) =>
        `/* @__PURE__ */ JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
      return {
        contents: [
          `export const parameterNumbers = ${JSON.stringify(table.parameterNumbers)};`,
          `export const hashes = ${parsed(table.hashes)};`,
          `export const ciphers = ${parsed(table.ciphers)};`,
          // As in the module: no prototype, from which names of options could be inherited.
          'for (const facts of hashes) if (facts.parameters !== null) ' +
            'facts.parameters = { ...facts.parameters, __proto__: null };',
        ].join('\n'),
      };
    });
  },
};

/** Returns the entry points as modules, each with a default export of all. */
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
