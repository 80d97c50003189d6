// Decodes the text files that the command is given: checksum lists, key files, passphrase files.
// Windows' editors and PowerShell write UTF-16, or begin UTF-8 with a byte order mark.

'use strict';

const { FileError } = require('./ui.js');

/**
 * Returns the text as UTF-8 without a byte order mark. Bytes that are neither marked nor UTF-16 are
 * returned as they are: names and passphrases need not be UTF-8.
 *
 * @param {Buffer} bytes
 * @param {string | Buffer} name of the file, for errors
 * @returns {Buffer} the same memory, or a copy
 */
function decodeText(bytes, name) {
  const start = bytes.subarray(0, 3).toString('hex');
  if (start === 'efbbbf') return bytes.subarray(3);
  const zeros = (from) =>
    bytes.length > 1 && bytes.every((byte, at) => at % 2 !== from || byte === 0);
  const bigEndian = start.startsWith('feff') || zeros(0);
  if (!bigEndian && !start.startsWith('fffe') && !zeros(1)) return bytes;
  try {
    const units = bigEndian ? Buffer.from(bytes).swap16() : bytes;
    const text = new TextDecoder('utf-16le', { fatal: true }).decode(units);
    if (!text.includes('\0')) return Buffer.from(text);
  } catch {
    // An odd number of bytes, or half a character.
  }
  throw new FileError(name, 'begins as UTF-16 text does, but is not UTF-16: save it as UTF-8');
}

module.exports = { decodeText };
