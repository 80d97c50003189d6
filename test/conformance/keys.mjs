// Prepared keys: the same answers as with bytes, and none after disposal.

import { pattern } from './bytes.mjs';
import { same, sameBytes } from './verdicts.mjs';

export function keys({ millrace, promises, options, add, made, styles, refused }) {
  for (const [algorithm, { keySize, ivSize, aead }] of Object.entries(made.ciphers)) {
    add('keys', algorithm, 'prepared, used, disposed', async () => {
      const bytes = pattern(keySize, 4);
      const key = millrace.createKey(algorithm, bytes);
      same(key.algorithm, algorithm, 'algorithm');
      same(key.size, keySize, 'size');
      const iv = pattern(ivSize, 5);
      const sealing = { ...options, nonce: iv };
      for (const { name: way, call } of styles) {
        for (const size of [0, 40, 3000, 100_000]) {
          const source = pattern(size);
          const what = `${way}, ${size} bytes`;
          if (aead) {
            const sealed = await call('seal', algorithm, { ...sealing, key, source });
            const expected = millrace.seal(algorithm, { ...sealing, key: bytes, source });
            sameBytes(sealed, expected, what);
            const opened = await call('open', algorithm, { ...sealing, key, source: sealed });
            sameBytes(opened, source, `${what}, opened`);
          } else {
            const secret = await call('cipher', algorithm, true, key, iv, source);
            sameBytes(secret, millrace.cipher(algorithm, true, bytes, iv, source), what);
          }
        }
      }
      const use = (size) =>
        aead
          ? promises.seal(algorithm, { ...sealing, key, source: pattern(size) })
          : promises.cipher(algorithm, { ...options, key, iv, source: pattern(size), encrypt: 1 });
      const pending = use(300_000);
      pending.catch(() => {});
      key.dispose();
      key.dispose();
      same(key.disposed, true, 'disposed');
      await pending;
      await refused(use(3), 'ERR_KEY_DISPOSED', 'disposed');
    });
    add('keys', algorithm, 'of the wrong size or algorithm', async () => {
      for (const size of [0, keySize - 1, keySize + 1, 64]) {
        const create = () => millrace.createKey(algorithm, pattern(size));
        await refused(create, 'ERR_KEY_SIZE', `${size} bytes`);
      }
      const key = millrace.createKey('hmac-sha256', 'another');
      const given = { ...options, key, iv: pattern(ivSize), source: '', encrypt: true };
      const tag = aead ? { tag: new Uint8Array(16) } : {};
      const foreign = promises.cipher(algorithm, { ...given, ...tag });
      await refused(foreign, 'ERR_KEY_ALGORITHM', 'foreign');
      key[Symbol.dispose]();
      same(key.disposed, true, 'disposed by symbol');
    });
  }
  for (const [algorithm, rows] of Object.entries(made.hmacs)) {
    const ofHmac = async ([keySize, size, digest]) => {
      const key = millrace.createKey(`hmac-${algorithm}`, pattern(keySize, 3));
      for (const { name: way, call } of styles) {
        const code = await call('hmac', algorithm, key, pattern(size), options);
        sameBytes(code, digest, `${way}, key of ${keySize}`);
      }
      const hasher = millrace.createHmac(algorithm, key, options).update(pattern(size));
      sameBytes(hasher.copy().digest(), digest, `hasher, key of ${keySize}`);
      key.dispose();
      await refused(promises.hmac(algorithm, key, 'x', options), 'ERR_KEY_DISPOSED', 'disposed');
    };
    add('keys', algorithm, 'of an HMAC', ofHmac, rows);
  }
  add('keys', 'blake3', 'of keyed BLAKE3', async () => {
    const { keyed } = made.hashes.blake3;
    const given = { ...options, key: millrace.createKey('blake3', pattern(32, 7)) };
    for (const { name: way, call } of styles) {
      for (const [size, digest] of Object.entries(keyed)) {
        const found = await call('hash', 'blake3', pattern(Number(size)), given);
        sameBytes(found, digest, `${way}, ${size} bytes`);
      }
    }
    const hasher = millrace.createHash('blake3', given).update(pattern(64));
    sameBytes(hasher.digest(), keyed[64], 'hasher');
    const short = promises.hash('blake3', 'x', { ...options, key: pattern(31) });
    await refused(short, 'ERR_KEY_SIZE', 'short');
  });
}
