// Encodes keys as node:crypto takes them: SPKI, PKCS#8 and SEC1 of raw keys, seeds and scalars.

import crypto from 'node:crypto';

const objectIds = {
  ed25519: ['2b6570'],
  ed448: ['2b6571'],
  x25519: ['2b656e'],
  x448: ['2b656f'],
  ...curves({
    'p-224': '2b81040021',
    'p-256': '2a8648ce3d030107',
    'p-384': '2b81040022',
    'p-521': '2b81040023',
    secp256k1: '2b8104000a',
  }),
  ...numbered('ml-kem', { 512: '0401', 768: '0402', 1024: '0403' }),
  ...numbered('ml-dsa', { 44: '0311', 65: '0312', 87: '0313' }),
};

/** The sizes of coordinates and scalars, in bytes. */
const sizes = { 'p-224': 28, 'p-256': 32, 'p-384': 48, 'p-521': 66, secp256k1: 32 };

/**
 * Returns a new pair of node:crypto, in other objects than those of the job that made it. If the
 * collector finds the job while Node.js 20 exports a key as JWK, it waits for that export for ever.
 */
export function newPair(type, options) {
  const made = crypto.generateKeyPairSync(type, {
    ...options,
    publicKeyEncoding: { format: 'der', type: 'spki' },
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
  });
  const privateKey = crypto.createPrivateKey({
    key: made.privateKey,
    format: 'der',
    type: 'pkcs8',
  });
  return { privateKey, publicKey: crypto.createPublicKey(privateKey) };
}

/** Returns the name of an algorithm, by the names of Wycheproof, ACVP and OpenSSL. */
export function algorithmName(name) {
  const lower = name.toLowerCase().replace('prime256v1', 'p-256');
  return lower
    .replace(/^secp(224|384|521|256)r1$/, 'p-$1')
    .replace(/^(edwards|ed-)(?=25519|448)/, 'ed')
    .replace(/^curve(?=25519|448)/, 'x');
}

/** Returns a public key as calls take it, or undefined if its algorithm has no name here. */
export function spki(name, raw) {
  return wrapped(name, 'spki', (identifier) => der(0x30, identifier, der(3, Buffer.of(0), raw)));
}

/** Returns a private key: of a seed or an expanded key of ML-KEM and ML-DSA, or raw. */
export function pkcs8(name, raw) {
  const isSeed = name.startsWith('ml-') && raw.length <= 64;
  const version = der(2, Buffer.of(0));
  return wrapped(name, 'pkcs8', (identifier) =>
    der(0x30, version, identifier, der(4, der(isSeed ? 0x80 : 4, raw))),
  );
}

/** Returns a private key of a scalar in hexadecimal, without its public key. */
export function sec1(name, scalar) {
  return wrapped(name, 'sec1', () => {
    const curve = der(6, Buffer.from(objectIds[name][1], 'hex'));
    return der(0x30, der(2, Buffer.of(1)), der(4, padded(scalar, sizes[name])), der(0xa0, curve));
  });
}

/** Returns the uncompressed point of coordinates. */
export function point(name, ...coordinates) {
  return Buffer.concat([Buffer.of(4), numbers(name, ...coordinates)]);
}

/** Returns numbers in hexadecimal as bytes of the size of a curve, one after the other. */
export function numbers(name, ...values) {
  return Buffer.concat(values.map((each) => padded(each, sizes[name])));
}

/** Returns an RSA public key of its numbers in hexadecimal. */
export function rsaJwk(modulus, exponent) {
  const [n, e] = [modulus, exponent].map((each) =>
    padded(each, Math.ceil(each.length / 2)).toString('base64url'),
  );
  return { key: { kty: 'RSA', n, e }, format: 'jwk' };
}

/** Returns a number in hexadecimal as bytes of a size. */
function padded(digits, size) {
  return Buffer.from(digits.replace(/^0+/, '').padStart(size * 2, '0'), 'hex');
}

function wrapped(name, type, make) {
  if (objectIds[name] === undefined) return undefined;
  const identifiers = objectIds[name].map((each) => der(6, Buffer.from(each, 'hex')));
  return { key: make(der(0x30, ...identifiers)), format: 'der', type };
}

/** Encodes a value of DER. */
function der(tag, ...parts) {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), body]);
}

function curves(table) {
  const found = Object.entries(table).map(([name, id]) => [name, ['2a8648ce3d0201', id]]);
  return Object.fromEntries(found);
}

function numbered(name, table) {
  const found = Object.entries(table).map(([size, id]) => [
    `${name}-${size}`,
    [`60864801650304${id}`],
  ]);
  return Object.fromEntries(found);
}
