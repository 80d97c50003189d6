// `millrace age keygen`: creates identities of age, with the options of age-keygen.

'use strict';

const { option, readArguments } = require('../arguments.js');
const { openInput } = require('../seal/input.js');
const { checkOutput, openOutput } = require('../output.js');
const {
  FileError,
  UsageError,
  checkInput,
  isTerminal,
  logLine,
  print,
  setCommandName,
} = require('../ui.js');

const library = () => require('../../dist/age.js');

/** @type {Omit<import('../commands.js').Command, 'run'>} */
const description = {
  usage: '[OPTION]... [FILE]',
  about: `Writes a new identity for millrace age to standard output, or to the file of --output,
which only its owner can read; and its recipient, which is public, to standard error. Anyone with
the identity can decrypt the files that are encrypted to its recipient.

With --convert it reads identities from FILE or standard input, and writes their recipients.`,
  options: [
    option('-o, --output FILE', 'write to this file, which must not exist', { complete: 'file' }),
    option('--pq', 'create a hybrid identity with ML-KEM-768, which resists quantum computers'),
    option('-y, --convert', 'write the recipients of identities'),
  ],
  examples: [['millrace age keygen --pq -o key.txt', 'create an identity']],
};

/**
 * Runs the subcommand.
 *
 * @param {readonly string[]} args
 */
async function keygen(args) {
  setCommandName('millrace age keygen');
  // age-keygen spells it with one dash.
  const spelled = args.map((arg) => (arg === '-pq' ? '--pq' : arg));
  const { values, operands } = readArguments(description.options, spelled);
  if (values.help) {
    print(require('../help.js').commandHelp('age keygen', description));
    return 0;
  }
  const { output: path = '-', convert, pq } = values;
  if (operands.length > (convert ? 1 : 0))
    throw new UsageError(`unexpected operand: ${operands.at(-1)}`);
  if (convert && pq) throw new UsageError('--pq and --convert exclude each other');
  if (path !== '-') checkOutput(path, false);
  const { generateIdentity, identityToRecipient } = library();
  let text;
  if (convert) text = await converted(operands[0] ?? '-');
  else {
    const identity = generateIdentity(pq ? 'mlkem768x25519' : 'x25519');
    const recipient = identityToRecipient(identity);
    const time = new Date().toISOString().replace(/\.\d+/, '');
    text = `# created: ${time}\n# public key: ${recipient}\n${identity}\n`;
    if (path !== '-' || !isTerminal(1)) logLine(`Public key: ${recipient}`);
  }
  if (path === '-') {
    print(text);
    return 0;
  }
  const output = openOutput(path, {});
  try {
    output.writeNow(text);
    output.complete();
  } finally {
    output.discard();
  }
  return 0;
}

/** Returns the recipients of the identities in a file, a line each. */
async function converted(file) {
  if (file === '-') checkInput();
  const input = openInput(file);
  try {
    const chunks = [];
    for await (const chunk of input.chunks()) chunks.push(chunk);
    return `${library().identityToRecipient(Buffer.concat(chunks))}\n`;
  } catch (error) {
    if (!error.code?.startsWith('ERR_KEY')) throw error;
    throw new FileError(input.name, error.message.replace(/^identity,? /, ''));
  } finally {
    input.close();
  }
}

module.exports = { description, keygen };
