// Whose code computes which algorithm, by CPU: a table in docs/engines.md and a sentence of it in
// other documents. Both are what engines() says with CPU features hidden; test/docs/origins.test.mjs
// compares them.
//
//   node tools/origins.mjs      writes them; needs a CPU with AVX-512

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { featuresHere, newest, tierEnvironment, tiers, whyNot } from './cpu-tiers.mjs';
import { Stop, root } from './steps.mjs';

const BEGIN = '<!-- Written by tools/origins.mjs from here -->';
const END = '<!-- by tools/origins.mjs to here -->';

/** Where the sentence is. */
export const documents = ['README.md', 'SECURITY.md', 'docs/faq.md'];

const inJavaScript = `
delete globalThis.WebAssembly;
require(${JSON.stringify(join(root, 'dist', 'browser', 'javascript.cjs'))}).useJavaScript();`;

/**
 * The columns: a tier of the native engine, or a form of the portable one with what runs before it.
 *
 * @typedef {{ title: string, tier?: Omit<typeof newest, 'letter'>, runs?: string,
 *   before?: string }} Column
 * @type {readonly Column[]}
 */
export const columns = [
  { title: 'AVX-512 (Zen 4)', tier: newest },
  ...tiers.map((tier) => ({
    title: tier.short === 'nothing' ? 'SSE2 only' : tier.name,
    tier,
  })),
  { title: 'portable: WebAssembly', runs: 'wasm-simd', before: '' },
  { title: 'portable: JavaScript', runs: 'javascript', before: inJavaScript },
];

/**
 * Returns the cells of a column by algorithm, as engines() tells.
 *
 * @param {Omit<Column, 'title'>} column
 */
export function cellsOf({ tier, runs, before = '' }) {
  const { MILLRACE_CPU_HIDE: _, OPENSSL_ia32cap: __, MILLRACE_LANES: ___, ...env } = process.env;
  const main = JSON.stringify(join(root, 'dist', 'index.js'));
  const script = `${before}\nprocess.stdout.write(JSON.stringify(require(${main}).engines()));`;
  const output = execFileSync(process.execPath, ['-e', script], {
    env: { ...env, ...(tier === undefined ? {} : tierEnvironment(tier)) },
    maxBuffer: 2 ** 24,
  });
  const { native, portable } = JSON.parse(output.toString());
  const report = tier === undefined ? portable : native;
  if (report.runs !== runs) throw new Stop(`millrace: ${report.runs} runs instead of ${runs}`);
  return {
    hashes: namedCells(report.algorithms, (name) => !isCipher(name)),
    ciphers: namedCells(report.algorithms, isCipher),
    derivations: namedCells(report.derivations, () => true),
  };
}

const isCipher = (name) => /^x?aes-|chacha20/.test(name);

const namedCells = (services, belongs) =>
  Object.fromEntries(
    Object.entries(services)
      .filter(([name]) => belongs(name))
      .map(([name, service]) => [name, cell(service)]),
  );

/**
 * Returns a cell: the library of long messages first, then those of others.
 *
 * @param {import('../dist/index.js').ServedAlgorithm} served
 */
function cell({ short, parts, incremental, ...whole }) {
  return [
    libraries(whole),
    ...(short === undefined ? [] : [`to ${sizeOf(short.upTo)} ${libraries(short)}`]),
    ...(parts === undefined ? [] : [`in parts ${libraries(parts)}`]),
    ...(incremental === undefined ? [] : [`incremental ${libraries(incremental)}`]),
  ].join('; ');
}

/** @param {import('../dist/index.js').Implementation} code */
function libraries({ library, with: others = [] }) {
  const [first, ...beside] = [library, ...others].map((name) =>
    name === 'millrace' ? 'Millrace' : name,
  );
  return beside.length === 0 ? first : `${first} with ${beside.join(' and ')}`;
}

const sizeOf = (bytes) => (bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} KiB`);

/** Returns how many algorithms have which library for long messages: `AWS-LC 2, blake3 1`. */
export function countsOf(cells) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const text of Object.values(cells).flatMap((each) => Object.values(each))) {
    const [library] = /^[^ ;]+/.exec(text);
    counts[library] = (counts[library] ?? 0) + 1;
  }
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([library, count]) => `${library} ${count}`)
    .join(', ');
}

/** Returns the table of all columns: a row for the algorithms with equal cells. */
function tableOf(found) {
  const rows = Object.keys(found[0]).flatMap((kind) => {
    const groups = new Map();
    for (const name of Object.keys(found[0][kind])) {
      const key = found.map((cells) => cells[kind][name]).join(' | ');
      groups.set(key, [...(groups.get(key) ?? []), `\`${name}\``]);
    }
    return [...groups].map(([cells, names]) => `| ${names.join(' ')} | ${cells} |`);
  });
  return [
    `| algorithms | ${columns.map(({ title }) => title).join(' | ')} |`,
    `|${' --- |'.repeat(columns.length + 1)}`,
    ...rows,
    `| ${COUNTS} | ${found.map(countsOf).join(' | ')} |`,
  ].join('\n');
}

const COUNTS = 'in all';

const engines = join(root, 'docs', 'engines.md');

/** Returns what docs/engines.md says: the cells of a column by algorithm, and the row of counts. */
export function documented() {
  const [heads, , ...rows] = written(readFileSync(engines, 'utf8'))
    .split('\n')
    .map((line) => line.slice(2, -2).split(' | '));
  return (title) => {
    const index = heads.indexOf(title);
    const cells = rows.flatMap((row) =>
      [...row[0].matchAll(/`([^`]+)`/g)].map(([, name]) => [name, row[index]]),
    );
    return {
      cells: Object.fromEntries(cells),
      counts: rows.find(([first]) => first === COUNTS)[index],
    };
  };
}

/** Returns the sentence of the table in docs/engines.md. */
export function sentence() {
  const column = documented();
  const of = (title) => {
    const counts = Object.fromEntries(
      column(title)
        .counts.split(', ')
        .map((text) => text.split(' ')),
    );
    return ['Millrace', 'AWS-LC', 'blake3'].map((name) => Number(counts[name] ?? 0));
  };
  const [avx512, , , haswell, , sse2] = columns.map(({ title }) => title);
  const [own, awsLc, blake3] = of(avx512);
  return (
    `Of the ${own + awsLc + blake3} algorithms and key derivations that \`engines()\` lists, ` +
    `Millrace's own code computes ${own} on an x86-64 CPU with AVX-512, AWS-LC ${awsLc} and the ` +
    `crate blake3 ${blake3}. With AVX2, but no AVX-512, VAES and SHA-NI, Millrace computes ` +
    `${of(haswell)[0]} and AWS-LC ${of(haswell)[1]}; with SSE2 only ${of(sse2)[0]} and ` +
    `${of(sse2)[1]}. PBKDF2 counts once for each hash, and each algorithm for the library of its ` +
    'long messages.'
  );
}

/** Returns the text between the marks of a document. */
export function written(text) {
  const [, rest] = text.split(`${BEGIN}\n\n`);
  return rest.split(`\n\n${END}`)[0];
}

function write(file, text) {
  const before = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    before.replace(`${BEGIN}\n\n${written(before)}\n\n${END}`, `${BEGIN}\n\n${text}\n\n${END}`),
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const reason = whyNot(newest, featuresHere());
  if (reason !== undefined) throw new Stop(`millrace: ${reason}`);
  write(engines, tableOf(columns.map(cellsOf)));
  for (const document of documents) write(join(root, document), sentence());
}
