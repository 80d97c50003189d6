// The three call styles behind one function: `call(name, ...args)` gives a promise.

import { fail } from './verdicts.mjs';

/** Returns the function of an entry point by its name, or by its path: `hkdf.extract`. */
export function member(entryPoint, path) {
  return path.split('.').reduce((found, name) => found[name], entryPoint);
}

/** Returns the ways of the main entry point and of the promises. */
export function callStylesOf(millrace, promises) {
  return [
    { name: 'synchronous', call: async (method, ...args) => member(millrace, method)(...args) },
    { name: 'callback', call: (method, ...args) => byCallback(millrace, method, args) },
    { name: 'promise', call: (method, ...args) => byPromise(promises, method, args) },
  ];
}

/**
 * Returns a promise of a call by callback, which comes later, once, with one argument or two. An
 * exception at the call rejects.
 */
export function byCallback(entryPoint, method, args) {
  return new Promise((resolve, reject) => {
    let returned = false;
    let calls = 0;
    member(entryPoint, method)(...args, (...settled) => {
      const [error, value] = settled;
      if (!returned) reject(new Error(`${method}: the callback came during the call`));
      else if (++calls > 1) reject(new Error(`${method}: the callback came twice`));
      else if (error !== undefined && error !== null) reject(error);
      else resolve(value);
    });
    returned = true;
  });
}

function byPromise(entryPoint, method, args) {
  const promise = member(entryPoint, method)(...args);
  if (!(promise instanceof Promise)) fail(`${method}: no promise`);
  return promise;
}

/** Returns the error a call ends with. */
export async function errorOf(promise, what) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  return fail(
    `${what}: no error but ${typeof value === 'object' ? value?.constructor?.name : String(value)}`,
  );
}
