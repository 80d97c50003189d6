// The three ways to call a function: for its result, with a callback, and for a promise.

import assert from 'node:assert/strict';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { member } from './member.mjs';

/** Each takes the name of a function, as `member` does, and its arguments. */
export const ways = {
  sync: (name, ...given) => member(millrace, name)(...given),
  callback: (name, ...given) =>
    new Promise((resolve, reject) => {
      let returned = false;
      const settle = (error, value) => {
        assert.ok(returned, `${name} calls back before it returns`);
        if (error) reject(error);
        else resolve(value);
      };
      assert.equal(member(millrace, name)(...given, settle), undefined);
      returned = true;
    }),
  promise: (name, ...given) => {
    const promise = member(promises, name)(...given);
    assert.ok(promise instanceof Promise);
    return promise;
  },
};

/** Runs something in each way, at the same time. */
export const eachWay = (run) =>
  Promise.all(Object.entries(ways).map(([way, call]) => run(call, way)));

/** Returns `[way, result]` of each way, and of five calls at once, which run in lanes. */
export async function everyWay(name, args) {
  const together = await Promise.all(Array.from({ length: 5 }, () => ways.promise(name, ...args)));
  const found = together.map((result, index) => [`together, ${index}`, result]);
  for (const [way, call] of Object.entries(ways)) found.push([way, await call(name, ...args)]);
  return found;
}
