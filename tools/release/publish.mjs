// Publishes, or stages, the tarballs that pack.mjs made, in the order of its packages.json.
//
//   node tools/release/publish.mjs --from FOLDER [--stage] [--tag v1.2.3] [--dry-run]
//
// --stage   leaves each package for a maintainer's approval (`npm stage approve`, which asks for a
//           second factor); otherwise it is public at once
// --tag     the tag in Git, which must be the version
//
// Trusted publishing records the provenance without a flag.
// Can be run again after a failure: what is published or staged already is left alone.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { npm } from '../install.mjs';
import { Stop, probe } from '../steps.mjs';

/** The first npm that stages packages. */
const STAGES = [11, 15];

try {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      stage: { type: 'boolean', default: false },
      tag: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  if (values.from === undefined) throw new Stop('millrace: --from names the folder of pack.mjs');
  await publish(resolve(values.from), values);
} catch (error) {
  if (!(error instanceof Stop) && !String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function publish(folder, { stage, tag, 'dry-run': dry }) {
  const packages = JSON.parse(readFileSync(join(folder, 'packages.json'), 'utf8'));
  const { version } = packages.find(({ name }) => name === 'millrace');
  if (tag !== undefined && tag !== `v${version}`)
    throw new Stop(`millrace: tag ${tag} is not version ${version}`);
  checkSums(folder, packages);
  if (stage) await checkNpm();
  for (const { name, version, tag: distTag, file } of packages) {
    if ((await run(['view', `${name}@${version}`, 'version']))?.stdout.trim() === version) {
      console.log(`  ${name} ${version} is published already`);
      continue;
    }
    const flags = ['--access', 'public', '--tag', distTag, ...(dry ? ['--dry-run'] : [])];
    const verb = stage ? ['stage', 'publish'] : ['publish'];
    const answer = await run([...verb, join(folder, file), ...flags]);
    const text = `${name} ${version}, tag ${distTag}`;
    if (answer?.code === 0) console.log(`  ${stage ? 'staged' : 'published'} ${text}`);
    // A version that is staged, which only its maintainers see, is taken as one that is published.
    else if (stage && /E409|EPUBLISHCONFLICT/.test(answer?.all ?? ''))
      console.log(`  ${text}: staged already`);
    else throw new Stop(`millrace: ${text}: ${answer?.all ?? 'npm was not found'}`);
  }
}

async function run(args) {
  const [command, all, options] = npm(args);
  return probe(command, all, options);
}

/** Fails if a file is not the one that SHA256SUMS has, and that was attested. */
function checkSums(folder, packages) {
  const sums = new Map();
  for (const line of readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')) {
    const [sum, file] = line.split('  ');
    sums.set(file, sum);
  }
  for (const file of new Set([...sums.keys(), ...packages.map((each) => each.file)])) {
    const found = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
    if (found !== sums.get(file)) throw new Stop(`millrace: ${file} is not the file of SHA256SUMS`);
  }
}

async function checkNpm() {
  const version = (await run(['--version']))?.stdout.trim() ?? '';
  const [major, minor] = version.split('.').map(Number);
  if (major < STAGES[0] || (major === STAGES[0] && minor < STAGES[1]))
    throw new Stop(`millrace: npm ${version} stages no packages: it takes ${STAGES.join('.')}`);
}
