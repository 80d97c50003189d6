// The conformance suite (test/conformance) with the kernel as the engine: nothing may be wrong, what must be served is, and with another engine behind
// it all is.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { load, openDoors } from '../../conformance/host.mjs';
import { runConformance } from '../../conformance/suite.mjs';
import { startDevice } from '../device/start.mjs';
import { served } from '../engines.mjs';

/** All but derivations, which no kernel has, and the doors that cannot ask for an engine. */
const families = ['hashes', 'hmacs', 'hashers', 'many', 'ciphers', 'seals', 'keys', 'streams', 'pieces', 'refusals', 'aborts'];
const kinds = { hashes: 'hash', hmacs: 'hmac', ciphers: 'cipher', seals: 'cipher' };

for (const [engine, list] of Object.entries(served)) {
  describe(engine, () => {
    let device;
    before(async () => {
      if (engine === 'cryptodev') device = await startDevice();
    });
    after(() => device?.stop());

    test('alone', async (t) => {
      const { cases } = await run(engine);
      const passed = cases.filter(({ ok }) => ok);
      t.diagnostic(`${passed.length} of ${cases.length} cases by ${engine}`);
      assert.deepEqual(failures(cases.filter(({ unavailable }) => !unavailable)), []);
      for (const [family, kind] of Object.entries(kinds)) {
        for (const algorithm of list[kind]) {
          const own = cases.filter((each) => each.family === family && each.algorithm === algorithm);
          assert.ok(own.every(({ ok }) => ok), failures(own).slice(0, 3).join('\n'));
        }
      }
      assert.ok(passed.length > 300, `only ${passed.length} passed`);
    });

    test('with the native engine behind it', async () => {
      const { cases } = await run([engine, 'native']);
      assert.deepEqual(failures(cases), []);
    });
  });
}

async function run(engine) {
  const doors = await openDoors();
  return runConformance({ ...doors, load, options: { engine }, families });
}

function failures(cases) {
  return cases.filter(({ ok }) => !ok).map(({ family, algorithm, name, error }) => `${family}, ${algorithm}, ${name}: ${error}`);
}
