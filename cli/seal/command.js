// `millrace seal` and `millrace open`: a file or a pipe as a sealed stream (docs/sealed-streams.md)
// behind a small header (src/passphrase/header.ts), from which the key of a passphrase is derived.

'use strict';

const { wholeNumber } = require('../arguments.js');
const { startProgress } = require('../progress.js');
const { Problem, ReaderGone, checkOpen, isTerminal, reason, shown } = require('../ui.js');
const { openInput } = require('./input.js');
const { deriveRoom, limits, readHeader, writeHeader } = require('./header.js');
const { checkOutput, openOutput } = require('./output.js');
const { checkSecrets, isKey, readKey, readPassphrase, secretOptions } = require('./secrets.js');

const ending = '.sealed';
const ciphers = ['aes-256-gcm', 'chacha20-poly1305'];
/**
 * OWASP's parameters for scrypt: N = 2^17, r = 8, p = 1, which take 128 MiB and a third of a
 * second.
 */
const defaultCost = 17;

const ioOptions = [
  { name: 'output', short: 'o', value: 'FILE', help: '', complete: 'file' },
  { name: 'force', short: 'f', help: '' },
  { name: 'no-progress', help: 'no progress on the terminal' },
];

function ioHelp(output, force) {
  return ioOptions.map((option) => ({
    ...option,
    help: { output, force }[option.name] ?? option.help,
  }));
}

/** @type {import('../commands.js').Command} */
const seal = {
  usage: '[OPTION]... [FILE]',
  about: `Encrypts a file with a passphrase, or with a key, so that every change to it will be noticed. FILE becomes FILE${ending}, readable by its owner only; FILE itself stays. Without a file, or where it is -, standard input goes to standard output.

The passphrase is asked for on the terminal, twice. Without it, or the key, nobody can open the file again.`,
  options: [
    ...secretOptions,
    ...ioHelp(
      `write to this file; - is standard output (default: FILE${ending})`,
      'replace the output if it is there; write to a terminal',
    ),
    {
      name: 'algorithm',
      short: 'a',
      value: 'NAME',
      help: 'aes-256-gcm (default), or chacha20-poly1305, which is faster where the CPU has no instructions for AES',
      choices: () => ciphers,
    },
    {
      name: 'cost',
      value: 'N',
      help: `how long guessing a passphrase shall take: scrypt with 2^N rounds of 1 KiB each, 10 to 20; ${defaultCost} by default (128 MiB)`,
    },
  ],
  examples: [
    ['millrace seal photos.tar', `asks for a passphrase and writes photos.tar${ending}`],
    ['tar c photos | millrace seal --key-file photos.key > photos.sealed', 'in a pipe'],
  ],
  operands: 'files',
  run: (values, operands) => work(values, operands, sealing),
};

/** @type {import('../commands.js').Command} */
const open = {
  usage: '[OPTION]... [FILE]',
  about: `Checks and decrypts what millrace seal wrote. FILE${ending} becomes FILE, readable by its owner only, once all of it is there and authentic; if anything is wrong there is no such file. Without a file, or where it is -, standard input goes to standard output.

In a pipe each part is passed on when it has been checked, the last when the end has been: if the exit code is not 0, what came out is authentic but not all. Have the next program wait for that, or open into a file.`,
  options: [
    ...secretOptions,
    ...ioHelp(
      `write to this file; - is standard output (default: FILE without ${ending})`,
      'replace the output if it is there',
    ),
  ],
  examples: [
    [`millrace open photos.tar${ending}`, 'asks for the passphrase and writes photos.tar'],
    ['millrace open --key-file photos.key < photos.sealed | tar x', 'in a pipe'],
  ],
  operands: 'files',
  run: (values, operands) => work(values, operands, opening),
};

/** What both have in common; `way` is what they have not. */
async function work(values, operands, way) {
  if (operands.length > 1)
    throw new Problem(`one file at a time, not ${operands.length}`, { usage: true });
  const [file = '-'] = operands;
  const prepared = way.prepare(values);
  checkSecrets(values, file === '-');
  const path = values.output ?? (file === '-' ? '-' : way.outputOf(file));
  if (path === '-') checkOpen(1);
  if (file === '-') checkOpen(0);
  if (path !== '-') checkOutput(path, values.force);
  else if (way.binary && isTerminal(1) && !values.force)
    throw new Problem('standard output is a terminal: give --output FILE, or --force');
  const input = await openInput(file);
  if (path !== '-' && input.isAt(path)) {
    input.close();
    throw new Problem(`${shown(path)}: is the input too: give another --output`, { usage: true });
  }
  let output;
  try {
    const { stream, before, first } = await way.begin(input, values, prepared);
    output = openOutput(path, values.force);
    await flow(
      input,
      stream,
      output,
      path,
      before,
      first,
      values['no-progress'] ? undefined : way.title,
    );
    output.complete();
  } catch (error) {
    output?.discard();
    throw inWords(error, input.name);
  } finally {
    input.close();
  }
  return 0;
}

