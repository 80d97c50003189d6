// "did you mean": the known word that is nearest to a mistyped one.

'use strict';

const { UsageError, displayName } = require('./ui.js');

/**
 * Returns ` (did you mean WORD?)`: a word of one other letter, or else the first that begins so, or
 * else the nearest; nothing if no known word is similar.
 */
function suggest(word, known, prefix = '') {
  const typed = word.toLowerCase();
  const [nearest] = known
    .map((each) => ({ each, far: distance(typed, each) }))
    .sort((left, right) => left.far - right.far);
  const longer = typed.length > 1 ? known.find((each) => each.startsWith(typed)) : undefined;
  const similar = nearest?.far <= Math.max(1, word.length / 3) ? nearest.each : undefined;
  const meant = nearest?.far > 1 ? (longer ?? similar) : similar;
  return meant === undefined ? '' : ` (did you mean ${prefix}${meant}?)`;
}

/**
 * Throws a UsageError if a word is not a known one: with the nearest, or with all of them.
 *
 * @param {string} kind of the word
 * @param {readonly string[]} known
 * @param {string} near the word to compare with
 */
function checkKnown(kind, word, known, near = word) {
  if (known.includes(word)) return;
  const hint = suggest(near, known) || ` (there are ${known.join(', ')})`;
  throw new UsageError(`unknown ${kind}: ${displayName(word)}${hint}`);
}

/** Names of sum's algorithms in the names of other programs, where they differ. */
const programs = { b2: 'blake2b512', b3: 'blake3', xxh: 'xxh64' };

/**
 * Suggests a command for an unknown one: by what others call it, by an algorithm, or by letters.
 *
 * @param {string} word
 * @param {import('./commands.js').Commands} commands
 */
function suggestCommand(word, commands) {
  const wanted = word.toLowerCase();
  if (/^-*v(ersion)?$/.test(wanted)) return ' (did you mean --version?)';
  const alike = Object.keys(commands).find((name) => commands[name].also?.includes(wanted));
  if (alike !== undefined) return ` (did you mean ${alike}?)`;
  const { findHash } = require('../dist/core.js')['catalog/catalog'];
  const program = wanted.replace(/sum$/, '');
  const facts = findHash(Object.hasOwn(programs, program) ? programs[program] : program);
  return facts?.direct
    ? ` (did you mean sum -a ${facts.name}?)`
    : suggest(word, Object.keys(commands));
}

/**
 * Returns the optimal string alignment distance: substitutions, insertions, deletions,
 * transpositions.
 */
function distance(left, right) {
  const rows = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1];
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1])
        row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[left.length][right.length];
}

module.exports = { checkKnown, suggest, suggestCommand };
