// Progress of the bench on stderr: a bar with the time left on a terminal, else a plain line every
// ten seconds.

import { startProgress } from '../progress.js';
import { duration, isTerminal, logError } from '../ui.js';

const LINE_INTERVAL_MS = 10_000;

/**
 * @param {readonly { expected: number }[]} rows with the expected seconds of each
 * @param options for tests
 * @returns `begin` starts a row by name, `done` ends it, `note` describes work that has no rows
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
  const due = () => now() - lastLine >= LINE_INTERVAL_MS;
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
        `${Math.floor((seconds / total) * 100)}%, ${finished} of ${count} rows, ` +
          `${duration(left)} left`,
      );
    },
    note(text) {
      if (text !== '' && due()) write(text);
    },
    end() {},
  };
}
