// One process of `npm run bench -- competitors`: measures the row with the given index and prints
// the result as JSON. The competitors take turns, in another order each round.

import { startUsage } from '../../cli/bench/usage.mjs';
import { measureForms } from '../turns.mjs';
import { libraries } from './libraries.mjs';
import { rows } from './rows.mjs';

const [index, rounds, time] = process.argv.slice(2).map(Number);
const row = rows[index];
const forms = await row.forms(await libraries());
let usage;
const entries = await measureForms(row, forms, {
  rounds,
  time,
  begin: () => (usage = startUsage()),
});
// What programs use that a row starts is not the work of others.
const foreign = row.programs ? 0 : usage.foreign();
process.stdout.write(JSON.stringify({ foreign, entries }), () => process.exit());
