// The rows of `npm run bench -- portable`, in groups of one algorithm and one kind of result. Each
// group is measured in a separate process or page. Runs in Node.js and in a page.
//
//   name   of the group
//   rows   { name, size, wait, inFlight, goal, forms }: `forms` returns each competitor's call.
//          A name that begins with `millrace` is Millrace's.

import { measureForms } from '../turns.mjs';

const KiB = 1024;
const sizes = [64, KiB, 64 * KiB, KiB * KiB];

/** Packages that the repository does not depend on are left out if they are not installed. */
async function loadPeers() {
  const absent = () => undefined;
  const [hashWasm, xxhashWasm, awasm, ...noble] = await Promise.all([
    import('hash-wasm'),
    // Of bench/package.json.
    // @ts-ignore
    import('xxhash-wasm').catch(absent),
    // Its repository names this package; not every registry has it.
    // @ts-ignore
    import('@awasm/noble').catch(absent),
    import('@noble/hashes/sha2.js'),
    import('@noble/hashes/sha3.js'),
    import('@noble/hashes/sha3-addons.js'),
    import('@noble/hashes/blake2.js'),
    import('@noble/hashes/blake3.js'),
    import('@noble/hashes/legacy.js'),
    import('@noble/hashes/hmac.js'),
    import('@noble/ciphers/aes.js'),
    import('@noble/ciphers/chacha.js'),
  ]);
  return {
    hashWasm,
    xxhashWasm: await xxhashWasm?.default(),
    nobles: { noble: Object.assign({}, ...noble), 'awasm-noble': awasm ?? {} },
  };
}

/**
 * Millrace's hash, noble's function, and hash-wasm's shorthand with its argument.
 *
 * @type {[ours: string, noble?: string, wasm?: string, argument?: any][]}
 */
const hashes = [
  ['md5', 'md5', 'md5'],
  ['sha1', 'sha1', 'sha1'],
  ['sha224', 'sha224', 'sha224'],
  ['sha256', 'sha256', 'sha256'],
  ['sha384', 'sha384', 'sha384'],
  ['sha512', 'sha512', 'sha512'],
  ['sha512-256', 'sha512_256'],
  ...[224, 256, 384, 512].flatMap(
    (bits) =>
      /** @type {any} */ ([
        [`sha3-${bits}`, `sha3_${bits}`, 'sha3', bits],
        [`keccak${bits}`, `keccak_${bits}`, 'keccak', bits],
      ]),
  ),
  ['shake128', 'shake128'],
  ['shake256', 'shake256'],
  ['turboshake128', 'turboshake128'],
  ['kt128', 'kt128'],
  ['blake2b512', 'blake2b', 'blake2b'],
  ['blake2s256', 'blake2s', 'blake2s'],
  ['blake3', 'blake3', 'blake3'],
  ['ripemd160', 'ripemd160', 'ripemd160'],
  ['xxh32', undefined, 'xxhash32'],
  ['xxh64', undefined, 'xxhash64'],
  ['xxh3-64', undefined, 'xxhash3'],
  ['xxh3-128', undefined, 'xxhash128'],
  ['crc32', undefined, 'crc32'],
  ['crc32c', undefined, 'crc32', 0x82f63b78],
  ['crc64nvme', undefined, 'crc64', '9a6c9329ac4bc9b5'],
];

/** Returns hash-wasm's hasher of a shorthand: `createSHA3(bits)` of `sha3`. */
function hasherOf(hashWasm, shorthand, argument) {
  const create = Object.keys(hashWasm).find((each) => each.toLowerCase() === `create${shorthand}`);
  return hashWasm[create](argument);
}

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

/** Returns a group with a row for each size of a message. */
const sized = (name, forms, ofSizes = sizes) => ({
  name,
  rows: ofSizes.map((size) => ({
    size,
    forms: (libraries) => forms(libraries, message(size)),
  })),
});
const withEmpty = [0, ...sizes];

const hashGroups = hashes.flatMap(([name, theirs, wasm, argument]) => {
  const hex = async ({ millrace, portable, hashWasm }, source) => {
    const ours = exported(portable, name);
    const reused = await hasherOf(hashWasm, wasm, argument);
    const short = hashWasm[wasm];
    return {
      millrace: () => millrace.hash(name, source, 'hex'),
      'millrace/portable': () => ours(source, 'hex'),
      // Computes before it returns a promise; waiting for it is not measured.
      'hash-wasm, shorthand': () => short(source, argument),
      'hash-wasm': () => reused.init().update(source).digest(),
    };
  };
  const bytes = ({ millrace, portable, nobles }, source) => {
    const ours = exported(portable, name);
    return {
      millrace: () => millrace.hash(name, source),
      'millrace/portable': () => ours(source),
      ...callsOf(nobles, theirs, (hash) => () => hash(source)),
    };
  };
  return [
    ...(wasm ? [sized(`${name}, hex`, hex)] : []),
    ...(theirs ? [sized(`${name}, bytes`, bytes, withEmpty)] : []),
  ];
});

const numberGroups = [
  ['xxh64', 'h64Raw'],
  ['xxh32', 'h32Raw'],
].map(([name, method]) =>
  sized(`${name}, BigInt`, ({ millrace, portable, xxhashWasm }, source) => {
    const ours = exported(portable, name);
    return {
      millrace: () => millrace.hash(name, source, 'bigint'),
      'millrace/portable': () => ours(source, 'bigint'),
      'xxhash-wasm': xxhashWasm && (() => BigInt(xxhashWasm[method](source))),
    };
  }),
);

const hmacKey = message(32);
const hmacGroups = [
  sized('hmac-sha256, hex', async ({ millrace, portable, hashWasm }, source) => {
    const reused = await hashWasm.createHMAC(hashWasm.createSHA256(), hmacKey);
    const prepared = millrace.createKey('hmac-sha256', hmacKey);
    return {
      millrace: () => millrace.hmac('sha256', prepared, source, 'hex'),
      'millrace/portable': () => portable.hmac(portable.sha256, hmacKey, source, 'hex'),
      'hash-wasm': () => reused.init().update(source).digest(),
    };
  }),
  sized(
    'hmac-sha256, bytes',
    ({ millrace, portable, nobles }, source) => ({
      millrace: () => millrace.hmac('sha256', hmacKey, source),
      'millrace/portable': () => portable.hmac(portable.sha256, hmacKey, source),
      ...callsOf(nobles, 'hmac', (hmac) => () => hmac(nobles.noble.sha256, hmacKey, source)),
    }),
    withEmpty,
  ),
];

const cipherGroups = ciphers.map(([name, theirs, nonceSize]) => {
  const forms = ({ millrace, portable, nobles }, source) => {
    const ours = exported(portable, name);
    const [key, nonce] = [message(32), message(nonceSize)];
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
  };
  return sized(name, forms, withEmpty);
});

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
        'hash-wasm': () => wasm(hashWasm),
      }),
    },
    {
      label: '4 at once',
      wait: 'promise',
      inFlight: 4,
      forms: ({ promises, hashWasm }) => ({
        millrace: () => ours(promises, (hash) => hash),
        'hash-wasm': () => wasm(hashWasm),
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
