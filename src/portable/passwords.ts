/** Derivations from passwords: scrypt, Argon2, bcrypt, and checks of password hashes. */
import { At, Operation, Status } from '../base/frame.js';
import { provide, type Needs, type Pause } from './execute.js';
import { progressOf, derive, type DeriveCalls } from './families/derivations.js';
import { Family, layOut } from './families/family.js';
import { module } from './modules/passwords.js';
import { refuse } from './windows.js';
import { timeLimit, type Work } from './work.js';

interface PasswordCalls extends DeriveCalls {
  /** Writes the bytes of memory and the predicted nanoseconds to the target; returns a status. */
  check(...given: number[]): number;
  /** Returns 1 or 0, or minus a status. */
  outdated(...given: number[]): number;
}

const family = /* @__PURE__ */ new Family<PasswordCalls>('passwords', module, progressOf);

/** Bytes of the two numbers that a check writes. */
const NUMBERS_BYTES = 16;

/** Returns the function's number among the derivations, and its costs. */
function costsOf({ operation, numbers }: Work): number[] {
  const costs = [At.Count, At.MessageSize, At.SeedLow, At.SeedHigh].map((at) => numbers[at]!);
  return [operation - Operation.Scrypt, ...costs];
}

/** Calls `run` with the module and the places of inputs, which are wiped afterwards. */
function within<Result>(
  inputs: readonly Uint8Array[],
  run: (calls: PasswordCalls, places: readonly number[]) => Result,
): Result {
  const places = layOut(family, inputs);
  let returned = false;
  try {
    const result = run(family.open(), places);
    returned = true;
    return result;
  } finally {
    family.wipe(places.at(-1)!);
    if (!returned) family.drop();
  }
}

function check(work: Work): Needs {
  const { numbers, aad, target } = work;
  return within([aad, new Uint8Array(NUMBERS_BYTES)], (calls, [text = 0, result = 0]) => {
    const status = calls.check(
      ...costsOf(work),
      numbers[At.MaxMemory]!,
      numbers[At.MaxTime]!,
      text,
      aad.length,
      target.length,
      result,
    );
    const { buffer } = family.bytes();
    const view = new DataView(buffer, result, NUMBERS_BYTES);
    const [memory, cost] = [view.getFloat64(0, true), view.getFloat64(8, true)];
    if (status === 0) return { cost, memory };
    if (memory > 0) numbers[At.MaxMemory] = memory;
    return refuse(status);
  });
}

function run(work: Work, _slowly: boolean, pause: Pause | undefined): Status {
  const { numbers, secret, iv, aad, tag, target } = work;
  const { memory } = check(work);
  const end = Date.now() + timeLimit(work);
  const inputs = [secret, iv, tag, aad];
  const before = [...costsOf(work), memory, numbers[At.MaxTime]!];
  let late = false;
  try {
    derive(family, memory, before, inputs, [], target, (fraction) => {
      late = Date.now() > end;
      return late || pause?.(fraction);
    });
  } catch (error) {
    if (late) return Status.Work;
    throw error;
  }
  return Status.Done;
}

function outdated(work: Work, saltSize: number, size: number): boolean {
  return within([work.aad], (calls, [text = 0]) => {
    const answer = calls.outdated(
      ...costsOf(work),
      work.numbers[At.MaxMemory]!,
      text,
      work.aad.length,
      saltSize,
      size,
    );
    return answer < 0 ? refuse(-answer) : answer === 1;
  });
}

/** Provides the derivations from passwords. */
export function providePasswords(): void {
  provide([Operation.Scrypt, Operation.Argon2, Operation.Bcrypt, Operation.Verify], {
    run,
    families: () => [family],
    check,
    outdated,
  });
}
