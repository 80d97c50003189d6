// Every relative link of every Markdown file names a file, and an anchor names a heading. Pages for
// contributors have no long lines.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { deadMarkdownLinks, deadPageLinks } from '../../tools/links.mjs';
import { root } from '../../tools/steps.mjs';

test('no Markdown file has a dead link', () => {
  assert.deepEqual(deadMarkdownLinks(root), []);
});

test('dead links are found', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-links-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'docs'));
  writeFileSync(
    join(folder, 'README.md'),
    '# A `title`, twice\n# A `title`, twice\n[a](docs/b.md#part) [b](none.md) ' +
      '[c](docs/b.md#none) ' +
      '[d](#a-title-twice-1) [e](https://example.org/)\n```js\n[f](none.js)\n```\n',
  );
  writeFileSync(join(folder, 'docs', 'b.md'), '## Part\n[up](../README.md#a-title-twice)\n');
  assert.deepEqual(deadMarkdownLinks(folder), ['README.md: none.md', 'README.md: docs/b.md#none']);
  writeFileSync(
    join(folder, 'index.html'),
    '<a href="/b.html#x"></a><a href="b.html#y"></a><img src="./none.png"><a href="mailto:a@b">',
  );
  writeFileSync(join(folder, 'b.html'), '<p id="x"></p>');
  assert.deepEqual(deadPageLinks(folder), ['index.html: b.html#y', 'index.html: ./none.png']);
});

test('pages for contributors have no line of more than 120 columns', () => {
  const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/first-fix.md'];
  const long = pages.flatMap((page) =>
    readFileSync(join(root, page), 'utf8')
      .split('\n')
      .flatMap((line, index) => ([...line].length > 120 ? [`${page}:${index + 1}`] : [])),
  );
  assert.deepEqual(long, []);
});
