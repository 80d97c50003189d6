// The commands there are. A module is loaded when its command runs, or when its help is asked for.

'use strict';

/**
 * @typedef {object} Command
 * @property {string} usage what stands behind `millrace NAME`
 * @property {string} about what it does, a paragraph or two
 * @property {readonly (readonly [string, string])[]} [operandHelp] operands that are not files, and
 * what each is
 * @property {readonly import('./arguments.js').Option[]} options
 * @property {readonly (readonly [string, string])[]} [examples] a command line and what it does
 * @property {'files' | readonly string[]} [operands] what completion offers
 * @property {Record<string, (args: string[]) => Promise<number>>} [subcommands] first operands that
 * read the rest of the arguments themselves
 * @property {(values: Record<string, any>, operands: (string | Buffer)[]) => Promise<number> |
 * number} run gives the exit code
 */

/**
 * Name, what it does, and where it stands; in the order of the help. @type {Record<string, {
 * summary: string, load: () => Command }>}
 */
const commands = {
  sum: {
    summary: 'checksums of files and folders, and checking them',
    load: () => require('./sum/command.js'),
  },
  seal: {
    summary: 'encrypt a file with a passphrase or a key',
    load: () => require('./seal/command.js').seal,
  },
  open: {
    summary: 'check and decrypt what seal made',
    load: () => require('./seal/command.js').open,
  },
  keygen: { summary: 'make a key for seal and open', load: () => require('./seal/keygen.js') },
  bench: {
    summary: 'measure it here, against what else there is',
    load: () => require('./bench/command.js'),
  },
  engines: {
    summary: 'what serves each algorithm on this machine',
    load: () => require('./engines.js'),
  },
  completion: {
    summary: 'completion for bash, zsh or fish',
    load: () => require('./completion.js'),
  },
};

module.exports = { commands };
