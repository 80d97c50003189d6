// Incremental hashing: messages in several updates, copies, states, output squeezed piece by
// piece, and asynchronous updates.

import { hex, pattern, toBase64, toHex } from './bytes.mjs';
import { sized } from './hashes.mjs';
import { errorOf } from './call-styles.mjs';
import { ok, same, sameBytes, sameError } from './verdicts.mjs';

const CUTS = [
  [9000],
  [1, 8999],
  [63, 1, 64, 65, 127, 128, 129, 1000, 7423],
  [4096, 4096, 808],
  [0, 3000, 0, 6000, 0],
  Array.from({ length: 90 }, () => 100),
];

export function hashers(context) {
  const { made } = context;
  const message = pattern(9000);
  for (const algorithm of Object.keys(made.hashes)) {
    const own = { ...context.options, ...sized(context, algorithm) };
    addHasher(
      context,
      algorithm,
      'createHash',
      () => context.millrace.createHash(algorithm, own),
      message,
      made.hashes[algorithm].whole,
    );
    addStates(context, algorithm, own, message);
    if (algorithm in made.hmacs) {
      const key = pattern(72, 3);
      const expected = () => toHex(context.millrace.hmac(algorithm, key, message, context.options));
      addHasher(
        context,
        algorithm,
        'createHmac',
        () => context.millrace.createHmac(algorithm, key, context.options),
        message,
        expected,
      );
    }
  }
  for (const algorithm of ['shake128', 'shake256', 'blake3'])
    addSqueezing(context, algorithm, message);
  addSeeds(context, message);
}

function addHasher({ millrace, add }, algorithm, maker, make, message, whole) {
  const title = (what) => `${maker}, ${what}`;
  const expected = typeof whole === 'function' ? whole : () => whole;
  add('hashers', algorithm, title('pieces'), () => {
    for (const cuts of CUTS)
      sameBytes(fed(make(), message, cuts).digest(), expected(), `${cuts.length} pieces`);
  });
  add('hashers', algorithm, title('windows, text and kinds of bytes'), () => {
    sameBytes(
      make().update(message, 0, 5000).update(message, 5000, 4000).digest(),
      expected(),
      'windows',
    );
    sameBytes(make().update(new DataView(message.buffer)).digest(), expected(), 'DataView');
    sameBytes(
      make().update('Grüße ').update('e4b896', 'hex').digest(),
      make().update(new TextEncoder().encode('Grüße 世')).digest(),
      'text',
    );
  });
  add('hashers', algorithm, title('encodings'), () => {
    const digest = (encoding) => make().update(message).digest(encoding);
    same(digest('hex'), expected(), 'hex');
    same(digest('base64'), toBase64(hex(expected())), 'base64');
    same(digest('bigint'), BigInt(`0x${expected()}`), 'bigint');
    sameBytes(digest('buffer'), expected(), 'buffer');
  });
  add('hashers', algorithm, title('digestInto, reset, spent'), () => {
    const hasher = make().update(message);
    const target = new Uint8Array(hex(expected()).length + 5).fill(0xa5);
    same(hasher.digestInto(target, 3), target.length - 5, 'size');
    sameBytes(target.slice(3, -2), hex(expected()), 'target');
    ok(
      [0, 1, 2, target.length - 2, target.length - 1].every((at) => target[at] === 0xa5),
      'written beside the target',
    );
    for (const use of [() => hasher.update('x'), () => hasher.digest(), () => hasher.copy()])
      sameError(thrown(use), 'ERR_HASHER_SPENT', millrace, String(use));
    sameBytes(fed(hasher.reset(), message, CUTS[2]).digest(), expected(), 'after reset');
  });
  add('hashers', algorithm, title('copies go on by themselves'), () => {
    for (const at of [0, 1, 63, 64, 100, 5000]) {
      const one = make().update(message.subarray(0, at));
      const two = one.copy();
      one.update('something else');
      sameBytes(two.update(message.subarray(at)).digest(), expected(), `copied after ${at} bytes`);
      ok(one.digest('hex') !== expected(), `the original after ${at} bytes`);
    }
  });
  add('hashers', algorithm, title('asynchronous updates'), async () => {
    const hasher = make();
    const told = [];
    hasher.update(message.subarray(0, 4000), () => told.push(1));
    const second = hasher.updateAsync(message, 4000, 4999).then(() => told.push(2));
    // It is awaited below; an engine that refuses is heard of before.
    second.catch(() => {});
    sameError(
      thrown(() => hasher.digest()),
      'ERR_HASHER_BUSY',
      millrace,
      'digest meanwhile',
    );
    await hasher.updateAsync(message.subarray(8999)).then(() => told.push(3));
    await second;
    same(told.join(), '1,2,3', 'order');
    sameBytes(await hasher.digestAsync(), expected(), 'promise');
    const digest = await new Promise((resolve, reject) =>
      make()
        .update(message)
        .digest('hex', (error, value) => (error ? reject(error) : resolve(value))),
    );
    same(digest, expected(), 'callback');
    const long = pattern(700_001);
    const far = make();
    await far.updateAsync(long);
    same(
      await far.digestAsync('hex'),
      fed(make(), long, [64, 699_937]).digest('hex'),
      'a long one',
    );
  });
}

