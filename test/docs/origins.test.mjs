// Whose code computes what, and what Node.js has: sentences and tables of the documentation against
// engines() and node:crypto.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { featuresHere, whyNot } from '../../tools/cpu-tiers.mjs';
import {
  cellsOf,
  columns,
  countsOf,
  documented,
  documents,
  sentence,
  written,
} from '../../tools/origins.mjs';
import { root } from '../support/child.mjs';

const read = (file) => readFileSync(join(root, file), 'utf8');

describe('docs/engines.md names the libraries that engines() names', () => {
  const column = documented();
  for (const { title, tier, ...form } of columns) {
    const skip =
      (tier !== undefined &&
        ((process.platform !== 'linux' && 'the table is that of Linux') ||
          whyNot(tier, featuresHere()))) ||
      false;
    test(title, { skip }, () => {
      const found = cellsOf({ tier, ...form });
      const { cells, counts } = column(title);
      assert.deepEqual(cells, Object.assign({}, ...Object.values(found)), RUN);
      assert.equal(counts, countsOf(found), RUN);
    });
  }
});

const RUN = 'node tools/origins.mjs writes the table and the sentences';

test('the sentence about origin is that of the table', () => {
  for (const document of documents) assert.equal(written(read(document)), sentence(), RUN);
});

test('docs/faq.md says which algorithms Node.js lacks, and from which version on it has others', () => {
  const text = read('docs/faq.md').replaceAll('\n', ' ');
  const [, never] = /what no version of Node\.js has: (.*?), states that/.exec(text);
  const [, both, later, single, earlier] =
    /It has ([^.]*?) in every version, which Node\.js has from (\d+) on, and (\w+), which it has from (\d+) on/.exec(
      text,
    );
  const said = Object.fromEntries([
    ...never.split(', ').map((name) => [name, Infinity]),
    ...both.split(' and ').map((name) => [name, Number(later)]),
    [single, Number(earlier)],
  ]);
  const has = {
    BLAKE3: /blake-?3/,
    'XChaCha20-Poly1305': /xchacha/,
    xxHash: /xxh/,
    bcrypt: /^bcrypt/,
    'AES-GCM-SIV': /gcm-siv/,
    Keccak: /^keccak-\d+$/,
    Argon2: /^argon2/,
  };
  const names = [...crypto.getHashes(), ...crypto.getCiphers(), ...Object.keys(crypto)];
  const [major] = process.versions.node.split('.').map(Number);
  assert.deepEqual(Object.keys(said), Object.keys(has));
  for (const [name, pattern] of Object.entries(has))
    assert.equal(
      names.some((each) => pattern.test(each.toLowerCase())),
      major >= said[name],
      `${name} in Node.js ${process.versions.node}`,
    );
});
