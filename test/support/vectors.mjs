// The data of test/vectors.

import { readFileSync } from 'node:fs';

/** Reads a file; `{ "hex": digits }` and RFC 9861's `{ "pattern": size }` become bytes. */
export function vectors(name) {
  const url = new URL(`../vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8'), (_, value) => {
    if (Object.keys(value ?? {}).join() === 'hex') return hex(value.hex);
    if (Object.keys(value ?? {}).join() === 'pattern') return pattern(value.pattern);
    return value;
  });
}

/** Yields the tests of a file of Project Wycheproof, each with the facts of its group. */
export function* wycheproof(name) {
  const { fields, groups } = vectors(`wycheproof-${name}`);
  for (const { tests, ...group } of groups)
    for (const row of tests)
      yield { ...group, ...Object.fromEntries(fields.map((field, index) => [field, row[index]])) };
}

export const hex = (digits) => Buffer.from(digits, 'hex');

export const pattern = (size) =>
  Buffer.from(Uint8Array.from({ length: size }, (_, index) => index % 251));
