// The entry points in the shape of original packages: crypto-async, bigint-hash and bigint-buffer.
// They have no options; what they compute is the same.

import { join, pattern, toHex } from './bytes.mjs';
import { cipherVectors, hashVectors, hmacVectors } from './vectors.mjs';
import { fail, same, sameBytes } from './verdicts.mjs';

export async function originals(context) {
  const { cryptoAsync, bigintHash, bigintBuffer } = context.originals;
  if (cryptoAsync !== undefined && context.place !== 'browser')
    await addCryptoAsync(context, cryptoAsync);
  if (bigintHash !== undefined) await addBigintHash(context, bigintHash);
  if (bigintBuffer !== undefined) addBigintBuffer(context, bigintBuffer);
}

/** Its ways: synchronously, and by callback. */
const ways = {
  synchronous: async (entryPoint, method, ...args) => entryPoint[method](...args),
  callback: (entryPoint, method, ...args) =>
    new Promise((resolve, reject) =>
      entryPoint[method](...args, (error, value) => (error ? reject(error) : resolve(value))),
    ),
};

async function addCryptoAsync(context, entryPoint) {
  const known = (table) => Object.entries(table).filter(([name]) => isKnown(entryPoint, name));
  for (const [way, call] of Object.entries(ways)) {
    for (const [algorithm, all] of known(await hashVectors(context))) {
      const plain = all.filter(({ options }) => Object.keys(options).length === 0).slice(0, 30);
      context.add('crypto-async', algorithm, `${way}, hash`, async () => {
        for (const { note, source, digest } of plain) {
          sameBytes(await call(entryPoint, 'hash', algorithm, asBuffer(source)), digest, note);
          const target = asBuffer(new Uint8Array(digest.length / 2 + 4));
          same(
            await call(
              entryPoint,
              'hash',
              algorithm,
              asBuffer(join([pattern(3), source])),
              3,
              source.length,
              target,
              4,
            ),
            digest.length / 2,
            note,
          );
          sameBytes(new Uint8Array(target.subarray(4)), digest, `${note}, window`);
        }
      });
    }
    for (const [algorithm, all] of known(await hmacVectors(context))) {
      context.add('crypto-async', algorithm, `${way}, hmac`, async () => {
        for (const { note, key, source, digest, valid } of all)
          if (valid === undefined && source.length < 5000)
            sameBytes(
              await call(entryPoint, 'hmac', algorithm, asBuffer(key), asBuffer(source)),
              digest,
              note,
            );
      });
    }
    for (const [algorithm, all] of known(await cipherVectors(context))) {
      const { aead } = context.made.ciphers[algorithm];
      context.add('crypto-async', algorithm, `${way}, cipher`, async () => {
        for (const { note, key, iv, aad, plain, secret, tag } of all.filter(
          (each) => each.secret !== undefined,
        )) {
          const code = asBuffer(new Uint8Array(16));
          const [keyed, nonce] = [asBuffer(key), asBuffer(iv)];
          sameBytes(
            await call(
              entryPoint,
              'cipher',
              algorithm,
              1,
              keyed,
              nonce,
              asBuffer(plain),
              ...(aead ? [asBuffer(aad), code] : []),
            ),
            secret,
            note,
          );
          if (aead) sameBytes(code, tag, `${note}, tag`);
          sameBytes(
            await call(
              entryPoint,
              'cipher',
              algorithm,
              0,
              keyed,
              nonce,
              asBuffer(secret),
              ...(aead ? [asBuffer(aad), asBuffer(tag)] : []),
            ),
            plain,
            note,
          );
          if (!aead) continue;
          code[0] ^= 1;
          const error = await call(
            entryPoint,
            'cipher',
            algorithm,
            0,
            keyed,
            nonce,
            asBuffer(secret),
            asBuffer(aad),
            code,
          ).then(
            () => fail(`${note}: opened`),
            (reason) => reason,
          );
          same(error.message, entryPoint.E_CORRUPT, note);
        }
      });
    }
  }
}

async function addBigintHash(context, entryPoint) {
  for (const [algorithm, all] of Object.entries(await hashVectors(context))) {
    const plain = all.filter(
      ({ options, source }) => Object.keys(options).length === 0 && source.length < 5000,
    );
    if (plain.length === 0) continue;
    context.add('bigint-hash', algorithm, 'hashes and hashers', () => {
      for (const { note, source, digest } of plain) {
        same(entryPoint.hashAsBigInt(algorithm, source), BigInt(`0x${digest}`), note);
        sameBytes(entryPoint.hashAsBuffer(algorithm, source), digest, note);
        const half = source.length >> 1;
        same(
          entryPoint
            .getHasher(algorithm)
            .update(source.subarray(0, half))
            .update(source.subarray(half))
            .digestBigInt(),
          BigInt(`0x${digest}`),
          `${note}, hasher`,
        );
      }
    });
  }
}

function addBigintBuffer(context, entryPoint) {
  context.add('bigint-buffer', 'bigint-buffer', 'both ways, both orders', () => {
    for (const size of [0, 1, 4, 7, 8, 9, 16, 31, 32, 33, 100, 1000]) {
      const bytes = pattern(size, size);
      const number = BigInt(`0x0${toHex(bytes)}`);
      same(entryPoint.toBigIntBE(asBuffer(bytes)), number, `${size} bytes`);
      same(
        entryPoint.toBigIntLE(asBuffer(bytes.slice().reverse())),
        number,
        `${size} bytes, reversed`,
      );
      sameBytes(entryPoint.toBufferBE(number, size), bytes, `${size} bytes back`);
      sameBytes(
        entryPoint.toBufferLE(number, size),
        bytes.slice().reverse(),
        `${size} bytes back, reversed`,
      );
      sameBytes(
        entryPoint.toBufferBE(number, size + 3),
        join([new Uint8Array(3), bytes]),
        `${size} bytes in more`,
      );
    }
  });
}

/**
 * Returns a Buffer, which the original package takes; where there are none, this entry point takes
 * any Uint8Array.
 */
function asBuffer(bytes) {
  return globalThis.Buffer === undefined ? bytes : globalThis.Buffer.from(bytes);
}

function isKnown(entryPoint, name) {
  try {
    if (/^(aes|chacha)/.test(name))
      entryPoint.cipher(
        name,
        1,
        asBuffer(new Uint8Array(1)),
        asBuffer(new Uint8Array(1)),
        asBuffer(new Uint8Array(1)),
      );
    else entryPoint.hash(name, asBuffer(new Uint8Array(1)));
    return true;
  } catch (error) {
    return !/unknown|disabled/.test(error.message) || /wrong number/.test(error.message);
  }
}
