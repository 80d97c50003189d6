// Runs published vectors of public keys through every entry point, beside node:crypto:
//
//   node test/public-keys/vectors.mjs DIRECTORY... [--match REGEXP]
//
// Prints for each entry point what passed, what failed and what failed only with Millrace, and
// fails if that is anything.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { textOf } from '../vectors/acvp.mjs';
import { entryPoints } from './entries.mjs';
import { readers } from './readers.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { match: { type: 'string', default: '' }, failed: { type: 'boolean', default: false } },
});
const match = new RegExp(values.match);
const SHOWN = 5;

const available = entryPoints.filter(({ verify }) => verify !== undefined);
for (const { name } of entryPoints.filter((entry) => !available.includes(entry)))
  console.log(`skipped: ${name}: it verifies no signatures`);

/** The results of each entry point by suite. */
const results = new Map(available.map(({ name }) => [name, new Map()]));

for (const directory of positionals)
  for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(directory, file).replaceAll('\\', '/');
    const [, reader] = readers.find(([pattern]) => pattern.test(path)) ?? [];
    if (reader === undefined || !match.test(path)) continue;
    for (const test of reader(path, textOf(path))) await check(test);
  }

report();

/** Runs a case through the entry points that serve it. */
async function check(test) {
  let control;
  for (const entry of available) {
    const counts = countsOf(entry.name, test.suite);
    if (!entry.serves(test.needs)) {
      counts.notServed++;
      continue;
    }
    const answer = await answerOf(entry, test);
    const isRight = isExpected(test, answer);
    if (entry.control) control = { answer, isRight };
    counts[isRight ? 'passed' : 'failed']++;
    const differs = answer.split(':')[0] !== control.answer.split(':')[0];
    if (differs) counts.differ++;
    const line = `${test.name}: ${test.expected}, ${answer}`;
    if (!isRight && values.failed) console.log(`${entry.name}: ${line}`);
    if ((isRight || !control.isRight) && !(entry.replaces && differs)) continue;
    counts.worse.push(`${line}, node:crypto ${control.answer}`);
  }
}

/** Resolves to true, false or the kind of an error with its code. */
async function answerOf(entry, test) {
  try {
    return String(await test.run(entry));
  } catch (error) {
    const { code, message } = error;
    const isCoded = entry.control || entry.replaces || String(code).startsWith('ERR_');
    return `error${isCoded ? '' : ' without a code'}: ${code ?? message}`;
  }
}

/** Returns true if the answer is what the vector expects. */
function isExpected({ expected, verdict = false }, answer) {
  if (answer.startsWith('error without')) return false;
  if (expected === 'valid') return answer === 'true';
  if (answer.startsWith('error')) return !verdict;
  return expected === 'acceptable' ? verdict || answer === 'true' : answer === 'false';
}

function countsOf(name, suite) {
  const suites = results.get(name);
  if (!suites.has(suite))
    suites.set(suite, { passed: 0, failed: 0, differ: 0, notServed: 0, worse: [] });
  return suites.get(suite);
}

function report() {
  const row = (title, ...cells) =>
    console.log([title.padEnd(44), ...cells.map((cell) => String(cell).padStart(8))].join(' '));
  const sums = [0, 0, 0];
  for (const [name, suites] of results) {
    const { control } = available.find((entry) => entry.name === name);
    row(`${name}, Node ${process.version}`, 'passed', 'failed', 'worse', 'differ', 'unserved');
    const total = [0, 0, 0, 0, 0];
    for (const [suite, { passed, failed, worse, differ, notServed }] of suites) {
      const cells = [passed, failed, worse.length, differ, notServed];
      cells.forEach((cell, index) => (total[index] += cell));
      row(`  ${suite}`, ...cells);
      for (const line of worse.slice(0, SHOWN)) console.log(`      ${line}`);
    }
    row('  total', ...total);
    if (!control) sums.forEach((_, index) => (sums[index] += total[index]));
  }
  console.log(`${sums[0]} passed, ${sums[1]} failed, ${sums[2]} failed only with Millrace`);
  const [[, first]] = results;
  if (first.size === 0) console.log('no vectors found');
  process.exitCode = sums[2] > 0 || first.size === 0 ? 1 : 0;
}
