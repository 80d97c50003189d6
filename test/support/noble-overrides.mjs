// A project under the overrides of @noble/hashes 2 and @noble/ciphers 2.

import { cpSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { writeNoblePackages } from '../../tools/noble-packages.mjs';
import { root } from './child.mjs';

/** Lays the packages for overrides, noble and this package out in `folder`/node_modules. */
export async function layOutOverrides(folder) {
  const modules = join(folder, 'node_modules');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await writeNoblePackages(join(modules, '@noble'), manifest);
  symlinkSync(root, join(modules, 'millrace'), 'junction');
  for (const name of ['hashes', 'ciphers']) {
    renameSync(join(modules, '@noble', `noble-${name}-v2`), join(modules, '@noble', name));
    cpSync(join(root, 'node_modules', '@noble', name), join(modules, `noble-${name}-original`), {
      recursive: true,
    });
  }
}
