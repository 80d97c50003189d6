// One process of compare.mjs: measures one row of a table and prints the result as JSON. The forms
// of the row take turns, in another order each round.

import { startUsage } from '../cli/bench/usage.mjs';
import { measureForms } from './turns.mjs';

const [name, ...numbers] = process.argv.slice(2);
const [index, rounds, time] = numbers.map(Number);
const { rows, load } = await import(`./tables/${name}.mjs`);
const row = rows[index];
const forms = await row.forms(await load());
let usage;
const entries = await measureForms(row, forms, {
  rounds: Math.min(rounds, row.rounds ?? rounds),
  time,
  flight: time * (row.flight ?? 1),
  begin: () => (usage = startUsage()),
});
// What programs use that a row starts is not the work of others.
const foreign = row.programs ? 0 : usage.foreign();
process.stdout.write(JSON.stringify({ foreign, entries }), () => process.exit());
