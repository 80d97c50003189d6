// How every command of `millrace` speaks. The rules:
//
// - Results go to stdout, talk (progress, warnings, errors, questions) to stderr or the terminal
//   itself. A pipe gets results only.
// - What goes wrong is one line on stderr: `millrace COMMAND: WHAT: REASON`, in the words of the
//   operating system. Only a defect of ours shows a stack.
// - Exit codes are those of coreutils: 0 all is well, 1 anything else (of `bench scrypt` a bad
//   option is 2, as its ancestor's scripts want it). Who is ended by a signal ends by that signal
//   (a shell shows 130 or 143); a reader who goes away is no error worth a word (141).
// - Colours and progress only where a terminal looks on (stderr's progress by stderr, stdout's
//   colours by stdout). NO_COLOR and TERM=dumb are honoured.
// - On a terminal lines keep to its width; elsewhere nothing is cut and nothing is wrapped.
// - Names of files are shown so that they cannot command the terminal.
// - The cursor is never hidden and echo is switched off only while a passphrase is typed, so an
//   end at any moment leaves a terminal that works.
//
// Writing is synchronous, straight to the file descriptor: results come in order, a slow reader
// holds the work back, and process.stdout (3 ms to load) is never needed.

'use strict';

const { writeSync } = require('node:fs');
const { isatty } = require('node:tty');

/** Something the user can mend: a sentence, no stack. `usage` adds where help is. */
class Problem extends Error {
  constructor(message, { usage = false } = {}) {
    super(message);
    this.usage = usage;
  }
}

/** The reader of our output has gone. */
class ReaderGone extends Error {}

const isTerminal = (fd) => isatty(fd);

/**
 * Returns true if file descriptor 0 or 1 was closed when the process was started (`>&-`). Node then
 * opens /dev/null in its place, for reading and writing, which no shell does. Only Linux shows it.
 */
function wasClosed(fd) {
  if (process.platform !== 'linux') return false;
  const { fstatSync, readFileSync, statSync } = require('node:fs');
  try {
    if (!fstatSync(fd).isCharacterDevice() || fstatSync(fd).rdev !== statSync('/dev/null').rdev)
      return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
    return flags !== null && (parseInt(flags[1], 8) & 3) === 2;
  } catch {
    return false;
  }
}

/** Refuses to work for a reader, or from a writer, that is not there. */
function checkOpen(fd) {
  if (wasClosed(fd))
    throw new Problem(`${fd === 0 ? 'standard input' : 'standard output'}: ${reasons.EBADF}`);
}

/** Columns of the terminal behind `fd`; without one there is no limit. */
function columns(fd) {
  if (!isTerminal(fd)) return Infinity;
  const { WriteStream } = require('node:tty');
  return (
    (fd === 1 ? process.stdout : fd === 2 ? process.stderr : new WriteStream(fd)).columns || 80
  );
}

/**
 * The line that stands on the terminal until it is wiped (progress.js); whoever says something
 * wipes it first.
 */
const standing = { wipe: () => {} };

function print(text) {
  if (text.length === 0) return;
  standing.wipe();
  write(1, text);
}

