// Single calls of node:crypto beside those of millrace/node-crypto.
//
//   form   returns the call to measure for an implementation of node:crypto, or undefined if that
//          lacks it

import crypto from 'node:crypto';
import { createRequire } from 'node:module';

export const settings = { rounds: 201, time: 2 };

export const load = () => createRequire(import.meta.url)('../../dist/compat/node-crypto.js');

const KiB = 1024;
const bytes = (size) => Buffer.from(Array.from({ length: size }, (_, index) => (index * 7) & 255));
const key = bytes(32);
const nonce = bytes(12);

export const rows = [
  hmac('key as bytes', 32, () => key),
  hmac('key as text', 32, () => 'a secret of thirty-two characters'),
  hmac('key as bytes', KiB, () => key),
  hmac(
    'fresh KeyObject',
    32,
    ({ createSecretKey }) =>
      () =>
        createSecretKey(key),
  ),
  hmac('reused KeyObject', 32, ({ createSecretKey }) => createSecretKey(key)),
  ...[64, KiB, 16 * KiB].map((size) => digest('sha256', size)),
  ...[64, KiB, 16 * KiB].map(oneShot),
  ...['aes-256-gcm', 'chacha20-poly1305', 'aes-256-ctr', 'chacha20'].flatMap((name) => [
    ...[64, 256, KiB, 16 * KiB].map((size) => message(name, size)),
    ...[64, KiB, 32 * KiB].map((size) => updates(name, size)),
  ]),
  ...[64, KiB].map((size) => opened('aes-256-gcm', size)),
  ...[64, KiB].map((size) => opened('chacha20-poly1305', size)),
];

function sync(name, form) {
  const forms = (millrace) => ({ millrace: form(millrace), 'node:crypto': form(crypto) });
  return { name, wait: 'sync', forms };
}

function sized(size) {
  return size >= KiB ? `${size / KiB} KiB` : `${size} B`;
}

function hmac(name, size, keyOf) {
  return sync(`createHmac sha256, ${name}, ${sized(size)}`, (crypto) => {
    const made = keyOf(crypto);
    const data = bytes(size);
    const { createHmac } = crypto;
    return typeof made === 'function'
      ? () => createHmac('sha256', made()).update(data).digest('hex')
      : () => createHmac('sha256', made).update(data).digest('hex');
  });
}

function digest(name, size) {
  return sync(`createHash ${name}, ${sized(size)}`, ({ createHash }) => {
    const data = bytes(size);
    return () => createHash(name).update(data).digest('hex');
  });
}

function oneShot(size) {
  return sync(`hash sha256, ${sized(size)}`, ({ hash }) => {
    const data = bytes(size);
    return hash && (() => hash('sha256', data));
  });
}

/** Returns the arguments of createCipheriv. */
function argumentsOf(name) {
  // The tag's size, which Node.js asks for where OpenSSL has no default.
  const options = name === 'chacha20-poly1305' ? { authTagLength: 16 } : undefined;
  return [name, key, /gcm|poly/.test(name) ? nonce : bytes(16), options];
}

function message(name, size) {
  return sync(`createCipheriv ${name}, ${sized(size)}`, ({ createCipheriv }) => {
    const [data, given] = [bytes(size), argumentsOf(name)];
    const tagged = /gcm|poly/.test(name);
    return () => {
      const cipher = createCipheriv(...given);
      const text = cipher.update(data);
      cipher.final();
      return tagged ? [text, cipher.getAuthTag()] : text;
    };
  });
}

function updates(name, size) {
  return sync(`one cipher ${name}, updates of ${sized(size)}`, ({ createCipheriv }) => {
    const data = bytes(size);
    let cipher;
    let left = 0;
    return () => {
      if (left-- === 0) {
        cipher = createCipheriv(...argumentsOf(name));
        left = 1000;
      }
      return cipher.update(data);
    };
  });
}

function opened(name, size) {
  return sync(`createDecipheriv ${name}, ${sized(size)}`, (crypto) => {
    const given = argumentsOf(name);
    const cipher = crypto.createCipheriv(...given);
    const data = cipher.update(bytes(size));
    cipher.final();
    const tag = cipher.getAuthTag();
    const { createDecipheriv } = crypto;
    return () => {
      const decipher = createDecipheriv(...given).setAuthTag(tag);
      const text = decipher.update(data);
      decipher.final();
      return text;
    };
  });
}
