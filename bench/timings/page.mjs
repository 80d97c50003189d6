// The records of times as a page: one section a machine, one chart a row, one line a size.

import { bytes, duration } from '../../cli/bench/report.mjs';
import { pageOf } from '../../cli/bench/page/shell.mjs';

/**
 * @param {Record<string, string>[]} lines of the files under bench/records, by date
 */
export function timingsPage(lines) {
  const machines = [...new Set(lines.map(({ machine }) => machine))];
  const dates = new Set(lines.map(({ date, machine }) => `${machine} ${date}`));
  const sections = machines.map((machine, index) => ({
    id: `machine-${index + 1}`,
    title: machine,
    charts: chartsOf(
      lines.filter((line) => line.machine === machine),
      `machine-${index + 1}`,
    ),
  }));
  return pageOf({
    title: 'Millrace timing records',
    heading: 'Timing records',
    lead: `${dates.size} records, by machine and version of Node.js.`,
    header: '',
    footer:
      '<p>Median times of one operation, which the figures have, divided by those of the first ' +
      'record; the thin line through a point is the interquartile range. ' +
      'Points that other processes disturbed are left out of the charts and are in the figures. ' +
      'A step that node:crypto, measured beside, makes as well is one of the machine.</p>',
    sections,
  });
}

function chartsOf(lines, section) {
  const rows = [...new Set(lines.map(rowOf))];
  return rows.map((row, index) =>
    chartOf(
      row,
      lines.filter((line) => rowOf(line) === row),
      `${section}-${index + 1}`,
    ),
  );
}

const rowOf = ({ wait, what }) => `${wait} ${what}`;

function chartOf(title, lines, id) {
  const names = [...new Set(lines.map(seriesOf))];
  const series = names.map((name, colour) => {
    const points = fastestOf(lines.filter((line) => seriesOf(line) === name)).filter(
      ({ disturbed }) => disturbed !== '1',
    );
    return {
      name,
      colour: colour % 8,
      points: points.map(({ date, value, lower_quartile: low, upper_quartile: high }) => ({
        x: Date.parse(date),
        y: Number(value) / Number(points[0].value),
        spread: (Number(high) - Number(low)) / 2 / Number(value),
      })),
    };
  });
  const drawn = series.filter(({ points }) => points.length > 0);
  const disturbed = fastestOf(lines).filter((line) => line.disturbed === '1').length;
  return {
    id,
    kind: drawn.length > 0 ? 'lines' : 'none',
    title,
    note: 'time of one operation relative to the first record, one line a size and library',
    x: 'date',
    y: 'ratio',
    series: drawn,
    remarks: disturbed === 0 ? [] : [`${disturbed} disturbed points are not drawn`],
    table: tableOf(names, lines),
  };
}

const seriesOf = ({ competitor, size }) => `${competitor} ${bytes(Number(size))}`;

/** A competitor may have several forms in a row: the fastest counts, as in the bench. */
function fastestOf(lines) {
  const best = new Map();
  for (const line of lines) {
    const key = `${line.date} ${seriesOf(line)}`;
    if (!best.has(key) || Number(line.value) < Number(best.get(key).value)) best.set(key, line);
  }
  return [...best.values()].sort((one, other) => Date.parse(one.date) - Date.parse(other.date));
}

function tableOf(names, lines) {
  const records = [...new Set(lines.map(({ date, commit }) => `${date} ${commit}`))].sort();
  return {
    heads: ['record', ...names],
    rows: records.map((record) => [
      `${record.slice(0, 10)} ${record.split(' ')[1]}`,
      ...names.map((name) => {
        const [line] = fastestOf(
          lines.filter(
            (each) => `${each.date} ${each.commit}` === record && seriesOf(each) === name,
          ),
        );
        if (line === undefined) return '-';
        return `${duration(Number(line.value))}${line.disturbed === '1' ? ' disturbed' : ''}`;
      }),
    ]),
  };
}
