// The code paths for CPUs that have less than this one. AWS-LC takes the features it may use from
// OPENSSL_ia32cap (the two words of cpuid 1, then those of leaf 7), so one machine can walk them
// all. Our own routines obey MILLRACE_CPU_HIDE and MILLRACE_LANES. The answers must be those of the
// path this machine takes by itself, which the other tests oracle.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import {
  everything as allFeatures,
  tierEnvironment,
  tiers,
  whyNot,
} from '../../tools/cpu-tiers.mjs';
import * as tables from '../support/algorithms.mjs';
import { output, run } from '../support/child.mjs';

/**
 * Features that AWS-LC looks at, one or a few at a time; whole CPUs stand in tools/cpu-tiers.mjs.
 */
const masks = {
  'no AES, no carry-less multiplication': '~0x200000200000000',
  'no AVX, AVX2, AVX-512, SHA': '~0x1000000000000000:0x0',
  'SSE2 only': '~0x1200020000000000:0x0',
  'no SHA': ':~0x20000000',
};

/** Features that our own code looks at, hidden by their names, and batches message by message. */
const everything = allFeatures.join();
const hidden = {
  'batches one by one': { MILLRACE_LANES: 'off' },
  'no AVX-512': { MILLRACE_CPU_HIDE: 'avx512f' },
  'no SHA extensions': { MILLRACE_CPU_HIDE: 'sha-ni' },
  'no SHA extensions, no AVX-512': { MILLRACE_CPU_HIDE: 'sha-ni,avx512f' },
  'SHA extensions, no vectors': { MILLRACE_CPU_HIDE: 'avx2' },
  'nothing of our own': { MILLRACE_CPU_HIDE: everything },
  'nothing of our own, batches one by one': {
    MILLRACE_CPU_HIDE: everything,
    MILLRACE_LANES: 'off',
  },
};

const skip = process.arch !== 'x64' && 'features are hidden on x64 only';

/** Returns one digest for each algorithm over many lengths. Runs here and in the children. */
function answers(entryPoint, { streamNames, aeadNames, hashNames, hmacNames, ciphers, hashes }) {
  const bytes = (size, seed) => {
    const made = Buffer.alloc(size);
    for (let index = 0, state = seed + size; index < size; index++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      made[index] = state >>> 24;
    }
    return made;
  };
  const data = bytes(200_003, 1);
  const long = [511, 512, 513, 1000, 1024, 4095, 4096, 16_389, 65_537, 200_003];
  const sizes = [...Array(280).keys(), ...long];
  const found = {};
  const note = (name, compute, another) => {
    const all = sizes.map((size) => compute(data.subarray(0, size)));
    const digest = entryPoint.hash('md5', Buffer.concat(all), 'hex');
    if (another && digest !== found[name])
      throw new Error(`${another} of ${name} gives another digest than the single call`);
    found[name] = digest;
  };
  const same = (one, other, what) => {
    if (!one.equals(other)) throw new Error(`${what}: not what the single call gives`);
  };
  for (const name of streamNames)
    note(name, (source) =>
      entryPoint.cipher(name, true, bytes(ciphers[name].key, 2), bytes(16, 3), source),
    );
  for (const name of aeadNames) {
    note(name, (source) => {
      const options = {
        key: bytes(ciphers[name].key, 4),
        nonce: bytes(ciphers[name].iv, 5),
        aad: source.subarray(0, 37),
      };
      const sealed = entryPoint.seal(name, { ...options, source });
      if (!entryPoint.open(name, { ...options, source: sealed }).equals(source))
        throw new Error(`${name} does not open what it sealed`);
      return sealed;
    });
  }
  for (const name of hashNames) note(name, (source) => entryPoint.hash(name, source));
  for (const name of hmacNames)
    note(`hmac-${name}`, (source) => entryPoint.hmac(name, source.subarray(0, 150), source));
  // Hashers: incrementally, by way of a state, and squeezed. What they give is what the single call
  // gives.
  for (const name of hashNames) {
    note(
      name,
      (source) => {
        let hasher = entryPoint.createHash(name);
        for (let at = 0, size = 1; at < source.length; at += size, size = (size * 3 + 1) % 9001)
          hasher.update(source.subarray(at, at + size));
        hasher = entryPoint.createHash(name, { state: hasher.exportState() });
        return hasher.digest();
      },
      'a hasher',
    );
    if (hashes[name].xof)
      note(
        name,
        (source) => {
          const hasher = entryPoint.createHash(name).update(source);
          return Buffer.concat([hasher.squeeze(1), hasher.squeeze(hashes[name].digest - 1)]);
        },
        'squeezing',
      );
  }
  for (const name of hmacNames)
    note(
      `hmac-${name}`,
      (source) =>
        entryPoint
          .createHmac(name, source.subarray(0, 150))
          .update(source.subarray(0, 77))
          .update(source.subarray(77))
          .digest(),
      'a hasher',
    );
  // Batches: messages of all lengths, of one length, shuffled; several are hashed at once.
  const sources = [...Array(700).keys(), 1500, 3000, 65_537]
    .map((size) => data.subarray(size, size * 2))
    .map((source, index, all) => all[(index * 389) % all.length]);
  for (const name of hashNames) {
    same(
      entryPoint.hashMany(name, sources),
      Buffer.concat(sources.map((source) => entryPoint.hash(name, source))),
      `hashMany ${name}`,
    );
    for (const size of [8, 64, 130, 1024]) {
      const packed = data.subarray(0, size * 67);
      const each = Array.from({ length: 67 }, (_, index) =>
        entryPoint.hash(name, packed.subarray(index * size, (index + 1) * size)),
      );
      same(
        entryPoint.hashMany(name, { data: packed, size }),
        Buffer.concat(each),
        `hashMany ${name}, packed, ${size}`,
      );
    }
  }
  for (const name of hmacNames)
    same(
      entryPoint.hmacMany(name, data.subarray(0, 200), sources),
      Buffer.concat(sources.map((source) => entryPoint.hmac(name, data.subarray(0, 200), source))),
      `hmacMany ${name}`,
    );
  return found;
}

