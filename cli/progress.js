// A progress line on stderr, if that is a terminal: share done, rate and time left. It appears in
// for packages such as cli-progress, which hide the cursor and install signal handlers.

'use strict';

const { onExit } = require('./cleanup.js');
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
  if (off || !isTerminal(2) || process.env.TERM === 'dumb')
    return { title, add() {}, total, end() {} };
  const line = new Line(title, total, tick, unit);
  line.begin();
  return line;
}

class Line {
  #tick;
  #unit;
  #done = 0;
  #begin = performance.now();
  /** Times and the amount done by then, oldest first. */
  #past = [{ at: this.#begin, done: 0 }];
  #timer;
  #drawnAt = 0;
  #drawn = false;
  #removeCleanup = () => {};

  constructor(title, total, tick, unit) {
    this.title = title;
    this.total = total;
    this.#tick = tick;
    this.#unit = unit;
  }

  begin() {
    this.#timer = setInterval(() => this.add(0), REDRAW_MS);
    this.#timer.unref();
    statusLine.clear = () => this.#clear();
  }

  /** Adds bytes. Also redraws, as the timer does not run while the event loop is blocked. */
  add(bytes) {
    this.#done += bytes;
    if (performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw();
  }

  end() {
    clearInterval(this.#timer);
    this.#clear();
    statusLine.clear = () => {};
  }

  #draw() {
    const now = performance.now();
    this.#drawnAt = now;
    if (now - this.#begin < SHOW_AFTER_MS) return;
    this.#tick(this);
    this.#past.push({ at: now, done: this.#done });
    while (this.#past.length > 2 && now - this.#past[1].at > (this.#unit?.memory ?? RATE_WINDOW_MS))
      this.#past.shift();
    const [{ at, done }] = this.#past;
    const rate = ((this.#done - done) / (now - at)) * 1000;
    const text = progressText(
      this.title,
      {
        done: this.#done,
        total: this.total,
        rate,
        amount: this.#unit?.amount(this.#done, this.total),
      },
      columns(2) - 1,
    );
    if (!this.#drawn) this.#removeCleanup = onExit(() => this.#clear());
    this.#drawn = true;
    this.#put(`\r${text}\x1b[K`);
  }

  #clear() {
    if (!this.#drawn) return;
    this.#drawn = false;
    this.#put('\r\x1b[K');
    this.#removeCleanup();
  }

  #put(text) {
    try {
      write(2, text);
    } catch {
      // The terminal was closed. The work continues.
    }
  }
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
