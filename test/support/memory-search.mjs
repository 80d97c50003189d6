// Looks for secrets in the whole memory of a child process, which runs a program until it reports.
// Linux lets a parent read its child so.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { requiring, temporary } from './child.mjs';

/**
 * Returns a key the child makes by arithmetic alone, so that no copy of it comes in from outside.
 */
export const keyMaker = (seed, target) => {
  let state = seed * 2654435761 + 12345;
  for (let index = 0; index < target.length; index++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    target[index] = state >>> 16;
  }
  return target;
};

const prelude = `
${requiring()}
const keyMaker = ${keyMaker};
// On a separate ArrayBuffer: V8 keeps typed arrays up to 64 bytes in its heap, moves them, and
// leaves copies.
const fresh = (seed) => keyMaker(seed, Buffer.from(new ArrayBuffer(32)));
const nonce = Buffer.alloc(12), iv = Buffer.alloc(16);
const source = Buffer.alloc(3000, 1), large = Buffer.alloc(4 << 20, 1);
/** Uses a key, and wipes the caller's copy at once. */
const using = (seed, use) => {
  const key = fresh(seed);
  const result = use(key);
  key.fill(0);
  return result;
};
/** Reports and stops the thread with no work in between, which would overwrite the stack. */
const cell = new Int32Array(new SharedArrayBuffer(4));
const { writeSync } = require('node:fs');
const reportAtOnce = () => {
  writeSync(1, 'ready\\n');
  Atomics.wait(cell, 0, 0);
};
const collect = async () => {
  for (let round = 0; round < 10; round++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
const report = () => new Promise((resolve) => {
  globalThis.gc();
  process.stdout.write('ready\\n');
  process.stdin.once('data', resolve);
});
`;

/**
 * Source that keeps memory from being freed: ArrayBuffers, and what KeyObjects export. Freed memory
 * is used again before it is searched, so that a wipe that is missing would rarely be noticed.
 */
export const keepingMemory = `
{
  const held = (globalThis.held = []);
  globalThis.ArrayBuffer = new Proxy(ArrayBuffer, {
    construct(target, given, derived) {
      const made = Reflect.construct(target, given, derived);
      if (made.byteLength <= 1 << 16) held.push(made);
      return made;
    },
  });
  const allocate = Buffer.allocUnsafeSlow;
  Buffer.allocUnsafeSlow = (size) => {
    const made = allocate(size);
    if (size <= 1 << 16) held.push(made);
    return made;
  };
  const key = require('node:crypto').createSecretKey(Buffer.alloc(1));
  const handles = Object.getOwnPropertySymbols(key).map((symbol) => key[symbol]);
  for (const each of [key, ...handles]) {
    const prototype = Object.getPrototypeOf(each);
    const method = prototype?.export;
    if (typeof method !== 'function') continue;
    prototype.export = function (...given) {
      const made = Reflect.apply(method, this, given);
      held.push(made);
      return made;
    };
  }
}
`;

/** Writes 8 letters that no text of the program contains. */
export function mark(target, at, seed) {
  let state = seed * 2654435761 + 12345;
  for (let index = at; index < at + 8; index++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    target[index] = 97 + ((state >>> 16) % 26);
  }
}

/** Fills 32 bytes, each half of which begins with a mark and names the secret. */
export function markedSecret(target, id) {
  mark(target, 0, 7);
  mark(target, 8, 1000 + id);
  mark(target, 16, 8);
  mark(target, 24, 1000 + id);
  return target;
}

/**
 * Runs the program until it reports, and returns the places of each key, and of other secrets, in
 * its memory; a string if that is not allowed.
 * Without `main` the main thread's stack is not searched. The first `marked` ones of {@link
 * markedSecret} come before the keys. `env` are variables of the child.
 */
