// `millrace keygen`: writes 32 random bytes in base64, after a word that marks them as a key.

'use strict';

const { option } = require('../arguments.js');
const { UsageError, print } = require('../ui.js');
const { checkOutput, openOutput } = require('../output.js');
const { keyLine, KEY_BYTES } = require('./secrets.js');

/** @type {import('../commands.js').Command} */
module.exports = {
  usage: '[OPTION]... [FILE]',
  about: `Writes a new random key for millrace seal and millrace open to a file that only its owner
can read, or to standard output. Anyone with the key can open the files sealed with it; without it
they cannot be opened.`,
  options: [
    option(
      '-f, --force',
      'replace an existing key; files sealed with it can then no longer be opened',
    ),
  ],
  examples: [
    ['millrace keygen photos.key', 'create a key'],
    ['millrace seal --key-file photos.key photos.tar', 'and use it'],
  ],
  operands: 'files',
  run,
};

function run({ force }, operands) {
  if (operands.length > 1) throw new UsageError(`expected one file, got ${operands.length}`);
  const [path = '-'] = operands;
  const line = keyLine(Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(KEY_BYTES))));
  if (path === '-') {
    print(line);
    return 0;
  }
  checkOutput(path, force);
  const output = openOutput(path, { force });
  try {
    output.writeNow(line);
    output.complete();
  } finally {
    output.discard();
  }
  return 0;
}
