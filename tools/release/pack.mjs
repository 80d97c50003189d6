// Packs what tools/platform-packages.mjs wrote: the tarballs that are published, the binaries and
// bills of materials as files of their own, and SHA256SUMS of them all.
//
//   node tools/release/pack.mjs [--npm FOLDER] --out FOLDER
//
// packages.json lists the tarballs in the order in which they are published. npm gives all files in
// a tarball one date, so that the same packages give the same bytes.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { npm } from '../install.mjs';
import { Stop, probe, root } from '../steps.mjs';
import { publishingOrder, tagOf } from './names.mjs';

try {
  const { values } = parseArgs({ options: { npm: { type: 'string' }, out: { type: 'string' } } });
  if (values.out === undefined) throw new Stop('millrace: --out names the folder of the tarballs');
  await pack(resolve(values.npm ?? join(root, 'npm')), resolve(values.out));
} catch (error) {
  if (!(error instanceof Stop) && !String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function pack(folders, out) {
  if (!existsSync(join(folders, 'millrace')))
    throw new Stop(`millrace: nothing in ${folders}: tools/platform-packages.mjs writes it`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const packages = [];
  for (const folder of publishingOrder.filter((name) => existsSync(join(folders, name)))) {
    const from = join(folders, folder);
    const [command, args, options] = npm(['pack', '--json', '--pack-destination', out]);
    const answer = await probe(command, args, { ...options, cwd: from });
    if (answer?.code !== 0)
      throw new Stop(`millrace: npm pack failed: ${answer?.stderr ?? 'npm was not found'}`);
    const [{ name, version, filename }] = Object.values(JSON.parse(answer.stdout));
    const file = filename.replace('@', '').replace('/', '-');
    packages.push({ name, version, tag: tagOf(folder, version), file });
    for (const each of readdirSync(from)) {
      if (each.endsWith('.node')) copyFileSync(join(from, each), join(out, each));
      const part = folder === 'millrace' ? 'javascript' : folder;
      if (each === 'sbom.cdx.json')
        copyFileSync(join(from, each), join(out, `millrace.${part}.cdx.json`));
    }
  }
  writeFileSync(join(out, 'packages.json'), `${JSON.stringify(packages, null, 2)}\n`);
  const sums = readdirSync(out)
    .sort()
    .map((file) => `${sha256(join(out, file))}  ${file}\n`);
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  console.log(`${packages.length} packages and ${sums.length} files with SHA256SUMS`);
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
