// Calls of Millrace beside those of other libraries, row by row:
//
//   npm run bench -- TABLE [--match EXPRESSION] [--tier all|A|B|C|S|...]... [--node PATH]...
//       [--quick] [--rounds N] [--time MS] [--write]
//
// TABLE is a module of tables/: competitors, public-keys, routes, node-crypto, webcrypto or noble.
// Each row has a separate process. `--tier` hides CPU features from Millrace and from OpenSSL, as `npm run
// test:cpus` does; libraries that ask the CPU themselves keep them, which favours them. `all` are
// the tiers that this CPU can be. `--node` names other versions of Node.js. The figures are the
// fastest of many short rounds: other programs only add time, and short rounds fit between their
// time slices. `--write` puts the table into docs/benchmark-results.md.

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
import { cellOf, markdown } from './report.mjs';

const run = promisify(execFile);
/** A row during which others used more cores than this is repeated. */
const DISTURBED_CORES = 0.15;
const RETRIES = 1;

const { values, positionals } = parseArgs({
  options: {
    tier: { type: 'string', multiple: true, default: [] },
    node: { type: 'string', multiple: true, default: [process.execPath] },
    match: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    time: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [name] = positionals;
const { rows, settings, arrange } = await import(`./tables/${name}.mjs`);
const quick = values.quick ? { rounds: 9, time: 2 } : {};
const { rounds, time } = { rounds: 101, time: 3, ...settings, ...quick, ...values };
const match = new RegExp(values.match);
const features = featuresHere();
const all = [newest, ...tiers].filter(({ letter }) => letter !== undefined);
const wanted = values.tier.includes('all') ? all : values.tier.map(tierOf);
const chosen = wanted.length === 0 ? [undefined] : wanted;
const absent = chosen.filter((tier) => tier !== undefined && whyNot(tier, features) !== undefined);

const columns = [];
for (const node of values.node) {
  const { stdout: version } = await run(node, ['--version']);
  for (const tier of chosen.filter((each) => !absent.includes(each)))
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
    console.error(`${row.name}; ${column.title}: ${cellOf(row, cell)}`);
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
  arrange,
});
console.log(table);
if (values.write) {
  const page = join(root, 'docs', 'benchmark-results.md');
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(begin);
  writeFileSync(page, `${before}${begin}\n${table}\n\n${end}${rest.split(end)[1]}`);
}

/** Returns the least disturbed of a few attempts. After a disturbed row there is only one. */
async function measure(index, { node, tier }) {
  const file = fileURLToPath(new URL('compare-process.mjs', import.meta.url));
  const args = [file, name, String(index), String(rounds), String(time)];
  const env = { ...process.env, ...(tier && tierEnvironment(tier)) };
  let best;
  for (let attempt = busy || values.quick ? RETRIES : 0; attempt <= RETRIES; attempt++) {
    const { stdout } = await run(node, args, { env });
    const result = JSON.parse(stdout);
    if (best === undefined || result.foreign < best.foreign) best = result;
    if (best.foreign <= DISTURBED_CORES) break;
  }
  busy = best.foreign > DISTURBED_CORES;
  return { entries: best.entries, disturbed: busy };
}
