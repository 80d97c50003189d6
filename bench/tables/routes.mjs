// The automatic route beside every fixed one. A row is an operation, the size of a message, the
// calls in flight, and whether the source is copied, or lent together with a target.

import crypto from 'node:crypto';
import { createRequire } from 'node:module';

import { bytes } from '../../cli/bench/report.mjs';
import { compare } from '../report.mjs';

/** The choice depends on the state of a process, and long rounds have many choices. */
export const settings = { rounds: 5, time: 40 };

export const load = () => createRequire(import.meta.url)('../../dist/promises.js');

const operations = ['sha256', 'hmac-sha256', 'aes-256-gcm', 'chacha20-poly1305'];
const sizes = [64, 256, ...[1, 4, 16, 64, 1024].map((size) => size * 1024)];
const depths = [1, 16, 256];
const memories = ['copied', 'lent'];
const key = crypto.randomBytes(32);
const nonce = crypto.randomBytes(12);

export const rows = operations.flatMap((operation) =>
  sizes.flatMap((size) => {
    const source = Buffer.alloc(size, 7);
    const expected = answerOfNode(operation, source);
    return memories.flatMap((memory) =>
      depths.map((inFlight) => {
        const name = `${operation} ${memory}, ${bytes(size)}, ${inFlight} in flight`;
        const about = { name, operation, size, memory, inFlight, wait: 'promise', expected };
        return { ...about, forms: (promises) => formsOf(promises, about, source) };
      }),
    );
  }),
);

function formsOf(promises, { operation, memory, inFlight, expected }, source) {
  const calls = (route) =>
    Array.from({ length: inFlight }, () => {
      const target = memory === 'lent' ? Buffer.alloc(expected.length) : undefined;
      // Without a target there is no such property: `copied` is the call without one.
      const given = { ...(route && { route }), ...(target && { target }) };
      return Object.assign(callOf(promises, operation, source, given), { target });
    });
  // SHA-256 and HMAC cannot be split: there `split` is the same as `pool`.
  const split = /sha256/.test(operation) ? undefined : calls('split');
  return {
    millrace: calls(),
    'millrace inline': calls('inline'),
    'millrace pool': calls('pool'),
    'millrace split': split,
  };
}

function callOf(promises, operation, source, given) {
  if (operation === 'sha256') return () => promises.hash('sha256', source, { ...given });
  if (operation === 'hmac-sha256') return () => promises.hmac('sha256', key, source, { ...given });
  return () => promises.seal(operation, { key, nonce, source, ...given });
}

function answerOfNode(operation, source) {
  if (operation === 'sha256') return crypto.createHash('sha256').update(source).digest();
  if (operation === 'hmac-sha256') return crypto.createHmac('sha256', key).update(source).digest();
  /** @type {any} */
  const tagged = { authTagLength: 16 };
  const cipher = /** @type {any} */ (crypto.createCipheriv(operation, key, nonce, tagged));
  return Buffer.concat([cipher.update(source), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Arranges the results as a table for each operation: sizes by memory and calls in flight. A cell
 * has the ratio to the fastest fixed route, and its first letter.
 */
export function arrange(results, columns) {
  const values = (list, field) => [...new Set(list.map((each) => each[field]))];
  const heads = values(results, 'memory').flatMap((memory) =>
    values(results, 'inFlight').map((inFlight) => ({ memory, inFlight })),
  );
  const titles = heads.map(({ memory, inFlight }) => `${memory}, ${inFlight}`);
  const table = (operation, column) => {
    const here = results.filter((each) => each.operation === operation);
    const cellOf = (size, { memory, inFlight }) => {
      const found = here.find(
        (each) => each.size === size && each.memory === memory && each.inFlight === inFlight,
      );
      const { entries = [], disturbed } = found?.cells[column] ?? {};
      if (entries.length === 0) return '';
      const { best, ratio, noise } = compare(entries);
      const mark = ratio < 1 && ratio >= 1 - noise ? '~' : '';
      const [, route] = best.competitor.split(' ');
      return `${ratio.toFixed(2)} ${route[0]}${mark}${disturbed ? '!' : ''}`;
    };
    return [
      '',
      `| ${[operation, ...titles].join(' | ')} |`,
      `|---|${'---|'.repeat(heads.length)}`,
      ...values(here, 'size').map(
        (size) => `| ${[bytes(size), ...heads.map((head) => cellOf(size, head))].join(' | ')} |`,
      ),
    ];
  };
  return columns.flatMap((title, column) => [
    title,
    ...values(results, 'operation').flatMap((operation) => table(operation, column)),
  ]);
}
