// A bundle for browsers has the modules of the portable engine that its functions need, and not the
// others: each of these programs runs as a separate bundle.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import esbuild from 'esbuild';

import { root, temporary } from '../support/child.mjs';

const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

/** By expression: what it imports from where. `key`, `nonce` and `source` are bytes. */
const programs = {
  "hash('sha256', source)": ['hash', 'millrace'],
  "hmac('sha256', createKey('hmac-sha256', key), source)": ['hmac, createKey', 'millrace'],
  "pbkdf2(key, nonce, 10, 32, 'sha256')": ['pbkdf2', 'millrace'],
  "seal('aes-256-gcm', { key, nonce, source })": ['seal', 'millrace'],
  "open('aes-256-gcm', { key: createKey('aes-256-gcm', key), nonce, source: seal('aes-256-gcm', { key, nonce, source }) })":
    ['open, seal, createKey', 'millrace'],
  "wrapKey('aes-256-kw', { key, source: key })": ['wrapKey', 'millrace'],
  'scrypt(key, nonce, 32, { N: 1024 })': ['scrypt', 'millrace'],
  "hash('sha512', scrypt(seal('chacha20-poly1305', { key, nonce, source }), nonce, 32, { N: 16 }))":
    ['hash, scrypt, seal', 'millrace'],
  "sign(null, source, { key, format: 'raw', algorithm: 'ed25519' })": ['sign', 'millrace'],
  "diffieHellman({ privateKey: { key, format: 'raw', algorithm: 'x25519' }, publicKey: { key, format: 'raw', algorithm: 'x25519' } })":
    ['diffieHellman', 'millrace/promises'],
  "publicEncrypt(createPublicKey({ key: { kty: 'RSA', n: '4'.repeat(342), e: 'AQAB' }, format: 'jwk' }), key).then(({ length }) => [length])":
    ['createPublicKey, publicEncrypt', 'millrace/promises'],
  "joinParts('blake3', [hashPart('blake3', new Uint8Array(3000), { size: 3000 })])": [
    'hashPart, joinParts',
    'millrace',
  ],
  'hashOutboard(new Uint8Array(200_000)).then(({ outboard }) => outboard)': [
    'hashOutboard',
    'millrace/promises',
  ],
  'gcm(key, nonce).encrypt(source)': ['gcm', 'millrace/noble-ciphers/aes.js'],
  "new Response(new Blob([source]).stream().pipeThrough(sealTransformStream({ algorithm: 'chacha20-poly1305', key })).pipeThrough(openTransformStream({ algorithm: 'chacha20-poly1305', key }))).arrayBuffer().then((bytes) => new Uint8Array(bytes))":
    ['openTransformStream, sealTransformStream', 'millrace/promises'],
};
const given = {
  key: new Uint8Array(32).fill(7),
  nonce: new Uint8Array(12).fill(3),
  source: new Uint8Array(1000).map((_, index) => index),
};

/** Runs a program with imports that are bundled for browsers, or those of Node.js. */
async function run(expression, [names, entryPoint], number) {
  const contents =
    `import { ${names} } from '${entryPoint}';\n` +
    `export const run = ({ key, nonce, source }) => ${expression};\n`;
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  const file = join(folder, `${number}.mjs`);
  writeFileSync(file, outputFiles[0].contents);
  const ours = await import(pathToFileURL(file).href);
  const native = new Function(`{ ${names} }`, '{ key, nonce, source }', `return ${expression}`);
  return [await ours.run(given), await native(await import(entryPoint), given)];
}

for (const [number, [expression, imports]] of Object.entries(programs).entries())
  test(`${imports[0]} of ${imports[1]}: ${expression.slice(0, 60)}`, async () => {
    const [actual, expected] = await run(expression, imports, number);
    assert.ok(expected.length > 0);
    assert.deepEqual(Uint8Array.from(actual), Uint8Array.from(expected));
  });