export async function look(
  program,
  seeds,
  { others = [], main = true, marked = 0, env = {} } = {},
) {
  const folder = temporary();
  const file = join(folder, 'program.cjs');
  fs.writeFileSync(file, `${prelude}\n(async () => {\n${program}\nprocess.exit(0);\n})();\n`);
  const child = spawn(process.execPath, ['--expose-gc', file], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  try {
    const [line] = await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(([code]) => assert.fail(`the program ended with ${code}`)),
    ]);
    assert.equal(String(line), 'ready\n');
    const keys = [...seeds.map((seed) => keyMaker(seed, Buffer.alloc(32))), ...others];
    return await places(child.pid, [marks(marked), halves(keys)], main);
  } finally {
    child.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Checks that the memory of a program holds none of the secrets when it reports, as {@link look}
 * tells; skips the test where looking is not allowed. `names` are those of the secrets. A program
 * with a `control` is a function: with this code in it, the first secret must be found.
 */
export async function leavesNothing(t, program, seeds, { names = [], control, ...options }) {
  const controlled = control && (await look(program(control), seeds, { ...options, main: true }));
  const found = await look(control ? program('') : program, seeds, options);
  if (typeof found === 'string') return t.skip(`not searched: ${found}`);
  if (control) assert.ok(controlled[0].length > 0, 'looking would prove nothing');
  const nameOf = (index) => names[index % names.length] ?? `secret ${index}`;
  const left = found.flatMap((each, index) => each.map((place) => `${nameOf(index)}: ${place}`));
  assert.deepEqual(left, []);
}

/**
 * Returns the search for keys: patterns, and the index of the key from the bytes after a pattern.
 */
function halves(keys) {
  // Half a key is as bad.
  const parts = keys.flatMap((key, index) =>
    [key.subarray(0, 16), key.subarray(16)]
      .filter(({ length }) => length > 0)
      .map((pattern) => ({ pattern, index })),
  );
  const patterns = parts.map(({ pattern }) => pattern);
  return { count: keys.length, patterns, indexOf: (pattern) => parts[pattern].index };
}

/** Looks for many secrets as fast as for one. */
function marks(count) {
  const secrets = Array.from({ length: count }, (_, id) => markedSecret(Buffer.alloc(32), id));
  const ids = new Map(secrets.map((secret, id) => [secret.toString('latin1', 8, 16), id]));
  const patterns = secrets
    .slice(0, 1)
    .flatMap((first) => [first.subarray(0, 8), first.subarray(16, 24)]);
  return {
    count,
    patterns,
    indexOf: (pattern, rest) => ids.get(rest.toString('latin1', 8, 16)),
  };
}

async function places(pid, searches, main) {
  let memory;
  try {
    memory = fs.openSync(`/proc/${pid}/mem`, 'r');
  } catch (error) {
    return `the memory of a child may not be read here: ${error.code}`;
  }
  const found = searches.map(({ count }) => Array.from({ length: count }, () => []));
  const sought = searches.flatMap(({ patterns, indexOf }, search) =>
    patterns.map((bytes, pattern) => ({
      bytes,
      placesOf: (rest) => found[search][indexOf(pattern, rest)],
    })),
  );
  const chunk = Buffer.allocUnsafeSlow(2 ** 22);
  const stacks = await stackPointers(pid);
  if (typeof stacks === 'string') return stacks;
  const searched = new Set();
  const secure = secureMappings(pid);
  for (const [, first, last, name] of fs
    .readFileSync(`/proc/${pid}/maps`, 'utf8')
    .matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw\S* \S+ \S+ \S+(.*)$/gm)) {
    const [begin, end] = [BigInt(`0x${first}`), BigInt(`0x${last}`)];
    const held = stacks.filter((pointer) => pointer >= begin && pointer < end);
    held.forEach((pointer) => searched.add(pointer));
    if (!main && name.endsWith('[stack]')) continue;
    const place =
      held.length > 0
        ? `a stack ${name.trim()}`
        : name.trim() || (secure.has(first) ? SECURE : 'no name');
    for (let at = begin; at < end; at += BigInt(chunk.length - 32)) {
      let size;
      try {
        size = fs.readSync(
          memory,
          chunk,
          0,
          Number(end - at < BigInt(chunk.length) ? end - at : BigInt(chunk.length)),
          at,
        );
      } catch {
        break; // Guard pages and devices cannot be read.
      }
      const read = chunk.subarray(0, size);
      for (const { bytes, placesOf } of sought) {
        for (
          let offset = read.indexOf(bytes);
          offset >= 0;
          offset = read.indexOf(bytes, offset + 1)
        )
          placesOf(read.subarray(offset))?.push(
            `${place}, ${at + BigInt(offset) - begin} of ${end - begin}`,
          );
      }
    }
  }
  fs.closeSync(memory);
  assert.equal(searched.size, new Set(stacks).size, 'the stack of each thread is searched');
  return found.flat();
}

/** The place of memory that is locked, left out of core dumps and empty in a forked child. */
export const SECURE = 'secure memory';

/** Returns the first addresses of the mappings that are {@link SECURE}, in hexadecimal. */
function secureMappings(pid) {
  const mappings = fs
    .readFileSync(`/proc/${pid}/smaps`, 'utf8')
    .matchAll(/^([0-9a-f]+)-[0-9a-f]+ (?:(?!^VmFlags)[^])*^VmFlags:(.*)$/gm);
  return new Set(
    [...mappings]
      .filter(([, , flags]) => [' lo', ' dd', ' wf'].every((flag) => flags.includes(flag)))
      .map(([, first]) => first),
  );
}

/**
 * Returns where the stack of each thread is. The kernel tells it of threads that wait in it, as all
 * soon do.
 */
async function stackPointers(pid) {
  for (let round = 0; round < 200; round++) {
    try {
      const lines = fs
        .readdirSync(`/proc/${pid}/task`)
        .map((thread) =>
          fs.readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'utf8').trim().split(' '),
        );
      if (lines.every((line) => line.length > 2)) return lines.map((line) => BigInt(line.at(-2)));
    } catch (error) {
      return `the stacks of a child cannot be told here: ${error.code}`;
    }
    await setTimeout(10);
  }
  return 'the threads of the child do not come to rest';
}
