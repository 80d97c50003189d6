// Writes the packages that stand in for the AWS SDK's checksums in `overrides`:
// @millrace/aws-crc32, aws-crc32c and aws-crc64-nvme have the names of @aws-crypto/crc32,
// @aws-crypto/crc32c and @aws-sdk/crc64-nvme; @millrace/aws-checksums has the sub-paths of
// @aws-sdk/checksums, which is its dependency under another name. docs/aws-checksums.md documents
// their use.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFields, standInVersion } from './manifests.mjs';
import { root } from './steps.mjs';

const ENTRY = 'millrace/aws-checksums';
const ORIGINAL = 'aws-checksums-original';

/**
 * The packages: what each replaces, the version with its names, and these names.
 *
 * @type {Record<string, [original: string, like: string, names: string[]]>}
 */
const single = {
  'aws-crc32': ['@aws-crypto/crc32', '5.2', ['AwsCrc32', 'Crc32', 'crc32']],
  'aws-crc32c': ['@aws-crypto/crc32c', '5.2', ['AwsCrc32c', 'Crc32c', 'crc32c']],
  'aws-crc64-nvme': ['@aws-sdk/crc64-nvme', '3.972', ['Crc64Nvme', 'crc64NvmeCrtContainer']],
};

const crc64 = ['Crc64Nvme', 'Crc64NvmeJs', 'crc64NvmeCrtContainer'];

/**
 * The names of each sub-path of @aws-sdk/checksums that are not the original's.
 *
 * @type {Record<string, string[]>}
 */
const replaced = {
  index: [...crc64, 'resolveFlexibleChecksumsConfig'],
  crc: ['Crc32', 'Crc32Node', 'Crc32c', 'Crc32cJs', 'Crc32cNode', ...crc64],
  'flexible-checksums': ['resolveFlexibleChecksumsConfig'],
  md5: [],
  sha: [],
  xxh: [],
};

/** The folders of the packages below the folder of all packages. */
export const awsFolders = [...Object.keys(single), 'aws-checksums'];

/**
 * Returns the module of @millrace/aws-checksums with what is not the original's: CommonJS for
 * Node.js, and an ES module for bundles for browsers.
 */
function ownModule(forNode) {
  const from = (names, module) =>
    forNode
      ? `const { ${names.replaceAll(' as ', ': ')} } = require('${module}');\n`
      : `import { ${names} } from '${module}';\n`;
  const crcs = 'Crc32cJs, Crc64Nvme, Crc64NvmeJs, crc64NvmeCrtContainer';
  const renamed = [
    'Crc32 = Crc32Node',
    'Crc32c = Crc32cJs',
    ...(forNode ? ['Crc32cNode = Crc32cJs'] : []),
  ];
  const shown = `Crc32Node, ${crcs}, resolveFlexibleChecksumsConfig`.split(', ');
  const exported = [
    ...shown.map((name) => [name, name]),
    ...renamed.map((each) => each.split(' = ')),
  ];
  return (
    from(`${crcs}, overCrc32`, ENTRY) +
    from('Crc32 as Original', `${ORIGINAL}/crc`) +
    from('resolveFlexibleChecksumsConfig as resolve', `${ORIGINAL}/flexible-checksums`) +
    `
const Crc32Node = overCrc32(Original);
// Inherited, so that the client sees no algorithm that the program has not added.
const algorithms = { CRC32: Crc32Node, CRC32C: Crc32cJs, CRC64NVME: Crc64Nvme };
const resolveFlexibleChecksumsConfig = (input) => {
  const config = resolve(input);
  const given = config.checksumAlgorithms;
  config.checksumAlgorithms = Object.assign(Object.create(algorithms), given);
  return config;
};
` +
    (forNode
      ? exported.map(([name, value]) => `exports.${name} = ${value};\n`).join('')
      : `export { ${exported.map(([name, value]) => `${value} as ${name}`).join(', ')} };\n`)
  );
}

/** Writes the packages below `out`. */
export function writeAwsPackages(out, manifest, repository) {
  for (const [name, [original, like, names]] of Object.entries(single)) {
    const files = {
      'index.js':
        `const all = require('${ENTRY}');\n` +
        names.map((each) => `exports.${each} = all.${each};\n`).join(''),
      'index.mjs': `export { ${names.join(', ')} } from '${ENTRY}';\n`,
      ...typed('index', `export { ${names.join(', ')} } from '${ENTRY}';\n`),
    };
    const exported = { '.': { import: './index.mjs', require: './index.js' } };
    writePackage(join(out, name), { name, original, like, files, exported }, manifest, repository);
  }
  const files = { 'own.js': ownModule(true), 'own.browser.mjs': ownModule(false) };
  const exported = {};
  for (const [path, names] of Object.entries(replaced)) {
    const place = path === 'index' ? '' : `/${path}`;
    const theirs = `${ORIGINAL}${place}`;
    const assign = names.map((each) => `exports.${each} = own.${each};\n`).join('');
    files[`${path}.js`] =
      `Object.assign(exports, require('${theirs}'));\n` +
      (names.length === 0 ? '' : `const own = require('./own.js');\n${assign}`);
    const module = (list, file) =>
      (list.length === 0 ? '' : `export { ${list.join(', ')} } from './${file}';\n`) +
      `export * from '${theirs}';\n`;
    files[`${path}.mjs`] = module(names, 'own.js');
    // In browsers the names with `Node` are the original's symbols.
    const everywhere = names.filter((each) => !each.endsWith('Node'));
    files[`${path}.browser.mjs`] = module(everywhere, 'own.browser.mjs');
    Object.assign(files, typed(path, `export * from '${theirs}';\n`));
    exported[`.${place}`] = {
      browser: `./${path}.browser.mjs`,
      'react-native': `./${path}.browser.mjs`,
      import: `./${path}.mjs`,
      require: `./${path}.js`,
    };
  }
  const original = '@aws-sdk/checksums';
  const about = { name: 'aws-checksums', original, like: '3.1002', files, exported };
  const needed = { [ORIGINAL]: `npm:${original}@^${about.like}.0` };
  writePackage(join(out, about.name), about, manifest, repository, needed);
}

/** Returns the types of a module, for `import` and for `require`. */
const typed = (path, text) => ({ [`${path}.d.mts`]: text, [`${path}.d.ts`]: text });

function writePackage(
  folder,
  { name, original, like, files, exported },
  manifest,
  repository,
  needed = {},
) {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const override = `{ "overrides": { "${original}": "npm:@millrace/${name}@${like[0]}" } }`;
  writeFileSync(
    join(folder, 'README.md'),
    `${original} ${like} over millrace. Use it in the \`overrides\` of a program:\n\n` +
      `\`\`\`json\n${override}\n\`\`\`\n`,
  );
  const described = {
    name: `@millrace/${name}`,
    version: standInVersion(like, manifest.version),
    description: `${original} ${like} over millrace, for overrides`,
    license: manifest.license,
    author: manifest.author,
    ...projectFields(repository),
    main: './index.js',
    types: './index.d.ts',
    exports: { ...exported, './package.json': './package.json' },
    sideEffects: false,
    files: ['*.js', '*.mjs', '*.d.ts', '*.d.mts'],
    engines: { node: '>=20' },
    dependencies: { millrace: manifest.version, ...needed },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
}
