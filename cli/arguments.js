// Parses arguments with node:util's parseArgs, which splits them as getopt does. The `options` of a
// command also make its help and its completion.

'use strict';

const { parseArgs } = require('node:util');

const { UsageError } = require('./ui.js');

/**
 * @typedef {object} Option
 * @property {string} name the long name
 * @property {string} [short] the letter
 * @property {string} [also] another letter, which the help does not show
 * @property {string} [value] the name of its value; an option without it is a switch
 * @property {boolean} [mayBeEmpty] the value may be the empty text
 * @property {boolean} [many] it may be repeated: its values are a list
 * @property {string} help
 * @property {() => readonly string[]} [choices] the possible values, for completion
 * @property {'file'} [complete] the value is a file
 */

/**
 * Describes an option by its spelling, such as `-a, --algorithm NAME`, without a letter or a value
 * `--json`.
 *
 * @param {string} spelling
 * @param {string} help
 * @param {Pick<Option, 'also' | 'mayBeEmpty' | 'many' | 'choices' | 'complete'>} more
 * @returns {Option}
 */
function option(spelling, help, more = {}) {
  const [, short, name, value] = /^(?:-(.), )?--([\w-]+)(?: (\S+))?$/.exec(spelling);
  return { name, short, value, help, ...more };
}

const helpOption = option('-h, --help', 'show this help');

/**
 * Returns option values by name, and the operands in order. Of a repeated option the last counts,
 * unless it may have many values.
 *
 * @param {readonly Option[]} options
 * @param {readonly string[]} args
 */
function readArguments(options, args) {
  const known = new Map([...options, helpOption].map((option) => [option.name, option]));
  const described = {};
  for (const { name, short, also, value } of [...options, helpOption]) {
    const type = value === undefined ? 'boolean' : 'string';
    described[name] = { type, ...(short !== undefined && { short }) };
    if (also === undefined) continue;
    described[`${name},${also}`] = { type, short: also };
    known.set(`${name},${also}`, known.get(name));
  }
  // Not strict: the loop below reports errors in the command's own words.
  const { tokens } = parseArgs({
    args: [...args],
    options: described,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values = {};
  const operands = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(operandAt(args, token.index));
    if (token.kind !== 'option') continue;
    const option = known.get(token.name);
    if (option === undefined) {
      const { suggest } = require('./suggest.js');
      const names = [...options, helpOption].map((each) => each.name);
      // A single letter is too little to guess from.
      const hint = token.rawName.startsWith('--') ? suggest(token.name, names, '--') : '';
      throw new UsageError(`unknown option: ${token.rawName}${hint}`);
    }
    if (option.value === undefined && token.value !== undefined)
      throw new UsageError(`option ${token.rawName} takes no value`);
    const missing = token.value === undefined || (token.value === '' && !option.mayBeEmpty);
    if (option.value !== undefined && missing)
      throw new UsageError(`option ${token.rawName} needs a value: ${option.value}`);
    const before = values[option.name] ?? [];
    // Keeps the keys in the order of the last occurrences.
    delete values[option.name];
    values[option.name] = option.many ? [...before, token.value] : (token.value ?? true);
  }
  return { values, operands };
}

/** Returns an operand that is not valid UTF-8 as its bytes, which Linux keeps in /proc. */
function operandAt(args, index) {
  const text = args[index];
  if (!text.includes('\ufffd') || process.platform !== 'linux') return text;
  const { readFileSync } = require('node:fs');
  const line = readFileSync('/proc/self/cmdline');
  const raw = [];
  for (let at = 0; at < line.length;) {
    const end = line.indexOf(0, at);
    raw.push(line.subarray(at, end));
    at = end + 1;
  }
  return raw.at(index - args.length) ?? text;
}

/** Parses a whole number within bounds. */
function wholeNumber(text, name, least, most) {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most))
    throw new UsageError(
      `${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`,
    );
  return value;
}

/** Returns the value of an option that is a whole number, or `usual` without the option. */
const numberOf = (values, name, usual, most, least = 1) =>
  values[name] === undefined ? usual : wholeNumber(values[name], `--${name}`, least, most);

/** Returns the value of an option that must be one of `choices`, the first without the option. */
function choiceOf(values, name, choices) {
  const { [name]: value = choices[0] } = values;
  if (choices.includes(value)) return value;
  const list = choices.join(choices.length > 2 ? ', ' : ' or ');
  throw new UsageError(`--${name} must be ${list}, not ${JSON.stringify(value)}`);
}

module.exports = { choiceOf, helpOption, numberOf, option, readArguments, wholeNumber };
