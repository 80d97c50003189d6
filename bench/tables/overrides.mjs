// The packages of millrace/overrides beside their originals: the same calls of both.

export const settings = { rounds: 9, time: 8 };

const bytes = (size, value = 7) => new Uint8Array(size).fill(value);
const [key, nonce, message] = [bytes(32), bytes(24), bytes(32, 9)];
const sizes = { '64 B': bytes(64), '1 KiB': bytes(1024), '64 KiB': bytes(65_536) };

/** Returns both libraries, with what the rows verify, open and agree on. */
export async function load() {
  const dist = new URL('../../dist/compat/overrides.mjs', import.meta.url).href;
  const { nobleCurves, noblePostQuantum, tweetnacl } = await import(dist);
  const { default: nacl } = await import('tweetnacl');
  const [edwards, nist, koblitz] = await Promise.all(
    ['ed25519', 'nist', 'secp256k1'].map((name) => import(`@noble/curves/${name}.js`)),
  );
  const lattices = [
    await import('@noble/post-quantum/ml-kem.js'),
    await import('@noble/post-quantum/ml-dsa.js'),
  ];
  const over = [...[edwards, nist, koblitz].map(nobleCurves), ...lattices.map(noblePostQuantum)];
  return {
    noble: prepared({ nacl, ...Object.assign({}, edwards, nist, koblitz, ...lattices) }),
    millrace: prepared({ nacl: tweetnacl(nacl), ...Object.assign({}, ...over) }),
  };
}

function prepared(lib) {
  const pair = lib.nacl.sign.keyPair.fromSeed(key);
  const signed = (name) => {
    const curve = lib[name];
    const secret = bytes(curve.lengths.secretKey, 1);
    const publicKey = curve.getPublicKey(secret);
    return { secret, publicKey, signature: curve.sign?.(message, secret) };
  };
  const names = ['ed25519', 'x25519', 'p256', 'p384', 'p521', 'secp256k1', 'schnorr'];
  return {
    ...lib,
    pair,
    detached: lib.nacl.sign.detached(message, pair.secretKey),
    boxes: Object.fromEntries(
      Object.entries(sizes).map(([size, text]) => [size, lib.nacl.secretbox(text, nonce, key)]),
    ),
    keys: Object.fromEntries(names.map((name) => [name, signed(name)])),
    recovered: lib.secp256k1.sign(message, bytes(32, 1), { format: 'recovered' }),
    ...latticed(lib),
  };
}

function latticed({ ml_kem768: kem, ml_dsa65: dsa }) {
  const [kemPair, dsaPair] = [kem.keygen(bytes(64)), dsa.keygen(key)];
  const { cipherText } = kem.encapsulate(kemPair.publicKey);
  return { kemPair, dsaPair, cipherText, dsaSignature: dsa.sign(message, dsaPair.secretKey) };
}

/** @type {(name: string) => any[]} */
const ofCurve = (name) => [
  [`${name} getPublicKey`, (lib) => lib[name].getPublicKey(lib.keys[name].secret)],
  ...(name === 'x25519'
    ? []
    : [
        [
          `${name} sign`,
          // The third argument of Schnorr signatures is their entropy, else random.
          (lib) =>
            name === 'schnorr'
              ? lib.schnorr.sign(message, lib.keys.schnorr.secret, key)
              : lib[name].sign(message, lib.keys[name].secret),
        ],
        [
          `${name} verify`,
          (lib) => lib[name].verify(lib.keys[name].signature, message, lib.keys[name].publicKey),
        ],
      ]),
  ...(/25519|schnorr/.test(name) && name !== 'x25519'
    ? []
    : [
        [
          `${name} getSharedSecret`,
          (lib) => lib[name].getSharedSecret(lib.keys[name].secret, lib.keys[name].publicKey),
        ],
      ]),
];

/** @type {any[]} The name of each call, and the function that makes it. */
const calls = [
  ...Object.entries(sizes).flatMap(([size, text]) => [
    [`nacl.secretbox ${size}`, (lib) => lib.nacl.secretbox(text, nonce, key)],
    [`nacl.secretbox.open ${size}`, (lib) => lib.nacl.secretbox.open(lib.boxes[size], nonce, key)],
    [`nacl.hash ${size}`, (lib) => lib.nacl.hash(text)],
  ]),
  ['nacl.box 64 B', (lib) => lib.nacl.box(sizes['64 B'], nonce, lib.keys.x25519.publicKey, key)],
  ['nacl.box.before', (lib) => lib.nacl.box.before(lib.keys.x25519.publicKey, key)],
  ['nacl.scalarMult.base', (lib) => lib.nacl.scalarMult.base(key)],
  ['nacl.sign.keyPair.fromSeed', (lib) => lib.nacl.sign.keyPair.fromSeed(key)],
  ['nacl.sign.detached', (lib) => lib.nacl.sign.detached(message, lib.pair.secretKey)],
  [
    'nacl.sign.detached.verify',
    (lib) => lib.nacl.sign.detached.verify(message, lib.detached, lib.pair.publicKey),
  ],
  ...['ed25519', 'x25519', 'p256', 'p384', 'p521', 'secp256k1', 'schnorr'].flatMap(ofCurve),
  ['secp256k1 recoverPublicKey', (lib) => lib.secp256k1.recoverPublicKey(lib.recovered, message)],
  ['ml_kem768 keygen', (lib) => lib.ml_kem768.keygen(bytes(64))],
  // Of random results the sizes: the rows check that both libraries have the same.
  [
    'ml_kem768 encapsulate',
    (lib) => lib.ml_kem768.encapsulate(lib.kemPair.publicKey).cipherText.length,
  ],
  [
    'ml_kem768 decapsulate',
    (lib) => lib.ml_kem768.decapsulate(lib.cipherText, lib.kemPair.secretKey).length,
  ],
  ['ml_dsa65 keygen', (lib) => lib.ml_dsa65.keygen(key)],
  ['ml_dsa65 sign', (lib) => lib.ml_dsa65.sign(message, lib.dsaPair.secretKey).length],
  [
    'ml_dsa65 verify',
    (lib) => lib.ml_dsa65.verify(lib.dsaSignature, message, lib.dsaPair.publicKey),
  ],
];

export const rows = calls.map(([name, run]) => ({
  name,
  wait: 'sync',
  forms: ({ millrace, noble }) => ({ millrace: () => run(millrace), original: () => run(noble) }),
}));
