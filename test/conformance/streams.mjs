// Messages that are not in memory as a whole: sealed streams of both kinds, and hashes over pieces.

import { join, pattern, toHex, utf8 } from './bytes.mjs';
import { ok, same, sameBytes, sameError } from './verdicts.mjs';
import { errorOf } from './call-styles.mjs';

const SIZES = [0, 1, 16_383, 16_384, 16_385, 100_000, 1_500_000];

/** Sealing and opening with the two kinds of streams: chunks of bytes to bytes. */
const kinds = {
  web: {
    of: (promises) => [promises.sealTransformStream, promises.openTransformStream],
    through: throughWeb,
  },
  Node: { of: (promises) => [promises.sealStream, promises.openStream], through: throughNode },
};

export function streams({ millrace, promises, made, add, place }) {
  for (const [kind, { of, through }] of Object.entries(kinds)) {
    if (kind === 'Node' && place === 'browser') continue;
    const [seal, open] = of(promises);
    const sealed = (options, message, piece) => through(seal(options), message, piece);
    const opened = (options, message, piece) => through(open(options), message, piece);
    for (const algorithm of ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305']) {
      const key = pattern(algorithm === 'aes-128-gcm' ? 16 : 32, 8);
      add('streams', algorithm, `${kind} stream, sealed by another implementation`, async () => {
        for (const { algorithm: of_, context, size, sealed: text } of made.chunked) {
          if (of_ !== algorithm) continue;
          const bytes = Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
          sameBytes(
            await opened({ algorithm, key, context }, bytes, 7000),
            pattern(size),
            `${size} bytes`,
          );
          const what = `${size} bytes, wrong`;
          for (const at of [0, 30, bytes.length - 1]) {
            const changed = bytes.slice();
            changed[at] ^= 1;
            sameError(
              await errorOf(opened({ algorithm, key, context }, changed, 7000), what),
              'ERR_AUTHENTICATION',
              millrace,
              `${what}, byte ${at}`,
            );
          }
          sameError(
            await errorOf(opened({ algorithm, key, context: 'another' }, bytes, 7000), what),
            'ERR_AUTHENTICATION',
            millrace,
            `${what} context`,
          );
          const short = await errorOf(
            opened({ algorithm, key, context }, bytes.slice(0, 50), 7000),
            what,
          );
          sameError(short, 'ERR_TRUNCATED', millrace, `${what}, cut off`);
        }
      });
      add('streams', algorithm, `${kind} stream, there and back`, async () => {
        for (const size of SIZES) {
          const message = pattern(size);
          const bytes = await sealed(
            { algorithm, key, context: 'there and back' },
            message,
            65_536,
          );
          same(
            bytes.length,
            56 + size + 16 * (Math.floor(size / 16_384) + 1),
            `size of ${size} sealed`,
          );
          sameBytes(
            await opened({ algorithm, key, context: 'there and back' }, bytes, 50_000),
            message,
            `${size} bytes`,
          );
        }
      });
    }
  }
}

export function pieces({ millrace, promises, options, made, add }) {
  const message = pattern(9000);
  for (const algorithm of Object.keys(made.hashes)) {
    const own = {
      ...options,
      ...(made.hashes[algorithm].digestSize === 0 && { outputLength: 40 }),
    };
    add('pieces', algorithm, 'iterables, streams and blobs', async () => {
      const { whole } = made.hashes[algorithm];
      for (const [what, make] of Object.entries(sourcesOf(message)))
        sameBytes(await promises.hash(algorithm, make(), own), whole, what);
      if (algorithm in made.hmacs)
        sameBytes(
          await promises.hmac(algorithm, pattern(20), iterable(message), options),
          millrace.hmac(algorithm, pattern(20), message, options),
          'hmac',
        );
    });
  }
  add('pieces', 'sha256', 'encodings, targets, progress', async () => {
    const { whole } = made.hashes.sha256;
    same(await promises.hash('sha256', iterable(message), 'hex'), whole, 'hex by position');
    same(
      await promises.hash('sha256', iterable(message), { ...options, encoding: 'bigint' }),
      BigInt(`0x${whole}`),
      'bigint',
    );
    const target = new Uint8Array(40);
    same(
      await promises.hash('sha256', iterable(message), { ...options, target, targetOffset: 8 }),
      32,
      'target',
    );
    sameBytes(target.slice(8), whole, 'target');
    const seen = [];
    await promises.hash('sha256', iterable(pattern(3_000_000)), {
      ...options,
      onProgress: (progress) => seen.push(progress),
    });
    ok(seen.length > 0, 'no progress was told');
  });
  add('pieces', 'sha256', 'a source that fails, or yields a value that is not bytes', async () => {
    const broken = async function* () {
      yield utf8('a');
      throw new Error('broken');
    };
    same(
      (await errorOf(promises.hash('sha256', broken(), options), 'broken')).message,
      'broken',
      'its own error',
    );
    const wrong = async function* () {
      yield 5;
    };
    sameError(
      await errorOf(promises.hash('sha256', wrong(), options), 'wrong'),
      'ERR_ARGUMENT_TYPE',
      millrace,
      'a number',
    );
    same(
      toHex(await promises.hash('sha256', iterable(message), options)),
      made.hashes.sha256.whole,
      'afterwards',
    );
  });
}

function sourcesOf(message) {
  return {
    'an async iterable': () => iterable(message),
    'a web stream': () => stream(message, 1234),
    'a Blob': () => new Blob([message]),
  };
}

async function* iterable(message) {
  for (let at = 0; at < message.length; at += 700_000 / 233)
    yield message.subarray(Math.floor(at), Math.floor(at + 700_000 / 233));
}

function stream(message, piece) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= message.length) controller.close();
      else controller.enqueue(message.slice(at, (at += piece)));
    },
  });
}

async function throughWeb(transform, message, piece) {
  const parts = [];
  const reader = stream(message, piece).pipeThrough(transform).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read())
    parts.push(next.value);
  return join(parts);
}

async function throughNode(duplex, message, piece) {
  const parts = [];
  const done = new Promise((resolve, reject) => {
    duplex.on('data', (part) => parts.push(part));
    duplex.on('end', resolve);
    duplex.on('error', reject);
  });
  // Awaited below; a stream may fail before that.
  done.catch(() => {});
  for (let at = 0; at < message.length && !duplex.destroyed; at += piece) {
    if (!duplex.write(message.subarray(at, at + piece)))
      await Promise.race([
        done,
        new Promise((resolve) => duplex.once('drain', resolve)),
        new Promise((resolve) => duplex.once('close', resolve)),
      ]);
  }
  duplex.end();
  await done;
  return join(parts);
}
