// WebCrypto (node:crypto's webcrypto.subtle): promises only, results are new ArrayBuffers, keys are
// imported once before the clock starts.

import { webcrypto } from 'node:crypto';

export const name = 'WebCrypto';

export function load() {
  return { subtle: webcrypto.subtle, version: '' };
}

const names = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
  'sha3-256': 'SHA3-256',
  'aes-256-ctr': 'AES-CTR',
  'aes-256-gcm': 'AES-GCM',
  'chacha20-poly1305': 'ChaCha20-Poly1305',
};

/** Rejects, or leaves the name undefined, where this Node's WebCrypto lacks the algorithm. */
export async function prepare({ subtle }, inputs) {
  inputs.webName = names[inputs.hash];
  if (inputs.webName === undefined) throw new Error(`not in WebCrypto: ${inputs.algorithm}`);
  if (inputs.group === 'hmac') {
    const algorithm = { name: 'HMAC', hash: inputs.webName };
    inputs.webKey = await subtle.importKey('raw', inputs.rawKey, algorithm, false, ['sign']);
  } else if (inputs.group !== 'hash' && inputs.group !== 'many') {
    const format = inputs.webName === 'ChaCha20-Poly1305' ? 'raw-secret' : 'raw';
    inputs.webKey = await subtle.importKey(format, inputs.rawKey, inputs.webName, false, [
      'encrypt',
      'decrypt',
    ]);
  }
}

const promise = { wait: 'promise', output: 'buffer' };

export const forms = [
  {
    name: 'digest',
    group: 'hash',
    ...promise,
    make:
      ({ subtle }, { webName, source }) =>
      () =>
        subtle.digest(webName, source),
  },
  {
    name: 'digests',
    group: 'many',
    ...promise,
    make:
      ({ subtle }, { webName, sources }) =>
      () =>
        Promise.all(sources.map((source) => subtle.digest(webName, source))),
  },
  {
    name: 'sign',
    group: 'hmac',
    ...promise,
    make:
      ({ subtle }, { webKey, source }) =>
      () =>
        subtle.sign('HMAC', webKey, source),
  },
  {
    name: 'encrypt',
    group: 'cipher',
    ...promise,
    make:
      ({ subtle }, { webName, webKey, iv, source }) =>
      () =>
        subtle.encrypt({ name: webName, counter: iv, length: 128 }, webKey, source),
  },
  {
    name: 'encrypt',
    group: 'aead',
    operation: 'seal',
    ...promise,
    make:
      ({ subtle }, { webName, webKey, iv, source }) =>
      () =>
        subtle.encrypt({ name: webName, iv, tagLength: 128 }, webKey, source),
  },
  {
    name: 'decrypt',
    group: 'aead',
    operation: 'open',
    ...promise,
    make:
      ({ subtle }, { webName, webKey, iv, sealed }) =>
      () =>
        subtle.decrypt({ name: webName, iv, tagLength: 128 }, webKey, sealed),
  },
];
