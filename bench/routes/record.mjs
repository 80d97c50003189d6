// The results of `npm run bench -- routes` as lines of JSON, one for each process.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { cellName, routesOf } from './plan.mjs';

/**
 * Opens the file and reads what it has about this machine and build. `has` returns true if a cell
 * was measured for the `repeat`th time, `add` writes the result of a process, `of` returns the
 * figures of a cell: `{ repeat, route, rate, spread, p50, p99, foreign }`.
 *
 * @param {string} path
 * @param {{ machine: string, build: string }} about
 * @param {{ fresh: boolean, isolated: boolean }} options
 */
export function openRecord(path, { machine, build }, { fresh, isolated }) {
  const about = { machine, build, processes: isolated ? 'one a route' : 'one a cell' };
  mkdirSync(dirname(path), { recursive: true });
  if (fresh || !existsSync(path)) writeFileSync(path, '');
  const text = readFileSync(path, 'utf8');
  // The last process may have been interrupted while it wrote.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) writeFileSync(path, whole);
  const lines = whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter((line) => Object.keys(about).every((name) => line[name] === about[name]));
  const of = (cell) =>
    lines
      .filter((line) => cellName(line.cell) === cellName(cell))
      .flatMap(({ repeat, foreign, routes }) =>
        Object.entries(routes).map(([route, figures]) => ({ repeat, route, foreign, ...figures })),
      );
  return {
    of,
    has: (cell, repeat) => {
      const measured = of(cell).filter((each) => each.repeat === repeat);
      return routesOf(cell).every((route) => measured.some((each) => each.route === route));
    },
    add(cell, repeat, results) {
      for (const result of results) {
        const line = { ...about, cell, repeat, ...result };
        appendFileSync(path, `${JSON.stringify(line)}\n`);
        lines.push(line);
      }
    },
  };
}
