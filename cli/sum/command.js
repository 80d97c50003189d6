// `millrace sum`: like sha256sum, b2sum, `cksum -a` and b3sum, whose files it reads and writes, on
// all cores.

'use strict';

const { wholeNumber } = require('../arguments.js');
const { startProgress } = require('../progress.js');
const { Problem, checkOpen, isHidden, isTerminal, print, reason, say, shown } = require('../ui.js');
const { checksumLine, joinLines, tagOf } = require('./lines.js');
const { Survey, walk } = require('./walk.js');

const algorithms = () => require('../../dist/core.js')['catalog/catalog'].hashList();

/** @type {import('../commands.js').Command} */
module.exports = {
  usage: '[OPTION]... [FILE]...',
  about: `Prints or checks checksums of files, on all cores. Without a file, or where the file is -, it reads standard input. The lines are those of sha256sum, b2sum, cksum -a and b3sum, which can check them, and theirs can be checked here.

With --check the files are lists of checksums; a line with a tag says itself which algorithm it is of, others are of the one given.

In folders (--recursive) symbolic links are not followed and only regular files are read, in the order of their names.`,
  options: [
    {
      name: 'algorithm',
      short: 'a',
      value: 'NAME',
      help: 'the hash; sha256 by default',
      choices: algorithms,
    },
    { name: 'binary', short: 'b', help: 'mark the names with *, which changes nothing else' },
    { name: 'check', short: 'c', help: 'read checksums from the files and check them' },
    {
      name: 'length',
      short: 'l',
      value: 'BYTES',
      help: 'the size of the digest, for shake128, shake256 and blake3',
    },
    { name: 'recursive', short: 'r', help: 'the files in folders, and in theirs' },
    { name: 'tag', help: 'lines with the name of the algorithm, as BSD has them' },
    { name: 'text', short: 't', help: 'do not mark the names (default)' },
    {
      name: 'zero',
      short: '0',
      also: 'z',
      help: 'end lines with NUL, not newline, and leave names as they are',
    },
    { name: 'no-progress', help: 'no progress on the terminal' },
    { name: 'ignore-missing', help: 'when checking, pass over files that are not there' },
    { name: 'quiet', help: 'when checking, do not print OK for each file' },
    { name: 'status', help: 'when checking, print nothing: the exit code tells' },
    { name: 'strict', help: 'when checking, fail if a line is improperly formatted' },
    { name: 'warn', short: 'w', help: 'when checking, say which lines are improperly formatted' },
  ],
  examples: [
    ['millrace sum -r photos > photos.sha256', 'checksums of all files in a folder'],
    ['millrace sum --check --quiet photos.sha256', 'and whether they still are what they were'],
    ['tar c photos | millrace sum -a blake3', 'of what comes by a pipe'],
  ],
  operands: 'files',
  run,
};

async function run(values, operands) {
  // Node's own threads wait for the disk, not for the CPU; read when the first of them is started.
  process.env.UV_THREADPOOL_SIZE ??= '16';
  refuseNonsense(values);
  const files = operands.length > 0 ? operands : ['-'];
  // The result of --check is the exit code: programs that discard its output hand over a /dev/null
  // that looks closed.
  if (!values.check) checkOpen(1);
  if (files.includes('-')) checkOpen(0);
  if (values.check) return require('./check.js').check(values, files, aboutOf);
  return printChecksums(values, files);
}

function refuseNonsense({
  check,
  tag,
  text,
  binary,
  zero,
  recursive,
  'ignore-missing': missing,
  quiet,
  status,
  strict,
  warn,
}) {
  const refuse = (message) => {
    throw new Problem(message, { usage: true });
  };
  if (tag && text && !check) refuse('--tag does not support --text');
  if (check && tag) refuse('the --tag option is meaningless when verifying checksums');
  if (check && zero) refuse('the --zero option is not supported when verifying checksums');
  if (check && recursive) refuse('the --recursive option is meaningless when verifying checksums');
  if (check && (binary || text))
    refuse('the --binary and --text options are meaningless when verifying checksums');
  const forChecking = {
    '--ignore-missing': missing,
    '--quiet': quiet,
    '--status': status,
    '--strict': strict,
    '--warn': warn,
  };
  for (const [name, given] of Object.entries(forChecking))
    if (given && !check) refuse(`the ${name} option is meaningful only when verifying checksums`);
}

/**
 * The algorithm, by any of its names or its tag, and the size of its digest.
 *
 * @param {string} [length] as it was given
 * @param {boolean} [later] whether the size may be told later, by the line that is checked
 * @returns {import('./digests.js').About}
 */
function aboutOf(name, length, later = false) {
  const { findHash, hashFacts } = require('../../dist/core.js')['catalog/catalog'];
  const tagged = algorithms().find((each) => tagOf(each).toLowerCase() === name.toLowerCase());
  const facts = findHash(name) ?? (tagged === undefined ? undefined : findHash(tagged));
  if (facts === undefined) {
    try {
      hashFacts(name);
    } catch (error) {
      throw new Problem(error.message, { usage: true });
    }
  }
  if (length !== undefined && !facts.xof)
    throw new Problem(
      `--length is for shake128, shake256 and blake3: a digest of ${facts.name} has ${facts.digestSize} bytes`,
      { usage: true },
    );
  if (length === undefined && facts.digestSize === 0 && !later)
    throw new Problem(`${facts.name} gives as many bytes as you like: say --length BYTES`, {
      usage: true,
    });
  const size = length === undefined ? facts.digestSize : wholeNumber(length, '--length', 1, 65536);
  return { algorithm: facts.name, size, xof: length !== undefined, any: facts.xof };
}

async function printChecksums(values, files) {
  const about = aboutOf(values.algorithm ?? 'sha256', values.length);
  const form = {
    tag: values.tag ? tagOf(about.algorithm) : undefined,
    zero: values.zero,
    binary: values.binary,
  };
  // In a pipe names stay as they are, so that the list can be checked.
  const onTerminal = isTerminal(1);
  let code = 0;
  await digestFiles(
    tasksOf(walk(files, values.recursive), about),
    files,
    values,
    (tasks, answers) => {
      const lines = [];
      for (const [index, { name }] of tasks.entries()) {
        const answer = answers[index];
        if (typeof answer === 'string')
          lines.push(
            onTerminal && isHidden(name)
              ? checksumLine(shown(name), answer, { ...form, quoted: true })
              : checksumLine(name, answer, form),
          );
        else {
          code = 1;
          print(joinLines(lines.splice(0)));
          say(`${shown(name)}: ${reason(answer)}`);
        }
      }
      print(joinLines(lines));
    },
  );
  return code;
}

function* tasksOf(groups, about) {
  for (const entries of groups) {
    for (const entry of entries) entry.about = about;
    yield entries;
  }
}

/** With a bar on the terminal, if it takes a while. */
async function digestFiles(tasks, files, { recursive, 'no-progress': none }, deliver) {
  const { digestAll } = require('./digests.js');
  const { workers } = require('../../dist/core.js')['streams/file-batch'];
  let survey;
  const progress = none
    ? { add() {}, end() {} }
    : startProgress('hashing', {
        tick(line) {
          survey ??= new Survey(files, recursive);
          line.total = survey.advance();
        },
      });
  try {
    await digestAll(tasks, deliver, { threads: workers(), add: (bytes) => progress.add(bytes) });
  } finally {
    progress.end();
  }
}

module.exports.digestFiles = digestFiles;
