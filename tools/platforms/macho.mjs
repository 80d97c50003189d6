// Reads what a dynamic library of macOS exports and needs, the oldest macOS for it, and whether its
// signature is right: arm64 Macs load no library without one.

import { createHash } from 'node:crypto';

import { textAt } from './elf.mjs';

const SYMTAB = 0x2;
const LOAD_DYLIB = 0xc;
const SEGMENT = 0x19;
const DYLD_INFO_ONLY = 0x80000022;
const EXPORTS_TRIE = 0x80000033;
const VERSION_MIN = 0x24;
const BUILD_VERSION = 0x32;
const CODE_SIGNATURE = 0x1d;

const cpus = { 0x1000007: 'x64', 0x100000c: 'arm64' };

/** @param {Buffer} file a 64-bit Mach-O library; undefined for other files */
export function readMachO(file) {
  const library = 6;
  if (file.readUInt32LE(0) !== 0xfeedfacf || file.readUInt32LE(12) !== library) return undefined;
  const type = file.readUInt32LE(4);
  const found = {
    cpu: cpus[type] ?? `type 0x${type.toString(16)}`,
    exports: [],
    needed: [],
    /** Names that any library of the process may have. */
    open: [],
    system: undefined,
    unwinds: false,
    /** @type {'missing' | 'fits' | 'differs'} */
    signature: 'missing',
  };
  let at = 32;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const command = file.readUInt32LE(at);
    const field = (offset) => file.readUInt32LE(at + offset);
    if (command === SEGMENT && sections(file, at).includes('__unwind_info')) found.unwinds = true;
    if (command === SYMTAB) found.open = openNames(file, field(8), field(12), field(16));
    if (command === LOAD_DYLIB) found.needed.push(textAt(file, at + field(8)));
    if (command === DYLD_INFO_ONLY) found.exports = exportedNames(file, field(40), field(44));
    if (command === EXPORTS_TRIE) found.exports = exportedNames(file, field(8), field(12));
    if (command === VERSION_MIN) found.system = version(field(8));
    if (command === BUILD_VERSION) found.system = version(field(12));
    if (command === CODE_SIGNATURE)
      found.signature = signatureHolds(file, field(8)) ? 'fits' : 'differs';
    at += field(4);
  }
  return found;
}

/** Returns the names of the sections that are not empty in a segment. */
function sections(file, segment) {
  const names = [];
  for (let i = 0; i < file.readUInt32LE(segment + 64); i++) {
    const at = segment + 72 + i * 80;
    const name = file.toString('latin1', at, at + 16).replace(/\0+$/, '');
    if (file.readBigUInt64LE(at + 40) > 0n) names.push(name);
  }
  return names;
}

/** Returns the undefined symbols of the table that belong to no library in particular. */
function openNames(file, start, count, names) {
  const open = [];
  const [external, type, dynamicLookup] = [0x1, 0xe, 0xfe];
  for (let at = start; at < start + count * 16; at += 16) {
    const undefinedHere = (file[at + 4] & type) === 0 && (file[at + 4] & external) !== 0;
    if (undefinedHere && file[at + 7] === dynamicLookup)
      open.push(textAt(file, names + file.readUInt32LE(at)).replace(/^_/, ''));
  }
  return open;
}

/** Returns the names in the trie of exports, without the leading underscore. */
function exportedNames(file, start, size) {
  const names = [];
  const visit = (at, prefix) => {
    const [length, after] = readLeb(file, at);
    if (length > 0) names.push(prefix.replace(/^_/, ''));
    let next = after + length + 1;
    for (let left = file[after + length]; left > 0; left--) {
      const part = textAt(file, next);
      const [child, end] = readLeb(file, next + part.length + 1);
      visit(start + child, prefix + part);
      next = end;
    }
  };
  if (size > 0) visit(start, '');
  return names;
}

/** Reads a number with seven bits in each byte. Returns it and the offset of its end. */
function readLeb(file, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7, at++) {
    value += (file[at] & 127) * 2 ** shift;
    if (file[at] < 128) return [value, at + 1];
  }
}

function version(number) {
  return `${number >> 16}.${(number >> 8) & 255}`;
}

/** Compares the SHA-256 hashes of pages in the code directory with all bytes before it. */
function signatureHolds(file, signature) {
  for (let i = 0; i < file.readUInt32BE(signature + 8); i++) {
    const directory = signature + file.readUInt32BE(signature + 16 + i * 8);
    const sha256 = 2;
    if (file.readUInt32BE(directory) !== 0xfade0c02 || file[directory + 37] !== sha256) continue;
    const [hashes, count, limit] = [16, 28, 32].map((at) => file.readUInt32BE(directory + at));
    const page = 2 ** file[directory + 39];
    if (limit !== signature || count !== Math.ceil(limit / page)) return false;
    for (let slot = 0; slot < count; slot++) {
      const bytes = file.subarray(slot * page, Math.min((slot + 1) * page, limit));
      const at = directory + hashes + slot * 32;
      const expected = file.subarray(at, at + 32);
      if (!createHash('sha256').update(bytes).digest().equals(expected)) return false;
    }
    return true;
  }
  return false;
}
