// Formats that are read from files, with changed and with random bytes: sealed streams and files,
// and checksum lists. MILLRACE_CALLS sets the number of inputs.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';

import fc from 'fast-check';
import millrace from 'millrace';
import promises from 'millrace/promises';

import { seed } from '../support/random.mjs';

const require = createRequire(import.meta.url);
const { checksumLine, joinLines, readChecksums } = require('../../cli/sum/lines.js');

// The short form reads the same inputs in every run.
const long = process.env.MILLRACE_CALLS;
const parameters = (numRuns) => ({
  numRuns: long === undefined ? numRuns : Number(long),
  seed: long === undefined ? 1 : seed | 0,
  includeErrorInReport: true,
});

const key = Buffer.alloc(32, 7);
const stream = { algorithm: 'aes-256-gcm', key };
const text = Buffer.from(Array.from({ length: 40_000 }, (_, index) => index % 251));

/** Returns what a stream makes of bytes. */
function through(transform, bytes) {
  transform.end(bytes);
  return buffer(transform);
}

/** The sealed formats, and the ways to open them. */
const sealedFormats = [
  {
    name: 'sealed streams',
    seal: () => through(promises.sealStream(stream), text),
    open: (bytes) => through(promises.openStream(stream), bytes),
  },
  {
    name: 'a range of a sealed stream',
    seal: () => through(promises.sealStream(stream), text),
    open: (bytes) =>
      promises.openRange((start, end) => bytes.subarray(start, end), {
        ...stream,
        end: text.length,
      }),
  },
  {
    name: 'files sealed with a key',
    seal: () => promises.sealWithKey(key, text),
    open: (bytes) => promises.openWithKey(key, bytes),
  },
  {
    name: 'files sealed with a passphrase',
    seal: () => promises.sealWithPassphrase('x', text, { N: 1024 }),
    // A changed header must not cost more than this.
    open: (bytes) => promises.openWithPassphrase('x', bytes, { maxMemory: 2 ** 21, maxTime: 50 }),
  },
];

/** A change of bytes: at a part of their length, most of them near the start or the end. */
const edit = fc.record({
  place: fc.oneof(
    fc.nat(100).map((at) => (size) => Math.min(at, size)),
    fc.nat(100).map((at) => (size) => Math.max(size - at, 0)),
    fc.double({ min: 0, max: 1, noNaN: true }).map((at) => (size) => Math.floor(at * size)),
  ),
  removed: fc.oneof(fc.nat(3), fc.constant(Infinity), fc.nat(20_000)),
  inserted: fc.uint8Array({ maxLength: 40 }),
});

function edited(bytes, edits) {
  return edits.reduce((given, { place, removed, inserted }) => {
    const at = place(given.length);
    return Buffer.concat([given.subarray(0, at), inserted, given.subarray(at + removed)]);
  }, bytes);
}

for (const { name, seal, open } of sealedFormats) {
  test(`${name}: changed bytes open to an error with a code, on both engines`, async () => {
    const sealed = await seal();
    assert.deepEqual(Buffer.from(await open(sealed)), text);
    const codes = {};
    const outcome = async (bytes) => {
      try {
        return Buffer.from(await open(bytes)).toString('latin1');
      } catch (error) {
        assert.ok(error instanceof millrace.MillraceError, error.stack);
        return error.code;
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          { weight: 4, arbitrary: fc.array(edit, { minLength: 1, maxLength: 2 }) },
          fc.uint8Array({ maxLength: 200 }),
        ),
        async (change) => {
          const bytes = ArrayBuffer.isView(change) ? Buffer.from(change) : edited(sealed, change);
          const native = await outcome(bytes);
          millrace.configure({ engine: 'portable' });
          try {
            const portable = await outcome(bytes);
            // The time that a header asks for depends on the engine.
            if (portable !== 'ERR_WORK_LIMIT') assert.equal(portable, native);
          } finally {
            millrace.configure({ engine: 'auto' });
          }
          // A range needs its own chunks only.
          const right = bytes.equals(sealed) || name.startsWith('a range');
          if (!native.startsWith('ERR_'))
            assert.ok(right && text.toString('latin1') === native, 'changed bytes opened');
          codes[native.slice(0, 40)] = 1;
        },
      ),
      parameters(100),
    );
    assert.ok(Object.keys(codes).length >= 2, JSON.stringify(Object.keys(codes)));
  });
}

const algorithmOf = (tag, size) =>
  size === 32 && (tag === undefined || tag === 'SHA256')
    ? { algorithm: 'sha256', size }
    : undefined;

/** The bytes of names of files. */
const fileName = fc
  .oneof(
    fc.uint8Array({ minLength: 1, maxLength: 12 }),
    fc
      .array(fc.constantFrom(' ', '*', '\\', '\n', '\r', '(', ') = ab', 'ab', 'é', '\t', '#'), {
        minLength: 1,
        maxLength: 8,
      })
      .map((parts) => Buffer.from(parts.join(''))),
  )
  .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0)))
  .filter((bytes) => bytes.length > 0);

/** Returns a name as it is in a list: text, or bytes that are not UTF-8. */
function nameOf(bytes) {
  const decoded = bytes.toString();
  return Buffer.from(decoded).equals(bytes) ? decoded : bytes;
}

test('a checksum list has the names and digests that were written', () => {
  const entry = fc.record({
    bytes: fileName,
    digest: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((each) => Buffer.from(each)),
  });
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 4 }),
      fc.constantFrom({}, { binary: true }, { tag: 'SHA256' }),
      (entries, form) => {
        const lines = entries.map(({ bytes, digest }) =>
          checksumLine(nameOf(bytes), digest.toString('hex'), form),
        );
        const list = Buffer.from(joinLines(lines));
        assert.deepEqual(
          readChecksums(list, algorithmOf).slice(0, -1),
          entries.map(({ bytes, digest }) => ({
            name: nameOf(bytes),
            digest: digest.toString('hex'),
            about: { algorithm: 'sha256', size: 32 },
          })),
        );
      },
    ),
    parameters(500),
  );
});

test('any bytes are a checksum list: its lines are proper or improper', () => {
  const digest = 'ab'.repeat(32);
  const part = fc.oneof(
    fc.constantFrom(digest, '  ', ' *', ' ', 'SHA256', 'SHA256 (', ') = ', ')= ', '\\', '\\n', '#'),
    fc.constantFrom('\n', '\r\n', '\0', 'a', '-', '/', '../x', 'SHA1 (a) = ', '\ufeff'),
    fc.uint8Array({ maxLength: 9 }),
  );
  const seen = new Set();
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const bytes = Buffer.concat(parts.map((each) => Buffer.from(each)));
      const lines = readChecksums(bytes, algorithmOf);
      assert.equal(lines.length, bytes.toString('latin1').split('\n').length);
      for (const line of lines) {
        seen.add(line === undefined ? 'none' : line.improper ? 'improper' : 'proper');
        if (line === undefined || line.improper) continue;
        assert.match(line.digest, /^[0-9a-f]{64}$/);
        assert.ok(line.name.length > 0);
      }
    }),
    parameters(2000),
  );
  assert.equal(seen.size, 3);
});
