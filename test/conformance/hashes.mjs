// Digests and codes of whole messages: every algorithm, by every call style, in every form; and
// many at once.

import {
  fingerprint,
  hex,
  join,
  pattern,
  toBase64,
  toBase64url,
  toHex,
  utf8,
  viewOf,
  viewTypes,
} from './bytes.mjs';
import { hashVectors, hmacVectors } from './vectors.mjs';
import { ok, same, sameBytes } from './verdicts.mjs';
import { callStylesOf } from './call-styles.mjs';

/** The digest in each encoding. */
const encodings = {
  buffer: (digest) => digest,
  hex: (digest) => digest,
  '0xhex': (digest) => `0x${digest}`,
  base64: (digest) => toBase64(hex(digest)),
  base64url: (digest) => toBase64url(hex(digest)),
  bigint: (digest) => BigInt(`0x${digest}`),
};

const TEXTS = ['', 'a', 'Grüße, 世界 🌍', 'lone \ud800 surrogate', 'é'.repeat(3000)];

/** Enough for the forms that differ only in how the result comes back. */
const FEW = 14;
const SHORT = 5000;

export async function hashes(context) {
  const { millrace, promises, options, add } = context;
  const vectors = await hashVectors(context);
  for (const [algorithm, all] of Object.entries(vectors)) {
    const few = spread(
      all.filter(({ source }) => source.length <= SHORT),
      FEW,
    );
    const plain = few.filter(({ options: own }) => Object.keys(own).length === 0);
    for (const { name: way, call } of callStylesOf(millrace, promises)) {
      const each = (form, list, run) =>
        list.length > 0 && add('hashes', algorithm, `${way}, ${form}`, () => inTurn(list, run));
      each('options', all, async ({ note, source, digest, options: own }) =>
        sameBytes(await call('hash', algorithm, source, { ...options, ...own }), digest, note),
      );
      each('plain', plain, async ({ note, source, digest }) =>
        sameBytes(await call('hash', algorithm, source), digest, note),
      );
      each('encodings', few, async ({ note, source, digest, options: own }) => {
        for (const [encoding, expected] of Object.entries(encodings))
          equal(
            await call('hash', algorithm, source, { ...options, ...own, encoding }),
            expected(digest),
            `${note}, ${encoding}`,
          );
      });
      each('encodings by position', plain, async ({ note, source, digest }) => {
        for (const [encoding, expected] of Object.entries(encodings))
          equal(
            await call('hash', algorithm, source, encoding),
            expected(digest),
            `${note}, ${encoding}`,
          );
      });
      each('target', few, async ({ note, source, digest, options: own }) => {
        const target = new Uint8Array(digest.length / 2 + 9).fill(0xa5);
        same(
          await call('hash', algorithm, source, { ...options, ...own, target, targetOffset: 4 }),
          digest.length / 2,
          note,
        );
        guarded(target, 4, digest, note);
      });
      add('hashes', algorithm, `${way}, text and kinds of bytes`, async () => {
        const own = { ...options, ...sized(context, algorithm) };
        for (const text of TEXTS)
          sameBytes(
            await call('hash', algorithm, text, own),
            millrace.hash(algorithm, utf8(text), own),
            text.slice(0, 20),
          );
        const bytes = pattern(72);
        const expected = millrace.hash(algorithm, bytes, own);
        for (const kind of kindsOf(bytes))
          sameBytes(await call('hash', algorithm, kind, own), expected, kind.constructor.name);
      });
    }
    add('hashes', algorithm, 'every length to 300', () => {
      const { digestSize, chain } = context.made.hashes[algorithm];
      let last = new Uint8Array(0);
      for (let size = 0; size <= 300; size++)
        last = millrace.hash(algorithm, join([last, pattern(size)]), {
          ...options,
          ...(digestSize === 0 && { outputLength: 40 }),
        });
      sameBytes(last, chain, 'digest of digests');
    });
    const { long } = context.made.hashes[algorithm];
    for (const { name: way, call } of callStylesOf(millrace, promises)) {
      add('hashes', algorithm, `${way}, long messages`, async () => {
        for (const [size, digest] of Object.entries(long))
          sameBytes(
            await call('hash', algorithm, pattern(Number(size)), {
              ...options,
              ...sized(context, algorithm),
            }),
            digest,
            `${size} bytes`,
          );
      });
    }
    add('hashes', algorithm, 'many asynchronous calls in flight', async () => {
      const digests = await Promise.all(
        few.map(({ source, options: own }) =>
          promises.hash(algorithm, source, { ...options, ...own }),
        ),
      );
      digests.forEach((digest, index) => sameBytes(digest, few[index].digest, few[index].note));
    });
    add('hashes', algorithm, 'what is hashed asynchronously was copied at the call', async () => {
      const own = { ...options, ...sized(context, algorithm) };
      for (const size of [40, 3000, 200_000]) {
        const source = pattern(size);
        const expected = millrace.hash(algorithm, source, own);
        const promise = promises.hash(algorithm, source, own);
        source.fill(0);
        sameBytes(await promise, expected, `${size} bytes`);
      }
    });
  }
}

