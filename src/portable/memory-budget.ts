/**
 * Memory for derivations that take much of it: all under way together never take more than a stated
 * total. Who comes when there is no room waits here, in order.
 */

/** Who wants room. */
export interface MemoryPermit {
  /** Bytes; 0 for none worth counting. */
  readonly needs: number;
  /** There is room. */
  enter(): void;
}

export class Room {
  /** 0 while none is set. */
  limit = 0;
  taken = 0;
  readonly #waiting: MemoryPermit[] = [];

  get waiting(): number {
    return this.#waiting.length;
  }

  admit(guest: MemoryPermit): void {
    if (guest.needs === 0) {
      guest.enter();
      return;
    }
    this.#waiting.push(guest);
    this.#admitWaiting();
  }

  /** A guest that was let in goes. */
  leave({ needs }: MemoryPermit): void {
    this.taken -= needs;
    this.#admitWaiting();
  }

  /** A guest does not want to wait any more; false if it does not wait. */
  withdraw(guest: MemoryPermit): boolean {
    const at = this.#waiting.indexOf(guest);
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
      let guest = this.#waiting[0];
      guest !== undefined && this.#fits(guest);
      guest = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.taken += guest.needs;
      guest.enter();
    }
  }

  #fits({ needs }: MemoryPermit): boolean {
    return this.taken === 0 || this.limit === 0 || this.taken + needs <= this.limit;
  }
}
