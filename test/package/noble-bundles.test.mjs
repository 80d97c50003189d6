// Bundles for Node.js under the overrides of noble: they are small, compute with the portable
// engine, and with the Millrace that is installed above them. The bundlers but esbuild are those
// of test/bundlers: `npm run test:bundlers` installs them.

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { gcm } from '@noble/ciphers/aes.js';
import { blake256 } from '@noble/hashes/blake1.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

import { installed } from '../../tools/install.mjs';
import { builders } from '../bundlers/build-server.mjs';
import { root, run, temporary } from '../support/child.mjs';
import { layOutOverrides } from '../support/noble-overrides.mjs';

const missing =
  !installed(join(root, 'test', 'bundlers')) &&
  'not run: the bundlers are not installed (npm run test:bundlers)';

/** A bundle may have so many bytes, compressed: all of Millrace has ten times that. */
const SMALL = 70 * 1024;

/** Returns answers of these functions as hex. */
function answersOf({ blake256, gcm, hmac, sha256 }) {
  const zeros = new Uint8Array(32);
  const digests = [
    sha256(zeros),
    hmac(sha256, zeros, zeros),
    // Millrace lacks blake256: noble's own HMAC.
    hmac(blake256, zeros, zeros),
    gcm(zeros, zeros.subarray(0, 12)).encrypt(zeros),
  ];
  return digests.map((each) => Buffer.from(each).toString('hex'));
}
const expected = answersOf({ blake256, gcm, hmac, sha256 });

const project = temporary();
before(async () => {
  await layOutOverrides(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n');
  writeFileSync(
    join(project, 'server.mjs'),
    `import { gcm } from '@noble/ciphers/aes.js';
    import { blake256 } from '@noble/hashes/blake1.js';
    import { hmac } from '@noble/hashes/hmac.js';
    import { sha256 } from '@noble/hashes/sha2.js';
    globalThis.used = { gcm, hmac, sha256 };
    globalThis.answers = (${answersOf})({ blake256, gcm, hmac, sha256 });`,
  );
});
after(() => rmSync(project, { recursive: true, force: true }));

/**
 * Runs a bundle. Resolves to its answers, and to the names of the functions that are those of the
 * installed Millrace.
 */
async function runBundle(file, engine = '') {
  const url = JSON.stringify(pathToFileURL(file));
  const source = `
    import { createRequire } from 'node:module';
    await import(${url});
    const { answers, used } = globalThis;
    const found = {};
    try {
      for (const path of ['ciphers/aes', 'hashes/hmac', 'hashes/sha2'])
        Object.assign(found, createRequire(${url})('millrace/noble-' + path + '.js'));
    } catch {}
    const same = Object.keys(used).filter((name) => used[name] === found[name]);
    console.log(JSON.stringify({ answers, same }));`;
  const env = { MILLRACE_ENGINE: engine };
  const { code, stdout, stderr } = await run(source, { esm: true, bare: true, env });
  return { code, stderr, ...(code === 0 ? JSON.parse(stdout) : {}) };
}

for (const name of ['esbuild (esm)', 'esbuild (cjs)', 'webpack', 'rollup', 'Vite SSR'])
  test(
    `${name}: a bundle for Node.js`,
    { skip: !name.startsWith('esbuild') && missing },
    async (t) => {
      const built = await builders[name](project, join(project, 'out', name.replace(/\W/g, '')));
      const size = gzipSync(readFileSync(built), { level: 9 }).length;
      t.diagnostic(`${size} bytes compressed`);
      assert.ok(size < SMALL, `${size} bytes compressed`);

      const place = temporary();
      t.after(() => rmSync(place, { recursive: true, force: true }));
      const file = join(place, basename(built));
      copyFileSync(built, file);
      const { stderr, ...alone } = await runBundle(file);
      assert.deepEqual(alone, { code: 0, answers: expected, same: [] });
      assert.equal(stderr.match(/MILLRACE_NO_BINARY/g)?.length, 1, stderr);
      assert.equal((await runBundle(file, 'portable')).stderr, '');
      assert.match((await runBundle(file, 'native')).stderr, /ERR_ENGINE_UNAVAILABLE/);

      const modules = join(place, 'node_modules');
      mkdirSync(modules);
      symlinkSync(root, join(modules, 'millrace'), 'junction');
      const same = ['gcm', 'hmac', 'sha256'];
      assert.deepEqual(await runBundle(file), { code: 0, stderr: '', answers: expected, same });

      // Another package of that name: as without a bundle, an error.
      rmSync(join(modules, 'millrace'));
      mkdirSync(join(modules, 'millrace'));
      writeFileSync(
        join(modules, 'millrace', 'package.json'),
        '{ "exports": { "./package.json": "./package.json" } }',
      );
      assert.match((await runBundle(file)).stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/);
    },
  );
