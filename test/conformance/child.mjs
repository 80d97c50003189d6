// A process that ends in one way or another; processes.mjs starts it and looks at how.

import process from 'node:process';

import { pattern } from './bytes.mjs';
import { openEntryPoints } from './host.mjs';

const { where, options } = JSON.parse(process.argv[3]);
const { millrace, promises } = await openEntryPoints(where);

const actions = {
  async ends() {
    millrace.createKey('aes-256-gcm', pattern(32));
    millrace.createHash('blake3', options).update(pattern(5000));
    await promises.hash('sha256', pattern(1_000_000), options);
    console.log('done');
  },
  waits() {
    millrace.hash('sha256', pattern(3_000_000), { ...options, encoding: 'hex' }, (_, digest) =>
      console.log(digest),
    );
  },
  leaves() {
    for (let index = 0; index < 20; index++) promises.hash('sha256', pattern(1_000_000), options);
    promises.scrypt('password', 'salt', 32, { N: 2 ** 16, maxmem: 2 ** 28 });
    process.exit(7);
  },
  throws() {
    process.on('uncaughtException', ({ message }) => {
      console.log(`caught: ${message}`);
      process.exit(5);
    });
    millrace.hash('sha256', pattern(300_000), options, () => {
      throw new Error('of a callback');
    });
  },
  rejects() {
    process.on('unhandledRejection', ({ code }) => {
      console.log(`unhandled: ${code}`);
      process.exit(6);
    });
    promises.open('aes-256-gcm', {
      ...options,
      key: pattern(32),
      nonce: pattern(12),
      source: pattern(100),
    });
  },
};

await actions[process.argv[2]]();
