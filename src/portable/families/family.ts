/**
 * A family's module: compiled and instantiated at its first call. Its memory begins with the stack
 * and the data; JavaScript lays out the rest for each call, and overwrites it afterwards. The
 * module allocates beyond.
 */
import { makeError, outOfMemory } from '../../base/errors.js';
import {
  compiled,
  instantiate,
  type JavaScriptModule,
  type Module,
  type ModuleSource,
  type NoWebAssembly,
} from '../module.js';
import { loadText } from '#platform/portable/module-text.js';

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly __heap_base: { readonly value: number };
}

const PAGE = 65_536;

/** Bytes of the stack, which is first in the memory (tools/wasm.mjs), of most modules. */
const STACK_BYTES = 20_480;

/** No imports. */
const none = {};

export class Family<Calls extends object> {
  readonly name: string;
  #text: ModuleSource;
  readonly #imports: object;
  readonly #stack: number;
  #module: Module | JavaScriptModule | undefined;
  #exports!: Calls & Exports;
  /** The first byte that a call may use. */
  start = 0;
  /**
   * The end of what JavaScript lays out; 0 without an instance, and during a call: one that a trap
   * or an exhausted stack ends within the module leaves it so, and the next makes an instance.
   */
  end = 0;
  /** Bytes of a window that a call has used behind its inputs. */
  used = 0;
  #first = 0;
  #bytes!: Uint8Array;

  /**
   * Takes the name and the text of a module (src/portable/modules), what it imports, and the bytes
   * of its stack.
   */
  constructor(name: string, text: ModuleSource, imports = none, stack = STACK_BYTES) {
    this.name = name;
    this.#text = text;
    this.#imports = imports;
    this.#stack = stack;
  }

  /**
   * Returns the compiled module, or its replacement in JavaScript.
   *
   * @throws MillraceError ERR_ENGINE_UNAVAILABLE
   */
  compile(): Module | JavaScriptModule {
    try {
      return (this.#module ??= compiled(this.name, () => loadText(this.#text)));
    } catch (error) {
      throw makeError('ERR_ENGINE_UNAVAILABLE', (error as NoWebAssembly).message);
    }
  }

  /** Takes the module that another thread has compiled. */
  receive(module: Module): void {
    this.#module = module;
  }

  /**
   * Returns the functions of the module.
   *
   * @throws MillraceError ERR_ENGINE_UNAVAILABLE
   */
  open(): Calls {
    if (!this.end) this.#instantiate();
    return this.#exports;
  }

  /** Returns the memory, until the next call that may make it larger. */
  bytes(): Uint8Array {
    // A memory that has grown has detached its buffer, but not in JavaScript. Reading `buffer`
    // takes 30 ns.
    if (
      this.#bytes.length === 0 ||
      (typeof this.#module === 'function' && this.#bytes.buffer !== this.#exports.memory.buffer)
    )
      this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    return this.#bytes;
  }

  /**
   * Makes room up to an end, in a new instance if this one has allocated beyond. To be called
   * before anything is written.
   *
   * @throws MillraceError ERR_OUT_OF_MEMORY
   */
  reserve(end: number): void {
    if (end <= this.end) return;
    if (this.bytes().length > this.end) this.#instantiate();
    const { memory } = this.#exports;
    try {
      memory.grow(Math.ceil((end - this.end) / PAGE));
    } catch {
      this.end = 0;
      throw outOfMemory(end);
    }
    this.end = memory.buffer.byteLength;
  }

  /**
   * Overwrites what was laid out up to an end, and the last bytes of the stack: all of it if keys
   * were there. Gives back memory that was added.
   */
  wipe(end: number, stack = this.#stack): void {
    const bytes = this.bytes();
    bytes.fill(0, this.start, end);
    bytes.fill(0, this.#stack - stack, this.#stack);
    if (this.end !== this.#first) this.drop();
  }

  /** Drops the instance; its memory no longer holds secrets. */
  drop(): void {
    this.end = 0;
    this.#exports = this.#bytes = undefined as never;
  }

  #instantiate(): void {
    this.#exports = instantiate<Calls & Exports>(this.compile(), this.#imports);
    this.start = aligned(this.#exports.__heap_base.value);
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    this.end = this.#first = this.#bytes.length;
  }
}

/**
 * Bytes of a window for messages: the first-level cache holds it with the part of the message that
 * is copied there.
 */
export const WINDOW = 16_384;

/** Returns the next address that is aligned for every type. */
export const aligned = (address: number): number => (address + 15) & ~15;

/** Bytes of a line of the cache, for which some values are aligned. */
const LINE = 64;

/**
 * Copies bytes to their places, one after the other, and returns those and the end, where there is
 * room for a window.
 */
export function layOut(family: Family<object>, inputs: readonly Uint8Array[]): number[] {
  family.open();
  const places: number[] = [];
  // Not `aligned`: its numbers have 32 bits.
  let end = Math.ceil(family.start / LINE) * LINE;
  for (const { length } of inputs) {
    places.push(end);
    end = Math.ceil((end + length) / LINE) * LINE;
  }
  family.reserve(end + WINDOW);
  const bytes = family.bytes();
  inputs.forEach((input, index) => bytes.set(input, places[index]));
  return [...places, end];
}

/**
 * Calls `work` with the functions of a module and the places of inputs, the last of which is their
 * end. They and the window behind them are overwritten afterwards.
 */
export function within<Calls extends object, Result>(
  family: Family<Calls>,
  inputs: readonly Uint8Array[],
  work: (calls: Calls, places: readonly number[]) => Result,
): Result {
  const places = layOut(family, inputs);
  const calls = family.open();
  const whole = family.end;
  family.end = family.used = 0;
  try {
    const result = work(calls, places);
    family.end = whole;
    return result;
  } finally {
    family.wipe(places.at(-1)! + family.used);
  }
}
