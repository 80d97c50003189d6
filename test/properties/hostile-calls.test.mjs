// Every export with hostile arguments: a call ends with a MillraceError, with what the caller's own
// code threw, or with the right result, which is that of the other engine; it leaves nothing half
// written. MILLRACE_CALLS sets the number of calls.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import fc from 'fast-check';
import millrace from 'millrace';
import promises from 'millrace/promises';

import { run } from '../support/child.mjs';
import { seed } from '../support/random.mjs';
import { classes, nativeOnly, templates, unequal } from '../support/calls.mjs';
import { Thrown, change, changed, pollution } from './hostile.mjs';

// The short form makes the same calls in every run.
const long = process.env.MILLRACE_CALLS;
const runs = Number(long ?? 2000);
const parameters = {
  numRuns: runs,
  seed: long === undefined ? 1 : seed | 0,
  includeErrorInReport: true,
};
const calls = templates(millrace);
const call = fc.record({
  template: fc.nat(calls.length - 1),
  changes: fc.array(change, { minLength: 1, maxLength: 2 }),
  pollution,
});

const GUARD = 0xa5;

/** Calls `act` while Object.prototype has one more property. */
function polluted(pollution, act) {
  if (pollution === null) return act();
  const { name, value } = pollution;
  Object.defineProperty(Object.prototype, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
  try {
    return act();
  } finally {
    delete Object.prototype[name];
  }
}

/** Fails unless the error is one that a caller expects. */
function expectable(error, name) {
  if (error instanceof Thrown) return 'thrown by the caller';
  // The iterator of a proxy of a Set, and what a proxy may not answer.
  if (/called on incompatible receiver|' on proxy: trap/.test(error?.message))
    return 'thrown by the caller';
  if (error instanceof millrace.MillraceError) {
    assert.match(error.code, /^ERR_[A-Z_]+$/);
    assert.ok(error.message.length > 10, error.message);
    return error.code;
  }
  // Those of the file system.
  if (/^hashFiles?/.test(name) && /^E[A-Z]+$/.test(error?.code)) return error.code;
  throw new Error(`${name}: not a MillraceError: ${error?.stack}`);
}

/** Returns a result as text. */
function printed(name, value) {
  if (unequal.has(name) || typeof value === 'function') return 'a result';
  if (typeof value === 'bigint' || typeof value !== 'object') return String(value);
  if (ArrayBuffer.isView(value))
    return createHash('sha256')
      .update(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
      .digest('hex');
  if (Array.isArray(value)) return value.map((each) => printed(name, each)).join(' ');
  value.destroy?.();
  value.on?.('error', () => {});
  return value?.constructor?.name;
}

/** Returns the arguments with targets in larger memory, so that writes beside them are seen. */
function guarded(args) {
  const guards = [];
  const within = (value) => {
    if (!Buffer.isBuffer(value) || !value.every((byte) => byte === 9)) return value;
    const memory = Buffer.alloc(value.length + 64, GUARD);
    const target = memory.subarray(32, 32 + value.length).fill(9);
    guards.push({ memory, target });
    return target;
  };
  const placed = args.map((value) =>
    value?.target === undefined ? value : { ...value, target: within(value.target) },
  );
  return { placed, guards };
}

function checkGuards(guards, failed, name) {
  for (const { memory, target } of guards) {
    // Detached by a hostile argument.
    if (memory.length === 0) continue;
    const beside = [...memory.subarray(0, 32), ...memory.subarray(32 + target.length)];
    assert.ok(
      beside.every((byte) => byte === GUARD),
      `${name}: wrote beside its target`,
    );
    if (failed)
      assert.ok(
        target.every((byte) => byte === 9) || target.every((byte) => byte === 0),
        `${name}: a failed call left ${target.toString('hex')}`,
      );
  }
}

/** Runs one call and returns its outcome as text. */
function outcome({ template, changes, pollution }) {
  const { name, args } = calls[template];
  if (millrace[name] === undefined) return '';
  const { placed, guards } = guarded(args());
  const given = changed(placed, changes);
  let text;
  try {
    text = printed(
      name,
      polluted(pollution, () => millrace[name](...given)),
    );
    checkGuards(guards, false, name);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    text = expectable(error, name);
    checkGuards(guards, true, name);
  }
  return text;
}

test('every export is called', () => {
  const named = [...new Set(calls.map(({ name }) => name)), ...classes];
  const exported = new Set([...Object.keys(millrace), ...Object.keys(promises)]);
  assert.deepEqual(named.sort(), [...exported].sort());
});

test('the first calls of a process are right if prototypes have indices and names', async () => {
  const program = `
    const file = ${JSON.stringify(new URL('../support/calls.mjs', import.meta.url).href)};
    import(file).then(({ nativeOnly, templates }) => {
      // Node reads package.json when it loads code, with these indices.
      for (const engine of ['portable', 'native']) millrace.configure({ engine });
      for (const engine of ['native', 'portable']) {
        millrace.configure({ engine });
        const calls = templates(millrace);
        // Names of options, and those of property descriptors.
        const names = ['N', 'memory', 'key', 'nonce', 'algorithm', 'get', 'set', 'value', engine];
        for (const { name, args } of calls) {
          if (millrace[name] === undefined || /Stream|WithPassphrase/.test(name)) continue;
          const given = args();
          for (let index = 0; index < 80; index++) Object.prototype[index] = 'an index';
          for (const name of names) Object.prototype[name] = 'a name';
          try {
            millrace[name](...given);
          } catch (error) {
            const isLater = nativeOnly.test(name) && error.code === 'ERR_ENGINE_UNAVAILABLE';
            if (engine === 'native' || !isLater) console.log(engine, name, error.stack);
          } finally {
            for (let index = 0; index < 80; index++) delete Object.prototype[index];
            for (const name of names) delete Object.prototype[name];
          }
        }
      }
      console.log('end');
    });
  `;
  const { stdout, stderr } = await run(program);
  assert.equal(stdout, 'end\n', stderr);
});

test('hostile arguments end with an error, or with the result of both engines', () => {
  const results = { results: 0 };
  fc.assert(
    fc.property(call, (each) => {
      const native = outcome(each);
      millrace.configure({ engine: 'portable' });
      let portable;
      try {
        portable = outcome(each);
      } finally {
        millrace.configure({ engine: 'auto' });
      }
      const lacks = nativeOnly.test(calls[each.template].name);
      if (!lacks || portable !== 'ERR_ENGINE_UNAVAILABLE') assert.equal(portable, native);
      const group = native.startsWith('ERR_') ? native : 'results';
      results[group] = (results[group] ?? 0) + 1;
    }),
    parameters,
  );
  const all = Object.values(results).reduce((sum, count) => sum + count);
  // Most changes must be found, and some must not matter.
  assert.ok(results.results > all / 50 && results.results < all / 2, JSON.stringify(results));
  assert.ok(Object.keys(results).length > 6, JSON.stringify(results));
});

test('hostile arguments of asynchronous calls settle once, later', async () => {
  await fc.assert(
    fc.asyncProperty(call, fc.boolean(), async ({ template, changes, pollution }, promised) => {
      const { name, args } = calls[template];
      const api = promised || millrace[name] === undefined ? promises : millrace;
      // Calls that return no promise and take no callback.
      if (typeof api[name] !== 'function' || (api === millrace && !asynchronous.has(name))) return;
      const { placed, guards } = guarded(args());
      const given = changed(placed, changes);
      let [failed, called, returned] = [false, 0, false];
      try {
        if (api === promises) {
          const value = await polluted(pollution, () => promises[name](...given));
          printed('configure', value);
          value?.destroy?.();
          value?.on?.('error', () => {});
        } else {
          await new Promise((resolve, reject) => {
            polluted(pollution, () => {
              millrace[name](...given, (error) => {
                called++;
                assert.ok(returned, `${name} called back during the call`);
                if (error) reject(error);
                else resolve();
              });
            });
            returned = true;
          });
          assert.equal(called, 1);
        }
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        expectable(error, name);
        failed = true;
      }
      checkGuards(guards, failed, name);
    }),
    { ...parameters, numRuns: Math.ceil(runs / 2) },
  );
});

/** Exports of `millrace` that take a callback. */
const asynchronous = new Set(
  Object.keys(millrace).filter(
    (name) => name in promises && !/Stream|^create|^get|engines|configure|Rehash|timing/.test(name),
  ),
);
