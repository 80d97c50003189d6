// One process of `npm run bench -- node-crypto`: measures the row with the given index, and prints
// the figures of Millrace and of node:crypto as JSON; nothing if node:crypto lacks the call.

import crypto from 'node:crypto';
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';

import { measureForms } from '../turns.mjs';
import { rows } from './rows.mjs';

const [index, rounds, time] = process.argv.slice(2, 5).map(Number);
const folder = process.argv[5];
const millrace = createRequire(import.meta.url)('../../dist/compat/node-crypto.js');
const row = rows[index];
const [ours, theirs] = [await form(millrace), await form(crypto)];
if (theirs !== undefined) {
  const entries = await measureForms(row, { millrace: ours, node: theirs }, { rounds, time });
  process.stdout.write(JSON.stringify(entries), () => process.exit());
}

function form(implementation) {
  return row.form(implementation, row.uses && loadWith(implementation, row.uses));
}

/** Loads a package for which `implementation` is node:crypto. */
function loadWith(implementation, name) {
  const require = createRequire(join(folder, 'package.json'));
  // @ts-expect-error Node's loader has no declaration.
  const { _load: load } = Module;
  Object.assign(Module, {
    _load: (id, ...others) => (/^(node:)?crypto$/.test(id) ? implementation : load(id, ...others)),
  });
  for (const path of Object.keys(require.cache))
    if (path.startsWith(folder)) delete require.cache[path];
  try {
    return require(name);
  } finally {
    Object.assign(Module, { _load: load });
  }
}
