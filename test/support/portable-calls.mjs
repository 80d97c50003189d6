/**
 * Returns calls of the portable engine, if it is the default, and of millrace/portable: by name, a
 * function that returns the result. All of them read `key` (32 bytes), `message` (at least 64) or
 * `long`, which is longer than the window that a message passes through.
 */
export function portableCalls({ millrace, functions, key, nonce, message, long }) {
  const { sha256, sha512, sha3_256, blake3, aes_256_gcm, chacha20_poly1305 } = functions;
  const iv = message.subarray(0, 16);
  const wrapping = { key, source: message.subarray(0, 64) };
  const argon2 = { message: key, nonce: iv, memory: 64, secret: key };
  const aad = message.subarray(0, 50);
  return {
    'a digest as text': () => millrace.hash('sha256', message, 'hex'),
    'a digest as bytes': () => millrace.hash('blake2b512', message),
    'a digest of a long message': () => millrace.hash('sha3-256', long, 'hex'),
    'an output of any length': () => millrace.hash('shake128', message, { outputLength: 1000 }),
    'a keyed hash': () => millrace.hash('blake2b512', message, { key }),
    KMAC: () => millrace.hash('kmac256', message, { key }),
    'a running hash': () => millrace.createHash('sha512').update(long).update(key).digest('hex'),
    HMAC: () => millrace.hmac('sha256', key, message, 'hex'),
    'a running HMAC': () => millrace.createHmac('sha256', key).update(message).digest(),
    'a verified HMAC': () => {
      const mac = millrace.hmac('sha512', key, message);
      return millrace.verifyHmac('sha512', { key, source: message, mac });
    },
    'many messages': () => millrace.hashMany('sha256', [message, key, long]),
    'a cipher': () => millrace.cipher('aes-256-ctr', 1, key, iv, message),
    sealing: () => millrace.seal('aes-256-gcm', { key, nonce, source: message }),
    'sealing a long message': () =>
      millrace.seal('chacha20-poly1305', { key, nonce, source: long }),
    'a prepared key': () => {
      const prepared = millrace.createKey('aes-256-gcm', key);
      const sealed = millrace.seal('aes-256-gcm', { key: prepared, nonce, source: message });
      prepared.dispose();
      return sealed;
    },
    "a MAC's prepared key": () => {
      const prepared = millrace.createKey('hmac-sha256', key);
      const mac = millrace.hmac('sha256', prepared, message);
      prepared.dispose();
      return mac;
    },
    'key wrap': () => millrace.wrapKey('aes-256-kw', wrapping),
    PBKDF2: () => millrace.pbkdf2(key, 'salt', 10, 40, 'sha512'),
    HKDF: () => millrace.hkdf('sha256', key, 'salt', 'info', 40),
    scrypt: () => millrace.scrypt(key, 'salt', 32, { N: 64 }),
    Argon2: () => millrace.argon2('argon2id', argon2),
    comparing: () => millrace.timingSafeEqual(message, Uint8Array.from(message)),
    'sha256 of millrace/portable': () => sha256(message, 'hex'),
    'sha3_256 of millrace/portable': () => sha3_256(long, 'hex'),
    'sha512.create of millrace/portable': () => sha512.create().update(long).update(key).digest(),
    'blake3 of millrace/portable': () => blake3(message, { key }),
    'kmac256 of millrace/portable': () => functions.kmac256(message, { key }),
    'xxh64 of millrace/portable': () => functions.xxh64(message, 'bigint'),
    'hmac of millrace/portable': () => functions.hmac(sha256, key, message, 'hex'),
    'aes_256_ctr of millrace/portable': () =>
      functions.aes_256_ctr.encrypt({ key, iv, source: message }),
    'aes_256_gcm of millrace/portable': () =>
      aes_256_gcm.seal({ key, nonce, source: message, aad }),
    'chacha20_poly1305 of millrace/portable': () =>
      chacha20_poly1305.seal({ key, nonce, source: long, aad }),
    'wrapKey of millrace/portable': () => functions.wrapKey('aes-256-kw', wrapping),
    'pbkdf2 of millrace/portable': () => functions.pbkdf2(key, 'salt', 10, 40, sha512),
    'hkdf of millrace/portable': () => functions.hkdf(sha256, key, 'salt', 'info', 40),
    'scrypt of millrace/portable': () => functions.scrypt(key, 'salt', 32, { N: 64 }),
    'argon2 of millrace/portable': () => functions.argon2('argon2id', argon2),
  };
}
