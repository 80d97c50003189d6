// The browsers' build in Node.js, with workers as browsers have them: a script with no modules but
// those that it was sent; and without WebCrypto, as where the context is not secure, so that
// workers do all that is long.

import assert from 'node:assert/strict';
import { resolveObjectURL } from 'node:buffer';
import { webcrypto } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker as Thread } from 'node:worker_threads';

import { root } from '../support/child.mjs';
import { failuresOf, runConformance } from './suite.mjs';

const skip = !existsSync(join(root, 'dist', 'browser')) && 'not run: dist/browser is not built';

/** What the script of a worker finds in a browser, made of what a thread of Node.js has. */
const scope = `
  const { parentPort } = require('node:worker_threads');
  globalThis.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);
  parentPort.on('message', (data) => globalThis.onmessage({ data }));
  for (const name of ['process', 'require', 'Buffer', 'crypto']) delete globalThis[name];
`;

/** All that were started. */
const workers = [];

/** A dedicated worker, which a page starts by the URL of a Blob. */
class Worker {
  #thread;
  #ended = false;

  constructor(url) {
    workers.push(this);
    this.#thread = resolveObjectURL(url)
      .text()
      .then((text) => {
        const thread = new Thread(`${scope}\n{${text}}`, { eval: true });
        thread.on('message', (data) => this.onmessage({ data }));
        thread.on('error', (error) => this.onerror({ message: error.message }));
        if (this.#ended) thread.terminate();
        return thread;
      });
  }

  postMessage(message, transfer) {
    this.#thread.then((thread) => thread.postMessage(message, transfer));
  }

  terminate() {
    this.#ended = true;
    this.#thread.then((thread) => thread.terminate());
  }
}

test('calls that run in workers, which get their modules', { skip }, async (t) => {
  globalThis.Worker = Worker;
  const getRandomValues = (bytes) => webcrypto.getRandomValues(bytes);
  Object.defineProperty(globalThis, 'crypto', { value: { getRandomValues } });
  t.after(() => workers.forEach((each) => each.terminate()));
  const entry = (name) => import(`../../dist/browser/${name}.mjs`);
  const [millrace, promises] = await Promise.all(['index', 'promises'].map(entry));
  const { cases } = await runConformance({
    millrace,
    promises,
    load: (file) => JSON.parse(readFileSync(join(root, 'test', file), 'utf8')),
    place: 'browser',
    families: ['hashes', 'hmacs', 'many', 'ciphers', 'seals', 'keys', 'derivations', 'pieces'],
    styles: ['callback'],
  });
  assert.deepEqual(failuresOf(cases), []);
  assert.ok(cases.length > 300, `${cases.length} cases`);
  assert.ok(workers.length > 0, 'no worker was started');
});
