// One process of `npm run bench -- portable`: measures the group with the given index and prints
// its rows as JSON.

import { startUsage } from '../../cli/bench/usage.mjs';
import * as millrace from '../../dist/index.mjs';
import * as portable from '../../dist/portable/entry.mjs';
import * as promises from '../../dist/promises.mjs';
import { measureGroup } from './groups.mjs';

const [index, rounds, time] = process.argv.slice(2).map(Number);
const usage = startUsage();
const rows = await measureGroup(index, { millrace, portable, promises }, { rounds, time });
console.log(JSON.stringify({ foreign: usage.foreign(), rows }));
process.exit();
