// Preloaded before a test file of Node's own suite (tools/node-crypto-tests.mjs): counts its
// assertions, and lets the file go on after one that failed. The counts go to the file that
// MILLRACE_COUNTS names when the process exits.

'use strict';

const realAssert = require('node:assert');
const { writeFileSync } = require('node:fs');
const Module = require('node:module');
const { basename } = require('node:path');

const file = process.env.MILLRACE_COUNTS;
delete process.env.MILLRACE_COUNTS; // not for processes that the test starts
const own = basename(process.argv[1] ?? '');
const counts = { passed: 0, failed: [], uncaught: [] };

/** The place in the test file, as `file:line`. */
function place(stack) {
  const frame = stack.split('\n').find((line) => line.includes(`${own}:`));
  return /([^/\\]+:\d+):\d+\)?$/.exec(frame ?? '')?.[1] ?? own;
}

function failed(error, stack) {
  const [message] = String(error?.message ?? error).split('\n');
  counts.failed.push({ where: place(stack), message: message.slice(0, 200) });
}

function counting(check) {
  return function (...given) {
    const { stack } = new Error('here');
    let result;
    try {
      result = Reflect.apply(check, this, given);
    } catch (error) {
      failed(error, stack);
      return undefined;
    }
    if (typeof result?.then !== 'function') {
      counts.passed++;
      return result;
    }
    return result.then(
      () => void counts.passed++,
      (error) => failed(error, stack),
    );
  };
}

function wrap(assert) {
  const wrapped = counting(assert);
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(assert))) {
    if (['length', 'name', 'prototype', 'strict'].includes(name)) continue;
    const isCheck = typeof property.value === 'function' && /^[a-z]/.test(name);
    if (isCheck) property.value = counting(property.value);
    Object.defineProperty(wrapped, name, property);
  }
  return wrapped;
}

const strict = wrap(realAssert.strict);
const assert = wrap(realAssert);
assert.strict = strict;
strict.strict = strict;

const load = Module._load;
Module._load = function (request, ...rest) {
  const name = request.replace(/^node:/, '');
  if (name === 'assert') return assert;
  return name === 'assert/strict' ? strict : Reflect.apply(load, this, [request, ...rest]);
};

process.on('uncaughtExceptionMonitor', (error) => {
  const [message] = String(error?.message ?? error).split('\n');
  counts.uncaught.push({ where: place(String(error?.stack)), message: message.slice(0, 200) });
});
process.on('exit', (code) => writeFileSync(file, JSON.stringify({ ...counts, code })));
