// The man pages of the command, in man(7)'s macros, made from what `millrace help` prints.
// tools/platform-packages.mjs writes them into the package; npm links them when it is installed
// globally: `man millrace-sum`.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { helpOption } = require('../cli/arguments.js');
const { description: ageKeygen } = require('../cli/age/keygen.js');
const { description: benchScrypt } = require('../cli/bench/scrypt/command.js');
const { commands } = require('../cli/commands.js');
const { version } = require('../package.json');

/** Returns the pages by file name. */
export function manPages() {
  const described = [
    ...Object.entries(commands).map(([name, { summary, load }]) => ({
      name,
      summary,
      command: load(),
    })),
    { name: 'age keygen', summary: 'create an identity of age', command: ageKeygen },
    { name: 'bench scrypt', summary: 'compare call styles of scrypt', command: benchScrypt },
  ];
  return {
    'millrace.1': overview(described),
    ...Object.fromEntries(
      described.map(({ name, summary, command }) => [
        `${fileOf(name)}.1`,
        page(name, summary, command),
      ]),
    ),
  };
}

const fileOf = (name) => `millrace-${name.replaceAll(' ', '-')}`;

function overview(described) {
  return [
    head('millrace', 'checksums, sealed files and benchmarks on all cores'),
    '.SH SYNOPSIS',
    `${bold('millrace')} COMMAND [OPTION]... [FILE]...`,
    '.SH COMMANDS',
    ...described.flatMap(({ name, summary }) => entry(bold(name), summary)),
    ...entry(`${bold('help')} COMMAND`, 'help about a command'),
    ...entry(bold('--version'), 'the version'),
    '.SH SEE ALSO',
    described.map(({ name }) => `${bold(fileOf(name))}(1)`).join(', '),
    '',
  ].join('\n');
}

/**
 * @param {string} name
 * @param {string} summary
 * @param {Omit<import('../cli/commands.js').Command, 'run'>} command
 */
function page(name, summary, { usage, about, operandHelp = [], options, examples = [] }) {
  return [
    head(fileOf(name), summary),
    '.SH SYNOPSIS',
    `${bold(`millrace ${name}`)} ${escaped(usage)}`,
    '.SH DESCRIPTION',
    about
      .split('\n\n')
      .map((paragraph) => line(paragraph.replaceAll('\n', ' ')))
      .join('\n.PP\n'),
    ...(operandHelp.length > 0 ? ['.SH OPERANDS'] : []),
    ...operandHelp.flatMap(([operand, help]) => entry(bold(operand), help)),
    '.SH OPTIONS',
    ...[...options, helpOption].flatMap((option) => entry(spelled(option), option.help)),
    ...(examples.length > 0 ? ['.SH EXAMPLES'] : []),
    ...examples.flatMap(([command, help]) => entry(bold(command), help)),
    '.SH SEE ALSO',
    `${bold('millrace')}(1)`,
    '',
  ].join('\n');
}

function head(name, summary) {
  return `.TH "${name.toUpperCase()}" 1 "" "millrace ${version}"
.nh
.ad l
.SH NAME
${escaped(name)} \\- ${escaped(summary)}`;
}

function entry(term, help) {
  return ['.TP', term, line(help)];
}

/** @param {import('../cli/arguments.js').Option} option */
function spelled({ name, short, value }) {
  const letter = short === undefined ? '' : `${bold(`-${short}`)}, `;
  return `${letter}${bold(`--${name}`)}${value === undefined ? '' : ` \\fI${escaped(value)}\\fR`}`;
}

function bold(text) {
  return `\\fB${escaped(text)}\\fR`;
}

/** Hyphens stay hyphens, so that a command that is copied works. */
function escaped(text) {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
}

/** Returns a line of text: a dot or an apostrophe at its start is not a request. */
function line(text) {
  return escaped(text).replace(/^(?=[.'])/, '\\&');
}
