// `millrace bench`: measures one row after the other and reports at the end, or on Ctrl-C.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { onExit } from '../cleanup.js';
import { openOutput } from '../output.js';
import { UserError, colours, columns, print, logError, wrap } from '../ui.js';
import { csvOf } from './csv.mjs';
import { compareRow } from './confidence.mjs';
import { describe, inFlight } from './definitions.mjs';
import { crossovers } from './engines.mjs';
import { latencyReport, measureLatency } from './latency.mjs';
import { measureLoad } from './load.mjs';
import { readOptions } from './options.mjs';
import {
  bytes,
  crossoverTable,
  head,
  header,
  layout,
  line,
  loadSummary,
  machine,
  summary,
} from './report.mjs';
import { choose, clockResolution, loadCompetitors, measureRow, samplesOf } from './runner.mjs';
import { startBenchProgress } from './bench-progress.mjs';

/** How often a row that other processes disturbed is measured again. */
const RETRIES = 2;

/** Time until a process that does not end is ended. */
const EXIT_TIMEOUT_MS = 5000;

export async function bench(values, operands) {
  const plan = readOptions(values, operands);
  const state = { interrupted() {} };
  // Before the files are opened: what is registered first is called first.
  const removeCleanup = onExit(() => state.interrupted());
  let outputs;
  exposeCollector();
  try {
    outputs = await openOutputs(plan);
    return await measure(plan, outputs, state);
  } finally {
    outputs?.discard();
    removeCleanup();
    // A competitor's job that never ends must not keep the process alive.
    setTimeout(() => {
      logError('a job has not ended and keeps the process alive');
      process.exit(1);
    }, EXIT_TIMEOUT_MS).unref();
  }
}

async function measure(plan, outputs, state) {
  const { ready, missing } = await loadCompetitors(plan.modules);
  const ours = missing.find(({ name }) => name === 'millrace');
  if (ours !== undefined) throw new UserError(`millrace cannot be loaded: ${ours.reason}`);
  const { rounds, time } = plan;
  const asynchronous = samplesOf('promise', rounds, time);
  const settings = { rounds, time, asynchronous, inFlight, clock: clockResolution() };
  const about = machine(ready);
  /** @type {Record<string, any>} */
  const record = {
    format: 5,
    date: new Date().toISOString(),
    ...about,
    missing,
    settings,
    rows: [],
    crossovers: [],
  };
  const toPeople = !plan.json && plan.csv !== '-';
  let said = false;
  const tell = (text) => {
    if (!toPeople) return;
    print(said ? text : text.trimStart());
    said = true;
  };
  const explain = (text) => tell(folded(text, columns(1)));

  // Synchronous, because a signal handler cannot wait.
  const conclude = () => {
    const { rows } = record;
    record.crossovers = crossovers(rows);
    if (rows.length > 0) explain(`\n${summary(rows)}`);
    if (record.crossovers.length > 0) explain(`\n${crossoverTable(record.crossovers)}`);
    outputs.write(record);
  };
  /** What has been measured of a table that takes minutes. @type {{ soFar?: () => any }} */
  const partial = {};
  const showLatency = (measured) => {
    record.latency = measured;
    tell(`\n${latencyReport(measured, about)}`);
  };
  const progress = startBenchProgress(plan.rows);
  state.interrupted = () => {
    progress.end();
    record.interrupted = { rows: record.rows.length, of: plan.rows.length };
    logError(
      plan.rows.length === 0
        ? 'interrupted'
        : `interrupted: ${record.rows.length} of ${plan.rows.length} rows measured`,
    );
    try {
      const latency = record.latency === undefined ? partial.soFar?.() : undefined;
      if (latency?.loop.length > 0) showLatency(latency);
      conclude();
    } catch (error) {
      logError(error.message);
    }
  };

  try {
    if (plan.rows.length > 0) explain(header(about, missing, settings));
    await measureRows(plan, ready, settings, record, tell, progress);
    const wants = (name) => plan.apart.includes(name);
    if (wants('load')) {
      progress.note('loading, in fresh processes');
      record.load = await measureLoad();
      explain(`\n${loadSummary(record.load)}`);
    }
    for (const module of ready) await module.unload?.();
    if (wants('latency')) showLatency(await measureLatency(plan, progress.note, partial));
    progress.end();
    conclude();
  } finally {
    state.interrupted = () => {};
    progress.end();
  }
  const wrong =
    record.latency?.wrong.length > 0 ||
    record.rows.some((row) => row.wrong.some((form) => form.startsWith('millrace') || row.engines));
  return wrong ? 1 : 0;
}

async function measureRows({ rows }, ready, settings, record, tell, progress) {
  const { green, red, bold } = colours(1);
  // While the machine stays busy, rows are not measured again in vain.
  let retries = RETRIES;
  const paint = (shade, text) => ({ green, red })[shade](text);
  let table;
  /** Rows of engines have a table for each list of engines. */
  const kindOf = ({ engines, competitors }) => (engines ? competitors : undefined);
  let kind;
  for (const { definition, size, wait, expected } of rows) {
    if (table === undefined || kind !== kindOf(definition)) {
      kind = kindOf(definition);
      const alike = rows.filter((row) => kindOf(row.definition) === kind);
      const there = ready.filter((module) =>
        alike.some((row) => choose(module, row.definition, row.wait).length > 0),
      );
      table = layout(
        alike,
        there.map(({ name }) => name),
        columns(1),
      );
      tell(`${record.rows.length === 0 ? '' : '\n'}${bold(head(table))}\n`);
    }
    progress.begin(`${describe(definition)}, ${bytes(size)}`);
    const row = {
      ...definition,
      size,
      wait,
      ...(await measureRow(definition, size, wait, ready, { ...settings, retries })),
    };
    retries = row.disturbed ? 0 : RETRIES;
    row.comparison = compareRow(row);
    record.rows.push(row);
    progress.done(expected);
    tell(`${line(row, table, paint)}\n`);
  }
}

/** Breaks lines that are wider than the terminal at blanks. */
function folded(text, width) {
  const fold = (line) => {
    const [lead] = /^ */.exec(line);
    return line.length <= width ? line : lead + wrap(line.trimStart(), width, lead.length + 2);
  };
  return text.split('\n').map(fold).join('\n').replace(/ +$/gm, '');
}

/**
 * Opens the files, so that an error shows before anything is measured, and writes records to them
 * or to standard output.
 */
async function openOutputs({ json, csv, html }) {
  const files = [];
  const open = (path, textOf) =>
    files.push({ output: openOutput(path, { force: true, mode: 0o666 }), textOf });
  const discard = () => files.forEach(({ output }) => output.discard());
  try {
    if (csv !== undefined && csv !== '-') open(csv, csvOf);
    // The page is loaded now, as an interrupted run cannot wait for it at the end.
    if (html !== undefined) open(html, (await import('./page/page.mjs')).htmlPage);
  } catch (error) {
    discard();
    throw error;
  }
  return {
    discard,
    write(record) {
      if (json) print(`${JSON.stringify(record, null, 2)}\n`);
      if (csv === '-') print(csvOf(record));
      for (const { output, textOf } of files) {
        output.writeNow(textOf(record));
        output.complete();
      }
    },
  };
}

/**
 * Exposes the collector as `node --expose-gc` does, so that a row starts without the garbage of the
 * one before.
 */
function exposeCollector() {
  if (globalThis.gc !== undefined) return;
  setFlagsFromString('--expose-gc');
  globalThis.gc = runInNewContext('gc');
}
