// Writes the sub-paths of millrace/noble-hashes and millrace/noble-ciphers: small files that export
// the names of one module of noble, for Node.js, browsers and edge runtimes, with their types.

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { transform } from 'esbuild';

import { put } from './bundle.mjs';
import { Stop, probe, root } from './steps.mjs';

/** The types that every sub-path exports, as noble's modules export theirs. */
const types = {
  'noble-hashes': [
    'ArgonOpts',
    'Blake2Opts',
    'Blake3Opts',
    'CHash',
    'Hash',
    'HashXOF',
    'HopMAC',
    'IKMAC',
    'ITupleHash',
    'KDFInput',
    'KangarooOpts',
    'ParallelOpts',
    'Pbkdf2Opt',
    'ScryptOpts',
    'ShakeOpts',
    'TurboshakeOpts',
    'cShakeOpts',
  ],
  'noble-ciphers': ['Cipher', 'CipherFunction', 'KeyWrapFunction', 'XorStream'],
};

/**
 * Resolves to the exports of each module, as `{ 'noble-hashes': { v1: { sha256: { sha224: {...} }
 * }, v2 } }`. Of an export `module` and `name` say what makes it (src/compat/noble/modules),
 * `first` where it is already; `noble` where noble has it, for what Millrace does not accept. A
 * `lent` one is noble's.
 */
export async function nobleExports(dist) {
  const files = { 'noble-hashes': 'hash-modules', 'noble-ciphers': 'cipher-modules' };
  // In a child process: it loads the native binary, and Windows cannot replace a loaded file.
  const list = `const makers = new Map();
  const described = (maker, path, each, seen) => {
    const first = seen.get(maker);
    if (first === undefined) seen.set(maker, { path, name: each });
    const { noble, lent } = maker;
    return { ...makers.get(maker), noble, lent, first };
  };
  const all = {};
  for (const [name, file] of Object.entries(${JSON.stringify(files)})) {
    const modules = require(process.argv[1] + '/compat/noble/' + file + '.js');
    for (const [path, exports] of Object.entries(modules))
      if (path.startsWith('compat/noble/modules/'))
        for (const [name, maker] of Object.entries(exports))
          makers.set(maker, { module: path.split('/').at(-1), name });
    all[name] = {};
    for (const [major, table] of Object.entries(modules.tables)) {
      const seen = new Map();
      all[name][major] = Object.fromEntries(Object.entries(table).map(([path, module]) => [path,
        Object.fromEntries(Object.entries(module).map(([each, maker]) => [each,
          described(maker, path, each, seen)]))]));
    }
  }
  process.stdout.write(JSON.stringify(all));`;
  const answer = await probe(process.execPath, ['-e', list, dist]);
  if (answer.code !== 0)
    throw new Stop(`${answer.all}millrace: the modules of noble cannot be loaded.`);
  return JSON.parse(answer.stdout);
}

/** Writes the files. Resolves to their paths relative to dist. */
export async function writeNobleModules(dist) {
  const written = [];
  for (const [name, majors] of Object.entries(await nobleExports(dist))) {
    for (const [major, modules] of Object.entries(majors)) {
      const folder = major === 'v1' ? `${name}/v1` : name;
      for (const [path, exports] of Object.entries(modules))
        written.push(
          ...writeForNode(dist, name, major, `${folder}/${path}`, Object.keys(exports)),
          ...writeForWeb(dist, name, major, `${folder}/${path}`, exports),
        );
    }
    for (const platform of ['browser', 'edge'])
      written.push(
        put(
          join(dist, platform, name, '_original.mjs'),
          "export { withNoble } from '../entries/noble/original.mjs';\n",
        ),
      );
    written.push(
      put(
        join(dist, name, '_original.js'),
        "module.exports = require('../compat/noble/hash-modules.js')['compat/noble/original'];\n",
      ),
    );
  }
  // Beside the modules that it chooses from; pages do not import it.
  const picking = readFileSync(join(root, 'src/compat/noble/installed.module.mts'), 'utf8');
  const { code } = await transform(picking, { loader: 'ts', target: 'node20' });
  written.push(put(join(dist, 'browser', 'noble-hashes', '_installed.mjs'), code));
  return written.map((file) => relative(dist, file));
}

