// `millrace age`: files of age (https://age-encryption.org), with the options of age.

'use strict';

const { readFileSync } = require('node:fs');

const { numberOf, option } = require('../arguments.js');
const { checkOutput, openOutput } = require('../output.js');
const { startProgress } = require('../progress.js');
const { flow, standardOutput, withSecret } = require('../seal/command.js');
const { raiseMemoryLimit } = require('../seal/header.js');
const { openInput } = require('../seal/input.js');
const {
  checkSecrets,
  readPassphrase,
  readSecret,
  SECRET_MAX_BYTES,
} = require('../seal/secrets.js');
const {
  UserError,
  UsageError,
  FileError,
  attempt,
  checkInput,
  checkOpen,
  displayName,
  isTerminal,
} = require('../ui.js');

const library = () => require('../../dist/age.js');

/** The base-2 logarithm of scrypt's N: what age writes, and the most that is read, for 1 GiB. */
const COST = 18;
const COST_MAX = 20;
/** Bytes of a sealed chunk. */
const CHUNK_BYTES = 65_552;
const armorBegin = '-----BEGIN AGE ENCRYPTED FILE-----';
const binaryBegin = 'age-encryption.org/v1\n';
/** These bytes tell what an age file is encrypted to, also an armored one. */
const START_BYTES = 128;

/** @type {import('../commands.js').Command} */
module.exports = {
  usage: '[OPTION]... [FILE]',
  about: `Encrypts FILE to recipients or with a passphrase, or decrypts it with -d, in the format of
age (age-encryption.org/v1): age and rage read and write the same files. Without FILE, or if FILE is
-, it reads standard input. It writes standard output, or the file of --output, which only its owner
can read, and which replaces an existing file once it is complete. On any failure it writes no file.

Recipients are age1... and age1pq1..., of millrace age keygen or age-keygen, and public SSH keys
(ssh-ed25519, ssh-rsa).

In a pipe each chunk is written as soon as it is authenticated. If the exit code is not 0, the
output is authentic but incomplete: let the next program wait for the exit code, or use --output.`,
  operandHelp: [['keygen', 'create an identity; see millrace age keygen --help']],
  options: [
    option('-e, --encrypt', 'encrypt (default)'),
    option('-d, --decrypt', 'decrypt; armor and passphrases are recognized'),
    option('-o, --output FILE', 'write to this file; - is standard output (default)', {
      complete: 'file',
    }),
    option('-a, --armor', 'encrypt to text (PEM)'),
    option('-p, --passphrase', 'encrypt with a passphrase, which it asks for on the terminal'),
    option('-r, --recipient RECIPIENT', 'encrypt to this recipient; may be repeated', {
      many: true,
    }),
    option('-R, --recipients-file FILE', 'encrypt to the recipients in this file, one a line', {
      many: true,
      complete: 'file',
    }),
    option(
      '-i, --identity FILE',
      'decrypt with the identities in this file, or a private SSH key; with --encrypt, encrypt ' +
        'to them',
      { many: true, complete: 'file' },
    ),
    option('--passphrase-file FILE', 'read the passphrase from this file', { complete: 'file' }),
    option('--passphrase-fd N', 'read the passphrase from this file descriptor'),
    option(
      '--cost N',
      `cost of guessing a passphrase: scrypt with 2^N rounds of 1 KiB each, 10 to ${COST_MAX} ` +
        `(default: ${COST}, which takes 256 MiB)`,
    ),
    option('--no-progress', 'show no progress on the terminal'),
  ],
  examples: [
    ['millrace age keygen -o key.txt', 'create an identity and print its recipient'],
    ['tar c photos | millrace age -r age1... > photos.tar.age', 'encrypt, in a pipe'],
    ['millrace age -d -i key.txt -o photos.tar photos.tar.age', 'decrypt'],
  ],
  operands: 'files',
  subcommands: { keygen: (args) => require('./keygen.js').keygen(args) },
  run,
};

