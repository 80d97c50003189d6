// `millrace sum --check`, with the messages, counts and exit codes of coreutils.

'use strict';

const { readFileSync } = require('node:fs');

const {
  UserError,
  hasInvisible,
  isTerminal,
  plural,
  print,
  reason,
  logError,
  displayName,
} = require('../ui.js');
const { decodeText } = require('../text.js');
const { joinLines, readChecksums, reportLine } = require('./lines.js');

const degrees = ['quiet', 'status', 'warn'];

/**
 * @param {(name: string, length?: string, sizeFromLine?: boolean) => import('./digests.js').About}
 *   aboutOf
 * @returns {Promise<number>} the exit code
 */
async function check(given, files, aboutOf) {
  const last = Object.keys(given).findLast((name) => degrees.includes(name));
  // Of --quiet, --status and --warn the last counts.
  const values = Object.fromEntries(
    Object.entries(given).filter(([name]) => name === last || !degrees.includes(name)),
  );
  const algorithmOf = algorithmOfLine(values, aboutOf);
  let code = 0;
  for (const file of files) {
    if (!(await checkFile(file, values, algorithmOf))) code = 1;
  }
  return code;
}

/** @returns {Promise<boolean>} true if all files match */
async function checkFile(file, values, algorithmOf) {
  const title = file === '-' ? "'standard input'" : displayName(file);
  let bytes;
  try {
    bytes = decodeText(readFileSync(file === '-' ? 0 : file), file);
  } catch (error) {
    logError(error instanceof UserError ? error.message : `${title}: ${reason(error)}`);
    return false;
  }
  const counts = { improper: 0, unread: 0, different: 0, same: 0 };
  const tasks = [];
  for (const [index, line] of readChecksums(bytes, algorithmOf).entries()) {
    if (line === undefined) continue;
    // A list read from standard input cannot name standard input as a file.
    if (line.improper || (line.name === '-' && file === '-')) {
      counts.improper++;
      if (values.warn) logError(`${title}: ${index + 1}: improperly formatted checksum line`);
      continue;
    }
    tasks.push({
      name: line.name,
      path: line.name === '-' ? undefined : line.name,
      error: undefined,
      about: line.about,
      expected: line.digest,
    });
  }
  if (tasks.length === 0) {
    logError(`${title}: no properly formatted checksum lines found`);
    return false;
  }
  const names = tasks.map(({ name }) => name);
  await require('./digests.js').digestFiles([tasks], names, values, (done, answers) =>
    report(done, answers, values, counts),
  );
  return conclude(title, values, counts);
}

function report(tasks, answers, { quiet, status, 'ignore-missing': ignoreMissing }, counts) {
  const lines = [];
  const onTerminal = isTerminal(1);
  const tell = (name, verdict) => {
    if (!status)
      lines.push(
        onTerminal && hasInvisible(name)
          ? `${displayName(name)}: ${verdict}\n`
          : reportLine(name, verdict),
      );
  };
  for (const [index, { name, expected }] of tasks.entries()) {
    const answer = answers[index];
    if (answer === expected) {
      counts.same++;
      if (!quiet) tell(name, 'OK');
    } else if (typeof answer === 'string') {
      counts.different++;
      tell(name, 'FAILED');
    } else if (!(ignoreMissing && answer.code === 'ENOENT')) {
      counts.unread++;
      print(joinLines(lines.splice(0)));
      logError(`${displayName(name)}: ${reason(answer)}`);
      tell(name, 'FAILED open or read');
    }
  }
  print(joinLines(lines));
}

function conclude(
  title,
  { status, strict, 'ignore-missing': ignoreMissing },
  { improper, unread, different, same },
) {
  const warn = (count, one, many) => {
    if (count > 0 && !status) logError(`WARNING: ${count} ${plural(count, one, many)}`);
  };
  warn(improper, 'line is improperly formatted', 'lines are improperly formatted');
  warn(unread, 'listed file could not be read', 'listed files could not be read');
  warn(different, 'computed checksum did NOT match', 'computed checksums did NOT match');
  const nothing = ignoreMissing && same === 0;
  if (nothing && !status) logError(`${title}: no file was verified`);
  return !nothing && unread === 0 && different === 0 && !(strict && improper > 0);
}

/**
 * Returns a function that finds the algorithm of a line. With --algorithm, lines with another tag
 * are improper. Without it the tag decides, and untagged lines are SHA-256.
 */
/** @param {{ algorithm?: string, length?: string }} values */
function algorithmOfLine({ algorithm, length }, aboutOf) {
  const given =
    algorithm === undefined && length === undefined
      ? undefined
      : aboutOf(algorithm ?? 'sha256', length);
  const byTag = new Map();
  const find = (tag) => {
    if (!byTag.has(tag)) byTag.set(tag, shorterBlake2b(tag, aboutOf) ?? known(tag, aboutOf));
    return byTag.get(tag);
  };
  return (tag, size) => {
    const about = tag === undefined ? (given ?? find('sha256')) : find(tag);
    if (about === undefined || (given !== undefined && about.algorithm !== given.algorithm))
      return undefined;
    if (about.algorithm === 'blake2b512') {
      // b2sum -l: without a tag the digest size gives the variant.
      if (tag === undefined && size >= 16 && size < about.size) return { ...about, size };
      return size === about.size ? about : undefined;
    }
    if (size === (given ?? about).size) return given ?? about;
    // BLAKE3 and SHAKE have any size. Below 16 bytes other lines would match by chance.
    return length === undefined && about.any && size >= 16
      ? { ...about, size, xof: true }
      : undefined;
  };
}

/** Recognizes the tags of `b2sum -l BITS --tag`, such as BLAKE2b-256. */
function shorterBlake2b(tag, aboutOf) {
  const bits = Number(/^blake2b-(\d+)$/i.exec(tag)?.[1]);
  return bits >= 128 && bits < 512 && bits % 8 === 0
    ? { ...aboutOf('blake2b512'), size: bits / 8 }
    : undefined;
}

function known(tag, aboutOf) {
  try {
    return aboutOf(tag);
  } catch {
    return undefined;
  }
}

module.exports = { check };
