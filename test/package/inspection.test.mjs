// The checks of `npm run platforms` on a library that it cannot run: tools/platforms/inspect.mjs.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { hostPlatform } from '../../tools/platforms.mjs';
import { inspect, inspectBytes } from '../../tools/platforms/inspect.mjs';
import { root } from '../support/child.mjs';
import { elf, machO, pe } from '../support/libraries.mjs';

const exports = ['napi_register_module_v1'];
const libSystem = '/usr/lib/libSystem.B.dylib';
const gnu = { exports, needed: ['libc.so.6', 'libgcc_s.so.1'], glibc: '2.28' };
const musl = { exports, needed: ['libc.so'] };
const mac = { exports, needed: [libSystem], open: ['napi_create_error'], system: 0xb0000 };
/** @type {{ exports: string[], needed: string[], system: [number, number] }} */
const windows = { exports, needed: ['KERNEL32.dll', 'bcrypt.dll'], system: [10, 0] };

/** A library without fault of each platform, and the same with some properties changed. */
const platforms = {
  'linux-x64-gnu': (change = {}) => elf({ machine: 62, ...gnu, ...change }),
  'linux-arm64-gnu': (change = {}) => elf({ machine: 183, ...gnu, ...change }),
  'linux-x64-musl': (change = {}) => elf({ machine: 62, ...musl, ...change }),
  'linux-arm64-musl': (change = {}) => elf({ machine: 183, ...musl, ...change }),
  'darwin-x64': (change = {}) => machO({ cpu: 0x1000007, ...mac, ...change }),
  'darwin-arm64': (change = {}) => machO({ cpu: 0x100000c, ...mac, ...change }),
  'win32-x64': (change = {}) => pe({ machine: 0x8664, ...windows, ...change }),
  'win32-arm64': (change = {}) => pe({ machine: 0xaa64, ...windows, ...change }),
};

const faultsOf = (name, change) => inspectBytes(name, platforms[name](change)).faults;

for (const [name, library] of Object.entries(platforms)) {
  const [system, cpu] = name.split('-');
  describe(name, () => {
    test('a library as it should be has no fault', () => {
      const { facts, faults, size } = inspectBytes(name, library());
      assert.deepEqual(faults, []);
      assert.equal(size, library().length);
      assert.match(facts, new RegExp(`MiB, ${cpu}; .*needs [A-Za-z/]`));
    });

    test('a library of another CPU or system, or a program, is a fault', () => {
      const other = cpu === 'x64' ? 'arm64' : 'x64';
      const swapped = platforms[name.replace(cpu, other)]();
      assert.deepEqual(inspectBytes(name, swapped).faults, [`it is for ${other}`]);
      const strange = platforms[system === 'linux' ? 'win32-x64' : 'linux-x64-gnu']();
      const refused = [`it is not a library of ${system}`];
      assert.deepEqual(inspectBytes(name, strange).faults, refused);
      assert.deepEqual(faultsOf(name, { type: 2, library: false }), refused);
    });

    test('exports: the entry of Node-API and nothing else', () => {
      const more = { exports: [...exports, 'jent_read_entropy'] };
      assert.deepEqual(faultsOf(name, more), ['it exports 1 more: jent_read_entropy']);
      const called = { exports: [...exports, 'blake3_compress_in_place_portable'] };
      const hidden = system === 'linux' || cpu === 'x64';
      assert.equal(faultsOf(name, called).length, hidden ? 1 : 0);
      const missing = ['it does not export napi_register_module_v1'];
      assert.deepEqual(faultsOf(name, { exports: [] }), missing);
    });

    test('a needed library that the system lacks is a fault', () => {
      const faults = faultsOf(name, { needed: ['libunwind.so.1'] });
      assert.deepEqual(faults, ['it needs libunwind.so.1']);
    });

    test('a library without unwinding tables is a fault', () => {
      const faults = faultsOf(name, { unwinds: false });
      assert.deepEqual(faults, ['it has no unwind table: a panic would end the process']);
    });
  });
}

describe('the oldest system', () => {
  test('a newer glibc is a fault', () => {
    const faults = faultsOf('linux-x64-gnu', { glibc: '2.29' });
    assert.deepEqual(faults, ['it needs glibc 2.29, not 2.28 at most']);
    assert.deepEqual(faultsOf('linux-x64-gnu', { glibc: '2.4' }), []);
  });

  test('a newer macOS is a fault', () => {
    const faults = faultsOf('darwin-x64', { system: 0xb0100 });
    assert.deepEqual(faults, ['it needs system 11.1, not 11.0 at most']);
  });

  test('a newer Windows is a fault', () => {
    const faults = faultsOf('win32-arm64', { system: [10, 1] });
    assert.deepEqual(faults, ['it needs system 10.1, not 10.0 at most']);
    assert.deepEqual(faultsOf('win32-arm64', { system: [6, 1] }), []);
  });
});

describe('macOS', () => {
  test('a name that neither a library nor Node.js has is a fault', () => {
    const open = ['napi_throw', 'node_api_symbol_for', '__udivti3'];
    assert.deepEqual(faultsOf('darwin-arm64', { open }), ['no library has its __udivti3']);
  });

  test('a signature: of every byte before it, and on Apple CPUs there must be one', () => {
    const library = platforms['darwin-arm64']();
    assert.match(inspectBytes('darwin-arm64', library).facts, /; signed$/);
    // A number that says nothing about the library: the version of a library that it needs.
    library[library.indexOf(libSystem) - 5] ^= 1;
    const differs = ['its signature does not fit its bytes'];
    assert.deepEqual(inspectBytes('darwin-arm64', library).faults, differs);
    assert.deepEqual(faultsOf('darwin-arm64', { signed: false }), ['it has no signature']);
    const unsigned = inspectBytes('darwin-x64', platforms['darwin-x64']({ signed: false }));
    assert.deepEqual(unsigned.faults, []);
    assert.doesNotMatch(unsigned.facts, /signed/);
  });
});

test('the library of this machine has no fault', (t) => {
  const name = hostPlatform();
  const file = join(root, 'native', `millrace.${name}.node`);
  if (process.platform !== 'linux') return t.skip('it is built for Linux releases only');
  if (!existsSync(file)) return t.skip('it is not built');
  // It is linked with the C library of this machine, which may be newer.
  const faults = inspect(name, file).faults.filter((each) => !each.startsWith('it needs glibc'));
  assert.deepEqual(faults, []);
});
