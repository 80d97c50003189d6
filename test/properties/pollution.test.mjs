// What another package adds to Object.prototype or Array.prototype changes no call. The names are
// all those that the built code has.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { entryPaths, run } from '../support/child.mjs';

const dist = dirname(entryPaths.millrace);
const program = JSON.stringify(new URL('pollution.mjs', import.meta.url).href);

/** Returns the names of properties in the code for Node.js: each word at a place for one. */
function namesInCode() {
  const names = new Set();
  for (const file of readdirSync(dist, { recursive: true })) {
    const skipped = /^(browser|edge|module|uplot)\b|^portable\/modules/;
    if (!file.endsWith('.js') || skipped.test(file.replaceAll('\\', '/'))) continue;
    const code = readFileSync(join(dist, file), 'utf8').replace(/^ *\/\/.*$/gm, '');
    for (const [name] of code.matchAll(
      /(?<=\.)[\w$]+|\b[A-Za-z_$][\w$]*(?=\s*[:,}=)])|(?<=")[\w$-]+(?=":? )/g,
    ))
      if (!(name in Object.prototype)) names.add(name);
  }
  return [...names];
}

/**
 * Resolves to what a program finds, by name: the calls with other results, or that the program
 * ended or did not end, whose names it searches in smaller groups.
 */
async function found(job, names, size = 300) {
  const groups = [];
  for (let at = 0; at < names.length; at += size) groups.push(names.slice(at, at + size));
  const input = JSON.stringify({ ...job, groups });
  const { stdout, stderr } = await run(
    `import { explore } from ${program};\nawait explore(${input});`,
    { esm: true, bare: true, timeout: 30_000 },
  );
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const wrong = new Map(lines.filter(({ name }) => name).map(({ name, wrong: of }) => [name, of]));
  const { hangs } = lines.at(-1);
  if (hangs) lines.pop();
  const last = lines.at(-1);
  if (last.succeeded) {
    if (!job.plain) assert.ok(last.succeeded > 400, `only ${last.succeeded} calls succeed`);
    return wrong;
  }
  const rest = names.slice(names.indexOf(last.names.at(-1)) + 1);
  const inGroup =
    last.names.length === 1
      ? [[last.names[0], [hangs ? `${hangs} hangs` : `the process ends: ${stderr}`]]]
      : await found(job, last.names, last.names.length >> 1);
  return new Map([...wrong, ...inGroup, ...(rest.length > 0 ? await found(job, rest, size) : [])]);
}

const indexes = ['0', '1', '2', '3', '4'];
const jobs = [
  { engine: 'native', kind: 'function' },
  { engine: 'portable', kind: 'array' },
  { engine: 'native', kind: 'string', array: true },
  { engine: 'portable', kind: 'array', array: true },
];

for (const job of jobs) {
  const { engine, kind, array } = job;
  const prototype = array ? 'Array.prototype' : 'Object.prototype';
  test(`a property of ${prototype} changes no call: ${engine}, ${kind}`, async () => {
    const names = array ? indexes : [...indexes, ...namesInCode()];
    assert.ok(array || names.length > 1500, `${names.length} names`);
    const plain = await found({ ...job, plain: true }, names);
    assert.ok(plain.size < 60, `${plain.size} names change Node.js: ${[...plain.keys()]}`);
    const left = names.filter((name) => !plain.has(name));
    assert.deepEqual(Object.fromEntries(await found(job, left)), {});
  });
}

for (const engine of ['native', 'portable'])
  test(`no read of an absent property reaches Object.prototype: ${engine}`, async () => {
    // What the language reads of descriptors, iterators and promises, and esbuild of modules.
    const excluded =
      /^(get|set|value|writable|enumerable|configurable|return|then|toJSON|__esModule)$/;
    const indexes = Array.from({ length: 130 }, (_, index) => String(index - 1));
    const names = [...indexes, ...namesInCode()].filter((name) => !excluded.test(name));
    const program = JSON.stringify(new URL('inherited-reads.mjs', import.meta.url).href);
    const { stdout, stderr } = await run(
      `import { watch } from ${program};\nawait watch(${JSON.stringify({ engine, names })});`,
      { esm: true, bare: true, timeout: 120_000 },
    );
    const { found, succeeded } = JSON.parse(stdout || assert.fail(stderr));
    assert.deepEqual(found, []);
    assert.ok(succeeded > 900, `only ${succeeded} calls succeed`);
  });

for (const engine of ['native', 'portable'])
  test(`what Object.prototype has is not an argument: ${engine}`, async () => {
    const program = JSON.stringify(new URL('inherited-reads.mjs', import.meta.url).href);
    const { stdout, stderr } = await run(
      `import { callWithFewer } from ${program};\nawait callWithFewer({ engine: '${engine}' });`,
      { esm: true, bare: true, timeout: 120_000 },
    );
    const { wrong, count } = JSON.parse(stdout || assert.fail(stderr));
    assert.deepEqual(wrong, []);
    assert.ok(count > 500, `only ${count} calls`);
  });

test('in browsers, what Object.prototype has is not a feature of the global object', async () => {
  const entry = JSON.stringify(new URL('browser/index.mjs', pathToFileURL(entryPaths.millrace)));
  const { stdout, stderr } = await run(
    `delete globalThis.setImmediate;
    for (const name of ['setImmediate', 'FileReaderSync', 'Worker', 'deviceMemory'])
      Object.prototype[name] = class {
        constructor() {
          console.log('wrong:', name);
        }
      };
    const { default: millrace, hash, hashFile } = await import(${entry});
    const timer = setTimeout(() => console.log('does not settle'), 5000);
    hash('sha256', Buffer.alloc(2 ** 20), (error, digest) => {
      clearTimeout(timer);
      console.log(error ?? digest.length);
    });
    try {
      hashFile('sha256', new File(['abc'], 'name'));
    } catch ({ code }) {
      console.log(code);
    }`,
    { esm: true, bare: true },
  );
  assert.equal(stdout, 'ERR_NOT_SUPPORTED\n32\n', stderr);
});

for (const prototype of ['Object.prototype', 'Array.prototype'])
  test(`an index of ${prototype} does not change how files are loaded at a first call`, async () => {
    const { stdout } = await run(
      `${prototype}[0] = 'polluted';
      const failed = [];
      for (const entry of [millrace, promises])
        for (const name of Object.keys(entry))
          try {
            await entry[name]();
          } catch (error) {
            if (error instanceof SyntaxError) failed.push(name);
          }
      delete ${prototype}[0];
      console.log(JSON.stringify(failed));`,
      { esm: true },
    );
    assert.equal(stdout, '[]\n');
  });

test('what loads at the first call loads whatever Object.prototype has', async () => {
  const { stdout, stderr } = await run(`
    const polluted = (act) => {
      Object.prototype.signal = 'inherited';
      try {
        return act();
      } finally {
        delete Object.prototype.signal;
      }
    };
    const file = polluted(() => promises.hashFile('sha256', process.execPath));
    const portable = polluted(() => millrace.hash('sha256', 'a', { engine: 'portable' }));
    const opened = polluted(() => promises.hashFiles('sha256', []));
    void Promise.all([file, opened]).then(([digest, digests]) =>
      console.log(digest.length, portable.length, digests.length),
    );
  `);
  assert.equal(stdout, '32 32 0\n', stderr);
});
