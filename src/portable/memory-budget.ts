/**
 * Memory for derivations that take much of it: all under way together never take more than a stated
 * total. Who comes when there is no room waits here, in order.
 */

/** Who wants room. */
export interface MemoryPermit {
  /** Bytes; 0 for none worth counting. */
  readonly needs: number;
  /** There is room. */
  admit(): void;
}

export class MemoryBudget {
  /** 0 while none is set. */
  limit = 0;
  taken = 0;
  readonly #waiting: MemoryPermit[] = [];

  get waiting(): number {
    return this.#waiting.length;
  }

  admit(permit: MemoryPermit): void {
    if (permit.needs === 0) {
      permit.admit();
      return;
    }
    this.#waiting.push(permit);
    this.#admitWaiting();
  }

  /** A permit that was let in goes. */
  release({ needs }: MemoryPermit): void {
    this.taken -= needs;
    this.#admitWaiting();
  }

  /** A permit does not want to wait any more; false if it does not wait. */
  withdraw(permit: MemoryPermit): boolean {
    const at = this.#waiting.indexOf(permit);
    if (at < 0) return false;
    this.#waiting.splice(at, 1);
    this.#admitWaiting();
    return true;
  }

  /**
   * Nobody passes one who came before. One that is alone always has room: the limit was lowered
   * after it had been accepted.
   */
  #admitWaiting(): void {
    for (
      let permit = this.#waiting[0];
      permit !== undefined && this.#fits(permit);
      permit = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.taken += permit.needs;
      permit.admit();
    }
  }

  #fits({ needs }: MemoryPermit): boolean {
    return this.taken === 0 || this.limit === 0 || this.taken + needs <= this.limit;
  }
}
