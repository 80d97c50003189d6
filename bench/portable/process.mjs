// One process of `npm run bench -- portable`: measures the group with the given index and prints
// its rows as JSON.

import { startUsage } from '../../cli/bench/usage.mjs';
import * as millrace from '../../dist/index.mjs';
import * as portable from '../../dist/portable/entry.mjs';
import * as promises from '../../dist/promises.mjs';
import { measureGroup } from './groups.mjs';

const [index, rounds, time, warmUp] = process.argv.slice(2).map(Number);
const usage = startUsage();
/** Other programs and the compiler's threads delay a call, but take little of its processor time. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const settings = { rounds, time, warmUp, now };
const rows = await measureGroup(index, { millrace, portable, promises }, settings);
console.log(JSON.stringify({ foreign: usage.foreign(), rows }));
process.exit();