function addStates({ millrace, made, add }, algorithm, own, message) {
  const { states, whole } = made.hashes[algorithm];
  add('states', algorithm, 'a state from another engine and machine', () => {
    for (const [at, state] of Object.entries(states)) {
      const hasher = millrace.createHash(algorithm, { ...own, state: hex(state) });
      sameBytes(hasher.update(message.subarray(Number(at))).digest(), whole, `after ${at} bytes`);
    }
  });
  add('states', algorithm, 'exported states are the same everywhere', () => {
    for (const [at, state] of Object.entries(states)) {
      const hasher = fed(millrace.createHash(algorithm, own), message.subarray(0, Number(at)), [
        1,
        Number(at) - 1,
      ]);
      same(toHex(hasher.exportState()), state, `after ${at} bytes`);
      sameBytes(
        hasher.update(message.subarray(Number(at))).digest(),
        whole,
        `${at}: the exporter continues`,
      );
    }
  });
  add('states', algorithm, 'damaged and foreign states are refused', () => {
    const [state] = Object.values(states).map(hex);
    for (const at of [0, 5, state.length >> 1, state.length - 1]) {
      const damaged = state.slice();
      damaged[at] ^= 1;
      sameError(
        thrown(() => millrace.createHash(algorithm, { ...own, state: damaged })),
        'ERR_STATE',
        millrace,
        `byte ${at}`,
      );
    }
    const [other] = Object.entries(made.hashes)
      .filter(([name]) => name !== algorithm)
      .map(([, { states: theirs }]) => hex(Object.values(theirs)[0]));
    for (const wrong of [new Uint8Array(0), state.slice(0, -1), other])
      sameError(
        thrown(() => millrace.createHash(algorithm, { ...own, state: wrong })),
        'ERR_STATE',
        millrace,
        `${wrong.length} bytes`,
      );
  });
}

function addSqueezing({ millrace, options, add }, algorithm, message) {
  add('hashers', algorithm, 'squeezed incrementally', () => {
    const expected = millrace.hash(algorithm, message, { ...options, outputLength: 2000 });
    for (const pieces of [
      [2000],
      [1, 1999],
      [32, 136, 168, 64, 1600],
      Array.from({ length: 200 }, () => 10),
    ]) {
      const hasher = millrace.createHash(algorithm, options).update(message);
      const target = new Uint8Array(2000);
      let at = 0;
      for (const [index, size] of pieces.entries()) {
        if (index % 2 === 0) hasher.squeezeInto(target, at, size);
        else target.set(hasher.squeeze(size), at);
        at += size;
      }
      sameBytes(target, expected, `${pieces.length} pieces`);
      sameError(
        thrown(() => hasher.update('x')),
        'ERR_HASHER_SPENT',
        millrace,
        'update after output',
      );
    }
  });
}

