// The methods of millrace/webcrypto leave no key, password, wrapped or derived key in memory:
// another process looks through that of one that has called each of them and wiped its own copies.
// The calls that Millrace serves are searched. Node.js does not wipe the copies of keys that its own
// PBKDF2 and wrapKey export (SECURITY.md, "Copies in JavaScript").

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { subtle } from 'millrace/webcrypto';

import { secretCalls } from '../compat/subtle-calls.mjs';
import { entryPaths, root } from '../support/child.mjs';
import { keepingMemory, look, mark, markedSecret } from '../support/memory-search.mjs';

const skip = process.platform !== 'linux' && 'reads /proc/<pid>/mem';
const subtleCalls = new URL('../compat/subtle-calls.mjs', import.meta.url);

/** Each call is made so often, as memory that is freed once is used again. */
const ROUNDS = 10;

const calls = [...secretCalls(subtle)];
const methods = [...new Set(calls.map(({ name }) => name))].filter((name) => name !== 'digest');

/** Returns the result of each derivation from the secret of its call. */
async function derivedSecrets(method) {
  const found = [];
  if (!method.startsWith('derive')) return found;
  const exported = (key) =>
    subtle.exportKey('raw', key).catch(() => subtle.exportKey('raw-secret', key));
  for (const [id, { name, label, use }] of calls.entries()) {
    if (name !== method) continue;
    const read = async (value) => {
      const bytes = name === 'deriveKey' ? await exported(value) : value;
      found.push({ label: `the result of ${label}`, bytes: Buffer.from(bytes.slice()) });
    };
    await use(markedSecret(Buffer.alloc(32), id), { read });
  }
  return found;
}

/** Returns the algorithms that docs/webcrypto.md lists as served by a method. */
function served(method) {
  const text = readFileSync(join(root, 'docs/webcrypto.md'), 'utf8');
  const rows = Array.from(text.matchAll(/^\| (`\w+`.*?) \| (.*) \|$/gm), ([, names, list]) => ({
    names: Array.from(names.matchAll(/\w+/g), ([name]) => name),
    algorithms: list.split(/[,;]/).map((each) => each.trim().split(' ')[0]),
  }));
  const of = (...names) =>
    rows
      .filter((row) => names.some((name) => row.names.includes(name)))
      .flatMap(({ algorithms }) => algorithms);
  // "secret keys of these"; the key of a derivation is not generated.
  const keys = of('sign', 'encrypt', 'wrapKey');
  if (method === 'generateKey') return keys;
  return method === 'importKey' ? [...keys, ...of('deriveBits')] : of(method);
}

for (const engine of ['native', 'portable'])
  for (const method of methods)
    test(`subtle.${method} leaves nothing of its secrets, ${engine}`, { skip }, async (t) => {
      const derived = await derivedSecrets(method);
      const found = await look(
        `
      ${keepingMemory}
      const mark = ${mark};
      const marked = ${markedSecret};
      const secret = new Uint8Array(new ArrayBuffer(32));
      // A generated key is the secret too.
      const { getRandomValues } = crypto;
      Object.defineProperty(crypto, 'getRandomValues', {
        value(bytes) {
          if (bytes.length !== secret.length) return getRandomValues.call(crypto, bytes);
          bytes.set(secret);
          return bytes;
        },
      });
      // Calls of the platform are not searched, except those in which Millrace keeps the key.
      let theirs = false;
      const { prototype } = SubtleCrypto;
      const platform = prototype.${method};
      if (platform !== undefined && !/^(im|ex)portKey$/.test('${method}'))
        prototype.${method} = function ${method}(...given) {
          theirs = true;
          return Reflect.apply(platform, this, given);
        };
      // Node.js does not wipe its copies of what it imports: it gets another key.
      const shown = (data) => {
        if (data?.k !== undefined) return { ...data, k: 'A'.repeat(43) };
        const view = data?.buffer ?? data;
        if (!(view instanceof ArrayBuffer)) return data;
        const at = Buffer.from(view).indexOf(secret);
        return at < 0 ? data : Buffer.concat([Buffer.from(view, 0, at), Buffer.alloc(32, 1)]);
      };
      if ('${method}' === 'importKey')
        prototype.importKey = function importKey(format, data, ...rest) {
          return Reflect.apply(platform, this, [format, shown(data), ...rest]);
        };
      const { subtle } = require(${JSON.stringify(entryPaths['millrace/webcrypto'])});
      const { secretCalls } = await import(${JSON.stringify(subtleCalls)});
      const searched = [];
      for (const [id, { name, label, use }] of [...secretCalls(subtle)].entries()) {
        if (name !== '${method}') continue;
        secret.fill(1);
        theirs = false;
        if (!(await use(secret, {})) || theirs) continue;
        searched.push(label);
        for (let round = 0; round < ${ROUNDS}; round++)
          await use(marked(secret, id), { refused: true });
        secret.fill(0);
      }
      const missing = ${JSON.stringify(engine === 'native' ? served(method) : [])}.filter(
        (name) => !searched.some((label) => label.includes(name)),
      );
      if (missing.length > 0) throw new Error('not searched: ' + missing);
      globalThis.kept = marked(secret, ${calls.length});
      await collect();
      await report();`,
        [],
        {
          main: false,
          marked: calls.length + 1,
          others: derived.map(({ bytes }) => bytes),
          env: { MILLRACE_ENGINE: engine },
        },
      );
      if (typeof found === 'string') return t.skip(`not searched: ${found}`);
      const labels = [...calls, { label: 'kept' }, ...derived].map(({ label }) => label);
      assert.equal(found[calls.length].length, 2, 'looking proves nothing');
      found[calls.length] = [];
      assert.deepEqual(
        found.flatMap((places, id) => places.map((place) => `${labels[id]}: ${place}`)),
        [],
      );
    });
