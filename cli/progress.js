// A progress line on stderr, if that is a terminal: share done, rate and time left. It appears in
// for packages such as cli-progress, which hide the cursor and install signal handlers.

'use strict';

const { colours, columns, duration, isTerminal, size, statusLine, write } = require('./ui.js');

const SHOW_AFTER_MS = 700;
const REDRAW_MS = 100;
const BAR_COLUMNS = 24;
/** The rate is the average over this time: it shows a pause and hides a stutter. */
const RATE_WINDOW_MS = 3000;

/**
 * @typedef {{ title: string, add(bytes: number): void, total: number | undefined, end(): void }}
 *   Progress
 * @typedef {object} Unit of work that is not counted in bytes
 * @property {(done: number, total: number | undefined) => string} amount describes how much is done
 * @property {number} memory milliseconds, in place of RATE_WINDOW_MS
 */

/**
 * Starts a progress line. It appears after SHOW_AFTER_MS and end() clears it.
 *
 * @param {string} title
 * @param {{ total?: number, tick?: (progress: Progress) => void, unit?: Unit, off?: boolean }}
 *   options `tick` is called before each redraw and may set the total
 * @returns {Progress}
 */
function startProgress(title, { total, tick = () => {}, unit, off = false } = {}) {
  const hidden = { title, total, add() {}, end() {} };
  if (off || process.env.TERM === 'dumb') return hidden;
  const begin = performance.now();
  /** Times and the amount done by then, oldest first. */
  const past = [{ at: begin, done: 0 }];
  let done = 0;
  let drawnAt = 0;
  /** Unknown until the line may be shown: a short run does not load node:tty. */
  let terminal;
  /** Undefined while the line is not shown. */
  let removeCleanup;
  const put = (text) => {
    try {
      write(2, text);
    } catch {
      // The terminal was closed. The work continues.
    }
  };
  const clear = () => {
    if (removeCleanup === undefined) return;
    put('\r\x1b[K');
    removeCleanup();
    removeCleanup = undefined;
  };
  const draw = (now) => {
    drawnAt = now;
    if (now - begin < SHOW_AFTER_MS) return;
    terminal ??= isTerminal(2);
    if (!terminal) return;
    tick(progress);
    past.push({ at: now, done });
    while (past.length > 2 && now - past[1].at > (unit?.memory ?? RATE_WINDOW_MS)) past.shift();
    const rate = ((done - past[0].done) / (now - past[0].at)) * 1000;
    const amount = unit?.amount(done, progress.total);
    const amounts = { done, total: progress.total, rate, amount };
    const text = progressText(progress.title, amounts, columns(2) - 1);
    removeCleanup ??= require('./cleanup.js').onExit(clear);
    put(`\r${text}\x1b[K`);
  };
  const progress = {
    title,
    total,
    /** Adds bytes. Also redraws, as the timer does not run while the event loop is blocked. */
    add(bytes) {
      done += bytes;
      const now = performance.now();
      if (now - drawnAt >= REDRAW_MS) draw(now);
    },
    end() {
      clearInterval(timer);
      clear();
      statusLine.clear = () => {};
    },
  };
  const timer = setInterval(() => progress.add(0), REDRAW_MS);
  timer.unref();
  statusLine.clear = clear;
  return progress;
}

/** Returns the longest form of the line that fits into `width`. */
function progressText(title, { done, total, rate, amount: counted }, width) {
  const { green, dim } = colours(2);
  const known = total !== undefined && total > 0;
  const share = known ? Math.min(done / total, 1) : 0;
  const left = known && rate > 0 ? `${duration((total - done) / rate)} left` : '';
  const filled = Math.round(share * BAR_COLUMNS);
  const bar = known
    ? [`${'\u2588'.repeat(filled)}`, `${'\u2591'.repeat(BAR_COLUMNS - filled)}`]
    : undefined;
  const percent = known ? `${String(Math.floor(share * 100)).padStart(3)}%` : '';
  const amount = counted ?? (known ? `${size(done)} of ${size(total)}` : size(done));
  const pace = counted === undefined ? `${size(rate)}/s` : '';
  const join = (...parts) => parts.filter(Boolean).join('  ');
  const plain = join(percent, amount, pace, left);
  if (bar !== undefined && title.length + BAR_COLUMNS + plain.length + 4 <= width)
    return `${title}  ${green(bar[0])}${dim(bar[1])}  ${plain}`;
  const forms = [
    join(title, plain),
    plain,
    join(percent, pace, left),
    join(percent, pace),
    known ? percent : amount,
  ];
  return forms.find((form) => form.length <= width) ?? '';
}

module.exports = { progressText, startProgress };
