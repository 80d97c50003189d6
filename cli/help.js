// Help texts, made from the option lists that the parser and the completion scripts use.

'use strict';

const { helpOption } = require('./arguments.js');
const { colours, columns, wrap } = require('./ui.js');

const MAX_COLUMNS = 100;

const widthOf = (fd) => Math.min(columns(fd), MAX_COLUMNS);

/**
 * @param {import('./commands.js').Commands} commands
 * @param {number} fd the file descriptor it is written to
 */
function overview(commands, fd) {
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

/** @param {string} name @param {Omit<import('./commands.js').Command, 'run'>} command */
function commandHelp(name, command) {
  const { bold } = colours(1);
  const width = widthOf(1);
  const options = [...command.options, helpOption].map((option) => [
    optionText(option),
    option.help,
  ]);
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
    ...command.about.split('\n\n').map((paragraph) => wrap(paragraph.replaceAll('\n', ' '), width)),
    ...(operandHelp.length > 0 ? [list(operandHelp)] : []),
    list(options),
    ...(examples.length > 0 ? [`${bold('examples:')}\n${examples.join('\n')}`] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** @param {import('./arguments.js').Option} option */
function optionText({ name, short, value }) {
  const letter = short === undefined ? '    ' : `-${short}, `;
  return `${letter}--${name}${value === undefined ? '' : ` ${value}`}`;
}

module.exports = { commandHelp, overview };
