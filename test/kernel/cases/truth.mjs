// The kernel and the device of these tests by themselves, without the library: Python's own AF_ALG, and a client of /dev/crypto in Python.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { readAccount, startDevice } from '../device/start.mjs';

// Where the interpreter of this machine is, is said by what boots the guest.
const python = process.env.PYTHON;
const absent = python ? false : 'not run: no python3 on this machine';

describe('AF_ALG of this kernel', () => judge('af_alg.py'));

describe('the /dev/crypto of these tests', () => {
  let device;
  before(async () => {
    if (!absent) device = await startDevice({ accelerated: [104] });
  });
  after(() => device?.stop());
  judge('cryptodev.py');

  test('nothing stays open', { skip: absent }, () => {
    const { files, sessions, created, freed } = readAccount();
    assert.deepEqual({ files, sessions, left: created - freed }, { files: 0, sessions: 0, left: 0 });
    assert.ok(created > 10);
  });
});

/** One test for each line that the program tells. */
function judge(program) {
  test(program, { skip: absent }, async (t) => {
    const { status, stdout, stderr } = spawnSync(python, ['-B', fileURLToPath(new URL(`../truth/${program}`, import.meta.url))], { encoding: 'utf8', timeout: 60_000 });
    const lines = stdout.split(/^(?=ok |not ok )/m).filter(Boolean);
    for (const line of lines) await t.test(line.split('\n')[0].replace(/^(not )?ok /, ''), () => assert.match(line, /^ok /, line));
    assert.equal(status, 0, stderr);
    assert.ok(lines.length > 5, `${lines.length} cases: ${stderr}`);
  });
}
