// What a dynamic library of macOS exports and needs, the oldest macOS it runs on, and whether its
// signature is right: arm64 Macs load no library without one.

import { createHash } from 'node:crypto';

import { textAt } from './elf.mjs';

const LOAD_DYLIB = 0xc;
const SYMTAB = 2;
const VERSION_MIN = 0x24;
const BUILD_VERSION = 0x32;
const CODE_SIGNATURE = 0x1d;

/** @param {Buffer} file a 64-bit Mach-O file */
export function readMachO(file) {
  const found = { exports: [], needed: [], system: undefined, signed: false };
  let at = 32;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const command = file.readUInt32LE(at);
    const field = (offset) => file.readUInt32LE(at + offset);
    if (command === LOAD_DYLIB) found.needed.push(textAt(file, at + field(8)));
    if (command === SYMTAB) found.exports = exportedNames(file, field(8), field(12), field(16));
    if (command === VERSION_MIN) found.system = version(field(8));
    if (command === BUILD_VERSION) found.system = version(field(12));
    if (command === CODE_SIGNATURE) found.signed = signatureHolds(file, field(8));
    at += field(4);
  }
  return found;
}

/** The defined external symbols that are not private, without the leading underscore. */
function exportedNames(file, symbols, count, strings) {
  const names = [];
  for (let at = symbols; at < symbols + count * 16; at += 16) {
    const type = file[at + 4];
    const debugging = (type & 0xe0) !== 0;
    if (!debugging && (type & 1) === 1 && (type & 0x10) === 0 && (type & 0xe) !== 0)
      names.push(textAt(file, strings + file.readUInt32LE(at)).replace(/^_/, ''));
  }
  return names;
}

function version(number) {
  return `${number >> 16}.${(number >> 8) & 255}`;
}

/** Compares the hashes of pages in the code directory with the file. */
function signatureHolds(file, signature) {
  for (let i = 0; i < file.readUInt32BE(signature + 8); i++) {
    const directory = signature + file.readUInt32BE(signature + 16 + i * 8);
    if (file.readUInt32BE(directory) !== 0xfade0c02) continue;
    const [hashes, count, limit] = [16, 28, 32].map((at) => file.readUInt32BE(directory + at));
    const page = 2 ** file[directory + 39];
    for (let slot = 0; slot < count; slot++) {
      const bytes = file.subarray(slot * page, Math.min((slot + 1) * page, limit));
      const at = directory + hashes + slot * 32;
      const expected = file.subarray(at, at + 32);
      if (!createHash('sha256').update(bytes).digest().equals(expected)) return false;
    }
    return count > 0;
  }
  return false;
}