export async function hmacs(context) {
  const { millrace, promises, options, add } = context;
  for (const [algorithm, all] of Object.entries(await hmacVectors(context))) {
    const few = spread(
      all.filter(({ source, valid }) => source.length <= SHORT && valid === undefined),
      FEW,
    );
    for (const { name: way, call } of callStylesOf(millrace, promises)) {
      const each = (form, list, run) =>
        add('hmacs', algorithm, `${way}, ${form}`, () => inTurn(list, run));
      each('options', all, async ({ note, key, source, digest, valid = true }) => {
        const code = await call('hmac', algorithm, key, source, options);
        // Published codes may be cut short; invalid ones must not be ours.
        ok(toHex(code).startsWith(digest) === valid, `${note}: ${toHex(code)} and ${digest}`);
      });
      each('plain', few, async ({ note, key, source, digest }) =>
        sameBytes(await call('hmac', algorithm, key, source), digest, note),
      );
      each('encodings', few, async ({ note, key, source, digest }) => {
        for (const [encoding, expected] of Object.entries(encodings)) {
          equal(
            await call('hmac', algorithm, key, source, { ...options, encoding }),
            expected(digest),
            `${note}, ${encoding}`,
          );
          equal(
            await call('hmac', algorithm, key, source, encoding),
            expected(digest),
            `${note}, ${encoding} by position`,
          );
        }
      });
      each('target', few, async ({ note, key, source, digest }) => {
        const target = new Uint8Array(digest.length / 2 + 9).fill(0xa5);
        same(
          await call('hmac', algorithm, key, source, { ...options, target, targetOffset: 4 }),
          digest.length / 2,
          note,
        );
        guarded(target, 4, digest, note);
      });
      add('hmacs', algorithm, `${way}, text as key and message`, async () => {
        for (const text of TEXTS)
          sameBytes(
            await call('hmac', algorithm, text, text, options),
            millrace.hmac(algorithm, utf8(text), utf8(text), options),
            text.slice(0, 20),
          );
      });
    }
  }
}

export async function many(context) {
  const { millrace, promises, options, add, made } = context;
  const list = [0, 1, 55, 63, 64, 65, 127, 128, 200, 1000, 1024, 1025, 5000].map((size, index) =>
    pattern(size, index),
  );
  const packed = pattern(48 * 37);
  const parts = Array.from({ length: 37 }, (_, index) => packed.slice(48 * index, 48 * index + 48));
  const key = pattern(20, 3);
  for (const algorithm of Object.keys(made.hashes)) {
    const own = sized(context, algorithm);
    const kinds = [
      {
        method: 'hashMany',
        before: [algorithm],
        one: (source) => millrace.hash(algorithm, source, { ...options, ...own }),
        own,
      },
    ];
    if (algorithm in made.hmacs)
      kinds.push({
        method: 'hmacMany',
        before: [algorithm, key],
        one: (source) => millrace.hmac(algorithm, key, source, options),
        own: {},
      });
    for (const { method, before, one, own: extra } of kinds) {
      for (const { name: way, call } of callStylesOf(millrace, promises)) {
        add('many', algorithm, `${method}, ${way}`, async () => {
          const given = { ...options, ...extra };
          sameBytes(await call(method, ...before, list, given), join(list.map(one)), 'an array');
          sameBytes(
            await call(method, ...before, { data: packed, size: 48 }, given),
            join(parts.map(one)),
            'packed',
          );
          sameBytes(await call(method, ...before, [], given), '', 'none');
          for (const encoding of ['buffer', 'hex', '0xhex', 'base64', 'bigint']) {
            const digests = await call(method, ...before, list, { ...given, encoding });
            same(digests.length, list.length, encoding);
            digests.forEach((digest, index) =>
              equal(
                digest,
                encodings[encoding](toHex(one(list[index]))),
                `${encoding}, message ${index}`,
              ),
            );
          }
          const expected = join(list.map(one));
          const target = new Uint8Array(expected.length + 9).fill(0xa5);
          same(
            await call(method, ...before, list, { ...given, target, targetOffset: 4 }),
            expected.length,
            'target',
          );
          guarded(target, 4, toHex(expected), 'target');
          sameBytes(
            await call(method, ...before, ['Grüße', '', 'abc'], given),
            join(['Grüße', '', 'abc'].map((text) => one(utf8(text)))),
            'text',
          );
          const chunks = Array.from({ length: 600 }, (_, index) => pattern(index % 90, index));
          same(
            fingerprint(await call(method, ...before, chunks, given)),
            fingerprint(join(chunks.map(one))),
            '600 messages',
          );
        });
      }
    }
  }
}

/** Returns the options that the digest of an algorithm without a natural size needs. */
export function sized({ made }, algorithm) {
  return made.hashes[algorithm].digestSize === 0 ? { outputLength: 40 } : {};
}

function* kindsOf(bytes) {
  const shifted = new Uint8Array(bytes.length + 8);
  shifted.set(bytes, 8);
  yield shifted.subarray(8);
  yield new DataView(shifted.buffer, 8, bytes.length);
  yield new Float64Array(shifted.buffer, 8, bytes.length / 8);
  for (const Type of viewTypes) yield viewOf(Type, bytes);
  yield bytes.slice().buffer;
  if (typeof SharedArrayBuffer === 'undefined') return;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  yield shared;
  yield shared.buffer;
}

/** Checks that nothing but the target was written. */
function guarded(target, offset, digest, what) {
  const size = digest.length / 2;
  sameBytes(target.slice(offset, offset + size), hex(digest), what);
  ok(
    [...target.slice(0, offset), ...target.slice(offset + size)].every((byte) => byte === 0xa5),
    `${what}: written beside the target`,
  );
}

function equal(actual, expected, what) {
  if (actual instanceof Uint8Array) sameBytes(actual, expected, what);
  else same(actual, expected, what);
}

/** Returns `count` items of a list, from its beginning to its end. */
function spread(list, count) {
  if (list.length <= count) return list;
  return Array.from(
    { length: count },
    (_, index) => list[Math.floor((index * (list.length - 1)) / (count - 1))],
  );
}

async function inTurn(list, run) {
  for (const each of list) await run(each);
}
