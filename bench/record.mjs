// Measures a fixed set of rows and adds them to the record of this CPU model:
//
//   npm run bench -- --record [--out FILE] [--rounds N] [--time MS]
//
// The file is bench/records/timings-<CPU model>.csv; `npm run bench -- records` draws it. What is
// measured must stay the same from record to record, so tables and sizes cannot be chosen.

import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { csvLine } from '../cli/bench/csv.mjs';
import { machineName } from './machine.mjs';
import { parseCsv } from './csv.mjs';
import { fileNameOf, heads, measurements } from './timings/record.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    record: { type: 'boolean' },
    out: { type: 'string' },
    rounds: { type: 'string', default: '11' },
    time: { type: 'string', default: '4' },
  },
});
const file = values.out ?? join(root, 'bench', 'records', fileNameOf(cpus()[0]?.model));
const date = new Date().toISOString();
const about = [date, await commit(), machineName()];
const lines = [];
for (const [index, args] of measurements.entries()) {
  console.error(`${index + 1} of ${measurements.length}: millrace bench ${args}`);
  const options = `-c node:crypto --csv - --rounds ${values.rounds} --time ${values.time}`;
  const { stdout } = await run(
    process.execPath,
    [join(root, 'cli', 'main.js'), 'bench', ...`${args} ${options}`.split(' ')],
    { maxBuffer: 2 ** 26 },
  );
  for (const line of parseCsv(stdout))
    if (line.measure === 'time')
      lines.push([...about, ...heads.slice(about.length).map((head) => line[head])]);
}
mkdirSync(dirname(file), { recursive: true });
if (!existsSync(file)) writeFileSync(file, csvLine(heads));
appendFileSync(file, lines.map((line) => csvLine(line)).join(''));
const disturbed = lines.filter((line) => line.at(-1) === '1').length;
console.log(`${relative('', file)}: ${lines.length} lines added, ${disturbed} of them disturbed`);

async function commit() {
  try {
    const git = async (...args) => (await run('git', ['-C', root, ...args])).stdout.trim();
    const dirty = (await git('status', '--porcelain', '--untracked-files=no')) !== '';
    return `${await git('rev-parse', '--short=10', 'HEAD')}${dirty ? '+' : ''}`;
  } catch {
    return '';
  }
}
