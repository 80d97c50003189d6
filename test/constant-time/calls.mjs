// The calls with secrets that valgrind watches. Each makes its secrets with `secret` and returns
// its results, which must depend on them: a call that loses its secret proves nothing.

import { createRequire } from 'node:module';

import {
  aeadNames,
  ciphers,
  gcmNames,
  hashNames,
  hashes,
  hmacNames,
  streamNames,
} from '../support/algorithms.mjs';

const load = createRequire(import.meta.url);
const millrace = load('millrace');
const promises = load('millrace/promises');

/**
 * The only branches on secrets, and addresses of them, with the reasons. SECURITY.md lists them.
 */
export const declared = {
  verdict: 'one branch: whether a tag or code was right, which the caller learns',
  argon2d: 'Argon2d, and Argon2id after the first half of its first pass (RFC 9106, 3.4.1.3)',
  scrypt: 'the second half of scryptROMix reads at places that the password decides (RFC 7914)',
  bcrypt: 'the tables of Blowfish',
  bigint: 'a BigInt has no leading zeros: V8 compares its highest words with zero',
  counter:
    'GCM with a nonce of other sizes than 12 bytes: AWS-LC branches where the last byte of the ' +
    'counter, which depends on key and nonce, begins again',
  size: 'AES-KWP: the number of bytes of the key, which the result shows',
  curve:
    'ECDSA and ECDH: AWS-LC checks what it has computed: the nonce is in range, the points are on ' +
    'the curve, differ and are not infinite; then it encodes the signature, which is public',
  rejection: 'ML-DSA begins again until a candidate shows nothing of the key (FIPS 204)',
  text: "a MAC as text on the portable engine: the runtime's own encoders have tables",
};

/** Calls that leak: valgrind must report each. @type {Watched[]} */
export const controls = [
  { name: 'control: a table in C', call: (secret, memcheck) => memcheck.lookUp(secret(16)) },
  {
    name: 'control: a comparison that ends early',
    call: (secret, memcheck) => memcheck.equalUntil(secret(16), secret(16)),
  },
  {
    name: 'control: a branch in JavaScript',
    call: (secret) => secret(16).map((byte) => (byte > 10 ? 1 : 2)),
  },
  {
    name: 'control: a table in WebAssembly',
    call(secret) {
      // (func (export "f") (param i32) (result i32) (i32.load8_u (i32.load8_u (local.get 0))))
      const code =
        '0061736d0100000001060160017f017f030201000503010001070902016d020001660000' +
        '0a0c010a0020002d00002d00000b';
      const module = new WebAssembly.Module(Buffer.from(code, 'hex'));
      const { m, f } = new WebAssembly.Instance(module).exports;
      new Uint8Array(m.buffer).set(secret(16), 256);
      return f(256);
    },
  },
  { name: 'control: Argon2d', call: (secret) => argon2('argon2d', secret) },
];

/** Sizes in bytes around the thresholds of the kernels: blocks, strides, and what is divided. */
const sizes = {
  few: [0, 1, 16, 31, 256, 1000, 4096],
  // prettier-ignore
  all: [
    0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 95, 96, 97, 111, 112, 127, 128, 129, 143,
    144, 160, 191, 192, 193, 239, 255, 256, 257, 287, 288, 320, 383, 384, 385, 511, 512, 513, 575,
    767, 768, 769, 1023, 1024, 1025, 1535, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193,
    16_384, 16_385, 32_768, 65_536, 65_537,
  ],
  // WebAssembly has vectors of 16 bytes only, and runs under valgrind ten times slower.
  some: [
    0, 1, 15, 16, 17, 31, 32, 63, 64, 65, 127, 128, 129, 255, 256, 257, 512, 1025, 4097, 16_385,
  ],
};

/** Returns bytes in a separate ArrayBuffer: V8 keeps those of short typed arrays in its heap. */
function known(size, step = 7) {
  const made = Buffer.from(new ArrayBuffer(size));
  for (let at = 0; at < size; at++) made[at] = at * step + 3;
  return made;
}

