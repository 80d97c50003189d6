// Functions that a browser does not have are refused by name, and their replacements work.

import { pattern } from './bytes.mjs';
import { same, sameBytes, sameError } from './verdicts.mjs';
import { byCallback, errorOf } from './call-styles.mjs';

export function absences({ millrace, promises, originals, options, add, place }) {
  if (place !== 'browser') return;
  const refused = (title, call) =>
    add('absences', title, 'refused by name', async () => {
      const error = await errorOf(new Promise((resolve) => resolve(call())), title);
      sameError(error, 'ERR_NOT_SUPPORTED', millrace, title);
    });
  const key = { algorithm: 'aes-256-gcm', key: pattern(32) };
  refused('sealStream', () => promises.sealStream(key));
  refused('openStream', () => promises.openStream(key));
  if (originals.cryptoAsync !== undefined)
    for (const name of ['hash', 'hmac', 'cipher'])
      refused(`crypto-async ${name}`, () => originals.cryptoAsync[name]('sha256', pattern(3)));

  add('files', 'hashFile', 'Blobs and Files', async () => {
    for (const size of [0, 1, 100_000, 5_000_000]) {
      const expected = millrace.hash('sha256', pattern(size), options);
      const file = new File([pattern(size)], 'name');
      sameBytes(
        await promises.hashFile('sha256', file, options),
        expected,
        `${size} bytes, promise`,
      );
      sameBytes(
        await byCallback(millrace, 'hashFile', ['sha256', new Blob([pattern(size)]), options]),
        expected,
        `${size} bytes, callback`,
      );
    }
    const seen = [];
    await promises.hashFile('blake3', new Blob([pattern(5_000_000)]), {
      ...options,
      onProgress: ({ bytes }) => seen.push(bytes),
    });
    same(seen.at(-1), 5_000_000, 'the last progress');
    sameError(
      await errorOf(promises.hashFile('sha256', 'path'), 'a path'),
      'ERR_ARGUMENT_TYPE',
      millrace,
      'a path',
    );
  });
  add('files', 'hashFiles', 'Blobs and Files', async () => {
    const files = [3, 100_000].map((size) => new Blob([pattern(size)]));
    const expected = [3, 100_000].map((size) => millrace.hash('sha256', pattern(size), options));
    const digests = await promises.hashFiles('sha256', files, options);
    for (const [index, digest] of digests.entries())
      sameBytes(digest, expected[index], `file ${index}`);
    const [digest, error] = await promises.hashFiles(
      'sha256',
      new Set([files[0], { stream: () => 5, slice() {}, size: 1 }]),
      { ...options, errors: 'return' },
    );
    sameBytes(digest, expected[0], 'beside an error');
    same(error.index, 1, 'the index of the error');
    sameError(
      await errorOf(promises.hashFiles('sha256', ['path']), 'a path'),
      'ERR_ARGUMENT_TYPE',
      millrace,
      'a path',
    );
  });
  const synchronously = () => millrace.hashFile('sha256', new Blob([pattern(100_000)]), options);
  if (typeof FileReaderSync === 'undefined') refused('hashFile synchronously', synchronously);
  else
    add('files', 'hashFile', 'synchronously, in a worker', () =>
      sameBytes(synchronously(), millrace.hash('sha256', pattern(100_000), options), 'digest'),
    );
}
