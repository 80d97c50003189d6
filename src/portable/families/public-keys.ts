/** Asymmetric keys of families' modules. */
import { secretCopy, type Secret } from '../../base/secret-memory.js';
import { refuse } from '../windows.js';
import { within, WINDOW, type Family } from './family.js';

/**
 * A function of a module; crates/portable-keys says what each reads. Returns the bytes of the
 * result, or minus a status.
 */
type KeyCall = (
  set: number,
  kind: number,
  target: number,
  room: number,
  ...inputs: number[]
) => number;

type Names = 'import' | 'sign' | 'verify' | 'agree' | 'encapsulate' | 'decapsulate';

/** The functions of a module, of which each has some. */
export type KeyCalls = Readonly<Record<Names | 'read' | 'write', KeyCall>>;

/** The most inputs of a function. */
const INPUTS = 4;

/**
 * Calls a function of a module. Returns the result, of at most 16 KB; refuses with the status that
 * the module returns. No byte of the call is left in the module.
 */
export function callModule(
  family: Family<KeyCalls>,
  name: keyof KeyCalls,
  set: number,
  kind: number,
  ...inputs: readonly Uint8Array[]
): Secret {
  const answer = within(family, inputs, (calls, places) => {
    const target = places.at(-1)!;
    family.used = WINDOW;
    const ranges = inputs.flatMap(({ length }, index) => [places[index]!, length]);
    // The address of a range must not be 0, even if it is empty.
    while (ranges.length < 2 * INPUTS) ranges.push(target, 0);
    const size = calls[name](set, kind, target, WINDOW, ...ranges);
    return size < 0 ? -size : secretCopy(family.bytes().subarray(target, target + size));
  });
  return typeof answer === 'number' ? refuse(answer) : answer;
}
