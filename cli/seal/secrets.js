// Reads the key from a key file, or the passphrase from a file, a file descriptor or the terminal.
// Neither comes from the command line, which every process sees, nor from the environment, which
// child processes inherit.

'use strict';

const { closeSync, constants, existsSync, fstatSync, openSync, readSync } = require('node:fs');

const { option } = require('../arguments.js');
const { decodeText } = require('../text.js');
const { FileError, UsageError, reason, logError, displayName } = require('../ui.js');

const KEY_BYTES = 32;
/** The first word of a key file. It tells a key from a passphrase and from other 32-byte files. */
const keyMark = 'millrace-key-1';
/** A larger file is not a passphrase. */
const SECRET_MAX_BYTES = 64 * 1024;

const secretOptions = [
  option(
    '-k, --key-file FILE',
    'read the key from this file: from millrace keygen, or exactly 32 bytes',
    { complete: 'file' },
  ),
  option(
    '-p, --passphrase-file FILE',
    'read the passphrase from this file, without one final newline',
    { complete: 'file' },
  ),
  option('--passphrase-fd N', 'read the passphrase from this file descriptor'),
];

const passphraseRemedy = 'use --passphrase-file or --passphrase-fd';

/** Throws if options contradict each other, before the user is asked for a passphrase. */
function checkSecrets(values, readsInput) {
  const given = secretOptions.map(({ name }) => name).filter((name) => values[name] !== undefined);
  if (given.length > 1) throw new UsageError(`--${given[0]} and --${given[1]} exclude each other`);
  const number = values['passphrase-fd'];
  // The error does not show the value, which may be the passphrase itself.
  if (number !== undefined && !/^\d{1,7}$/.test(number))
    throw new UsageError(
      '--passphrase-fd takes the number of an open file descriptor, not the passphrase',
    );
  const fd = number === undefined ? undefined : Number(number);
  if (readsInput && (fd === 0 || values['passphrase-file'] === '-' || values['key-file'] === '-')) {
    throw new UsageError('standard input cannot be both the secret and the message');
  }
  if (fd === 1 || fd === 2) throw new UsageError(`--passphrase-fd ${fd} is an output`);
}

const isKey = (values) => values['key-file'] !== undefined;

/** Returns the key after the mark, or the whole file if it is as long as a key. */
function readKey(values, size = KEY_BYTES) {
  const { secretMemory, wipe } = memory();
  const path = values['key-file'];
  const bytes = readSecret(path === '-' ? 0 : path, path, '--key-file', isFileName);
  if (bytes.length === size) {
    if (isText(bytes))
      logError(
        `warning: ${displayName(path)}: this key is text, which is easier to guess than random ` +
          'bytes; millrace keygen creates a key',
      );
    return bytes;
  }
  const decoded = decodeText(bytes, path);
  const text = decoded.toString('latin1').trim();
  wipe(decoded);
  wipe(bytes);
  const marked = text.startsWith(`${keyMark} `);
  const code = marked ? text.slice(keyMark.length + 1) : text;
  const encoding =
    code.length === 2 * size && /^[0-9A-Fa-f]+$/.test(code)
      ? 'hex'
      : /^[A-Za-z0-9+/_-]+={0,2}$/.test(code) && Buffer.from(code, 'base64').length === size
        ? 'base64'
        : undefined;
  if (encoding !== undefined && marked) {
    const key = Buffer.from(secretMemory(size).buffer);
    key.write(code, encoding);
    return key;
  }
  const remedy =
    encoding === undefined ? '' : `; if this text is a key, put "${keyMark} " before it`;
  throw new FileError(
    path,
    `not a key: expected a line that begins with ${keyMark}, ` +
      `as millrace keygen writes it, or exactly ${size} bytes${remedy}`,
  );
}

/** Returns true for a name with an extension: no key in hex or base64 has a dot. */
const isFileName = (text) => /^[^ ]+\.\w{2,4}$/.test(text);

/** Returns true for printable ASCII and line ends. One random key in 2^44 is such text. */
const isText = (bytes) =>
  bytes.every((byte) => (byte >= 32 && byte < 127) || byte === 10 || byte === 13);

const keyLine = (key) => `${keyMark} ${key.toString('base64')}\n`;

/**
 * Returns the passphrase as bytes. The library normalizes it to Unicode's form C.
 *
 * @param {boolean} twice asks a person to repeat it
 * @param {string} instead what to use where no terminal is, for a message
 */
async function readPassphrase(values, twice, instead = passphraseRemedy) {
  const path = values['passphrase-file'];
  const fd = values['passphrase-fd'];
  if (path === undefined && fd === undefined) {
    // It loads node:tty, which takes 2 ms.
    const { askPassphrase } = require('./terminal.js');
    return Buffer.from(await askPassphrase(twice, instead));
  }
  const name = path ?? `file descriptor ${fd}`;
  const file = path === undefined ? Number(fd) : path === '-' ? 0 : path;
  const read = readSecret(file, name, '--passphrase-file');
  let bytes = decodeText(read, name);
  if (bytes.buffer !== read.buffer) memory().wipe(read);
  if (bytes.length > SECRET_MAX_BYTES) throw new FileError(name, 'too long for a passphrase');
  if (bytes.at(-1) === 10) bytes = bytes.subarray(0, bytes.at(-2) === 13 ? -2 : -1);
  if (bytes.length === 0) throw new FileError(name, 'the passphrase is empty');
  return bytes;
}

/**
 * Reads a secret from a file or a descriptor.
 *
 * @param {string} option the one that takes the name of the file, for a message
 * @param {(name: string) => boolean} isFileName returns true for a name that is no secret
 */
function readSecret(file, name, option, isFileName = () => false) {
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
      logError(
        `warning: ${displayName(name)}: ${others & 0o004 ? 'everybody' : 'its group'} can read ` +
          'this file: run chmod 600',
      );
    }
    return readAll(fd);
  } catch (error) {
    // A name without a file may be the secret itself, which no message shows.
    if (typeof file !== 'number' && !existsSync(file) && !isFileName(file))
      throw new UsageError(
        `${option} takes the name of a file, not the secret itself: ${reason(error)}`,
      );
    throw new FileError(name, error);
  } finally {
    if (typeof file !== 'number' && typeof fd === 'number') closeSync(fd);
  }
}

/**
 * Reads a file to its end, or one byte more than a passphrase may have. readFileSync leaves copies.
 *
 * @param {number} fd
 */
function readAll(fd) {
  const bytes = Buffer.from(memory().secretMemory(SECRET_MAX_BYTES + 1).buffer);
  let size = 0;
  for (let read = 1; read > 0 && size < bytes.length; size += read)
    read = readSync(fd, bytes, size, bytes.length - size, null);
  return bytes.subarray(0, size);
}

/** Loads the module on use: most commands need no secret. */
const memory = () => require('../../dist/core.js')['base/secret-memory'];

module.exports = {
  checkSecrets,
  isKey,
  keyLine,
  KEY_BYTES,
  readKey,
  readPassphrase,
  readSecret,
  SECRET_MAX_BYTES,
  secretOptions,
};
