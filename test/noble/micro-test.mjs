// Takes the place of noble's test runner (@paulmillr/jsbt/test.js, micro-should): runs every test
// even if one fails, and counts by the file that registered it. Prints one line of JSON at exit.

import { pathToFileURL } from 'node:url';

const tests = [];
const groups = [];
const silent = { ran: false };

/** The file of noble's suite that called it/should. */
function caller() {
  const files = [...new Error().stack.matchAll(/\/test\/([\w-]+(?:\.test)?\.[tj]s)/g)];
  // The last test file on the stack is the outermost; index only calls the others.
  const name = files.map(([, file]) => file).find((file) => !/^(index|utils)\./.test(file));
  return name ?? files[0]?.[1] ?? 'unknown';
}

function hooks(kind) {
  return (run) => (groups.at(-1)?.[kind] ?? []).push(run);
}

export function describe(title, body) {
  const group = { title, beforeEach: [], afterEach: [], beforeAll: [], afterAll: [] };
  groups.push(group);
  try {
    body();
  } catch (error) {
    tests.push({ file: caller(), title: `${title}: ${error.message}`, fail: error, groups: [] });
  } finally {
    groups.pop();
  }
}
describe.skip = () => {};

export function it(title, run) {
  const path = [...groups];
  const name = [...path.map((group) => group.title), title].join(' > ');
  tests.push({ file: caller(), title: name, run, groups: path });
}
it.skip = () => {};
it.only = it;
it.opts = {};
it.run = async () => {
  if (silent.ran) return;
  silent.ran = true;
  const files = {};
  for (const { file, title, run, fail, groups: path } of tests) {
    const count = (files[file] ??= { passed: 0, failed: [] });
    try {
      if (fail !== undefined) throw fail;
      for (const group of path)
        for (const hook of [...group.beforeAll.splice(0), ...group.beforeEach]) await hook();
      await run?.();
      for (const group of path) for (const hook of group.afterEach) await hook();
      count.passed++;
    } catch (error) {
      count.failed.push({ title, message: String(error?.stack ?? error).slice(0, 600) });
    }
  }
  const served = globalThis.millraceNobleCalls?.();
  process.stdout.write(`\n#result ${JSON.stringify({ files, served })}\n`);
};
it.runWhen = (url) => (url === pathToFileURL(process.argv[1]).href ? it.run() : undefined);
export { it as should };
export const beforeEach = hooks('beforeEach');
export const afterEach = hooks('afterEach');
export const beforeAll = hooks('beforeAll');
export const afterAll = hooks('afterAll');
export default it;
