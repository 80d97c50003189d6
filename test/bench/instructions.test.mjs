// The instruction records: no call may need 2 % more than bench/records says. Where the record does
// not hold (another compiler, profile, CPU or architecture, no valgrind) the count is skipped, or
// with MILLRACE_INSTRUCTIONS=required fails: a job of the workflow has the record's conditions.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { calls } from '../../bench/instructions/calls.mjs';
import { costsOf, countInstructions } from '../../bench/instructions/callgrind.mjs';
import { conditionsHere } from '../../bench/instructions/conditions.mjs';
import { changes, comparable, readRecord, writeRecord } from '../../bench/instructions/record.mjs';

const folder = mkdtempSync(join(tmpdir(), 'millrace-instructions-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const names = calls.map(({ name }) => name);
const conditions = {
  platform: 'linux-x64-gnu',
  cpu: 'avx2',
  valgrind: 'valgrind-3',
  compilers: 'rustc 1',
  profile: 'Cargo.toml',
  node: 'v20',
  libc: '2.36',
};
const count = (native, total) => ({ native, total, javascript: 0, node: 0 });

test('a file of callgrind: the cost of each object, without that of called functions', () => {
  const text = [
    'version: 1',
    'events: Ir',
    'ob=(1) /usr/bin/node',
    'fn=(1) main',
    '0 10',
    'cob=(2) /a/millrace.node',
    'cfn=(2) hash',
    'calls=3 0 ',
    '0 900',
    '+2 5',
    'ob=(3) ???',
    'fn=(3) 0x1',
    '0 7',
    'ob=(2)',
    'fn=(2)',
    '0 300',
    '* 4',
    'totals: 326',
  ].join('\n');
  assert.deepEqual(
    [...costsOf(text)],
    [
      ['node', 15],
      ['javascript', 7],
      ['native', 304],
    ],
  );
});

test('a record is compared only where it holds', () => {
  const record = { conditions, calls: {} };
  assert.deepEqual(comparable(record, conditions), { parts: ['native', 'total'] });
  const other = comparable(record, { ...conditions, node: 'v22' });
  assert.deepEqual(other, { parts: ['native'], reason: 'node: recorded with v20, here v22' });
  for (const name of ['cpu', 'valgrind', 'compilers', 'profile', 'platform'])
    assert.deepEqual(comparable(record, { ...conditions, [name]: 'x' }).parts, []);
  assert.deepEqual(comparable(undefined, conditions).parts, []);
});

test('2 % more is a failure, less is none, and a record survives being written', () => {
  const path = join(folder, 'record.json');
  writeRecord(path, conditions, new Map([['a "b"', count(1000, 5000.4)]]));
  const record = readRecord(path);
  assert.deepEqual(record, { conditions, calls: { 'a "b"': { native: 1000, total: 5000 } } });
  const failed = (native, total) =>
    changes(record, new Map([['a "b"', count(native, total)]]), ['native', 'total'])
      .filter((change) => change.failed)
      .map(({ part }) => part);
  assert.deepEqual(failed(1020, 5100), []);
  assert.deepEqual(failed(1021, 10), ['native']);
  assert.deepEqual(failed(10, 5101), ['total']);
});

test('names are unique, and the record has every call', () => {
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    Object.keys(readRecord()?.calls ?? {}),
    names,
    'npm run bench -- instructions --accept writes a new record',
  );
});

test('no call needs 2 % more instructions than the record says', async (t) => {
  const missing = (reason) =>
    process.env.MILLRACE_INSTRUCTIONS === 'required' ? assert.fail(reason) : t.skip(reason);
  const here = conditionsHere();
  if ('reason' in here) return missing(here.reason);
  const record = readRecord();
  const { parts, reason } = comparable(record, here.conditions);
  if (parts.length === 0) return missing(reason);
  if (reason !== undefined) t.diagnostic(`only native code is compared: ${reason}`);
  const failed = changes(record, await countInstructions(names), parts)
    .filter((change) => change.failed)
    .map(({ name, part, before, now }) => `${name}, ${part}: ${before} before, ${now} now`);
  assert.deepEqual(failed, [], 'if it must be: npm run bench -- instructions --accept');
});
