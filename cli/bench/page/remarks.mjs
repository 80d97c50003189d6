// The remarks under a chart about the confidence of its rows.

import { bytes } from '../report.mjs';

/** @param {any[]} rows of one chart, one a size */
export function confidenceRemarks(rows) {
  const sizes = (list) => list.map(({ size }) => bytes(size)).join(', ');
  const disturbed = rows.filter((row) => row.disturbed);
  const ties = rows.filter(({ comparison }) => comparison?.verdict === 'tie');
  const noise = ({ comparison }) => `${(comparison.noise * 100).toFixed(0)} %`;
  return [
    ...(ties.length === 0
      ? []
      : [
          `tie, within the noise: ` +
            ties.map((row) => `${bytes(row.size)} (${noise(row)})`).join(', '),
        ]),
    ...(disturbed.length === 0 ? [] : [`disturbed by other processes: ${sizes(disturbed)}`]),
  ];
}
