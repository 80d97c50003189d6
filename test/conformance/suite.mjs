// The conformance suite: every algorithm of the catalog through every entry point and form there
// is, on any engine and in any runtime. It is told the entry points, so it imports nothing of Node
// and needs no Buffer:
//
//   const { cases, summary } = await runConformance({
//     millrace, promises, load, options: { engine: 'portable' },
//   });
//
// `load(file)` gives the parsed JSON of a file below test/. Cases are `{ family, algorithm, name,
// ok, error?, unavailable?, ms }`; the engine said of an `unavailable` one that it does not serve
// it (ERR_ENGINE_UNAVAILABLE), which is an answer but not a pass.

import { aborts } from './aborts.mjs';
import { absences } from './absences.mjs';
import { asymmetric } from './asymmetric.mjs';
import { callStylesOf, errorOf } from './call-styles.mjs';
import { originals } from './originals.mjs';
import { ciphers, seals } from './ciphers.mjs';
import { derivations, passwords } from './derivations.mjs';
import { hashers } from './hashers.mjs';
import { hashes, hmacs, many } from './hashes.mjs';
import { keys } from './keys.mjs';
import { refusals } from './refusals.mjs';
import { pieces, streams } from './streams.mjs';
import { sameError, thrown } from './verdicts.mjs';

/** The families of checks; each adds its cases. */
export const families = {
  hashes,
  hmacs,
  hashers,
  many,
  ciphers,
  seals,
  keys,
  derivations,
  passwords,
  asymmetric,
  streams,
  pieces,
  refusals,
  aborts,
  originals,
  absences,
};

/**
 * Runs the cases one after the other and tells of each.
 *
 * @param given.millrace,given.promises the two entry points
 * @param given.original packages `{ cryptoAsync, bigintHash, bigintBuffer }`, as far as there are
 * any
 * @param given.load gives the parsed JSON of a file below test/
 * @param given.options goes into every options object, such as `{ engine: 'portable' }`; an engine
 * is also configured, for the forms without one
 * @param given.place `'node'` or `'browser'`: what there is besides algorithms
 * @param given.without `[family, name]`s of cases that cannot be here; the caller says why
 * @param given.families names of those to run; all by default
 * @param given.algorithms names of those to run; all by default
 * @param given.styles call styles of those to run, `synchronous`, `callback` or `promise`, beside
 * cases that are of none; all by default
 * @param given.more families beside those of this suite, for what only some environments have
 * @param given.report is called with each case
 * @param given.paint awaited now and then, so that a page can be painted
 */
export async function runConformance({
  millrace,
  promises,
  originals = {},
  load,
  options = {},
  place = 'node',
  without = [],
  families: wanted = Object.keys(families),
  algorithms,
  styles,
  more = {},
  report = () => {},
  paint = () => {},
}) {
  const planned = [];
  const made = await load('conformance/made.json');
  const context = {
    millrace,
    promises,
    originals,
    options,
    place,
    load,
    made,
    styles: callStylesOf(millrace, promises),
    /**
     * Adds a case: an async function that throws if anything is wrong, which gets each item of the
     * list.
     */
    add: (family, algorithm, name, run, list = [undefined]) => {
      if (list.length === 0) throw new Error(`nothing to check: ${family}, ${algorithm}, ${name}`);
      planned.push({ family, algorithm, name, run, list });
    },
    /** Checks that a promise rejects, or a function throws, with an error of this code. */
    refused: async (call, code, what) => {
      const error = typeof call === 'function' ? thrown(call) : await errorOf(call, what);
      sameError(error, code, millrace, what);
    },
  };
  for (const family of wanted) await { ...families, ...more }[family](context);

  const cases = [];
  const back = options.engine === undefined ? undefined : configured(millrace, options.engine);
  try {
    for (const { family, algorithm, name, run, list } of planned) {
      if (algorithms !== undefined && !algorithms.includes(algorithm)) continue;
      const [, style] = /^(synchronous|callback|promise), /.exec(name) ?? [];
      if (style !== undefined && styles !== undefined && !styles.includes(style)) continue;
      if (without.some(([of, title]) => of === family && title === name)) continue;
      const begin = performance.now();
      const outcome = { family, algorithm, name, ok: true };
      try {
        for (const each of list) await run(each);
      } catch (error) {
        outcome.ok = false;
        outcome.unavailable = error?.code === 'ERR_ENGINE_UNAVAILABLE';
        outcome.error = outcome.unavailable ? error.message : `${error?.message ?? error}`;
      }
      outcome.ms = performance.now() - begin;
      cases.push(outcome);
      report(outcome);
      await paint();
    }
  } finally {
    back?.();
  }
  if (cases.length === 0) throw new Error(`no cases in ${wanted.join(', ')}`);
  return { cases, summary: summaryOf(cases) };
}

function configured(millrace, engine) {
  millrace.configure({ engine });
  return () => millrace.configure({ engine: 'auto' });
}

/** Returns `{ [family]: { [algorithm]: { passed, failed, unavailable } } }` */
export function summaryOf(cases) {
  const summary = {};
  for (const { family, algorithm, ok, unavailable } of cases) {
    const counts = ((summary[family] ??= {})[algorithm] ??= {
      passed: 0,
      failed: 0,
      unavailable: 0,
    });
    counts[ok ? 'passed' : unavailable ? 'unavailable' : 'failed']++;
  }
  return summary;
}

/** Returns what failed, in words: cases that failed alike are one. */
export function failuresOf(cases) {
  const alike = new Map();
  for (const each of cases.filter(({ ok }) => !ok))
    alike.set(each.error, [...(alike.get(each.error) ?? []), each]);
  return [...alike].map(
    ([error, [{ family, algorithm, name }, ...others]]) =>
      `${family}, ${algorithm}, ` +
      `${name}${others.length > 0 ? ` and ${others.length} more` : ''}: ${error}`,
  );
}
