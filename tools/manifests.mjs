// What the manifests of published packages have in common.

/** The address of the repository, until it has an owner. */
const UNNAMED = 'https://github.com/OWNER/millrace';

/** Returns the fields of a manifest that name the repository at an address. */
export const projectFields = (url = UNNAMED) => ({
  repository: { type: 'git', url: `git+${url}.git` },
  homepage: `${url}#readme`,
  bugs: { url: `${url}/issues` },
});

/**
 * Returns the version of a package that stands in for version `like` of another: Millrace's own
 * version is its last number, 1.8.100 for 0.1.0, and 1.8.100-rc.1 for 0.1.0-rc.1.
 *
 * @param {string} like two numbers
 * @param {string} version
 */
export function standInVersion(like, version) {
  const [, major, minor, patch, rest] = /^(\d+)\.(\d+)\.(\d+)(-.*)?$/.exec(version) ?? [];
  if (major === undefined) throw new Error(`${version} is no version`);
  return `${like}.${Number(major) * 10_000 + Number(minor) * 100 + Number(patch)}${rest ?? ''}`;
}
