// Calls for which another library, another route or the plain loop is close to Millrace:
//
//   npm run bench -- competitors [--tier all|A|B|C|S|...]... [--node PATH]... [--match EXPRESSION]
//       [--rounds 101] [--time 3] [--write]
//
// Each row has a separate process. `--tier` hides CPU features from Millrace and from OpenSSL, as
// `npm run test:cpus` does; libraries that ask the CPU themselves keep them, which favours them.
// `all` are the tiers of the table that this CPU can be. `--node` names other versions of Node.js.
// The figures are the fastest of many short rounds: other programs only add time, and short rounds
// fit between their time slices. `--write` puts the table into docs/benchmark-results.md.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import {
  describeTier,
  featuresHere,
  newest,
  tierEnvironment,
  tierOf,
  tiers,
  whyNot,
} from '../tools/cpu-tiers.mjs';
import { root } from '../tools/steps.mjs';
import { buildId, machineName } from './machine.mjs';
import { cellsOf, markdown } from './competitors/report.mjs';
import { rows } from './competitors/rows.mjs';

const run = promisify(execFile);
/** A row during which others used more cores than this is repeated. */
const DISTURBED_CORES = 0.15;
const RETRIES = 1;

const { values } = parseArgs({
  options: {
    tier: { type: 'string', multiple: true, default: [] },
    node: { type: 'string', multiple: true, default: [process.execPath] },
    match: { type: 'string', default: '' },
    rounds: { type: 'string', default: '101' },
    time: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});
const match = new RegExp(values.match);
const features = featuresHere();
const ofTable = [newest, ...tiers].filter(({ letter }) => letter !== undefined);
const wanted = values.tier.includes('all') ? ofTable : values.tier.map(tierOf);
const chosen = wanted.length === 0 ? [undefined] : wanted;
const absent = chosen.filter((tier) => tier !== undefined && whyNot(tier, features) !== undefined);

const columns = [];
for (const node of values.node) {
  const { stdout: version } = await run(node, ['--version']);
  for (const tier of chosen)
    if (!absent.includes(tier))
      columns.push({
        node,
        tier,
        title: `${tier?.letter ?? tier?.short ?? 'all'}, ${version.trim()}`,
      });
}
const results = [];
let busy = false;
for (const [index, row] of rows.entries()) {
  if (!match.test(row.name)) continue;
  const cells = [];
  for (const column of columns) {
    const cell = await measure(index, column).catch((error) => {
      console.error(error.message);
      return { entries: [], disturbed: false };
    });
    cells.push(cell);
    const [shown] = cellsOf({ ...row, cells: cells.slice(-1) });
    console.error(`${row.name}; ${column.title}: ${shown}`);
  }
  results.push({ ...row, cells });
}
const table = markdown(results, {
  machine: machineName().replace(/, v[\d.]+$/, ''),
  build: buildId(),
  columns: columns.map(({ title }) => title),
  tiers: [...new Set(columns.map(({ tier }) => tier))].map(
    (tier) => `${tier?.letter ?? 'all'}: ${describeTier(tier)}`,
  ),
  absent: absent.map((tier) => `${tier.letter}: ${whyNot(tier, features)}`),
});
console.log(table);
if (values.write) {
  const page = join(root, 'docs', 'benchmark-results.md');
  const [begin, end] = ['<!-- competitors -->\n', '<!-- end of competitors -->'];
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(begin);
  writeFileSync(page, `${before}${begin}\n${table}\n\n${end}${rest.split(end)[1]}`);
}

/** Returns the least disturbed of a few attempts. After a disturbed row there is only one. */
async function measure(index, { node, tier }) {
  const file = fileURLToPath(new URL('competitors/process.mjs', import.meta.url));
  const env = { ...process.env, ...(tier && tierEnvironment(tier)) };
  let best;
  for (let attempt = busy ? RETRIES : 0; attempt <= RETRIES; attempt++) {
    const { stdout } = await run(node, [file, String(index), values.rounds, values.time], { env });
    const result = JSON.parse(stdout);
    if (best === undefined || result.foreign < best.foreign) best = result;
    if (best.foreign <= DISTURBED_CORES) break;
  }
  busy = best.foreign > DISTURBED_CORES;
  return { entries: best.entries, disturbed: busy };
}
