// Where the key comes from: a key file, or a passphrase, which comes from a file, a file descriptor
// or the terminal. Never from the command line, where every process sees it, nor from the
// environment, which is handed on.

'use strict';

const { closeSync, constants, fstatSync, openSync, readFileSync } = require('node:fs');

const { wholeNumber } = require('../arguments.js');
const { Problem, reason, say, shown } = require('../ui.js');
const { askPassphrase } = require('./terminal.js');

const keySize = 32;
/**
 * What a key file begins with: it is no passphrase, and not something else that happens to have the
 * size of a key.
 */
const keyMark = 'millrace-key-1';
/** A passphrase is something a person types; a larger file was meant for something else. */
const longest = 64 * 1024;

/** @type {import('../arguments.js').Option[]} */
const secretOptions = [
  {
    name: 'key-file',
    short: 'k',
    value: 'FILE',
    help: 'a key: a file of millrace keygen, or exactly 32 bytes',
    complete: 'file',
  },
  {
    name: 'passphrase-file',
    short: 'p',
    value: 'FILE',
    help: 'the passphrase is in this file; one newline at its end does not count',
    complete: 'file',
  },
  { name: 'passphrase-fd', value: 'N', help: 'the passphrase comes by this file descriptor' },
];

/** Refuses what cannot go together, before anybody is asked for anything. */
function checkSecrets(values, readsInput) {
  const given = secretOptions.map(({ name }) => name).filter((name) => values[name] !== undefined);
  if (given.length > 1)
    throw new Problem(`--${given[0]} and --${given[1]}: one of them is enough`, { usage: true });
  const fd =
    values['passphrase-fd'] === undefined
      ? undefined
      : wholeNumber(values['passphrase-fd'], '--passphrase-fd', 0, 2 ** 20);
  if (readsInput && (fd === 0 || values['passphrase-file'] === '-' || values['key-file'] === '-')) {
    throw new Problem('standard input cannot give both the secret and what is to be worked on', {
      usage: true,
    });
  }
  if (fd === 1 || fd === 2)
    throw new Problem(`--passphrase-fd ${fd} is for output`, { usage: true });
}

const isKey = (values) => values['key-file'] !== undefined;

/**
 * The bytes of a key file: what stands behind the mark, or all of them where they are just as many
 * as a key has.
 */
function readKey(values) {
  const path = values['key-file'];
  const bytes = readSecret(path === '-' ? 0 : path, path);
  if (bytes.length === keySize) {
    if (isText(bytes))
      say(
        `warning: ${shown(path)}: this key is text, which is easier to guess than random bytes; millrace keygen makes a key`,
      );
    return bytes;
  }
  const text = bytes.latin1Slice().trim();
  bytes.fill(0);
  const marked = text.startsWith(`${keyMark} `);
  const code = marked ? text.slice(keyMark.length + 1) : text;
  const encoding = /^[0-9A-Fa-f]{64}$/.test(code)
    ? 'hex'
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(code)
      ? 'base64'
      : undefined;
  if (encoding !== undefined && marked) return Buffer.from(code, encoding);
  const remedy = encoding === undefined ? '' : `; if this text is one, put "${keyMark} " before it`;
  throw new Problem(
    `${shown(path)}: not a key: it must be a line that begins with ${keyMark}, as millrace keygen writes it, or exactly ${keySize} bytes${remedy}`,
  );
}

/** Printable characters and newlines only. Of 256^32 random keys one in 2^44 is such. */
const isText = (bytes) =>
  bytes.every((byte) => (byte >= 32 && byte < 127) || byte === 10 || byte === 13);

/** The line of a key file. */
const keyLine = (key) => `${keyMark} ${key.toString('base64')}\n`;

/**
 * The passphrase as bytes; the library brings text to Unicode's form C.
 *
 * @param {boolean} twice whether a person is asked to repeat it
 */
async function readPassphrase(values, twice) {
  const path = values['passphrase-file'];
  const fd = values['passphrase-fd'];
  if (path === undefined && fd === undefined) return Buffer.from(await askPassphrase(twice));
  const name = path ?? `file descriptor ${fd}`;
  let bytes = readSecret(path === undefined ? Number(fd) : path === '-' ? 0 : path, name);
  if (bytes.length > longest) throw new Problem(`${shown(name)}: too long for a passphrase`);
  if (bytes.at(-1) === 10) bytes = bytes.subarray(0, bytes.at(-2) === 13 ? -2 : -1);
  if (bytes.length === 0) throw new Problem(`${shown(name)}: an empty passphrase`);
  return bytes;
}

function readSecret(file, name) {
  let fd = file;
  try {
    if (typeof file !== 'number') fd = openSync(file, 'r');
    const { mode } = fstatSync(fd);
    const others = mode & 0o044;
    if (
      process.platform !== 'win32' &&
      (mode & constants.S_IFMT) === constants.S_IFREG &&
      others !== 0
    ) {
      say(
        `warning: ${shown(name)}: ${others & 0o004 ? 'everybody' : 'its group'} may read this file: chmod 600 makes it yours alone`,
      );
    }
    return readFileSync(fd);
  } catch (error) {
    throw new Problem(`${shown(name)}: ${reason(error)}`);
  } finally {
    if (typeof file !== 'number' && typeof fd === 'number') closeSync(fd);
  }
}

module.exports = { checkSecrets, isKey, keyLine, keySize, readKey, readPassphrase, secretOptions };
