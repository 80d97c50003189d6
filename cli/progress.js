// One line about long work, on stderr and only if that is a terminal: how far, how fast, how much
// longer. A line of our own: the packages for it (cli-progress) hide the cursor and install signal
// handlers, and this package would have to carry them.

'use strict';

const { atEnd } = require('./endings.js');
const { colours, columns, duration, isTerminal, size, standing, write } = require('./ui.js');

/** Work shorter than this shows nothing. */
const patience = 700;
const interval = 100;
const barWidth = 24;
/** The rate is that of so many milliseconds past: a pause is seen, a stutter is not. */
const memory = 3000;

/**
 * @typedef {{ title: string, add(bytes: number): void, total: number | undefined, end(): void }}
 * Progress
 * @typedef {object} Unit of work that is not counted in bytes
 * @property {(done: number, total: number | undefined) => string} amount how much of it is done, in
 * words; there is no rate
 * @property {number} memory instead of the usual one
 */

/**
 * Shows itself when the work has taken a while, and goes without a trace.
 *
 * @param {string} title
 * @param {{ total?: number, tick?: (progress: Progress) => void, unit?: Unit }} options `tick` is
 * called before each drawing; it may find out the total
 * @returns {Progress}
 */
function startProgress(title, { total, tick = () => {}, unit } = {}) {
  if (!isTerminal(2) || process.env.TERM === 'dumb') return { title, add() {}, total, end() {} };
  const line = new Line(title, total, tick, unit);
  line.begin();
  return line;
}

class Line {
  #tick;
  #unit;
  #done = 0;
  #begin = performance.now();
  /** Moments and what was done by then, oldest first. */
  #past = [{ at: this.#begin, done: 0 }];
  #timer;
  #drawnAt = 0;
  #stands = false;
  #forget = () => {};

  constructor(title, total, tick, unit) {
    this.title = title;
    this.total = total;
    this.#tick = tick;
    this.#unit = unit;
  }

  begin() {
    this.#timer = setInterval(() => this.add(0), interval);
    this.#timer.unref();
    standing.wipe = () => this.#wipe();
  }

  /** Draws by itself where the event loop has no turn to spare for a timer. */
  add(bytes) {
    this.#done += bytes;
    if (performance.now() - this.#drawnAt >= interval) this.#draw();
  }

  end() {
    clearInterval(this.#timer);
    this.#wipe();
    standing.wipe = () => {};
  }

  #draw() {
    const now = performance.now();
    this.#drawnAt = now;
    if (now - this.#begin < patience) return;
    this.#tick(this);
    this.#past.push({ at: now, done: this.#done });
    while (this.#past.length > 2 && now - this.#past[1].at > (this.#unit?.memory ?? memory))
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
    if (!this.#stands) this.#forget = atEnd(() => this.#wipe());
    this.#stands = true;
    this.#put(`\r${text}\x1b[K`);
  }

  #wipe() {
    if (!this.#stands) return;
    this.#stands = false;
    this.#put('\r\x1b[K');
    this.#forget();
  }

  #put(text) {
    try {
      write(2, text);
    } catch {
      // The terminal has gone; the work goes on.
    }
  }
}

/** What stands there: as much of it as there is room for, the least important first to go. */
function progressText(title, { done, total, rate, amount: counted }, width) {
  const { green, dim } = colours(2);
  const known = total !== undefined && total > 0;
  const share = known ? Math.min(done / total, 1) : 0;
  const left = known && rate > 0 ? `${duration((total - done) / rate)} left` : '';
  const filled = Math.round(share * barWidth);
  const bar = known
    ? [`${'\u2588'.repeat(filled)}`, `${'\u2591'.repeat(barWidth - filled)}`]
    : undefined;
  const percent = known ? `${String(Math.floor(share * 100)).padStart(3)}%` : '';
  const amount = counted ?? (known ? `${size(done)} of ${size(total)}` : size(done));
  const pace = counted === undefined ? `${size(rate)}/s` : '';
  const join = (...parts) => parts.filter(Boolean).join('  ');
  const plain = join(percent, amount, pace, left);
  if (bar !== undefined && title.length + barWidth + plain.length + 4 <= width)
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
