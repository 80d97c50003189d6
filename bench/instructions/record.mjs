// The record of instructions in the repository, and what a new count is beside it.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { differences, ofNativeCode } from './conditions.mjs';

/**
 * A count may grow by this part. That of native code repeats exactly, the whole one within 0.3 % in
 * another folder and with another environment.
 */
export const TOLERANCE = 0.02;

export const recordPath = fileURLToPath(
  new URL(`../records/instructions-${process.arch}.json`, import.meta.url),
);

/**
 * @typedef {object} Record
 * @property {import('./conditions.mjs').Conditions} conditions
 * @property {{ [name: string]: { native: number, total: number } }} calls
 *
 * @typedef {object} Change
 * @property {string} name
 * @property {'native' | 'total'} part
 * @property {number} before
 * @property {number} now
 * @property {boolean} failed
 */

/** @returns {Record | undefined} */
export function readRecord(path = recordPath) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** @param {Map<string, import('./callgrind.mjs').Count>} counts */
export function writeRecord(path, conditions, counts) {
  const lines = [...counts].map(([name, { native, total }]) => {
    const rounded = `{ "native": ${Math.round(native)}, "total": ${Math.round(total)} }`;
    return `    ${JSON.stringify(name)}: ${rounded}`;
  });
  const head = JSON.stringify(conditions, null, 2).replaceAll('\n', '\n  ');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `{\n  "conditions": ${head},\n  "calls": {\n${lines.join(',\n')}\n  }\n}\n`);
}

/**
 * Returns what of a record can be compared under these conditions: both counts, only the native one
 * if Node.js or the C library is another, or none. `reason` says why not both.
 *
 * @param {Record | undefined} record
 * @param {import('./conditions.mjs').Conditions} conditions
 * @returns {{ parts: ('native' | 'total')[], reason?: string }}
 */
export function comparable(record, conditions) {
  if (record === undefined)
    return { parts: [], reason: 'there is no record for this architecture' };
  const native = differences(record.conditions, conditions, ofNativeCode);
  if (native.length > 0) return { parts: [], reason: native.join('; ') };
  const rest = differences(record.conditions, conditions, ['node', 'libc']);
  return rest.length > 0
    ? { parts: ['native'], reason: rest.join('; ') }
    : { parts: ['native', 'total'] };
}

/**
 * @param {Record} record
 * @param {Map<string, import('./callgrind.mjs').Count>} counts
 * @param {readonly ('native' | 'total')[]} parts
 * @returns {Change[]}
 */
export function changes(record, counts, parts) {
  return [...counts].flatMap(([name, count]) =>
    parts.flatMap((part) => {
      const before = record.calls[name]?.[part];
      if (before === undefined) return [];
      const now = Math.round(count[part]);
      return [{ name, part, before, now, failed: now > before * (1 + TOLERANCE) }];
    }),
  );
}
