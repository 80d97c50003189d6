// The examples of README.md and docs/*.md as programs. A block of js, ts, sh or console is an
// example. Those of docs/recipes are complete, and print the block of text that follows. The comment
// before an example can say:
//
//   <!-- example: setup CODE -->        CODE runs first, in the same file (JavaScript or shell)
//   <!-- example: may throw CODE -->    it may end with this error on a machine without the feature
//   <!-- example: not run: REASON -->   the reader must do something, or it takes minutes
//
// Names that examples take for granted (bytes, key, path, hash ...) are in example-names.mjs. An
// ellipsis stands for undefined. In console blocks the lines after `$ ` are run, and the others are
// what they print.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../support/child.mjs';

const LANGUAGES = ['js', 'ts', 'sh', 'console'];

/** Every example: `{ file, line, language, code, setup, mayThrow, notRun, prints }`. */
export function allExamples() {
  const pages = ['docs', 'docs/recipes'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
  return ['README.md', ...pages].flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return file.startsWith('docs/recipes/') ? recipesOf(file, text) : examplesOf(file, text);
  });
}

/** The program of a recipe, with what it prints. */
function recipesOf(file, text) {
  const printed = [...text.matchAll(/^```text\n([^]*?)^```$/gm)];
  const programs = examplesOf(file, text);
  if (programs.length !== 1 || printed.length !== 1)
    throw new Error(`${file}: a recipe is one program and one block of what it prints`);
  return [{ ...programs[0], prints: printed[0][1] }];
}

export function examplesOf(file, text) {
  const found = [];
  // A comment belongs to the block that follows with nothing but white space between.
  const pattern = /^((?:<!-- example: [^]*?-->\s*\n)*)```(\w+)[^\n]*\n([^]*?)^```$/gm;
  for (const { index, 1: comments, 2: language, 3: code } of text.matchAll(pattern)) {
    if (!LANGUAGES.includes(language)) continue;
    const line = text.slice(0, index + comments.length).split('\n').length;
    found.push({ file, line, language, code, ...directives(comments, `${file}:${line}`) });
  }
  const directed = [...text.matchAll(/<!-- example:/g)].length;
  const used = found.reduce((sum, { count }) => sum + count, 0);
  if (directed !== used)
    throw new Error(`${file}: ${directed - used} example comment with no example below it`);
  return found;
}

function directives(comments, place) {
  const result = { setup: '', mayThrow: undefined, notRun: undefined, count: 0 };
  for (const [, what] of comments.matchAll(/<!-- example: ([^]*?)-->/g)) {
    const text = what.trim();
    const [, verb, rest] = /^(setup|may throw|not run:)\s+([^]+)$/.exec(text) ?? [];
    if (verb === 'setup') result.setup += `${rest}\n`;
    else if (verb === 'may throw') result.mayThrow = rest;
    else if (verb === 'not run:') result.notRun = rest;
    else throw new Error(`${place}: cannot read <!-- example: ${text} -->`);
    result.count++;
  }
  return result;
}
