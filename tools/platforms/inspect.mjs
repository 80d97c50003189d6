// Looks at a built library without running it: exports, needed libraries, oldest system.

import { readFileSync } from 'node:fs';

import { readElf } from './elf.mjs';
import { readMachO } from './macho.mjs';
import { readPe } from './pe.mjs';

const entry = 'napi_register_module_v1';
const version = 'node_api_module_get_api_version_v1';

/** Libraries of every Windows; an unoptimised build needs some more of them. */
const ofWindows =
  'advapi32|bcrypt|bcryptprimitives|kernel32|msvcrt|ntdll|user32|userenv|ws2_32|api-ms-win-\\S+';

/** The libraries that a binary may need, and what else is checked, by system. */
const rules = {
  gnu: {
    needed: /^(lib(c|m|dl|pthread|rt|gcc_s)\.so\.\d|ld-linux-\S+)$/,
    oldest: { field: 'glibc', highest: '2.28' },
  },
  musl: { needed: /^libc\.(so|musl-\S+)$/ },
  darwin: {
    needed: /^\/(usr\/lib|System\/Library)\//,
    // Zig's linker exports all global symbols, whatever list it is given; Apple's does not.
    exportsMore: true,
    oldest: { field: 'system', highest: '11.0' },
  },
  win32: {
    needed: new RegExp(`^(${ofWindows})\\.dll$`, 'i'),
    oldest: { field: 'system', highest: '10.0' },
  },
};

/** Returns a line about a library of a platform, and what is wrong with it. */
export function inspect(name, path) {
  const file = readFileSync(path);
  const system = /^(darwin|win32)/.exec(name)?.[0] ?? name.split('-').at(-1);
  const read = { darwin: readMachO, win32: readPe }[system] ?? readElf;
  const found = read(file);
  const faults = [];
  const { needed, oldest, exportsMore = false } = rules[system];
  if (!found.exports.includes(entry)) faults.push(`it does not export ${entry}`);
  const more = found.exports.filter((each) => ![entry, version].includes(each));
  if (more.length > 0 && !exportsMore) faults.push(`it exports ${more.slice(0, 5).join(', ')}`);
  const strange = found.needed.filter((each) => !needed.test(each));
  if (strange.length > 0) faults.push(`it needs ${strange.join(', ')}`);
  const least = oldest && found[oldest.field];
  if (least !== undefined && later(least, oldest.highest))
    faults.push(`it needs ${oldest.field} ${least}, not ${oldest.highest} at most`);
  if (system === 'darwin' && !found.signed) faults.push('its signature does not fit its bytes');
  const facts = [
    `${(file.length / 2 ** 20).toFixed(1)} MiB`,
    ...(least === undefined ? [] : [`${oldest.field} ${least}`]),
    `needs ${found.needed.join(', ') || 'nothing'}`,
    ...(more.length > 0 ? [`exports ${more.length} names more`] : []),
  ];
  return { facts: facts.join('; '), faults, size: file.length };
}

function later(left, right) {
  return left.localeCompare(right, 'en', { numeric: true }) > 0;
}
