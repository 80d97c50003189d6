// /dev/crypto as users find it: missing, for root only, without an algorithm, with and without an
// accelerator, removed during work.

import assert from 'node:assert/strict';
import { chmodSync, statSync } from 'node:fs';
import { test } from 'node:test';

import millrace from 'millrace';

import { does } from '../calls.mjs';
import { readAccount, startDevice, withDevice } from '../device/start.mjs';
import { perform, ways } from '../processes.mjs';
import { right, unavailable } from '../verdicts.mjs';

const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const [sha256, sha512, aesCtr] = [104, 106, 21];

/** Calls in programs of `perform`, by name: each takes an engine. */
const calls = `
  const [key, iv, data] = [Buffer.alloc(32, 1), Buffer.alloc(16, 2), Buffer.alloc(3000, 9)];
  const text = { encrypt: true, iv, source: data };
  const calls = {
    sha256: (engine) => millrace.hash('sha256', data, { engine }),
    sha512: (engine) => millrace.hash('sha512', data, { engine }),
    hmac: (engine) => promises.hmac('sha256', 'key', data, { engine }),
    running: (engine) => millrace.createHash('sha256', { engine }).update(data).digest(),
    aes: (engine) => millrace.cipher('aes-256-ctr', { ...text, engine, key }),
    prepared: (engine) =>
      millrace.cipher('aes-256-ctr', {
        ...text,
        key: millrace.createKey('aes-256-ctr', key, { engine }),
      }),
  };`;

test('no device: the error names the remedy', async () => {
  const { result, warnings } = await perform(`${calls}
    const errors = Object.values(calls).map((call) => errorOf(() => call('cryptodev')));
    return {
      errors: await Promise.all(errors),
      fallen: digest(['cryptodev', 'native']),
      kernel: digest('kernel'),
    };
  `);
  for (const { code, message } of result.errors) {
    assert.equal(code, 'ERR_ENGINE_UNAVAILABLE');
    assert.match(message, /\/dev\/crypto is not there \(ENOENT\).*modprobe cryptodev/s);
  }
  assert.deepEqual([result.fallen, result.kernel], [abc, abc]);
  const [{ code, message }, ...others] = warnings;
  assert.equal(code, 'MILLRACE_ENGINE_FALLBACK');
  assert.match(message, /sha256.*\/dev\/crypto/s);
  assert.deepEqual(others, []);
});

test('crw------- root: the error for an ordinary user has the mode and the remedy', () =>
  withDevice({}, async () => {
    assert.equal(statSync('/dev/crypto').mode & 0o777, 0o600);
    const { result, warnings } = await perform(
      "return [await errorOf(() => digest('cryptodev')), digest(['cryptodev', 'native'])]",
      ways.unprivileged,
    );
    const [error, fallen] = result;
    assert.equal(error.code, 'ERR_ENGINE_UNAVAILABLE');
    assert.match(error.message, /EACCES.*crw------- root.*chmod 666 \/dev\/crypto/s);
    assert.equal(fallen, abc);
    assert.equal(warnings.length, 1);
    assert.equal(readAccount().created, 0);
    chmodSync('/dev/crypto', 0o666);
    const allowed = await perform("return digest('cryptodev')", ways.unprivileged);
    assert.equal(allowed.result, abc);
    assert.ok(readAccount().created > 0);
  }));

test('algorithms that the kernel behind the device does not have', () =>
  withDevice({ missing: [sha512, aesCtr] }, async () => {
    const { result } = await perform(`${calls}
      const errors = [calls.sha512, calls.aes].map((call) => errorOf(() => call('cryptodev')));
      return { errors: await Promise.all(errors), good: digest('cryptodev') };
    `);
    for (const [index, name] of [/sha512/, /ctr\(aes\)/].entries()) {
      const { code, message } = result.errors[index];
      assert.equal(code, 'ERR_ENGINE_UNAVAILABLE');
      assert.match(message, /ENOENT/);
      assert.match(message, name);
    }
    assert.equal(result.good, abc);
  }));

test('kernel uses the device for algorithms with an accelerator, else AF_ALG', () =>
  withDevice({ accelerated: [sha256, aesCtr] }, async () => {
    const start = JSON.stringify(new URL('../device/start.mjs', import.meta.url).href);
    const { result } = await perform(`${calls}
      const { readAccount } = await import(${start});
      const outcome = {};
      for (const [name, call] of Object.entries(calls)) {
        const before = readAccount().crypts;
        assert.deepEqual(await call('kernel'), await call('native'), name);
        outcome[name] = readAccount().crypts > before ? 'device' : 'sockets';
      }
      return outcome;
    `);
    assert.deepEqual(result, {
      sha256: 'device',
      sha512: 'sockets',
      hmac: 'sockets',
      running: 'device',
      aes: 'device',
      prepared: 'device',
    });
  }));

test(
  'a device that exits during work: an error, then the next engine, no wrong result',
  { timeout: 300_000 },
  () =>
    withDevice({ dieAfter: 5 }, async ({ ended }) => {
      const { result } = await perform(`
        const data = Buffer.alloc(200_000, 3);
        const hash = (engine) => millrace.hash('sha256', data, { engine });
        const errors = [];
        for (let index = 0; index < 6; index++) {
          try {
            assert.deepEqual(hash('cryptodev'), hash('native'));
          } catch ({ code, message }) {
            errors.push({ code, message });
          }
        }
        const [key, iv] = [Buffer.alloc(16), Buffer.alloc(16)];
        const cipher = (engine) =>
          promises.cipher('aes-128-ctr', { engine, encrypt: true, key, iv, source: data });
        const engine = ['cryptodev', 'native'];
        assert.deepEqual(hash(engine), hash('native'));
        assert.deepEqual(await cipher(engine), await cipher('native'));
        return errors;
    `);
      await ended;
      assert.ok(result.length >= 4, JSON.stringify(result));
      for (const { code, message } of result) assert.equal(code, 'ERR_ENGINE_UNAVAILABLE', message);
    }),
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
  const text = { kind: 'cipher', algorithm: 'aes-256-ctr', encrypt: true, source: Buffer.alloc(9) };
  await unavailable(does(job, 'cryptodev'), /is not there/, 'absent');
  let prepared;
  for (let round = 0; round < 3; round++) {
    await withDevice({}, async () => {
      // At most the first call fails, on a session of the previous device.
      await does(job, 'cryptodev').catch(({ message }) => assert.match(message, /has gone/));
      right(await does(job, 'cryptodev'), job, `round ${round}`);
      prepared ??= millrace.createKey('aes-256-ctr', key, { engine: 'cryptodev' });
      const cipher = { ...text, key, iv: Buffer.alloc(16, round) };
      const what = `a key of the first device, round ${round}`;
      right(await does({ ...cipher, key: prepared }), cipher, what);
      assert.ok(readAccount().created > 0);
    });
  }
  await unavailable(does(job, 'cryptodev'), /has gone/, 'gone');
  await unavailable(does(job, 'cryptodev'), /is not there/, 'absent again');
});
