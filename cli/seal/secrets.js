// Where the key comes from: a key file, or a passphrase, which comes from a file, a file descriptor or the terminal. Never from the
// command line, where every process sees it, nor from the environment, which is handed on.

'use strict';

const { readFileSync } = require('node:fs');

const { wholeNumber } = require('../arguments.js');
const { Problem, reason, shown } = require('../ui.js');
const { memoryOf } = require('./header.js');
const { askPassphrase } = require('./terminal.js');

const keySize = 32;
/** A passphrase is something a person types; a larger file was meant for something else. */
const longest = 64 * 1024;

/** @type {import('../arguments.js').Option[]} */
const secretOptions = [
  { name: 'key-file', short: 'k', value: 'FILE', help: 'a key of 32 bytes: as they are, in hex or in base64 (millrace keygen makes one)', complete: 'file' },
  { name: 'passphrase-file', short: 'p', value: 'FILE', help: 'the passphrase is in this file; one newline at its end does not count', complete: 'file' },
  { name: 'passphrase-fd', value: 'N', help: 'the passphrase comes by this file descriptor' },
];

/** Refuses what cannot go together, before anybody is asked for anything. */
function checkSecrets(values, readsInput) {
  const given = secretOptions.map(({ name }) => name).filter((name) => values[name] !== undefined);
  if (given.length > 1) throw new Problem(`--${given[0]} and --${given[1]}: one of them is enough`, { usage: true });
  const fd = values['passphrase-fd'] === undefined ? undefined : wholeNumber(values['passphrase-fd'], '--passphrase-fd', 0, 2 ** 20);
  if (readsInput && (fd === 0 || values['passphrase-file'] === '-' || values['key-file'] === '-')) {
    throw new Problem('standard input cannot give both the secret and what is to be worked on', { usage: true });
  }
  if (fd === 1 || fd === 2) throw new Problem(`--passphrase-fd ${fd} is for output`, { usage: true });
}

const isKey = (values) => values['key-file'] !== undefined;

/** The bytes of a key file. */
function readKey(values) {
  const path = values['key-file'];
  const bytes = readSecret(path === '-' ? 0 : path, path);
  if (bytes.length === keySize) return bytes;
  const text = bytes.latin1Slice().trim();
  bytes.fill(0);
  const encoding = /^[0-9A-Fa-f]{64}$/.test(text) ? 'hex' : /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? 'base64' : undefined;
  if (encoding === undefined) throw new Problem(`${shown(path)}: not a key: it must be ${keySize} bytes, as they are, in hex or in base64`);
  return Buffer.from(text, encoding);
}

/**
 * The passphrase as bytes: text in Unicode's form C, so that it is the same from every keyboard.
 *
 * @param {boolean} twice whether a person is asked to repeat it
 */
async function readPassphrase(values, twice) {
  const path = values['passphrase-file'];
  const fd = values['passphrase-fd'];
  if (path === undefined && fd === undefined) return normal(Buffer.from(await askPassphrase(twice)));
  const name = path ?? `file descriptor ${fd}`;
  let bytes = readSecret(path === undefined ? Number(fd) : path === '-' ? 0 : path, name);
  if (bytes.length > longest) throw new Problem(`${shown(name)}: too long for a passphrase`);
  if (bytes.at(-1) === 10) bytes = bytes.subarray(0, bytes.at(-2) === 13 ? -2 : -1);
  if (bytes.length === 0) throw new Problem(`${shown(name)}: an empty passphrase`);
  return normal(bytes);
}

/** What is not text stays as it is. */
function normal(bytes) {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? Buffer.from(text.normalize('NFC')) : bytes;
}

function readSecret(file, name) {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Problem(`${shown(name)}: ${reason(error)}`);
  }
}

/** @param {import('./header.js').Scrypt} scrypt */
function deriveKey(passphrase, scrypt) {
  const { cost, blockSize, parallelization, salt } = scrypt;
  const maxmem = memoryOf(scrypt) + 2 ** 20;
  const millrace = require('../../dist/index.js');
  // The file says what it takes; what that may be at most has been checked.
  millrace.configure({ maxKdfMemory: Math.max(millrace.configure().maxKdfMemory, maxmem) });
  return new Promise((resolve, reject) => {
    millrace.scrypt(passphrase, salt, keySize, { cost, blockSize, parallelization, maxmem }, (error, key) => {
      passphrase.fill(0);
      if (error) reject(error);
      else resolve(key);
    });
  });
}

module.exports = { checkSecrets, deriveKey, isKey, keySize, readKey, readPassphrase, secretOptions };
