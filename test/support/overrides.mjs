// The overrides that pages of the documentation show.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './child.mjs';

/** Returns the overrides of pages, such as `{ 'tweetnacl@1': 'npm:@millrace/tweetnacl@1' }`. */
export function shownOverrides(...pages) {
  const text = pages.map((page) => readFileSync(join(root, 'docs', `${page}.md`), 'utf8')).join('');
  const found = text.matchAll(/"((?:@[\w-]+\/)?[\w-]+(?:@[\d.]+)?)": "(npm:@millrace\/[^"]+)"/g);
  return Object.fromEntries([...found].map(([, name, replacement]) => [name, replacement]));
}
