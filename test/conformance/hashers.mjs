// Incremental hashing: messages in several updates, copies, states, output squeezed piece by
// piece, and asynchronous updates.

import { hex, pattern, toBase64, toHex } from './bytes.mjs';
import { sized } from './hashes.mjs';
import { guard, guarded, ok, same, sameBytes } from './verdicts.mjs';

const CUTS = [
  [9000],
  [1, 8999],
  [63, 1, 64, 65, 127, 128, 129, 1000, 7423],
  [4096, 4096, 808],
  [0, 3000, 0, 6000, 0],
  Array.from({ length: 90 }, () => 100),
];

const message = pattern(9000);

export function hashers(context) {
  const { millrace, made, options } = context;
  for (const [algorithm, entry] of Object.entries(made.hashes)) {
    const own = { ...options, ...sized(context, algorithm) };
    const make = (more) => millrace.createHash(algorithm, { ...own, ...more });
    addHasher(context, algorithm, 'createHash', make, () => entry.whole);
    addStates(context, algorithm, make);
    if (algorithm in made.hmacs) {
      const key = pattern(72, 3);
      const create = () => millrace.createHmac(algorithm, key, options);
      const expected = () => toHex(millrace.hmac(algorithm, key, message, options));
      addHasher(context, algorithm, 'createHmac', create, expected);
    }
    addParameters(context, algorithm, make, entry);
  }
  for (const algorithm of ['shake128', 'shake256', 'blake3']) addSqueezing(context, algorithm);
  addRefusals(context);
}

function addHasher({ add: addCase, refused }, algorithm, maker, make, expected) {
  const add = (what, run, list) => addCase('hashers', algorithm, `${maker}, ${what}`, run, list);
  const inPieces = (cuts) =>
    sameBytes(fed(make(), message, cuts).digest(), expected(), `${cuts.length} pieces`);
  add('pieces', inPieces, CUTS);
  add('windows, text and kinds of bytes', () => {
    const inWindows = make().update(message, 0, 5000).update(message, 5000, 4000);
    sameBytes(inWindows.digest(), expected(), 'windows');
    sameBytes(make().update(new DataView(message.buffer)).digest(), expected(), 'DataView');
    const text = make().update('Grüße ').update('e4b896', 'hex').digest();
    sameBytes(text, make().update(new TextEncoder().encode('Grüße 世')).digest(), 'text');
  });
  add('encodings', () => {
    const digest = (encoding) => make().update(message).digest(encoding);
    same(digest('hex'), expected(), 'hex');
    same(digest('base64'), toBase64(hex(expected())), 'base64');
    same(digest('bigint'), BigInt(`0x${expected()}`), 'bigint');
    sameBytes(digest('buffer'), expected(), 'buffer');
  });
  add('digestInto, reset, spent', async () => {
    const hasher = make().update(message);
    const target = guard(hex(expected()).length + 5);
    same(hasher.digestInto(target, 3), target.length - 5, 'size');
    guarded(target, 3, expected(), 'target');
    for (const use of [() => hasher.update('x'), () => hasher.digest(), () => hasher.copy()])
      await refused(use, 'ERR_HASHER_SPENT', String(use));
    sameBytes(fed(hasher.reset(), message, CUTS[2]).digest(), expected(), 'after reset');
  });
  const asCopy = (at) => {
    const one = make().update(message.subarray(0, at));
    const two = one.copy();
    one.update('something else');
    sameBytes(two.update(message.subarray(at)).digest(), expected(), `copied after ${at} bytes`);
    ok(one.digest('hex') !== expected(), `the original after ${at} bytes`);
  };
  add('copies go on by themselves', asCopy, [0, 1, 63, 64, 100, 5000]);
  add('asynchronous updates', async () => {
    const hasher = make();
    const told = [];
    hasher.update(message.subarray(0, 4000), () => told.push(1));
    const second = hasher.updateAsync(message, 4000, 4999).then(() => told.push(2));
    // It is awaited below; an engine that refuses is heard of before.
    second.catch(() => {});
    await refused(() => hasher.digest(), 'ERR_HASHER_BUSY', 'digest meanwhile');
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
    const whole = fed(make(), long, [64, 699_937]).digest('hex');
    same(await far.digestAsync('hex'), whole, 'a long one');
  });
}

