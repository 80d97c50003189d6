// A page that uses every entry point for browsers. It prints the result in one line.

import millrace, { createHash, createKey, engines, hash, hashFile, open, seal } from 'millrace';
import { toBigIntBE } from 'millrace/bigint-buffer';
import { hashAsBigInt } from 'millrace/bigint-hash';
import { sha256, xxh3_64 } from 'millrace/portable';
import * as promises from 'millrace/promises';

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

async function answers() {
  const key = new Uint8Array(32).fill(7);
  const nonce = new Uint8Array(12);
  const source = new Uint8Array(100_000).map((_, index) => index);
  const large = new Uint8Array(3_000_000).fill(1);
  const sealed = seal('aes-256-gcm', { key, nonce, source });
  const streamed = new Blob([source])
    .stream()
    .pipeThrough(promises.sealTransformStream({ algorithm: 'chacha20-poly1305', key }))
    .pipeThrough(promises.openTransformStream({ algorithm: 'chacha20-poly1305', key }));
  return {
    kinds: [hash('md5', 'a').constructor.name, typeof globalThis.Buffer],
    hash: hash('sha256', source, 'hex'),
    default: millrace.hash('sha256', source, 'hex'),
    hasher: createHash('sha256')
      .update(source.subarray(0, 10))
      .update(source.subarray(10))
      .digest('hex'),
    portable: sha256(source, 'hex'),
    small: xxh3_64('abc', 'hex'),
    sealed: hex(hash('sha256', sealed)),
    opened: hash(
      'sha256',
      open('aes-256-gcm', { key: createKey('aes-256-gcm', key), nonce, source: sealed }),
      'hex',
    ),
    file: hex(await promises.hashFile('sha256', new Blob([source]))),
    callback: await new Promise((resolve, reject) =>
      hashFile('sha256', new Blob([source]), 'hex', (error, digest) =>
        error ? reject(error) : resolve(digest),
      ),
    ),
    large: await promises.hash('blake3', large, 'hex'),
    aead: hash(
      'sha256',
      await promises.seal('chacha20-poly1305', { key, nonce, source: large }),
      'hex',
    ),
    scrypt: hex(await promises.scrypt('password', 'salt', 32, { N: 1024 })),
    streamed: hash('sha256', new Uint8Array(await new Response(streamed).arrayBuffer()), 'hex'),
    bigint: String(hashAsBigInt('sha1', source)) === String(toBigIntBE(hash('sha1', source))),
    refused: await promises.hash('sha256', source, { engine: 'native' }).catch(({ code }) => code),
    engine: engines().portable.available,
    threads: engines().threads.started,
  };
}

answers().then(
  (found) => console.log(`ANSWERS ${JSON.stringify(found)}`),
  (error) => console.log(`ANSWERS ${JSON.stringify({ error: String(error?.stack ?? error) })}`),
);
