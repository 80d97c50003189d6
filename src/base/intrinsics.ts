/**
 * Reads a value's type and memory from its internal slots, so that no code of the caller runs.
 * `instanceof`, properties and methods ask the prototype chain, where a Proxy, a getter or a
 * subclass can lie, or call Millrace again while a request is being filled.
 *
 * The functions accept objects of any realm (vm contexts, test runners) and with any prototype.
 */
import { mayBeBuffer } from '#platform/base/runtime.js';

type Getter<Result> = (value: unknown) => Result;

/** Returns a prototype's getter as a function of the object, or undefined if there is none. */
export function getterOf<Result>(
  prototype: object,
  name: string | symbol,
): Getter<Result> | undefined {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  return get && (Function.prototype.call.bind(get) as Getter<Result>);
}

const typedArray = /* @__PURE__ */ Object.getPrototypeOf(Uint8Array.prototype) as object;
const kindOf = /* @__PURE__ */ getterOf<string | undefined>(typedArray, Symbol.toStringTag)!;
const bufferOfArray = /* @__PURE__ */ getterOf<ArrayBuffer>(typedArray, 'buffer')!;
const offsetOfArray = /* @__PURE__ */ getterOf<number>(typedArray, 'byteOffset')!;
const sizeOfArray = /* @__PURE__ */ getterOf<number>(typedArray, 'byteLength')!;
const bufferOfDataView = /* @__PURE__ */ getterOf<ArrayBuffer>(DataView.prototype, 'buffer')!;
const offsetOfDataView = /* @__PURE__ */ getterOf<number>(DataView.prototype, 'byteOffset')!;
const sizeOfDataView = /* @__PURE__ */ getterOf<number>(DataView.prototype, 'byteLength')!;
const sizeOfUnshared = /* @__PURE__ */ getterOf<number>(ArrayBuffer.prototype, 'byteLength')!;
const isUnsharedResizable = /* @__PURE__ */ (() =>
  getterOf<boolean>(ArrayBuffer.prototype, 'resizable'))();
// Pages without cross-origin isolation have no SharedArrayBuffer.
const sizeOfShared =
  typeof SharedArrayBuffer === 'function'
    ? /* @__PURE__ */ getterOf<number>(SharedArrayBuffer.prototype, 'byteLength')
    : undefined;

/** More than the number of any hash. */
const HASH_NUMBERS = 64;

/**
 * Returns an array of empty own slots, by default one for the number of each hash. A read of a slot
 * that an array lacks shows what others have added to Object.prototype, such as a property `0`.
 */
export function emptySlots<Slot>(count = HASH_NUMBERS): (Slot | undefined)[] {
  return Array.from({ length: count }, () => undefined);
}

const { isView } = ArrayBuffer;
const { isArray } = Array;
// Functions, because bundlers keep arguments of a call that they omit, but not its function.
const write = /* @__PURE__ */ (() => Function.prototype.call.bind(Uint8Array.prototype.set))() as (
  target: Uint8Array,
  source: Uint8Array,
  offset: number,
) => void;

const includes = /* @__PURE__ */ (() =>
  Function.prototype.call.bind(Uint8Array.prototype.includes))() as (
  array: Uint8Array,
  byte: number,
) => boolean;

export const NO_BYTES: Uint8Array = /* @__PURE__ */ new Uint8Array(0);

/** Returns true for every typed array and DataView. */
export function isBytesView(value: unknown): value is ArrayBufferView {
  return isView(value);
}

/** Returns true for every Uint8Array, so for every Buffer. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return kindOf(value) === 'Uint8Array';
}

/** Returns true for every typed array. */
export function isTypedArray(value: unknown): value is Uint8Array {
  return kindOf(value) !== undefined;
}

/** Returns the size of a typed array in bytes; 0 if it is detached. */
export function sizeOf(view: Uint8Array): number {
  return sizeOfArray(view);
}

/**
 * Returns a view of the same memory from `offset`. Unlike `subarray`, it does not use the view's
 * species.
 */
export function part(view: Uint8Array, offset: number, size: number): Uint8Array {
  // A view cannot be made of detached memory.
  if (size === 0) return NO_BYTES;
  return new Uint8Array(bufferOfArray(view), offsetOfArray(view) + offset, size);
}

/**
 * Returns true for a view or buffer with detached memory, and for a view that is outside of its
 * buffer since that shrank. The size of all of them is 0.
 */
export function isLost(value: ArrayBufferView | ArrayBufferLike): boolean {
  try {
    // Each throws for memory that is gone.
    if (!isView(value)) void new Uint8Array(value);
    else if (isTypedArray(value)) includes(value, 0);
    else sizeOfDataView(value);
    return false;
  } catch {
    return true;
  }
}

/** Copies `source` to `target` at `offset`, and returns `target`. */
export function copyInto<T extends Uint8Array>(target: T, source: Uint8Array, offset: number): T {
  if (sizeOfArray(source) > 0) write(target, source, offset);
  return target;
}

/** Returns a new Uint8Array over a view's bytes; empty if it is detached or out of bounds. */
export function bytesOfView(view: ArrayBufferView): Uint8Array {
  if (isTypedArray(view))
    return sizeOfArray(view) === 0 ? NO_BYTES : part(view, 0, sizeOfArray(view));
  try {
    return new Uint8Array(bufferOfDataView(view), offsetOfDataView(view), sizeOfDataView(view));
  } catch {
    return NO_BYTES; // The buffer of the DataView was detached or shrunk.
  }
}

/** Returns the bytes of an ArrayBuffer or SharedArrayBuffer, or undefined for any other value. */
export function bytesOfBuffer(value: unknown): Uint8Array | undefined {
  const size = bufferSize(value);
  return size === undefined
    ? undefined
    : size === 0
      ? NO_BYTES
      : new Uint8Array(value as ArrayBuffer);
}

/**
 * Returns the size of an ArrayBuffer or SharedArrayBuffer in bytes, or undefined for any other
 * value.
 */
export function bufferSize(value: unknown): number | undefined {
  if (!mayBeBuffer(value)) return undefined;
  for (const size of [sizeOfUnshared, sizeOfShared]) {
    try {
      return size!(value);
    } catch {
      // Not of this kind.
    }
  }
  return undefined;
}

/**
 * Returns true if the memory under these bytes can shrink while native code uses it; a
 * SharedArrayBuffer only grows.
 */
export function isResizable(view: Uint8Array): boolean {
  try {
    return isUnsharedResizable?.(bufferOfArray(view)) === true;
  } catch {
    return false; // Shared.
  }
}

/** Returns true if other threads can write these bytes. */
export function isShared(view: Uint8Array): boolean {
  try {
    sizeOfUnshared(bufferOfArray(view));
    return false;
  } catch {
    return true;
  }
}

/** Returns true for a revoked Proxy. Every other inspection of one throws V8's TypeError. */
export function isRevoked(value: unknown): boolean {
  try {
    isArray(value);
    return false;
  } catch {
    return true;
  }
}
