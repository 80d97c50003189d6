// /dev/crypto as users find it: missing, for root only, without an algorithm, with and without an
// accelerator, removed during work.

import assert from 'node:assert/strict';
import { chmodSync, statSync } from 'node:fs';
import { test } from 'node:test';

import millrace from 'millrace';

import { does } from '../calls.mjs';
import { readAccount, startDevice } from '../device/start.mjs';
import { perform, ways } from '../processes.mjs';
import { errorOf, right, unavailable } from '../verdicts.mjs';

const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const [sha256, sha512, aesCtr] = [104, 106, 21];

async function withDevice(options, work) {
  const device = await startDevice(options);
  try {
    return await work(device);
  } finally {
    await device.stop();
  }
}

test('no device: the error names the remedy', async () => {
  const { result, warnings } = await perform(`
    const errors = [
      await errorOf(() => millrace.hash('sha256', 'abc', { engine: 'cryptodev' })),
      await errorOf(() => promises.hmac('sha256', 'key', 'abc', { engine: 'cryptodev' })),
      await errorOf(() =>
        millrace.createHash('sha256', { engine: 'cryptodev' }).update(Buffer.alloc(5000)).digest(),
      ),
      await errorOf(() => {
        const key = millrace.createKey('aes-256-ctr', Buffer.alloc(32), { engine: 'cryptodev' });
        millrace.cipher('aes-256-ctr', {
          encrypt: true,
          key,
          iv: Buffer.alloc(16),
          source: Buffer.alloc(9),
        });
      }),
    ];
    return {
      errors,
      fallen: await promises.hash('sha256', 'abc', {
        engine: ['cryptodev', 'native'],
        encoding: 'hex',
      }),
      kernel: millrace.hash('sha256', 'abc', { engine: 'kernel', encoding: 'hex' }),
    };
  `);
  for (const { code, message } of result.errors) {
    assert.equal(code, 'ERR_ENGINE_UNAVAILABLE');
    assert.match(message, /\/dev\/crypto is not there \(ENOENT\).*modprobe cryptodev/s);
  }
  assert.deepEqual([result.fallen, result.kernel], [abc, abc]);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['MILLRACE_ENGINE_FALLBACK'],
  );
  assert.match(warnings[0].message, /sha256.*\/dev\/crypto/s);
});

test('crw------- root: the error for an ordinary user has the mode and the remedy', async () => {
  await withDevice({}, async () => {
    assert.equal(statSync('/dev/crypto').mode & 0o777, 0o600);
    const asked = `
      const error = await errorOf(() => promises.hash('sha256', 'abc', { engine: 'cryptodev' }));
      return {
        error,
        fallen: millrace.hash('sha256', 'abc', {
          engine: ['cryptodev', 'native'],
          encoding: 'hex',
        }),
      };`;
    const { result, warnings } = await perform(asked, { way: ways.unprivileged });
    assert.equal(result.error.code, 'ERR_ENGINE_UNAVAILABLE');
    assert.match(result.error.message, /EACCES.*crw------- root.*chmod 666 \/dev\/crypto/s);
    assert.equal(result.fallen, abc);
    assert.equal(warnings.length, 1);
    assert.equal(readAccount().created, 0);
    chmodSync('/dev/crypto', 0o666);
    const allowed = await perform(
      "return millrace.hash('sha256', 'abc', { engine: 'cryptodev', encoding: 'hex' })",
      { way: ways.unprivileged },
    );
    assert.equal(allowed.result, abc);
    assert.ok(readAccount().created > 0);
  });
});

test('algorithms that the kernel behind the device does not have', async () => {
  await withDevice({ missing: [sha512, aesCtr] }, async () => {
    const { result } = await perform(`
      return [
        await errorOf(() => millrace.hash('sha512', 'abc', { engine: 'cryptodev' })),
        await errorOf(() =>
          millrace.cipher('aes-256-ctr', {
            engine: 'cryptodev',
            encrypt: true,
            key: Buffer.alloc(32),
            iv: Buffer.alloc(16),
            source: Buffer.alloc(9),
          }),
        ),
        millrace.hash('sha256', 'abc', { engine: 'cryptodev', encoding: 'hex' }),
      ];
    `);
    for (const error of result.slice(0, 2)) {
      assert.equal(error.code, 'ERR_ENGINE_UNAVAILABLE');
      assert.match(error.message, /ENOENT/);
    }
    assert.match(result[0].message, /sha512/);
    assert.match(result[1].message, /ctr\(aes\)/);
    assert.equal(result[2], abc);
  });
});

