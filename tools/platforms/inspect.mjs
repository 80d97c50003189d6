// Looks at a built library without running it: CPU, exports, needed libraries, oldest system.

import { readFileSync } from 'node:fs';

import { readElf } from './elf.mjs';
import { readMachO } from './macho.mjs';
import { readPe } from './pe.mjs';

/** The export of a library that Node.js calls. */
const entry = 'napi_register_module_v1';

/** On 64-bit ARM the C code of the crate blake3 calls it. Only ELF has a way to hide it. */
const called = 'blake3_compress_in_place_portable';

/** Callbacks of the C code of the crate secp256k1-sys, with its version in their names. */
const callbacks = /^rustsecp256k1_v\d+_\w+$/;

/** Libraries of every Windows; an unoptimised build needs some more of them. */
const ofWindows =
  'advapi32|bcrypt|bcryptprimitives|kernel32|msvcrt|ntdll|user32|userenv|ws2_32|api-ms-win-\\S+';

/** The format of a binary, the libraries that it may need, and what else is checked, by system. */
const rules = {
  gnu: {
    read: readElf,
    needed: /^(lib(c|m|dl|pthread|rt|gcc_s)\.so\.\d|ld-linux-\S+)$/,
    oldest: { field: 'glibc', highest: '2.28' },
  },
  musl: { read: readElf, needed: /^libc\.(so|musl-\S+)$/ },
  darwin: {
    read: readMachO,
    // The crate libc names libiconv; a linker may keep it, although nothing of it is used.
    needed: /^\/usr\/lib\/lib(System\.B|iconv\.2)\.dylib$/,
    oldest: { field: 'system', highest: '11.0' },
  },
  win32: {
    read: readPe,
    needed: new RegExp(`^(${ofWindows})\\.dll$`, 'i'),
    oldest: { field: 'system', highest: '10.0' },
  },
};

/** Returns a line about a library of a platform, and what is wrong with it. */
export function inspect(name, path) {
  return inspectBytes(name, readFileSync(path));
}

/**
 * @param {string} name a platform, such as `linux-x64-gnu`
 * @param {Buffer} file
 */
export function inspectBytes(name, file) {
  const size = file.length;
  const [first, cpu, last] = name.split('-');
  const { read, needed, oldest } = rules[first === 'linux' ? last : first];
  const found = read(file);
  const length = `${(size / 2 ** 20).toFixed(1)} MiB`;
  if (found === undefined)
    return { facts: length, faults: [`it is not a library of ${first}`], size };
  const faults = [];
  const expect = (right, fault) => right || faults.push(fault);
  expect(found.cpu === cpu, `it is for ${found.cpu}`);
  expect(found.exports.includes(entry), `it does not export ${entry}`);
  const known = first !== 'linux' && cpu === 'arm64' ? [entry, called] : [entry];
  const more = found.exports.filter((each) => !known.includes(each) && !callbacks.test(each));
  expect(more.length === 0, `it exports ${more.length} more: ${more.slice(0, 5).join(', ')}`);
  const strange = found.needed.filter((each) => !needed.test(each));
  expect(strange.length === 0, `it needs ${strange.join(', ')}`);
  const open = (found.open ?? []).filter((each) => !/^(napi|node_api)_/.test(each));
  expect(open.length === 0, `no library has its ${open.slice(0, 5).join(', ')}`);
  const least = oldest && found[oldest.field];
  expect(
    least === undefined || !later(least, oldest.highest),
    `it needs ${oldest?.field} ${least}, not ${oldest?.highest} at most`,
  );
  expect(found.unwinds, 'it has no unwind table: a panic would end the process');
  expect(found.signature !== 'differs', 'its signature does not fit its bytes');
  // Macs with Apple's CPUs load nothing unsigned.
  expect(found.signature !== 'missing' || cpu === 'x64', 'it has no signature');
  const facts = [
    `${length}, ${found.cpu}`,
    ...(least === undefined ? [] : [`${oldest.field} ${least}`]),
    `needs ${found.needed.join(', ') || 'nothing'}`,
    ...(found.exports.includes(called) ? [`exports ${called} too`] : []),
    ...(found.signature === 'fits' ? ['signed'] : []),
  ];
  return { facts: facts.join('; '), faults, size };
}

function later(left, right) {
  return left.localeCompare(right, 'en', { numeric: true }) > 0;
}
