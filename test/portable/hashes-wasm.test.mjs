// WebAssembly under the portable hashes: the same digests and states from the same calls, and
// JavaScript where it may not be had.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bundle } from '../support/portable-bundle.mjs';
import {
  catalog,
  checkMac,
  checkMessage,
  paramsOf,
  placed,
} from '../support/portable-hash-checks.mjs';
import { random } from '../support/random.mjs';

const text = await bundle('', {
  contents:
    "export * from './src/portable/hashes/index.ts'; export * from " +
    "'./src/portable/hashes/wasm.ts';",
});

/** A copy of the modules, in which WebAssembly is what is given. */
function load(webAssembly) {
  const module = { exports: {} };
  new Function('module', 'exports', 'WebAssembly', text)(module, module.exports, webAssembly);
  return module.exports;
}

/** WebAssembly that tells how often it was called, and with how much. */
function counted() {
  const calls = { count: 0 };
  const instantiate = async (module, imports) => {
    const instance = await WebAssembly.instantiate(module, imports);
    const exports = {
      ...instance.exports,
      Hash_Update: (size) => (calls.count++, instance.exports.Hash_Update(size)),
    };
    return { exports };
  };
  return [calls, { ...WebAssembly, compile: WebAssembly.compile, instantiate }];
}

const [calls, webAssembly] = counted();
const { hashes, prepareMac, prepareWasm } = load(webAssembly);

for (const facts of catalog) {
  test(`${facts.name}: digests and states with WebAssembly`, async () => {
    const there = await prepareWasm(facts.id);
    assert.equal(
      there,
      !/^(shake128|xxh32|crc|turbo|cshake|kmac|tuple|parallel|kt)/.test(facts.name),
    );
    const rng = random(`${facts.name} wasm`);
    const hash = hashes[facts.id];
    const before = calls.count;
    for (const params of paramsOf(facts, rng)) {
      for (const size of [2047, 2048, 2049, 6000, 16_385, 32_768, 70_001]) {
        const message = placed(rng.bytes(size), rng.below(8));
        for (const cut of [0, 1, 1024, rng.below(size + 1)])
          checkMessage(facts, hash, params, message, cut, facts.digestSize || 48);
      }
    }
    if (facts.hmac) checkMac(facts, prepareMac, rng.bytes(20), rng.bytes(9000), 4000);
    assert.equal(calls.count > before, there, 'whether it was WebAssembly');
  });
}

test('short messages stay in JavaScript', () => {
  const before = calls.count;
  for (const { id, digestSize } of catalog)
    hashes[id].digest(
      { seed: 0n, key: undefined },
      new Uint8Array(2000),
      new Uint8Array(digestSize || 32),
    );
  assert.equal(calls.count, before);
});

test('asked twice it is prepared once', () => {
  assert.equal(prepareWasm(3), prepareWasm(3));
});

for (const [why, refusing] of [
  [
    'a page forbids it',
    {
      ...WebAssembly,
      compile: async () => {
        throw new WebAssembly.CompileError(
          "Refused to compile: 'unsafe-eval' is not an allowed source",
        );
      },
    },
  ],
  ['there is none', undefined],
  [
    'it answers otherwise than JavaScript',
    {
      ...WebAssembly,
      compile: WebAssembly.compile,
      instantiate: async (module, imports) => {
        const { exports } = await WebAssembly.instantiate(module, imports);
        return { exports: { ...exports, Hash_Update: (size) => exports.Hash_Update(size - 1) } };
      },
    },
  ],
]) {
  test(`JavaScript continues where ${why}`, async () => {
    const refused = load(refusing);
    for (const facts of catalog) {
      assert.equal(await refused.prepareWasm(facts.id), false, facts.name);
      const rng = random(`${facts.name} without`);
      checkMessage(
        facts,
        refused.hashes[facts.id],
        { seed: 0n, key: undefined },
        rng.bytes(5000),
        2100,
        facts.digestSize || 32,
      );
    }
  });
}
