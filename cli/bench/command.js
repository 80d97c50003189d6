// `millrace bench`: the options and the help. main.mjs does the work and is loaded when it runs.

'use strict';

const { option } = require('../arguments.js');

const tables = {
  hash: 'hashes by message size, synchronous and with 16 calls in flight',
  cipher: 'ciphers, as hash',
  aead: 'authenticated ciphers, as hash',
  hmac: 'HMAC, as hash',
  digest: 'BigInts, strings, hashers, batches and conversions',
  kdf: 'key derivation: scrypt, argon2id, pbkdf2, hkdf',
  async:
    '1 to 1024 calls in flight, and one large call; with another table: ' +
    'only its asynchronous rows',
  sync: 'only the synchronous rows',
  load: 'loading the package, and starting the command',
  latency: 'event-loop delay, fs.stat and short hashes while jobs run; takes minutes',
  hashperf: 'hashes by buffer size (16 B to 16 MiB) and route or engine, with the crossover sizes',
  cryptperf: 'ciphers, as hashperf',
  scaling: 'throughput by threads and buffer size, of many jobs in flight and of one',
};

/** @type {import('../commands.js').Command} */
module.exports = {
  usage: '[TABLE]... [OPTION]...',
  about: `Measures Millrace against node:crypto, WebCrypto and other packages, if they are installed
here or in the current directory. It checks every result before it measures. Competitors take turns,
round by round; figures are medians. Without TABLE it measures hash, cipher, aead, hmac, digest,
kdf, async and load.`,
  operandHelp: [
    ...Object.entries(tables),
    ['scrypt', 'call styles of scrypt with many calls in flight; see millrace bench scrypt --help'],
  ],
  options: [
    option(
      '-a, --algorithms LIST',
      'only these: sha256,aes-256-gcm; hashperf and cryptperf have all of the catalog',
    ),
    option('-s, --sizes LIST', 'message sizes in bytes: 64,4K,1M'),
    option(
      '-c, --competitors LIST',
      'only these besides millrace; in hashperf and cryptperf, only these engines',
    ),
    option('--match TEXT', 'only rows with this text in their line'),
    option(
      '--time MS',
      'milliseconds a sample (default: 4; eight times that for asynchronous rows)',
    ),
    option('--rounds N', 'number of samples (default: 11; half of that for asynchronous rows)'),
    option('-q, --quick', 'three sizes, fewer and shorter samples'),
    option('--json', 'print every figure as JSON, instead of the table'),
    option('--csv FILE', 'write every figure as CSV to FILE; - prints it instead of the table', {
      complete: 'file',
    }),
    option('--html FILE', 'write a page with charts to FILE; it needs no network', {
      complete: 'file',
    }),
  ],
  examples: [
    [
      'millrace bench hash --algorithms sha256,blake3 --html hash.html',
      'SHA-256 and BLAKE3 at six sizes, as a table and as charts',
    ],
    ['millrace bench cryptperf --quick', 'the sizes from which a worker thread is faster'],
    ['millrace bench --json > before.json', 'measure everything, to compare later'],
  ],
  operands: [...Object.keys(tables), 'scrypt'],
  subcommands: { scrypt: (args) => require('./scrypt/command.js').benchScrypt(args) },
  async run(values, operands) {
    const { bench } = await import('./main.mjs');
    return bench(values, operands);
  },
};
