// The names that the examples of the documentation take for granted, as globals: an example that
// makes its own hides them. Runs in the project of the example, before it.

import { randomBytes, randomFillSync } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';

import millrace from 'millrace';
import * as promises from 'millrace/promises';

const bytes = randomBytes(4096);
const ignore = () => {};
const nextNonce = () => randomBytes(12);

Object.assign(globalThis, {
  millrace,
  promises,
  ...millrace,
  createReadStream,
  createWriteStream,
  readFileSync,
  writeFileSync,
  pipeline,
  randomBytes,
  randomFillSync,
  bytes,
  data: bytes,
  body: bytes,
  source: bytes,
  message: bytes,
  secret: randomBytes(32),
  key: randomBytes(32),
  salt: randomBytes(16),
  nonce: nextNonce(),
  aad: Buffer.from('v1'),
  target: Buffer.alloc(8192),
  messages: [Buffer.from('one'), Buffer.from('two'), bytes],
  part: 'a part',
  first: 'first',
  second: 'second',
  password: 'correct horse battery staple',
  passphrase: 'correct horse battery staple',
  path: 'photos.tar',
  hasher: millrace.createHash('sha256').update('what came before'),
  blob: new Blob([bytes]),
  response: new Response(bytes),
  asyncIterable: (async function* () {
    yield bytes;
  })(),
  signal: new AbortController().signal,
  onProgress: ignore,
  callback(error) {
    if (error) throw error;
  },
  bar: { update: ignore },
  store: ignore,
  write: async () => {},
  next: nextNonce,
});
