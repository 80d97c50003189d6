// One derivation by every call style.

import { promisify } from 'node:util';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { member } from '../support/member.mjs';

/**
 * Returns `[way, result]` for each way: synchronously, by callback, by promise, and several at
 * once, which run in lanes.
 */
export async function everyWay(name, args) {
  const together = await Promise.all(
    Array.from({ length: 5 }, () => member(promises, name)(...args)),
  );
  return [
    ['synchronous', member(millrace, name)(...args)],
    ['callback', await promisify(member(millrace, name))(...args)],
    ['promise', await member(promises, name)(...args)],
    ...together.map((result, index) => [`together, ${index}`, result]),
  ];
}
