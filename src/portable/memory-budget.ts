/**
 * Limits the memory of concurrent derivations to a total. A derivation that does not fit waits;
 * they start in order.
 */

/** A request for memory. */
export interface MemoryPermit {
  /** Bytes; 0 for a negligible amount. */
  readonly needs: number;
  /** Runs when the memory is available. */
  admit(): void;
}

export class MemoryBudget {
  /** Bytes; 0 while no limit is set. */
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

  /** Returns the memory of an admitted permit. */
  release({ needs }: MemoryPermit): void {
    this.taken -= needs;
    this.#admitWaiting();
  }

  /** Removes a permit if it waits. */
  withdraw(permit: MemoryPermit): void {
    const at = this.#waiting.indexOf(permit);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#admitWaiting();
  }

  /**
   * Admits permits in order. A single permit is always admitted: the limit may have been lowered
   * since its call.
   */
  #admitWaiting(): void {
    while (this.#waiting.length > 0) {
      const permit = this.#waiting[0]!;
      if (!this.#fits(permit)) return;
      this.#waiting.shift();
      this.taken += permit.needs;
      permit.admit();
    }
  }

  #fits({ needs }: MemoryPermit): boolean {
    return this.taken === 0 || this.limit === 0 || this.taken + needs <= this.limit;
  }
}
