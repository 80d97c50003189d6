// Writes the packages that stand in for @noble/hashes and @noble/ciphers in `overrides`:
// @millrace/noble-hashes and @millrace/noble-ciphers, each in a version 1 and a version 2. Each
// module re-exports one of Millrace's; noble itself is a dependency under another name, for what
// Millrace lacks. docs/noble-and-ethers.md documents their use.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { nobleExports } from './noble-modules.mjs';
import { projectFields, standInVersion } from './manifests.mjs';
import { root } from './steps.mjs';

/**
 * The version of noble with the interface of each package, the sub-paths that are noble's, and
 * those of older versions; that version of noble lacks their types.
 */
const majors = {
  'noble-hashes': {
    v1: { like: '1.8', own: ['_md'], older: ['_assert', '_sha2'] },
    v2: { like: '2.4', own: ['_md'] },
  },
  'noble-ciphers': {
    v1: { like: '1.3', own: ['_micro'] },
    v2: { like: '2.4', own: [] },
  },
};

/** The folders of the packages below the folder of all packages. */
export const nobleFolders = Object.keys(majors).flatMap((name) =>
  ['v1', 'v2'].map((major) => `${name}-${major}`),
);

/**
 * Returns the tag of a version: `latest` is version 2. npm refuses `v1`, as it is a range of
 * versions.
 */
export const nobleTag = (folder) => (folder.endsWith('-v1') ? 'latest-1' : 'latest');

/** Writes the packages below `out`. */
export async function writeNoblePackages(out, manifest, repository) {
  const all = await nobleExports(join(root, 'dist'));
  for (const [name, versions] of Object.entries(majors))
    for (const [major, settings] of Object.entries(versions))
      writePackage(join(out, `${name}-${major}`), name, major, settings, all, manifest, repository);
}

function writePackage(folder, name, major, { like, own, older = [] }, all, manifest, repository) {
  const scope = name.slice('noble-'.length);
  const original = `noble-${scope}-original`;
  const modules = all[name][major];
  const other = all[name][major === 'v1' ? 'v2' : 'v1'];
  const from = (path) => `millrace/${name}/${major === 'v1' ? 'v1/' : ''}${path}.js`;
  const exported = { './package.json': './package.json' };
  const write = (file, text) => writeFileSync(join(folder, file), text);
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const [path, found] of Object.entries(modules)) {
    const names = Object.keys(found);
    const list = names.filter((each) => each !== 'default').join(', ');
    const typed = older.includes(path) ? from(path) : `${original}/${path}.js`;
    write(
      `${path}.js`,
      `require('#original');\nmodule.exports = require('${from(path)}');\n` +
        `0 && (module.exports = { ${list} });\n`,
    );
    write(
      `${path}.mjs`,
      `import '#original';\nexport { ${names.join(', ')} } from '${from(path)}';\n`,
    );
    // noble's types, which dependents are written against.
    write(`${path}.d.ts`, `export * from '${typed}';\n`);
    write(`${path}.d.mts`, `export * from '${typed}';\n`);
    write(`${path}.browser.mjs`, bundledModule(path, found, name, major, original, false));
    write(`${path}.module.mjs`, bundledModule(path, found, name, major, original, true));
    exported[`./${path}.js`] = {
      browser: { import: `./${path}.browser.mjs` },
      // Bundlers set this condition.
      node: { module: `./${path}.module.mjs` },
      import: `./${path}.mjs`,
      require: `./${path}.js`,
    };
  }
  for (const path of own) {
    write(`${path}.js`, `module.exports = require('${original}/${path}.js');\n`);
    write(`${path}.mjs`, `export * from '${original}/${path}.js';\n`);
    write(`${path}.d.ts`, `export * from '${original}/${path}.js';\n`);
    write(`${path}.d.mts`, `export * from '${original}/${path}.js';\n`);
    exported[`./${path}.js`] = { import: `./${path}.mjs`, require: `./${path}.js` };
  }
  // Version 1 has both forms of a sub-path; version 2 only that with `.js`, so that a dependent
  // without it was written for version 1.
  const plain = (path) => [`./${path}`, exported[`./${path}.js`]];
  const bare = [...Object.keys(modules), ...own];
  if (major === 'v1') Object.assign(exported, Object.fromEntries(bare.map(plain)));
  const strange = [
    ...(major === 'v1' ? [] : Object.keys({ ...other, ...modules }).map((path) => `./${path}`)),
    ...Object.keys(other)
      .filter((path) => !(path in modules))
      .map((path) => `./${path}.js`),
  ].filter((path) => !(path in exported));
  for (const path of strange) exported[path] = './wrong-version.js';
  write('wrong-version.js', wrongVersion(name, major, scope));
  write('original.js', originalModule(name, major, original, scope));
  write('README.md', readme(name, scope, like));
  const described = {
    name: `@millrace/${name}`,
    version: standInVersion(like, manifest.version),
    description: `@noble/${scope} ${like} over millrace, for overrides`,
    license: manifest.license,
    author: manifest.author,
    ...projectFields(repository),
    exports: exported,
    imports: { '#original': './original.js' },
    // Bundlers leave out a module of which nothing is used.
    sideEffects: ['./original.js', './wrong-version.js'],
    files: ['*.js', '*.mjs', '*.d.ts', '*.d.mts'],
    engines: { node: major === 'v1' ? '>=20' : '>=20.19' },
    dependencies: {
      millrace: manifest.version,
      [original]: `npm:@noble/${scope}@^${like}.0`,
    },
  };
  write('package.json', `${JSON.stringify(described, null, 2)}\n`);
}

