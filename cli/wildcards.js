// Expands * and ? in file names on Windows, where shells do not. (node:fs has glob from Node 22
// on.)

'use strict';

const { readdirSync } = require('node:fs');

/**
 * Returns the matching names, sorted. Without a match it returns the operand itself, so that
 * opening it reports the missing file.
 *
 * @param {string} operand
 * @returns {string[]}
 */
function expand(operand) {
  if (!/[*?]/.test(operand)) return [operand];
  const found = operand.split(/([\\/]+)/).reduce(extend, ['']);
  return found.length > 0 ? found : [operand];
}

/**
 * Appends the next part to each name: a separator, a name, or each entry that matches a pattern.
 */
function extend(names, part) {
  if (!/[*?]/.test(part)) return names.map((name) => name + part);
  const pattern = new RegExp(
    `^${part
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'isu',
  );
  return names.flatMap((name) =>
    entries(name)
      .filter((entry) => pattern.test(entry))
      .map((entry) => name + entry),
  );
}

function entries(folder) {
  try {
    return readdirSync(folder === '' ? '.' : folder).sort();
  } catch {
    return [];
  }
}

module.exports = { expand };
