// Prepared keys: the same answers as with bytes, and none after disposal.

import { pattern } from './bytes.mjs';
import { same, sameBytes, sameError } from './verdicts.mjs';
import { errorOf, callStylesOf } from './call-styles.mjs';

export function keys({ millrace, promises, options, add, made }) {
  for (const [algorithm, { keySize, ivSize, aead }] of Object.entries(made.ciphers)) {
    add('keys', algorithm, 'prepared, used, disposed', async () => {
      const bytes = pattern(keySize, 4);
      const key = millrace.createKey(algorithm, bytes);
      same(key.algorithm, algorithm, 'algorithm');
      same(key.size, keySize, 'size');
      const iv = pattern(ivSize, 5);
      for (const { name: way, call } of callStylesOf(millrace, promises)) {
        for (const size of [0, 40, 3000, 100_000]) {
          const source = pattern(size);
          if (aead) {
            const sealed = await call('seal', algorithm, { ...options, key, nonce: iv, source });
            sameBytes(
              sealed,
              millrace.seal(algorithm, { ...options, key: bytes, nonce: iv, source }),
              `${way}, ${size} bytes`,
            );
            sameBytes(
              await call('open', algorithm, { ...options, key, nonce: iv, source: sealed }),
              source,
              `${way}, opened`,
            );
          } else {
            sameBytes(
              await call('cipher', algorithm, true, key, iv, source),
              millrace.cipher(algorithm, true, bytes, iv, source),
              `${way}, ${size} bytes`,
            );
          }
        }
      }
      const given = aead
        ? { key, nonce: iv, source: pattern(3) }
        : { key, iv, source: pattern(3), encrypt: true };
      const pending = promises[aead ? 'seal' : 'cipher'](algorithm, {
        ...options,
        ...given,
        source: pattern(300_000),
      });
      pending.catch(() => {});
      key.dispose();
      key.dispose();
      same(key.disposed, true, 'disposed');
      await pending;
      sameError(
        await errorOf(
          promises[aead ? 'seal' : 'cipher'](algorithm, { ...options, ...given }),
          'disposed',
        ),
        'ERR_KEY_DISPOSED',
        millrace,
        'disposed',
      );
    });
    add('keys', algorithm, 'of the wrong size or algorithm', async () => {
      for (const size of [0, keySize - 1, keySize + 1, 64])
        sameError(
          await errorOf(new Promise(() => millrace.createKey(algorithm, pattern(size))), `${size}`),
          'ERR_KEY_SIZE',
          millrace,
          `${size} bytes`,
        );
      const key = millrace.createKey('hmac-sha256', 'another');
      sameError(
        await errorOf(
          promises.cipher(algorithm, {
            ...options,
            key,
            iv: pattern(ivSize),
            source: '',
            encrypt: true,
            ...(aead && { tag: new Uint8Array(16) }),
          }),
          'foreign',
        ),
        'ERR_KEY_ALGORITHM',
        millrace,
        'foreign',
      );
      key[Symbol.dispose]();
      same(key.disposed, true, 'disposed by symbol');
    });
  }
  for (const [algorithm, rows] of Object.entries(made.hmacs)) {
    add('keys', algorithm, 'of an HMAC', async () => {
      for (const [keySize, size, digest] of rows) {
        const key = millrace.createKey(`hmac-${algorithm}`, pattern(keySize, 3));
        for (const { name: way, call } of callStylesOf(millrace, promises))
          sameBytes(
            await call('hmac', algorithm, key, pattern(size), options),
            digest,
            `${way}, key of ${keySize}`,
          );
        const hasher = millrace.createHmac(algorithm, key, options).update(pattern(size));
        sameBytes(hasher.copy().digest(), digest, `hasher, key of ${keySize}`);
        key.dispose();
        sameError(
          await errorOf(promises.hmac(algorithm, key, 'x', options), 'disposed'),
          'ERR_KEY_DISPOSED',
          millrace,
          'disposed',
        );
      }
    });
  }
  add('keys', 'blake3', 'of keyed BLAKE3', async () => {
    const key = millrace.createKey('blake3', pattern(32, 7));
    for (const { name: way, call } of callStylesOf(millrace, promises)) {
      for (const [size, digest] of Object.entries(made.hashes.blake3.keyed))
        sameBytes(
          await call('hash', 'blake3', pattern(Number(size)), { ...options, key }),
          digest,
          `${way}, ${size} bytes`,
        );
    }
    sameBytes(
      millrace
        .createHash('blake3', { ...options, key })
        .update(pattern(64))
        .digest(),
      made.hashes.blake3.keyed[64],
      'hasher',
    );
    sameError(
      await errorOf(promises.hash('blake3', 'x', { ...options, key: pattern(31) }), 'short'),
      'ERR_KEY_SIZE',
      millrace,
      'short',
    );
  });
}
