// The conformance suite (conformance/suite.mjs) on this Node: natively and on the portable engine.
// And the suite itself: that it walks the whole catalog, and that it notices entry points that
// answer wrongly.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';

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
      for (const family of ['hashes', 'hashers', 'states', 'many', 'pieces'])
        assert.deepEqual(
          hashNames.filter((each) => !(summary[family][each]?.passed > 0)),
          [],
          family,
        );
      assert.deepEqual(
        hmacNames.filter((each) => !(summary.hmacs[each]?.passed > 0)),
        [],
      );
      assert.deepEqual(
        cipherNames.filter(
          (each) => !(summary.ciphers[each]?.passed > 0 && summary.keys[each]?.passed > 0),
        ),
        [],
      );
      assert.deepEqual(
        aeadNames.filter((each) => !(summary.seals[each]?.passed > 0)),
        [],
      );
      assert.deepEqual(Object.keys(summary.derivations).sort(), [
        'aes-kw',
        'aes-kwp',
        'argon2',
        'hkdf',
        'pbkdf2',
        'scrypt',
        'timingSafeEqual',
      ]);
      assert.deepEqual(Object.keys(summary.passwords).sort(), [
        'argon2d',
        'argon2i',
        'argon2id',
        'bcrypt',
        'scrypt',
      ]);
      assert.ok(
        Object.keys(summary['crypto-async']).length > 20 &&
          Object.keys(summary['bigint-hash']).length > 20,
      );
    });
  });
}

const wrong = (bytes) => {
  if (bytes?.length > 0 && bytes instanceof Uint8Array) bytes[bytes.length - 1] ^= 1;
  return bytes;
};

/** Faults of an entry point, and the cases that must fail with each. */
const liars = {
  'a digest with one wrong bit': {
    names: ['hash'],
    lie:
      (call) =>
      (...args) =>
        wrong(call(...args)),
    families: ['hashes'],
  },
  'a digest that is wrong from 1 MiB on': {
    names: ['hash'],
    lie:
      (call) =>
      (...args) =>
        args[1].length > 2 ** 20 ? wrong(call(...args)) : call(...args),
    families: ['hashes'],
  },
  'a code that forgets long keys': {
    names: ['hmac'],
    lie:
      (call) =>
      (algorithm, key, ...rest) =>
        call(algorithm, key.length > 128 ? key.slice(0, 128) : key, ...rest),
    families: ['hmacs'],
  },
  'opening without a look at the tag': {
    names: ['open'],
    lie:
      (call) =>
      (algorithm, given, ...rest) => {
        try {
          return call(algorithm, given, ...rest);
        } catch {
          return new Uint8Array(given.source.length - 16);
        }
      },
    families: ['seals'],
  },
  'an aad that is ignored': {
    names: ['seal', 'open'],
    lie:
      (call) =>
      (algorithm, given, ...rest) =>
        call(algorithm, { ...given, aad: '' }, ...rest),
    families: ['seals'],
  },
  'every password is right': {
    names: ['verifyPassword'],
    lie:
      () =>
      (...args) =>
        typeof args.at(-1) === 'function' ? setImmediate(args.at(-1), undefined, true) : true,
    families: ['passwords'],
  },
  'one batch in the wrong order': {
    names: ['hashMany'],
    lie:
      (call) =>
      (algorithm, sources, ...rest) =>
        call(
          algorithm,
          Array.isArray(sources) ? (sources.toReversed?.() ?? [...sources].reverse()) : sources,
          ...rest,
        ),
    families: ['many'],
  },
  'errors without a code': {
    names: ['hash', 'seal'],
    lie:
      (call) =>
      (...args) => {
        try {
          return call(...args);
        } catch (error) {
          throw new TypeError(error.message, { cause: error });
        }
      },
    families: ['refusals'],
  },
  'bytes of any length are equal': {
    names: ['timingSafeEqual'],
    lie: () => () => true,
    families: ['derivations'],
  },
};

for (const [title, { names, lie, families: wanted }] of Object.entries(liars)) {
  test(`noticed: ${title}`, async () => {
    const { millrace, promises } = await openEntryPoints();
    const lying = {
      ...millrace,
      ...Object.fromEntries(names.map((name) => [name, lie(millrace[name])])),
    };
    const { cases } = await runConformance({
      millrace: lying,
      promises,
      load,
      families: wanted,
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
