// The memory that Millrace makes in JavaScript for secrets is zero when a call has ended: a program
// keeps every ArrayBuffer that the library makes and looks for the secrets in all but the result.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { entryPaths, run } from '../support/child.mjs';

const recorder = `
const made = [];
let recording = false;
const RealArrayBuffer = ArrayBuffer;
globalThis.ArrayBuffer = class ArrayBuffer extends RealArrayBuffer {
  constructor(...given) {
    super(...given);
    if (recording) made.push(this);
  }
};
const allocate = Buffer.allocUnsafeSlow;
Buffer.allocUnsafeSlow = (size) => {
  const buffer = allocate(size);
  if (recording) made.push(buffer.buffer);
  return buffer;
};
recording = true;
const millrace = require(${JSON.stringify(entryPaths.millrace)});
const promises = require(${JSON.stringify(entryPaths['millrace/promises'])});
recording = false;
/** Returns memory that is not recorded. */
const own = (bytes) => Buffer.from(new RealArrayBuffer(bytes.length)).fill(bytes);
const secret = own(Buffer.from('Millrace secret.Millrace secret.'));
const text = own(Buffer.alloc(300_000, 'A text that must be wiped here. '));
const bytesOf = (value) =>
  Buffer.isBuffer(value) ? value
  : typeof value === 'bigint' ? Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
  : /^[\\da-f]+$/.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64');
const found = [];
/** Texts that no buffer may hold, beside the beginning of a result. */
const secrets = ['Millrace secret.'];
/** Results, which belong to the caller. */
const results = new Set();
/** Runs a call; then no buffer holds a secret. */
async function leavesNothing(name, act) {
  recording = true;
  let result;
  try {
    result = await act();
  } finally {
    recording = false;
  }
  const patterns = [...secrets];
  for (const each of [result].flat()) {
    if (Buffer.isBuffer(each)) results.add(each.buffer);
    const bytes = Buffer.isBuffer(each) || /string|bigint/.test(typeof each) ? bytesOf(each) : '';
    if (bytes.length >= 16) patterns.push(Buffer.from(bytes.subarray(0, 16)).toString('latin1'));
  }
  for (const buffer of made) {
    if (results.has(buffer)) continue;
    const bytes = Buffer.from(buffer);
    const left = patterns.findIndex((pattern) => bytes.includes(pattern, 0, 'latin1'));
    if (left < 0) continue;
    found.push(name + ': ' + patterns[left] + ' in one of ' + bytes.length + ' bytes');
    // Not told again.
    results.add(buffer);
  }
}
`;

const finish = `
console.log(JSON.stringify(found));
process.exit(0);
`;

