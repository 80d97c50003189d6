// The table of docs/engines.md: every algorithm by engine and runtime, as the conformance suite
// found it. Each test that runs the suite somewhere keeps its summary in target/conformance and
// holds it against its column of the document, so that a cell cannot say more than a test does.
//
//   node tools/engines-table.mjs                      writes the columns for which there are
//   results, and leaves the others as they are node tools/engines-table.mjs --column NAME JSON
//   writes a column found where nothing can be kept, as a test in a guest says it

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { getCiphers, getHashes } from 'millrace';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = join(root, 'docs', 'engines.md');
const folder = join(root, 'target', 'conformance');

/**
 * Title of a table, its algorithms, and what each family of the suite is called in a cell that
 * cannot say `yes`. The last has all other algorithms.
 */
const tables = {
  Hashes: {
    parts: {
      hashes: 'digest',
      hmacs: 'HMAC',
      hashers: 'running',
      many: 'many',
      pieces: 'chunks',
      states: 'states',
      keys: 'keys',
    },
    names: getHashes(),
  },
  Ciphers: {
    parts: { ciphers: 'cipher', seals: 'seal', keys: 'keys', streams: 'streams' },
    names: getCiphers(),
  },
  'Key derivation': {
    parts: {
      derivations: 'derived',
      passwords: 'password hashes',
      'aborted derivations': 'cancelled',
    },
  },
};

/** The columns, in the order of the document. */
export const columns = [
  'Node 20',
  'Node 22',
  'Node 24',
  'Node 26',
  'Bun',
  'Deno',
  'portable in Node',
  'Chromium',
  'Chromium, strict policy',
  'Firefox',
  'workerd',
  'edge-runtime',
  'AF_ALG',
  '/dev/crypto',
];

/**
 * Returns `{ [algorithm]: cell }` of a summary: `yes`, `no`, or what is served of it. What failed
 * can never be what is documented.
 */
export function columnOf(summary) {
  const cells = {};
  for (const { parts } of Object.values(tables)) {
    for (const [family, part] of Object.entries(parts)) {
      for (const [algorithm, counts] of Object.entries(summary[family] ?? {})) {
        if (tableOf(algorithm)?.parts !== parts) continue;
        const served =
          counts.failed > 0
            ? 'FAILED'
            : counts.unavailable === 0
              ? 'served'
              : counts.passed === 0
                ? 'not served'
                : 'in part';
        (cells[algorithm] ??= {})[part] = served;
      }
    }
  }
  return Object.fromEntries(
    Object.entries(cells)
      .map(([algorithm, found]) => [algorithm, cellOf(found)])
      .sort(([one], [two]) => (one < two ? -1 : 1)),
  );
}

/** Returns the table that has a row of this name, if there is one. */
function tableOf(name) {
  if (/^(timingSafeEqual|hashPassword)$| /.test(name)) return undefined;
  return Object.values(tables).find(({ names }) => names?.includes(name) ?? true);
}

function cellOf(found) {
  const states = new Set(Object.values(found));
  if (states.has('FAILED')) return 'FAILED';
  if (states.size === 1 && states.has('served')) return 'yes';
  // Cases that need no engine, such as the refusal of a key's size, do not count.
  if (
    ['digest', 'cipher', 'seal', 'derived'].every(
      (part) => found[part] === undefined || found[part] === 'not served',
    )
  )
    return 'no';
  const list = (state) =>
    Object.entries(found)
      .filter(([, each]) => each === state)
      .map(([part]) => part);
  return [
    list('served').join(', '),
    list('in part')
      .map((part) => `${part} in part`)
      .join(', '),
  ]
    .filter(Boolean)
    .join('; ');
}

/**
 * Returns what docs/engines.md says in a column, as `columnOf` gives it, without what was not run.
 */
export function documented(column) {
  const cells = {};
  for (const row of rowsOf(readFileSync(document, 'utf8')))
    if (row[column] !== undefined && !['-', 'not run'].includes(row[column]))
      cells[row.algorithm] = row[column];
  return Object.fromEntries(Object.entries(cells).sort(([one], [two]) => (one < two ? -1 : 1)));
}

/** Keeps a summary for the next writing of the table. */
export function keep(column, record) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${column.replace(/\W+/g, '-')}.json`),
    `${JSON.stringify({ column, ...record })}\n`,
  );
}

/** Returns every row of every table as `{ algorithm, [column]: cell }`. */
function rowsOf(text) {
  const rows = [];
  let heads;
  for (const line of text.split('\n')) {
    const cells = line.startsWith('|')
      ? line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim())
      : undefined;
    if (cells === undefined) heads = undefined;
    else if (heads === undefined) heads = cells;
    else if (!/^-+$/.test(cells[0]))
      rows.push(
        Object.fromEntries(
          heads.map((head, index) => [
            head === heads[0] ? 'algorithm' : head,
            cells[index].replace(/^`|`$/g, ''),
          ]),
        ),
      );
  }
  return rows.filter(
    (row) => row.algorithm !== undefined && Object.keys(row).some((head) => columns.includes(head)),
  );
}

const BEGIN = '<!-- Written by tools/engines-table.mjs from here -->';
const END = '<!-- to here -->';

function write(args) {
  const text = readFileSync(document, 'utf8');
  const known = Object.fromEntries(columns.map((column) => [column, documented(column)]));
  const records = existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith('.json'))
        .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
    : [];
  for (const { column, summary } of records)
    if (columns.includes(column)) known[column] = columnOf(summary);
  if (args[0] === '--column') known[args[1]] = JSON.parse(args[2]);
  const parts = Object.entries(tables).map(([title, table]) => {
    const names = [...new Set(columns.flatMap((column) => Object.keys(known[column])))].filter(
      (name) => tableOf(name) === table,
    );
    const heads = [title, ...columns];
    const rows = names
      .sort()
      .map((name) => [
        `\`${name}\``,
        ...columns.map(
          (column) =>
            known[column][name] ??
            (title === 'Key derivation' && /AF_ALG|dev/.test(column) ? '-' : 'not run'),
        ),
      ]);
    return [heads, heads.map(() => '---'), ...rows]
      .map((row) => `| ${row.join(' | ')} |`)
      .join('\n');
  });
  const [before, rest] = text.split(BEGIN);
  const after = rest.split(END)[1];
  writeFileSync(document, `${before}${BEGIN}\n\n${parts.join('\n\n')}\n\n${END}${after}`);
  for (const { column, version } of records)
    console.log(`${column}${version === undefined ? '' : ` (${version})`}: written`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  write(process.argv.slice(2));