function addSeeds({ millrace, options, made, add }, message) {
  for (const [algorithm, { seeded, keyed }] of Object.entries(made.hashes)) {
    if (seeded !== undefined) {
      add('hashers', algorithm, 'seeds', () => {
        for (const [seed, digests] of Object.entries(seeded)) {
          for (const [size, digest] of Object.entries(digests))
            sameBytes(
              fed(
                millrace.createHash(algorithm, { ...options, seed: BigInt(seed) }),
                pattern(Number(size)),
                [2, 100, 1000],
              ).digest(),
              digest,
              `${seed}, ${size}`,
            );
        }
        same(
          millrace
            .createHash(algorithm, { ...options, seed: 1 })
            .update(message)
            .digest('hex'),
          millrace.hash(algorithm, message, { ...options, seed: 1n, encoding: 'hex' }),
          'a seed as a number',
        );
      });
    }
    if (keyed !== undefined) {
      add('hashers', algorithm, 'keyed', () => {
        for (const [size, digest] of Object.entries(keyed))
          sameBytes(
            fed(
              millrace.createHash(algorithm, { ...options, key: pattern(32, 7) }),
              pattern(Number(size)),
              [2, 1023, 1024],
            ).digest(),
            digest,
            size,
          );
      });
    }
  }
  add('refusals', 'every hash', 'updates and digests that cannot be', async () => {
    const hasher = millrace.createHash('sha256', options);
    for (const [args, code] of [
      [[], 'ERR_MISSING_ARGUMENT'],
      [[5], 'ERR_ARGUMENT_TYPE'],
      [['abc', 'hex'], 'ERR_ARGUMENT_VALUE'],
      [['abc', 'nonsense'], 'ERR_ARGUMENT_VALUE'],
      [[message, 8000, 1001], 'ERR_ARGUMENT_VALUE'],
      [[message, -1, 1], 'ERR_ARGUMENT_VALUE'],
    ]) {
      sameError(
        thrown(() => hasher.update(...args)),
        code,
        millrace,
        `update(${args.map(String).join(', ').slice(0, 30)})`,
      );
      if (args.length > 0)
        sameError(
          await errorOf(hasher.updateAsync(...args), 'updateAsync'),
          code,
          millrace,
          'updateAsync',
        );
    }
    sameError(
      thrown(() => hasher.digest('nonsense')),
      'ERR_ARGUMENT_VALUE',
      millrace,
      'digest',
    );
    sameError(
      thrown(() => millrace.createHash('sha257', options)),
      'ERR_UNKNOWN_ALGORITHM',
      millrace,
      'createHash',
    );
    sameError(
      thrown(() => millrace.createHash('shake128', { ...options, outputLength: 0 })),
      'ERR_OUTPUT_SIZE',
      millrace,
      'shake128',
    );
    sameError(
      thrown(() => hasher.squeeze(3)),
      'ERR_ARGUMENT_VALUE',
      millrace,
      'squeeze',
    );
    sameError(
      thrown(() => millrace.createHmac('sha256')),
      'ERR_MISSING_ARGUMENT',
      millrace,
      'createHmac',
    );
    sameBytes(
      hasher.update(message).digest(),
      made.hashes.sha256.whole,
      'and the hasher continues',
    );
  });
}

/** Gives a hasher updates of these sizes, then the rest of the message. */
function fed(hasher, message, cuts) {
  let at = 0;
  for (const size of [...cuts, message.length]) {
    if (at >= message.length && size > 0) break;
    hasher.update(message.subarray(at, at + size));
    at += size;
  }
  return hasher;
}

function thrown(use) {
  try {
    use();
  } catch (error) {
    return error;
  }
  return undefined;
}
