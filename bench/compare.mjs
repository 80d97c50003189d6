// Calls of Millrace beside those of other libraries, row by row:
//
//   npm run bench -- TABLE [--match EXPRESSION] [--tier all|A|B|C|S|...]... [--node PATH]...
//       [--quick] [--rounds N] [--time MS] [--resume] [--write] [--cells FILE]
//
// TABLE is a module of tables/: aws, competitors, public-keys, routes, node-crypto, webcrypto,
// noble or overrides. Each row has a separate process. `--tier` hides CPU features from Millrace
// and from OpenSSL, as `npm run test:cpus` does; libraries that ask the CPU themselves keep them,
// which favours them. `all` are the tiers that this CPU can be. `--node` names other versions of
// Node.js. The figures are the
// fastest of many short rounds: other programs only add time, and short rounds fit between their
// time slices.
//
// Each cell is written to target/bench/TABLE.jsonl, or the file of `--cells`, when it is measured.
// `--resume` takes cells of this build, machine and settings from there, unless they failed.
// `--write` puts all cells of this build and settings into docs/benchmark-results.md, not only
// those of this run. A run that is interrupted prints, and writes, what it has.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import {
  describeTier,
  featuresHere,
  letterOf,
  newest,
  tierEnvironment,
  tierOf,
  tiers,
  tiersOf,
  whyNot,
} from '../tools/cpu-tiers.mjs';
import { root } from '../tools/steps.mjs';
import { arrangeCells, openCells } from './cells.mjs';
import { buildId, machineName, today } from './machine.mjs';
import { cellOf, markdown, reasonOf } from './report.mjs';

const run = promisify(execFile);
/** A row during which others used more cores than this is repeated. */
const DISTURBED_CORES = 0.15;
const RETRIES = 1;
/** A process that takes longer has stopped. */
const TIMEOUT_MS = 300_000;

const { values, positionals } = parseArgs({
  options: {
    tier: { type: 'string', multiple: true, default: [] },
    node: { type: 'string', multiple: true, default: [process.execPath] },
    match: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    time: { type: 'string' },
    resume: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    cells: { type: 'string' },
  },
  allowPositionals: true,
});
const [name] = positionals;
const { rows, settings, arrange } = await import(`./tables/${name}.mjs`);
const quick = values.quick ? { rounds: 9, time: 2 } : {};
const { rounds, time } = { rounds: 101, time: 3, ...settings, ...quick, ...values };
const match = new RegExp(values.match);
const features = featuresHere();
const chosen = tiersOf(values.tier);
const absent = chosen.filter((tier) => tier !== undefined && whyNot(tier, features) !== undefined);

const columns = [];
for (const node of values.node) {
  const { stdout: version } = await run(node, ['--version']);
  for (const tier of chosen.filter((each) => !absent.includes(each)))
    columns.push({
      node,
      tier,
      title: `${letterOf(tier)}, ${version.trim()}`,
    });
}
const fastest = [newest, ...tiers].find((tier) => whyNot(tier, features) === undefined);
const about = {
  build: buildId(),
  // One name of a CPU may be of several generations.
  machine: [machineName().replace(/, v[\d.]+$/, ''), ...(fastest ? [fastest.name] : [])].join(', '),
  settings: `${rounds} rounds of ${time} ms`,
};
const stored = openCells(values.cells ?? join(root, 'target', 'bench', `${name}.jsonl`));
const measured = [];
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    process.exitCode = 130;
    interruption.abort();
  });
let busy = false;
for (const [index, row] of rows.entries()) {
  if (!match.test(row.name)) continue;
  for (const column of columns) {
    if (interruption.signal.aborted) break;
    const key = { ...about, column: column.title, row: row.name };
    const known = values.resume ? stored.find(key) : undefined;
    const taken = known !== undefined && known.failed === undefined;
    const cell = taken ? known : { ...key, date: today(), ...(await measure(index, column)) };
    if (interruption.signal.aborted) break;
    if (!taken) stored.add(cell);
    measured.push(cell);
    console.error(`${row.name}; ${column.title}: ${cellOf(row, cell)}${taken ? ' (before)' : ''}`);
  }
}
const cells = values.write ? stored.like(about) : measured;
const order = [newest, ...tiers].map(letterOf);
const { results, columns: shown } = arrangeCells(cells, rows, ['all', ...order]);
const letters = new Set(cells.map(({ column }) => column.split(', ')[0]));
const table = markdown(results, {
  ...about,
  columns: shown,
  tiers: [...letters].map(
    (letter) => `${letter}: ${describeTier(tierOf(letter === 'all' ? undefined : letter))}`,
  ),
  absent: absent
    .filter((tier) => !letters.has(letterOf(tier)))
    .map((tier) => `${letterOf(tier)}: ${whyNot(tier, features)}`),
  arrange,
});
console.log(table);
if (values.write && cells.length > 0) {
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
  // Detached: Ctrl-C interrupts this process alone, which then ends the other.
  const options = { env, timeout: TIMEOUT_MS, signal: interruption.signal, detached: true };
  let best;
  for (let attempt = busy || values.quick ? RETRIES : 0; attempt <= RETRIES; attempt++) {
    const result = await run(node, args, options).then(
      ({ stdout }) => JSON.parse(stdout),
      (error) => ({ failed: reasonOf(error) }),
    );
    if (result.failed !== undefined) return { entries: [], failed: result.failed };
    if (best === undefined || result.foreign < best.foreign) best = result;
    if (best.foreign <= DISTURBED_CORES) break;
  }
  busy = best.foreign > DISTURBED_CORES;
  const { entries, leftOut } = best;
  return { entries, disturbed: busy, ...(leftOut.length > 0 && { leftOut }) };
}
