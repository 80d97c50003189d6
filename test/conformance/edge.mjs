// The suite in edge runtimes: every module of millrace/portable, sub-paths, and the suite over the
// other entry points. edge.test.mjs bundles it as a Worker's code is bundled.

import * as bigintBuffer from 'millrace/bigint-buffer';
import * as bigintHash from 'millrace/bigint-hash';
import * as cryptoAsync from 'millrace/crypto-async';
import { xchacha20poly1305 } from 'millrace/noble-ciphers/chacha.js';
import { sha256 } from 'millrace/noble-hashes/sha2.js';
import * as millrace from 'millrace';
import * as portable from 'millrace/portable';
import * as promises from 'millrace/promises';

import { failuresOf, runConformance } from './suite.mjs';

const bytes = (size) => Uint8Array.from({ length: size }, (_, index) => index);

/** Calls functions of millrace/portable; returns the names of those that differ from millrace. */
function comparePortable() {
  const found = { equal: [], different: [] };
  const compare = (name, one, two) =>
    found[`${one}` === `${two}` ? 'equal' : 'different'].push(name);
  for (const [name, call] of Object.entries(portable)) {
    if (call.outputLength !== undefined) {
      const options = name.startsWith('kmac') ? { key: bytes(32) } : {};
      const data = name.startsWith('tuplehash') ? ['ab', 'c'] : 'abc';
      compare(name, call(data, options), millrace.hash(call.algorithm, data, options));
    } else if (call.seal !== undefined) {
      const key = bytes(name.includes('128') ? 16 : name.includes('192') ? 24 : 32);
      const sealed = call.seal({ key, source: bytes(99) });
      compare(name, call.open({ key, source: sealed }), bytes(99));
    } else if (call.encrypt !== undefined) {
      const size = /_(\d+)_ctr/.exec(name)?.[1] ?? 256;
      const options = { key: bytes(size / 8), iv: bytes(16), source: bytes(99) };
      const algorithm = name.replaceAll('_', '-');
      const expected = millrace.cipher(algorithm, true, options.key, options.iv, options.source);
      compare(name, call.encrypt(options), expected);
    }
  }
  const parameters = { message: 'p', nonce: bytes(8), memory: 8, passes: 1, parallelism: 1 };
  const derivations = { argon2: ['argon2id', parameters], scrypt: ['p', 'salt', 16, { N: 16 }] };
  for (const [name, given] of Object.entries(derivations))
    compare(name, portable[name](...given), millrace[name](...given));
  const key = bytes(32);
  const wrapped = portable.wrapKey('aes-256-kw', { key, source: bytes(16) });
  compare('wrapKey', portable.unwrapKey('aes-256-kw', { key, source: wrapped }), bytes(16));
  return found;
}

/** Returns true if the sub-paths of noble's modules work. */
function callNoble() {
  const [cipher, again] = [0, 1].map(() => xchacha20poly1305(bytes(32), bytes(24)));
  return (
    `${again.decrypt(cipher.encrypt(bytes(3)))}` === '0,1,2' &&
    `${sha256(bytes(3))}` === `${millrace.hash('sha256', bytes(3))}`
  );
}

/** Returns true if bytes may be compiled here. */
function canCompile() {
  try {
    void new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    return true;
  } catch {
    return false;
  }
}

export default {
  /**
   * Runs the suite; the settings and the vectors are the Worker's environment. Returns the record
   * as JSON.
   */
  async test(_, env) {
    const compiles = canCompile();
    const functions = comparePortable();
    const noble = callNoble();
    const { cases, summary } = await runConformance({
      millrace,
      promises,
      originals: { cryptoAsync, bigintHash, bigintBuffer },
      place: 'browser',
      load: async (file) => env[file],
      ...env.settings,
    });
    const { runs } = millrace.engines().portable;
    const results = { cases: cases.length, failures: failuresOf(cases), summary };
    const record = JSON.stringify({ compiles, runs, functions, noble, ...results });
    // All that workerd shows of it.
    if (env.settings.prints) console.log(`RECORD ${record}`);
    return record;
  },
};
