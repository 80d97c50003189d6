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
import { guard, guarded, ok, same, sameBytes } from './verdicts.mjs';

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
  const { millrace, promises, options, add, styles, made } = context;
  for (const [algorithm, all] of Object.entries(await hashVectors(context))) {
    const few = spread(
      all.filter(({ source }) => source.length <= SHORT),
      FEW,
    );
    const plain = few.filter(({ options: own }) => Object.keys(own).length === 0);
    const whole = { ...options, ...sized(context, algorithm) };
    const { chain, long } = made.hashes[algorithm];
    for (const { name: way, call } of styles) {
      const hash = (source, ...more) => call('hash', algorithm, source, ...more);
      const each = (form, run, list) =>
        list.length > 0 && add('hashes', algorithm, `${way}, ${form}`, run, list);
      const asDigest = async ({ note, source, digest, options: own }) =>
        sameBytes(await hash(source, { ...options, ...own }), digest, note);
      each('options', asDigest, all);
      const withoutOptions = async ({ note, source, digest }) =>
        sameBytes(await hash(source), digest, note);
      each('plain', withoutOptions, plain);
      addEncodings(each, [few, plain], {
        encodings: ({ source, options: own }, encoding) =>
          hash(source, { ...options, ...own, encoding }),
        'encodings by position': ({ source }, encoding) => hash(source, encoding),
      });
      each(
        'target',
        intoTarget(({ source, options: own }, given) =>
          hash(source, { ...options, ...own, ...given }),
        ),
        few,
      );
      add('hashes', algorithm, `${way}, text and kinds of bytes`, async () => {
        for (const text of TEXTS)
          sameBytes(
            await hash(text, whole),
            millrace.hash(algorithm, utf8(text), whole),
            text.slice(0, 20),
          );
        const bytes = pattern(72);
        const expected = millrace.hash(algorithm, bytes, whole);
        for (const kind of kindsOf(bytes))
          sameBytes(await hash(kind, whole), expected, kind.constructor.name);
      });
      add('hashes', algorithm, `${way}, long messages`, async () => {
        for (const [size, digest] of Object.entries(long))
          sameBytes(await hash(pattern(Number(size)), whole), digest, `${size} bytes`);
      });
    }
    add('hashes', algorithm, 'every length to 300', () => {
      let last = new Uint8Array(0);
      for (let size = 0; size <= 300; size++)
        last = millrace.hash(algorithm, join([last, pattern(size)]), whole);
      sameBytes(last, chain, 'digest of digests');
    });
    add('hashes', algorithm, 'many asynchronous calls in flight', async () => {
      const digests = await Promise.all(
        few.map(({ source, options: own }) =>
          promises.hash(algorithm, source, { ...options, ...own }),
        ),
      );
      digests.forEach((digest, index) => sameBytes(digest, few[index].digest, few[index].note));
    });
    add('hashes', algorithm, 'what is hashed asynchronously was copied at the call', async () => {
      for (const size of [40, 3000, 200_000]) {
        const source = pattern(size);
        const expected = millrace.hash(algorithm, source, whole);
        const promise = promises.hash(algorithm, source, whole);
        source.fill(0);
        sameBytes(await promise, expected, `${size} bytes`);
      }
    });
  }
}

