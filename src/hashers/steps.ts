/** The asynchronous operations of a hasher. */
import { isResizable, part, sizeOf } from '../base/arguments.js';
import { Form } from '../request/request.js';
import { detachedSource } from '../request/result.js';
import type { Completion } from '../scheduling/completions.js';
import { Step } from '../scheduling/steps.js';
import type { Running } from './running.js';
import { textOf, type Buffer, type BufferEncoding } from '#platform/base/runtime.js';

/** An update. */
export class UpdateStep extends Step<Running> {
  #view: Uint8Array;
  #offset: number;
  #size: number;
  #copied: boolean;
  #sent = false;

  constructor(user: Completion, view: Uint8Array, offset: number, size: number, copied: boolean) {
    super(user);
    this.#view = view;
    this.#offset = offset;
    this.#size = size;
    // The memory of a resizable buffer can shrink.
    this.#copied = copied || isResizable(view);
  }

  begin(running: Running): boolean {
    if (this.#offset + this.#size > sizeOf(this.#view)) throw detachedSource();
    if (running.fits(this.#size)) {
      running.append(this.#view, this.#offset, this.#size);
      return false;
    }
    running.updateAsync(this, this.#view, this.#offset, this.#size, this.#copied);
    this.#sent = true;
    return true;
  }

  override wait(): void {
    if (!this.#copied || this.#size === 0) return;
    this.#view = this.copyOf(part(this.#view, this.#offset, this.#size));
    this.#offset = 0;
    this.#copied = false;
  }

  override end(running: Running): void {
    if (this.#sent) running.updated();
  }

  override succeed(): void {
    super.succeed(undefined);
  }
}

export class DigestStep extends Step<Running> {
  constructor(
    user: Completion,
    readonly wanted: Form | BufferEncoding,
  ) {
    super(user);
  }

  begin(running: Running): boolean {
    running.digestAsync(this, typeof this.wanted === 'number' ? this.wanted : Form.Buffer);
    return true;
  }

  override end(running: Running): void {
    running.finalize();
  }

  override succeed(value: unknown): void {
    super.succeed(typeof this.wanted === 'number' ? value : textOf(value as Buffer, this.wanted));
  }
}
