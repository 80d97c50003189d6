/**
 * Results of inline jobs, delivered at the end of the event-loop iteration (`setImmediate`), so
 * that no callback runs before its call returns.
 *
 * An iteration takes 1 to 4 us, longer than a short job. Calls made by the delivered callbacks, or
 * after their `await`, therefore share a few rounds of the same iteration.
 */
import { SUBMIT_NS } from '../base/protocol.js';
import { nextTick, nextTurn } from '#platform/base/runtime.js';
import { refreshCosts } from './cost-model.js';
import type { Completion } from './completions.js';

/** The most rounds in one iteration. */
const ROUNDS = 4;

/** The nanoseconds of work that may run inline in one iteration (crates/cost/src/limits.rs). */
const TURN_COST = 50_000;

/** Captured at load, before a program can patch it. */
const done = Promise.resolve();
const { then } = done;

/** Completions and their outcomes. */
interface Deferred {
  /** The arrays are reused; `count` is their length. */
  readonly completions: (Completion | undefined)[];
  readonly outcomes: unknown[];
  count: number;
}

let deferred: Deferred = { completions: [], outcomes: [], count: 0 };
let spare: Deferred = { completions: [], outcomes: [], count: 0 };

/** The capacity that is kept. */
const KEPT = 4096;

/** Marks an outcome as an error. */
class Failure {
  constructor(readonly error: unknown) {}
}

/** The nanoseconds of inline work in this iteration. */
let spent = 0;
/** The nanoseconds of inline work in the current round of delivery. */
let spentInRound = 0;
/** The current round of delivery; 0 outside of one. */
let round = 0;
/** Counts the event-loop iterations that ended with a delivery. */
export let iteration = 0;
/** True if a delivery is scheduled. */
let awaited = false;

/** Work that was collected in this iteration and runs at its end. */
interface Gathering {
  readonly waits: () => boolean;
  /** Runs the work and settles its completions. */
  readonly finish: () => void;
}

let gathering: Gathering = { waits: () => false, finish: () => {} };

export function onLoopTurnEnd(gathered: Gathering): void {
  gathering = gathered;
}

/**
 * Takes nanoseconds from the inline budget of this iteration, as far as the job blocks the event
 * loop longer than its submission and the copy of its source would, and from `budget`, that of the
 * current round. Returns false if too few are left.
 */
export function takeInlineBudget(cost: number, copyCost: number, budget = Infinity): boolean {
  const blocking = Math.max(cost - SUBMIT_NS - copyCost, 0);
  if (spent + blocking > TURN_COST || spentInRound + cost > budget) return false;
  spent += blocking;
  spentInRound += cost;
  return true;
}

/** Delivers a result at the end of this iteration. */
export function deferResult(completion: Completion, value: unknown): void {
  const index = deferred.count++;
  deferred.completions[index] = completion;
  deferred.outcomes[index] = value;
  awaitEnd();
}

/** Delivers an error at the end of this iteration. */
export function deferError(completion: Completion, error: unknown): void {
  deferResult(completion, new Failure(error));
}

/** Schedules the delivery. */
export function awaitEnd(): void {
  if (awaited) return;
  awaited = true;
  nextTurn(endLoopTurn);
}

function endLoopTurn(): void {
  iteration += 1;
  spent = 0;
  round = 0;
  refreshCosts();
  settleRounds();
}

/**
 * Delivers all results, including those added meanwhile. `awaited` stays true, so that no second
 * delivery is scheduled.
 */
function settleRounds(): void {
  let busy = false;
  for (; round < ROUNDS && pending(); round++) {
    busy = true;
    spentInRound = 0;
    if (gathering.waits()) gathering.finish();
    settleAll();
  }
  // Reactions of promises run after this function; the remaining rounds are for the calls they
  // make.
  if (busy && round < ROUNDS) {
    void then.call(done, afterPromises);
    return;
  }
  awaited = false;
  if (pending()) awaitEnd();
}

/** Returns true if a result waits for delivery. */
export function pending(): boolean {
  return deferred.count > 0 || gathering.waits();
}

function afterPromises(): void {
  nextTick(settleRounds);
}

function settleAll(): void {
  const now = deferred;
  deferred = spare;
  spare = now;
  const { completions, outcomes, count } = now;
  now.count = 0;
  for (let index = 0; index < count; index++) {
    const completion = completions[index]!;
    const outcome = outcomes[index];
    completions[index] = outcomes[index] = undefined;
    if (outcome instanceof Failure) completion.fail(outcome.error);
    else completion.succeed(outcome);
  }
  if (count > KEPT) completions.length = outcomes.length = 0;
}
