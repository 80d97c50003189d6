// Takes the place of noble's test runner (@paulmillr/jsbt/test.js, micro-should): runs every test
// even if one fails. Prints a line of JSON for each test, and one at the end.

import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const tests = [];
const groups = [];
const silent = { ran: false };

function hooks(kind) {
  return (run) => (groups.at(-1)?.[kind] ?? []).push(run);
}

export function describe(title, body) {
  const group = { title, beforeEach: [], afterEach: [], beforeAll: [], afterAll: [] };
  groups.push(group);
  try {
    body();
  } catch (error) {
    tests.push({ title: `${title}: ${error.message}`, fail: error, groups: [] });
  } finally {
    groups.pop();
  }
}
describe.skip = () => {};

export function it(title, run) {
  const path = [...groups];
  const name = [...path.map((group) => group.title), title].join(' > ');
  tests.push({ title: name, run, groups: path });
}
it.skip = () => {};
it.only = it;
it.serial = it;
it.opts = {};
it.run = async () => {
  if (silent.ran) return;
  silent.ran = true;
  for (const { title, run, fail, groups: path } of tests) {
    let message;
    try {
      if (fail !== undefined) throw fail;
      for (const group of path)
        for (const hook of [...group.beforeAll.splice(0), ...group.beforeEach]) await hook();
      await run?.();
      for (const group of path) for (const hook of group.afterEach) await hook();
    } catch (error) {
      message = String(error?.stack ?? error).slice(0, 600);
    }
    // Titles with a key have half a megabyte, of which a pipe takes a part at once.
    print('test', { title: title.slice(0, 300), message });
  }
  print('served', globalThis.millraceNobleCalls?.() ?? {});
};

// A file that only registers its tests.
process.once('beforeExit', () => it.run());

/** Prints at once: the process may be killed at its time limit. */
function print(kind, value) {
  writeSync(1, `\n#${kind} ${JSON.stringify(value)}\n`);
}
it.runWhen = (url) => (url === pathToFileURL(process.argv[1]).href ? it.run() : undefined);
export { it as should };
export const beforeEach = hooks('beforeEach');
export const afterEach = hooks('afterEach');
export const beforeAll = hooks('beforeAll');
export const afterAll = hooks('afterAll');
export default it;
