// The list of commands. A command's module is loaded when it runs or when its help is printed.

'use strict';

/**
 * @typedef {object} Command
 * @property {string} usage the text after `millrace NAME`
 * @property {string} about paragraphs, separated by an empty line; help wraps them
 * @property {readonly (readonly [string, string])[]} [operandHelp] operands that are not files
 * @property {readonly import('./arguments.js').Option[]} options
 * @property {readonly (readonly [string, string])[]} [examples] a command line and what it does
 * @property {'files' | readonly string[]} [operands] what the shell completes
 * @property {Record<string, (args: string[]) => Promise<number> | number>} [subcommands] first
 *   operands that parse the rest of the arguments themselves
 * @property {(values: any, operands: any[], all: Commands) => Promise<number> | number} run
 *   returns the exit code
 *
 * @typedef {Record<string, { summary: string, also?: readonly string[], load: () => Command }>}
 *   Commands `also`: what other programs call it, for suggestions
 */

/** In the order of the help. @type {Commands} */
const commands = {
  sum: {
    summary: 'print or check checksums of files and folders',
    also: ['hash', 'digest', 'checksum', 'cksum', 'shasum', 'xxhsum', 'check', 'verify'],
    load: () => require('./sum/command.js'),
  },
  seal: {
    summary: 'encrypt a file with a passphrase or a key',
    also: ['encrypt', 'enc', 'lock'],
    load: () => require('./seal/command.js').seal,
  },
  open: {
    summary: 'authenticate and decrypt a sealed file',
    also: ['decrypt', 'dec', 'unseal', 'unlock'],
    load: () => require('./seal/command.js').open,
  },
  keygen: {
    summary: 'create a key for seal and open',
    also: ['key', 'genkey', 'generate', 'generate-key'],
    load: () => require('./seal/keygen.js'),
  },
  age: {
    summary: 'encrypt and decrypt files of age',
    also: ['rage', 'typage', 'age-encryption'],
    load: () => require('./age/command.js'),
  },
  bench: {
    summary: 'compare the speed with other packages',
    also: ['speed', 'perf', 'benchmark'],
    load: () => require('./bench/command.js'),
  },
  engines: {
    summary: 'list the implementation of each algorithm',
    also: ['list', 'algorithms', 'hashes', 'ciphers', 'info'],
    load: () => require('./engines.js'),
  },
  completion: {
    summary: 'print a completion script for bash, zsh or fish',
    load: () => require('./completion.js'),
  },
};

module.exports = { commands };
