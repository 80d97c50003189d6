// Runs under valgrind (memcheck.mjs): each call of calls.mjs with its secrets marked. Prints a line
// of JSON for each, and its name to standard error, between the reports of valgrind.

import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';

import { controls, watchedCalls } from './calls.mjs';

const [addon, options] = process.argv.slice(2);
const { sizes, only } = JSON.parse(options);
const load = createRequire(import.meta.url);
const memcheck = load(addon);

const print = (fact) => write(1, `${JSON.stringify(fact)}\n`);
const made = [];

/** Makes secret bytes: those that `known` makes, marked as undefined. */
function secret(size, step = 7) {
  const bytes = Buffer.from(new ArrayBuffer(size));
  for (let at = 0; at < size; at++) bytes[at] = at * step + 3;
  made.push(bytes);
  return memcheck.hide(bytes);
}

/** Writes all of a text to a pipe, which is full while the test reads slowly. */
function write(pipe, text) {
  for (let rest = Buffer.from(text); rest.length > 0;)
    try {
      rest = rest.subarray(writeSync(pipe, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
}

async function run({ name, call }) {
  write(2, `\n-- ${name}\n`);
  const before = memcheck.errors();
  let result = call(secret, memcheck);
  if (result instanceof Promise) result = await result;
  const errors = memcheck.errors() - before;
  const secretBytes = memcheck.secretBytes(result);
  // Secrets that stay in memory must not count for the next call.
  for (const bytes of made.splice(0)) memcheck.publish(bytes);
  if (ArrayBuffer.isView(result)) memcheck.publish(result);
  print({ name, errors, secretBytes });
}

print({ running: memcheck.running() === 1 });
for (const each of [...controls, ...watchedCalls(sizes, process.env.MILLRACE_ENGINE ?? 'native')])
  if (only === undefined || each.name.includes(only)) await run(each);
print({ engines: load('millrace').engines() });
