// Finds tests that are skipped without a reason, in their source text: many are skipped only on
// other systems than the one that runs this.

import { posix } from 'node:path';

/** `skip: VALUE` and `skip` in options, `t.skip(VALUE)`, and `test.skip(`, which has no reason. */
const skips = /(?<=[{,]\s+)skip(?::|(?=[,\s]))|(?<=\b(?:t|context)\.skip)\(|\b(?:test|it)\.skip\(/g;

/**
 * Returns `FILE:LINE: VALUE` for each skip whose value may be other than a text, false or
 * undefined. Names are followed to their constant or function, also into another file. Parameters
 * and members are taken for reasons.
 *
 * @param {string} file
 * @param {(file: string) => string} read
 */
export function skipsWithoutReason(file, read) {
  const code = codeOf(file, read);
  return [...code.matchAll(skips)].flatMap(({ 0: found, index }) => {
    const [given] = split(code.slice(index + found.length), ',');
    const value = found === 'skip' ? found : found.length > 5 ? 'true' : given;
    const line = code.slice(0, index).split('\n').length;
    return isReason(value, file, read) ? [] : [`${file}:${line}: ${value.replace(/\s+/g, ' ')}`];
  });
}

function isReason(expression, file, read) {
  const values = split(expression, ':')
    .map((branch) => split(branch, '?').at(-1))
    .flatMap((value) => split(value, '||', '??'))
    .map((value) => split(value, '&&').at(-1));
  return values.every((value) => {
    if (/^(['"`]|(false|undefined)$)/.test(value)) return true;
    if (value.startsWith('(')) return isReason(value.slice(1), file, read);
    if (/^\w+[.[][\w.\]]+$/.test(value)) return true;
    const [, name, called] = /^(?:await )?(?!true$)([\w$]+)(\(|$)/.exec(value) ?? [];
    return name !== undefined && namesReason(name, called === '(', file, read);
  });
}

/** Returns true if the constant, or the results of the function, are reasons. */
function namesReason(name, called, file, read) {
  const code = codeOf(file, read);
  const after = (pattern) => new RegExp(`${pattern}([^]*)`).exec(code)?.[1];
  const constant = after(`\\bconst ${name} =(?:(?: async)? \\([^)]*\\) =>)?`);
  if (constant !== undefined) return isReason(split(constant, ';')[0], file, read);
  const body = after(`\\bfunction ${name}\\([^]*?\\) \\{\\n`)?.split(/^\}/m)[0];
  if (body !== undefined)
    return [...body.matchAll(/\breturn ([^]*)/g)].every(([, result]) =>
      isReason(split(result, ';')[0], file, read),
    );
  const [, names, from] =
    new RegExp(`^import \\{([^}]*\\b${name}\\b[^}]*)\\} from '(\\.[^']*)'`, 'm').exec(code) ?? [];
  if (from === undefined) return !called;
  const [, original = name] = new RegExp(`(\\w+) as ${name}\\b`).exec(names) ?? [];
  return namesReason(original, called, posix.join(posix.dirname(file), from), read);
}

/** Splits code at operators outside of brackets and quotes, up to a closing bracket. */
function split(code, ...operators) {
  const parts = [''];
  let depth = 0;
  for (const [token] of code.matchAll(/(['"`])(?:\\.|(?!\1)[^\\])*\1|=>|\|\||&&|\?[?.]|[^]/g)) {
    if (/^[([{]$/.test(token)) depth++;
    if (/^[)\]}]$/.test(token) && depth-- === 0) break;
    if (depth === 0 && operators.includes(token)) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim());
}

/** Returns the text without its comments, lines kept. */
const codeOf = (file, read) =>
  read(file).replace(/^ *\/\/.*$|\/\*\*[^]*?\*\//gm, (text) => text.replace(/[^\n]/g, ''));
