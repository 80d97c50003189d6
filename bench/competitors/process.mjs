// One process of `npm run bench -- competitors`: measures the row with the given index and prints
// the result as JSON. The competitors take turns, in another order each round.

import { createRequire } from 'node:module';

import { load as importPackage, requirePackage } from '../../cli/bench/packages.mjs';
import { startUsage } from '../../cli/bench/usage.mjs';
import { rows } from './rows.mjs';
import { measureForms } from '../turns.mjs';

const load = createRequire(new URL('../../package.json', import.meta.url));
const [row, rounds, time] = [rows[Number(process.argv[2])], ...process.argv.slice(3).map(Number)];

const forms = row.forms({
  millrace: load('millrace'),
  promises: load('millrace/promises'),
  cryptoAsync: optional('@ronomon/crypto-async'),
  bigintHash: optional('bigint-hash'),
  hashtree: optional('@chainsafe/hashtree'),
  jsSha3: optional('js-sha3'),
  napiBlake: optional('@napi-rs/blake-hash'),
  nobleBlake3: await imported('@noble/hashes/blake3.js'),
  sodium: optional('sodium-native'),
  xxhashAddon: optional('xxhash-addon'),
  xxhashWasm: await (await imported('xxhash-wasm'))?.default(),
});
let usage;
const entries = await measureForms(row, forms, {
  rounds,
  time,
  begin: () => (usage = startUsage()),
});
console.log(JSON.stringify({ foreign: usage.foreign(), delay: usage.delay(), entries }));

function optional(name) {
  try {
    return requirePackage(name);
  } catch {
    return undefined;
  }
}

async function imported(name) {
  try {
    return await importPackage(name);
  } catch {
    return undefined;
  }
}
