// What stands before the sealed stream of a file that `millrace seal` wrote:
// src/passphrase/header.ts has the format. Here it is read from a file, and held against what a
// file may ask for.

'use strict';

const { Problem, shown } = require('../ui.js');

const format = () =>
  require('../../dist/streams/passphrase/transforms.js')['streams/passphrase/header'];

/**
 * A file of somebody else may not ask for more memory than scrypt takes with N = 2^20 and r = 8 (1
 * GiB), nor for more time than 30 s on one slow core, to derive the key.
 */
const limits = { maxMemory: 2 ** 30 + 2 ** 24, maxTime: 30_000 };

/**
 * Reads the header from the start of a file.
 *
 * @param {(size: number) => Promise<Buffer>} take gives the next bytes, fewer at the end
 * @param {string | Buffer} name of the file, for errors
 */
async function readHeader(take, name) {
  const { FIXED_SIZE, headerSize, readHeader: read } = format();
  const inFile = (act) => {
    try {
      return act();
    } catch (error) {
      throw new Problem(`${shown(name)}: ${error.message}`);
    }
  };
  const fixed = await take(FIXED_SIZE);
  const bytes = Buffer.concat([fixed, await take(inFile(() => headerSize(fixed)) - FIXED_SIZE)]);
  return { header: inFile(() => read(bytes)), bytes };
}

/** Makes room to derive the key; refuses a header that asks for too much. */
function deriveRoom(scrypt, name) {
  const { checkLimits } = require('../../dist/streams/passphrase/transforms.js')[
    'streams/passphrase/derive-key'
  ];
  const { memoryOf } = require('../../dist/core.js')['kdf/scrypt'];
  try {
    checkLimits(scrypt, limits);
  } catch {
    throw new Problem(
      `${shown(name)}: refused: its header asks for more than 1 GiB of memory, or 30 seconds, to derive the key`,
    );
  }
  const { configure } = require('../../dist/index.js');
  configure({ maxKdfMemory: Math.max(configure().maxKdfMemory, memoryOf(scrypt) + 2 ** 20) });
}

const writeHeader = (header) => Buffer.from(format().writeHeader(header));

module.exports = { deriveRoom, limits, readHeader, writeHeader };
