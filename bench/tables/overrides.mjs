// The packages of millrace/overrides beside their originals: the same calls of both.

export const settings = { rounds: 15, time: 30 };

const bytes = (size, value = 7) => new Uint8Array(size).fill(value);
const [key, nonce, message] = [bytes(32), bytes(24), bytes(32, 9)];
const sizes = { '64 B': bytes(64), '1 KiB': bytes(1024), '64 KiB': bytes(65_536) };

/** Returns both libraries, with what the rows verify, open and agree on. */
export async function load() {
  const dist = new URL('../../dist/compat/overrides.mjs', import.meta.url).href;
  const { nobleCurves, tweetnacl } = await import(dist);
  const { default: nacl } = await import('tweetnacl');
  const [edwards, nist, koblitz] = await Promise.all(
    ['ed25519', 'nist', 'secp256k1'].map((name) => import(`@noble/curves/${name}.js`)),
  );
  const curves = { ...edwards, ...nist, ...koblitz };
  const noble = { nacl, ...curves };
  const over = [edwards, nist, koblitz].map(nobleCurves);
  return {
    noble: prepared(noble),
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
  };
}

const ofCurve = (name) => [
  [`${name} getPublicKey`, (lib) => lib[name].getPublicKey(lib.keys[name].secret)],
  ...(name === 'x25519'
    ? []
    : [
        [`${name} sign`, (lib) => lib[name].sign(message, lib.keys[name].secret)],
        [
          `${name} verify`,
          ({ [name]: curve, keys: { [name]: made } }) =>
            curve.verify(made.signature, message, made.publicKey),
        ],
      ]),
  ...(/25519|schnorr/.test(name) && name !== 'x25519'
    ? []
    : [
        [
          `${name} getSharedSecret`,
          ({ [name]: curve, keys: { [name]: made } }) =>
            curve.getSharedSecret(made.secret, made.publicKey),
        ],
      ]),
];

/** @type {[name: string, run: (lib: any) => unknown][]} */
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
];

export const rows = calls.map(([name, run]) => ({
  name,
  wait: 'sync',
  forms: ({ millrace, noble }) => ({ millrace: () => run(millrace), original: () => run(noble) }),
}));
