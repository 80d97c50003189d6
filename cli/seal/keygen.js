// `millrace keygen`: 32 random bytes in base64, on a line that says what it is.

'use strict';

const { Problem, print, reason, shown } = require('../ui.js');
const { checkOutput, openOutput } = require('./output.js');
const { keyLine, keySize } = require('./secrets.js');

/** @type {import('../commands.js').Command} */
module.exports = {
  usage: '[OPTION]... [FILE]',
  about:
    'Writes a new random key for millrace seal and millrace open to a file that only its owner can read, or to standard output. Who has the file can open what was sealed with it, and without it nobody can.',
  options: [
    {
      name: 'force',
      short: 'f',
      help: 'replace the file if it is there; what was sealed with its key is then lost',
    },
  ],
  examples: [
    ['millrace keygen photos.key', 'makes a key'],
    ['millrace seal --key-file photos.key photos.tar', 'and uses it'],
  ],
  operands: 'files',
  run,
};

async function run({ force }, operands) {
  if (operands.length > 1)
    throw new Problem(`one file at a time, not ${operands.length}`, { usage: true });
  const [path = '-'] = operands;
  const line = keyLine(Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(keySize))));
  if (path === '-') {
    print(line);
    return 0;
  }
  checkOutput(path, force);
  const output = openOutput(path, force);
  try {
    await output.write(Buffer.from(line));
    output.complete();
  } catch (error) {
    output.discard();
    throw error instanceof Problem ? error : new Problem(`${shown(path)}: ${reason(error)}`);
  }
  return 0;
}
