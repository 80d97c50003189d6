// What stands before the sealed stream of a file that `millrace seal` wrote:
//
//   8  "millrace"
//   1  version: 1
//   1  algorithm: 1 aes-256-gcm, 2 chacha20-poly1305
//   1  where the key comes from: 0 a key file, 1 scrypt over a passphrase
//   1  size of what follows: 0 for a key file, 19 for scrypt
//   -  scrypt: log2 N, r, p (a byte each), salt (16 bytes)
//
// All of it is the stream's context, which is bound to its key commitment: who changes a bit of it has a stream that does not open.

'use strict';

const { Problem, shown } = require('../ui.js');

const magic = Buffer.from('millrace');
const version = 1;
const fixedSize = 12;
const saltSize = 16;
const algorithms = ['', 'aes-256-gcm', 'chacha20-poly1305'];

/** A header may not ask for more than N = 2^20 with r = 8 (1 GiB), nor for 16 times its work: a file of somebody else could take all memory, or days. */
const mostMemory = 2 ** 30 + 2 ** 24;
const mostWork = 2 ** 27;

/**
 * @typedef {{ cost: number, blockSize: number, parallelization: number, salt: Buffer }} Scrypt `cost` is N
 * @typedef {{ algorithm: string, scrypt: Scrypt | undefined }} Header without `scrypt` the key comes from a file
 */

/** @param {Header} header */
function writeHeader({ algorithm, scrypt }) {
  const head = [version, algorithms.indexOf(algorithm), scrypt === undefined ? 0 : 1];
  if (scrypt === undefined) return Buffer.concat([magic, Buffer.from([...head, 0])]);
  const { cost, blockSize, parallelization, salt } = scrypt;
  return Buffer.concat([magic, Buffer.from([...head, 3 + saltSize, Math.log2(cost), blockSize, parallelization]), salt]);
}

/**
 * Reads the header from the start of a file.
 *
 * @param {(size: number) => Promise<Buffer>} take gives the next bytes, fewer at the end
 * @param {string} name of the file, for errors
 * @returns {Promise<{ header: Header, bytes: Buffer }>}
 */
async function readHeader(take, name) {
  const fixed = await take(fixedSize);
  if (fixed.length < fixedSize || !fixed.subarray(0, 8).equals(magic)) throw new Problem(`${shown(name)}: not a file that millrace sealed`);
  const [is, algorithm, source, size] = fixed.subarray(8);
  if (is !== version) throw new Problem(`${shown(name)}: sealed in version ${is} of the format; this millrace knows version ${version}`);
  const rest = await take(size);
  const known = algorithm >= 1 && algorithm < algorithms.length && ((source === 0 && size === 0) || (source === 1 && size === 3 + saltSize));
  if (!known || rest.length < size) throw new Problem(`${shown(name)}: its header is damaged`);
  const bytes = Buffer.concat([fixed, rest]);
  if (source === 0) return { header: { algorithm: algorithms[algorithm], scrypt: undefined }, bytes };
  const [log, blockSize, parallelization] = rest;
  const scrypt = { cost: 2 ** log, blockSize, parallelization, salt: rest.subarray(3) };
  if (log < 1 || log > 30 || blockSize < 1 || parallelization < 1) throw new Problem(`${shown(name)}: its header is damaged`);
  if (memoryOf(scrypt) > mostMemory || scrypt.cost * blockSize * parallelization > mostWork) {
    throw new Problem(`${shown(name)}: refused: its header asks for more than 1 GiB of memory, or minutes, to derive the key`);
  }
  return { header: { algorithm: algorithms[algorithm], scrypt }, bytes };
}

const memoryOf = ({ cost, blockSize, parallelization }) => 128 * blockSize * (cost + parallelization + 2);

module.exports = { memoryOf, readHeader, saltSize, writeHeader };
