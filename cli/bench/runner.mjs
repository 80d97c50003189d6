// Measures one row: checks every competitor's result, then times all of them in turn, round by
// round, so that a slow moment of the machine affects all.
//
// Choices and their limits:
// - Each form and the loop around it are compiled afresh for each measurement. A loop shared
//   between competitors would see several functions at one call site, and V8 would stop inlining
//   any of them.
// - Samples are medians over rounds; the spread is half the interquartile range, relative.
// - Inputs are the same in every call and hot in the cache; a 1 MiB row is cache speed.
// - Asynchronous rows keep a fixed number of jobs in flight, each starting the next from its
//   callback. The time per operation is elapsed time over jobs done; the latency is that of one of
//   the chains.
// - In the table of asynchronous jobs, a competitor without one (node:crypto) is timed in a
//   loop of synchronous ones, as is `own loop`, our synchronous call: that blocks the event loop,
//   uses one core and has no latency worth the name.
// - `foreign` is the CPU time other processes used meanwhile, in cores. A row that they disturbed
//   (confidence.mjs) is measured again, up to `retries` times; the least disturbed one counts.

import { fresh, takeTurns } from './clock.mjs';
import { disturbance } from './confidence.mjs';
import { answerBytes, makeInputs } from './inputs.mjs';
import { median, quantile, spread } from './numbers.mjs';
import { startUsage } from './usage.mjs';

/** Loads the competitors that can be loaded: { ready: [...], missing: [{ name, reason }] }. */
export async function loadCompetitors(modules) {
  const ready = [];
  const missing = [];
  for (const module of modules) {
    try {
      ready.push({ ...module, tools: await module.load() });
    } catch (error) {
      missing.push({
        name: module.name,
        package: module.packageName ?? module.name,
        reason: firstLine(error),
      });
    }
  }
  return { ready, missing };
}

/**
 * Measures one row. Returns { entries: [{ competitor, form, seconds, quartiles, spread, latency?,
 * cores? }], wrong, foreign, delay, attempts, disturbed }, seconds being the median time of one
 * operation (of a batch: of one message) and cores the CPU time it kept busy. `wrong` names the
 * forms that returned another answer and were not timed.
 */
export async function measureRow(definition, size, wait, competitors, options) {
  const { messages = 1, inFlight = options.inFlight } = definition;
  const { candidates, wrong } = await enterRow(definition, size, wait, competitors, inFlight);
  for (const candidate of candidates) candidate.answer = undefined;
  let best;
  let attempts = 0;
  do {
    const taken = await timeRow(candidates, wait, messages, options);
    if (best === undefined || disturbance({ ...taken, wait }) < disturbance({ ...best, wait }))
      best = taken;
    attempts++;
  } while (disturbance({ ...best, wait }) > 1 && attempts <= (options.retries ?? 0));
  for (const { competitor, form, failure } of candidates)
    if (failure !== undefined)
      wrong.push(`${competitor.name} ${form.name} (${firstLine(failure)})`);
  return { ...best, wrong, attempts, disturbed: disturbance({ ...best, wait }) > 1 };
}

/** Times all candidates once: their figures, and what other processes did meanwhile. */
async function timeRow(all, wait, messages, { rounds, time, ...options }) {
  const candidates = all.filter(({ failure }) => failure === undefined);
  const usage = (options.startUsage ?? startUsage)();
  const { samples, flight } = samplesOf(wait, rounds, time);
  const warmUp = wait === 'sync' ? time * 5 : flight;
  await takeTurns(candidates, { rounds: samples, time, flight, warmUp });
  const [foreign, delay] = [usage.foreign(), usage.delay()];
  globalThis.gc?.();
  const entries = candidates
    .filter(({ failure }) => failure === undefined)
    .map(({ competitor, form, samples, latencies, cores }) => ({
      competitor: competitor.name,
      form: form.name,
      seconds: median(samples) / messages,
      quartiles: [0.25, 0.75].map((part) => quantile(samples, part) / messages),
      spread: spread(samples),
      ...(form.wait === 'sync'
        ? {}
        : {
            latency: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) },
            cores: median(cores),
          }),
    }));
  return { entries, foreign, delay };
}

/** Returns the number of samples, and the milliseconds of one with calls in flight. */
export function samplesOf(wait, rounds, time) {
  // Long enough that starting and draining the chains is lost in it.
  return {
    samples: wait === 'sync' ? rounds : Math.max(3, Math.ceil(rounds / 2)),
    flight: time * 8,
  };
}

/** Estimates the seconds that a row takes, for the progress line. */
export function expectedSeconds(definition, wait, competitors, { rounds, time }) {
  const forms = competitors.flatMap((competitor) => choose(competitor, definition, wait));
  const { costs = 0, inFlight = 16 } = definition;
  const { samples, flight } = samplesOf(wait, rounds, time);
  const sync = wait === 'sync';
  const sample = Math.max((sync ? time : flight) / 1000, sync ? costs : (costs * inFlight) / 2);
  return forms.length * (samples + (sync ? 5 : 2)) * sample + 0.02;
}

/** Returns the smallest step of the clock, in seconds. */
export function clockResolution() {
  let smallest = Infinity;
  for (let i = 0; i < 2000; i++) {
    const start = performance.now();
    let end = start;
    while (end === start) end = performance.now();
    smallest = Math.min(smallest, end - start);
  }
  return smallest / 1000;
}