/** Checks that workers give what the single call gives, for messages of several slices. */
async function checkLong(entryPoint, promises, { aeadNames, ciphers, gcmNames }) {
  const source = Buffer.alloc(3_000_001, 'a long message');
  for (const name of aeadNames) {
    const { key, iv } = ciphers[name];
    for (const size of [iv, gcmNames.includes(name) ? 60 : iv]) {
      const options = { key: Buffer.alloc(key, 1), nonce: Buffer.alloc(size, 2), aad: source };
      const sealed = entryPoint.seal(name, { ...options, source });
      const route = 'pool';
      const [copied, opened] = await Promise.all([
        promises.seal(name, { ...options, source, route }),
        promises.open(name, { ...options, source: sealed, route }),
      ]);
      const target = Buffer.concat([source, Buffer.alloc(16)]);
      const lent = target.subarray(0, source.length);
      await promises.seal(name, { ...options, source: lent, target, route });
      if (!copied.equals(sealed) || !target.equals(sealed) || !opened.equals(source))
        throw new Error(`${name} on a worker: not what the single call gives`);
    }
  }
}

const expected = skip ? undefined : answers(millrace, tables);

const { features } = millrace.engines().native.cpu;
const paths = [
  ...tiers.map((tier) => ({
    name: `as on ${tier.name}`,
    env: tierEnvironment(tier),
    reason: whyNot(tier, features) ?? false,
  })),
  ...Object.entries(masks).map(([name, mask]) => ({
    name: `hidden: ${name}`,
    env: { OPENSSL_ia32cap: mask },
    reason: skip,
  })),
  ...Object.entries(hidden).map(([name, env]) => ({ name: `hidden: ${name}`, env, reason: skip })),
];

test('MILLRACE_CPU_HIDE reports an unknown name', { skip }, async () => {
  const digest = "process.stdout.write(millrace.hash('sha512', 'abc', 'hex'))";
  const known = await run(digest, { env: { MILLRACE_CPU_HIDE: everything } });
  const unknown = await run(digest, { env: { MILLRACE_CPU_HIDE: 'avx512f,sse42' } });
  assert.deepEqual(
    [known.code, known.stderr, unknown.code, unknown.stdout],
    [0, '', 0, known.stdout],
  );
  assert.match(
    unknown.stderr,
    /MILLRACE_CPU_HIDE names no feature of this architecture: sse42 \(there are ssse3, .*avx512f/,
  );
});

test('tiers hide what they do not have, and no more', { skip }, () => {
  for (const { name, hide, needs } of tiers)
    assert.ok(!hide.some((each) => needs.includes(each)), name);
  const sizes = tiers.map(({ hide }) => hide.length);
  assert.ok(sizes.every((size, at) => at === 0 || size >= sizes[at - 1]));
});

for (const { name, env, reason } of paths) {
  test(name, { skip: reason }, async () => {
    const program = `
      const [answers, checkLong] = [${answers}, ${checkLong}];
      const tables = ${JSON.stringify(tables)};
      console.log(JSON.stringify(answers(millrace, tables)));
      checkLong(millrace, promises, tables);`;
    assert.deepEqual(JSON.parse(await output(program, { env })), expected);
  });
}
