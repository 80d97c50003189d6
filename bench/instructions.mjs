// Counts the instructions of some sixty calls with valgrind, and compares them with the record:
//
//   npm run bench -- instructions [--match TEXT] [--accept] [--record FILE] [--optimised]
//
// `npm test` fails if a call needs 2 % more instructions than the record,
// bench/records/instructions-<arch>.json. --accept writes a new record. --optimised counts with
// V8's compilers instead, one process a call, and compares nothing: it shows what a call consists
// of.

import { relative } from 'node:path';
import { parseArgs } from 'node:util';

import { calls } from './instructions/calls.mjs';
import { countInstructions } from './instructions/callgrind.mjs';
import { conditionsHere, DEFAULT_PROFILE } from './instructions/conditions.mjs';
import {
  changes,
  comparable,
  readRecord,
  recordPath,
  writeRecord,
} from './instructions/record.mjs';

const { values } = parseArgs({
  options: {
    match: { type: 'string', default: '' },
    accept: { type: 'boolean', default: false },
    record: { type: 'string', default: recordPath },
    optimised: { type: 'boolean', default: false },
  },
});
const names = calls.map(({ name }) => name).filter((name) => name.includes(values.match));
process.exitCode = await main();

async function main() {
  const here = conditionsHere();
  if ('reason' in here) return stop(here.reason);
  if (names.length === 0) return stop(`no call contains ${JSON.stringify(values.match)}`);
  if (values.optimised) return optimised();
  const { conditions } = here;
  if (values.accept && values.match !== '') return stop('--accept needs all calls');
  // A record of another build would switch off the comparison of `npm test`.
  if (values.accept && values.record === recordPath && conditions.profile !== DEFAULT_PROFILE)
    return stop(`--accept needs a build as npm test makes it, this one has ${conditions.profile}`);
  const counts = await countInstructions(names);
  const record = readRecord(values.record);
  const { parts, reason } = comparable(record, conditions);
  const found = record === undefined ? [] : changes(record, counts, parts);
  console.log(
    `${'instructions of one call'.padEnd(52)}${'native'.padStart(20)}${'total'.padStart(20)}`,
  );
  for (const [name, count] of counts) {
    const cells = /** @type {const} */ (['native', 'total']).map((part) => {
      const change = found.find((each) => each.name === name && each.part === part);
      return `${count[part].toFixed(0).padStart(10)}${beside(change).padStart(10)}`;
    });
    console.log(`${name.padEnd(52)}${cells.join('')}`.trimEnd());
  }
  if (values.accept) {
    writeRecord(values.record, conditions, counts);
    console.log(`\nwritten to ${relative('', values.record)}`);
    return 0;
  }
  if (reason !== undefined)
    console.log(
      `\n${parts.length === 0 ? 'not compared' : 'only native code compared'}: ${reason}`,
    );
  const failed = found.filter((change) => change.failed);
  console.log(`\n${found.length} counts compared, ${failed.length} of them 2 % above the record`);
  return failed.length === 0 ? 0 : 1;
}

/**
 * Prints the instructions of optimised code, one call after the other: two at a time would not be
 * faster on two cores that others use as well.
 */
async function optimised() {
  const heads = ['native', 'JavaScript', 'node', 'libraries', 'total'];
  const line = (name, cells) =>
    console.log(name.padEnd(52) + cells.map((cell) => String(cell).padStart(11)).join(''));
  line('instructions of one call, optimised', heads);
  for (const name of names) {
    const counts = await countInstructions([name], { optimised: true });
    const { native, javascript, node, total } = counts.get(name);
    const all = [native, javascript, node, total - native - javascript - node, total];
    line(
      name,
      all.map((value) => value.toFixed(0)),
    );
  }
  return 0;
}

function beside(change) {
  if (change === undefined) return '';
  const part = change.now / change.before - 1;
  if (change.now === change.before) return '=';
  return `${part > 0 ? '+' : ''}${(part * 100).toFixed(1)} %${change.failed ? '!' : ''}`;
}

function stop(reason) {
  console.error(`instructions: ${reason}`);
  return 1;
}
