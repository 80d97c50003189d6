// The pages of reference list what the sources have: docs/errors.md every code and its class,
// docs/settings.md every setting and environment variable, docs/choosing.md names that exist. The
// examples use what they import.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';
import * as promises from 'millrace/promises';

import { makeError } from '../../dist/base/errors.js';
import { root } from '../../tools/steps.mjs';
import { allExamples, projects, referenceExamples } from '../package/examples.mjs';

const read = (...path) => readFileSync(join(root, ...path), 'utf8');

/** Returns the cells of all table rows that begin with a name in backticks. */
const rowsOf = (text) =>
  [...text.matchAll(/^\| `(\w+)` \|(.*)\|$/gm)].map(([, name, rest]) => [
    name,
    ...rest.split(' | ').map((cell) => cell.trim()),
  ]);

/** Returns the sources that are shipped, without the tests in them. */
function shippedSources() {
  const files = ['src', 'cli', 'crates'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => join(folder, name))
      .filter((name) => /\.(ts|js|mjs|rs)$/.test(name) && !/[/\\](tests|examples)[/\\]/.test(name)),
  );
  assert.ok(files.length > 300);
  return files.map((file) => read(file)).join('\n');
}

test('docs/errors.md has every code once, with its class, cause and remedy', () => {
  const [codes] = read('docs', 'errors.md').split('## Warnings');
  const rows = rowsOf(codes);
  const declared = [...read('src', 'base', 'error-codes.ts').matchAll(/^ {2}\| '(ERR_\w+)'/gm)].map(
    ([, code]) => code,
  );
  assert.ok(declared.length > 35);
  assert.deepEqual(rows.map(([code]) => code).sort(), declared.sort());
  for (const [code, kind, cause, remedy] of rows) {
    const error = makeError(code, '');
    const kinds = [TypeError, RangeError].filter((each) => error instanceof each);
    assert.equal(kind, kinds.map(({ name }) => name).join(), code);
    assert.ok(cause.length > 10 && remedy.length > 5, code);
  }
});

test('docs/settings.md has every setting of configure', () => {
  const [settings] = read('docs', 'settings.md').split('## Environment variables');
  assert.deepEqual(
    rowsOf(settings)
      .map(([name]) => name)
      .sort(),
    Object.keys(millrace.configure()).sort(),
  );
});

test('every MILLRACE_ name of the sources is on a page', () => {
  const names = new Set(shippedSources().match(/\bMILLRACE_[A-Z_]+\b/g));
  // Defined when the package is built.
  names.delete('MILLRACE_VERSION');
  const [, variables] = read('docs', 'settings.md').split('## Environment variables');
  const [, warnings] = read('docs', 'errors.md').split('## Warnings');
  const listed = rowsOf(variables + warnings)
    .map(([name]) => name)
    .filter((name) => name.startsWith('MILLRACE_'));
  const ofTests = rowsOf(read('test', 'README.md')).map(([name]) => name);
  assert.ok(listed.length > 8);
  for (const name of names)
    assert.ok(listed.includes(name) || ofTests.includes(name), `${name} is on no page`);
  for (const name of listed) assert.ok(names.has(name), `nothing reads ${name}`);
});

test('docs/choosing.md names algorithms and functions that exist', () => {
  const wraps = ['aes-256-kw', 'aes-256-kwp'];
  const table = read('docs', 'public-keys.md').matchAll(/^\| (`.*?) \|/gm);
  const publicKeyNames = [...table].flatMap(([, cell]) => cell.match(/[\w-]+/g));
  const known = new Set([
    ...millrace.getHashes(),
    ...millrace.getCiphers(),
    ...wraps,
    ...publicKeyNames,
    ...Object.keys(millrace),
    ...Object.keys(promises),
  ]);
  const cells = [
    ...read('docs', 'choosing.md').matchAll(/^\| [^|]+ \| ([^|]*`[^|]*) \| [^|]+ \|$/gm),
  ];
  assert.ok(cells.length > 18);
  const used = cells.flatMap(([, cell]) =>
    [...cell.matchAll(/`([\w-]+)/g)].map(([, name]) => name),
  );
  // Names of options, too.
  const options = ['context', 'padding', 'oaepHash'];
  for (const name of used) assert.ok(known.has(name) || options.includes(name), name);
});

/** Returns the comment above the first form of a function that a source exports, or undefined. */
function commentOf(file, name) {
  const text = read(file);
  const declaration = new RegExp(`^export (?:async )?(?:function|const) ${name}\\b`, 'm');
  const [before, after] = text.split(declaration);
  if (after !== undefined) return before.slice(before.lastIndexOf('/**'));
  for (const [, names, path] of text.matchAll(/^export ([^;]*?) from '(\.[^']+)\.js';/gm)) {
    if (names !== '*' && !new RegExp(`\\b${name}\\b`).test(names)) continue;
    const found = commentOf(join(dirname(file), `${path}.ts`), name);
    if (found !== undefined) return found;
  }
  return undefined;
}

test('every function has an example above its first form', async () => {
  const modules = {
    millrace: 'index.ts',
    'millrace/promises': 'promises.ts',
    'millrace/age': 'age.ts',
    'millrace/aws-checksums': 'compat/aws-checksums.ts',
    'millrace/overrides': 'compat/overrides.ts',
  };
  for (const [module, file] of Object.entries(modules)) {
    const names = Object.entries(await import(module))
      .filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name))
      .map(([name]) => name);
    assert.ok(names.length > 0, module);
    for (const name of names)
      assert.match(`${commentOf(join('src', file), name)}`, /\* @example\n/, `${module}: ${name}`);
  }
});

test('examples use what they import', () => {
  const ofProjects = projects().flatMap(({ title, files }) =>
    Object.entries(files).map(([name, code]) => ({ file: title, line: name, code })),
  );
  const examples = [...allExamples(), ...referenceExamples(), ...ofProjects];
  const statement = /^import (?:type )?([^;'"]+?) from [^;]+;$|^const ([^;=]+) = require\(/gm;
  let count = 0;
  const unused = [];
  for (const { file, line, code } of examples) {
    const rest = code.replaceAll(statement, '');
    for (const [, ...clauses] of code.matchAll(statement))
      for (const part of clauses.join('').split(/[{},]/)) {
        const name = part.trim().split(/\s+/).at(-1);
        if (name === '') continue;
        count++;
        if (!new RegExp(`(?<![\\w$.])${name}(?![\\w$])`).test(rest.replaceAll('...', ' ')))
          unused.push(`${file}:${line}: ${name}`);
      }
  }
  assert.ok(count > 300);
  assert.deepEqual(unused, []);
});
