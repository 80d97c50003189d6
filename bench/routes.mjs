// The automatic route beside every fixed one:
//
//   npm run bench -- routes [--quick] [--sizes 256,4K] [--depths 1,16] [--repeats 3]
//       [--operations sha256,hmac-sha256,aes-256-gcm,chacha20-poly1305] [--memory copied,lent]
//       [--rounds 5] [--time 40] [--isolated] [--out FILE] [--fresh]
//
// A cell is an operation, a size, a number of calls in flight, and whether the source is copied or
// lent. Each cell is measured in separate processes, `repeats` of them, since the state of a
// process (measured costs, which worker is awake) decides as well. In each process the routes take
// turns; with --isolated each route has separate processes. The results are verified first.
//
// Every process adds a line of JSON to the file. A run with the same file, machine and build
// continues where the last one ended. benchmarks.md describes the fields.

import { execFile } from 'node:child_process';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { parseSize } from '../cli/bench/options.mjs';
import { buildId, machineName } from './machine.mjs';
import { cellName, cellsOf, operations, memories, routesOf } from './routes/plan.mjs';
import { openRecord } from './routes/record.mjs';
import { assess, report } from './routes/report.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** A process during which others used more cores than this is repeated. */
const DISTURBED_CORES = 0.1;
/** How often one process is repeated for that reason, unless that did not help the last one. */
const RETRIES = 2;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string' },
    depths: { type: 'string' },
    operations: { type: 'string' },
    memory: { type: 'string' },
    repeats: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    time: { type: 'string', default: '40' },
    quick: { type: 'boolean', default: false },
    isolated: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'target', 'bench', 'routes.jsonl') },
  },
});
const list = (text) => text?.split(',').map((part) => part.trim());
const count = (text, name) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} takes a whole number from 1`);
  return value;
};
const known = (given, all, name) => {
  for (const each of given ?? [])
    if (!all.includes(each)) throw new Error(`${name}: ${each} is none of ${all.join(', ')}`);
  return given;
};

const cells = cellsOf({
  quick: values.quick,
  sizes: list(values.sizes)?.map(parseSize),
  depths: list(values.depths)?.map((depth) => count(depth, '--depths')),
  operations: known(list(values.operations), operations, '--operations'),
  memories: known(list(values.memory), memories, '--memory'),
  most: totalmem() / 4,
});
const repeats = count(values.repeats ?? (values.quick ? 2 : 3), '--repeats');
const about = { machine: machineName(), build: buildId() };
const record = openRecord(values.out, about, { fresh: values.fresh, isolated: values.isolated });

console.error(`${about.machine}, build ${about.build}`);
console.error(`${cells.length} cells, ${repeats} processes each; ${values.out}`);
let busy = false;
// Round by round over all cells: an interrupted run has measured all of them less often, and the
// processes of one cell do not meet the same moment of the machine.
for (let repeat = 1; repeat <= repeats; repeat++) {
  for (const [index, cell] of cells.entries()) {
    if (record.has(cell, repeat)) continue;
    const parts = values.isolated ? routesOf(cell).map((route) => [route]) : [routesOf(cell)];
    const results = [];
    for (const routes of parts) results.push(await measure({ ...cell, routes }));
    record.add(cell, repeat, results);
    console.error(
      `${String(repeat).padStart(2)} of ${repeats}, ${String(index + 1).padStart(4)} of ` +
        `${cells.length}  ${cellName(cell)}  ${short(results)}`,
    );
  }
}
console.log(
  report(
    cells.map((cell) => assess(cell, record.of(cell))),
    about,
  ),
);

async function measure(cell) {
  let best;
  const retries = busy ? 0 : RETRIES;
  for (let attempt = 0; attempt <= retries; attempt++) {
    const task = {
      ...cell,
      rounds: count(values.rounds, '--rounds'),
      time: count(values.time, '--time'),
    };
    const { stdout } = await run(process.execPath, [
      join(root, 'bench', 'routes', 'process.mjs'),
      JSON.stringify(task),
    ]);
    const result = JSON.parse(stdout);
    if (best === undefined || result.foreign < best.foreign) best = result;
    if (best.foreign <= DISTURBED_CORES) break;
  }
  busy = best.foreign > DISTURBED_CORES;
  return best;
}

function short(results) {
  const routes = Object.entries(Object.assign({}, ...results.map((result) => result.routes)));
  return routes.map(([route, { rate }]) => `${route} ${(rate / 1000).toPrecision(3)}k`).join(' ');
}
