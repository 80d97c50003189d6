// The platforms with a prebuilt binary, and which of them this is.
// `name` is the middle of the binary's file name (native/millrace.<name>.node) and the end of the
// package that carries it (@millrace/<name>); os, cpu and libc are what npm reads to pick one.

export const platforms = [
  {
    name: 'linux-x64-gnu',
    os: 'linux',
    cpu: 'x64',
    libc: 'glibc',
    rust: 'x86_64-unknown-linux-gnu',
  },
  {
    name: 'linux-x64-musl',
    os: 'linux',
    cpu: 'x64',
    libc: 'musl',
    rust: 'x86_64-unknown-linux-musl',
  },
  {
    name: 'linux-arm64-gnu',
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    rust: 'aarch64-unknown-linux-gnu',
  },
  {
    name: 'linux-arm64-musl',
    os: 'linux',
    cpu: 'arm64',
    libc: 'musl',
    rust: 'aarch64-unknown-linux-musl',
  },
  { name: 'darwin-x64', os: 'darwin', cpu: 'x64', rust: 'x86_64-apple-darwin' },
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64', rust: 'aarch64-apple-darwin' },
  { name: 'win32-x64', os: 'win32', cpu: 'x64', rust: 'x86_64-pc-windows-msvc' },
  { name: 'win32-arm64', os: 'win32', cpu: 'arm64', rust: 'aarch64-pc-windows-msvc' },
];

/**
 * Returns the name of the platform this process runs on; also for platforms without a prebuilt
 * binary.
 */
export function hostPlatform() {
  const base = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux') return base;
  return `${base}-${linkedAgainstGlibc() ? 'gnu' : 'musl'}`;
}

function linkedAgainstGlibc() {
  // Without this the report looks up the name of every open socket's peer, which can take seconds.
  const report = /** @type {any} */ (process.report);
  report.excludeNetwork = true;
  return report.getReport().header.glibcVersionRuntime !== undefined;
}
