// Functions that a browser does not have are refused by name, and their replacements work.

import { pattern } from './bytes.mjs';
import { same, sameBytes } from './verdicts.mjs';

export function absences({ millrace, promises, originals, options, add, place, styles, refused }) {
  if (place !== 'browser') return;
  const absent = (title, call) =>
    add('absences', title, 'refused by name', () =>
      refused(new Promise((resolve) => resolve(call())), 'ERR_NOT_SUPPORTED', title),
    );
  const key = { algorithm: 'aes-256-gcm', key: pattern(32) };
  absent('sealStream', () => promises.sealStream(key));
  absent('openStream', () => promises.openStream(key));
  if (originals.cryptoAsync !== undefined)
    for (const name of ['hash', 'hmac', 'cipher'])
      absent(`crypto-async ${name}`, () => originals.cryptoAsync[name]('sha256', pattern(3)));

  const digestOf = (size) => millrace.hash('sha256', pattern(size), options);
  add('files', 'hashFile', 'Blobs and Files', async () => {
    for (const size of [0, 1, 100_000, 5_000_000]) {
      const sources = {
        callback: new Blob([pattern(size)]),
        promise: new File([pattern(size)], 'name'),
      };
      for (const { name: way, call } of styles)
        if (way in sources)
          sameBytes(
            await call('hashFile', 'sha256', sources[way], options),
            digestOf(size),
            `${size} bytes, ${way}`,
          );
    }
    const seen = [];
    const onProgress = ({ bytes }) => seen.push(bytes);
    await promises.hashFile('blake3', new Blob([pattern(5_000_000)]), { ...options, onProgress });
    same(seen.at(-1), 5_000_000, 'the last progress');
    await refused(promises.hashFile('sha256', 'path'), 'ERR_ARGUMENT_TYPE', 'a path');
  });
  add('files', 'hashFiles', 'Blobs and Files', async () => {
    const files = [3, 100_000].map((size) => new Blob([pattern(size)]));
    const expected = [3, 100_000].map(digestOf);
    const digests = await promises.hashFiles('sha256', files, options);
    for (const [index, digest] of digests.entries())
      sameBytes(digest, expected[index], `file ${index}`);
    const mixed = new Set([files[0], { stream: () => 5, slice() {}, size: 1 }]);
    const given = { ...options, errors: 'return' };
    const [digest, error] = await promises.hashFiles('sha256', mixed, given);
    sameBytes(digest, expected[0], 'beside an error');
    same(error.index, 1, 'the index of the error');
    await refused(promises.hashFiles('sha256', ['path']), 'ERR_ARGUMENT_TYPE', 'a path');
  });
  const synchronously = () => millrace.hashFile('sha256', new Blob([pattern(100_000)]), options);
  if (typeof FileReaderSync === 'undefined') absent('hashFile synchronously', synchronously);
  else
    add('files', 'hashFile', 'synchronously, in a worker', () =>
      sameBytes(synchronously(), digestOf(100_000), 'digest'),
    );
}
