/**
 * What a value is and which memory it names, asked of the JavaScript engine itself. None of these
 * functions runs code of the caller's: they read internal slots. `instanceof`, a property or a
 * method would ask the value's prototype chain, where a Proxy, a getter or a subclass can answer,
 * or call Millrace again while a request is being filled.
 *
 * They work on objects of any realm (vm contexts, test runners) and on objects with another
 * prototype.
 */

type Getter<Result> = (value: unknown) => Result;

/**
 * The getter of a prototype, as a function of its object; undefined if this engine does not have
 * it.
 */
function getterOf<Result>(prototype: object, name: string | symbol): Getter<Result> | undefined {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  return get && (Function.prototype.call.bind(get) as Getter<Result>);
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const kindOf = getterOf<string | undefined>(typedArray, Symbol.toStringTag)!;
const bufferOfArray = getterOf<ArrayBuffer>(typedArray, 'buffer')!;
const offsetOfArray = getterOf<number>(typedArray, 'byteOffset')!;
const sizeOfArray = getterOf<number>(typedArray, 'byteLength')!;
const bufferOfDataView = getterOf<ArrayBuffer>(DataView.prototype, 'buffer')!;
const offsetOfDataView = getterOf<number>(DataView.prototype, 'byteOffset')!;
const sizeOfDataView = getterOf<number>(DataView.prototype, 'byteLength')!;
const sizeOfUnshared = getterOf<number>(ArrayBuffer.prototype, 'byteLength')!;
const isUnsharedResizable = getterOf<boolean>(ArrayBuffer.prototype, 'resizable');
// A page that is not isolated from others has no SharedArrayBuffer.
const sizeOfShared =
  typeof SharedArrayBuffer === 'function'
    ? getterOf<number>(SharedArrayBuffer.prototype, 'byteLength')
    : undefined;

const { isView } = ArrayBuffer;
const { isArray } = Array;
const write = Function.prototype.call.bind(Uint8Array.prototype.set) as (
  target: Uint8Array,
  source: Uint8Array,
  offset: number,
) => void;

export const NO_BYTES = new Uint8Array(0);

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

/** The true size of a typed array in bytes; 0 when detached. */
export function sizeOf(view: Uint8Array): number {
  return sizeOfArray(view);
}

/**
 * The same memory from `offset` on. Unlike `subarray`, it does not ask the view's class what to
 * make.
 */
export function part(view: Uint8Array, offset: number, size: number): Uint8Array {
  return new Uint8Array(bufferOfArray(view), offsetOfArray(view) + offset, size);
}

/** Writes all of `source` to `target` from `offset` on. */
export function copyInto(target: Uint8Array, source: Uint8Array, offset: number): void {
  if (sizeOfArray(source) > 0) write(target, source, offset);
}

/**
 * All bytes of a view, as a Uint8Array of our own making. What is detached or out of bounds counts
 * as empty.
 */
export function bytesOfView(view: ArrayBufferView): Uint8Array {
  if (isTypedArray(view))
    return sizeOfArray(view) === 0 ? NO_BYTES : part(view, 0, sizeOfArray(view));
  try {
    return new Uint8Array(bufferOfDataView(view), offsetOfDataView(view), sizeOfDataView(view));
  } catch {
    return NO_BYTES; // A DataView whose buffer was detached or shrunk.
  }
}

/** All bytes of an ArrayBuffer or SharedArrayBuffer; undefined for everything else. */
export function bytesOfBuffer(value: unknown): Uint8Array | undefined {
  const size = bufferSize(value);
  return size === undefined
    ? undefined
    : size === 0
      ? NO_BYTES
      : new Uint8Array(value as ArrayBuffer);
}

/** The size of an ArrayBuffer or SharedArrayBuffer in bytes; undefined for everything else. */
export function bufferSize(value: unknown): number | undefined {
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

/**
 * Returns true for a revoked Proxy, of which everything else that looks into it throws the engine's
 * TypeError.
 */
export function isRevoked(value: unknown): boolean {
  try {
    isArray(value);
    return false;
  } catch {
    return true;
  }
}
