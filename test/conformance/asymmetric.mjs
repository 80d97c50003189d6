// Asymmetric keys: published answers of every algorithm and HPKE, and what new keys make, by every
// call style. What the portable engine lacks it must refuse, as docs/public-keys.md says.

import { hex, pattern, toHex, utf8 } from './bytes.mjs';
import { ok, same, sameBytes } from './verdicts.mjs';

const curves = { prime256v1: 'p-256', secp384r1: 'p-384', secp521r1: 'p-521' };
const hashName = (name) => name.toLowerCase().replace('sha-', 'sha');
const UNAVAILABLE = 'ERR_ENGINE_UNAVAILABLE';
const UNSUPPORTED = 'ERR_KEY_NOT_SUPPORTED';

/** Returns the key of raw bytes or of a seed. */
const raw = (digits, algorithm, format = 'raw') => ({ key: hex(digits), format, algorithm });

/** Returns the bytes with one bit changed. */
function changed(bytes) {
  const other = Uint8Array.from(bytes);
  other[other.length >> 1] ^= 4;
  return other;
}

export async function asymmetric(context) {
  const { options, place, add, load, styles, refused } = context;
  const isPortable = options.engine === 'portable' || place === 'browser';
  /**
   * Adds a case for each style. `lacks` is what the portable engine says to it; `later` if that is
   * so in synchronous calls only, as WebCrypto has no others.
   */
  const each = (algorithm, title, run, lacks) => {
    for (const { name: way, call } of styles) {
      const code = lacks === 'later' ? way === 'synchronous' && UNAVAILABLE : lacks;
      add('asymmetric', algorithm, `${way}, ${title}`, () =>
        isPortable && code ? refused(run(call), code, title) : run(call),
      );
    }
  };
  for (const vector of await load('vectors/public-keys.json')) answers(vector, options, each);
  newKeys(context, each);
  const suites = await load('vectors/hpke.json');
  for (const vector of suites.filter(({ mode }) => mode === 0 || mode === 3))
    hpke(vector, context, each);
}

/** What AWS-LC has, and WebCrypto in asynchronous calls. */
const platformOnly = (algorithm) => (/^(p-384|p-521|rsa)/.test(algorithm) ? 'later' : undefined);

/** Adds the cases of a published answer. */
function answers({ kind, source, hash, mgf1, salt, ...own }, options, each) {
  const algorithm = curves[own.algorithm] ?? own.algorithm ?? kind.replace(/^rsa-.*/, 'rsa');
  const message = hex(own.message ?? '');
  const title = `${kind}, ${source}`;
  const verifies = async (call, ...[name, key, signature, more]) => {
    const given = { ...options, ...more };
    same(await call('verify', name, message, key, signature, given), true, 'the signature');
    const wrong = await call('verify', name, message, key, changed(signature), given);
    same(wrong, false, 'a changed signature');
  };
  const signs = async (call, name, key) =>
    sameBytes(await call('sign', name, message, key, options), hex(own.signature), 'signature');
  switch (kind) {
    case 'ed25519':
      each(algorithm, title, async (call) => {
        await signs(call, null, raw(own.private, algorithm));
        await verifies(call, null, raw(own.public, algorithm), hex(own.signature));
      });
      break;
    case 'ecdsa': {
      const key = { ...raw(own.public, algorithm), dsaEncoding: 'ieee-p1363' };
      const run = (call) => verifies(call, hashName(hash), key, hex(own.p1363));
      each(algorithm, title, run, platformOnly(algorithm));
      break;
    }
    case 'ml-dsa': {
      const more = { context: hex(own.context) };
      const key = raw(own.seed, algorithm, 'seed');
      each(algorithm, title, (call) => verifies(call, null, key, hex(own.signature), more));
      break;
    }
    case 'rsa-pkcs1': {
      const run = async (call) => {
        await signs(call, hashName(hash), hex(own.private));
        await verifies(call, hashName(hash), hex(own.private), hex(own.signature));
      };
      each(algorithm, title, run, 'later');
      break;
    }
    case 'rsa-pss': {
      const more = { padding: 'pss', saltLength: salt, mgf1Hash: hashName(mgf1) };
      const run = (call) =>
        verifies(call, hashName(hash), hex(own.public), hex(own.signature), more);
      // WebCrypto has no other hash for MGF1.
      each(algorithm, title, run, UNAVAILABLE);
      break;
    }
    case 'rsa-oaep': {
      const oaep = {
        oaepHash: hashName(hash),
        mgf1Hash: hashName(mgf1),
        oaepLabel: hex(own.label),
      };
      const given = [hex(own.private), hex(own.ciphertext), { ...options, ...oaep }];
      const run = async (call) =>
        sameBytes(await call('privateDecrypt', ...given), message, 'plaintext');
      each(algorithm, title, run, UNAVAILABLE);
      break;
    }
    case 'x25519':
    case 'ecdh': {
      const run = async (call) => {
        const privateKey = raw(own.private, algorithm);
        const publicKey = raw(own.peer, algorithm);
        const secret = await call('diffieHellman', { ...options, privateKey, publicKey });
        sameBytes(secret, hex(own.secret), 'secret');
      };
      each(algorithm, title, run, platformOnly(algorithm) && UNSUPPORTED);
      break;
    }
    case 'ml-kem':
    case 'x-wing': {
      const run = async (call) => {
        const key = raw(own.seed, algorithm, 'seed');
        const given = [key, hex(own.ciphertext), options];
        sameBytes(await call('decapsulate', ...given), hex(own.secret), 'secret');
      };
      each(algorithm, title, run, kind === 'x-wing' ? UNSUPPORTED : undefined);
      break;
    }
  }
}

