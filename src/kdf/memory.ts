/**
 * How much memory derivations may take together.
 */
import { native } from '../engines/binding.js';
import { openBindings } from '../engines/engines.js';
import { memorySize, restart, type Timer } from '#platform/runtime.js';
import { KdfMemory } from '../request/protocol.js';

/**
 * A quarter of the memory there is, but at most 1 GiB and 16 MiB: 64 scrypts or 54 Argon2s of the
 * usual cost at once. The 16 MiB are for what scrypt needs beside its table: N = 2^20, r = 8, p = 1
 * takes 1 GiB and 17 KiB.
 */
const MEMORY_MAX_BYTES = 2 ** 30 + 2 ** 24;

let decided = false;

/** Milliseconds for which memory that a derivation has used is kept, wiped, for the next. */
const KEEP_MS = 1000;

let timer: Timer | undefined;

/**
 * Before a derivation: makes sure that there is a limit, and that memory is given back when none
 * follows. Asked for late: to look at the memory there is takes 0.2 ms.
 */
export function decideMemory(): void {
  timer = restart(timer, free, KEEP_MS);
  if (decided) return;
  decided = true;
  if (native.derivationMemory(KdfMemory.Limit) > 0) return;
  const limit = Math.min(MEMORY_MAX_BYTES, Math.floor(memorySize() / 4));
  for (const binding of openBindings()) binding.setDerivationMemory(limit);
}

function free(): void {
  for (const binding of openBindings()) binding.freeDerivationMemory();
}