/**
 * @typedef {object} Watched
 * @property {string} name
 * @property {(secret: (size: number, step?: number) => Buffer, memcheck: any) => unknown} call its
 *   result, or a promise of it
 * @property {keyof typeof declared} [leaks] what it is allowed
 * @property {keyof typeof declared} [portable] what it is allowed on the portable engine
 * @property {number} [times] how often; a verdict once by default, the others any number
 * @property {boolean} [boolean] the result says nothing but yes or no
 */

/**
 * Returns the calls of all algorithms, at these sizes. Those of private keys are watched on the
 * native engine only.
 *
 * @param {keyof typeof sizes} which
 * @param {'native' | 'portable'} engine
 * @returns {Watched[]}
 */
export function watchedCalls(which, engine) {
  const lengths = sizes[which];
  const everything = which !== 'few';
  /** @type {Watched[]} */
  const calls = [];
  const watch = (name, call, facts = {}) => calls.push({ name, call, ...facts });
  const watchAll = (each, facts) =>
    Object.entries(each).forEach(([name, call]) => watch(name, call, facts));
  const verdict = { leaks: 'verdict' };
  const inPieces = (cipher, secret) =>
    [1, 15, 16, 100, 1000, 5].map((size) => cipher.update(secret(size)));

  for (const name of aeadNames) {
    const { key, iv } = ciphers[name];
    const nonce = known(iv);
    const aad = known(20);
    const sealed = (size, more = {}) =>
      millrace.seal(name, { key: known(key), nonce, aad, source: known(size), ...more });
    for (const size of lengths) {
      watch(`seal ${name} ${size} B`, (secret) =>
        millrace.seal(name, { key: secret(key), nonce, aad, source: secret(size) }),
      );
      const source = sealed(size);
      watch(
        `open ${name} ${size} B`,
        (secret) => millrace.open(name, { key: secret(key), nonce, aad, source }),
        { ...verdict, boolean: size === 0 },
      );
    }
    const forged = sealed(1000);
    forged[1003] ^= 1;
    const opened = (secret) =>
      millrace.open(name, { key: secret(key), nonce, aad, source: forged });
    const facts = { ...verdict, boolean: true };
    watch(`open ${name} 1000 B, forged`, (secret) => refused(() => opened(secret)), facts);
    watch(`seal ${name} prepared key`, (secret) => {
      const prepared = millrace.createKey(name, secret(key));
      const made = millrace.seal(name, { key: prepared, nonce, aad, source: secret(300) });
      prepared.dispose();
      return made;
    });
    // GCM-SIV needs the whole message.
    const isIncremental = !name.endsWith('-siv');
    if (isIncremental)
      watch(`createCipher ${name}`, (secret) => {
        const cipher = millrace.createCipher(name, { key: secret(key), nonce, aad });
        return Buffer.concat([...inPieces(cipher, secret), cipher.final(), cipher.authTag]);
      });
    const authTag = sealed(1000).subarray(1000);
    for (const unverified of isIncremental ? [false, true] : [])
      watch(
        `createDecipher ${name}${unverified ? ' unverified' : ''}`,
        (secret) => {
          const options = { key: secret(key), nonce, aad, authTag, unverified };
          const decipher = millrace.createDecipher(name, options);
          const source = sealed(1000);
          const first = decipher.update(source.subarray(0, 100));
          return Buffer.concat([
            first,
            decipher.update(source.subarray(100, 1000)),
            decipher.final(),
          ]);
        },
        verdict,
      );
    watch(`promises.seal ${name} on the pool`, (secret) =>
      promises.seal(name, { key: secret(key), nonce, aad, source: secret(5000), route: 'pool' }),
    );
    watch(
      `promises.open ${name} on the pool`,
      (secret) =>
        promises.open(name, { key: secret(key), nonce, aad, source: sealed(5000), route: 'pool' }),
      verdict,
    );
    if (!gcmNames.includes(name)) continue;
    for (const size of [1, 8, 11, 13, 16, 17, 60, 128]) {
      const other = known(size);
      const calls = {
        [`seal ${name} nonce of ${size} B`]: (secret) =>
          millrace.seal(name, { key: secret(key), nonce: other, source: secret(1000) }),
        [`createCipher ${name} nonce of ${size} B`](secret) {
          const cipher = millrace.createCipher(name, { key: secret(key), nonce: other });
          return Buffer.concat([cipher.update(secret(1000)), cipher.final(), cipher.authTag]);
        },
      };
      watchAll(calls, { leaks: 'counter' });
    }
  }

  for (const name of streamNames) {
    const { key, iv } = ciphers[name];
    for (const size of lengths.slice(1))
      watch(`cipher ${name} ${size} B`, (secret) =>
        millrace.cipher(name, true, secret(key), known(iv), secret(size)),
      );
    watch(`createCipher ${name}`, (secret) => {
      const cipher = millrace.createCipher(name, { key: secret(key), nonce: known(iv) });
      return Buffer.concat([...inPieces(cipher, secret), cipher.final()]);
    });
  }

  for (const name of hmacNames) {
    for (const size of everything ? [0, 1, 55, 56, 64, 111, 112, 128, 1000, 5000] : [0, 111, 1000])
      watch(`hmac ${name} ${size} B`, (secret) => millrace.hmac(name, secret(32), secret(size)));
    watch(`hmac ${name}, a key longer than a block`, (secret) =>
      millrace.hmac(name, secret(200), secret(10)),
    );
    const mac = millrace.hmac(name, known(32), known(100));
    const wrong = Buffer.from(mac);
    wrong[5] ^= 1;
    const verify = (code) => (secret) =>
      millrace.verifyHmac(name, { key: secret(32), source: known(100), mac: code });
    watchAll(
      { [`verifyHmac ${name}, right`]: verify(mac), [`verifyHmac ${name}, wrong`]: verify(wrong) },
      { ...verdict, boolean: true },
    );
    watch(`createHmac ${name}`, (secret) => {
      const hmac = millrace.createHmac(name, secret(32));
      for (const size of [1, 64, 100, 300]) hmac.update(secret(size));
      return hmac.digest();
    });
    watch(`hmacMany ${name}`, (secret) =>
      millrace.hmacMany(
        name,
        secret(32),
        Array.from({ length: 17 }, () => secret(100)),
      ),
    );
  }
  for (const encoding of ['hex', 'base64', 'base64url', 'bigint']) {
    const leaks = encoding === 'bigint' ? { leaks: 'bigint' } : { portable: 'text' };
    const source = known(100);
    for (const name of ['sha1', 'sha224', 'sha256', 'sha512', 'blake3', 'sha3-256']) {
      const calls = {
        [`hmac ${name} as ${encoding}`]: (secret) =>
          millrace.hmac(name, secret(32), source, encoding),
        [`hmac ${name} as { encoding: ${encoding} }`]: (secret) =>
          millrace.hmac(name, secret(32), source, { encoding }),
        [`hmac ${name}, prepared key, as ${encoding}`]: (secret) =>
          millrace.hmac(name, millrace.createKey(`hmac-${name}`, secret(32)), source, encoding),
        [`createHmac ${name} as ${encoding}`]: (secret) =>
          millrace.createHmac(name, secret(32)).update(source).digest(encoding),
        [`promises.hmac ${name} as ${encoding}`]: (secret) =>
          promises.hmac(name, secret(32), source, { encoding, route: 'pool' }),
      };
      watchAll(calls, leaks);
    }
    // Sizes of which the encoders have a rest.
    for (const outputLength of [7, 20, 33, 61, 64])
      for (const name of ['blake2b512', 'blake3', 'kmac256'])
        watch(
          `hash ${name} with a key, ${outputLength} B as ${encoding}`,
          (secret) => millrace.hash(name, known(100), { key: secret(32), outputLength, encoding }),
          leaks,
        );
  }

  // A message can be the secret of a hash: HMAC and KDFs of others are made of it.
  for (const name of hashNames.filter((each) => !/^(xxh|crc)/.test(each)))
    for (const size of everything ? [1, 64, 111, 135, 200, 1024, 5000, 20_000] : [200, 5000])
      watch(`hash ${name} ${size} B`, (secret) => millrace.hash(name, secret(size)));
  for (const name of Object.keys(hashes).filter((each) => hashes[each].parameters?.key)) {
    const size = 32;
    for (const length of everything ? [0, 1, 128, 136, 1000, 5000] : [0, 1000])
      watch(`hash ${name} with a key, ${length} B`, (secret) =>
        millrace.hash(name, secret(length), { key: secret(size) }),
      );
    const mac = millrace.hash(name, known(100), { key: known(size) });
    watch(
      `verifyMac ${name}`,
      (secret) => millrace.verifyMac(name, { key: secret(size), source: known(100), mac }),
      { ...verdict, boolean: true },
    );
    watch(`createHash ${name} with a key`, (secret) => {
      const hasher = millrace.createHash(name, { key: secret(size) });
      for (const length of [1, 64, 100, 300]) hasher.update(secret(length));
      return hasher.digest();
    });
    watch(`createKey ${name}`, (secret) =>
      millrace.hash(name, known(100), { key: millrace.createKey(name, secret(size)) }),
    );
  }

  const derived = ['sha1', 'sha256', 'sha384', 'sha512', 'sha3-256', 'blake2b512', 'ripemd160'];
  for (const name of derived) {
    const digest = hashes[name].digest;
    watch(`pbkdf2 ${name}`, (secret) => millrace.pbkdf2(secret(20), known(16), 3, 80, name));
    watch(`hkdf ${name}`, (secret) => millrace.hkdf(name, secret(32), known(16), known(5), 100));
    watch(`hkdf.extract ${name}`, (secret) => millrace.hkdf.extract(name, secret(32), known(16)));
    watch(`hkdf.expand ${name}`, (secret) =>
      millrace.hkdf.expand(name, secret(digest), known(5), 100),
    );
    const together = (secret) =>
      Array.from({ length: 5 }, () => promises.pbkdf2(secret(20), known(16), 3, 32, name));
    watch(`promises.pbkdf2 ${name}, together`, async (secret) =>
      Buffer.concat(await Promise.all(together(secret))),
    );
  }
  watch('argon2i', (secret) => argon2('argon2i', secret));
  for (const algorithm of ['argon2d', 'argon2id'])
    watch(algorithm, (secret) => argon2(algorithm, secret), { leaks: 'argon2d' });
  watch('scrypt', (secret) => millrace.scrypt(secret(20), known(16), 64, { N: 16, r: 2, p: 2 }), {
    leaks: 'scrypt',
  });
  const bcrypt = '$2b$04$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui';
  watch('verifyPassword bcrypt', (secret) => millrace.verifyPassword(secret(20, 1), bcrypt), {
    leaks: 'bcrypt',
    boolean: true,
  });

  for (const size of [1, 16, 32, 100, 1000]) {
    const equal = (other) => (secret) => millrace.timingSafeEqual(secret(size), other);
    // Native code answers with a number, of which JavaScript asks what it is.
    const facts = { ...verdict, times: 4, boolean: true };
    watch(`timingSafeEqual ${size} B, equal`, equal(known(size)), facts);
    watch(`timingSafeEqual ${size} B, different`, equal(known(size, 9)), facts);
  }

  const chunkCiphers = ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305'];
  for (const algorithm of chunkCiphers) {
    const { key } = ciphers[algorithm];
    const sizesOfChunks = [100, 40_000];
    const partsOf = (make) => sizesOfChunks.map((size) => make(size));
    watch(`sealStream ${algorithm}`, (secret) =>
      through(promises.sealStream({ algorithm, key: secret(key) }), partsOf(secret)),
    );
    watch(
      `openStream ${algorithm}`,
      async (secret) => {
        const made = promises.sealStream({ algorithm, key: known(key) });
        const sealed = await through(made, partsOf(known));
        return through(promises.openStream({ algorithm, key: secret(key) }), [sealed]);
      },
      // Three chunks of 16 KiB, and the header's check of the key.
      { ...verdict, times: 4 },
    );
  }
  if (engine === 'native') watchKeys(watch);
  // Those of KWP come last: the size of a result shows in V8's counts of memory from then on.
  const last = [];
  for (const kind of ['kw', 'kwp'])
    for (const bits of [128, 192, 256]) {
      const name = `aes-${bits}-${kind}`;
      for (const size of kind === 'kw' ? [16, 24, 32, 256] : [1, 8, 20, 32, 100]) {
        watch(`wrapKey ${name} ${size} B`, (secret) =>
          millrace.wrapKey(name, { key: secret(bits / 8), source: secret(size) }),
        );
        const source = millrace.wrapKey(name, { key: known(bits / 8), source: known(size) });
        const call = (secret) => millrace.unwrapKey(name, { key: secret(bits / 8), source });
        if (kind === 'kw') watch(`unwrapKey ${name} ${size} B`, call, verdict);
        else last.push({ name: `unwrapKey ${name} ${size} B`, call, leaks: 'size' });
      }
    }
  return [...calls, ...last];
}

