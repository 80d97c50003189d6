// The runner of `npm run test:public-keys`, on some vectors in the formats that it reads.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';

import { root, temporary } from '../support/child.mjs';

const vectors = JSON.parse(readFileSync(join(root, 'test', 'vectors', 'public-keys.json'), 'utf8'));
const ofKind = (name) => vectors.filter(({ kind }) => kind === name);
const result = 'valid';

/** Writes vectors with `change` made to each answer. Returns their folder. */
function write(change) {
  const folder = temporary();
  const files = {
    '8032-eddsa/ed25519.json': ofKind('ed25519').map((each) => ({
      ...each,
      secretKey: each.private,
      publicKey: each.public,
      signature: change(each.signature),
    })),
    'testvectors_v1/ecdh_secp256r1_ecpoint_test.json': {
      testGroups: ofKind('ecdh').map(({ algorithm: curve, peer, secret, ...test }) => ({
        type: 'EcdhEcpointTest',
        curve,
        tests: [{ ...test, public: peer, shared: change(secret), result }],
      })),
    },
    'testvectors_v1/mlkem_768_test.json': {
      testGroups: ofKind('ml-kem').map(({ algorithm, seed, ciphertext: c, secret }) => ({
        type: 'MLKEMTest',
        parameterSet: algorithm,
        tests: [{ seed, c, K: change(secret), result }],
      })),
    },
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(content));
  }
  return folder;
}

/** Runs the vectors of a folder. Returns passed and failed of each entry point, and the text. */
function run(folder) {
  const program = join(root, 'test', 'public-keys', 'vectors.mjs');
  const options = /** @type {const} */ ({ encoding: 'utf8' });
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, folder], options);
  assert.equal(stderr, '');
  const rows = stdout.matchAll(/^(\S.*), Node .*\n(?: .*\n)*? {2}total +(\d+) +(\d+)/gm);
  const entries = [...rows].map(([, name, passed, failed]) => [
    name,
    Number(passed),
    Number(failed),
  ]);
  return { status, stdout, entries };
}

test('every entry point gives the published answers', () => {
  const { status, stdout, entries } = run(write((answer) => answer));
  assert.equal(status, 0, stdout);
  assert.match(stdout, / 0 failed only with Millrace\n$/);
  const served = entries.filter(([name]) => /^millrace(\/promises)?$/.test(name));
  assert.deepEqual(served, [
    ['millrace', 10, 0],
    ['millrace/promises', 10, 0],
  ]);
});

test('a changed answer fails in every entry point', () => {
  const { stdout, entries } = run(
    write((hex) => hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0')),
  );
  assert.ok(entries.length >= 3);
  for (const [, passed, failed] of entries) assert.deepEqual([passed, failed], [0, 10], stdout);
});
