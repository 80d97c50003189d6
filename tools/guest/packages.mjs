// Debian packages by name, unpacked into a folder of this checkout that git ignores: nothing is installed, no rights are needed, no hook of a
// package runs. What is there already is not fetched again; delete target/guest to have newer ones.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { Stop, probe, root } from '../steps.mjs';

const cache = join(root, 'target', 'guest');

/** The folder a package lies unpacked in; throws Stop with one line when it cannot be had. */
export async function unpacked(name) {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  if ((await probe('apt-get', ['--version']))?.code !== 0 || (await probe('dpkg', ['--version']))?.code !== 0) {
    throw new Stop(`the package ${name} comes from Debian, and apt-get is not here`);
  }
  // Both are renamed when they are whole: what was interrupted is fetched again.
  const fresh = join(cache, `.fresh-${process.pid}-${name}`);
  const room = join(fresh, 'download');
  mkdirSync(room, { recursive: true });
  try {
    await download(name, room);
    const archive = readdirSync(room).find((file) => file.endsWith('.deb'));
    await quietly(`unpack ${name}`, 'dpkg', ['-x', join(room, archive), join(fresh, 'root')]);
    if (!existsSync(folder)) renameSync(join(fresh, 'root'), folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

async function download(name, room) {
  // Without package lists (fresh containers) nothing is known by any name.
  if (!(await known(name)) && process.getuid?.() === 0) await quietly('update package lists', 'apt-get', ['update', '-qq']);
  if (!(await known(name))) throw new Stop(`apt-get knows no package ${name}${process.getuid?.() === 0 ? '' : ' (its lists may be missing: sudo apt-get update)'}`);
  await quietly(`fetch ${name}`, 'apt-get', ['download', '-q', name], { cwd: room });
}

async function known(name) {
  const answer = await probe('apt-cache', ['policy', name]);
  return answer?.code === 0 && /^ +Candidate: (?!\(none\))/m.test(answer.stdout);
}

/** The names of the packages that a package depends on. */
export async function dependencies(name) {
  const answer = await probe('apt-cache', ['depends', '--no-recommends', '--no-suggests', '--no-conflicts', '--no-breaks', '--no-replaces', '--no-enhances', name]);
  return [...(answer?.stdout ?? '').matchAll(/^ *\|?Depends: ([^\s<>]+)$/gm)].map(([, each]) => each);
}

// A step that failed has shown all it said; here one line of it will do, as the caller goes on without the package.
async function quietly(title, command, args, options = {}) {
  const answer = await probe(command, args, { ...options, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' } });
  if (answer?.code === 0) return answer.stdout;
  const said = (answer?.all ?? '').trim().split('\n').findLast((line) => /^E:|rror/.test(line)) ?? `${command} could not be run`;
  throw new Stop(`${title} failed: ${said}`);
}
