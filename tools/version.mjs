// `npm version 0.2.0` runs this after it has written package.json, the source of the version, and
// before it commits: Cargo.toml, Cargo.lock and the heading in CHANGELOG.md follow. RELEASING.md. A
// version before a release, such as 0.2.0-rc.1, leaves the heading to the release.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './steps.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

replace('Cargo.toml', /(?<=^\[workspace\.package\]\nversion = ")[^"]+/m, version);
if (!version.includes('-'))
  replace(
    'CHANGELOG.md',
    /^## .* - unreleased$/m,
    `## ${version} - ${new Date().toISOString().slice(0, 10)}`,
  );
execFileSync('cargo', ['update', '--workspace', '--offline'], { cwd: root, stdio: 'inherit' });
execFileSync('git', ['add', 'Cargo.toml', 'Cargo.lock', 'CHANGELOG.md'], { cwd: root });

function replace(file, pattern, text) {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  if (!pattern.test(before)) throw new Error(`${file} has no ${pattern}`);
  writeFileSync(path, before.replace(pattern, text));
}
