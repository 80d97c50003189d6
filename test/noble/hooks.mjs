// Module hooks for noble's suites: TypeScript is transformed, its test runner is micro-test.mjs,
// and imports of noble's sources in its tests lead to Millrace's modules, if `ours`: of curves and
// post-quantum to those of millrace/overrides over noble's sources.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';

let settings;

export function initialize(given) {
  settings = given;
}

export function resolve(specifier, context, next) {
  const { directory, name: suite, ours, modules, natives, packages } = settings;
  if (specifier === '@paulmillr/jsbt/test.js' || specifier === 'micro-should')
    return { url: new URL('./micro-test.mjs', import.meta.url).href, shortCircuit: true };
  const [, scope] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
  if (packages[scope] !== undefined) return { url: packages[scope], shortCircuit: true };
  // Another package of noble, as it is installed here.
  if (natives !== undefined && scope?.startsWith('@noble/') && scope !== `@noble/${suite}`)
    return next(specifier, { ...context, parentURL: import.meta.url });
  const [, name] =
    /^(?:(?:\.\.\/)+(?:src|esm)|\.\.\/\.\.|@noble\/(?:hashes|ciphers))\/([\w-]+)(?:\.[tj]s)?$/.exec(
      specifier,
    ) ?? [];
  const parent = context.parentURL ?? '';
  // fast-check has modules of such names too.
  if (name === undefined || !parent.startsWith(`${directory}/`)) return next(specifier, context);
  const inTests = parent.startsWith(`${directory}/test/`);
  if (natives !== undefined)
    return {
      url: `${directory}/src/${name}.ts${ours && inTests && natives[name] ? '?over' : ''}`,
      shortCircuit: true,
    };
  if (ours && inTests && modules[name] !== undefined)
    return { url: modules[name], shortCircuit: true };
  const source = name === 'crypto' ? 'cryptoNode' : name;
  return { url: `${directory}/src/${source}.ts`, shortCircuit: true };
}

export function load(url, context, next) {
  if (url.endsWith('?over')) return { format: 'module', source: over(url), shortCircuit: true };
  const inSuite = url.startsWith(settings.directory);
  if (!inSuite || !/\.[tj]s$/.test(url)) return next(url, context);
  const file = fileURLToPath(url);
  const place = existsSync(file) ? file : file.replace(/\.js$/, '.ts');
  const { code } = transformSync(readFileSync(place, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcefile: pathToFileURL(place).href,
    // noble's tests use JSON imports with attributes, which Node.js 20 has.
    supported: { 'import-attributes': true },
  });
  return { format: 'module', source: code, shortCircuit: true };
}

/** Returns a module with the exports of millrace/overrides in the place of noble's. */
function over(url) {
  const { call, entry, natives } = settings;
  const original = url.slice(0, -'?over'.length);
  const names = natives[original.split('/').at(-1).slice(0, -'.ts'.length)].replaceAll(' ', ', ');
  return (
    `import * as original from '${original}';\nimport { ${call} } from '${entry}';\n` +
    `export * from '${original}';\nexport const { ${names} } = ${call}(original);\n`
  );
}
