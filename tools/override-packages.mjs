// Writes the packages that stand in for those of millrace/overrides: @millrace/tweetnacl,
// @millrace/noble-curves and @millrace/noble-post-quantum, for each major version of the original.
// The original itself is a dependency under another name. docs/overrides.md documents their use.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { projectFields, standInVersion } from './manifests.mjs';
import { root } from './steps.mjs';

const abstract = (names) => names.split(' ').map((name) => `abstract/${name}`);

/**
 * The packages by their folders: the original, the version that they have the interface of, and its
 * modules. Of those in `native` the named exports are Millrace's.
 */
const packages = {
  'tweetnacl-v0': { original: 'tweetnacl', like: '0.14' },
  'tweetnacl-v1': { original: 'tweetnacl', like: '1.0' },
  'noble-curves-v1': {
    original: '@noble/curves',
    like: '1.9',
    call: 'nobleCurves',
    native: {
      ed25519: 'ed25519 x25519',
      nist: 'p256 p384 p521 secp256r1 secp384r1 secp521r1',
      p256: 'p256 secp256r1',
      p384: 'p384 secp384r1',
      p521: 'p521 secp521r1',
      secp256k1: 'secp256k1 schnorr',
    },
    modules: [
      ...'index _shortw_utils bls12-381 bn254 ed448 jubjub misc pasta utils'.split(' '),
      ...abstract(
        'bls curve edwards fft hash-to-curve modular montgomery poseidon tower utils weierstrass',
      ),
    ],
  },
  'noble-curves-v2': {
    original: '@noble/curves',
    like: '2.4',
    call: 'nobleCurves',
    native: {
      ed25519: 'ed25519 x25519',
      nist: 'p256 p384 p521',
      secp256k1: 'secp256k1 schnorr',
    },
    modules: [
      ...'index bls12-381 bn254 ed448 misc utils webcrypto'.split(' '),
      ...abstract('bls curve der edwards fft frost hash-to-curve modular montgomery oprf'),
      ...abstract('poseidon tower weierstrass'),
    ],
  },
  'noble-post-quantum-v0': {
    original: '@noble/post-quantum',
    like: '0.7',
    call: 'noblePostQuantum',
    native: {
      'ml-kem': 'ml_kem512 ml_kem768 ml_kem1024',
      'ml-dsa': 'ml_dsa44 ml_dsa65 ml_dsa87',
    },
    modules: 'index _crystals falcon hybrid slh-dsa utils webcrypto'.split(' '),
  },
};

/** The folders of the packages below the folder of all packages. */
export const overrideFolders = Object.keys(packages);

/** Returns the function of a package of noble's and the exports that it replaces, by module. */
export function overrideOf(folder) {
  const { call, native } = packages[folder] ?? {};
  return call === undefined ? undefined : { call, natives: native };
}

/** Returns the name of a package. */
const nameOf = (folder) => `@millrace/${folder.replace(/-v\d$/, '')}`;

/** Returns the tag of a version: `latest` is the newest major version. */
export const overrideTag = (folder) =>
  nameOf(folder) === nameOf(overrideFolders[overrideFolders.indexOf(folder) + 1] ?? '')
    ? `latest-${folder.at(-1)}`
    : 'latest';

/** Writes the packages below `out`. */
export function writeOverridePackages(out, manifest, repository) {
  for (const [name, settings] of Object.entries(packages))
    writePackage(join(out, name), nameOf(name), settings, manifest, repository);
}

function writePackage(folder, name, settings, manifest, repository) {
  const { original, like } = settings;
  const renamed = `${name.slice('@millrace/'.length)}-original`;
  const write = (file, text) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const entries =
    settings.call === undefined
      ? writeTweetnacl(write, renamed)
      : writeNoble(write, renamed, settings);
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const range = like.startsWith('0') ? like : like.split('.')[0];
  write(
    'README.md',
    `${original} ${like} over millrace. Use it in the \`overrides\` of a program:\n\n\`\`\`json\n` +
      `{ "overrides": { "${original}@${range}": "npm:${name}@${range}" } }\n\`\`\`\n`,
  );
  const described = {
    name,
    version: standInVersion(like, manifest.version),
    description: `${original} ${like} over millrace, for overrides`,
    license: manifest.license,
    author: manifest.author,
    ...projectFields(repository),
    ...entries,
    engines: { node: /^(2|0\.7)/.test(like) ? '>=20.19' : '>=20' },
    dependencies: { millrace: manifest.version, [renamed]: `npm:${original}@^${like}.0` },
  };
  write('package.json', `${JSON.stringify(described, null, 2)}\n`);
}

/** Writes tweetnacl's files, each of which dependents load by its name; returns the entries. */
function writeTweetnacl(write, renamed) {
  const main = 'nacl-fast.js';
  const files = [main, 'nacl.js', 'nacl-fast.min.js', 'nacl.min.js'];
  for (const file of files)
    write(
      file,
      file === main
        ? `module.exports = require('millrace/overrides').tweetnacl(require('${renamed}'));\n`
        : `module.exports = require('./${main}');\n`,
    );
  write('browser.js', `module.exports = require('${renamed}');\n`);
  write('nacl.d.ts', `import nacl = require('${renamed}');\nexport = nacl;\n`);
  const browser = Object.fromEntries(files.map((file) => [`./${file}`, './browser.js']));
  return { main, types: 'nacl.d.ts', browser, files: [...files, 'browser.js', 'nacl.d.ts'] };
}

/** Writes a module for each of noble's; returns the entries of the package. */
function writeNoble(write, renamed, { like, call, native, modules }) {
  const isFirst = like.startsWith('1.');
  const exported = { './package.json': './package.json' };
  for (const path of [...Object.keys(native), ...modules]) {
    // The main module of both packages only says which to import.
    const from = path === 'index' ? renamed : `${renamed}/${path}${isFirst ? '' : '.js'}`;
    const all = `export * from '${from}';\n`;
    for (const end of ['d.ts', 'd.mts', 'browser.mjs']) write(`${path}.${end}`, all);
    const own = native[path];
    const loaded = `require('${from}')`;
    write(
      `${path}.js`,
      `module.exports = ${own ? `require('millrace/overrides').${call}(${loaded})` : loaded};\n`,
    );
    write(
      `${path}.mjs`,
      own
        ? `import * as original from '${from}';\nimport { ${call} } from 'millrace/overrides';\n` +
            `${all}export const { ${own.split(' ').join(', ')} } = ${call}(original);\n`
        : all,
    );
    const entry = {
      browser: { import: `./${path}.browser.mjs` },
      import: `./${path}.mjs`,
      require: `./${path}.js`,
    };
    if (path === 'index') exported['.'] = entry;
    if (path !== 'index' || isFirst) exported[`./${path}.js`] = entry;
    if (isFirst) exported[`./${path}`] = entry;
  }
  return {
    exports: exported,
    sideEffects: false,
    files: ['**/*.js', '**/*.mjs', '**/*.d.ts', '**/*.d.mts'],
  };
}
