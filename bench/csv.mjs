// Reads CSV (RFC 4180, but with plain line ends), as cli/bench/csv.mjs writes it.

/**
 * The lines as objects, by the names in the first line. A last line without its end is left out:
 * the process that wrote it was interrupted.
 *
 * @returns {Record<string, string>[]}
 */
export function parseCsv(text) {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [heads = [], ...lines] = rows(whole);
  return lines
    .filter((line) => line.length === heads.length)
    .map((line) => Object.fromEntries(heads.map((head, index) => [head, line[index]])));
}

function rows(text) {
  const found = [];
  let row = [];
  for (const [, quotedField, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n)/g,
  )) {
    row.push(quotedField === undefined ? plain : quotedField.replaceAll('""', '"'));
    if (end === ',') continue;
    found.push(row);
    row = [];
  }
  return found;
}
