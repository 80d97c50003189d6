// What the tour shows: progress and colours on a terminal, plain lines elsewhere.

import progress from './progress.js';
import ui from './ui.js';

export const { bold, dim, green } = ui.colours(1);

export function say(text) {
  ui.print(`${text}\n`);
}

export function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

/**
 * A bar over `total` bytes. end() replaces it by one line; elsewhere than on a terminal there is
 * only that line.
 */
export function progressBar(title, total) {
  const line = progress.startProgress(title, { total });
  return {
    add: (bytes) => line.add(bytes),
    end(done) {
      line.end();
      say(`${green('ok')}  ${done}`);
    },
  };
}

/** Rows under heads; the first column to the left, numbers to the right. */
export function table(heads, rows) {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('   ');
  return [dim(line(heads)), ...rows.map(line)].join('\n');
}
