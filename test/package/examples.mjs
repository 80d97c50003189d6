// The examples of README.md, docs/*.md and the comments of src as programs. A block of js, ts, sh
// or console is an example. Blocks of js and ts run as they are, in a folder that has photos.tar,
// photos/ and notes.txt. They print the block of text that follows "It prints:", if there is one.
// The comment before an example can say:
//
//   <!-- example: setup CODE -->        CODE runs before a block of sh or console
//   <!-- example: may throw CODE -->    it may end with this error on a machine without the feature
//   <!-- example: not run: REASON -->   the reader must do something, or it takes minutes
//   <!-- example: browser -->           a bundle of it also prints the same in Chromium
//
// In console blocks the lines after `$ ` are run, and the others are what they print.
//
// The sections of docs/recipes/deployments.md are projects: their files (`<!-- example: file NAME
// -->`) and commands, which servers.test.mjs runs.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../support/child.mjs';

const LANGUAGES = ['js', 'ts', 'sh', 'console'];

const PROJECTS = 'docs/recipes/deployments.md';

/**
 * Returns every example: `{ file, line, language, code, setup, mayThrow, notRun, browser, prints
 * }`.
 */
export function allExamples() {
  const pages = ['docs', 'docs/recipes'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
  return ['README.md', ...pages]
    .filter((file) => file !== PROJECTS)
    .flatMap((file) => {
      const found = examplesOf(file, readFileSync(join(root, file), 'utf8'));
      if (file.startsWith('docs/recipes/') && found.some(({ prints }) => prints === undefined))
        throw new Error(`${file}: a program of a recipe is followed by what it prints`);
      return found;
    });
}

/** Returns the projects of docs/recipes/deployments.md: `{ title, files, commands, prints }`. */
export function projects() {
  const [, ...sections] = readFileSync(join(root, PROJECTS), 'utf8').split(/^## /m);
  return sections.map((section) => {
    const [title] = section.split('\n', 1);
    const files = {};
    const file = /^<!-- example: file (\S+) -->\n```\w+\n([^]*?)^```$/gm;
    const others = section.replace(file, (_, name, text) => {
      files[name] = text;
      return '';
    });
    const runs = examplesOf(`${PROJECTS}: ${title}`, others).filter(({ notRun }) => !notRun);
    const commands = runs.map(({ code }) => code).join('');
    return { title, files, commands, prints: runs.at(-1)?.prints };
  });
}

export function examplesOf(file, text) {
  const found = [];
  // A comment belongs to the block that follows with nothing but white space between.
  const pattern = /^((?:<!-- example: [^]*?-->\s*\n)*)```(\w+)[^\n]*\n([^]*?)^```$/gm;
  for (const match of text.matchAll(pattern)) {
    const { index, 0: whole, 1: comments, 2: language, 3: code } = match;
    if (!LANGUAGES.includes(language)) continue;
    const line = text.slice(0, index + comments.length).split('\n').length;
    const after = /^\n+It prints:\n+```text\n([^]*?)^```$/m.exec(text.slice(index + whole.length));
    const prints = after?.index === 0 ? after[1] : undefined;
    found.push({ file, line, language, code, prints, ...directives(comments, `${file}:${line}`) });
  }
  const directed = [...text.matchAll(/<!-- example:/g)].length;
  const used = found.reduce((sum, { count }) => sum + count, 0);
  if (directed !== used)
    throw new Error(`${file}: ${directed - used} example comment with no example below it`);
  return found;
}

/** Returns the examples of the API reference, complete programs: `{ file, line, code }`. */
export function referenceExamples() {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .flatMap((name) => {
      const file = `src/${name.replaceAll('\\', '/')}`;
      const text = readFileSync(join(root, file), 'utf8');
      return [...text.matchAll(/^ \* @example\n \* ```js\n((?: \*.*\n)*?) \* ```$/gm)].map(
        ({ index, 1: code }) => ({
          file,
          line: text.slice(0, index).split('\n').length + 1,
          code: code.replaceAll(/^ \* ?/gm, ''),
        }),
      );
    });
}

function directives(comments, place) {
  const result = {
    setup: '',
    mayThrow: undefined,
    notRun: undefined,
    browser: false,
    count: 0,
  };
  for (const [, what] of comments.matchAll(/<!-- example: ([^]*?)-->/g)) {
    const text = what.trim();
    const [, verb, rest] = /^(setup|may throw|not run:)\s+([^]+)$/.exec(text) ?? [];
    if (text === 'browser') result.browser = true;
    else if (verb === 'setup') result.setup += `${rest}\n`;
    else if (verb === 'may throw') result.mayThrow = rest;
    else if (verb === 'not run:') result.notRun = rest;
    else throw new Error(`${place}: cannot read <!-- example: ${text} -->`);
    result.count++;
  }
  return result;
}
