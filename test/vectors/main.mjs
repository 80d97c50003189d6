// Runs published test vectors: node test/vectors/main.mjs DIRECTORY...
// A directory is a checkout or an unpacked package: C2SP/wycheproof, BLAKE3-team/BLAKE3,
// usnistgov/ACVP-Server or paulmillr/acvp-vectors, or PyPI's cryptography-vectors, which has NIST's
// CAVP files and the examples of RFCs.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { acvpFile, textOf } from './acvp.mjs';
import { checkHash, readers } from './suites.mjs';

const all = [...readers, [/\/prompt\.json(\.gz)?$/, acvpFile]];

// The control: a wrong digest is found.
await assert.rejects(checkHash('sha256', Buffer.from('abc'), Buffer.alloc(32)));

const counts = new Map();
let failed = 0;

for (const directory of process.argv.slice(2)) {
  for (const entry of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(directory, entry).replaceAll('\\', '/');
    const [, reader] = all.find(([pattern]) => pattern.test(path)) ?? [];
    if (reader === undefined) continue;
    const name = path
      .replace(/\/prompt\.json.*/, '')
      .split('/')
      .at(-1);
    const results = { passed: 0, failed: 0 };
    for (const { name: test, check } of reader(path, textOf(path))) {
      try {
        await check();
        results.passed++;
      } catch (error) {
        results.failed++;
        if (results.failed <= 3) console.error(`${name}: ${test}: ${error.message}`);
      }
    }
    failed += results.failed;
    if (results.passed + results.failed > 0) counts.set(name, results);
  }
}

for (const [name, results] of counts)
  console.log(
    `${String(results.passed).padStart(7)} passed ${results.failed || 'none'} failed  ${name}`,
  );
const passed = [...counts.values()].reduce((sum, each) => sum + each.passed, 0);
console.log(`${passed} vectors passed, ${failed} failed, of ${counts.size} files`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
