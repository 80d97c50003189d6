// Debian packages by name, unpacked into a folder of this checkout that git ignores: nothing is
// installed, no rights are needed, no hook of a package runs. What is there already is not fetched
// again; delete target/guest to have newer ones.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Stop, probe, root } from '../steps.mjs';

const cache = join(root, 'target', 'guest');

/** Packages of the machine's own Debian, by its own lists. */
export const own = new (class {
  folder = cache;
  options = [];
  title = '';

  // Without package lists (fresh containers) nothing is known by any name.
  async update() {
    if (process.getuid?.() === 0)
      await quietly('update package lists', 'apt-get', ['update', '-qq']);
  }
})();

/**
 * Packages of another release of Debian, by its code name: with lists of its own, as the machine's
 * may have nothing of it. From where the machine's come.
 */
export async function release(name) {
  const targets = await probe('apt-get', ['indextargets', '--format', '$(ORIGIN) $(REPO_URI)']);
  const mirror = /^Debian (\S+\/debian\/)$/m.exec(targets?.stdout ?? '')?.[1];
  if (mirror === undefined)
    throw new Stop(`a kernel of ${name} comes from Debian, and apt-get has no mirror of it here`);
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

/** The folder a package lies unpacked in; throws Stop with one line when it cannot be had. */
export async function unpacked(name, from = own) {
  const folder = join(from.folder, name);
  if (existsSync(folder)) return folder;
  await mustBeDebian(name);
  // Both are renamed when they are whole: what was interrupted is fetched again.
  const fresh = join(from.folder, `.fresh-${process.pid}-${name}`);
  const room = join(fresh, 'download');
  mkdirSync(room, { recursive: true });
  try {
    await mustBeKnown(name, from);
    await quietly(`fetch ${name}`, 'apt-get', [...from.options, 'download', '-q', name], {
      cwd: room,
    });
    const archive = readdirSync(room).find((file) => file.endsWith('.deb'));
    await quietly(`unpack ${name}`, 'dpkg', ['-x', join(room, archive), join(fresh, 'root')]);
    if (!existsSync(folder)) renameSync(join(fresh, 'root'), folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** The names of the packages that a package depends on. */
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
  throw new Stop(`the package ${name} comes from Debian, and apt-get is not here`);
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

// A step that failed has shown all it said; here one line of it will do, as the caller goes on
// without the package.
async function quietly(title, command, args, options = {}) {
  const answer = await probe(command, args, { ...options, ...english });
  if (answer?.code === 0) return;
  const said =
    (answer?.all ?? '')
      .trim()
      .split('\n')
      .findLast((line) => /^E:|rror/.test(line)) ?? `${command} could not be run`;
  throw new Stop(`${title} failed: ${said}`);
}
