// engines().publicKeys against what the engines do, and the crates in it against Cargo.lock.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';

import millrace from 'millrace';
import promises from 'millrace/promises';

import { root } from '../support/child.mjs';

const { configure, engines } = millrace;

/** Generates a pair of an algorithm. */
const generate = (library, name) =>
  library.generateKeyPair(name, name.startsWith('rsa') ? { modulusLength: 2048 } : {});

const read = (...path) => readFileSync(join(root, ...path), 'utf8');
/** The names, as the error of a wrong one lists them. */
const names = (() => {
  try {
    return millrace.generateKeyPair('no');
  } catch ({ message }) {
    return [...message.matchAll(/'([\w-]+)'/g)]
      .map(([, name]) => name)
      .filter((each) => each !== 'ec');
  }
})();

afterEach(() => configure({ engine: 'auto' }));

const noNative = !engines().native.available && 'there is no native code';

test('the native engine has every algorithm', { skip: noNative }, () => {
  const { publicKeys, libraries } = engines().native;
  assert.deepEqual(Object.keys(publicKeys), names);
  for (const [name, { library, with: others = [] }] of Object.entries(publicKeys)) {
    for (const each of [library, ...others]) assert.ok(each in libraries, name);
    configure({ engine: 'native' });
    generate(millrace, name).privateKey.dispose();
  }
});

test('the portable engine has modules for some algorithms, WebCrypto for others', async () => {
  const { publicKeys, libraries } = engines().portable;
  configure({ engine: 'portable' });
  for (const name of names) {
    const code = (call) =>
      call.then(
        ({ privateKey }) => privateKey.dispose(),
        (error) => error.code,
      );
    const now = code(new Promise((resolve) => resolve(generate(millrace, name))));
    const library = publicKeys[name]?.library;
    if (library === undefined) {
      assert.equal(await now, 'ERR_KEY_NOT_SUPPORTED', name);
    } else if (library === 'WebCrypto') {
      assert.equal(await now, 'ERR_ENGINE_UNAVAILABLE', name);
      assert.equal(await code(generate(promises, name)), undefined, name);
    } else {
      assert.equal(await now, undefined, name);
      assert.ok(library in libraries, name);
      const source = name.replace(/^p-/, 'p').replace(/-\d+$/, '').replace('-', '_');
      const text = read('crates', 'portable-keys', 'src', `${source}.rs`);
      assert.match(text, new RegExp(`^use (::)?${library.replace('-', '_')}::`, 'm'), name);
      const [, version] = new RegExp(`name = "${library}"\nversion = "(\\d+\\.\\d+)`).exec(
        read('Cargo.lock'),
      );
      assert.equal(libraries[library], version, name);
    }
  }
});

test('an engine that is not there has none', () => {
  const { native } = JSON.parse(JSON.stringify(engines()));
  if (!native.available) assert.deepEqual(native.publicKeys, {});
});
