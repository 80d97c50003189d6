// Arguments by node:util's parseArgs: it splits them as getopt does and costs nothing to install or
// load; what an option means, its help and its completion come from one list (`options` of each
// command).

'use strict';

const { parseArgs } = require('node:util');

const { Problem } = require('./ui.js');

/**
 * @typedef {object} Option
 * @property {string} name the long name
 * @property {string} [short] the letter
 * @property {string} [also] another letter, not shown in help
 * @property {string} [value] what its value is called; without it the option is a switch
 * @property {string} help
 * @property {() => readonly string[]} [choices] the values there are, for completion
 * @property {'file'} [complete] the value is a file
 */

const helpOption = { name: 'help', short: 'h', help: 'show this help' };

/**
 * The switches and values by name, and the operands in order. The last of a repeated option counts.
 *
 * @param {readonly Option[]} options
 * @param {readonly string[]} args
 */
function readArguments(options, args) {
  const known = new Map([...options, helpOption].map((option) => [option.name, option]));
  const described = {};
  for (const { name, short, also, value } of [...known.values()]) {
    const type = value === undefined ? 'boolean' : 'string';
    described[name] = { type, ...(short !== undefined && { short }) };
    if (also === undefined) continue;
    described[`${name},${also}`] = { type, short: also };
    known.set(`${name},${also}`, known.get(name));
  }
  // Not strict: the complaints are ours.
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
    if (option === undefined)
      throw new Problem(
        `unknown option: ${token.rawName}${meantOption(token, [...options, helpOption])}`,
        { usage: true },
      );
    if (option.value === undefined && token.value !== undefined)
      throw new Problem(`option ${token.rawName} takes no value`, { usage: true });
    if (option.value !== undefined && token.value === undefined)
      throw new Problem(`option ${token.rawName} needs a value: ${option.value}`, { usage: true });
    // In the order in which they were said last.
    delete values[option.name];
    values[option.name] = token.value ?? true;
  }
  return { values, operands };
}

/** The long option that was probably meant; a letter says too little. */
function meantOption({ rawName, name }, options) {
  if (!rawName.startsWith('--')) return '';
  const { meant } = require('./help.js');
  return meant(
    name,
    options.map((option) => option.name),
    '--',
  );
}

/** A file's name need not be text; where an argument is not, the system still knows its bytes. */
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

/** A whole number within bounds. */
function wholeNumber(text, name, least, most) {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most))
    throw new Problem(
      `${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`,
      { usage: true },
    );
  return value;
}

module.exports = { helpOption, readArguments, wholeNumber };