/**
 * Watches the operations of private keys. The import is not watched: it computes the public key,
 * which depends on the secret, and checks it as any.
 */
function watchKeys(watch) {
  const message = known(100);
  const watchKey = (name, facts, use, { algorithm, format = 'raw', ...given }) =>
    watch(
      `${name} ${algorithm}`,
      (secret, memcheck) => {
        const bytes = given.key?.(memcheck) ?? secret(given.size);
        memcheck.pause();
        const key = millrace.createPrivateKey({ key: bytes, format, algorithm });
        memcheck.resume();
        return use(key);
      },
      facts,
    );
  const signed = (hash, options) => (key) => millrace.sign(hash, message, key, options);
  const agreed = (algorithm) => {
    const { publicKey } = millrace.generateKeyPair(algorithm);
    return (privateKey) => millrace.diffieHellman({ privateKey, publicKey });
  };
  /** Returns what makes an expanded private key, of which some ranges are secret. */
  const expanded = (algorithm, seedSize, ranges) => {
    const seed = { key: known(seedSize), format: 'seed', algorithm };
    const bytes = millrace.createPrivateKey(seed).export({ format: 'raw' });
    return (memcheck) => {
      const key = known(bytes.length);
      key.set(bytes);
      for (const [start, end] of ranges) memcheck.hide(key.subarray(start, end));
      return key;
    };
  };

  watchKey('sign', {}, signed(null), { algorithm: 'ed25519', size: 32 });
  const x25519 = { algorithm: 'x25519', size: 32 };
  watchKey('diffieHellman', { leaks: 'verdict' }, agreed('x25519'), x25519);
  // How often each curve checks what it has computed, which is less than it reads its tables.
  const curves = Object.entries({ 'p-256': [32, 400], 'p-384': [48, 3000], 'p-521': [66, 6000] });
  for (const [algorithm, [size, times]] of curves) {
    const key = (memcheck) => {
      const scalar = known(size);
      scalar[0] = 0;
      return memcheck.hide(scalar.subarray(1)) && scalar;
    };
    const encoded = signed('sha256', { dsaEncoding: 'ieee-p1363' });
    watchKey('sign', { leaks: 'curve', times }, encoded, { algorithm, key });
    watchKey('diffieHellman', { leaks: 'curve', times: 3 }, agreed(algorithm), { algorithm, key });
  }
  for (const [algorithm, rank] of Object.entries({ 512: 2, 768: 3, 1024: 4 }).map(
    ([size, rank]) => [`ml-kem-${size}`, rank],
  )) {
    const end = 768 * rank + 96;
    const ranges = [
      [0, 384 * rank],
      [end - 32, end],
    ];
    const seed = { key: known(64), format: 'seed', algorithm };
    const { ciphertext } = millrace.encapsulate(millrace.createPublicKey(seed));
    const key = expanded(algorithm, 64, ranges);
    watchKey('decapsulate', {}, (made) => millrace.decapsulate(made, ciphertext), {
      algorithm,
      key,
    });
  }
  for (const [level, small] of Object.entries({ 44: 8 * 96, 65: 11 * 128, 87: 15 * 96 })) {
    const algorithm = `ml-dsa-${level}`;
    const ranges = [
      [32, 64],
      [128, 128 + small],
    ];
    watchKey('sign', { leaks: 'rejection' }, signed(null), {
      algorithm,
      key: expanded(algorithm, 32, ranges),
    });
  }
}

function argon2(algorithm, secret) {
  return millrace.argon2(algorithm, {
    message: secret(20),
    nonce: known(16),
    secret: secret(8),
    tagLength: 100,
    parallelism: 2,
    memory: 64,
    passes: 2,
  });
}

/** Returns what a stream makes of these parts. */
async function through(stream, parts) {
  for (const part of parts) stream.write(part);
  stream.end();
  return Buffer.concat(await stream.toArray());
}

/** Returns true if the call throws. */
function refused(call) {
  try {
    call();
  } catch {
    return true;
  }
  return false;
}
