/**
 * Instances of the engine's WebAssembly module (crates/wasm): their memory, and the places in it
 * that calls use.
 */
import { At, Operation, Status } from '../base/frame.js';
import { isDerivation } from '../base/operations.js';
import { emptySlots } from '../base/intrinsics.js';
import {
  compileText,
  instantiate,
  isLittleEndian,
  NoWebAssembly,
  type Module,
  type ModuleKind,
} from './module.js';
import { replacement } from './replacement.js';
import { refuse } from './windows.js';

/** The functions of the module, documented in crates/wasm/src/exports.rs. */
interface Calls {
  readonly memory: { readonly buffer: ArrayBuffer };
  running(): number;
  begin_after(generation: number): void;
  frame(): number;
  reserve(size: number): number;
  output(): number;
  run(): Status;
  check(): Status;
  needs_rehash(): number;
  set_derivation_memory(limit: number): void;
  digest(algorithm: number, size: number, state: number): number;
  finish(algorithm: number, state: number, rest: number, keyStates: number): number;
  update_hash(algorithm: number, state: number, size: number, next: number): Status;
  checksum(algorithm: number, state: number, size: number): Status;
  create_key(purpose: number, algorithm: number, size: number): number;
  extend_key(size: number): number;
  dispose_key(): number;
  key_bytes(): number;
  key_purpose(): number;
  create_cipher(algorithm: number, encrypt: number, iv: number, aad: number, key: number): number;
  update_cipher(): Status;
  finish_cipher(size: number, verify: number): Status;
  copy_cipher(): number;
  begin_parts(size: number, twice: number): number;
  run_part(pass: number, offset: number, place: number, size: number): number;
  end_pass(pass: number): Status;
  end_parts(): void;
  equal(size: number): number;
  report(): number;
}

/** Bytes of a message that are in the arena at once. They stay in the second-level cache. */
export const WINDOW = 64 * 1024;

/** Bytes of the arena from the start: a window, and the other inputs of most calls. */
export const ARENA = WINDOW + 16 * 1024;

/**
 * The modules: one that runs every operation, or those of some operations each, so that a bundle
 * has what it uses (tools/wasm.mjs).
 */
export const enum Part {
  Whole,
  /** Digests, PBKDF2 and HKDF. */
  Digests,
  /** Ciphers and key wrapping. */
  Ciphers,
  /** The other derivations. */
  Passwords,
}

/** A part's own slots. */
export const ofParts = <Slot>(): (Slot | undefined)[] => emptySlots<Slot>(Part.Passwords + 1);

const sources = ofParts<() => Module>();
const modules = ofParts<Module>();
let refusal: NoWebAssembly | undefined;

/** Sets where a module comes from. */
export function setModuleSource(compile: () => Module, part = Part.Whole): void {
  sources[part] = compile;
  modules[part] = refusal = undefined;
}

/** Returns the part if its module is here, else the whole. */
export function provided(part: Part): Part {
  return sources[part] === undefined ? Part.Whole : part;
}

/** Returns the module that runs an operation. */
export function partOf(operation: Operation): Part {
  switch (operation) {
    case Operation.Encrypt:
    case Operation.Decrypt:
    case Operation.Seal:
    case Operation.Open:
    case Operation.SealChunks:
    case Operation.OpenChunks:
    case Operation.CipherUpdate:
    case Operation.WrapKey:
    case Operation.UnwrapKey:
      return provided(Part.Ciphers);
    case Operation.Scrypt:
    case Operation.Argon2:
    case Operation.Bcrypt:
    case Operation.Verify:
      return provided(Part.Passwords);
    default:
      return provided(Part.Digests);
  }
}

/** Returns true if the module that runs an operation is here. */
export function canRun(operation: Operation): boolean {
  return sources[partOf(operation)] !== undefined;
}

/** Returns a module, compiled at first use; undefined where that is refused. */
export function engineModule(part = provided(Part.Digests)): Module | undefined {
  if (modules[part] !== undefined) return modules[part];
  const source = sources[part] ?? refuse(Status.Unavailable);
  // A startup snapshot is made without WebAssembly, and runs with it.
  if (refusal === undefined || refusal.reason === 'absent') {
    refusal = undefined;
    modules[part] = attempt(source);
  }
  const plain = replacement()?.plain;
  if (modules[part] === undefined && refusal?.reason === 'vectors' && plain !== undefined)
    modules[part] = attempt(() => compileText(plain, true));
  return modules[part];
}

function attempt(compile: () => Module): Module | undefined {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof NoWebAssembly)) throw error;
    refusal = error;
    return undefined;
  }
}

/** Returns what runs the engine, and why it is not WebAssembly with vectors. */
export function engineKind(): { readonly runs: ModuleKind; readonly reason?: string } {
  const compiled = engineModule() !== undefined;
  if (refusal === undefined) return { runs: 'wasm-simd' };
  return { runs: compiled ? 'wasm' : 'javascript', reason: refusal.message };
}

/** Returns the functions of a new instance. */
function start(part: Part, imports: object): Calls {
  const compiled = engineModule(part);
  if (compiled !== undefined) return instantiate<Calls>(compiled, imports);
  return (replacement() ?? refuse(Status.Unavailable)).instantiate(imports) as Calls;
}

/** Returns why there is no engine at all. */
export function unavailableReason(): string {
  return refusal === undefined
    ? ''
    : `${refusal.message}. Allow it, or call useJavaScript of 'millrace/javascript' before the ` +
        'first call';
}

const fill = Function.prototype.call.bind(Uint8Array.prototype.fill) as (
  bytes: Uint8Array,
  value: number,
  start: number,
  end: number,
) => void;

