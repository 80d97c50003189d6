// Names with * and ? on Windows, whose shells hand them on as they are. (node:fs has glob from Node
// 22 on.)

'use strict';

const { readdirSync } = require('node:fs');

/**
 * The names that match, sorted; the operand itself where none does, so that reading it says what is
 * missing.
 *
 * @param {string} operand
 * @returns {string[]}
 */
function expand(operand) {
  if (!/[*?]/.test(operand)) return [operand];
  // Separators stay as they were written.
  const found = operand.split(/([\\/]+)/).reduce(extend, ['']);
  return found.length > 0 ? found : [operand];
}

/** Each name with the next part behind it: a separator, a name, or what matches a pattern there. */
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
