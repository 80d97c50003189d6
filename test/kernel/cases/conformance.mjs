// The conformance suite (test/conformance) with the kernel engine: no wrong result, all required
// algorithms, and with a second engine in the list all algorithms.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { load, openEntryPoints } from '../../conformance/host.mjs';
import { runConformance } from '../../conformance/suite.mjs';
import { deviceFor } from '../device/start.mjs';
import { served } from '../engines.mjs';

/** All but key derivation and the entry points that have no engine option. */
const families = {
  af_alg: 'hashes hmacs hashers many ciphers seals keys streams pieces'.split(' '),
  /** The device is slow: each call takes three round trips through CUSE and its program. */
  cryptodev: ['hashes', 'hashers', 'ciphers', 'keys'],
};

/** One supported algorithm of each kind; jobs.mjs has all. */
const some = ['sha256', 'aes-256-ctr', 'aes-256-gcm', 'chacha20-poly1305'];

/** An unsupported one, whose state is shorter than a handle. */
const unsupported = 'crc32';

/** Some supported and some unsupported algorithms. */
const mixed = ['blake3', 'chacha20', 'aes-128-gcm'];

/**
 * MILLRACE_KERNEL_ALL runs all algorithms, which takes minutes; its summary is for docs/engines.md.
 */
const all = Boolean(process.env.MILLRACE_KERNEL_ALL);

for (const [engine, list] of Object.entries(served)) {
  describe(engine, () => {
    deviceFor(engine);

    test('alone, supported algorithms', async (t) => {
      const algorithms = Object.values(list).flat();
      const fewer = some.filter((name) => algorithms.includes(name));
      const { cases, summary } = await run(
        engine,
        all
          ? { families: families.af_alg }
          : { families: families[engine], algorithms: [...fewer, unsupported] },
      );
      const passed = cases.filter(({ ok }) => ok);
      t.diagnostic(`${passed.length} of ${cases.length} cases by ${engine}`);
      expectNoFailures(
        cases.filter(
          (each) =>
            !each.unavailable || (algorithms.includes(each.algorithm) && !mayBeRefused(each)),
        ),
      );
      assert.ok(passed.length > 50, `only ${passed.length} passed`);
      if (all && process.env.shared)
        writeFileSync(join(process.env.shared, `conformance-${engine}`), JSON.stringify(summary));
    });

    test('alone, refusals and aborts', async () => {
      const { cases } = await run(engine, { families: ['refusals', 'aborts'] });
      assert.ok(cases.some(({ ok }) => ok));
      expectNoFailures(
        cases.filter(
          ({ unavailable, error }) =>
            !unavailable && !/ERR_ENGINE_UNAVAILABLE: key derivation:/.test(error),
        ),
      );
    });

    test('with the native engine as second, all algorithms', async () => {
      const { cases } = await run([engine, 'native'], {
        families: families.af_alg,
        algorithms: mixed,
      });
      expectNoFailures(cases.filter(({ family }) => family !== 'states'));
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

function expectNoFailures(cases) {
  const failures = cases.filter(({ ok }) => !ok);
  assert.deepEqual(
    failures.map(
      ({ family, algorithm, name, error }) => `${family}, ${algorithm}, ${name}: ${error}`,
    ),
    [],
  );
}
