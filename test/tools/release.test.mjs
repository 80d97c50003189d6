// Names, versions and order of what is published, and what publishing refuses. The rehearsal
// (`npm run release -- --rehearse`) does the rest.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';

import { names, publishingOrder, standIns, tagOf } from '../../tools/release/names.mjs';
import { projectFields, standInVersion } from '../../tools/manifests.mjs';
import { stagingServer } from '../../tools/release/staging.mjs';
import { root } from '../../tools/steps.mjs';
import { temporary } from '../support/child.mjs';

test('platforms come before millrace, and what depends on it comes after', () => {
  const at = publishingOrder.indexOf('millrace');
  assert.equal(publishingOrder.slice(0, at).length, 8);
  assert.deepEqual(publishingOrder.slice(at + 1), standIns);
  assert.equal(new Set(publishingOrder).size, publishingOrder.length);
  assert.ok(names.includes('millrace') && names.includes('@millrace/linux-x64-gnu'));
  assert.ok(
    names.includes('@millrace/noble-hashes') && !names.includes('@millrace/noble-hashes-v1'),
  );
});

test('a version before a release is never the latest', () => {
  for (const folder of publishingOrder) {
    assert.match(tagOf(folder, '0.1.0'), /^latest(-\d)?$/);
    assert.match(tagOf(folder, '0.1.0-rc.1'), /^next(-\d)?$/);
  }
  assert.equal(tagOf('noble-hashes-v1', '1.8.100'), 'latest-1');
});

test('a stand-in has the version of Millrace in its last number', () => {
  assert.equal(standInVersion('1.8', '0.1.0'), '1.8.100');
  assert.equal(standInVersion('2.4', '12.34.56'), '2.4.123456');
  assert.equal(standInVersion('1.8', '0.1.0-rc.1'), '1.8.100-rc.1');
  for (const version of ['', '1', '1.2', 'next'])
    assert.throws(() => standInVersion('1.8', version));
});

test('the manifest of the repository names it as published manifests do', () => {
  const { repository, homepage, bugs } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  assert.deepEqual({ repository, homepage, bugs }, projectFields());
});

/** Runs a program of tools/release; resolves to its code and all of its output. */
const run = (name, ...args) =>
  new Promise((resolve) => {
    const program = [join(root, 'tools', 'release', name), ...args];
    // Nothing listens there, should a check fail.
    const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9/' };
    execFile(process.execPath, program, { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, all: `${stdout}${stderr}` }),
    );
  });

test('the notes of a release are its section of CHANGELOG.md', async () => {
  const { code, all } = await run('notes.mjs', 'v0.1.0');
  assert.equal(code, 0);
  assert.match(all, /^The first version\./);
  assert.equal((await run('notes.mjs', 'v0.1.0-rc.1')).all, all);
  assert.match((await run('notes.mjs', 'v9.9.9')).all, /no section 9\.9\.9/);
  assert.equal((await run('notes.mjs')).code, 1);
});

test('publishing refuses another tag, and files that are not those of SHA256SUMS', async (t) => {
  const folder = temporary();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const packages = [{ name: 'millrace', version: '0.1.0', tag: 'latest', file: 'millrace.tgz' }];
  const write = (name, text) => writeFileSync(join(folder, name), text);
  write('packages.json', JSON.stringify(packages));
  write('millrace.tgz', 'a tarball');
  const sumOf = (text) => createHash('sha256').update(text).digest('hex');
  write('SHA256SUMS', `${sumOf('another tarball')}  millrace.tgz\n`);
  const from = ['--from', folder];
  const other = await run('publish.mjs', ...from, '--tag', 'v0.2.0');
  assert.deepEqual([other.code, /v0\.2\.0 is not version 0\.1\.0/.test(other.all)], [1, true]);
  const changed = await run('publish.mjs', ...from, '--tag', 'v0.1.0');
  assert.deepEqual([changed.code, /not the file of SHA256SUMS/.test(changed.all)], [1, true]);
  write('SHA256SUMS', `${sumOf(JSON.stringify(packages))}  packages.json\n`);
  const unnamed = await run('publish.mjs', ...from, '--tag', 'v0.1.0');
  assert.deepEqual([unnamed.code, /not the file of SHA256SUMS/.test(unnamed.all)], [1, true]);
  assert.match((await run('publish.mjs')).all, /--from names the folder/);
  assert.match((await run('pack.mjs', '--npm', folder, '--out', folder)).all, /nothing in/);
});

test('what is staged is published when it is approved, once', async (t) => {
  const received = [];
  const listen = (server) =>
    new Promise((resolve) => {
      t.after(() => server.close());
      server.listen(0, '127.0.0.1', () => resolve(server.address().port));
    });
  const registry = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    received.push([request.method, request.url, text]);
    response.writeHead(201).end('{}');
  });
  const port = await listen(stagingServer(await listen(registry)));
  const ask = async (method, path, body) => {
    const options = { method, body };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, options);
    return [answer.status, await answer.json()];
  };
  const body = JSON.stringify({ versions: { '1.0.0': {} }, 'dist-tags': { next: '1.0.0' } });
  const [status, { stageId }] = await ask('POST', '/-/stage/package/@millrace%2fa', body);
  assert.equal(status, 201);
  assert.deepEqual(received, []);
  assert.equal((await ask('POST', '/-/stage/package/@millrace%2fa', body))[0], 409);
  const [, { items, total }] = await ask('GET', '/-/stage?page=0&perPage=100');
  assert.deepEqual(
    [items, total],
    [[{ id: stageId, packageName: '@millrace/a', version: '1.0.0', tag: 'next' }], 1],
  );
  assert.equal((await ask('POST', `/-/stage/${stageId}/approve`))[0], 201);
  assert.deepEqual(received, [['PUT', '/@millrace%2fa', body]]);
  assert.equal((await ask('POST', `/-/stage/${stageId}/approve`))[0], 404);
  assert.equal((await ask('DELETE', `/-/stage/${stageId}`))[0], 404);
  // All else is the registry's.
  assert.equal((await ask('GET', '/millrace'))[0], 201);
  assert.deepEqual(received.at(-1), ['GET', '/millrace', '']);
});
