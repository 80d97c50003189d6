/** Running hashes in the kernel: their state is the handle of a hash that the kernel keeps. */
import { NO_BYTES, part } from '../base/arguments.js';
import { failure, MillraceError } from '../base/errors.js';
import { Operation, Status, type Native } from '../base/frame.js';
import { KERNEL_HANDLE_BYTES } from '../base/protocol.js';
import { beginRequest, setTarget } from '../request/request.js';
import { recordFallback, sliceOf, type EnginePreference } from '../engines/engines.js';
import { runFilled } from '../scheduling/run.js';
import { setKeyAndSeed, type HashSetup } from './setup.js';

/**
 * Opens a hash in the kernel, under the key of this handle, and writes its own handle to `state`.
 * Returns the engine that serves: the next one if the kernel refuses.
 */
export function openHandle(
  setup: HashSetup,
  keyHandle: number,
  state: Uint8Array,
): EnginePreference {
  const { facts, mac, preference: all } = setup;
  const [engine, next] = all.engines;
  const preference = sliceOf(all, 0);
  if (engine!.here) return all;
  try {
    beginRequest(mac ? Operation.MacUpdate : Operation.Update, facts.id, NO_BYTES, 0, 0);
    setKeyAndSeed({ ...setup, preference }, keyHandle);
    setTarget(state, 0, KERNEL_HANDLE_BYTES);
    runFilled();
    return preference;
  } catch (error) {
    if (
      next === undefined ||
      !(error instanceof MillraceError) ||
      error.code !== 'ERR_ENGINE_UNAVAILABLE'
    )
      throw error;
    recordFallback(`${mac ? 'hmac-' : ''}${facts.name}`, engine!.name, next.name, error.message);
    const others = sliceOf(all, 1, all.engines.length);
    return openHandle({ ...setup, preference: others }, keyHandle, state);
  }
}

/** Closes the hash in the kernel when `owner` is collected. */
export function registerHandle(
  owner: object,
  preference: EnginePreference,
  state: Uint8Array,
): void {
  const { binding } = preference.engines[0]!;
  collected.register(owner, { binding, handle: state.slice(0, KERNEL_HANDLE_BYTES) }, owner);
}

/** Copies the hash in the kernel and writes the handle of the copy, which `owner` has, to `to`. */
export function forkHandle(
  preference: EnginePreference,
  from: Uint8Array,
  owner: object,
  to: Uint8Array,
): void {
  const { binding } = preference.engines[0]!;
  const status = binding.forkState(
    part(from, 0, KERNEL_HANDLE_BYTES),
    part(to, 0, KERNEL_HANDLE_BYTES),
  );
  if (status !== 0)
    throw failure(status, 0, status >= Status.Unavailable ? binding.lastReason() : '');
  registerHandle(owner, preference, to);
}

/** Closes the hash in the kernel. */
export function dropHandle(owner: object, preference: EnginePreference, state: Uint8Array): void {
  collected.unregister(owner);
  preference.engines[0]!.binding.dropState(part(state, 0, KERNEL_HANDLE_BYTES));
}

const collected = new FinalizationRegistry<{
  readonly binding: Native;
  readonly handle: Uint8Array;
}>(({ binding, handle }) => void binding.dropState(handle));
