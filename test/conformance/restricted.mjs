// The report of a process with restricted permissions: which engine serves it, what it was warned
// of, and what it gets when it insists on the native one. runtimes.test.mjs starts it with the
// flags of each runtime.

import { createRequire } from 'node:module';
import process from 'node:process';

const told = { warnings: [] };
process.on('warning', ({ code, message }) => told.warnings.push(`${code}: ${message}`));

try {
  const require = createRequire(process.argv[2]);
  const millrace = require('millrace');
  const promises = require('millrace/promises');
  told.digest = millrace.hash('sha256', 'abc', 'hex');
  told.long = (await promises.hash('sha256', new Uint8Array(3_000_000))).toString('hex');
  const given = {
    key: new Uint8Array(32),
    nonce: new Uint8Array(12),
    source: new Uint8Array(300_000),
  };
  const sealed = await promises.seal('aes-256-gcm', given);
  const opened = await promises.open('aes-256-gcm', { ...given, source: sealed });
  told.opened = opened.length;
  told.key = (await promises.scrypt('password', 'salt', 16, { N: 16 })).toString('hex');
  told.engines = Object.keys(millrace.engines()).length > 0;
  try {
    millrace.hash('sha256', 'abc', { engine: 'native', encoding: 'hex' });
    told.native = 'serves';
  } catch (error) {
    told.native = error.code;
    told.reason = error.message;
  }
} catch (error) {
  told.error = `${error.code ?? error.name}: ${error.message}`;
}
await new Promise((resolve) => setTimeout(resolve, 10));
console.log(JSON.stringify(told));
