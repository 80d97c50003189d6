// The cells that compare.mjs has measured, one JSON object a line: a run that is stopped loses
// none, and the lines of another machine can be appended.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * @typedef {object} Cell
 * @property {string} build
 * @property {string} machine
 * @property {string} settings rounds and their time
 * @property {string} column tier and version of Node.js
 * @property {string} row
 * @property {string} date of the measurement
 * @property {any[]} entries empty if it failed
 * @property {boolean} [disturbed]
 * @property {string[]} [leftOut] competitors with the reason
 * @property {string} [failed] the reason
 */

/** The fields that tell cells apart; a later one replaces an earlier one. */
const keyOf = ({ build, machine, settings, column, row }) =>
  JSON.stringify([build, machine, settings, column, row]);

/** Opens a file of cells. Half a line, which a killed process has left, is ignored. */
export function openCells(file) {
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  for (const line of text.split('\n')) {
    try {
      const cell = JSON.parse(line);
      cells.set(keyOf(cell), cell);
    } catch {
      // Half a line, or the empty one at the end.
    }
  }
  let separator = text === '' || text.endsWith('\n') ? '' : '\n';
  return {
    find: (key) => cells.get(keyOf(key)),
    /** Returns the cells of a build with the same settings, of all machines. */
    like: ({ build, settings }) =>
      [...cells.values()].filter((cell) => cell.build === build && cell.settings === settings),
    /** @param {Cell} cell */
    add(cell) {
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${separator}${JSON.stringify(cell)}\n`);
      separator = '';
      cells.set(keyOf(cell), cell);
    },
  };
}

/**
 * Arranges cells as a table: `columns` with title, machine and the dates of their cells, by
 * machine, version of Node.js and tier; and those of `rows` that have a cell, with the cell of each
 * column or undefined. Columns of one title on several machines get numbers.
 *
 * @param {Cell[]} cells
 * @param {any[]} rows
 * @param {string[]} tiers in the order of the columns
 */
export function arrangeCells(cells, rows, tiers) {
  const machines = [...new Set(cells.map(({ machine }) => machine))].sort();
  const columns = new Map();
  for (const { machine, column: title, date } of cells) {
    const key = JSON.stringify([machine, title]);
    const { first = date, last = date } = columns.get(key) ?? {};
    const dates = { first: date < first ? date : first, last: date > last ? date : last };
    columns.set(key, { machine, title, ...dates });
  }
  const place = ({ machine, title }) => {
    const [tier, version] = title.split(', ');
    const [major, minor, patch] = version.match(/\d+/g).map(Number);
    return [machines.indexOf(machine), major, minor, patch, tiers.indexOf(tier)];
  };
  const ordered = [...columns.values()].sort((left, right) => {
    const [one, other] = [place(left), place(right)];
    const index = one.findIndex((each, at) => each !== other[at]);
    return index < 0 ? 0 : one[index] - other[index];
  });
  const results = rows
    .map((row) => ({
      ...row,
      cells: ordered.map(({ machine, title }) =>
        cells.find(
          (cell) => cell.row === row.name && cell.column === title && cell.machine === machine,
        ),
      ),
    }))
    .filter((row) => row.cells.some((cell) => cell !== undefined));
  const shared = (title) => ordered.filter((column) => column.title === title).length > 1;
  return {
    results,
    columns: ordered.map((column) => ({
      ...column,
      title: shared(column.title)
        ? `${column.title}, machine ${machines.indexOf(column.machine) + 1}`
        : column.title,
    })),
  };
}
