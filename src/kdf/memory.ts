/**
 * The memory limit of concurrent derivations.
 */
import { native } from '../engines/binding.js';
import { openBindings } from '../engines/engines.js';
import { memorySize, restart, type Timer } from '#platform/base/runtime.js';
import { KdfMemory } from '../base/protocol.js';

/**
 * The limit is a quarter of the memory, at most 1 GiB + 16 MiB: 64 scrypts or 54 Argon2s at the
 * default cost. The 16 MiB are for scrypt's memory beside its table: N = 2^20, r = 8, p = 1 takes 1
 * GiB and 17 KiB.
 */
const MEMORY_MAX_BYTES = 2 ** 30 + 2 ** 24;

let decided = false;

/**
 * Memory of derivations is kept, wiped, until this many checks in a row found no derivation
 * running. A timer started at the call alone would expire while a long derivation runs, or just
 * after its end.
 */
const KEEP_CHECKS = 4;
const CHECK_INTERVAL_MS = 250;

let timer: Timer | undefined;
let idleChecks = 0;

/**
 * Sets the limit before the first derivation, and schedules the release of memory. Not at load
 * time: reading the memory size takes 0.2 ms.
 */
export function decideMemory(): void {
  idleChecks = 0;
  timer = restart(timer, check, CHECK_INTERVAL_MS);
  if (decided) return;
  decided = true;
  if (native.derivationMemory(KdfMemory.Limit) > 0) return;
  const limit = Math.min(MEMORY_MAX_BYTES, Math.floor(memorySize() / 4));
  for (const binding of openBindings()) binding.setDerivationMemory(limit);
}

function check(): void {
  idleChecks = native.derivationMemory(KdfMemory.Taken) > 0 ? 0 : idleChecks + 1;
  if (idleChecks < KEEP_CHECKS) timer = restart(timer, check, CHECK_INTERVAL_MS);
  else for (const binding of openBindings()) binding.freeDerivationMemory();
}