/** All of it, whatever the pipe does. */
function write(fd, text) {
  let rest = typeof text === 'string' ? Buffer.from(text) : text;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (error.code === 'EPIPE') throw new ReaderGone();
      // Somebody else made the pipe non-blocking: it is full.
      if (error.code !== 'EAGAIN')
        throw fd === 1 ? new Problem(`standard output: ${reason(error)}`) : error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

let speaker = 'millrace';

/** Names the command in what is said from now on. */
function speakAs(name) {
  speaker = name;
}

/**
 * One line on stderr. If nobody can hear it, so be it. Whatever is quoted in it does not command
 * the terminal.
 */
function say(text) {
  standing.wipe();
  try {
    write(2, `${speaker}: ${harmless(text)}\n`);
  } catch {
    // Nowhere is left to complain.
  }
}

const usesColour = (fd) => isTerminal(fd) && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

/** `bold`, `dim`, `green` and `red` for what goes to `fd`. */
function colours(fd) {
  const used = usesColour(fd);
  const paint = (open, close) => (text) => (used ? `\x1b[${open}m${text}\x1b[${close}m` : text);
  return { bold: paint(1, 22), dim: paint(2, 22), green: paint(32, 39), red: paint(31, 39) };
}

const reasons = {
  EACCES: 'Permission denied',
  EBUSY: 'Device or resource busy',
  EDQUOT: 'Disk quota exceeded',
  EEXIST: 'File exists',
  EFBIG: 'File too large',
  EBADF: 'Bad file descriptor',
  EIO: 'Input/output error',
  EISDIR: 'Is a directory',
  ELOOP: 'Too many levels of symbolic links',
  EMFILE: 'Too many open files',
  ENAMETOOLONG: 'File name too long',
  ENODEV: 'No such device',
  ENOENT: 'No such file or directory',
  ENOSPC: 'No space left on device',
  ENOTDIR: 'Not a directory',
  ENXIO: 'No such device or address',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  ETXTBSY: 'Text file busy',
};

/** Why a system call failed, as coreutils would say it. */
function reason(error) {
  return (
    reasons[error.code] ?? error.message.replace(/^[A-Z0-9_]+: /, '').replace(/, \w+( '.*')?$/s, '')
  );
}

/** Control characters and what else is not seen, as escapes; the newlines of a stack stay. */
function harmless(text) {
  return text.replace(/[^\n\P{C}]|[\p{Zl}\p{Zp}]/gu, escaped);
}

const escaped = (character) =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');

/** Returns true if a name has characters that are not seen, or command the terminal. */
const isHidden = (name) => /[\p{C}\p{Zl}\p{Zp}\ufffd]/u.test(name.toString());

/**
 * A file's name for people: in quotes if it has blanks or worse, and so that it cannot command the
 * terminal.
 */
function shown(name) {
  const text = typeof name === 'string' ? name : name.toString();
  if (isHidden(text)) return harmless(JSON.stringify(text));
  return /^[\p{L}\p{N}_@%+,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Decimal units, three digits. */
function size(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  while (bytes >= 999.5 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  return `${unit === 0 || bytes >= 99.95 ? Math.round(bytes) : bytes.toFixed(bytes >= 9.995 ? 1 : 2)} ${units[unit]}`;
}

function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (part) => String(part).padStart(2, '0');
  return whole < 3600
    ? `${Math.floor(whole / 60)}:${pad(whole % 60)}`
    : `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
}

/** Breaks at blanks; lines after the first are indented. */
function wrap(text, width, indent = 0) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== '' && indent + line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

/**
 * Rows under heads, as wide as they need. If that is wider than `width` the last column is broken
 * at its blanks.
 *
 * @param heads one a column; one that ends with a `>` has its column at the right
 */
function table(heads, rows, { width = Infinity, head = (text) => text } = {}) {
  const right = heads.map((text) => text.endsWith('>'));
  const titles = heads.map((text) => text.replace(/>$/, ''));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  const line = (cells) =>
    cells
      .map((cell, column) =>
        column === cells.length - 1 && !right[column]
          ? wrap(cell, Math.max(width, before + 20), before)
          : right[column]
            ? cell.padStart(widths[column])
            : cell.padEnd(widths[column]),
      )
      .join('  ')
      .trimEnd();
  return [head(line(titles)), ...rows.map(line)].join('\n');
}

const plural = (count, one, many = `${one}s`) => (count === 1 ? one : many);

module.exports = {
  Problem,
  ReaderGone,
  checkOpen,
  colours,
  columns,
  duration,
  isHidden,
  isTerminal,
  plural,
  print,
  reason,
  say,
  shown,
  size,
  speakAs,
  standing,
  table,
  wrap,
  write,
};
