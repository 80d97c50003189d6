// What is measured on this machine, and kept for later processes.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import millrace, { MillraceError } from 'millrace';
import promises from 'millrace/promises';

import { root } from './support/child.mjs';

const folder = mkdtempSync(join(tmpdir(), 'millrace-calibration-'));
const file = join(folder, 'cache', 'calibration.json');
after(() => rmSync(folder, { recursive: true }));

/** What a process says of itself that finds `text` in its cache. */
function later(text, program = '', env = {}) {
  if (text !== undefined) writeFileSync(file, text, { mode: 0o600 });
  const source = `const millrace = require('millrace'); const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    (async () => { ${program}; const { calibration, costs } = millrace.engines(); console.log(JSON.stringify({ calibration, costs })); })();`;
  return JSON.parse(execFileSync(process.execPath, ['-e', source], { cwd: root, encoding: 'utf8', env: { ...process.env, MILLRACE_CACHE: join(folder, 'cache'), ...env } }));
}

const measure = `await require('millrace/promises').calibrate()`;
let kept;

test('what was measured is kept, for its owner only, and later processes go by it', () => {
  const first = later(undefined, measure);
  assert.equal(first.calibration.file, file);
  assert.equal(statSync(file).mode & 0o777, process.platform === 'win32' ? statSync(file).mode & 0o777 : 0o600);
  assert.ok(Object.values(first.costs).every(({ measured }) => measured));
  assert.ok(first.calibration.inline >= 100 && first.calibration.inline <= 1000);
  kept = readFileSync(file, 'utf8');
  const second = later();
  assert.deepEqual(second.calibration, first.calibration);
  for (const [name, cost] of Object.entries(first.costs)) {
    const { fixed, perByte, measured } = second.costs[name];
    assert.ok(measured, name);
    for (const [found, expected] of [[fixed, cost.fixed], [perByte, cost.perByte]]) assert.ok(Math.abs(found - expected) <= 0.001 * Math.abs(expected) + 0.1, `${name}: ${found}, ${expected}`);
  }
});

test('what is stale, damaged, of another machine or another format is not there, and does no harm', () => {
  const whole = JSON.parse(kept);
  const changed = [
    { ...whole, format: whole.format + 1 },
    { ...whole, machine: 'another' },
    { ...whole, inline: 'much' },
    { ...whole, inline: -1 },
    { ...whole, portableTo: { sha256: 1e9 } },
    { ...whole, portableTo: null },
    { ...whole, prices: [[[1, 2]], []] },
    { ...whole, prices: [[[1, 2, null]], []] },
    null,
    [],
    7,
  ].map((value) => JSON.stringify(value));
  for (const text of ['', kept.slice(0, -20), '\0\0', ' '.repeat(100_000) + kept, ...changed]) assert.equal(later(text).calibration, undefined, text.slice(0, 80));
  assert.notEqual(later(kept).calibration, undefined, 'as it was');
});

test('numbers are believed within reason only', () => {
  const { machine, ...rest } = JSON.parse(kept);
  const wild = { machine, ...rest, inline: 1e9, prices: rest.prices.map((table) => table.map(() => [1e9, 1e9, 1e9])) };
  const { calibration, costs } = later(JSON.stringify(wild), '', { MILLRACE_CACHE: join(folder, 'cache') });
  const table = later(undefined, '', { MILLRACE_COST: 'table', MILLRACE_CACHE: 'off' }).costs;
  assert.equal(calibration.inline, 1e9);
  for (const [name, cost] of Object.entries(costs)) assert.ok(cost.fixed <= 8.01 * table[name].fixed && cost.perByte <= 8.01 * table[name].perByte, name);
});

test('what others could have written is not read', { skip: process.platform === 'win32' }, () => {
  writeFileSync(file, kept);
  chmodSync(file, 0o666);
  assert.equal(later().calibration, undefined);
  chmodSync(file, 0o600);
  assert.notEqual(later().calibration, undefined);
});

test('MILLRACE_CACHE=off, and { store: false }: nothing is kept', () => {
  rmSync(file);
  const off = later(undefined, measure, { MILLRACE_CACHE: 'off' });
  assert.equal(off.calibration.file, undefined);
  const unstored = later(undefined, `await require('millrace/promises').calibrate({ store: false })`);
  assert.equal(unstored.calibration.file, undefined);
  assert.equal(existsSync(file), false);
});

test('a cache folder that cannot be written is an error of the call, and what was measured holds', () => {
  writeFileSync(join(folder, 'in the way'), '');
  const program = `const error = await require('millrace/promises').calibrate().then(() => undefined, (error) => error);
    if (!['ENOTDIR', 'EEXIST', 'ENOENT'].includes(error?.code)) throw new Error(String(error))`;
  const { costs } = later(undefined, program, { MILLRACE_CACHE: join(folder, 'in the way', 'cache') });
  assert.ok(costs.sha256.measured);
});

test('tiny messages that JavaScript hashes sooner are hashed by it, rightly', () => {
  const all = Object.fromEntries(millrace.getHashes().filter((name) => !name.startsWith('shake')).map((name) => [name, 64]));
  const text = JSON.stringify({ ...JSON.parse(kept), portableTo: all });
  const digests = `const seen = []; for (const size of [0, 1, 63, 64, 65, 200]) for (const name of ${JSON.stringify(Object.keys(all))})
    seen.push(millrace.hash(name, Buffer.alloc(size, 7), 'hex'), millrace.hash(name, Buffer.alloc(size, 7)).toString('hex'), millrace.hash(name, 'x'.repeat(size), 'bigint').toString(16), millrace.createHash(name).update('x'.repeat(size)).digest('hex'));
    console.log(JSON.stringify(seen)); process.exit()`;
  writeFileSync(file, text, { mode: 0o600 });
  const run = (cache) => execFileSync(process.execPath, ['-e', `const millrace = require('millrace'); ${digests}`], { cwd: root, encoding: 'utf8', env: { ...process.env, MILLRACE_CACHE: cache } });
  assert.equal(run(join(folder, 'cache')), run('off'));
  assert.ok(run('off').includes(createHash('sha256').update(Buffer.alloc(64, 7)).digest('hex')));
});

test('arguments', async () => {
  assert.throws(() => millrace.calibrate(), { code: 'ERR_MISSING_ARGUMENT' });
  assert.throws(() => millrace.calibrate({}, 7), { code: 'ERR_ARGUMENT_TYPE' });
  await assert.rejects(promises.calibrate(7), { code: 'ERR_ARGUMENT_TYPE' });
  await assert.rejects(promises.calibrate({ store: 1 }), (error) => error instanceof MillraceError && error.code === 'ERR_ARGUMENT_TYPE');
  const [error, found] = await new Promise((resolve) => millrace.calibrate({ store: false }, (...outcome) => resolve(outcome)));
  assert.equal(error, undefined);
  assert.deepEqual(found, millrace.engines().calibration);
});
