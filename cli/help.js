// Help, from the same lists that parsing and completion use.

'use strict';

const { helpOption } = require('./arguments.js');
const { commands } = require('./commands.js');
const { colours, columns, wrap } = require('./ui.js');

/** Nobody reads lines of 200 columns. */
const widest = 100;

const widthOf = (fd) => Math.min(columns(fd), widest);

/** @param {number} fd where it goes */
function overview(fd) {
  const { bold } = colours(fd);
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(12)}${wrap(summary, widthOf(fd), 14)}`,
  );
  return `${bold('usage:')} millrace COMMAND [OPTION]... [FILE]...

${lines.join('\n')}

  ${'help'.padEnd(12)}${wrap('help about a command: millrace help sum', widthOf(fd), 14)}
  ${'--version'.padEnd(12)}the version
`;
}

/** @param {string} name @param {import('./commands.js').Command} command */
function commandHelp(name, command) {
  const { bold } = colours(1);
  const width = widthOf(1);
  const options = [...command.options, helpOption].map((option) => [form(option), option.help]);
  const indent = Math.min(Math.max(...options.map(([left]) => left.length)) + 4, 32);
  const list = (rows) =>
    rows
      .map(
        ([left, right]) =>
          (left.length + 4 > indent
            ? `  ${left}\n${' '.repeat(indent)}`
            : `  ${left.padEnd(indent - 2)}`) + wrap(right, width, indent),
      )
      .join('\n');
  const { operandHelp = [] } = command;
  const examples = (command.examples ?? []).map(
    ([line, what]) => `  ${line}\n      ${wrap(what, width, 6)}`,
  );
  return [
    `${bold('usage:')} millrace ${name} ${command.usage}`,
    ...command.about.split('\n\n').map((paragraph) => wrap(paragraph, width)),
    ...(operandHelp.length > 0 ? [list(operandHelp)] : []),
    list(options),
    ...(examples.length > 0 ? [`${bold('examples:')}\n${examples.join('\n')}`] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** How an option is written. */
function form({ name, short, value }) {
  return `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/** What was probably meant, as the end of a sentence. */
function meant(word, known, mark = '') {
  const [nearest] = known
    .map((each) => ({ each, far: distance(word.toLowerCase(), each) }))
    .sort((left, right) => left.far - right.far);
  return nearest !== undefined && nearest.far <= Math.max(1, word.length / 3)
    ? ` (did you mean ${mark}${nearest.each}?)`
    : '';
}

/** Letters to change, insert, drop or exchange with their neighbour. */
function distance(left, right) {
  const rows = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1];
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1])
        row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[left.length][right.length];
}

module.exports = { commandHelp, meant, overview };
