// The conformance suite (test/conformance) with the kernel engine: no wrong result, all required
// algorithms, and with a second engine in the list all algorithms.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { load, openEntryPoints } from '../../conformance/host.mjs';
import { runConformance } from '../../conformance/suite.mjs';
import { startDevice } from '../device/start.mjs';
import { served } from '../engines.mjs';

/** All but key derivation and the entry points that have no engine option. */
const families = [
  'hashes',
  'hmacs',
  'hashers',
  'many',
  'ciphers',
  'seals',
  'keys',
  'streams',
  'pieces',
];

/** The device is slow: each call takes three round trips through CUSE and its program. */
const shorter = ['hashes', 'hashers', 'ciphers', 'keys'];

/** One supported algorithm of each kind; jobs.mjs has all. */
const some = ['sha256', 'aes-256-ctr', 'aes-256-gcm', 'chacha20-poly1305'];

/** Some supported and some unsupported algorithms. */
const mixed = ['blake3', 'chacha20', 'aes-128-gcm'];

/**
 * MILLRACE_KERNEL_ALL runs all algorithms, which takes minutes; its summary is for docs/engines.md.
 */
const all = Boolean(process.env.MILLRACE_KERNEL_ALL);

for (const [engine, list] of Object.entries(served)) {
  describe(engine, () => {
    let device;
    before(async () => {
      if (engine === 'cryptodev') device = await startDevice();
    });
    after(() => device?.stop());

    test('alone, supported algorithms', async (t) => {
      const algorithms = Object.values(list).flat();
      const { cases, summary } = await run(
        engine,
        all
          ? { families }
          : {
              families: engine === 'cryptodev' ? shorter : families,
              algorithms: some.filter((name) => algorithms.includes(name)),
            },
      );
      const passed = cases.filter(({ ok }) => ok);
      t.diagnostic(`${passed.length} of ${cases.length} cases by ${engine}`);
      assert.deepEqual(
        failures(
          cases.filter(
            (each) =>
              !each.unavailable || (algorithms.includes(each.algorithm) && !mayBeRefused(each)),
          ),
        ),
        [],
      );
      assert.ok(passed.length > 50, `only ${passed.length} passed`);
      if (all && process.env.shared)
        writeFileSync(join(process.env.shared, `conformance-${engine}`), JSON.stringify(summary));
    });

    test('alone, refusals and aborts', async () => {
      const { cases } = await run(engine, { families: ['refusals', 'aborts'] });
      assert.ok(cases.some(({ ok }) => ok));
      assert.deepEqual(
        failures(
          cases.filter(
            ({ unavailable, error }) =>
              !unavailable && !/ERR_ENGINE_UNAVAILABLE: key derivation:/.test(error),
          ),
        ),
        [],
      );
    });

    test('with the native engine as second, all algorithms', async () => {
      const { cases } = await run([engine, 'native'], { families, algorithms: mixed });
      assert.deepEqual(failures(cases.filter(({ family }) => family !== 'states')), []);
    });
  });
}

// States cannot be exported, the suite has AEAD messages that are too long for one piece, and the
// kernel does not have every HMAC.
function mayBeRefused({ unavailable, family, error }) {
  return (
    unavailable &&
    (family === 'states' ||
      (['ciphers', 'seals', 'keys', 'streams'].includes(family) &&
        /in one piece|tags of/.test(error)))
  );
}

async function run(engine, which) {
  const entryPoints = await openEntryPoints();
  return runConformance({ ...entryPoints, load, options: { engine }, ...which });
}

function failures(cases) {
  return cases
    .filter(({ ok }) => !ok)
    .map(({ family, algorithm, name, error }) => `${family}, ${algorithm}, ${name}: ${error}`);
}
