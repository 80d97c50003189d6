// Node.js for s390x, a big-endian CPU, under QEMU's user-mode emulation: what the portable engine
// is tested in (`npm run test:portable`). QEMU and the C libraries come from Debian packages that
// are only unpacked, Node.js from its npm package; all of it goes below target/.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { unpacked } from './guest/packages.mjs';
import { npm } from './install.mjs';
import { Stop, root, skipped, step } from './steps.mjs';

const place = join(root, 'target', 'runtimes', 'node-s390x');
const node = join(place, 'package', 'bin', 'node');
const account = join(place, 'found.json');

/** The C libraries that Node.js for s390x needs. */
const libraries = [
  'libc6-s390x-cross',
  'libstdc++6-s390x-cross',
  'libgcc-s1-s390x-cross',
  'libatomic1-s390x-cross',
];

/**
 * Returns the command of that Node.js and its arguments before a script; or `missing`, why there is
 * none.
 */
export function findBigEndian() {
  if (!existsSync(account)) return { missing: 'not fetched: npm run test:portable fetches it' };
  const found = JSON.parse(readFileSync(account, 'utf8'));
  return found.missing === undefined && !existsSync(found.command)
    ? { missing: `${found.command} is gone` }
    : found;
}

/** Fetches it if it is not there. */
export async function prepareBigEndian() {
  if (findBigEndian().missing === undefined) return;
  mkdirSync(place, { recursive: true });
  const note = (found) => writeFileSync(account, `${JSON.stringify(found)}\n`);
  try {
    const qemu = await unpacked('qemu-user-static');
    const folders = [];
    for (const name of libraries)
      folders.push(join(await unpacked(name), 'usr', 's390x-linux-gnu'));
    if (!existsSync(node)) await fetchNode();
    const paths = folders.map((folder) => join(folder, 'lib')).join(':');
    const run = ['-L', folders[0], '-E', `LD_LIBRARY_PATH=${paths}`, node];
    note({ command: join(qemu, 'usr', 'bin', 'qemu-s390x-static'), run });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    skipped('tests on s390x', error.message);
    note({ missing: error.message });
  }
}

// `npm pack` asks neither for this machine's CPU nor for scripts.
async function fetchNode() {
  const [command, args, options] = npm([
    'pack',
    '--pack-destination',
    place,
    'node-linux-s390x@20',
  ]);
  await step('fetch Node.js for s390x', command, args, { ...options, cwd: place });
  const archive = readdirSync(place).find((file) => file.endsWith('.tgz'));
  await step('unpack Node.js for s390x', 'tar', ['-xzf', join(place, archive), '-C', place]);
}
