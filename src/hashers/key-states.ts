/**
 * The key of an HMAC that serves one hasher: its two midstates, in memory that only hashers can
 * reach. They allow computing HMACs under the key. They do not reveal it if the hash is one-way;
 * the others are wiped when no hasher has them any more.
 */
import { part, sizeOf } from '../base/arguments.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { beginRequest, setEngines, setTarget } from '../request/request.js';
import { runFilled } from '../scheduling/run.js';
import type { HashFacts } from '../catalog/facts.js';
import { defaultEngine, type EnginePreference } from '../engines/engines.js';
import { Operation } from '../base/frame.js';

/** Returns the midstates of a key, made by the engine that computes under it. */
export function keyStates(
  facts: HashFacts,
  key: Uint8Array,
  preference: EnginePreference,
): Uint8Array {
  const states = privateBytes(2 * facts.stateSize);
  beginRequest(Operation.MacBegin, facts.id, key, 0, sizeOf(key));
  if (preference !== defaultEngine.preference) setEngines(preference);
  setTarget(states, 0, states.length);
  runFilled();
  if (!facts.oneWay) wipeLater(states);
  return states;
}

/**
 * The most midstates that wait to be wiped. Their memory is not freed before, and no callback runs
 * in a long loop.
 */
const WAITING_MAX = 4096;
let waiting = 0;

/** Wipes midstates, by another view of their memory, once nothing refers to them. */
function wipeLater(states: Uint8Array): void {
  if (waiting === WAITING_MAX) return;
  waiting += 1;
  unreachable.register(states, part(states, 0, states.length) as Secret);
}

const unreachable = new FinalizationRegistry<Secret>((states) => {
  waiting -= 1;
  wipe(states);
});

/**
 * Returns true for a single engine that keeps running states as bytes; the kernel keeps them
 * itself.
 */
export function keepsStates({ engines }: EnginePreference): boolean {
  return engines.length === 1 && engines[0]!.here;
}

/**
 * Small states share ArrayBuffers of this size: one for each would cost more than the HMAC of a
 * short message.
 */
const SHARED_BYTES = 16_384;
let shared = secretMemory(0);
let used = 0;

/** Returns zeroed memory that only this folder can reach. */
function privateBytes(size: number): Uint8Array {
  if (size > SHARED_BYTES / 4) return secretMemory(size);
  if (used + size > shared.length) {
    shared = secretMemory(SHARED_BYTES);
    used = 0;
  }
  const bytes = part(shared, used, size);
  used += size;
  return bytes;
}
