// The results of `npm run bench -- routes` as a CSV file that grows with each process.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { csvLine } from '../../cli/bench/csv.mjs';
import { parseCsv } from '../csv.mjs';
import { routesOf } from './plan.mjs';

export const heads = [
  'machine',
  'build',
  'operation',
  'memory',
  'size',
  'in_flight',
  'processes',
  'repeat',
  'route',
  'calls_per_s',
  'spread',
  'p50_s',
  'p99_s',
  'cores',
  'foreign_cores',
  'run_delay',
];

/**
 * Opens the file and reads what it has about this machine and build. `has` returns true if a cell
 * was measured for the `repeat`th time, `add` writes one measurement, `of` returns all lines of a
 * cell.
 *
 * @param {string} path
 * @param {{ machine: string, build: string }} about
 * @param {{ fresh: boolean, isolated: boolean }} options
 */
export function openRecord(path, { machine, build }, { fresh, isolated }) {
  const processes = isolated ? 'one a route' : 'one a cell';
  mkdirSync(dirname(path), { recursive: true });
  if (fresh || !existsSync(path)) writeFileSync(path, csvLine(heads));
  const text = readFileSync(path, 'utf8');
  // The last process was interrupted while it wrote.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) writeFileSync(path, whole);
  const lines = parseCsv(whole);
  const mine = lines.filter(
    (line) => line.machine === machine && line.build === build && line.processes === processes,
  );
  const of = ({ operation, memory, size, inFlight }) =>
    mine.filter(
      (line) =>
        line.operation === operation &&
        line.memory === memory &&
        Number(line.size) === size &&
        Number(line.in_flight) === inFlight,
    );
  return {
    of,
    has: (cell, repeat) => {
      const measured = of(cell).filter((line) => Number(line.repeat) === repeat);
      return routesOf(cell).every((route) => measured.some((line) => line.route === route));
    },
    add(cell, repeat, results) {
      const { operation, memory, size, inFlight } = cell;
      for (const { routes, foreign, delay } of results) {
        for (const [route, { rate, spread, p50, p99, cores }] of Object.entries(routes)) {
          const what = [machine, build, operation, memory, size, inFlight, processes];
          const figures = [rate, spread, p50, p99, cores, foreign, delay].map(rounded);
          const fields = [...what, repeat, route, ...figures];
          appendFileSync(path, csvLine(fields));
          mine.push(
            Object.fromEntries(heads.map((head, index) => [head, String(fields[index] ?? '')])),
          );
        }
      }
    },
  };
}

const rounded = (value) => (value === undefined ? '' : Number(value.toPrecision(5)));