async function places(program) {
  const { code, stdout, stderr } = await run(
    `${recorder}\n(async () => {\n${program}\n${finish}\n})();`,
    { bare: true },
  );
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test('memory that is not wiped is found', async () => {
  const found = await places(`
    await leavesNothing('a copy', async () => { made.push(own(secret).buffer); });
    made.length = 0;
    // Digests without a key are not secret.
    await leavesNothing('nothing', async () => millrace.hash('sha256', secret));
  `);
  assert.deepEqual(found, ['a copy: Millrace secret. in one of 32 bytes']);
});

// Those of up to 64 bytes are made in memory that the next call uses again.
test('MACs and keyed digests leave nothing', async () => {
  const found = await places(`
    const source = own(Buffer.alloc(100, 1));
    const kmac = { key: secret, outputLength: 200 };
    for (const encoding of [undefined, 'hex', 'base64', 'bigint']) {
      const given = encoding === undefined ? [] : [{ encoding }];
      const calls = {
        hmac: () => millrace.hmac('sha256', secret, source, ...given),
        'hmac of text': () => millrace.hmac('sha256', secret, 'x', ...given),
        'promised hmac': () => promises.hmac('sha256', secret, source, ...given),
        'inline hmac': () => promises.hmac('sha256', secret, source, { route: 'inline', encoding }),
        'hmac on the pool': () => promises.hmac('sha256', secret, source, { route: 'pool', encoding }),
        blake3: () => millrace.hash('blake3', source, { key: secret, encoding }),
        kmac: () => promises.hash('kmac128', source, { key: secret, encoding }),
        'long kmac': () => millrace.hash('kmacxof256', source, { ...kmac, encoding }),
        'promised long kmac': () => promises.hash('kmacxof256', source, { ...kmac, encoding }),
      };
      for (const [name, call] of Object.entries(calls)) await leavesNothing(name + ' ' + encoding, call);
    }
    const mac = own(Buffer.alloc(32));
    secrets.push(millrace.hmac('sha256', secret, source).toString('latin1', 0, 16));
    for (const api of [millrace, promises])
      for (const [name, algorithm] of Object.entries({ verifyHmac: 'sha256', verifyMac: 'hmac-sha256' }))
        await leavesNothing(name, async () => {
          if (await api[name](algorithm, { key: secret, source, mac })) throw new Error('true');
        });
    const key = millrace.createKey('hmac-sha512', secret);
    await leavesNothing('prepared', () => millrace.hmac('sha512', key, source));
    await leavesNothing('many', () => millrace.hmacMany('sha256', secret, [source, 'x']));
    await leavesNothing('many, promised', () => promises.hmacMany('sha256', secret, [source, 'x']));
  `);
  assert.deepEqual(found, []);
});

test('plaintext that is held, staged or refused leaves nothing', async () => {
  const found = await places(`
    secrets.push('A text that must be wiped here. ');
    const nonce = own(Buffer.alloc(12, 1));
    for (const size of [20, 64, 1000, 2000, 200_000]) {
      const source = own(text.subarray(0, size));
      for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305']) {
        const sealed = own(millrace.seal(algorithm, { key: secret, nonce, source }));
        const [body, tag] = [sealed.subarray(0, size), sealed.subarray(size)];
        const name = algorithm + ' ' + size;
        const options = { key: secret, nonce, authTag: tag };
        const forged = { ...options, authTag: own(Buffer.alloc(16)) };
        await leavesNothing(name + ': open', () => millrace.open(algorithm, { key: secret, nonce, source: sealed }));
        await leavesNothing(name + ': opened by a promise', () =>
          promises.open(algorithm, { key: secret, nonce, source: sealed }));
        await leavesNothing(name + ': held', () => {
          const decipher = millrace.createDecipher(algorithm, options);
          for (let at = 0; at < size; at += 777) decipher.update(body.subarray(at, at + 777));
          return decipher.final();
        });
        await leavesNothing(name + ': held and refused', () => {
          const decipher = millrace.createDecipher(algorithm, forged);
          for (let at = 0; at < size; at += 777) decipher.update(body.subarray(at, at + 777));
          try { decipher.final(); } catch { return; }
          throw new Error('not refused');
        });
        await leavesNothing(name + ': disposed', () => {
          const decipher = millrace.createDecipher(algorithm, options);
          decipher.update(body);
          decipher.dispose();
        });
        await leavesNothing(name + ': copied', () => {
          const decipher = millrace.createDecipher(algorithm, options);
          decipher.update(body);
          const results = [decipher.copy().final()];
          decipher.dispose();
          return results;
        });
        await leavesNothing(name + ': unverified', () =>
          millrace.createDecipher(algorithm, { ...options, unverified: true }).update(body));
      }
    }
  `);
  assert.deepEqual(found, []);
});

test('passphrases, and the keys that are derived from them, leave nothing', async () => {
  const found = await places(`
    const { scryptSync } = require('node:crypto');
    /** Looks for the key of a sealed file too; its header has the salt. */
    const derived = (passphrase, sealed) => {
      const text = Buffer.from(passphrase).toString();
      const normal = text.includes('\ufffd') ? passphrase : text.normalize('NFC');
      const key = scryptSync(normal, sealed.subarray(15, 31), 32, { N: 1024, r: 8, p: 1 });
      secrets.push(key.toString('latin1', 0, 16));
    };
    const passphrases = {
      bytes: secret,
      text: secret.toString(),
      'text to normalize': secret.toString() + 'e\\u0301',
      'bytes to normalize': own(Buffer.from(secret.toString() + 'e\\u0301')),
      'bytes that are not UTF-8': own(Buffer.concat([secret, Buffer.of(255)])),
    };
    for (const [name, passphrase] of Object.entries(passphrases)) {
      for (const size of [29, 300_000]) {
        const source = text.subarray(0, size);
        let sealed;
        await leavesNothing(name + ': sealed', async () => {
          sealed = own(await promises.sealWithPassphrase(passphrase, source, { N: 1024 }));
          derived(passphrase, sealed);
        });
        await leavesNothing(name + ': opened', async () => {
          const opened = await promises.openWithPassphrase(passphrase, sealed);
          if (!opened.equals(source)) throw new Error('other bytes');
        });
        sealed[sealed.length - 1] ^= 1;
        await leavesNothing(name + ': refused', async () => {
          try { await promises.openWithPassphrase(passphrase, sealed); } catch { return; }
          throw new Error('not refused');
        });
      }
    }
    for (const [name, passphrase] of Object.entries(passphrases)) {
      let sealing;
      await leavesNothing(name + ': a stream that continues', async () => {
        const sealed = [];
        sealing = promises.sealStreamWithPassphrase(passphrase, { N: 1024 });
        sealing.on('data', (data) => sealed.push(data));
        sealing.write(text);
        while (sealed.length < 2) await new Promise(setImmediate);
        derived(passphrase, own(Buffer.concat(sealed)));
      });
      sealing.destroy();
    }
    await leavesNothing('an empty rest', async () => {
      try { await promises.openWithPassphrase(secret, own(Buffer.from('no header'))); } catch { return; }
      throw new Error('not refused');
    });
  `);
  assert.deepEqual(found, []);
});
