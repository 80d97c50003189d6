// Input and output of every `millrace` command. The rules:
//
// - Results go to stdout. Progress, warnings, errors and questions go to stderr or the terminal.
// - An error is one line on stderr: `millrace COMMAND: SUBJECT: REASON`, with the reason in the
//   operating system's words. Only a defect shows a stack.
// - Exit codes are those of coreutils: 0 for success, 1 for any failure. (`bench scrypt` exits with
//   2 for a bad option, as the original package does.) A signal ends the process by that signal,
//   which a shell shows as 130 or 143. A closed output pipe is not an error message, only exit code
//   141.
// - Colours and progress appear only on a terminal: progress if stderr is one, colours if the
//   stream they go to is one. NO_COLOR and TERM=dumb switch them off.
// - On a terminal, lines are wrapped to its width. Elsewhere nothing is cut or wrapped.
// - Control characters in file names are escaped before they reach the terminal.
// - The cursor is never hidden, and echo is off only while a passphrase is typed. The terminal
//   works whenever the process ends.
//
// Writes are synchronous, straight to the file descriptor: results keep their order, a slow reader
// slows the work down, and process.stdout (3 ms to load) is not needed.

'use strict';

const { fstatSync, writeSync } = require('node:fs');

/** An error that the user can fix. It is printed without a stack. */
class UserError extends Error {}

/** A wrong command line. A pointer to the help is added to its message. */
class UsageError extends UserError {}

/** An error about a file: a text, or the error of a system call. */
class FileError extends UserError {
  constructor(file, problem) {
    super(`${displayName(file)}: ${typeof problem === 'string' ? problem : reason(problem)}`);
  }
}

/** Does something with a file. Errors of system calls become those of the file. */
function attempt(file, act) {
  try {
    return act();
  } catch (error) {
    throw error instanceof UserError ? error : new FileError(file, error);
  }
}

/** The reader of stdout or stderr has closed the pipe. */
class BrokenPipe extends Error {}

/** Returns true if `fd` is a terminal. For a file or pipe it does not load node:tty (2 ms). */
function isTerminal(fd) {
  try {
    if (process.platform !== 'win32' && !fstatSync(fd).isCharacterDevice()) return false;
  } catch {
    return false; // It is closed.
  }
  return require('node:tty').isatty(fd);
}

/**
 * Returns true if file descriptor 0 or 1 was closed when the process started (`>&-`). Node then
 * opens /dev/null in its place for reading and writing, which no shell does. Only Linux reports the
 * mode.
 */
function wasClosed(fd) {
  if (process.platform !== 'linux') return false;
  const { readFileSync, statSync } = require('node:fs');
  try {
    if (!fstatSync(fd).isCharacterDevice() || fstatSync(fd).rdev !== statSync('/dev/null').rdev)
      return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
    return flags !== null && (parseInt(flags[1], 8) & 3) === 2;
  } catch {
    return false;
  }
}

/** Throws if standard input or output was closed. */
function checkOpen(fd) {
  if (wasClosed(fd))
    throw new UserError(`${fd === 0 ? 'standard input' : 'standard output'}: ${reasons.EBADF}`);
}

/**
 * Throws if standard input was closed. Returns true if it is a terminal, after saying that it is
 * read; a progress line would be among what is typed.
 */
function checkInput() {
  checkOpen(0);
  if (!isTerminal(0)) return false;
  logError(`reading standard input, up to ${process.platform === 'win32' ? 'Ctrl-Z' : 'Ctrl-D'}`);
  return true;
}

/** Returns the width of the terminal at `fd`, 1 or 2, or Infinity if it is not a terminal. */
function columns(fd) {
  if (!isTerminal(fd)) return Infinity;
  return (fd === 1 ? process.stdout : process.stderr).columns || 80;
}

/**
 * The progress line on the terminal (progress.js). It is cleared before other output.
 */
const statusLine = { clear: () => {} };

function print(text) {
  if (text.length === 0) return;
  statusLine.clear();
  write(1, text);
}

/** Writes all of `text`, waiting while a pipe is full. */
function write(fd, text) {
  let rest = typeof text === 'string' ? Buffer.from(text) : text;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (error.code === 'EPIPE') throw new BrokenPipe();
      // Another process made the pipe non-blocking, and it is full.
      if (error.code !== 'EAGAIN')
        throw fd === 1 ? new UserError(`standard output: ${reason(error)}`) : error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

let commandName = 'millrace';

/** Sets the name that starts each error message. */
function setCommandName(name) {
  commandName = name;
}

/** Writes an error as one line to stderr, with control characters escaped. */
const logError = (text) => logLine(`${commandName}: ${escapeControls(text)}`);

/** Writes one line to stderr. Ignores a closed stderr. */
function logLine(text) {
  statusLine.clear();
  try {
    write(2, `${text}\n`);
  } catch {
    // There is no other place to report it.
  }
}

/**
 * Ends the process after an error.
 *
 * @param {any} error
 * @param {string} help where to read about a wrong command line
 * @returns {never}
 */
function fail(error, help = '') {
  // 128 + SIGPIPE: what a shell shows for a program that SIGPIPE ended. Node ignores the signal.
  if (error instanceof BrokenPipe || error?.code === 'EPIPE') process.exit(141);
  // A stack is that of a defect of the command itself.
  const text = error instanceof UserError ? error.message : (error?.stack ?? String(error));
  logError(text + (error instanceof UsageError && help !== '' ? `; see: ${help}` : ''));
  process.exit(1);
}

const usesColour = (fd) => isTerminal(fd) && !process.env.NO_COLOR && process.env.TERM !== 'dumb';

/** Returns functions that colour text written to `fd`. */
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

/** Returns the reason of a failed system call in the words of coreutils. */
function reason(error) {
  return (
    reasons[error.code] ?? error.message.replace(/^[A-Z0-9_]+: /, '').replace(/, \w+( '.*')?$/s, '')
  );
}

/** Escapes control characters and other invisible ones, except newlines. */
function escapeControls(text) {
  return text.replace(/[^\n\P{C}]|[\p{Zl}\p{Zp}]/gu, escaped);
}

const escaped = (character) =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');

/** Returns true if a name contains control characters or other invisible ones. */
const hasInvisible = (name) => /[\p{C}\p{Zl}\p{Zp}\ufffd]/u.test(name.toString());

/**
 * Returns a file name for messages: quoted if it contains blanks or other special characters, with
 * invisible characters escaped.
 */
function displayName(name) {
  const text = typeof name === 'string' ? name : name.toString();
  if (hasInvisible(text)) return escapeControls(JSON.stringify(text));
  return /^[\p{L}\p{N}_@%+,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Formats bytes with decimal units and three digits. */
function size(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  while (bytes >= 999.5 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  const digits = unit === 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return `${digits === 0 ? Math.round(bytes) : bytes.toFixed(digits)} ${units[unit]}`;
}

function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (part) => String(part).padStart(2, '0');
  return whole < 3600
    ? `${Math.floor(whole / 60)}:${pad(whole % 60)}`
    : `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
}

/** Breaks text at blanks and indents the lines after the first. */
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
 * Formats rows under column titles. The last column is wrapped if the table is wider than `width`.
 *
 * @param {string[]} heads a title that ends in `>` aligns its column to the right
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
  UserError,
  UsageError,
  FileError,
  BrokenPipe,
  attempt,
  checkInput,
  checkOpen,
  colours,
  columns,
  duration,
  fail,
  hasInvisible,
  isTerminal,
  plural,
  print,
  reason,
  logError,
  logLine,
  displayName,
  size,
  setCommandName,
  statusLine,
  table,
  wrap,
  write,
};
