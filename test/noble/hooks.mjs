// Module hooks for noble's suites: TypeScript is transformed, its test runner is micro-test.mjs,
// and imports of noble's sources in its tests lead to Millrace's modules, if `ours`.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';

let settings;

export function initialize(given) {
  settings = given;
}

export function resolve(specifier, context, next) {
  const { directory, ours, modules, packages } = settings;
  if (specifier === '@paulmillr/jsbt/test.js' || specifier === 'micro-should')
    return { url: new URL('./micro-test.mjs', import.meta.url).href, shortCircuit: true };
  const [, scope] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
  if (packages[scope] !== undefined) return { url: packages[scope], shortCircuit: true };
  const [, name] =
    /^(?:(?:\.\.\/)+(?:src|esm)|\.\.\/\.\.|@noble\/(?:hashes|ciphers))\/([\w-]+)(?:\.[tj]s)?$/.exec(
      specifier,
    ) ?? [];
  const parent = context.parentURL ?? '';
  // fast-check has modules of such names too.
  if (name === undefined || !parent.startsWith(`${directory}/`)) return next(specifier, context);
  const inTests = parent.startsWith(`${directory}/test/`);
  if (ours && inTests && modules[name] !== undefined)
    return { url: modules[name], shortCircuit: true };
  const source = name === 'crypto' ? 'cryptoNode' : name;
  return { url: `${directory}/src/${source}.ts`, shortCircuit: true };
}

export function load(url, context, next) {
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
