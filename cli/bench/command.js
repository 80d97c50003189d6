// `millrace bench`: what there is to say on the command line. What it does stands in main.mjs,
// loaded when it is done.

'use strict';

/** What can be measured, and what it is. */
const tables = {
  hash: 'one message at a time, by size; synchronous and with 16 calls in flight',
  cipher: 'the same of ciphers',
  aead: 'the same of authenticated ciphers',
  hmac: 'the same of HMAC',
  digest: 'BigInts, strings, hashers, batches and conversions, with their goals',
  kdf: 'key derivation: scrypt, argon2id, pbkdf2, hkdf',
  async:
    '1 to 1024 calls in flight, and one large one, with their goals; beside another table: its asynchronous rows only',
  sync: 'the synchronous rows only',
  load: 'what loading the package costs',
  latency:
    'how the rest of the process fares while jobs run: event-loop delay, fs.stat, short hashes. Minutes',
  scaling: 'throughput by threads, and a model of more cores. Minutes',
  hashperf:
    'hashes by buffer size and route or engine, 16 B to 16 MiB, and where one overtakes another',
  cryptperf: 'the same of ciphers',
};

/** @type {import('../commands.js').Command} */
module.exports = {
  usage: '[TABLE]... [OPTION]...',
  about: `Measures Millrace against node:crypto, WebCrypto, and those other packages that are installed here or in the current folder. Every answer is checked before the clock starts; contestants take turns, round by round; figures are medians. Without a table: hash, cipher, aead, hmac, digest, kdf, async and load.`,
  operandHelp: [
    ...Object.entries(tables),
    [
      'scrypt',
      'styles of calling scrypt, many times at once; has options of its own: millrace bench scrypt --help',
    ],
  ],
  options: [
    { name: 'algorithms', short: 'a', value: 'LIST', help: 'only these: sha256,aes-256-gcm' },
    {
      name: 'sizes',
      short: 's',
      value: 'LIST',
      help: 'in bytes: 64,4K,1M; rows with sizes of their own: only those among them',
    },
    {
      name: 'contestants',
      short: 'c',
      value: 'LIST',
      help: 'only these beside millrace; of hashperf and cryptperf: only these engines',
    },
    { name: 'match', value: 'TEXT', help: 'only rows whose line has this text' },
    {
      name: 'time',
      value: 'MS',
      help: 'milliseconds a sample lasts (4; asynchronous: eight times that)',
    },
    { name: 'rounds', value: 'N', help: 'samples of each (11; asynchronous: half of it)' },
    { name: 'quick', short: 'q', help: 'three sizes, fewer and shorter samples' },
    { name: 'json', help: 'every figure as JSON, instead of the table' },
    {
      name: 'csv',
      value: 'FILE',
      complete: 'file',
      help: 'every figure as CSV to FILE; - instead of the table',
    },
    {
      name: 'html',
      value: 'FILE',
      complete: 'file',
      help: 'a page with charts to FILE; it needs no network',
    },
  ],
  examples: [
    [
      'millrace bench hash --algorithms sha256,blake3 --html hash.html',
      'SHA-256 and BLAKE3 at six sizes, as a table and as charts',
    ],
    ['millrace bench cryptperf --quick', 'from which size on a worker thread pays'],
    ['millrace bench --json > before.json', 'everything, to compare with later'],
  ],
  operands: [...Object.keys(tables), 'scrypt'],
  subcommands: { scrypt: (args) => require('./scrypt/command.js').benchScrypt(args) },
  async run(values, operands) {
    const { bench } = await import('./main.mjs');
    return bench(values, operands);
  },
};