// Competitors of a row, with checked results

/**
 * Prepares all forms of the competitors for a row, and compares their answers. `wrong` names those
 * that answer differently.
 */
export async function enterRow(definition, size, wait, competitors, inFlight) {
  const candidates = [];
  const wrong = [];
  for (const competitor of competitors) {
    for (const form of choose(competitor, definition, wait)) {
      try {
        candidates.push(
          await enter(
            competitor,
            form,
            definition,
            size,
            form.wait === 'sync' ? 1 : (form.inFlight?.(size) ?? inFlight),
          ),
        );
      } catch (error) {
        // Only Millrace must have every algorithm.
        if (competitor.name === 'millrace')
          wrong.push(`millrace ${form.name} (${firstLine(error)})`);
      }
    }
  }
  // The reference is node:crypto's result, else that of the first other competitor.
  const reference =
    candidates.find(({ competitor }) => competitor.name === 'node:crypto') ??
    candidates.find(({ competitor }) => competitor.name !== 'millrace') ??
    candidates[0];
  const agreeing = candidates.filter(({ competitor, form, answer }) => {
    if (answer.equals(reference.answer)) return true;
    wrong.push(`${competitor.name} ${form.name}`);
    return false;
  });
  return { candidates: agreeing, wrong };
}

/**
 * Returns the forms of a competitor for a row. Millrace takes part in exactly the row's form, the
 * others in the nearest one that they have: a new Buffer in place of a target, promises in place of
 * callbacks, and synchronous calls if the row allows it; a loop of single calls in place of a
 * batch, where hex strings may be the fastest digests; and those with `texts` hash a string as they
 * hash bytes.
 *
 * @param {{ name: string, forms: readonly any[], engine?: boolean, texts?: boolean }} competitor
 */
export function choose({ name, forms, engine, texts }, definition, wait) {
  const near = name !== 'millrace';
  const batch = near && definition.group === 'many';
  const group = batch || (texts && definition.group === 'text') ? 'hash' : definition.group;
  // Engines take part in their own tables only, beside node:crypto.
  if (
    Boolean(definition.engines) !== Boolean(engine) &&
    !(definition.engines && name === 'node:crypto')
  )
    return [];
  // A loop of Millrace's own calls is measured only beside batches and asynchronous calls.
  if (name === 'own loop' && definition.group !== 'many' && !definition.alsoSync) return [];
  if (near && definition.competitors?.includes(name) === false) return [];
  const asked = {
    sync: ['sync'],
    callback: ['callback', 'promise'],
    promise: ['promise', 'callback'],
  }[wait];
  const waits = definition.alsoSync || batch ? [...asked, 'sync'] : asked;
  const outputs = definition.output === 'into' ? ['into', 'buffer'] : [definition.output];
  for (const style of near ? waits : [wait]) {
    for (const output of near ? outputs : [definition.output]) {
      const found = forms.filter(
        (form) =>
          form.wait === style &&
          (form.output === output || (batch && form.output === 'hex')) &&
          form.group === group &&
          !(batch && form.alone) &&
          (form.algorithm ?? definition.algorithm) === definition.algorithm &&
          (form.algorithms?.includes(definition.algorithm) ?? true) &&
          (batch || (form.operation ?? definition.operation) === definition.operation) &&
          (form.keyForm ?? definition.key) === definition.key,
      );
      if (found.length > 0) return found;
    }
  }
  return [];
}

/**
 * Prepares a competitor with a form for a definition. Returns { competitor, form, calls, answer,
 * ... }, a call for each of `count` jobs.
 */
async function enter(competitor, form, definition, size, count) {
  const inputs = makeInputs(definition, size, count);
  for (const each of inputs) await competitor.prepare(competitor.tools, each);
  // Compiled from its source text, so that it has its own type feedback.
  const list = fresh(form.list);
  const callOf = (each) => list(competitor.tools, each)[form.key];
  const calls = inputs.map((each) =>
    definition.group === 'many' && form.group === 'hash'
      ? loopOf(each, form, callOf)
      : callOf(each),
  );
  // All at once, as they are timed: concurrent jobs must not mix up their results.
  const results = await Promise.all(calls.map((call) => promised(call, form.wait)()));
  const answer = answerBytes(results[0], inputs[0]);
  if (results.some((each, index) => !answerBytes(each, inputs[index]).equals(answer)))
    throw new Error('jobs in flight at once answer differently');
  const beforeTurn = () => competitor.beforeTurn?.(competitor.tools);
  return { competitor, form, wait: form.wait, calls, answer, beforeTurn };
}

/** Returns the call of a batch by single calls. */
function loopOf(inputs, { wait }, callOf) {
  const calls = inputs.sources.map((source) => callOf({ ...inputs, source }));
  return wait === 'sync'
    ? () => calls.map((call) => call())
    : () => Promise.all(calls.map((call) => promised(call, wait)()));
}

/** Returns a call that returns a promise. */
export function promised(call, wait) {
  if (wait === 'promise') return call;
  if (wait === 'sync') return async () => call();
  return () =>
    new Promise((resolve, reject) =>
      call((error, result) => (error ? reject(error) : resolve(result))),
    );
}

function firstLine(error) {
  return String(error?.message ?? error).split('\n')[0];
}
