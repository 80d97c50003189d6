// Downloads Debian packages and unpacks them below target/guest. Nothing is installed, no
// privileges are needed, and no hooks run. Unpacked packages are kept; delete target/guest to
// update them.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Stop, probe, root } from '../steps.mjs';

const cache = join(root, 'target', 'guest');

/** The packages of this machine's Debian release, by its package lists. */
export const own = new (class {
  folder = cache;
  options = [];
  title = '';

  // New containers have no package lists.
  async update() {
    if (process.getuid?.() === 0)
      await quietly('update package lists', 'apt-get', ['update', '-qq']);
  }
})();

/**
 * Returns the packages of another Debian release, by its code name. Its package lists are kept
 * apart, as those of this machine may lack it. The mirror is that of this machine.
 */
export async function release(name) {
  const targets = await probe('apt-get', ['indextargets', '--format', '$(ORIGIN) $(REPO_URI)']);
  const mirror = /^Debian (\S+\/debian\/)$/m.exec(targets?.stdout ?? '')?.[1];
  if (mirror === undefined)
    throw new Stop(`a kernel of ${name} needs a Debian mirror, and apt-get has none`);
  const folder = join(cache, name);
  const apt = join(folder, 'apt');
  for (const each of ['lists/partial', 'archives/partial'])
    mkdirSync(join(apt, each), { recursive: true });
  const sources = join(apt, 'sources.list');
  writeFileSync(
    sources,
    `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror} ${name} main\n`,
  );
  const settings = {
    'Dir::Etc::SourceList': sources,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(apt, 'lists'),
    'Dir::Cache': apt,
    'Debug::NoLocking': 'true',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  return {
    folder,
    options,
    title: ` of ${name}`,
    update: () =>
      quietly(`fetch the package lists of ${name}`, 'apt-get', [...options, 'update', '-qq']),
  };
}

/** Unpacks a package and returns its folder. Throws Stop with the reason if that fails. */
export async function unpacked(name, from = own) {
  const folder = join(from.folder, name);
  if (existsSync(folder)) return folder;
  await mustBeDebian(name);
  // Renamed when it is complete, so that an interrupted download is repeated.
  const fresh = join(from.folder, `.fresh-${process.pid}-${name}`);
  const download = join(fresh, 'download');
  mkdirSync(download, { recursive: true });
  try {
    await mustBeKnown(name, from);
    await quietly(`fetch ${name}`, 'apt-get', [...from.options, 'download', '-q', name], {
      cwd: download,
    });
    const archive = readdirSync(download).find((file) => file.endsWith('.deb'));
    await quietly(`unpack ${name}`, 'dpkg', ['-x', join(download, archive), join(fresh, 'root')]);
    if (!existsSync(folder)) renameSync(join(fresh, 'root'), folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** Returns the names of the packages that a package depends on. */
export async function dependencies(name, from = own) {
  await mustBeDebian(name);
  await mustBeKnown(name, from);
  const only = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
    (kind) => `--no-${kind}`,
  );
  const answer = await probe('apt-cache', [...from.options, 'depends', ...only, name]);
  return [...(answer?.stdout ?? '').matchAll(/^ *\|?Depends: ([^\s<>]+)$/gm)].map(
    ([, each]) => each,
  );
}

async function mustBeDebian(name) {
  if (
    (await probe('apt-get', ['--version']))?.code === 0 &&
    (await probe('dpkg', ['--version']))?.code === 0
  )
    return;
  throw new Stop(`the package ${name} comes from Debian, and apt-get is not installed`);
}

async function mustBeKnown(name, from) {
  if (await known(name, from)) return;
  await from.update();
  if (await known(name, from)) return;
  throw new Stop(
    `apt-get knows no package ${name}${from.title}` +
      (process.getuid?.() === 0 ? '' : ' (its lists may be missing: sudo apt-get update)'),
  );
}

async function known(name, from) {
  const answer = await probe('apt-cache', [...from.options, 'policy', name], english);
  return answer?.code === 0 && /^ +Candidate: (?!\(none\))/m.test(answer.stdout);
}

const english = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' } };

/** Runs a command. Throws Stop with one line of its output if it fails. */
async function quietly(title, command, args, options = {}) {
  const answer = await probe(command, args, { ...options, ...english });
  if (answer?.code === 0) return;
  const reason =
    (answer?.all ?? '')
      .trim()
      .split('\n')
      .findLast((line) => /^E:|rror/.test(line)) ?? `${command} could not be run`;
  throw new Stop(`${title} failed: ${reason}`);
}