const sealing = {
  title: 'sealing',
  binary: true,
  outputOf: (file) =>
    typeof file === 'string' ? file + ending : Buffer.concat([file, Buffer.from(ending)]),
  prepare({ algorithm = ciphers[0], cost, 'key-file': key }) {
    if (!ciphers.includes(algorithm))
      throw new Problem(
        `--algorithm must be ${ciphers.join(' or ')}, not ${JSON.stringify(algorithm)}`,
        { usage: true },
      );
    if (cost !== undefined && key !== undefined)
      throw new Problem('--cost is for passphrases; a key needs none', { usage: true });
    return { algorithm, cost: 2 ** wholeNumber(cost ?? String(defaultCost), '--cost', 10, 20) };
  },
  async begin(input, values, { algorithm, cost }) {
    const { sealStreamWithPassphrase } = require('../../dist/promises.js');
    if (!isKey(values)) {
      deriveRoom({ N: cost, r: 8, p: 1 }, 'the key');
      return {
        stream: withPassphrase(await readPassphrase(values, true), (passphrase) =>
          sealStreamWithPassphrase(passphrase, { algorithm, N: cost }),
        ),
      };
    }
    const key = readKey(values);
    const header = writeHeader({ algorithm, scrypt: undefined });
    return { stream: streamWith('sealStream', algorithm, key, header), before: header };
  },
};

const opening = {
  title: 'opening',
  binary: false,
  outputOf(file) {
    const text = file.toString('latin1');
    if (!text.endsWith(ending) || /(^|\/)$/.test(text.slice(0, -ending.length)))
      throw new Problem(`${shown(file)}: does not end in ${ending}: give --output FILE`, {
        usage: true,
      });
    return file.subarray?.(0, -ending.length) ?? file.slice(0, -ending.length);
  },
  prepare: () => undefined,
  async begin(input, values) {
    const { header, bytes } = await readHeader((size) => input.take(size), input.name);
    const { algorithm, scrypt } = header;
    if (isKey(values) !== (scrypt === undefined)) {
      throw new Problem(
        `${shown(input.name)}: was sealed with a ${scrypt === undefined ? 'key: give --key-file' : 'passphrase, not a key'}`,
      );
    }
    if (scrypt === undefined)
      return { stream: streamWith('openStream', algorithm, readKey(values), bytes) };
    deriveRoom(scrypt, input.name);
    const { openStreamWithPassphrase } = require('../../dist/promises.js');
    return {
      stream: withPassphrase(await readPassphrase(values, false), (passphrase) =>
        openStreamWithPassphrase(passphrase, limits),
      ),
      first: bytes,
    };
  },
};

function streamWith(door, algorithm, key, context) {
  try {
    return require('../../dist/promises.js')[door]({ algorithm, key, context });
  } finally {
    key.fill(0);
  }
}

/** The stream has a copy of the passphrase. */
function withPassphrase(passphrase, make) {
  try {
    return make(passphrase);
  } finally {
    passphrase.fill(0);
  }
}

/**
 * From the input through the stream to the output, with progress where there is somebody to see it.
 */
async function flow(input, stream, output, path, before, first, title) {
  const { pipeline } = require('node:stream/promises');
  const progress =
    title === undefined ? { add() {}, end() {} } : startProgress(title, { total: input.size });
  const counted = async function* () {
    if (first !== undefined) yield first;
    for await (const piece of input.pieces()) {
      progress.add(piece.length);
      yield piece;
    }
  };
  const sink = async (pieces) => {
    if (before !== undefined) await output.write(before);
    for await (const piece of pieces) await output.write(piece);
  };
  try {
    await pipeline(counted, stream, sink);
  } catch (error) {
    if (error.syscall !== 'write') throw error;
    if (error.code === 'EPIPE') throw new ReaderGone();
    throw new Problem(`${path === '-' ? 'standard output' : shown(path)}: ${reason(error)}`);
  } finally {
    progress.end();
  }
}

/** What a person can make of it. */
function inWords(error, name) {
  if (error.code === 'ERR_TRUNCATED') return new Problem(`${shown(name)}: its end is missing`);
  if (error.code === 'ERR_AUTHENTICATION') {
    const inside = /chunk (\d+)/.exec(error.message);
    return new Problem(
      inside === null
        ? `${shown(name)}: the passphrase or key is wrong, or its beginning was changed`
        : `${shown(name)}: was changed or cut off near byte ${Number(inside[1]) * 16400}`,
    );
  }
  if (error.syscall === 'read') return new Problem(`${shown(name)}: ${reason(error)}`);
  return error;
}

module.exports = { open, seal };
