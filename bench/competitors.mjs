// Calls for which another library, another route or the plain loop is close to Millrace:
//
//   npm run bench -- competitors [--tier zen3|skylake|haswell|nehalem|nothing] [--match EXPRESSION]
//       [--rounds 11] [--time 40] [--json FILE]
//
// Each row has a separate process. `--tier` hides CPU features from Millrace and from OpenSSL, as
// `npm run test:cpus` does; libraries that ask the CPU themselves keep them, which favours them.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { describeTier, tierEnvironment, tierOf } from '../tools/cpu-tiers.mjs';
import { buildId, machineName } from './machine.mjs';
import { markdown } from './competitors/report.mjs';
import { rows } from './competitors/rows.mjs';

const run = promisify(execFile);
/** A row during which others used more cores than this is repeated. */
const DISTURBED_CORES = 0.15;
const RETRIES = 2;

const { values } = parseArgs({
  options: {
    tier: { type: 'string' },
    match: { type: 'string', default: '' },
    rounds: { type: 'string', default: '11' },
    time: { type: 'string', default: '40' },
    json: { type: 'string' },
  },
});
const tier = tierOf(values.tier);
const env = { ...process.env, ...(tier && tierEnvironment(tier)) };
const match = new RegExp(values.match);

const results = [];
for (const [index, row] of rows.entries()) {
  if (!match.test(row.name)) continue;
  console.error(row.name);
  let best;
  for (let attempt = 0; attempt <= RETRIES; attempt++) {
    const result = await measure(index);
    if (best === undefined || result.foreign < best.foreign) best = result;
    if (best.foreign <= DISTURBED_CORES) break;
  }
  const { name, goal, bytes } = row;
  results.push({ name, goal, bytes, disturbed: best.foreign > DISTURBED_CORES, ...best });
}
const about = {
  machine: machineName(),
  build: buildId(),
  tier: describeTier(tier),
};
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ ...about, rows: results }, null, 1)}\n`);
console.log(markdown(results, about));

async function measure(index) {
  const file = fileURLToPath(new URL('competitors/process.mjs', import.meta.url));
  const args = [file, String(index), values.rounds, values.time];
  const { stdout } = await run(process.execPath, args, { env });
  return JSON.parse(stdout);
}
