// The entry points in the shape of original packages: crypto-async, bigint-hash and bigint-buffer.
// They have no options; what they compute is the same.

import { join, pattern, toHex } from './bytes.mjs';
import { cipherVectors, hashVectors, hmacVectors } from './vectors.mjs';
import { same, sameBytes } from './verdicts.mjs';
import { byCallback, errorOf } from './call-styles.mjs';

export async function originals(context) {
  const { cryptoAsync, bigintHash, bigintBuffer } = context.originals;
  if (cryptoAsync !== undefined && context.place !== 'browser')
    await addCryptoAsync(context, cryptoAsync);
  if (bigintHash !== undefined) await addBigintHash(context, bigintHash);
  if (bigintBuffer !== undefined) addBigintBuffer(context, bigintBuffer);
}

/** Its ways: synchronously, and by callback. */
const ways = {
  synchronous: async (entryPoint, method, args) => entryPoint[method](...args),
  callback: byCallback,
};

async function addCryptoAsync({ add, made, ...context }, entryPoint) {
  const known = async (vectors) =>
    Object.entries(await vectors({ made, ...context })).filter(([name]) =>
      isKnown(entryPoint, name),
    );
  for (const [way, call] of Object.entries(ways)) {
    for (const [algorithm, all] of await known(hashVectors)) {
      const hashed = async ({ note, source, digest }) => {
        const hash = (...args) => call(entryPoint, 'hash', [algorithm, ...args]);
        sameBytes(await hash(asBuffer(source)), digest, note);
        const target = asBuffer(new Uint8Array(digest.length / 2 + 4));
        const window = [asBuffer(join([pattern(3), source])), 3, source.length];
        same(await hash(...window, target, 4), digest.length / 2, note);
        sameBytes(new Uint8Array(target.subarray(4)), digest, `${note}, window`);
      };
      const plain = all.filter(({ options }) => Object.keys(options).length === 0).slice(0, 30);
      add('crypto-async', algorithm, `${way}, hash`, hashed, plain);
    }
    for (const [algorithm, all] of await known(hmacVectors)) {
      const coded = async ({ note, key, source, digest }) => {
        const args = [algorithm, asBuffer(key), asBuffer(source)];
        sameBytes(await call(entryPoint, 'hmac', args), digest, note);
      };
      const short = all.filter(({ valid, source }) => valid === undefined && source.length < 5000);
      add('crypto-async', algorithm, `${way}, hmac`, coded, short);
    }
    for (const [algorithm, all] of await known(cipherVectors)) {
      const { aead } = made.ciphers[algorithm];
      const enciphered = async ({ note, key, iv, aad, plain, secret, tag }) => {
        const cipher = (encrypt, source, ...more) => {
          const args = [key, iv, source, ...(aead ? [aad] : [])].map(asBuffer);
          return call(entryPoint, 'cipher', [algorithm, encrypt, ...args, ...(aead ? more : [])]);
        };
        const code = asBuffer(new Uint8Array(16));
        sameBytes(await cipher(1, plain, code), secret, note);
        if (aead) sameBytes(code, tag, `${note}, tag`);
        sameBytes(await cipher(0, secret, aead && asBuffer(tag)), plain, note);
        if (!aead) return;
        code[0] ^= 1;
        const { message } = await errorOf(cipher(0, secret, code), note);
        same(message, entryPoint.E_CORRUPT, note);
      };
      const whole = all.filter(({ secret }) => secret !== undefined);
      add('crypto-async', algorithm, `${way}, cipher`, enciphered, whole);
    }
  }
}

async function addBigintHash(context, entryPoint) {
  for (const [algorithm, all] of Object.entries(await hashVectors(context))) {
    const plain = all.filter(
      ({ options, source }) => Object.keys(options).length === 0 && source.length < 5000,
    );
    if (plain.length === 0) continue;
    const hashed = ({ note, source, digest }) => {
      const number = BigInt(`0x${digest}`);
      same(entryPoint.hashAsBigInt(algorithm, source), number, note);
      sameBytes(entryPoint.hashAsBuffer(algorithm, source), digest, note);
      const half = source.length >> 1;
      const hasher = entryPoint.getHasher(algorithm).update(source.subarray(0, half));
      same(hasher.update(source.subarray(half)).digestBigInt(), number, `${note}, hasher`);
    };
    context.add('bigint-hash', algorithm, 'hashes and hashers', hashed, plain);
  }
}

function addBigintBuffer({ add }, entryPoint) {
  const { toBigIntBE, toBigIntLE, toBufferBE, toBufferLE } = entryPoint;
  const bothWays = (size) => {
    const bytes = pattern(size, size);
    const reversed = bytes.slice().reverse();
    const number = BigInt(`0x0${toHex(bytes)}`);
    same(toBigIntBE(asBuffer(bytes)), number, `${size} bytes`);
    same(toBigIntLE(asBuffer(reversed)), number, `${size} bytes, reversed`);
    sameBytes(toBufferBE(number, size), bytes, `${size} bytes back`);
    sameBytes(toBufferLE(number, size), reversed, `${size} bytes back, reversed`);
    const longer = join([new Uint8Array(3), bytes]);
    sameBytes(toBufferBE(number, size + 3), longer, `${size} bytes in more`);
  };
  const sizes = [0, 1, 4, 7, 8, 9, 16, 31, 32, 33, 100, 1000];
  add('bigint-buffer', 'bigint-buffer', 'both ways, both orders', bothWays, sizes);
}

/**
 * Returns a Buffer, which the original package takes; where there are none, this entry point takes
 * any Uint8Array.
 */
function asBuffer(bytes) {
  return globalThis.Buffer === undefined ? bytes : globalThis.Buffer.from(bytes);
}

function isKnown(entryPoint, name) {
  const one = asBuffer(new Uint8Array(1));
  try {
    if (/^(aes|chacha)/.test(name)) entryPoint.cipher(name, 1, one, one, one);
    else entryPoint.hash(name, one);
    return true;
  } catch (error) {
    return !/unknown|disabled/.test(error.message) || /wrong number/.test(error.message);
  }
}
