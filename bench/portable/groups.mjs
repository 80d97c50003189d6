// The rows of `npm run bench -- portable`, in groups of one algorithm and one kind of result. Each
// group is measured in a separate process or page. Runs in Node.js and in a page.
//
//   name   of the group
//   rows   { name, size, wait, inFlight, goal, forms }: `forms` returns each competitor's call.
//          A name that begins with `millrace` is Millrace's.

import { measureForms } from '../turns.mjs';

const KiB = 1024;
const sizes = [64, KiB, 64 * KiB, KiB * KiB];

/** Packages that are not installed are left out. */
async function loadPeers() {
  const absent = () => undefined;
  const [hashWasm, xxhashWasm, awasm, ...noble] = await Promise.all([
    import('hash-wasm').catch(absent),
    // Of bench/package.json.
    // @ts-ignore
    import('xxhash-wasm').catch(absent),
    // Its repository names this package; not every registry has it.
    // @ts-ignore
    import('@awasm/noble').catch(absent),
    import('@noble/hashes/sha2.js').catch(absent),
    import('@noble/hashes/sha3.js').catch(absent),
    import('@noble/hashes/sha3-addons.js').catch(absent),
    import('@noble/hashes/blake2.js').catch(absent),
    import('@noble/hashes/blake3.js').catch(absent),
    import('@noble/hashes/legacy.js').catch(absent),
    import('@noble/hashes/hmac.js').catch(absent),
    import('@noble/hashes/pbkdf2.js').catch(absent),
    import('@noble/hashes/scrypt.js').catch(absent),
    import('@noble/hashes/argon2.js').catch(absent),
    import('@noble/ciphers/aes.js').catch(absent),
    import('@noble/ciphers/chacha.js').catch(absent),
  ]);
  return {
    hashWasm,
    xxhashWasm: await xxhashWasm?.default(),
    nobles: { noble: Object.assign({}, ...noble), 'awasm-noble': awasm ?? {} },
  };
}

/**
 * Millrace's hash, hash-wasm's shorthand, hash-wasm's hasher, and noble's function.
 *
 * @type {any[][]}
 */
const hashes = [
  ['md5', (w) => w.md5, (w) => w.createMD5(), 'md5'],
  ['sha1', (w) => w.sha1, (w) => w.createSHA1(), 'sha1'],
  ['sha224', (w) => w.sha224, (w) => w.createSHA224(), 'sha224'],
  ['sha256', (w) => w.sha256, (w) => w.createSHA256(), 'sha256'],
  ['sha384', (w) => w.sha384, (w) => w.createSHA384(), 'sha384'],
  ['sha512', (w) => w.sha512, (w) => w.createSHA512(), 'sha512'],
  ['sha512-256', undefined, undefined, 'sha512_256'],
  ...[224, 256, 384, 512].flatMap((bits) => [
    [
      `sha3-${bits}`,
      (w) => (data) => w.sha3(data, bits),
      (w) => w.createSHA3(bits),
      `sha3_${bits}`,
    ],
    [
      `keccak${bits}`,
      (w) => (data) => w.keccak(data, bits),
      (w) => w.createKeccak(bits),
      `keccak_${bits}`,
    ],
  ]),
  ['shake128', undefined, undefined, 'shake128'],
  ['shake256', undefined, undefined, 'shake256'],
  ['turboshake128', undefined, undefined, 'turboshake128'],
  ['kt128', undefined, undefined, 'kt128'],
  ['blake2b512', (w) => w.blake2b, (w) => w.createBLAKE2b(), 'blake2b'],
  ['blake2s256', (w) => w.blake2s, (w) => w.createBLAKE2s(), 'blake2s'],
  ['blake3', (w) => w.blake3, (w) => w.createBLAKE3(), 'blake3'],
  ['ripemd160', (w) => w.ripemd160, (w) => w.createRIPEMD160(), 'ripemd160'],
  ['xxh32', (w) => w.xxhash32, (w) => w.createXXHash32()],
  ['xxh64', (w) => w.xxhash64, (w) => w.createXXHash64()],
  ['xxh3-64', (w) => w.xxhash3, (w) => w.createXXHash3()],
  ['xxh3-128', (w) => w.xxhash128, (w) => w.createXXHash128()],
  ['crc32', (w) => w.crc32, (w) => w.createCRC32()],
  ['crc32c', (w) => (data) => w.crc32(data, 0x82f63b78), (w) => w.createCRC32(0x82f63b78)],
  [
    'crc64nvme',
    (w) => (data) => w.crc64(data, '9a6c9329ac4bc9b5'),
    (w) => w.createCRC64('9a6c9329ac4bc9b5'),
  ],
];

