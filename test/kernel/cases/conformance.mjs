// The conformance suite (test/conformance) with the kernel as the engine: nothing may be wrong, what must be served is, and with another engine behind
// it all is.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { load, openDoors } from '../../conformance/host.mjs';
import { runConformance, summaryOf } from '../../conformance/suite.mjs';
import { columnOf, documented } from '../../../tools/engines-table.mjs';
import { cipherNames, hashNames } from '../../support/algorithms.mjs';
import { startDevice } from '../device/start.mjs';
import { never, served } from '../engines.mjs';

/** All but derivations, which no kernel has, states, which it keeps, and the doors that cannot ask for an engine. */
const families = ['hashes', 'hmacs', 'hashers', 'many', 'ciphers', 'seals', 'keys', 'streams', 'pieces'];

/** The device's answers are slow, three turns through CUSE and a program each. */
const shorter = ['hashes', 'hashers', 'ciphers', 'keys'];

/** One of each kind of those the kernel serves: jobs.mjs has them all. With MILLRACE_KERNEL_ALL in the environment, all of them here too. */
const some = ['sha256', 'aes-256-ctr', 'aes-256-gcm', 'chacha20-poly1305'];
const isWanted = (name) => some.includes(name) || Boolean(process.env.MILLRACE_KERNEL_ALL);

/** Some that it serves, and some that it does not. */
const mixed = ['blake3', 'chacha20', 'aes-128-gcm'];

for (const [engine, list] of Object.entries(served)) {
  describe(engine, () => {
    let device;
    before(async () => {
      if (engine === 'cryptodev') device = await startDevice();
    });
    after(() => device?.stop());

    test('alone, what it serves', async (t) => {
      const { cases } = await run(engine, { families: engine === 'cryptodev' && !process.env.MILLRACE_KERNEL_ALL ? shorter : families, algorithms: [...new Set(Object.values(list).flat())].filter(isWanted) });
      const passed = cases.filter(({ ok }) => ok);
      t.diagnostic(`${passed.length} of ${cases.length} cases by ${engine}`);
      assert.deepEqual(failures(cases.filter((each) => !mayBeRefused(each))), []);
      assert.ok(passed.length > 50, `only ${passed.length} passed`);
      found = cases;
    });

    // What it must serve jobs.mjs tries with every algorithm; here the table has to say so, and with MILLRACE_KERNEL_ALL what the suite says.
    test('as docs/engines.md has it', async (t) => {
      const said = documented(columns[engine]);
      for (const kind of ['hash', 'cipher']) {
        for (const algorithm of list[kind]) assert.ok(/^(yes|digest|cipher|seal|keys)/.test(said[algorithm]), `${algorithm}: ${said[algorithm]}`);
        for (const algorithm of never[engine][kind]) assert.equal(said[algorithm], 'no', algorithm);
      }
      if (!process.env.MILLRACE_KERNEL_ALL) return;
      const known = Object.values(list).flat();
      const { cases } = await run(engine, { families, algorithms: [...hashNames, ...cipherNames].filter((name) => !known.includes(name)) });
      const column = columnOf(summaryOf([...found, ...cases]));
      t.diagnostic(`node tools/engines-table.mjs --column ${columns[engine]} '${JSON.stringify(column)}'`);
      assert.deepEqual(column, said);
    });

    test('alone, refusals and aborts', async () => {
      const { cases } = await run(engine, { families: ['refusals', 'aborts'] });
      assert.deepEqual(failures(cases.filter(({ unavailable, error }) => !unavailable && !/ERR_ENGINE_UNAVAILABLE: key derivation:/.test(error))), []);
    });

    test('with the native engine behind it, all', async () => {
      const { cases } = await run([engine, 'native'], { families, algorithms: mixed });
      assert.deepEqual(failures(cases.filter(({ family }) => family !== 'states')), []);
    });
  });
}

// The state of a running hash is the kernel's, and the suite has messages of AEADs longer than go through in one piece.
function mayBeRefused({ unavailable, family, error }) {
  return unavailable && (family === 'states' || (['ciphers', 'seals', 'keys'].includes(family) && /in one piece|tags of/.test(error)));
}

async function run(engine, which) {
  const doors = await openDoors();
  return runConformance({ ...doors, load, options: { engine }, ...which });
}

function failures(cases) {
  return cases.filter(({ ok }) => !ok).map(({ family, algorithm, name, error }) => `${family}, ${algorithm}, ${name}: ${error}`);
}
