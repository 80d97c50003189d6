// What is said while rows are measured: on a terminal a bar with the time left, in a pipe a plain
// line now and then. All of it on stderr.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { startProgress } = require('../progress.js');
const { duration, isTerminal, logError } = require('../ui.js');

/** Milliseconds between plain lines. */
const pause = 10_000;

/**
 * @param {readonly { expected: number }[]} rows what is to be measured, and about how many seconds
 * each takes
 * @param options for the tests
 * @returns `begin` a row by name, `done` with one, `note` of work that has no rows, `end`
 */
export function startBenchProgress(
  rows,
  { terminal = isTerminal(2), writeLine = logError, now = () => performance.now() } = {},
) {
  const total = rows.reduce((sum, { expected }) => sum + expected, 0);
  return terminal ? bar(rows.length, total) : lines(rows.length, total, writeLine, now);
}

function bar(count, total) {
  let finished = 0;
  const progress = startProgress('', {
    total,
    unit: { amount: () => `${finished} of ${count} rows`, memory: Infinity },
  });
  return {
    begin(name) {
      progress.title = name;
      progress.add(0);
    },
    done(expected) {
      finished++;
      progress.add(expected);
    },
    note(text) {
      progress.title = text;
      progress.total = undefined;
    },
    end: () => progress.end(),
  };
}

function lines(count, total, writeLine, now) {
  const begin = now();
  let [finished, seconds, lastLine] = [0, 0, begin];
  const due = () => now() - lastLine >= pause;
  const write = (text) => {
    lastLine = now();
    writeLine(text);
  };
  return {
    begin() {},
    done(expected) {
      finished++;
      seconds += expected;
      if (!due() || finished === count) return;
      const left = ((now() - begin) / 1000 / seconds) * (total - seconds);
      write(
        `${Math.floor((seconds / total) * 100)}%, ${finished} of ${count} rows, ${duration(left)} left`,
      );
    },
    note(text) {
      if (text !== '' && due()) write(text);
    },
    end() {},
  };
}
