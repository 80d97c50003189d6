// Calls of every method of SubtleCrypto: with arguments that change as soon as the call has
// returned, and with secrets of which nothing may be left.

/** Two sizes of data: that of a short call, which runs at once, and of one on the threads. */
const SIZES = [64, 200_000];

const counted = Uint8Array.from({ length: Math.max(...SIZES) + 256 }, (_, at) => at);
const bytes = (size, first = 1) => counted.slice(first, first + size);

/** The key of every call, in memory that V8 does not move. */
const raw = new Uint8Array(new ArrayBuffer(32));
raw.set(bytes(32));
/** All copies of the key that calls were given. */
const copies = [];

/** Returns a copy of the key, in memory of the same kind. */
function keyBytes() {
  const copy = new Uint8Array(new ArrayBuffer(raw.length));
  copy.set(raw);
  copies.push(copy);
  return copy;
}

const OLD = ['AES-GCM', 'AES-CTR', 'AES-CBC', 'HMAC', 'HKDF', 'PBKDF2'];
const ALL = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
const RSA = { modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' };
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' };

/** Returns new parameters by a label. */
const ciphers = {
  'AES-GCM': () => ({ name: 'AES-GCM', iv: bytes(12), additionalData: bytes(9) }),
  // The platform serves what these two ask for.
  'AES-GCM, a short tag': () => ({ name: 'AES-GCM', iv: bytes(12), tagLength: 32 }),
  'AES-CTR, a counter that wraps': () => counting(new Uint8Array(16).fill(255), 20),
  'AES-CTR': () => counting(bytes(16), 64),
  'AES-CBC': () => ({ name: 'AES-CBC', iv: bytes(16) }),
  'ChaCha20-Poly1305': () => ({ ...ciphers['AES-GCM'](), name: 'ChaCha20-Poly1305' }),
  'AES-CTR, members of a class': () => new Counter(bytes(16)),
};
const wrappings = { ...ciphers, 'AES-KW': () => ({ name: 'AES-KW' }) };

function counting(counter, length) {
  return { name: 'AES-CTR', counter, length };
}

/** A dictionary with getters, which for...in and a spread do not see. */
class Counter {
  constructor(bytes) {
    this.bytes = bytes;
  }
  get name() {
    return 'AES-CTR';
  }
  get counter() {
    return this.bytes;
  }
  get length() {
    return 64;
  }
}

const codes = {
  HMAC: () => ({ name: 'HMAC' }),
  KMAC128: () => ({ name: 'KMAC128', outputLength: 256, customization: bytes(5) }),
  KMAC256: () => ({ name: 'KMAC256', outputLength: 512 }),
};

const digests = {
  'SHA-256': () => ({ name: 'SHA-256' }),
  'SHA3-256': () => ({ name: 'SHA3-256' }),
  KT128: () => ({ name: 'KT128', outputLength: 256, customization: bytes(5) }),
  TurboSHAKE256: () => ({ name: 'TurboSHAKE256', outputLength: 512, domainSeparation: 7 }),
};

const argon2 = (name) => () => {
  const cost = { memory: 64, passes: 1, parallelism: 1 };
  return { name, nonce: bytes(16), ...cost, associatedData: bytes(5), secretValue: keyBytes() };
};
const derivations = {
  HKDF: () => ({ name: 'HKDF', hash: { name: 'SHA-256' }, salt: bytes(9), info: bytes(7) }),
  PBKDF2: () => ({ name: 'PBKDF2', hash: { name: 'SHA-256' }, salt: bytes(9), iterations: 1 }),
  'PBKDF2, long': () => ({ name: 'PBKDF2', hash: 'SHA-256', salt: bytes(9), iterations: 1000 }),
  Argon2d: argon2('Argon2d'),
  Argon2i: argon2('Argon2i'),
  Argon2id: argon2('Argon2id'),
};

const types = {
  'AES-GCM': () => [{ name: 'AES-GCM', length: 256 }, true, ['encrypt']],
  HMAC: () => [{ name: 'HMAC', hash: { name: 'SHA-256' }, length: 160 }, true, ['sign']],
  KMAC128: () => [{ name: 'KMAC128', length: 256 }, true, ['sign']],
  KMAC256: () => [{ name: 'KMAC256', length: 256 }, true, ['sign']],
  'AES-CTR': () => [{ name: 'AES-CTR', length: 256 }, true, ['encrypt']],
  'AES-KW': () => [{ name: 'AES-KW', length: 256 }, true, ['wrapKey']],
  'ChaCha20-Poly1305': () => [{ name: 'ChaCha20-Poly1305' }, true, ['encrypt']],
};

const hmac = () => ({ name: 'HMAC', hash: { name: 'SHA-256' } });
const macType = { HMAC: () => [hmac(), true, ['sign']], KMAC128: types.KMAC128 };
const rawOf = (name) => (OLD.includes(name) || name === 'AES-KW' ? 'raw' : 'raw-secret');

/** Imports the key, by `name` or with the parameters of an HMAC. */
function keyOf(subtle, name, usages) {
  const extractable = !/^(HKDF|PBKDF2|Argon2)/.test(name);
  const algorithm = name === 'HMAC' ? hmac() : name;
  return subtle.importKey(rawOf(name), keyBytes(), algorithm, extractable, usages);
}

/**
 * Yields a call for each label of a table and each size. `prepare` takes the parameters, the size,
 * and the key if it has the usages; it resolves to a function that returns new arguments.
 */
function* sized(table, usages, prepare) {
  for (const [label, algorithm] of Object.entries(table))
    for (const size of SIZES)
      yield [
        `${label} ${size}`,
        async (subtle) => {
          const key = usages && (await keyOf(subtle, algorithm().name, usages));
          return { given: await prepare({ subtle, algorithm, size, key }) };
        },
      ];
}

/** Yields a call for each cipher that wraps, each kind of key and format. */
function* wrapped(prepare) {
  for (const [label, algorithm] of Object.entries(wrappings))
    for (const name of ['HMAC', 'KMAC128'])
      for (const format of [rawOf(name), 'jwk'])
        yield [
          `${label}, ${name} ${format}`,
          async (subtle) => {
            const key = await keyOf(subtle, name, ['sign']);
            const wrapping = await keyOf(subtle, algorithm().name, ['wrapKey', 'unwrapKey']);
            return { given: await prepare({ subtle, name, format, key, wrapping, algorithm }) };
          },
        ];
}

/**
 * Yields `[label, prepare]` for a method. `prepare` resolves to `{ given, read, random }`: a
 * function that returns new arguments, one that makes a text of the result, and true if only its
 * form is the same each time.
 */
export const calls = {
  digest: () =>
    sized(digests, undefined, ({ algorithm, size }) => () => [algorithm(), bytes(size)]),

  *sign() {
    const given =
      ({ algorithm, size, key }) =>
      () => [algorithm(), key, bytes(size)];
    yield* sized(codes, ['sign'], given);
    yield [
      'HMAC with a key of the platform',
      async () => {
        const key = await keyOf(globalThis.crypto.subtle, 'HMAC', ['sign']);
        return { given: () => [{ name: 'HMAC' }, key, bytes(64)] };
      },
    ];
    for (const [label, algorithm, keyed, random] of signatures)
      for (const size of SIZES)
        yield [
          `${label} ${size}`,
          async (subtle) => {
            const { privateKey } = await pairOf(subtle, keyed(), ['sign', 'verify']);
            return { given: () => [algorithm(), privateKey, bytes(size)], random };
          },
        ];
  },

  *verify() {
    yield* sized(codes, ['sign', 'verify'], async ({ subtle, algorithm, size, key }) => {
      const code = await subtle.sign(algorithm(), key, bytes(size));
      return () => [algorithm(), key, new Uint8Array(code.slice()), bytes(size)];
    });
    for (const [label, algorithm, keyed] of signatures)
      for (const size of SIZES)
        yield [
          `${label} ${size}`,
          async (subtle) => {
            const { privateKey, publicKey } = await pairOf(subtle, keyed(), ['sign', 'verify']);
            const signature = await subtle.sign(algorithm(), privateKey, bytes(size));
            return { given: () => [algorithm(), publicKey, signature.slice(), bytes(size)] };
          },
        ];
  },

  *encrypt() {
    yield* sized(ciphers, ALL, ({ algorithm, size, key }) => () => [algorithm(), key, bytes(size)]);
    yield [
      'RSA-OAEP',
      async (subtle) => {
        const { publicKey } = await pairOf(subtle, rsa('RSA-OAEP'), ALL);
        return { given: () => [labelled(), publicKey, bytes(32)], random: true };
      },
    ];
  },

  *decrypt() {
    yield* sized(ciphers, ALL, async ({ subtle, algorithm, size, key }) => {
      const sealed = await subtle.encrypt(algorithm(), key, bytes(size));
      return () => [algorithm(), key, sealed.slice()];
    });
    yield [
      'RSA-OAEP',
      async (subtle) => {
        const pair = await pairOf(subtle, rsa('RSA-OAEP'), ALL);
        const sealed = await subtle.encrypt(labelled(), pair.publicKey, bytes(32));
        return { given: () => [labelled(), pair.privateKey, sealed.slice()] };
      },
    ];
  },

  *deriveBits() {
    for (const [name, keyed] of agreements)
      yield [
        name,
        async (subtle) => {
          const { privateKey, publicKey } = await pairOf(subtle, keyed(), ['deriveBits']);
          return { given: () => [{ name, public: publicKey }, privateKey, 256] };
        },
      ];
    for (const [label, algorithm] of Object.entries(derivations))
      yield [
        label,
        async (subtle) => {
          const key = await keyOf(subtle, algorithm().name, ['deriveBits']);
          return { given: () => [algorithm(), key, 256] };
        },
      ];
  },

  *deriveKey() {
    for (const [name, keyed] of agreements)
      for (const [type, rest] of Object.entries(types))
        yield [
          `${name}, ${type}`,
          async (subtle) => {
            const { privateKey, publicKey } = await pairOf(subtle, keyed(), ['deriveKey']);
            return { given: () => [{ name, public: publicKey }, privateKey, ...rest()] };
          },
        ];
    for (const [label, algorithm] of Object.entries(derivations))
      for (const [type, rest] of Object.entries(types))
        yield [
          `${label}, ${type}`,
          async (subtle) => {
            const key = await keyOf(subtle, algorithm().name, ['deriveKey']);
            return { given: () => [algorithm(), key, ...rest()] };
          },
        ];
  },

  *importKey() {
    const k = () => Buffer.from(keyBytes().buffer).toString('base64url');
    const jwk = (alg) => ({ kty: 'oct', k: k(), alg, key_ops: ['sign'], ext: true });
    const base = (name) => [rawOf(name), keyBytes(), { name }, false, ['deriveBits']];
    for (const given of [
      () => ['raw', keyBytes(), { name: 'AES-GCM' }, true, ['encrypt']],
      () => ['raw', keyBytes(), { ...hmac(), length: 256 }, true, ['sign']],
      () => ['jwk', jwk('HS256'), hmac(), true, ['sign']],
      () => ['raw-secret', keyBytes(), { name: 'KMAC128', length: 256 }, true, ['sign']],
      () => ['jwk', jwk('K128'), { name: 'KMAC128' }, true, ['sign']],
      () => ['raw', keyBytes(), { name: 'AES-CBC' }, true, ['encrypt']],
      () => ['raw', keyBytes(), { name: 'AES-CTR' }, true, ['encrypt']],
      () => ['raw', keyBytes(), { name: 'AES-KW' }, true, ['wrapKey']],
      () => ['raw-secret', keyBytes(), { name: 'ChaCha20-Poly1305' }, true, ['encrypt']],
      () => ['raw-secret', keyBytes(), { name: 'KMAC256' }, false, ['sign']],
      () => ['pkcs8', pkcs8Of(keyBytes()), { name: 'Ed25519' }, true, ['sign']],
    ])
      yield [`${given()[0]} ${given()[2].name}`, () => ({ given })];
    const seed = () => ['raw-seed', keyBytes(), { name: 'ML-DSA-44' }, true, ['sign']];
    yield [
      'raw-seed ML-DSA-44',
      async (subtle) => {
        // Versions without the algorithm do not know the format either.
        await subtle.generateKey('ML-DSA-44', true, ['sign']);
        return { given: seed };
      },
    ];
    // The bits that a base key derives show its bytes.
    for (const name of ['HKDF', 'PBKDF2', 'Argon2d', 'Argon2i', 'Argon2id'])
      yield [
        name,
        (subtle) => ({
          given: () => base(name),
          read: async (key) => {
            const bits = await subtle.deriveBits(derivations[name](), key, 64);
            return { key, bits };
          },
        }),
      ];
  },

  *generateKey() {
    for (const [label, given] of Object.entries(types))
      yield [label, () => ({ given, random: true })];
    for (const [label, , keyed] of signatures) {
      const given = () => [keyed(), true, ['sign', 'verify']];
      yield [label, () => ({ given, random: true })];
    }
  },

  *exportKey() {
    for (const [name, usage] of [
      ['AES-GCM', 'encrypt'],
      ['HMAC', 'sign'],
      ['KMAC128', 'sign'],
    ])
      for (const format of [rawOf(name), 'jwk'])
        yield [
          `${name} ${format}`,
          async (subtle) => {
            const key = await keyOf(subtle, name, [usage]);
            return { given: () => [format, key] };
          },
        ];
  },

  *wrapKey() {
    yield* wrapped(({ format, key, wrapping, algorithm }) => () => [
      format,
      key,
      wrapping,
      algorithm(),
    ]);
    for (const name of ['HMAC', 'KMAC128']) yield [`RSA-OAEP, ${name}`, oaep(name)];
  },

  *unwrapKey() {
    yield* wrapped(async ({ subtle, name, format, key, wrapping, algorithm }) => {
      const text = await subtle.wrapKey(format, key, wrapping, algorithm());
      return () => [format, text.slice(), wrapping, algorithm(), ...macType[name]()];
    });
    for (const name of ['HMAC', 'KMAC128'])
      yield [
        `RSA-OAEP, ${name}`,
        async (subtle) => {
          const { publicKey, privateKey } = await pairOf(subtle, rsa('RSA-OAEP'), ALL);
          const key = await keyOf(subtle, name, ['sign']);
          const text = await subtle.wrapKey(rawOf(name), key, publicKey, labelled());
          const rest = () => [privateKey, labelled(), ...macType[name]()];
          return { given: () => [rawOf(name), text.slice(), ...rest()] };
        },
      ];
  },

  *getPublicKey() {
    // Of a platform that lacks the method, the portable engine reads keys of Millrace only.
    for (const algorithm of [ECDSA, { name: 'ML-DSA-44' }])
      yield [
        algorithm.name,
        async (subtle) => {
          const { privateKey } = await subtle.generateKey(algorithm, true, ['sign', 'verify']);
          return { given: () => [privateKey, ['verify']] };
        },
      ];
  },

  encapsulateBits: () => [['ML-KEM-768', encapsulation('publicKey', () => [], true)]],
  encapsulateKey: () => [['ML-KEM-768', encapsulation('publicKey', macType.HMAC, true)]],
  decapsulateBits: () => [['ML-KEM-768', encapsulation('privateKey', () => [])]],
  decapsulateKey: () => [['ML-KEM-768', encapsulation('privateKey', macType.HMAC)]],
};

/** The algorithms that sign: the parameters, those of the keys, and true if results differ. */
const signatures = [
  ['RSASSA-PKCS1-v1_5', () => ({ name: 'RSASSA-PKCS1-v1_5' }), () => rsa('RSASSA-PKCS1-v1_5')],
  ['RSA-PSS', () => ({ name: 'RSA-PSS', saltLength: 20 }), () => rsa('RSA-PSS'), true],
  ['ECDSA', () => ({ name: 'ECDSA', hash: { name: 'SHA-256' } }), () => ({ ...ECDSA }), true],
  ['Ed25519', () => ({ name: 'Ed25519' }), () => ({ name: 'Ed25519' })],
  [
    'ML-DSA-44',
    () => ({ name: 'ML-DSA-44', context: bytes(9) }),
    () => ({ name: 'ML-DSA-44' }),
    true,
  ],
];
const agreements = [
  ['X25519', () => ({ name: 'X25519' })],
  ['ECDH', () => ({ ...ECDSA, name: 'ECDH' })],
];
const rsa = (name) => ({ name, ...RSA, publicExponent: RSA.publicExponent.slice() });
const labelled = () => ({ name: 'RSA-OAEP', label: bytes(8) });

/** The pairs by algorithm: generating them takes long. */
const pairs = new Map();

/** Returns a pair of a library for an algorithm. */
function pairOf(subtle, algorithm, usages) {
  const name = JSON.stringify([algorithm.name, usages]);
  let ofLibrary = pairs.get(subtle);
  if (ofLibrary === undefined) pairs.set(subtle, (ofLibrary = new Map()));
  if (!ofLibrary.has(name)) ofLibrary.set(name, subtle.generateKey(algorithm, true, usages));
  return ofLibrary.get(name);
}

/** Returns an Ed25519 key in PKCS#8, alone in its memory. */
function pkcs8Of(key) {
  const der = new Uint8Array(new ArrayBuffer(48));
  der.set(Buffer.from('302e020100300506032b657004220420', 'hex'));
  der.set(key, 16);
  copies.push(der);
  return der;
}

/** Wraps by RSA-OAEP, whose results differ each time: they are unwrapped with the right label. */
function oaep(name) {
  return async (subtle) => {
    const pair = await pairOf(subtle, rsa('RSA-OAEP'), ALL);
    const key = await keyOf(subtle, name, ['sign']);
    const format = rawOf(name);
    const type = name === 'HMAC' ? hmac() : name;
    return {
      given: () => [format, key, pair.publicKey, labelled()],
      read: (wrapped) =>
        subtle.unwrapKey(format, wrapped, pair.privateKey, labelled(), type, true, ['sign']),
    };
  };
}

function encapsulation(part, rest, random = false) {
  return async (subtle) => {
    const usages = ['Bits', 'Key'].flatMap((each) => [`encapsulate${each}`, `decapsulate${each}`]);
    const pair = await subtle.generateKey({ name: 'ML-KEM-768' }, true, usages);
    const { ciphertext } = await subtle.encapsulateBits('ML-KEM-768', pair.publicKey);
    const text = part === 'privateKey' ? () => [ciphertext.slice()] : () => [];
    return { given: () => [{ name: 'ML-KEM-768' }, pair[part], ...text(), ...rest()], random };
  };
}

/** Returns what a result consists of; of a random one its form. */
async function formOf(subtle, value, random) {
  if (value instanceof ArrayBuffer)
    return random ? value.byteLength : Buffer.from(value).toString('base64');
  if (value instanceof CryptoKey) {
    const { type, algorithm, extractable, usages } = value;
    const exported =
      extractable && type === 'secret' ? await subtle.exportKey('jwk', value) : undefined;
    return { type, algorithm, extractable, usages, k: random ? exported?.k.length : exported?.k };
  }
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value).map(async ([name, each]) => [
    name,
    await formOf(subtle, each, random),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

async function outcome(subtle, promise, { read = (value) => value, random = false }) {
  try {
    return JSON.stringify(await formOf(subtle, await read(await promise), random));
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

/** Yields the paths of everything in arguments that can change, keys excepted. */
function* places(value, path = []) {
  if (typeof value !== 'object' || value === null || value instanceof CryptoKey) return;
  if (path.length > 0) yield path;
  if (isBytes(value)) return;
  const names = Object.keys(value);
  if (value instanceof Counter) names.push('counter');
  for (const name of names) yield* places(value[name], [...path, name]);
}

const isBytes = (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;

const changes = {
  overwritten(value) {
    if (isBytes(value)) new Uint8Array(value.buffer ?? value).fill(90);
    else for (const name of Object.keys(value)) value[name] = 'nope';
  },
  'taken away': (value) => {
    if (isBytes(value)) structuredClone(null, { transfer: [value.buffer ?? value] });
    else if (Array.isArray(value)) value.length = 0;
    else for (const name of Object.keys(value)) delete value[name];
  },
};

/** Returns the names of all methods. */
function methodsOf(subtle) {
  const names = new Set();
  for (let each = subtle; each !== Object.prototype; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each))
      if (name !== 'constructor' && typeof each[name] === 'function') names.add(name);
  return names;
}

/**
 * Calls every method of SubtleCrypto, changes one argument after the other when the call has
 * returned, and resolves to the calls whose result is not that of an untouched call, and the
 * methods without a valid call.
 */
export async function lateReads(subtle) {
  const found = [];
  for (const name of methodsOf(subtle)) {
    // exportKey takes nothing that can change.
    let count = name === 'exportKey' ? 1 : 0;
    for (const [label, prepare] of calls[name]?.() ?? []) {
      let call;
      try {
        call = await prepare(subtle);
      } catch (error) {
        // An algorithm that this version of Node.js lacks.
        if (error.name !== 'NotSupportedError') throw error;
        continue;
      }
      const expected = await outcome(subtle, subtle[name](...call.given()), call);
      if (/^\w*(Error|Exception): /.test(expected)) {
        if (!expected.startsWith('NotSupportedError')) found.push(`${name} ${label}: ${expected}`);
        continue;
      }
      for (const path of places(call.given()))
        for (const [how, change] of Object.entries(changes)) {
          const given = call.given();
          const promise = subtle[name](...given);
          change(path.reduce((value, key) => value[key], given));
          count++;
          const made = await outcome(subtle, promise, call);
          if (made !== expected)
            found.push(`${name} ${label}: ${path.join('.')} ${how}: ${made.slice(0, 80)}`);
        }
    }
    if (count === 0) found.push(`${name} has no valid call with arguments that can change`);
  }
  return found;
}

/** Yields the method and the label of each call, and a function that makes it with a secret. */
export function* secretCalls(subtle) {
  for (const name of methodsOf(subtle))
    for (const [label, prepare] of calls[name]?.() ?? [])
      yield {
        name,
        label: `${name} ${label}`,
        use: (secret, options) => useSecret(subtle, name, prepare, secret, options),
      };
}

/**
 * Makes a call with a key of 32 bytes, and with `refused` the same call with each argument missing,
 * with other usages, and with each run of bytes changed. Then wipes all copies and results. Returns false if the
 * platform lacks an algorithm.
 */
async function useSecret(subtle, name, prepare, secret, { refused = false, read = () => {} }) {
  raw.set(secret);
  try {
    const call = await prepare(subtle);
    const values = [subtle[name](...call.given())];
    if (refused) values.push(...refusals(call.given).map((given) => subtle[name](...given)));
    for (const [index, { value, reason }] of (await Promise.allSettled(values)).entries()) {
      if (index === 0 && reason !== undefined) throw reason;
      if (index === 0) await read(value);
      if (value instanceof ArrayBuffer) new Uint8Array(value).fill(0);
    }
    return true;
  } catch (error) {
    // An algorithm that this version of Node.js lacks.
    if (error.name === 'NotSupportedError') return false;
    throw error;
  } finally {
    for (const copy of [raw, ...copies.splice(0)]) copy.fill(0);
  }
}

function refusals(make) {
  const replaced = (index, value) => make().with(index, value);
  const found = make().flatMap((each, index) => [
    replaced(index, undefined),
    ...(Array.isArray(each) ? [replaced(index, ['nope'])] : []),
  ]);
  for (const path of places(make())) {
    const given = make();
    const value = path.reduce((each, key) => each[key], given);
    if (!isBytes(value)) continue;
    new Uint8Array(value.buffer ?? value)[0] ^= 1;
    found.push(given);
  }
  return found;
}
