/**
 * The buffer through which results of asynchronous operations reach the caller, as
 * crates/node/src/completion.rs has it.
 */
import { Status } from '../base/frame.js';
import { NOTHING } from './windows.js';

/**
 * Delivers records to the caller. `instead` holds, by slot, results that replace the target's
 * memory.
 */
export type Settle = (records: number, instead?: ReadonlyMap<number, Uint8Array>) => void;

/** Bytes of a record's header: slot, status and the sizes of both parts. */
const HEADER = 16;

/** The records that the caller reads: four numbers and two parts, padded to 4 bytes. */
export class CompletionBuffer {
  readonly #bytes: Uint8Array;
  readonly #numbers: Uint32Array;
  readonly #settle: Settle;
  #used = 0;
  #records = 0;
  #instead: Map<number, Uint8Array> | undefined;

  constructor(memory: Uint8Array, settle: Settle) {
    this.#bytes = memory;
    this.#numbers = new Uint32Array(memory.buffer, memory.byteOffset, memory.length / 4);
    this.#settle = settle;
  }

  write(slot: number, status: Status, small: Uint8Array, large: Uint8Array): void {
    const size = HEADER + Math.ceil((small.length + large.length) / 4) * 4;
    if (this.#used + size > this.#bytes.length) this.deliver();
    const at = this.#used;
    this.#numbers.set([slot, status, small.length, large.length], at / 4);
    this.#bytes.set(small, at + HEADER);
    this.#bytes.set(large, at + HEADER + small.length);
    this.#used += size;
    this.#records += 1;
  }

  /** Adds the record of a job with a replacement result. */
  writeInstead(slot: number, result: Uint8Array): void {
    this.write(slot, Status.Done, NOTHING, NOTHING);
    (this.#instead ??= new Map()).set(slot, result);
  }

  deliver(): void {
    const records = this.#records;
    if (records === 0) return;
    const instead = this.#instead;
    this.#used = this.#records = 0;
    this.#instead = undefined;
    this.#settle(records, instead);
  }
}
