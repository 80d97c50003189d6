// Calls packages from the libraries that depend on them, in a project of managers.mjs, and prints
// the results of each as JSON, and whether Millrace is in the package's place. The arguments are
// pairs of a library and a package. Some calls are refused by native code, so that they need the
// original.

const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');

const bytes = (size) => new Uint8Array(size).fill(9);
const messageOf = (call) => {
  try {
    return call();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};

/** The order of Ed25519's group, little-endian. */
const order = Buffer.from(
  'edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010',
  'hex',
);

/** Returns a signature with the order added to its s. */
function unreduced(signature) {
  const changed = Uint8Array.from(signature);
  for (let at = 0, carry = 0; at < 32; at++) {
    carry += changed[32 + at] + order[at];
    changed[32 + at] = carry;
    carry >>= 8;
  }
  return changed;
}

/** The results of each package's calls. */
const calls = {
  '@noble/hashes': async (load) => {
    const { pbkdf2 } = await load('/pbkdf2.js');
    const { sha256 } = await load('/sha2.js');
    const { keccak_256 } = await load('/sha3.js');
    return [keccak_256(bytes(32)), pbkdf2(sha256, bytes(16), bytes(16), { c: 1000, dkLen: 32 })];
  },
  tweetnacl: async (load) => {
    const nacl = await load('');
    const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(bytes(32));
    const signature = nacl.sign.detached(bytes(9), secretKey);
    const others = [signature, unreduced(signature), bytes(64)];
    return [
      signature,
      ...others.map((each) => nacl.sign.detached.verify(bytes(9), each, publicKey)),
      messageOf(() => nacl.sign.detached('text', secretKey)),
      nacl.lowlevel.crypto_verify_16 === undefined,
    ];
  },
  '@noble/curves': async (load) => {
    const { ed25519 } = await load('/ed25519.js');
    const { secp256k1 } = await load('/secp256k1.js');
    // The identity in an encoding that ZIP 215 takes and RFC 8032 does not.
    const key = Uint8Array.from({ length: 32 }, (_, at) => [0xee, 0xff, 0x7f][at && 1 + (at > 30)]);
    const signed = secp256k1.sign(bytes(32), bytes(32));
    return [
      ed25519.sign(bytes(9), bytes(32)),
      ed25519.verify(
        Uint8Array.from({ length: 64 }, (_, at) => +(at === 0)),
        bytes(9),
        key,
      ),
      messageOf(() => ed25519.sign(7, bytes(32))),
      secp256k1.getPublicKey(bytes(32)),
      signed.toCompactRawBytes?.() ?? signed,
      (await load('/abstract/modular.js')).mod(9n, 7n),
    ];
  },
  '@noble/post-quantum': async (load) => {
    const { ml_kem768 } = await load('/ml-kem.js');
    const { publicKey, secretKey } = ml_kem768.keygen(bytes(64));
    const { cipherText, sharedSecret } = ml_kem768.encapsulate(publicKey, bytes(32));
    return [cipherText, sharedSecret, ml_kem768.decapsulate(cipherText, secretKey)];
  },
  '@aws-crypto/crc32': async (load) => (await load('')).crc32(bytes(1000)),
  '@aws-crypto/crc32c': async (load) => (await load('')).crc32c(bytes(1000)),
  '@aws-sdk/crc64-nvme': async (load) => {
    const { Crc64Nvme } = await load('');
    const checksum = new Crc64Nvme();
    checksum.update(bytes(1000));
    return checksum.digest();
  },
  '@aws-sdk/checksums': async (load) => {
    const { Crc32cJs, Crc64Nvme } = await load('/crc');
    const checksums = [new Crc32cJs(), new Crc64Nvme()];
    for (const each of checksums) each.update(bytes(1000));
    const digests = await Promise.all(checksums.map((each) => each.digest()));
    const modules = ['', '/sha', '/md5', '/xxh', '/flexible-checksums'].map(load);
    const names = (await Promise.all(modules)).map((each) =>
      Object.keys(each).filter((name) => !/^__|^default$|^module\.exports$/.test(name)),
    );
    return [digests, names.map((each) => each.sort())];
  },
};

/** Returns the place and the manifest of Millrace's package; undefined for another. */
function millraceOf(library, name) {
  let place;
  try {
    place = library.resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
  const manifest = library(place);
  return manifest.name.startsWith('@millrace/') ? { place, manifest } : undefined;
}

/** Returns true if a package has native code, and noble has computed no hash. */
function isServed({ place }) {
  const inside = createRequire(place);
  const calls = Object.keys(inside('millrace/noble-hashes').nobleCalls());
  return inside('millrace').engines().native.available && calls.length === 0;
}

(async () => {
  const found = {};
  for (const [from, name] of JSON.parse(process.argv[2])) {
    const library = createRequire(require.resolve(from));
    const millrace = millraceOf(library, name);
    // Plug'n'Play resolves no ES module of `require`.
    const load = (path) => {
      const entry = millrace?.manifest.exports?.[`.${path}`]?.import;
      return entry === undefined
        ? library(`${name}${path}`)
        : import(pathToFileURL(join(dirname(millrace.place), entry)).href);
    };
    const results = await calls[name](load);
    const text = JSON.stringify(results, (_, value) =>
      value instanceof Uint8Array
        ? Buffer.from(value).toString('hex')
        : typeof value === 'bigint'
          ? `${value}n`
          : value,
    );
    found[`${from}: ${name}`] = {
      results: text,
      millrace: millrace !== undefined && isServed(millrace),
    };
  }
  console.log(`#found ${JSON.stringify(found)}`);
})();