function writeForNode(dist, name, major, path, names) {
  const up = '../'.repeat(path.split('/').length - 1);
  const last = path.split('/').at(-1);
  const list = names.join(', ');
  const typeNames = types[name].filter((each) => !names.includes(each)).join(', ');
  const declare = (end) =>
    `import type { ${major} } from '${up}compat/${name}.${end}';\n` +
    `export type { ${typeNames} } from '${up}compat/${name}.${end}';\n` +
    names
      .map((each) => {
        const type = `(typeof ${major})['${last}']['${each}'];\n`;
        return each === 'default'
          ? `declare const _default: ${type}export default _default;\n`
          : `export declare const ${each}: ${type}`;
      })
      .join('');
  const here = join(dist, ...path.split('/'));
  return [
    put(
      `${here}.js`,
      `module.exports = require('${up}compat/${name}.js').${major}['${last}'];\n// For Node.js, ` +
        'which reads names of exports without running the code.\n0 && (module.exports = { ' +
        `${names.filter((each) => each !== 'default').join(', ')} });\n`,
    ),
    put(`${here}.mjs`, `export { ${list} } from './${last}.js';\n`),
    // For bundlers, with the modules that the other entry points have there.
    put(
      `${join(dist, 'module', ...path.split('/'))}.mjs`,
      `import { ${major} } from '${up}${name}.mjs';\n` +
        `const { ${list.replace('default', 'default: _default')} } = ${major}['${last}'];\n` +
        `export { ${list.replace('default', '_default as default')} };\n`,
    ),
    put(`${here}.d.ts`, declare('js')),
    put(`${here}.d.mts`, declare('mjs')),
  ];
}

/**
 * Writes a module for bundlers, which leave out each export that a page does not use: the calls
 * that make them are pure.
 */
function writeForWeb(dist, name, major, path, exports) {
  const up = '../'.repeat(path.split('/').length - 1);
  const last = path.split('/').at(-1);
  const number = major.slice(1);
  const imports = new Map();
  const imported = (module, maker) => {
    const file = `${up}entries/noble/${module}.mjs`;
    if (!imports.has(file)) imports.set(file, new Set());
    imports.get(file).add(maker);
    return `make_${maker}`;
  };
  const body = Object.entries(exports).map(
    ([each, { module, name: maker, noble, lent, first }]) => {
      const begin = each === 'default' ? 'export default' : `export const ${each} =`;
      if (first !== undefined && first.path !== last)
        return `export { ${first.name} as ${each} } from './${first.path}.mjs';`;
      if (first !== undefined) return `${begin} ${first.name};`;
      if (lent) {
        const given = [`'${name.slice('noble-'.length)}'`, ...noble.map((one) => `'${one}'`)];
        return `${begin} /* @__PURE__ */ ${imported('original', 'lent')}(${number}, ${given.join(', ')});`;
      }
      return `${begin} /* @__PURE__ */ ${imported(module, maker)}(${number});`;
    },
  );
  const lines = [...imports].map(
    ([file, makers]) =>
      `import { ${[...makers].map((one) => `${one} as make_${one}`).join(', ')} } from '${file}';`,
  );
  const text = `${[...lines, ...body].join('\n')}\n`;
  const [browser, edge] = ['browser', 'edge'].map((each) => join(dist, each, ...path.split('/')));
  const declarations = `export * from '${up}../${path}.js';\n`;
  return [
    ...[browser, edge].map((file) => put(`${file}.mjs`, text)),
    put(`${browser}.cjs`, `module.exports = require('${up}${name}.cjs').${major}['${last}'];\n`),
    put(`${browser}.d.mts`, declarations),
    put(`${browser}.d.cts`, declarations),
  ];
}
