// Tests the guest's kernel and the tests' device without the library: with Python's AF_ALG and a
// client of /dev/crypto in Python.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { deviceFor, readAccount } from '../device/start.mjs';
import { python, pythonAbsent as skip } from '../python.mjs';

describe('AF_ALG of this kernel', () => oracle('af_alg.py'));

describe('the /dev/crypto of these tests', () => {
  deviceFor(skip ? '' : 'cryptodev', { accelerated: [104] });
  oracle('cryptodev.py');

  test('nothing stays open', { skip }, () => {
    const { files, sessions, created, freed } = readAccount();
    assert.deepEqual([files, sessions, created - freed], [0, 0, 0]);
    assert.ok(created > 10);
  });
});

/** Reports each line of the program as a test. */
function oracle(program) {
  test(program, { skip }, async (t) => {
    const { status, stdout, stderr } = python(program);
    const lines = stdout.split(/^(?=ok |not ok )/m).filter(Boolean);
    for (const line of lines)
      await t.test(line.split('\n')[0].replace(/^(not )?ok /, ''), () =>
        assert.match(line, /^ok /, line),
      );
    assert.equal(status, 0, stderr);
    assert.ok(lines.length > 5, `${lines.length} cases: ${stderr}`);
  });
}