/** One instance. It runs one call at a time; the next one overwrites its arena. */
export class Instance {
  readonly calls: Calls;
  /**
   * Called during long work with its progress, from 0 to 1. Returns true if the work shall end.
   */
  pause: (progress: number) => boolean = () => false;
  readonly #part: Part;
  readonly #view: (memory: ArrayBuffer) => Uint8Array;
  #memory: Uint8Array;
  /** Of the same memory. */
  #words: DataView;
  #numbers: Float64Array;
  #arena = 0;
  #room = 0;
  readonly #running: number;

  constructor(part: Part, view = (memory: ArrayBuffer): Uint8Array => new Uint8Array(memory)) {
    const calls = start(part, {
      javascript: { pause: (progress: number) => Number(this.pause(progress)) },
    });
    this.calls = isLittleEndian() ? calls : this.#swapping(calls);
    this.#part = part;
    this.#view = view;
    this.#numbers = this.#frame();
    this.#running = this.calls.running() >>> 0;
    this.#memory = view(this.calls.memory.buffer);
    this.#words = new DataView(this.calls.memory.buffer);
    this.reserve(ARENA);
  }

  /**
   * Returns calls for a big-endian machine, which copy the numbers before and after each call: the
   * memory of WebAssembly is little-endian everywhere.
   */
  #swapping(calls: Calls): Calls {
    const shadow = new Float64Array(At.Length);
    this.#frame = () => shadow;
    const place = calls.frame() >>> 0;
    const swapped = Object.entries(calls).map(([name, call]) => [
      name,
      typeof call !== 'function'
        ? call
        : (...given: number[]): number => {
            let view = new DataView(calls.memory.buffer, place);
            for (const [at, number] of shadow.entries()) view.setFloat64(8 * at, number, true);
            const result = (call as (...given: number[]) => number)(...given);
            view = new DataView(calls.memory.buffer, place);
            for (const at of shadow.keys()) shadow[at] = view.getFloat64(8 * at, true);
            return result;
          },
    ]);
    return Object.fromEntries(swapped) as Calls;
  }

  #frame = (): Float64Array => {
    // Called first: it may need more memory, which is another buffer then.
    const place = this.calls.frame() >>> 0;
    return new Float64Array(this.calls.memory.buffer, place, At.Length);
  };

  /** All of its memory. It is another view after a call that needed more. */
  get memory(): Uint8Array {
    // In JavaScript a smaller memory is not detached when it is replaced.
    if (this.#memory.length === 0 || (modules[this.#part] === undefined && this.#isStale())) {
      // An exhausted stack must not leave one of them without the other.
      const numbers = this.#frame();
      const { buffer } = this.calls.memory;
      const [memory, words] = [this.#view(buffer), new DataView(buffer)];
      this.#numbers = numbers;
      this.#words = words;
      this.#memory = memory;
    }
    return this.#memory;
  }

  /** The numbers of the next call. */
  get numbers(): Float64Array {
    void this.memory;
    return this.#numbers;
  }

  /** Returns the big-endian number of the 8 bytes at a place in the memory. */
  word(place: number): bigint {
    void this.memory;
    return this.#words.getBigUint64(place);
  }

  #isStale(): boolean {
    return this.#memory.buffer !== this.calls.memory.buffer;
  }

  /**
   * Returns true if a call did not return, because of a trap or an exhausted stack. The instance is
   * of no use any more.
   */
  get isLost(): boolean {
    return this.memory[this.#running] !== 0;
  }

  /** Overwrites all of the memory. */
  wipeAll(): void {
    const { memory } = this;
    // The byte of isLost comes to be 0 too.
    fill(memory, 0, 0, memory.length);
  }

  /** Makes room for that many bytes in the arena. Returns its place in the memory. */
  reserve(size: number): number {
    if (size > this.#room) {
      this.#room = 0;
      // Numbers pass as 32 bits.
      const place = size < 2 ** 32 ? this.calls.reserve(size) >>> 0 : 0;
      if (place === 0) refuse(Status.Memory);
      [this.#arena, this.#room] = [place, size];
    }
    return this.#arena;
  }

  /** Overwrites the first bytes of the arena. */
  wipe(size: number): void {
    const { memory } = this;
    fill(memory, 0, this.#arena, this.#arena + Math.min(size, this.#room));
  }

  /** Calls `read` with a range of the output, and overwrites it. */
  takeOutput<Result>(
    size: number,
    read: (memory: Uint8Array, start: number, end: number) => Result,
  ): Result {
    const start = this.calls.output() >>> 0;
    const { memory } = this;
    try {
      return read(memory, start, start + size);
    } finally {
      fill(memory, 0, start, start + size);
    }
  }
}

/** More memory is kept for the next derivation only: the end of an instance gives it back. */
const KEPT_BYTES = 8 * 2 ** 20;

const spares = ofParts<Instance>();

/**
 * Calls `work` with an instance of this thread for an operation, which holds no keys between calls.
 * After a derivation it is kept with all of its memory if `keep` is true.
 */
export function withSpare<Result>(
  operation: Operation,
  work: (instance: Instance) => Result,
  keep = false,
): Result {
  const [part, derives] = [partOf(operation), isDerivation(operation)];
  const kept = spares[part];
  // A call of the caller's code in `work` gets another one.
  spares[part] = undefined;
  const instance =
    kept !== undefined && (derives || kept.memory.length <= KEPT_BYTES) ? kept : new Instance(part);
  const result = work(instance);
  if (instance.isLost) instance.wipeAll();
  else if (instance.memory.length <= KEPT_BYTES || (derives && keep)) spares[part] = instance;
  return result;
}
