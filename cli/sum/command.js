// `millrace sum`: prints and checks checksums on all cores, in the formats of sha256sum, b2sum,
// `cksum -a`, b3sum and xxhsum.

'use strict';

const { numberOf, option } = require('../arguments.js');
const {
  UsageError,
  checkInput,
  checkOpen,
  displayName,
  hasInvisible,
  isTerminal,
  logError,
  print,
  reason,
} = require('../ui.js');
const { checksumLine, joinLines, tagOf } = require('./lines.js');
const { walk } = require('./walk.js');

// Not KMAC, which needs a key, nor TupleHash: a file is not a tuple.
const algorithms = () => {
  const { getHashes, hashFacts } = require('../../dist/entries/sum.js')['calls'];
  return getHashes().filter((name) => hashFacts(name).direct);
};

/** @type {import('../commands.js').Command} */
module.exports = {
  usage: '[OPTION]... [FILE]...',
  get about() {
    return `Prints or checks checksums of files, on all cores. Without FILE, or if FILE is -, it reads
standard input. The lines are those of sha256sum, b2sum, cksum -a, b3sum and xxhsum: each program
can check the lists of the others.

With --check the files are lists of checksums, those of cksum --base64 and SFV too. A tagged line
names its algorithm; other lines use --algorithm.

--recursive reads the regular files in a directory and its subdirectories, sorted by name, and does
not follow symbolic links.

The algorithms are ${algorithms().join(', ')}.`;
  },
  options: [
    option('-a, --algorithm NAME', 'hash algorithm (default: sha256)', { choices: algorithms }),
    option('-b, --binary', 'mark the names with *; the digests are the same'),
    option('-c, --check', 'read checksums from the files and check them'),
    option('-l, --length BYTES', 'digest size, for extendable outputs: shake128, kt128, blake3'),
    option('-r, --recursive', 'read the files in directories and their subdirectories'),
    option('--tag', 'write BSD-style lines, which name the algorithm'),
    option('-t, --text', 'do not mark the names (default)'),
    option('-0, --zero', 'end lines with NUL, not newline, and do not escape names', { also: 'z' }),
    option('--no-progress', 'show no progress on the terminal'),
    option('--ignore-missing', 'when checking, skip missing files'),
    option('--quiet', 'when checking, do not print OK for each file'),
    option('--status', 'when checking, print nothing; use the exit code'),
    option('--strict', 'when checking, fail if a line is improperly formatted'),
    option('-w, --warn', 'when checking, warn about each improperly formatted line'),
  ],
  examples: [
    ['millrace sum -r photos > photos.sha256', 'write checksums of all files in a directory'],
    ['millrace sum --check --quiet photos.sha256', 'check them and print only differences'],
    ['tar c photos | millrace sum -a blake3', 'hash the output of another command'],
  ],
  operands: 'files',
  run,
};

async function run(values, operands) {
  // libuv's threads wait for the disk, not for the CPU. libuv reads this when it starts the first.
  process.env.UV_THREADPOOL_SIZE ??= '16';
  checkOptions(values);
  const files = operands.length > 0 ? operands : ['-'];
  // --check reports by its exit code, and programs that discard its output may pass a /dev/null
  // that looks closed.
  if (!values.check) checkOpen(1);
  if (files.includes('-') && checkInput()) values['no-progress'] = true;
  if (values.check) return require('./check.js').check(values, files, aboutOf);
  return printChecksums(values, files);
}

/** Options that --check excludes, and how coreutils says so. */
const notWithCheck = {
  tag: '--tag option is meaningless',
  zero: '--zero option is not supported',
  recursive: '--recursive option is meaningless',
  binary: '--binary and --text options are meaningless',
  text: '--binary and --text options are meaningless',
};
const onlyWithCheck = ['ignore-missing', 'quiet', 'status', 'strict', 'warn'];

function checkOptions(values) {
  const { check } = values;
  if (values.tag && values.text && !check) throw new UsageError('--tag does not support --text');
  for (const [name, wrong] of Object.entries(notWithCheck))
    if (check && values[name]) throw new UsageError(`the ${wrong} when verifying checksums`);
  for (const name of onlyWithCheck)
    if (values[name] && !check)
      throw new UsageError(`the --${name} option is meaningful only when verifying checksums`);
}

/**
 * Finds an algorithm by any of its names or its tag.
 *
 * @param {string} name
 * @param {string} [length] the value of --length
 * @returns {import('./digests.js').About}
 */
function aboutOf(name, length) {
  const { findHash } = require('../../dist/entries/sum.js')['calls'];
  const tagged = algorithms().find((each) => tagOf(each).toLowerCase() === name.toLowerCase());
  const facts = findHash(name) ?? (tagged === undefined ? undefined : findHash(tagged));
  if (facts === undefined) {
    const { suggest } = require('../suggest.js');
    const hint = suggest(/^\d+$/.test(name) ? `sha${name}` : name, algorithms());
    throw new UsageError(`unknown algorithm: ${JSON.stringify(name)}${hint}`);
  }
  if (!facts.direct)
    throw new UsageError(`${facts.name} needs ${facts.tuple ? 'a tuple' : 'a key'}, not a file`);
  if (length !== undefined && !facts.xof)
    throw new UsageError(
      `--length applies to extendable outputs, such as shake128, kt128 and blake3; ` +
        `a digest of ${facts.name} has ${facts.digestSize} bytes`,
    );
  const size = numberOf({ length }, 'length', facts.digestSize, 65536);
  return { algorithm: facts.name, size, xof: length !== undefined, any: facts.xof };
}

async function printChecksums(values, files) {
  const about = aboutOf(values.algorithm ?? 'sha256', values.length);
  const form = {
    // xxhsum takes an untagged digest of XXH3 for one of XXH64, and always tags it.
    tag: values.tag || about.algorithm === 'xxh3-64' ? tagOf(about.algorithm) : undefined,
    zero: values.zero,
    binary: values.binary,
  };
  // In a pipe names are not quoted, so that the list can be checked.
  const onTerminal = isTerminal(1);
  let code = 0;
  const { digestFiles } = require('./digests.js');
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
            onTerminal && hasInvisible(name)
              ? checksumLine(displayName(name), answer, { ...form, quoted: true })
              : checksumLine(name, answer, form),
          );
        else {
          code = 1;
          print(joinLines(lines.splice(0)));
          const remedy =
            'code' in answer && answer.code === 'EISDIR' && name !== '-' && !values.recursive
              ? ' (use -r to read the files in it)'
              : '';
          logError(`${displayName(name)}: ${reason(answer)}${remedy}`);
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
