// The rows of `npm run platforms`: how each platform is built, and what runs it here.
//
// builder   zig: `cargo zigbuild`, Clang with the C library of the target; mingw: Debian's
//           cross compiler; undefined: nothing is built
// suffix    the oldest glibc that the binary may need, as Node.js 20 needs it
// runs      the runs of runners.mjs: each is a Node.js or Bun and what runs it
// core      the CPUs that run the Rust tests of crates/core, with features hidden from them;
//           under QEMU if nothing else is said
// fixture   the platform with the binary for a row that builds none

/**
 * @typedef {'host' | 'qemu-x64' | 'arm64' | 'musl-x64' | 'musl-arm64' | 'bun-musl-x64' | 'wine'
 *   | 'wine-arm64' | 's390x'} Runner
 */

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} [rust]
 * @property {'zig' | 'mingw'} [builder]
 * @property {string} [suffix]
 * @property {string} [fixture]
 * @property {{ runner: Runner, cpu?: string }[]} runs
 * @property {{ cpu: string, hide?: string, emulator?: 'bochs' }[]} [core]
 * @property {string} [unrun] why nothing runs it here
 * @property {'portable'} [engine]
 */

const glibc = '.2.28';

/** @type {Row[]} */
export const rows = [
  {
    name: 'linux-x64-gnu',
    rust: 'x86_64-unknown-linux-gnu',
    builder: 'zig',
    suffix: glibc,
    runs: [{ runner: 'host' }],
  },
  {
    name: 'linux-arm64-gnu',
    rust: 'aarch64-unknown-linux-gnu',
    builder: 'zig',
    suffix: glibc,
    runs: [
      { runner: 'arm64', cpu: 'max' },
      { runner: 'arm64', cpu: 'cortex-a72' },
    ],
    core: [
      { cpu: 'max' },
      ...['sha3', 'sha512', 'sha2', 'pmull'].map((hide) => ({ cpu: 'max', hide })),
      { cpu: 'cortex-a72' },
    ],
  },
  {
    name: 'linux-x64-musl',
    rust: 'x86_64-unknown-linux-musl',
    builder: 'zig',
    runs: [{ runner: 'musl-x64' }, { runner: 'bun-musl-x64' }],
  },
  {
    name: 'linux-arm64-musl',
    rust: 'aarch64-unknown-linux-musl',
    builder: 'zig',
    runs: [{ runner: 'musl-arm64', cpu: 'max' }],
  },
  {
    name: 'win32-x64',
    rust: 'x86_64-pc-windows-gnu',
    builder: 'mingw',
    runs: [{ runner: 'wine' }],
  },
  {
    name: 'win32-arm64',
    rust: 'aarch64-pc-windows-gnullvm',
    builder: 'zig',
    runs: [{ runner: 'wine-arm64', cpu: 'cortex-a72' }],
  },
  {
    name: 'darwin-x64',
    rust: 'x86_64-apple-darwin',
    builder: 'zig',
    runs: [],
    unrun: 'nothing here runs macOS',
  },
  {
    name: 'darwin-arm64',
    rust: 'aarch64-apple-darwin',
    builder: 'zig',
    runs: [],
    unrun: 'nothing here runs macOS',
  },
  { name: 's390x', engine: 'portable', runs: [{ runner: 's390x' }] },
  // The shipped binary on older CPUs, and on one with VAES.
  ...['qemu64', 'Nehalem', 'Haswell', 'max'].map((cpu) => ({
    name: `x64-${cpu.toLowerCase()}`,
    fixture: 'linux-x64-gnu',
    runs: [{ runner: /** @type {const} */ ('qemu-x64'), cpu }],
  })),
  {
    name: 'x64-avx512',
    rust: 'x86_64-unknown-linux-musl',
    runs: [],
    // Linux 6.12 does not start on Bochs' sapphire_rapids: it enables a part of AMX's state only.
    core: [{ cpu: 'tigerlake', emulator: 'bochs' }],
  },
];