/**
 * Each cipher with noble's function and the bytes of its nonce.
 *
 * @type {[string, string, number][]}
 */
const ciphers = [
  ['aes-256-gcm', 'gcm', 12],
  ['aes-256-gcm-siv', 'gcmsiv', 12],
  ['chacha20-poly1305', 'chacha20poly1305', 12],
  ['xchacha20-poly1305', 'xchacha20poly1305', 24],
  ['aes-256-ctr', 'ctr', 16],
];

const exported = (portable, name) => portable[name.replaceAll('-', '_')];

const hashGroups = hashes.flatMap(([name, shorthand, hasher, theirs]) => {
  return [
    hasher && {
      name: `${name}, hex`,
      rows: sizes.map((size) => ({
        size,
        forms: async ({ millrace, portable, hashWasm }) => {
          const ours = exported(portable, name);
          const source = message(size);
          const reused = hashWasm && (await hasher(hashWasm));
          const short = hashWasm && shorthand(hashWasm);
          return {
            millrace: () => millrace.hash(name, source, 'hex'),
            'millrace/portable': () => ours(source, 'hex'),
            // Computes before it returns a promise; waiting for it is not measured.
            'hash-wasm, shorthand': short && (() => short(source)),
            'hash-wasm': reused && (() => reused.init().update(source).digest()),
          };
        },
      })),
    },
    theirs && {
      name: `${name}, bytes`,
      rows: [0, ...sizes].map((size) => ({
        size,
        forms: ({ millrace, portable, nobles }) => {
          const ours = exported(portable, name);
          const source = message(size);
          return {
            millrace: () => millrace.hash(name, source),
            'millrace/portable': () => ours(source),
            ...callsOf(nobles, theirs, (hash) => () => hash(source)),
          };
        },
      })),
    },
  ].filter(Boolean);
});

const numberGroups = [
  ['xxh64', 'h64Raw'],
  ['xxh32', 'h32Raw'],
].map(([name, method]) => ({
  name: `${name}, BigInt`,
  rows: sizes.map((size) => ({
    size,
    forms: ({ millrace, portable, xxhashWasm }) => {
      const ours = exported(portable, name);
      const source = message(size);
      return {
        millrace: () => millrace.hash(name, source, 'bigint'),
        'millrace/portable': () => ours(source, 'bigint'),
        'xxhash-wasm': xxhashWasm && (() => BigInt(xxhashWasm[method](source))),
      };
    },
  })),
}));

const hmacGroups = [
  {
    name: 'hmac-sha256, hex',
    rows: sizes.map((size) => ({
      size,
      forms: async ({ millrace, portable, hashWasm }) => {
        const [source, key] = [message(size), message(32)];
        const reused = await hashWasm?.createHMAC(hashWasm.createSHA256(), key);
        const prepared = millrace.createKey('hmac-sha256', key);
        return {
          millrace: () => millrace.hmac('sha256', prepared, source, 'hex'),
          'millrace/portable': () => portable.hmac(portable.sha256, key, source, 'hex'),
          'hash-wasm': reused && (() => reused.init().update(source).digest()),
        };
      },
    })),
  },
  {
    name: 'hmac-sha256, bytes',
    rows: [0, ...sizes].map((size) => ({
      size,
      forms: ({ millrace, portable, nobles }) => {
        const [source, key] = [message(size), message(32)];
        return {
          millrace: () => millrace.hmac('sha256', key, source),
          'millrace/portable': () => portable.hmac(portable.sha256, key, source),
          ...callsOf(nobles, 'hmac', (hmac) => () => hmac(nobles.noble.sha256, key, source)),
        };
      },
    })),
  },
];

const cipherGroups = ciphers.map(([name, theirs, nonceSize]) => ({
  name,
  rows: [0, ...sizes].map((size) => ({
    size,
    forms: ({ millrace, portable, nobles }) => {
      const ours = exported(portable, name);
      const [source, key, nonce] = [message(size), message(32), message(nonceSize)];
      const peers = callsOf(nobles, theirs, (cipher) => () => cipher(key, nonce).encrypt(source));
      if (name.endsWith('-ctr'))
        return {
          millrace: () => millrace.cipher(name, 1, key, nonce, source),
          'millrace/portable': () => ours.encrypt({ key, iv: nonce, source }),
          ...peers,
        };
      return {
        millrace: () => millrace.seal(name, { key, nonce, source }),
        'millrace/portable': () => ours.seal({ key, nonce, source }),
        ...peers,
      };
    },
  })),
}));

