// Writes the sub-paths of millrace/noble-hashes and millrace/noble-ciphers: small files that export
// the names of one module of noble, for Node.js, browsers and edge runtimes, with their types.

import { join, relative } from 'node:path';

import { put } from './bundle.mjs';
import { Stop, probe } from './steps.mjs';

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

/** Resolves to the names of each module: `{ 'noble-hashes': { v1: { sha256: [...] }, v2 } }`. */
export async function nobleNames(dist) {
  // In a child process: it loads the native binary, and Windows cannot replace a loaded file.
  const list = `const names = (lines) => Object.fromEntries(['v1', 'v2'].map((line) => [line,
    Object.fromEntries(Object.entries(lines[line]).map(([path, all]) => [path, Object.keys(all)])),
  ]));
  process.stdout.write(JSON.stringify(Object.fromEntries(process.argv.slice(2).map((name) =>
    [name, names(require(process.argv[1] + '/compat/' + name + '.js'))]))));`;
  const answer = await probe(process.execPath, ['-e', list, dist, ...Object.keys(types)]);
  if (answer.code !== 0)
    throw new Stop(`${answer.all}millrace: the modules of noble cannot be loaded.`);
  return JSON.parse(answer.stdout);
}

/** Writes the files. Resolves to their paths relative to dist. */
export async function writeNobleModules(dist) {
  const written = [];
  for (const [name, lines] of Object.entries(await nobleNames(dist))) {
    for (const [line, modules] of Object.entries(lines)) {
      const folder = line === 'v1' ? `${name}/v1` : name;
      for (const [path, names] of Object.entries(modules))
        written.push(...writeModule(dist, name, line, `${folder}/${path}`, names));
    }
  }
  return written.map((file) => relative(dist, file));
}

function writeModule(dist, name, line, path, names) {
  const up = '../'.repeat(path.split('/').length - 1);
  const last = path.split('/').at(-1);
  const list = names.join(', ');
  const named = names.filter((each) => each !== 'default');
  const fallback = named.length < names.length;
  const typeNames = types[name].filter((each) => !names.includes(each)).join(', ');
  const declare = (end) =>
    `import type { ${line} } from '${up}compat/${name}.${end}';\n` +
    `export type { ${typeNames} } from '${up}compat/${name}.${end}';\n` +
    names
      .map((each) => {
        const type = `(typeof ${line})['${last}']['${each}'];\n`;
        return each === 'default'
          ? `declare const _default: ${type}export default _default;\n`
          : `export declare const ${each}: ${type}`;
      })
      .join('');
  const here = join(dist, ...path.split('/'));
  const [browser, edge] = ['browser', 'edge'].map((name) => join(dist, name, ...path.split('/')));
  const types3 = `export * from '${up}../${path}.js';\n`;
  return [
    put(
      `${here}.js`,
      `module.exports = require('${up}compat/${name}.js').${line}['${last}'];\n// For Node.js, ` +
        'which reads names of exports without running the code.\n0 && (module.exports = { ' +
        `${named.join(', ')} });\n`,
    ),
    put(`${here}.mjs`, `export { ${list} } from './${last}.js';\n`),
    put(`${here}.d.ts`, declare('js')),
    put(`${here}.d.mts`, declare('mjs')),
    ...[browser, edge].map((file) =>
      put(
        `${file}.mjs`,
        `import { ${line} } from '${up}${name}.mjs';\nexport const { ${named.join(', ')} } = ` +
          `${line}['${last}'];\n${fallback ? `export default ${line}['${last}'].default;\n` : ''}`,
      ),
    ),
    put(`${browser}.cjs`, `module.exports = require('${up}${name}.cjs').${line}['${last}'];\n`),
    put(`${browser}.d.mts`, types3),
    put(`${browser}.d.cts`, types3),
  ];
}