async function run(values, operands) {
  if (operands.length > 1) throw new UsageError(`expected one file, got ${operands.length}`);
  const [file = '-'] = operands;
  const workFactor = numberOf(values, 'cost', COST, COST_MAX, 10);
  const files = [...(values['recipients-file'] ?? []), ...(values.identity ?? [])];
  if (files.concat(file).filter((each) => each === '-').length > 1)
    throw new UsageError('standard input cannot be both the message and a key');
  checkModes(values);
  checkSecrets(values, file === '-');
  const { output: path = '-', decrypt } = values;
  if (path === '-') checkOpen(1);
  const typed = file === '-' && checkInput();
  if (path !== '-') checkOutput(path, true);
  else if (!decrypt && !values.armor && values.output === undefined && isTerminal(1))
    throw new UserError('standard output is a terminal: use --output FILE, --armor, or -o -');
  let stream = await (decrypt ? decryptorOf(values) : encryptorOf(values));
  const input = openInput(file, 'Is a directory (use tar: tar c photos | millrace age ...)');
  let output;
  try {
    if (
      path !== '-' &&
      [input, ...files.filter((each) => each !== '-').map(sameFile)].some((each) => each.isAt(path))
    )
      throw new UsageError('the output is also an input: use another --output');
    stream ??= await withPassphrase(values, input, workFactor);
    output = path === '-' ? standardOutput : openOutput(path, { force: true });
    const progress = startProgress(decrypt ? 'decrypting' : 'encrypting', {
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

/** Returns the check of a file that is not the message. */
function sameFile(path) {
  return {
    isAt(other) {
      const input = openInput(path);
      try {
        return input.isAt(other);
      } finally {
        input.close();
      }
    },
  };
}

const passphraseOptions = ['passphrase', 'passphrase-file', 'passphrase-fd'];

/** Throws if options contradict each other. */
function checkModes(values) {
  const given = (name) => values[name] !== undefined;
  const exclude = (mode, names) => {
    const wrong = names.find(given);
    if (wrong !== undefined) throw new UsageError(`--${wrong} and ${mode} exclude each other`);
  };
  if (values.decrypt) {
    exclude('--decrypt', [
      'encrypt',
      'armor',
      'passphrase',
      'recipient',
      'recipients-file',
      'cost',
    ]);
    if (given('identity')) exclude('--identity', passphraseOptions);
    return;
  }
  if (given('identity') && !values.encrypt)
    throw new UsageError('--identity is for --decrypt; to encrypt to identities add --encrypt');
  if (given('cost') && !passphraseOptions.some(given))
    throw new UsageError('--cost applies to passphrases, not to recipients');
  if (passphraseOptions.some(given))
    exclude('a passphrase', ['recipient', 'recipients-file', 'identity']);
}

/** Returns the stream that encrypts to recipients; undefined without any. */
async function encryptorOf({ recipient = [], 'recipients-file': lists = [], ...values }) {
  const { identity = [], armor = false } = values;
  const { encryptStream, identityToRecipient } = library();
  const named = recipient.map((text) => [`--recipient ${shown(text)}`, text]);
  for (const path of lists)
    named.push([path, attempt(path, () => readFileSync(path === '-' ? 0 : path, 'latin1'))]);
  for (const path of identity) {
    const text = await identityText(path);
    named.push([path, fromKeys([path], () => identityToRecipient(text))]);
  }
  if (named.length === 0) return undefined;
  const recipients = named.map(([, text]) => text);
  return fromKeys(
    named.map(([name]) => name),
    () => encryptStream({ recipients, armor }),
  );
}

/** Returns true for what is neither an identity of age nor of SSH. */
const isFileName = (text) => !/^\s*(AGE-SECRET-KEY-|AGE-PLUGIN-|-----BEGIN )/i.test(text);

/** Returns a recipient for a message, unless it is a secret. */
const shown = (text) => (isFileName(text) ? text : '(an identity)');

/** Returns the stream that decrypts with identities; undefined without any. */
async function decryptorOf({ identity = [] }) {
  if (identity.length === 0) return undefined;
  const identities = [];
  for (const path of identity) identities.push(await identityText(path));
  return fromKeys(identity, () => library().decryptStream({ identities }));
}

/** Returns the stream of a passphrase, which it asks for. */
async function withPassphrase(values, input, workFactor) {
  const { armor = false, decrypt } = values;
  const { decryptStream, encryptStream } = library();
  if (!decrypt && !passphraseOptions.some((name) => values[name] !== undefined))
    throw new UsageError('no recipients: use --recipient, --recipients-file or --passphrase');
  if (decrypt) {
    const start = binaryStart((await input.take(START_BYTES)).toString('latin1'));
    if (start === undefined) throw new FileError(input.name, 'not an age file');
    if (start.startsWith(binaryBegin) && !start.startsWith(`${binaryBegin}-> scrypt `))
      throw new FileError(input.name, 'encrypted to recipients: use --identity');
  }
  raiseMemoryLimit({ N: 2 ** (decrypt ? COST_MAX : workFactor), r: 8, p: 1 }, input.name);
  return withSecret(await readPassphrase(values, !decrypt), (passphrase) =>
    decrypt ? decryptStream({ passphrase }) : encryptStream({ passphrase, workFactor, armor }),
  );
}

/** Returns the start of an age file without its armor; undefined for another file. */
function binaryStart(start) {
  const text = start.trimStart();
  if (text.startsWith(armorBegin))
    return Buffer.from(text.slice(armorBegin.length), 'base64').toString('latin1');
  // Of a file that is cut off, or of another version, the stream says more.
  const known = ['age-encryption.org/', armorBegin];
  return known.some((begin) => begin.startsWith(text.slice(0, begin.length))) ? start : undefined;
}

/** Returns the identities in a file, which may be encrypted with a passphrase. */
async function identityText(path) {
  const bytes = readSecret(path === '-' ? 0 : path, path, '--identity', isFileName);
  if (bytes.length > SECRET_MAX_BYTES) throw new FileError(path, 'too long for identities');
  const start = bytes.subarray(0, armorBegin.length).toString('latin1');
  if (start !== armorBegin && !start.startsWith(binaryBegin)) return bytes;
  raiseMemoryLimit({ N: 2 ** COST_MAX, r: 8, p: 1 }, path);
  const instead = `decrypt ${displayName(path)} first`;
  const passphrase = await readPassphrase({}, false, instead);
  try {
    return await library().decrypt(bytes, { passphrase });
  } catch (error) {
    throw describeError(error, path);
  }
}

/** Calls the library. An error about a key names the option or the file that it is from. */
function fromKeys(names, act) {
  try {
    return act();
  } catch (error) {
    if (!/^ERR_(KEY_|PASSPHRASE|ARGUMENT_VALUE)/.test(error.code)) throw error;
    const place = /^(?:options\.\w+\[(\d+)\]|identity)/;
    const name = names[place.exec(error.message)?.[1] ?? 0];
    const text = error.message.replace(place, '').replace(/^[,:]? /, '');
    if (error.code !== 'ERR_ARGUMENT_VALUE') throw new UsageError(`${name}: ${text}`);
    throw new UsageError(text.replace(/^options\.recipients: /, ''));
  }
}

/** Turns an error of the stream into a message about the file. */
function describeError(error, name) {
  if (error.code === 'ERR_TRUNCATED')
    return new FileError(name, 'truncated: the end of the file is missing');
  if (error.code === 'ERR_WORK_LIMIT' || error.code === 'ERR_MEMORY_LIMIT')
    return new FileError(name, 'refused: deriving the key takes more than 1 GiB of memory');
  if (error.code === 'ERR_AUTHENTICATION' || error.code === 'ERR_FORMAT') {
    const inside = /chunk (\d+)/.exec(error.message);
    return new FileError(
      name,
      inside === null
        ? error.message.replace('authentication failed: ', '')
        : `changed or truncated near byte ${Number(inside[1]) * CHUNK_BYTES}`,
    );
  }
  return error.syscall === 'read' ? new FileError(name, error) : error;
}
