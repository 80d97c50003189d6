// `millrace bench`: the options and the help. main.mjs does the work and is loaded when it runs.

'use strict';

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
    {
      name: 'algorithms',
      short: 'a',
      value: 'LIST',
      help: 'only these: sha256,aes-256-gcm; hashperf and cryptperf have all of the catalog',
    },
    {
      name: 'sizes',
      short: 's',
      value: 'LIST',
      help: 'message sizes in bytes: 64,4K,1M',
    },
    {
      name: 'competitors',
      short: 'c',
      value: 'LIST',
      help: 'only these besides millrace; in hashperf and cryptperf, only these engines',
    },
    { name: 'match', value: 'TEXT', help: 'only rows with this text in their line' },
    {
      name: 'time',
      value: 'MS',
      help: 'milliseconds a sample (default: 4; eight times that for asynchronous rows)',
    },
    {
      name: 'rounds',
      value: 'N',
      help: 'number of samples (default: 11; half of that for asynchronous rows)',
    },
    { name: 'quick', short: 'q', help: 'three sizes, fewer and shorter samples' },
    { name: 'json', help: 'print every figure as JSON, instead of the table' },
    {
      name: 'csv',
      value: 'FILE',
      complete: 'file',
      help: 'write every figure as CSV to FILE; - prints it instead of the table',
    },
    {
      name: 'html',
      value: 'FILE',
      complete: 'file',
      help: 'write a page with charts to FILE; it needs no network',
    },
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