function originalModule(name, major, original, scope) {
  const number = major.slice(1);
  return `// Tells Millrace where noble itself is, for what Millrace lacks.
const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { knownNoble, useNoble } = require('millrace/${name}');
const { name, version } = require('./package.json');

useNoble('${scope}', ${number}, (path) => require(\`${original}/\${path}.js\`));

const folder = dirname(require.resolve('${original}/utils.js'));
const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
const [first, last] = knownNoble.${scope}[${number}].split(' to ');
const number = (text) => text.split('.').slice(0, 2).reduce((all, each) => all * 1000 + +each, 0);
if (number(found) < number(first) || number(found) > number(last)) {
  process.emitWarning(
    \`\${name} \${version} knows @noble/${scope} \${first} to \${last}; this is \${found}: \` +
      'new names are missing here, and results of changed ones may differ',
    { code: 'ERR_NOBLE_VERSION' },
  );
}
`;
}

/**
 * Returns a module for bundles, in which each export is separate: Millrace's, with what it falls
 * back on, or noble's, as it is. For Node.js Millrace's is that of the portable engine, or of the
 * Millrace installed above the bundle.
 */
function bundledModule(path, exports, name, major, original, forNode) {
  const scope = name.slice('noble-'.length);
  const inPackage = (file) => `${name}/${major === 'v1' ? 'v1/' : ''}${file}.js`;
  const from = (file) => `'millrace/${forNode ? 'portable/' : ''}${file}'`;
  const theirs = (file) => `'${original}/${file}.js'`;
  // In bundles the helpers are noble's too: they need no engine.
  if (path === 'utils' && scope === 'hashes') return `export * from ${theirs(path)};\n`;
  const imports = new Set();
  const ours = (file, each) => {
    imports.add(`import { ${each} as our_${each} } from ${from(file)};`);
    if (!forNode) return `our_${each}`;
    imports.add(`import { picked } from ${from('noble-hashes/_installed.js')};`);
    return `/* @__PURE__ */ picked('${file}', '${each}', our_${each})`;
  };
  const body = Object.entries(exports).map(([each, { noble, lent }]) => {
    if (lent) return `export { ${noble[1]} as ${each} } from ${theirs(noble[0])};`;
    const begin = each === 'default' ? 'export default' : `export const ${each} =`;
    const own = ours(inPackage(path), each);
    if (noble === undefined) return `${begin} ${own};`;
    imports.add(`import { ${noble[1]} as their_${each} } from ${theirs(noble[0])};`);
    const given = `${own}, '${scope}', ${major.slice(1)}, '${noble.join('/')}', their_${each}`;
    return `${begin} /* @__PURE__ */ withNoble(${given});`;
  });
  if (body.some((line) => line.includes('withNoble(')))
    body.unshift(`const withNoble = ${ours(`${name}/_original.js`, 'withNoble')};`);
  return `${[...imports, ...body].join('\n')}\n`;
}

function wrongVersion(name, major, scope) {
  const [mine, other] = major === 'v1' ? [1, 2] : [2, 1];
  return `const { version } = require('./package.json');
throw Object.assign(
  new Error(
    \`@millrace/${name} \${version} replaces @noble/${scope} ${mine}; this import is of version \` +
      '${other}. Override each version by its own: "@noble/${scope}@${mine}": ' +
      '"npm:@millrace/${name}@${mine}" and "@noble/${scope}@${other}": ' +
      '"npm:@millrace/${name}@${other}"',
  ),
  { code: 'ERR_NOBLE_VERSION' },
);
`;
}

function readme(name, scope, like) {
  return `@noble/${scope} ${like} over millrace. Use it in the \`overrides\` of a program:

\`\`\`json
{ "overrides": { "@noble/${scope}@${like[0]}": "npm:@millrace/${name}@${like[0]}" } }
\`\`\`
`;
}
