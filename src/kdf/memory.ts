/**
 * The memory limit of concurrent derivations.
 */
import { native } from '../engines/binding.js';
import { openBindings } from '../engines/engines.js';
import { memorySize, restart, type Timer } from '#platform/runtime.js';
import { KdfMemory } from '../request/protocol.js';

/**
 * The limit is a quarter of the memory, at most 1 GiB + 16 MiB: 64 scrypts or 54 Argon2s at the
 * default cost. The 16 MiB are for scrypt's memory beside its table: N = 2^20, r = 8, p = 1 takes 1
 * GiB and 17 KiB.
 */
const MEMORY_MAX_BYTES = 2 ** 30 + 2 ** 24;

let decided = false;

/** Memory of derivations is kept, wiped, for this many milliseconds. */
const KEEP_MS = 1000;

let timer: Timer | undefined;

/**
 * Sets the limit before the first derivation, and schedules the release of memory. Not at load
 * time: reading the memory size takes 0.2 ms.
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
