/**
 * The key of an HMAC that is used for one hasher: its two midstates as bytes in memory that only
 * hashers see. They need no finalizer, so that a hasher which is forgotten leaves nothing behind
 * that waits for one. They allow computing HMACs under the key, and do not reveal the key.
 */
import { sizeOf } from '../request/arguments.js';
import { beginRequest, setEngines, setTarget } from '../request/request.js';
import { runFilled } from '../scheduling/run.js';
import type { HashFacts } from '../catalog/facts.js';
import { usual, type EnginePreference } from '../engines/engines.js';
import { Operation } from '../request/frame.js';

/** The midstates of a key, made by the one engine that will compute under it. */
export function keyStates(facts: HashFacts, key: Uint8Array, choice: EnginePreference): Uint8Array {
  const states = privateBytes(2 * facts.stateSize);
  beginRequest(Operation.MacBegin, facts.id, key, 0, sizeOf(key));
  if (choice !== usual.choice) setEngines(choice);
  setTarget(states, 0, states.length);
  runFilled();
  return states;
}

/**
 * Whether one engine, which keeps running states as bytes, will serve: the kernel keeps them
 * itself.
 */
export function keepsStates({ engines }: EnginePreference): boolean {
  return engines.length === 1 && engines[0]!.here;
}

/**
 * Small pieces share ArrayBuffers of this size: one for each would cost more than the HMAC of a
 * short message.
 */
const SHARED_BYTES = 16_384;
let shared = new ArrayBuffer(0);
let used = 0;

/** Zeroed memory that nothing outside of this folder can reach. */
function privateBytes(size: number): Uint8Array {
  if (size > SHARED_BYTES / 4) return new Uint8Array(new ArrayBuffer(size));
  if (used + size > shared.byteLength) {
    shared = new ArrayBuffer(SHARED_BYTES);
    used = 0;
  }
  const bytes = new Uint8Array(shared, used, size);
  used += size;
  return bytes;
}
