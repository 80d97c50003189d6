// Prints which functions of a WebAssembly module with names take how many bytes, the largest first,
// and after gzip those of each group:
//
//   node tools/wasm-sizes.mjs FILE [COUNT]
//
// cargo's modules have names: target/wasm-simd128/wasm32-unknown-unknown/wasm/millrace_wasm.wasm is
// that which tools/wasm.mjs has compiled last.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const [file, count = '20'] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node tools/wasm-sizes.mjs FILE [COUNT]');
const bytes = readFileSync(file);
let at = 8;

/** Reads a LEB128 number. */
function number() {
  for (let value = 0, shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value |= (byte & 127) << shift;
    if (byte < 128) return value >>> 0;
  }
}

function text() {
  const size = number();
  at += size;
  return bytes.toString('utf8', at - size, at);
}

/** Returns how many functions the section of imports has. Other kinds are not expected. */
function importedFunctions() {
  const all = number();
  for (let index = 0; index < all; index++) {
    text();
    text();
    if (bytes[at++] !== 0) throw new Error('only functions may be imported');
    number();
  }
  return all;
}

const names = new Map();
const codes = [];
let imported = 0;
while (at < bytes.length) {
  const id = bytes[at++];
  const size = number();
  const end = at + size;
  if (id === 2) imported = importedFunctions();
  if (id === 10)
    for (let left = number(); left > 0; left--) {
      const length = number();
      codes.push(bytes.subarray(at, at + length));
      at += length;
    }
  if (id === 0 && text() === 'name')
    while (at < end) {
      const kind = bytes[at++];
      const after = number() + at;
      if (kind === 1) for (let left = number(); left > 0; left--) names.set(number(), text());
      at = after;
    }
  at = end;
}

/**
 * The groups by what a function's name contains; the first counts.
 *
 * @type {[string, RegExp][]}
 */
const groups = [
  ['choice of a hash (any_digest)', /any_digest/],
  ['blake3', /blake3/],
  ['keccak', /keccak/],
  ['blake2', /blake2/],
  ['xxh', /xxh/],
  ['sha, md5, ripemd', /sha[12]|md5|ripemd|\bmd\b/],
  ['hmac, pbkdf2, hkdf', /hmac|pbkdf2|hkdf/],
  ['request', /millrace_request/],
  ['allocator', /alloc/],
  ['others of core', /millrace_core/],
  ['others', /(?:)/],
];
const found = codes.map((code, index) => {
  const name = names.get(index + imported) ?? '?';
  return { code, name, group: groups.find(([, pattern]) => pattern.test(name))[0] };
});
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
row(['group', 'functions', 'bytes', 'after gzip']);
row(['---', '---', '---', '---']);
for (const [group] of groups) {
  const own = found.filter((each) => each.group === group).map(({ code }) => code);
  const all = Buffer.concat(own);
  row([group, own.length, all.length, gzipSync(all, { level: 9 }).length]);
}
console.log();
for (const { code, name } of found
  .sort((left, right) => right.code.length - left.code.length)
  .slice(0, Number(count)))
  console.log(`${code.length} ${name}`);
