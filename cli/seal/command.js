// `millrace seal` and `millrace open`. A sealed file is a header
// (src/streams/sealed-file-header.ts) and a sealed stream (docs/sealed-streams.md). The header has
// the parameters that derive a passphrase's key. `open --stream` opens a stream without a header.

'use strict';

const { choiceOf, numberOf, option } = require('../arguments.js');
const { writeAll } = require('../descriptors.js');
const { checkOutput, openOutput } = require('../output.js');
const { startProgress } = require('../progress.js');
const {
  UserError,
  UsageError,
  FileError,
  BrokenPipe,
  checkInput,
  checkOpen,
  isTerminal,
  reason,
  displayName,
} = require('../ui.js');
const { openInput } = require('./input.js');
const {
  checkStreamStart,
  limits,
  raiseMemoryLimit,
  readHeader,
  refuseOther,
} = require('./header.js');
const {
  checkSecrets,
  isKey,
  KEY_BYTES,
  readKey,
  readPassphrase,
  secretOptions,
} = require('./secrets.js');

const extension = '.sealed';
const ciphers = ['aes-256-gcm', 'chacha20-poly1305'];
/** The algorithms of sealed streams. */
const streamCiphers = ['aes-128-gcm', ...ciphers];
/**
 * OWASP's parameters for scrypt: N = 2^17, r = 8, p = 1. They take 128 MiB and a third of a second.
 */
const DEFAULT_COST_LOG2 = 17;

/** @param {string} output its help @param {string} force its help */
const ioOptions = (output, force) => [
  option('-o, --output FILE', output, { complete: 'file' }),
  option('-f, --force', force),
  option('--no-progress', 'show no progress on the terminal'),
];

/** @type {import('../commands.js').Command} */
const seal = {
  usage: '[OPTION]... [FILE]',
  about: `Encrypts and authenticates a file with a passphrase or a key. Writes FILE${extension},
which only its owner can read, and keeps FILE. Without FILE, or if FILE is -, it reads standard
input and writes standard output.

It asks for the passphrase twice, on the terminal. A sealed file cannot be opened without its
passphrase or key.`,
  options: [
    ...secretOptions,
    ...ioOptions(
      `write to this file; - is standard output (default: FILE${extension})`,
      'replace an existing output; allow output to a terminal',
    ),
    option(
      '-a, --algorithm NAME',
      'aes-256-gcm (default), or chacha20-poly1305, which is faster on a CPU without AES ' +
        'instructions',
      { choices: () => ciphers },
    ),
    option(
      '--cost N',
      'cost of guessing the passphrase: scrypt with 2^N rounds of 1 KiB each, 10 to 20 ' +
        `(default: ${DEFAULT_COST_LOG2}, which takes 128 MiB)`,
    ),
  ],
  examples: [
    ['millrace seal photos.tar', `ask for a passphrase and write photos.tar${extension}`],
    ['tar c photos | millrace seal --key-file photos.key > photos.sealed', 'use a key, in a pipe'],
  ],
  operands: 'files',
  run: (values, operands) => transform(values, operands, sealing),
};

/** @type {import('../commands.js').Command} */
const open = {
  usage: '[OPTION]... [FILE]',
  about: `Authenticates and decrypts a file that millrace seal, sealWithPassphrase or sealWithKey
wrote; with --stream, one that sealStream wrote. Writes FILE from FILE${extension}, readable by its
owner only, after it has authenticated the whole input. On any failure it writes no file. Without
FILE, or if FILE is -, it reads standard input and writes standard output.

In a pipe each chunk is written as soon as it is authenticated. If the exit code is not 0, the
output is authentic but incomplete: let the next program wait for the exit code, or open into a
file.`,
  options: [
    ...secretOptions,
    ...ioOptions(
      `write to this file; - is standard output (default: FILE without ${extension})`,
      'replace an existing output',
    ),
    option(
      '--stream ALGORITHM',
      `open a stream of sealStream, which does not name its algorithm: ${streamCiphers.join(', ')}`,
      { choices: () => streamCiphers },
    ),
    option('--context TEXT', 'the context that sealStream was given', { mayBeEmpty: true }),
  ],
  examples: [
    [`millrace open photos.tar${extension}`, 'ask for the passphrase and write photos.tar'],
    ['millrace open --key-file photos.key < photos.sealed | tar x', 'use a key, in a pipe'],
    [
      'millrace open --stream aes-256-gcm -k photos.key -o photos.tar photos.stream',
      'open what sealStream wrote',
    ],
  ],
  operands: 'files',
  run: (values, operands) => transform(values, operands, opening),
};

const standardOutput = { write: (bytes) => writeAll(1, bytes), complete() {}, discard() {} };

/** Runs both commands; `operation` is `sealing` or `opening`. */
async function transform(values, operands, operation) {
  if (operands.length > 1) throw new UsageError(`expected one file, got ${operands.length}`);
  const [file = '-'] = operands;
  const prepared = operation.prepare(values);
  checkSecrets(values, file === '-');
  const path = values.output ?? (file === '-' ? '-' : await operation.outputOf(file));
  if (path === '-') checkOpen(1);
  const typed = file === '-' && checkInput();
  if (path !== '-') checkOutput(path, values.force);
  else if (operation.binary && isTerminal(1) && !values.force)
    throw new UserError('standard output is a terminal: use --output FILE, or --force');
  const input = openInput(file, operation.ofDirectory);
  let output;
  try {
    if (path !== '-' && input.isAt(path))
      throw new UsageError(`${displayName(path)}: is also the input: use another --output`);
    const stream = await operation.begin(input, values, prepared);
    output = path === '-' ? standardOutput : openOutput(path, { force: values.force });
    const progress = startProgress(operation.title, {
      total: input.size,
      off: values['no-progress'] || typed,
    });
    await flow(input, stream, output, path, progress);
    output.complete();
  } catch (error) {
    throw describeError(error, input.name);
  } finally {
    output?.discard();
    input.close();
  }
  return 0;
}

