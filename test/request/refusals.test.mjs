// Every call refuses invalid values of each argument and each option as refusals.json records:
// with the same code and message in each entry point and with a callback.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { calls, MARKER, outcomeOf, recordsOf } from './refusals.mjs';

const recorded = JSON.parse(readFileSync(new URL('refusals.json', import.meta.url), 'utf8'));

const isPortable = process.env.MILLRACE_ENGINE === 'portable';
/** Those of decodeSlice read values that results of refused calls overwrite on another engine. */
const isRefused = ({ title }) =>
  /^(\w*[hH]pke|privateDecrypt|publicEncrypt|sign\(sha256|signMany|verifyMany|decodeSlice)/.test(
    title,
  );
/** The key of a call is of the default engine: no other can be named. */
const isOther = (place) => isPortable && place.endsWith('.engine');
const hasKey = /^((de|en)capsulate|diffieHellman|generateKeyPair|sign|verify)$/;

for (const call of calls)
  test(`${call.title}: refuses invalid arguments as recorded`, async (t) => {
    if (isPortable && isRefused(call)) return t.skip('refused there, or asynchronous');
    const isCompared = ([place]) => !(hasKey.test(call.name) && isOther(place));
    const records = (await recordsOf(call)).filter(isCompared);
    assert.ok(records.length > 3, 'few values are refused');
    const expected = recorded[call.title].filter(isCompared);
    assert.deepEqual(records, expected, 'node test/request/refusals.mjs records anew');
  });

test('the record has the calls of all exports', () => {
  assert.deepEqual(
    Object.keys(recorded),
    calls.map(({ title }) => title),
  );
});

test('no error repeats a string of the caller, even with swapped arguments', async () => {
  for (const { args, ways } of calls) {
    const [first, ...others] = args();
    for (const given of [args().fill(MARKER), [...others, first], [MARKER, ...others]])
      for (const [way, call] of Object.entries(ways)) await outcomeOf(way, call, given);
  }
});
