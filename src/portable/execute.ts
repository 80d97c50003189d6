/**
 * Runs one operation, on the caller's thread or in a worker, by the modules of its family. A bundle
 * has the operations that were provided.
 */
import { Status, type Operation } from '../base/frame.js';
import { MillraceError } from '../base/errors.js';
import { emptySlots } from '../base/intrinsics.js';
import { derive } from './families/derivations.js';
import type { Family } from './families/family.js';
import type { KeyForm } from '../base/protocol.js';
import type { Secret } from '../base/secret-memory.js';
import type { AsymmetricKey, PreparedKey, RunningCipher } from './keys.js';
import { Refusal, refuse } from './windows.js';
import type { Work } from './work.js';

/** Work that yields wherever other events may be handled. */
export type Steps = Generator<undefined, Status, undefined>;

/** Takes the completed fraction of long work. Returns true if the work shall end. */
export type Pause = (fraction: number) => boolean;

/** What a derivation needs. */
export interface Needs {
  /** Predicted nanoseconds. */
  readonly cost: number;
  /** Bytes of working memory; 0 if they are few. */
  readonly memory: number;
}

/** How operations run. */
export interface Runner {
  /** Runs the operation; with `slowly` it may return steps instead. */
  run(work: Work, slowly: boolean, pause: Pause | undefined): Status | Steps;
  /** Returns the families whose modules it calls. */
  families(work: Work): readonly Family<object>[];
  /** Of a derivation: checks it. Writes the memory to the work's numbers if it is too much. */
  check?(work: Work): Needs;
  /** Of a password hash, which is the aad: returns true if it should be computed again. */
  outdated?(work: Work, saltSize: number, size: number): boolean;
  /** Begins a message of an incremental cipher. */
  begin?(
    algorithm: number,
    encrypt: boolean,
    key: PreparedKey | Uint8Array,
    iv: Uint8Array,
    aad: Uint8Array,
  ): RunningCipher;
  /** Returns true if the platform computes the result, in an asynchronous call only. */
  computesLater?(work: Work): boolean;
  /** Resolves to the result; rejects with a {@link Refusal} or an error of the platform. */
  later?(work: Work): Promise<Uint8Array>;
  /** What asymmetric keys are asked for at once. */
  readonly keys?: {
    /** Writes what a key is to the frame. */
    describe(key: AsymmetricKey, frame: Float64Array): void;
    publicKeyOf(key: AsymmetricKey): AsymmetricKey;
    export(key: AsymmetricKey, form: KeyForm): Secret;
    /** Why a synchronous call is refused where {@link computesLater} is true. */
    readonly laterOnly: string;
  };
}

const runners = /* @__PURE__ */ emptySlots<Runner>();

/** Provides operations. */
export function provide(operations: readonly Operation[], runner: Runner): void {
  // A runner has few of its members: others must not be those of Object.prototype.
  const own = { __proto__: null, ...runner };
  for (const operation of operations) runners[operation] = own;
}

/** Returns true if an operation was provided. */
export function canRun(operation: Operation): boolean {
  return runners[operation] !== undefined;
}

/** Returns how an operation runs. */
export function runnerOf(operation: Operation): Runner {
  return runners[operation] ?? refuse(Status.Argument);
}

/** Returns how a work runs. */
export function runnerFor({ call, operation }: Pick<Work, 'call' | 'operation'>): Runner {
  return call === undefined ? runnerOf(operation) : familyCalls;
}

/** Calls of one family. */
const familyCalls = {
  __proto__: null,
  run({ call, secret, iv, tag, aad, target }, _slowly, pause) {
    const { family, memory, before, inputs, after } = call!;
    derive(family, memory, before, [secret, iv, tag, aad].slice(0, inputs), after, target, pause);
    return Status.Done;
  },
  families: ({ call }) => [call!.family],
} as Runner;

/** Runs an operation and returns its status. */
export function perform(work: Work, pause?: Pause): Status {
  try {
    return runnerFor(work).run(work, false, pause) as Status;
  } catch (error) {
    return statusOf(error);
  }
}

/** Runs an operation in steps. */
export function* inSteps(work: Work, pause: Pause): Steps {
  try {
    const steps = runnerFor(work).run(work, true, pause);
    return typeof steps === 'number' ? steps : yield* steps;
  } catch (error) {
    return statusOf(error);
  }
}

/** V8 says "Array buffer allocation failed", other engines "out of memory". */
const memoryWords = ['alloc', 'memory', 'length'];

/** The reason of the last {@link Refusal}; empty if it was the engine's usual one. */
export let refusalReason = '';

/** Returns the status of a thrown value. */
export function statusOf(error: unknown): Status {
  refusalReason = error instanceof Refusal ? error.reason : '';
  if (error instanceof Refusal) return error.status;
  if (error instanceof MillraceError)
    return error.code === 'ERR_OUT_OF_MEMORY' ? Status.Memory : Status.Unavailable;
  // No expression: V8 ends the process if it must compile one where the stack is exhausted.
  const of = (word: string): boolean => (error as Error).message.toLowerCase().includes(word);
  return error instanceof RangeError && memoryWords.some(of) ? Status.Memory : Status.Internal;
}