const sealing = {
  title: 'sealing',
  ofDirectory: 'Is a directory (use tar: tar c photos | millrace seal > photos.sealed)',
  binary: true,
  outputOf: (file) =>
    typeof file === 'string' ? file + extension : Buffer.concat([file, Buffer.from(extension)]),
  prepare(values) {
    const algorithm = choiceOf(values, 'algorithm', ciphers);
    if (values.cost !== undefined && isKey(values))
      throw new UsageError('--cost applies to passphrases, not to keys');
    return { algorithm, cost: 2 ** numberOf(values, 'cost', DEFAULT_COST_LOG2, 20, 10) };
  },
  async begin(input, values, { algorithm, cost }) {
    const { sealStreamWithKey, sealStreamWithPassphrase } = require('../../dist/promises.js');
    if (isKey(values))
      return withSecret(readKey(values), (key) => sealStreamWithKey(key, { algorithm }));
    raiseMemoryLimit({ N: cost, r: 8, p: 1 }, 'the key');
    const instead = 'use --passphrase-file, --passphrase-fd or --key-file';
    return withSecret(await readPassphrase(values, true, instead), (passphrase) =>
      sealStreamWithPassphrase(passphrase, { algorithm, N: cost }),
    );
  },
};

const opening = {
  title: 'opening',
  binary: false,
  async outputOf(file) {
    const text = file.toString('latin1');
    if (!text.endsWith(extension) || /(^|\/)$/.test(text.slice(0, -extension.length))) {
      const input = openInput(file);
      await refuseOther(input).finally(input.close);
      throw new UsageError(
        `${displayName(file)}: the name does not end in ${extension}: use --output FILE`,
      );
    }
    return file.subarray?.(0, -extension.length) ?? file.slice(0, -extension.length);
  },
  prepare(values) {
    if (values.stream !== undefined) {
      choiceOf(values, 'stream', streamCiphers);
      if (!isKey(values)) throw new UsageError('--stream needs --key-file');
    } else if (values.context !== undefined) {
      throw new UsageError('--context applies to --stream');
    }
  },
  async begin(input, values) {
    const millrace = require('../../dist/promises.js');
    const { stream: algorithm, context } = values;
    if (algorithm !== undefined) {
      await checkStreamStart(input);
      const key = readKey(values, algorithm === 'aes-128-gcm' ? 16 : KEY_BYTES);
      return withSecret(key, () =>
        millrace.openStream({ algorithm, key, ...(context !== undefined && { context }) }),
      );
    }
    const { scrypt } = await readHeader(input);
    if (isKey(values) !== (scrypt === undefined)) {
      throw new FileError(
        input.name,
        scrypt === undefined
          ? 'sealed with a key: use --key-file'
          : 'sealed with a passphrase: leave out --key-file, or use --passphrase-file',
      );
    }
    if (scrypt === undefined) return withSecret(readKey(values), millrace.openStreamWithKey);
    raiseMemoryLimit(scrypt, input.name);
    return withSecret(await readPassphrase(values, false), (passphrase) =>
      millrace.openStreamWithPassphrase(passphrase, limits),
    );
  },
};

/** Wipes the passphrase or key afterwards; the stream keeps a copy. */
function withSecret(secret, make) {
  try {
    return make(secret);
  } finally {
    require('../../dist/core.js')['base/secret-memory'].wipe(secret);
  }
}

/** Pipes the input through the stream to the output. */
async function flow(input, stream, output, path, progress) {
  const { pipeline } = require('node:stream/promises');
  const { reuseOutput } = require('../../dist/streams/sealed-duplex.js')['streams/sealed-duplex'];
  const counted = async function* () {
    for await (const chunk of input.chunks()) {
      progress.add(chunk.length);
      yield chunk;
    }
  };
  const sink = async (chunks) => {
    for await (const chunk of chunks) {
      await output.write(chunk);
      reuseOutput(stream, chunk);
    }
  };
  try {
    await pipeline(counted, stream, sink);
  } catch (error) {
    if (error.syscall !== 'write') throw error;
    if (error.code === 'EPIPE') throw new BrokenPipe();
    throw path === '-'
      ? new UserError(`standard output: ${reason(error)}`)
      : new FileError(path, error);
  } finally {
    progress.end();
  }
}

/** Turns an error of the stream into a message about the file. */
function describeError(error, name) {
  if (error.code === 'ERR_TRUNCATED')
    return new FileError(name, 'truncated: the end of the file is missing');
  if (error.code === 'ERR_AUTHENTICATION') {
    const inside = /chunk (\d+)/.exec(error.message);
    return new FileError(
      name,
      inside === null
        ? error.message.replace('authentication failed: ', '')
        : `changed or truncated near byte ${Number(inside[1]) * 16400}`,
    );
  }
  if (error.syscall === 'read') return new FileError(name, error);
  return error;
}

module.exports = { flow, open, seal, standardOutput, withSecret };
