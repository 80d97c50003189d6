/**
 * The end of this turn of the event loop. Short work is done here rather than sent away, and its
 * callers are told then: later than the call, as of everything asynchronous. (As `setImmediate` has
 * it: other events get their turns.)
 *
 * A turn costs the loop 1 to 4 us, more than a short job. So when those who were told come with
 * more at once, in their callbacks or after their `await`, a few rounds of that share one turn.
 */
import { nextTick, nextTurn } from '#platform/runtime.js';
import { refreshCosts } from './cost-model.js';
import type { Completion } from './completions.js';

/** The most rounds in one turn. */
const ROUNDS = 4;

/** Nanoseconds of work that may be done here in one turn: INLINE_TURN in cost.rs. */
const TURN_COST = 50_000;

/** As it was at the start. */
const done = Promise.resolve();
const { then } = done;

/** Who is to be told, and of what. */
interface Deferred {
  /** Kept when they are empty, as new ones would be garbage: so they are counted, not shortened. */
  readonly completions: (Completion | undefined)[];
  readonly outcomes: unknown[];
  count: number;
}

let deferred: Deferred = { completions: [], outcomes: [], count: 0 };
let spare: Deferred = { completions: [], outcomes: [], count: 0 };

/** Memory for so many is kept. */
const KEPT = 4096;

/** An outcome that is an error. */
class Failure {
  constructor(readonly error: unknown) {}
}

/** Nanoseconds of work done in this turn. */
let spent = 0;
/** The round of the turn that is ending; 0 while none is. */
let round = 0;
/** Whether the end of the turn will come here. */
let awaited = false;

/** Work that has gathered in this turn, to be done when it ends. */
interface Gathering {
  readonly waits: () => boolean;
  /** Tells its waiters itself. */
  readonly finish: () => void;
}

let gathering: Gathering = { waits: () => false, finish: () => {} };

export function onLoopTurnEnd(gathered: Gathering): void {
  gathering = gathered;
}

/** Whether so many nanoseconds more fit into this turn; if so they are taken from it. */
export function takeInlineBudget(cost: number): boolean {
  if (spent + cost > TURN_COST) return false;
  spent += cost;
  return true;
}

/** True while nobody waits to be told. */
export function isIdle(): boolean {
  return !pending();
}

/** Tells a waiter of a result at the end of this turn. */
export function deferResult(completion: Completion, value: unknown): void {
  const index = deferred.count++;
  deferred.completions[index] = completion;
  deferred.outcomes[index] = value;
  awaitEnd();
}

/** Tells a waiter of an error at the end of this turn. */
export function deferError(completion: Completion, error: unknown): void {
  deferResult(completion, new Failure(error));
}

/** Makes sure that this turn's end is noticed. */
export function awaitEnd(): void {
  if (awaited) return;
  awaited = true;
  nextTurn(endLoopTurn);
}

function endLoopTurn(): void {
  spent = 0;
  round = 0;
  refreshCosts();
  settleRounds();
}

/**
 * Tells those who wait, and those who come meanwhile. `awaited` stays true, so that nobody asks for
 * a turn.
 */
function settleRounds(): void {
  let busy = false;
  for (; round < ROUNDS && pending(); round++) {
    busy = true;
    if (gathering.waits()) gathering.finish();
    settleAll();
  }
  // Those who await a promise come after this, and the rounds that are left are theirs.
  if (busy && round < ROUNDS) {
    void then.call(done, afterPromises);
    return;
  }
  awaited = false;
  if (pending()) awaitEnd();
}

function pending(): boolean {
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
