// Millrace keeps no file: whatever lies in the user's folders is neither opened, nor looked for,
// nor changed.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { requiring, root, run, temporary } from '../support/child.mjs';

const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The folders in which a program of this user could keep something, by the variable that names
 * each.
 */
const names = ['HOME', 'LOCALAPPDATA', 'MILLRACE_CACHE'].concat(
  ['CACHE', 'CONFIG', 'DATA', 'STATE'].map((kind) => `XDG_${kind}_HOME`),
);
const env = Object.fromEntries(names.map((name) => [name, join(folder, name)]));

/**
 * The files of measurements of builds before the first release: a FIFO there blocks code that opens
 * it.
 */
const places = [
  'MILLRACE_CACHE',
  'XDG_CACHE_HOME/millrace',
  'HOME/.cache/millrace',
  'HOME/Library/Caches/millrace',
  'LOCALAPPDATA/millrace/cache',
];

const program = `(async () => {
  millrace.hash('sha256', 'x');
  await promises.hash('sha256', Buffer.alloc(1 << 20), { route: 'pool' });
  await promises.scrypt('password', 'salt', 32, { N: 1024 });
  await promises.hashFile('sha256', process.execPath);
  millrace.engines();
  console.log('done');
})();`;

function plant() {
  for (const place of places) {
    mkdirSync(join(folder, place), { recursive: true });
    const file = join(folder, place, 'calibration.json');
    if (!existsSync(file)) execFileSync('mkfifo', ['-m', '600', file]);
  }
}

/** Returns every name below the folder, with what a write would change. */
function listing() {
  return readdirSync(folder, { recursive: true })
    .sort()
    .map((name) => {
      const { mode, size, mtimeMs, ctimeMs, ino } = statSync(join(folder, name));
      return { name, mode, size, mtimeMs, ctimeMs, ino };
    });
}

test(
  'a FIFO in the place of a cache hangs nothing, and the folders stay as they are',
  { skip: process.platform === 'win32' ? 'no FIFOs here' : false },
  async () => {
    plant();
    const before = listing();
    assert.ok(before.length >= 2 * places.length);
    const { code, stdout, stderr } = await run(program, { env });
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'done\n', stderr: '' });
    assert.deepEqual(listing(), before);
  },
);

test('no path below them is even looked at', { skip: noStrace() }, () => {
  mkdirSync(folder, { recursive: true });
  const trace = join(folder, 'trace');
  const source = `${requiring()}\n${program}`;
  const { status, stdout, stderr } = spawnSync(
    'strace',
    ['-f', '-qq', '-e', 'trace=file', '-o', trace, process.execPath, '-e', source],
    { encoding: 'utf8', env: { ...process.env, ...env }, timeout: 300_000 },
  );
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'done\n', stderr: '' });
  const seen = readFileSync(trace, 'utf8').split('\n');
  // The trace shows what it should: the binary was opened.
  assert.ok(seen.some((line) => /\.node"/.test(line) && /^\d+ +open/.test(line)));
  const below = (line) => line.includes(folder) && !/\bexecve\(/.test(line);
  const kept = (line) => /calibration|O_CREAT/.test(line) && !/\/dev\/|\/proc\//.test(line);
  for (const wrong of [below, kept]) assert.deepEqual(seen.filter(wrong), []);
});

/** Returns false where strace runs, else why the test is skipped. */
function noStrace() {
  const { status, stderr, error } = spawnSync(
    'strace',
    ['-qq', '-e', 'trace=none', process.execPath, '-e', '0'],
    { encoding: 'utf8', cwd: root },
  );
  if (error !== undefined) return 'strace is not installed';
  return status === 0 ? false : `strace: ${stderr.trim().split('\n')[0]}`;
}