/**
 * A derivation by each library: one synchronous call at a time, or several promises at once.
 * hash-wasm's promises compute on the calling thread.
 *
 * @type {any[]}
 */
const derivations = [
  {
    name: 'scrypt N=16384 r=8 p=1',
    ours: (library) => library.scrypt('secret', salt, 32, { N: 16384, r: 8, p: 1 }),
    wasm: (w) =>
      w.scrypt({
        password: 'secret',
        salt,
        costFactor: 16384,
        blockSize: 8,
        parallelism: 1,
        hashLength: 32,
        outputType: 'binary',
      }),
  },
  ...['argon2id', 'argon2d'].map((kind) => ({
    name: `${kind} 19 MiB, 2 passes`,
    ours: (library) => library.argon2(kind, { message: 'secret', nonce: salt }),
    wasm: (w) =>
      w[kind]({
        password: 'secret',
        salt,
        iterations: 2,
        parallelism: 1,
        memorySize: 19456,
        hashLength: 32,
        outputType: 'binary',
      }),
  })),
  ...['sha256', 'sha512'].map((hash) => ({
    name: `pbkdf2 ${hash}, 10,000 iterations`,
    ours: (library, named) => library.pbkdf2('secret', salt, 10_000, 32, named(hash)),
    wasm: (w) =>
      w.pbkdf2({
        password: 'secret',
        salt,
        iterations: 10_000,
        hashLength: 32,
        hashFunction: hash === 'sha256' ? w.createSHA256() : w.createSHA512(),
        outputType: 'binary',
      }),
  })),
  {
    name: 'bcrypt, cost 8, verified',
    // Of "secret", by bcryptjs.
    ours: (library) => library.verifyPassword('secret', bcryptHash),
    inPortable: false,
    wasm: (w) => w.bcryptVerify({ password: 'secret', hash: bcryptHash }),
  },
];
const salt = message(16);
const bcryptHash = '$2b$08$9cQhqBCpuOG2G89xizxjB.Ijd3u6xqc4l9YKM05v9HnFi/twATMQG';

const derivationGroups = derivations.map(({ name, ours, inPortable = true, wasm }) => ({
  name,
  rows: [
    {
      label: 'one at a time',
      wait: 'promise',
      inFlight: 1,
      forms: ({ millrace, portable, hashWasm }) => ({
        millrace: async () => ours(millrace, (hash) => hash),
        'millrace/portable': inPortable && (async () => ours(portable, (hash) => portable[hash])),
        'hash-wasm': hashWasm && (() => wasm(hashWasm)),
      }),
    },
    {
      label: '4 at once',
      wait: 'promise',
      inFlight: 4,
      forms: ({ promises, hashWasm }) => ({
        millrace: () => ours(promises, (hash) => hash),
        'hash-wasm': hashWasm && (() => wasm(hashWasm)),
      }),
    },
  ],
}));

/** @type {{ name: string, rows: any[] }[]} */
export const groups = [
  ...hashGroups,
  ...numberGroups,
  ...hmacGroups,
  ...cipherGroups,
  ...derivationGroups,
];

/**
 * Returns the rows of a group with what each competitor took. `ours` has Millrace's entry points:
 * `millrace`, `portable` and `promises`.
 *
 * @param {number} index
 * @param {any} ours
 * @param {{ rounds: number, time: number, warmUp?: number, now?: () => number }} settings
 */
export async function measureGroup(index, ours, settings) {
  ours.millrace.configure({ engine: 'portable' });
  const libraries = { ...ours, ...(await loadPeers()) };
  const measured = [];
  for (const row of groups[index].rows) {
    const { size, label } = /** @type {any} */ (row);
    const whole = { wait: 'sync', ...row, name: groups[index].name };
    const forms = await row.forms(libraries);
    measured.push({
      size,
      label,
      entries: await measureForms(whole, forms, settings),
    });
  }
  return measured;
}

function callsOf(libraries, name, call) {
  return Object.fromEntries(
    Object.entries(libraries).map(([library, { [name]: found }]) => [
      library,
      found && call(found),
    ]),
  );
}

/** Returns bytes that repeat in no short period. */
function message(size) {
  return new Uint8Array(size).map((_, index) => (index * 31 + (index >> 8)) & 255);
}
