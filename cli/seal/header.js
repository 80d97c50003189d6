// Reads the header of a sealed file (src/streams/passphrase/header.ts has the format) and limits
// the memory and time that it may ask for.

'use strict';

const { UserError, displayName } = require('../ui.js');

const format = () =>
  require('../../dist/streams/passphrase/transforms.js')['streams/passphrase/header'];

/**
 * The most that a header may ask for to derive the key: the memory of scrypt with N = 2^20 and r =
 * 8 (1 GiB), and 30 s on one slow core.
 */
const limits = { maxMemory: 2 ** 30 + 2 ** 24, maxTime: 30_000 };

/**
 * Reads the header from the start of a file.
 *
 * @param {(size: number) => Promise<Buffer>} take reads the next bytes, fewer at the end
 * @param {string | Buffer} name of the file, for errors
 */
async function readHeader(take, name) {
  const { FIXED_SIZE, headerSize, readHeader: read } = format();
  const inFile = (act) => {
    try {
      return act();
    } catch (error) {
      throw new UserError(`${displayName(name)}: ${error.message}`);
    }
  };
  const fixed = await take(FIXED_SIZE);
  const bytes = Buffer.concat([fixed, await take(inFile(() => headerSize(fixed)) - FIXED_SIZE)]);
  return { header: inFile(() => read(bytes)), bytes };
}

/** Raises Millrace's memory limit to what the key derivation needs. Throws above `limits`. */
function raiseMemoryLimit(scrypt, name) {
  const { checkLimits } = require('../../dist/streams/passphrase/transforms.js')[
    'streams/passphrase/derive-key'
  ];
  const { scryptMemory } = require('../../dist/core.js')['request/kdf-costs'];
  try {
    checkLimits(scrypt, limits);
  } catch {
    throw new UserError(
      `${displayName(name)}: refused: deriving the key takes more than 1 GiB of memory, ` +
        'or 30 seconds, by its header',
    );
  }
  const { configure } = require('../../dist/index.js');
  configure({ maxKdfMemory: Math.max(configure().maxKdfMemory, scryptMemory(scrypt) + 2 ** 20) });
}

const writeHeader = (header) => Buffer.from(format().writeHeader(header));

module.exports = { raiseMemoryLimit, limits, readHeader, writeHeader };
