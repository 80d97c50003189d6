// Messages that are not in memory as a whole: sealed streams of both kinds, and hashes over pieces.

import { join, pattern, utf8 } from './bytes.mjs';
import { sized } from './hashes.mjs';
import { ok, same, sameBytes } from './verdicts.mjs';
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

export function streams({ promises, made, add, place, refused }) {
  for (const [kind, { of, through }] of Object.entries(kinds)) {
    if (kind === 'Node' && place === 'browser') continue;
    const [seal, open] = of(promises);
    for (const algorithm of ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305']) {
      const given = { algorithm, key: pattern(algorithm === 'aes-128-gcm' ? 16 : 32, 8) };
      const opened = async ({ context, size, sealed }) => {
        const bytes = Uint8Array.from(atob(sealed), (unit) => unit.charCodeAt(0));
        const through7000 = (more, source = bytes) =>
          through(open({ ...given, context, ...more }), source, 7000);
        sameBytes(await through7000(), pattern(size), `${size} bytes`);
        const what = `${size} bytes, wrong`;
        for (const at of [0, 30, bytes.length - 1]) {
          const changed = bytes.slice();
          changed[at] ^= 1;
          await refused(through7000({}, changed), 'ERR_AUTHENTICATION', `${what}, byte ${at}`);
        }
        const other = through7000({ context: 'another' });
        await refused(other, 'ERR_AUTHENTICATION', `${what} context`);
        const short = through7000({}, bytes.slice(0, 50));
        await refused(short, 'ERR_TRUNCATED', `${what}, cut off`);
      };
      add(
        'streams',
        algorithm,
        `${kind} stream, sealed by another implementation`,
        opened,
        made.chunked.filter((each) => each.algorithm === algorithm),
      );
      const thereAndBack = async (size) => {
        const options = { ...given, context: 'there and back' };
        const bytes = await through(seal(options), pattern(size), 65_536);
        const expected = 56 + size + 16 * (Math.floor(size / 16_384) + 1);
        same(bytes.length, expected, `size of ${size} sealed`);
        const back = await through(open(options), bytes, 50_000);
        sameBytes(back, pattern(size), `${size} bytes`);
      };
      add('streams', algorithm, `${kind} stream, there and back`, thereAndBack, SIZES);
    }
  }
}

export function pieces(context) {
  const { millrace, promises, options, made, add, refused } = context;
  const message = pattern(9000);
  for (const [algorithm, { whole }] of Object.entries(made.hashes)) {
    const own = { ...options, ...sized(context, algorithm) };
    add('pieces', algorithm, 'iterables, streams and blobs', async () => {
      for (const [what, source] of Object.entries({
        'an async iterable': iterable(message),
        'a web stream': stream(message, 1234),
        'a Blob': new Blob([message]),
      }))
        sameBytes(await promises.hash(algorithm, source, own), whole, what);
      if (algorithm in made.hmacs)
        sameBytes(
          await promises.hmac(algorithm, pattern(20), iterable(message), options),
          millrace.hmac(algorithm, pattern(20), message, options),
          'hmac',
        );
    });
  }
  const { whole } = made.hashes.sha256;
  const hash = (source, more) => promises.hash('sha256', source, { ...options, ...more });
  add('pieces', 'sha256', 'encodings, targets, progress', async () => {
    same(await promises.hash('sha256', iterable(message), 'hex'), whole, 'hex by position');
    same(await hash(iterable(message), { encoding: 'bigint' }), BigInt(`0x${whole}`), 'bigint');
    const target = new Uint8Array(40);
    same(await hash(iterable(message), { target, targetOffset: 8 }), 32, 'target');
    sameBytes(target.slice(8), whole, 'target');
    const seen = [];
    const onProgress = (progress) => seen.push(progress);
    await hash(iterable(pattern(3_000_000)), { onProgress });
    ok(seen.length > 0, 'no progress was told');
  });
  add('pieces', 'sha256', 'a source that fails, or yields a value that is not bytes', async () => {
    const broken = async function* () {
      yield utf8('a');
      throw new Error('broken');
    };
    same((await errorOf(hash(broken()), 'broken')).message, 'broken', 'its own error');
    const wrong = async function* () {
      yield 5;
    };
    await refused(hash(wrong()), 'ERR_ARGUMENT_TYPE', 'a number');
    sameBytes(await hash(iterable(message)), whole, 'afterwards');
  });
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
  const event = (name) => new Promise((resolve) => duplex.once(name, resolve));
  for (let at = 0; at < message.length && !duplex.destroyed; at += piece) {
    if (!duplex.write(message.subarray(at, at + piece)))
      await Promise.race([done, event('drain'), event('close')]);
  }
  duplex.end();
  await done;
  return join(parts);
}
