// Runs one file of the Web Platform Tests, with the scripts that it names, and writes the messages
// of its tests by name: '' for one that passed.
//
//   node run-file.cjs DIRECTORY FILE RESULTS

const { readFileSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { runInThisContext } = require('node:vm');

const [, , folder, file, results] = process.argv;
const suite = dirname(folder);
const path = join(folder, file);
const text = readFileSync(path, 'utf8');

globalThis.self = globalThis;
globalThis.location = { search: '', href: `https://localhost/${file}`, pathname: `/${file}` };
globalThis.GLOBAL = {
  isWindow: () => false,
  isWorker: () => false,
  isShadowRealm: () => false,
};

/** Runs a script as a page does. */
function load(name) {
  runInThisContext(readFileSync(name, 'utf8'), { filename: name });
}

load(join(suite, 'resources', 'testharness.js'));
const found = [];
globalThis.add_result_callback(({ name, status, message }) => {
  found.push([name, status === 0 ? '' : (message ?? 'failed')]);
});
globalThis.add_completion_callback((_tests, { status, message }) => {
  if (status !== 0) found.push(['the harness', message ?? 'failed']);
  writeFileSync(results, JSON.stringify(found));
  process.exit(0);
});
for (const [, name] of text.matchAll(/^\/\/ META: script=(.*)$/gm))
  load(name.startsWith('/') ? join(suite, name) : join(dirname(path), name));
load(path);
globalThis.done?.();