test('kernel uses the device for algorithms with an accelerator, else AF_ALG', async () => {
  await withDevice({ accelerated: [sha256, aesCtr] }, async () => {
    const { result } = await perform(`
      const { readFileSync, openSync, readSync, closeSync } = require('node:fs');
      const computed = () => {
        const fd = openSync('/dev/crypto', 'r');
        const room = Buffer.alloc(65536);
        const { crypts, authenticated } = JSON.parse(
          room.toString('utf8', 0, readSync(fd, room, 0, room.length, null)),
        );
        closeSync(fd);
        return crypts + authenticated;
      };
      const data = Buffer.alloc(3000, 9);
      const calls = {
        sha256: () =>
          millrace
            .hash('sha256', data, { engine: 'kernel' })
            .equals(crypto.createHash('sha256').update(data).digest()),
        sha512: () =>
          millrace
            .hash('sha512', data, { engine: 'kernel' })
            .equals(crypto.createHash('sha512').update(data).digest()),
        running: () =>
          millrace
            .createHash('sha256', { engine: 'kernel' })
            .update(data)
            .digest()
            .equals(crypto.createHash('sha256').update(data).digest()),
        hmac: () =>
          millrace
            .hmac('sha256', 'key', data, { engine: 'kernel' })
            .equals(crypto.createHmac('sha256', 'key').update(data).digest()),
        'aes-256-ctr': () =>
          millrace
            .cipher('aes-256-ctr', {
              engine: 'kernel',
              encrypt: true,
              key: Buffer.alloc(32, 1),
              iv: Buffer.alloc(16, 2),
              source: data,
            })
            .equals(
              crypto
                .createCipheriv('aes-256-ctr', Buffer.alloc(32, 1), Buffer.alloc(16, 2))
                .update(data),
            ),
      };
      const outcome = {};
      for (const [name, call] of Object.entries(calls)) {
        const before = computed();
        assert.ok(call(), name);
        outcome[name] = computed() > before ? 'device' : 'sockets';
      }
      return outcome;
    `);
    assert.deepEqual(result, {
      sha256: 'device',
      sha512: 'sockets',
      running: 'device',
      hmac: 'sockets',
      'aes-256-ctr': 'device',
    });
  });
});

test(
  'a device that exits during work: an error, then the next engine, no wrong result',
  { timeout: 300_000 },
  async () => {
    await withDevice({ dieAfter: 5 }, async ({ ended }) => {
      const { result } = await perform(`
        const data = Buffer.alloc(200_000, 3);
        const errors = [];
        for (let index = 0; index < 6; index++) {
          try {
            assert.ok(
              millrace
                .hash('sha256', data, { engine: 'cryptodev' })
                .equals(crypto.createHash('sha256').update(data).digest()),
            );
          } catch (error) {
            errors.push({ code: error.code, message: error.message });
          }
        }
        const fallen = await promises.hash('sha256', data, { engine: ['cryptodev', 'native'] });
        const text = await promises.cipher('aes-128-ctr', {
          engine: ['cryptodev', 'native'],
          encrypt: true,
          key: Buffer.alloc(16),
          iv: Buffer.alloc(16),
          source: data,
        });
        return {
          errors,
          right:
            fallen.equals(crypto.createHash('sha256').update(data).digest()) &&
            text.equals(
              crypto.createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(data),
            ),
        };
    `);
      await ended;
      assert.ok(result.errors.length >= 4, JSON.stringify(result.errors));
      for (const { code, message } of result.errors)
        assert.equal(code, 'ERR_ENGINE_UNAVAILABLE', message);
      assert.equal(result.right, true);
    });
  },
);

test('a running hash fails for good after its device has gone', async () => {
  const device = await startDevice();
  const running = millrace.createHash('sha256', { engine: 'cryptodev' }).update(Buffer.alloc(5000));
  await device.stop();
  assert.throws(
    () => running.update(Buffer.alloc(5000)).digest(),
    ({ code }) => String(code).startsWith('ERR_ENGINE'),
  );
  assert.throws(
    () => running.digest(),
    ({ code }) => /^ERR_(ENGINE|HASHER_SPENT)/.test(code),
  );
});

test('each call finds a device that appears, goes and comes back', async () => {
  const job = { kind: 'hash', algorithm: 'sha1', source: Buffer.from('abc') };
  const key = Buffer.alloc(32, 1);
  unavailable(await errorOf(does(job, 'cryptodev'), 'absent'), /is not there/, 'absent');
  let prepared;
  for (let round = 0; round < 3; round++) {
    await withDevice({}, async () => {
      // At most the first call fails, on a session of the previous device.
      for (let tries = 0; tries < 2; tries++) {
        const error = await does(job, 'cryptodev').then(
          () => undefined,
          (reason) => reason,
        );
        if (error === undefined) break;
        unavailable(error, /has gone/, `round ${round}`);
        assert.equal(tries, 0, error.message);
      }
      right(await does(job, 'cryptodev'), job, `round ${round}`);
      prepared ??= millrace.createKey('aes-256-ctr', key, { engine: 'cryptodev' });
      const text = {
        kind: 'cipher',
        algorithm: 'aes-256-ctr',
        encrypt: true,
        key,
        iv: Buffer.alloc(16, round),
        source: Buffer.alloc(1000),
      };
      right(
        await does({ ...text, key: prepared }),
        text,
        `a key of the first device, round ${round}`,
      );
      assert.ok(readAccount().created > 0);
    });
  }
  unavailable(await errorOf(does(job, 'cryptodev'), 'gone'), /has gone/, 'gone');
  unavailable(
    await errorOf(does(job, 'cryptodev'), 'absent again'),
    /is not there/,
    'absent again',
  );
});
