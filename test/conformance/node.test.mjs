// The conformance suite (conformance/suite.mjs) on this Node: natively and on the portable engine.
// And the suite itself: that it walks the whole catalog, and that it notices entry points that
// answer wrongly.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';

import millrace from 'millrace';

import { families, load, openEntryPoints, runHere } from './host.mjs';
import { columnOf, columns, documented, keep } from '../../tools/engines-table.mjs';
import { failuresOf, runConformance } from './suite.mjs';
import { cipherNames, aeadNames, hashNames, hmacNames } from '../support/algorithms.mjs';
import { root } from '../support/child.mjs';

const engines = {
  native: { skip: false, column: `Node ${process.versions.node.split('.')[0]}` },
  portable: {
    engine: 'portable',
    column: 'portable in Node',
    skip: existsSync(join(root, 'dist', 'portable'))
      ? false
      : 'not run: dist/portable is not built',
  },
};

/** Those that derive keys: bcrypt is for passwords only. */
const derivations = Object.keys(millrace.engines().native.derivations)
  .map((name) => name.replace(/^pbkdf2-.*/, 'pbkdf2'))
  .filter((name) => name !== 'bcrypt');

for (const [name, { engine, skip, column }] of Object.entries(engines)) {
  test(`${name}: every case`, { skip }, async (t) => {
    const { cases, summary } = await runHere({ engine, wanted: Object.keys(families) });
    assert.deepEqual(failuresOf(cases), []);
    assert.ok(cases.length > 1900, `${cases.length} cases`);
    keep(column, { summary });
    // Of other versions of Node nothing is said.
    if (columns.includes(column))
      await t.test('as docs/engines.md has it', () =>
        assert.deepEqual(
          columnOf(summary),
          documented(column),
          'node tools/engines-table.mjs writes it',
        ),
      );
    await t.test('the whole catalog', () => {
      for (const [names, wanted] of [
        [hashNames, ['hashes', 'hashers', 'states', 'many', 'pieces']],
        [hmacNames, ['hmacs']],
        [cipherNames, ['ciphers', 'keys']],
        [aeadNames, ['seals']],
        [[...derivations, 'timingSafeEqual'], ['derivations']],
        [['argon2d', 'argon2i', 'argon2id', 'bcrypt', 'scrypt'], ['passwords']],
      ])
        for (const family of wanted)
          assert.deepEqual(
            names.filter((each) => !(summary[family][each]?.passed > 0)),
            [],
            family,
          );
      for (const family of ['crypto-async', 'bigint-hash'])
        assert.ok(Object.keys(summary[family]).length > 20, family);
    });
  });
}

const wrong = (bytes) => {
  if (bytes?.length > 0 && bytes instanceof Uint8Array) bytes[bytes.length - 1] ^= 1;
  return bytes;
};

const reversed = (list) => (Array.isArray(list) ? [...list].reverse() : list);

/** Faults by title: a family that must notice, the functions, and how one lies about a call. */
const liars = {
  'a digest with one wrong bit': ['hashes', ['hash'], (call, ...args) => wrong(call(...args))],
  'a digest that is wrong from 1 MiB on': [
    'hashes',
    ['hash'],
    (call, ...args) => (args[1].length > 2 ** 20 ? wrong(call(...args)) : call(...args)),
  ],
  'a code that forgets long keys': [
    'hmacs',
    ['hmac'],
    (call, algorithm, key, ...rest) => call(algorithm, key.slice(0, 128), ...rest),
  ],
  'opening without a look at the tag': [
    'seals',
    ['open'],
    (call, algorithm, given, ...rest) => {
      try {
        return call(algorithm, given, ...rest);
      } catch {
        return new Uint8Array(given.source.length - 16);
      }
    },
  ],
  'an aad that is ignored': [
    'seals',
    ['seal', 'open'],
    (call, algorithm, given, ...rest) => call(algorithm, { ...given, aad: '' }, ...rest),
  ],
  'every password is right': [
    'passwords',
    ['verifyPassword'],
    (_, ...args) =>
      typeof args.at(-1) === 'function' ? setImmediate(args.at(-1), undefined, true) : true,
  ],
  'one batch in the wrong order': [
    'many',
    ['hashMany'],
    (call, algorithm, sources, ...rest) => call(algorithm, reversed(sources), ...rest),
  ],
  'errors without a code': [
    'refusals',
    ['hash', 'seal'],
    (call, ...args) => {
      try {
        return call(...args);
      } catch (error) {
        throw new TypeError(error.message, { cause: error });
      }
    },
  ],
  'bytes of any length are equal': ['derivations', ['timingSafeEqual'], () => true],
};

for (const [title, [family, names, lie]] of Object.entries(liars)) {
  test(`noticed: ${title}`, async () => {
    const { millrace, promises } = await openEntryPoints();
    const lies = names.map((name) => [name, (...args) => lie(millrace[name], ...args)]);
    const { cases } = await runConformance({
      millrace: { ...millrace, ...Object.fromEntries(lies) },
      promises,
      load,
      families: [family],
      algorithms: ['sha256', 'aes-256-gcm', 'argon2id', 'every entry point', 'timingSafeEqual'],
    });
    const failed = cases.filter(({ ok }) => !ok);
    assert.ok(failed.length > 0, `none of ${cases.length} cases`);
    assert.deepEqual(
      failed.filter(({ unavailable }) => unavailable),
      [],
    );
  });
}
