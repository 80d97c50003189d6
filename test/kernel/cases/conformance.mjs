// The conformance suite (test/conformance) with the kernel as the engine: nothing may be wrong,
// what must be served is, and with another engine behind it all is.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { load, openDoors } from '../../conformance/host.mjs';
import { runConformance } from '../../conformance/suite.mjs';
import { startDevice } from '../device/start.mjs';
import { served } from '../engines.mjs';

/** All but derivations, which no kernel has, and the doors that cannot ask for an engine. */
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

/** The device's answers are slow, three turns through CUSE and a program each. */
const shorter = ['hashes', 'hashers', 'ciphers', 'keys'];

/** One of each kind of those the kernel serves: jobs.mjs has them all. */
const some = ['sha256', 'aes-256-ctr', 'aes-256-gcm', 'chacha20-poly1305'];

/** Some that it serves, and some that it does not. */
const mixed = ['blake3', 'chacha20', 'aes-128-gcm'];

/**
 * With MILLRACE_KERNEL_ALL in the environment everything is asked for, which takes minutes, and the
 * summary is for docs/engines.md.
 */
const all = Boolean(process.env.MILLRACE_KERNEL_ALL);

for (const [engine, list] of Object.entries(served)) {
  describe(engine, () => {
    let device;
    before(async () => {
      if (engine === 'cryptodev') device = await startDevice();
    });
    after(() => device?.stop());

    test('alone, what it serves', async (t) => {
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

    test('with the native engine behind it, all', async () => {
      const { cases } = await run([engine, 'native'], { families, algorithms: mixed });
      assert.deepEqual(failures(cases.filter(({ family }) => family !== 'states')), []);
    });
  });
}

// The state of a running hash is the kernel's, the suite has messages of AEADs longer than go
// through in one piece, and not every hash has an HMAC there.
function mayBeRefused({ unavailable, family, error }) {
  return (
    unavailable &&
    (family === 'states' ||
      (['ciphers', 'seals', 'keys', 'streams'].includes(family) &&
        /in one piece|tags of/.test(error)))
  );
}

async function run(engine, which) {
  const doors = await openDoors();
  return runConformance({ ...doors, load, options: { engine }, ...which });
}

function failures(cases) {
  return cases
    .filter(({ ok }) => !ok)
    .map(({ family, algorithm, name, error }) => `${family}, ${algorithm}, ${name}: ${error}`);
}