/** Adds the cases of new keys: what one call makes another takes. */
function newKeys({ millrace, promises, options }, each) {
  const pairOf = (name) => promises.generateKeyPair(name, options);
  const message = pattern(300);
  for (const name of ['ed25519', 'p-256', 'p-384', 'p-521', 'ml-dsa-44', 'ml-dsa-65']) {
    const hash = name.startsWith('p') ? 'sha256' : null;
    const run = async (call) => {
      const { privateKey, publicKey } = await pairOf(name);
      const signature = await call('sign', hash, message, privateKey, options);
      const pem = publicKey.export({ format: 'pem', type: 'spki' });
      const jwk = publicKey.export({ format: 'jwk' });
      for (const key of [publicKey, pem, { key: jwk, format: 'jwk' }]) {
        const verify = (given) => call('verify', hash, given, key, signature, options);
        same(await verify(message), true, 'the message');
        same(await verify(changed(message)), false, 'another message');
      }
      const der = privateKey.export({ format: 'der', type: 'pkcs8' });
      const again = millrace.createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      const second = await call('sign', hash, message, again, options);
      same(await call('verify', hash, message, publicKey, second, options), true, 'read again');
      again.dispose();
    };
    each(name, 'a new key signs', run, platformOnly(name));
  }
  for (const name of ['x25519', 'p-256', 'p-384', 'p-521']) {
    const run = async (call) => {
      const [one, two] = await Promise.all([pairOf(name), pairOf(name)]);
      const agreed = ({ privateKey }, { publicKey }) =>
        call('diffieHellman', { ...options, privateKey, publicKey });
      sameBytes(await agreed(one, two), await agreed(two, one), 'secret');
    };
    each(name, 'new keys agree', run, platformOnly(name));
  }
  for (const name of ['ml-kem-512', 'ml-kem-768', 'ml-kem-1024', 'x-wing']) {
    const run = async (call) => {
      const { privateKey, publicKey } = await pairOf(name);
      const { sharedKey, ciphertext } = await call('encapsulate', publicKey, options);
      const opened = (given) => call('decapsulate', privateKey, given, options);
      sameBytes(await opened(ciphertext), sharedKey, 'secret');
      ok(toHex(await opened(changed(ciphertext))) !== toHex(sharedKey), 'implicit rejection');
    };
    each(name, 'a new key encapsulates', run, name === 'x-wing' ? UNSUPPORTED : undefined);
  }
}

/** Adds the cases of a published suite of HPKE, one message and one context. */
function hpke(vector, { promises, options }, each) {
  const kdf = `hkdf-sha${[256, 384, 512][vector.kdf_id - 1]}`;
  const aead = ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305'][vector.aead_id - 1];
  const algorithm = { 0x10: 'p-256', 0x12: 'p-521', 0x20: 'x25519' }[vector.kem_id];
  if (algorithm === undefined || aead === undefined) return;
  const given = { ...options, kdf, aead, info: hex(vector.info) };
  if (vector.psk) Object.assign(given, { psk: hex(vector.psk), pskId: hex(vector.psk_id) });
  if (vector.pkSm) given.senderPublicKey = raw(vector.pkSm, algorithm);
  const key = raw(vector.skRm, algorithm);
  const [first] = vector.encryptions;
  const run = async (call) => {
    const all = { ...given, aad: hex(first.aad) };
    const opened = await call('hpkeOpen', key, hex(vector.enc), hex(first.ct), all);
    sameBytes(opened, hex(first.pt), 'plaintext');
    const recipient = await call('createHpkeRecipient', key, hex(vector.enc), given);
    const messages = vector.encryptions.map(({ aad, ct }) =>
      recipient.openAsync(hex(ct), hex(aad)),
    );
    for (const [index, text] of (await Promise.all(messages)).entries())
      sameBytes(text, hex(vector.encryptions[index].pt), `message ${index}`);
    const [{ exporter_context: label, L: size, exported_value: exported }] = vector.exports;
    sameBytes(recipient.export(hex(label), size), hex(exported), 'export');
    if (vector.pkSm) return;
    const own = { ...given, aad: 'a header' };
    const { privateKey, publicKey } = await promises.generateKeyPair(algorithm, options);
    const sealed = await call('hpkeSeal', publicKey, utf8('text'), own);
    const { encapsulatedKey, ciphertext } = sealed;
    const text = await call('hpkeOpen', privateKey, encapsulatedKey, ciphertext, own);
    sameBytes(text, utf8('text'), 'own message');
  };
  // A raw private key of P-521 is refused before.
  const lacks = platformOnly(algorithm) ? UNSUPPORTED : UNAVAILABLE;
  each('hpke', `${algorithm}, ${kdf}, ${aead}, mode ${vector.mode}`, run, lacks);
}
