/** The asynchronous operations of a cipher. */
import { isResizable, sizeOf } from '../base/arguments.js';
import { detachedSource, detachedTarget, fitsResult } from '../request/result.js';
import type { Completion } from '../scheduling/completions.js';
import { Phase, Step } from '../scheduling/steps.js';
import { wipe, type Secret } from '../base/secret-memory.js';
import type { RunningCipher } from './running.js';
import { allocate, allocateApart, nextTick, nextTurn } from '#platform/base/runtime.js';

/** Updates of fewer bytes run on the event loop: a worker costs more than they do. */
const POOL_MIN_BYTES = 4096;

/** The portable engine's updates let the event loop run after so many bytes. */
const SLICE_BYTES = 64 * 1024;

/** An update. The source is lent unless `copied`; without a target the result is a Buffer. */
export class UpdateStep extends Step<RunningCipher> {
  #source: Uint8Array;
  #copied: boolean;
  readonly #size: number;
  readonly #target: Uint8Array | undefined;
  readonly #offset: number;
  #result: Uint8Array | undefined;
  /** The cipher, if a worker runs the update. */
  #worker: RunningCipher | undefined;

  constructor(
    user: Completion,
    source: Uint8Array,
    copied: boolean,
    target?: Uint8Array,
    offset = 0,
  ) {
    super(user);
    this.#source = source;
    this.#size = sizeOf(source);
    // The memory of a resizable buffer can shrink.
    this.#copied = copied || isResizable(source);
    this.#target = target;
    this.#offset = offset;
  }

  begin(running: RunningCipher): boolean {
    const [source, target, size] = [this.#source, this.#target, this.#size];
    if (sizeOf(source) !== size) throw detachedSource();
    if (target !== undefined && !fitsResult(target, this.#offset, size)) throw detachedTarget();
    if (size < POOL_MIN_BYTES) {
      this.value =
        target === undefined
          ? (this.#result = running.update(source))
          : running.updateInto(source, target, this.#offset);
      return false;
    }
    const { immediate } = running.setup;
    const result = target ?? (immediate ? allocateApart(size) : allocate(0));
    this.#result = result;
    this.value = target === undefined ? result : immediate ? size : 0;
    if (running.hasWorkers) {
      this.#worker = running;
      running.updateAsync(this, source, result, this.#offset, this.#copied);
    } else {
      this.wait();
      sliced(running, this.#source, size, result, this.#offset, this);
    }
    return true;
  }

  override succeed(): void {
    this.#worker?.updated(this.#size);
    super.succeed(this.value);
  }

  override wait(): void {
    const size = this.#size;
    if (!this.#copied || size === 0) return;
    this.#source = this.copyOf(this.#source);
    this.#copied = false;
  }

  override discard(running: RunningCipher): void {
    running.wipeHeld();
    const result = this.#target ?? this.#result;
    if (result !== undefined && sizeOf(result) > 0)
      wipe(result as Secret, this.#offset, this.#offset + this.#size);
  }
}

/** The end of the message. */
export class FinalStep extends Step<RunningCipher> {
  begin(running: RunningCipher): boolean {
    this.value = running.final();
    return false;
  }

  override get isPiece(): boolean {
    return false;
  }
}

/** Updates on the event loop, with pauses. */
function sliced(
  running: RunningCipher,
  source: Uint8Array,
  total: number,
  target: Uint8Array,
  offset: number,
  step: UpdateStep,
): void {
  let at = 0;
  const next = (): void => {
    try {
      if (running.phase === Phase.Failed) throw running.failure;
      if (sizeOf(source) !== total) throw detachedSource();
      const size = Math.min(total - at, SLICE_BYTES);
      running.slice(source, at, size, target, offset + at);
      at += size;
    } catch (error) {
      nextTick(() => step.fail(error));
      return;
    }
    if (at < total) nextTurn(next);
    else nextTick(() => step.succeed());
  };
  next();
}
