// What the tour shows: a progress bar and colours on a terminal, plain lines elsewhere.

import cliProgress from 'cli-progress';

const terminal = process.stdout.isTTY === true;
const colours = terminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
const colour = (open, close) => (text) => (colours ? `\x1b[${open}m${text}\x1b[${close}m` : text);

export const bold = colour(1, 22);
export const dim = colour(2, 22);
export const green = colour(32, 39);

export function say(text) {
  process.stdout.write(`${text}\n`);
}

export function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

/** A bar over `total` bytes. end() replaces it by one line; elsewhere than on a terminal there is only that line. */
export function progressBar(title, total) {
  if (!terminal) return { add() {}, end: (done) => say(`ok  ${done}`) };
  const bar = new cliProgress.SingleBar({
    format: `${title.padEnd(20)} {bar} {percentage}%  {eta_formatted}`,
    barCompleteChar: '\u2588',
    barIncompleteChar: '\u2591',
    barsize: 32,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: true,
  });
  bar.start(Math.max(total, 1), 0);
  return {
    add: (bytes) => bar.increment(bytes),
    end(done) {
      bar.stop();
      say(`${green('ok')}  ${done}`);
    },
  };
}

/** Rows under heads; the first column to the left, numbers to the right. */
export function table(heads, rows) {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join('   ');
  return [dim(line(heads)), ...rows.map(line)].join('\n');
}