export async function hmacs(context) {
  const { millrace, options, add, styles } = context;
  for (const [algorithm, all] of Object.entries(await hmacVectors(context))) {
    const few = spread(
      all.filter(({ source, valid }) => source.length <= SHORT && valid === undefined),
      FEW,
    );
    for (const { name: way, call } of styles) {
      const hmac = ({ key, source }, ...more) => call('hmac', algorithm, key, source, ...more);
      const each = (form, run, list) => add('hmacs', algorithm, `${way}, ${form}`, run, list);
      const asCode = async ({ note, digest, valid = true, ...given }) => {
        const code = await hmac(given, options);
        // Published codes may be cut short; invalid ones must not be ours.
        ok(toHex(code).startsWith(digest) === valid, `${note}: ${toHex(code)} and ${digest}`);
      };
      each('options', asCode, all);
      const withoutOptions = async ({ note, digest, ...given }) =>
        sameBytes(await hmac(given), digest, note);
      each('plain', withoutOptions, few);
      addEncodings(each, [few, few], {
        encodings: (given, encoding) => hmac(given, { ...options, encoding }),
        'encodings by position': hmac,
      });
      each(
        'target',
        intoTarget((given, target) => hmac(given, { ...options, ...target })),
        few,
      );
      const asText = async (text) =>
        sameBytes(
          await hmac({ key: text, source: text }, options),
          millrace.hmac(algorithm, utf8(text), utf8(text), options),
          text.slice(0, 20),
        );
      each('text as key and message', asText, TEXTS);
    }
  }
}

/** Adds a case for each form of a call with an encoding. */
function addEncodings(each, lists, forms) {
  for (const [index, [form, digestOf]] of Object.entries(forms).entries()) {
    const inEveryEncoding = async (vector) => {
      for (const [encoding, expected] of Object.entries(encodings))
        equal(
          await digestOf(vector, encoding),
          expected(vector.digest),
          `${vector.note}, ${encoding}`,
        );
    };
    each(form, inEveryEncoding, lists[index]);
  }
}

/** Returns a check of a call that writes into a target. */
function intoTarget(write) {
  return async (vector) => {
    const { note, digest } = vector;
    const size = digest.length / 2;
    const target = guard(size + 9);
    same(await write(vector, { target, targetOffset: 4 }), size, note);
    guarded(target, 4, digest, note);
  };
}

export function many(context) {
  const { millrace, options, add, made, styles } = context;
  const list = [0, 1, 55, 63, 64, 65, 127, 128, 200, 1000, 1024, 1025, 5000].map(pattern);
  const packed = pattern(48 * 37);
  const parts = Array.from({ length: 37 }, (_, index) => packed.slice(48 * index, 48 * index + 48));
  const texts = ['Grüße', '', 'abc'];
  const chunks = Array.from({ length: 600 }, (_, index) => pattern(index % 90, index));
  const key = pattern(20, 3);
  for (const algorithm of Object.keys(made.hashes)) {
    const own = { ...options, ...sized(context, algorithm) };
    const hash = (source) => millrace.hash(algorithm, source, own);
    const hmac = (source) => millrace.hmac(algorithm, key, source, options);
    for (const [method, before, one, given] of [
      ['hashMany', [algorithm], hash, own],
      ...(algorithm in made.hmacs ? [['hmacMany', [algorithm, key], hmac, options]] : []),
    ]) {
      for (const { name: way, call } of styles) {
        const all = (sources, more) => call(method, ...before, sources, { ...given, ...more });
        add('many', algorithm, `${method}, ${way}`, async () => {
          const expected = join(list.map(one));
          sameBytes(await all(list), expected, 'an array');
          sameBytes(await all({ data: packed, size: 48 }), join(parts.map(one)), 'packed');
          sameBytes(await all([]), '', 'none');
          for (const encoding of ['buffer', 'hex', '0xhex', 'base64', 'bigint']) {
            const digests = await all(list, { encoding });
            same(digests.length, list.length, encoding);
            for (const [index, digest] of digests.entries()) {
              const wanted = encodings[encoding](toHex(one(list[index])));
              equal(digest, wanted, `${encoding}, message ${index}`);
            }
          }
          const target = guard(expected.length + 9);
          same(await all(list, { target, targetOffset: 4 }), expected.length, 'target');
          guarded(target, 4, expected, 'target');
          sameBytes(await all(texts), join(texts.map((text) => one(utf8(text)))), 'text');
          const found = fingerprint(await all(chunks));
          same(found, fingerprint(join(chunks.map(one))), '600 messages');
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
