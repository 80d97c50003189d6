// A server. It prints the result in one line, and whether the native engine served.

import { engines, hash } from 'millrace';
import { hash as hashLater, hashPassword, sealStream } from 'millrace/promises';
import { Readable } from 'node:stream';

async function answers() {
  const stored = await hashPassword('x', { memory: 64, passes: 1 });
  const large = await hashLater('sha256', Buffer.alloc(3_000_000), 'hex');
  const sealed = await Readable.from([Buffer.alloc(100)])
    .pipe(sealStream({ algorithm: 'aes-256-gcm', key: Buffer.alloc(32) }))
    .toArray();
  const streamed = Buffer.concat(sealed).length > 100;
  return (
    `SERVER ${hash('sha256', 'abc', 'hex').slice(0, 8)} ${stored.slice(0, 9)} ` +
    `${large.slice(0, 8)} ${streamed} native=${engines().native.available}`
  );
}

answers().then(console.log, (error) => console.log(`SERVER ${error.stack}`));