function addStates({ made, add: addCase, refused }, algorithm, make) {
  const { states, whole } = made.hashes[algorithm];
  const add = (what, run, list) => addCase('states', algorithm, what, run, list);
  const known = Object.entries(states).map(([at, state]) => ({ at: Number(at), state }));
  const continued = (hasher, at, what) =>
    sameBytes(hasher.update(message.subarray(at)).digest(), whole, `${what} after ${at} bytes`);
  const taken = ({ at, state }) => continued(make({ state: hex(state) }), at, 'taken');
  add('a state from another engine and machine', taken, known);
  const exported = ({ at, state }) => {
    const hasher = fed(make(), message.subarray(0, at), [1, at - 1]);
    same(toHex(hasher.exportState()), state, `after ${at} bytes`);
    continued(hasher, at, 'the exporter');
  };
  add('exported states are the same everywhere', exported, known);
  add('damaged and foreign states are refused', async () => {
    const state = hex(known[0].state);
    const wrong = [0, 5, state.length >> 1, state.length - 1].map((at) =>
      state.map((byte, index) => (index === at ? byte ^ 1 : byte)),
    );
    const other = Object.entries(made.hashes).find(([name]) => name !== algorithm)[1].states;
    wrong.push(new Uint8Array(0), state.slice(0, -1), hex(Object.values(other)[0]));
    for (const [index, each] of wrong.entries())
      await refused(() => make({ state: each }), 'ERR_STATE', `wrong state ${index}`);
  });
}

/** Adds the digests with seeds and keys. */
function addParameters({ millrace, options, add }, algorithm, make, { seeded, keyed }) {
  const checked = (digests, cuts, given, what) => {
    for (const [size, digest] of Object.entries(digests))
      sameBytes(fed(make(given), pattern(Number(size)), cuts).digest(), digest, `${what} ${size}`);
  };
  if (seeded !== undefined)
    add('hashers', algorithm, 'seeds', () => {
      for (const [seed, digests] of Object.entries(seeded))
        checked(digests, [2, 100, 1000], { seed: BigInt(seed) }, `seed ${seed},`);
      const expected = millrace.hash(algorithm, message, { ...options, seed: 1n });
      sameBytes(make({ seed: 1 }).update(message).digest(), expected, 'a seed as a number');
    });
  if (keyed !== undefined)
    add('hashers', algorithm, 'keyed', () =>
      checked(keyed, [2, 1023, 1024], { key: pattern(32, 7) }, 'keyed,'),
    );
}

function addSqueezing({ millrace, options, add, refused }, algorithm) {
  const squeezed = async (pieces) => {
    const expected = millrace.hash(algorithm, message, { ...options, outputLength: 2000 });
    const hasher = millrace.createHash(algorithm, options).update(message);
    const target = new Uint8Array(2000);
    let at = 0;
    for (const [index, size] of pieces.entries()) {
      if (index % 2 === 0) hasher.squeezeInto(target, at, size);
      else target.set(hasher.squeeze(size), at);
      at += size;
    }
    sameBytes(target, expected, `${pieces.length} pieces`);
    await refused(() => hasher.update('x'), 'ERR_HASHER_SPENT', 'update after output');
  };
  const tens = Array.from({ length: 200 }, () => 10);
  const cuts = [[2000], [1, 1999], [32, 136, 168, 64, 1600], tens];
  add('hashers', algorithm, 'squeezed incrementally', squeezed, cuts);
}

function addRefusals({ millrace, options, made, add, refused }) {
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
      const what = `update(${args.map(String).join(', ').slice(0, 30)})`;
      await refused(() => hasher.update(...args), code, what);
      if (args.length > 0) await refused(hasher.updateAsync(...args), code, `${what}, async`);
    }
    const none = { ...options, outputLength: 0 };
    for (const [call, code] of [
      [() => hasher.digest('nonsense'), 'ERR_ARGUMENT_VALUE'],
      [() => millrace.createHash('sha257', options), 'ERR_UNKNOWN_ALGORITHM'],
      [() => millrace.createHash('shake128', none), 'ERR_OUTPUT_SIZE'],
      [() => hasher.squeeze(3), 'ERR_ARGUMENT_VALUE'],
      [() => millrace.createHmac('sha256'), 'ERR_MISSING_ARGUMENT'],
    ])
      await refused(call, code, String(call));
    const digest = hasher.update(message).digest();
    sameBytes(digest, made.hashes.sha256.whole, 'and the hasher continues');
  });
}

/** Gives a hasher updates of these sizes, then the rest of the message. */
function fed(hasher, bytes, cuts) {
  let at = 0;
  for (const size of [...cuts, bytes.length]) {
    if (at >= bytes.length && size > 0) break;
    hasher.update(bytes.subarray(at, at + size));
    at += size;
  }
  return hasher;
}
