/**
 * How much memory derivations may take together.
 */
import { totalmem } from 'node:os';
import { native } from '../binding.js';

/** A quarter of the memory there is, 1 GiB at most: 64 scrypts or 54 Argon2s of the usual cost at once. */
const MEMORY_MAX = 2 ** 30;

let decided = false;

/** Milliseconds for which memory that a derivation has used is kept, wiped, for the next. */
const KEPT = 1000;

// As it was at the start: fake timers must not stop us.
const later = setTimeout;
let end: NodeJS.Timeout | undefined;

/** Before a derivation: makes sure that there is a limit, and that memory is given back when none follows. Asked for late: to look at the memory there is takes 0.2 ms. */
export function decideMemory(): void {
  if (end === undefined) end = later(free, KEPT).unref();
  else end.refresh();
  if (decided) return;
  decided = true;
  if (native.derivationMemory(0) > 0) return;
  const memory = Math.min(totalmem(), process.constrainedMemory?.() || Infinity);
  native.setDerivationMemory(Math.min(MEMORY_MAX, Math.floor(memory / 4)));
}

function free(): void {
  native.freeDerivationMemory();
}
