// One process of compare.mjs: measures one row of a table and prints the result as JSON. The forms
// of the row take turns, in another order each round. A competitor that fails is left out.

import { startUsage } from '../cli/bench/usage.mjs';
import { reasonOf } from './report.mjs';
import { measureForms } from './turns.mjs';

const [name, ...numbers] = process.argv.slice(2);
const [index, rounds, time] = numbers.map(Number);

async function measureRow() {
  const { rows, load } = await import(`./tables/${name}.mjs`);
  const row = rows[index];
  const forms = await row.forms(await load());
  const leftOut = [];
  let usage;
  const entries = await measureForms(row, forms, {
    rounds: Math.min(rounds, row.rounds ?? rounds),
    time,
    flight: time * (row.flight ?? 1),
    begin: () => (usage = startUsage()),
    leaveOut: (competitor, error) => leftOut.push(`${competitor} (${reasonOf(error)})`),
  });
  // What programs use that a row starts is not the work of others.
  const foreign = row.programs ? 0 : usage.foreign();
  return { foreign, entries, leftOut };
}

const result = await measureRow().catch((error) => ({ failed: reasonOf(error) }));
process.stdout.write(JSON.stringify(result), () => process.exit());
