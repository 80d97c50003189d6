// Names, order and tags of what is published.
//
//   node tools/release/names.mjs    prints the names

import { fileURLToPath } from 'node:url';

import { awsFolders } from '../aws-packages.mjs';
import { nobleFolders, nobleTag } from '../noble-packages.mjs';
import { overrideFolders, overrideTag } from '../override-packages.mjs';
import { platforms } from '../platforms.mjs';

/** The packages that stand in for others, by their folders. */
export const standIns = [...nobleFolders, ...overrideFolders, ...awsFolders];

/**
 * The folders of all packages in the order in which they are published: the platforms first, so
 * that `millrace` never names one that is not there, and last those that depend on it.
 */
export const publishingOrder = [...platforms.map(({ name }) => name), 'millrace', ...standIns];

/**
 * Returns the tag under which a version is published. Of some stand-ins two versions are current;
 * a version before a release, such as 0.1.0-rc.1, is never what an install without a tag takes.
 */
export function tagOf(folder, version) {
  const tag = nobleFolders.includes(folder)
    ? nobleTag(folder)
    : overrideFolders.includes(folder)
      ? overrideTag(folder)
      : 'latest';
  return version.includes('-') ? tag.replace('latest', 'next') : tag;
}

/** The names of all packages at npm, each once. */
export const names = [
  ...new Set(
    publishingOrder.map((folder) =>
      folder === 'millrace' ? folder : `@millrace/${folder.replace(/-v\d$/, '')}`,
    ),
  ),
];

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(names.join('\n'));
