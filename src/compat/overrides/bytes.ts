/** Arguments as the replaced packages take them. */
import { isLost, isUint8Array, sizeOf } from '../../base/intrinsics.js';

/** Returns true for a Uint8Array of this realm with its memory: others are for the originals. */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    isUint8Array(value) && value instanceof Uint8Array && (sizeOf(value) > 0 || !isLost(value))
  );
}

/** Returns bytes; undefined for what the original is to answer. */
export type Read = (value: unknown) => Uint8Array | undefined;

/** Takes bytes only. */
export const readBytes: Read = (value) => (isBytes(value) ? value : undefined);

/** Takes hex, too. */
export const readHexOrBytes: Read = (value) => {
  if (typeof value !== 'string') return readBytes(value);
  return value.length % 2 === 0 && /^[\da-f]*$/i.test(value)
    ? Buffer.from(value, 'hex')
    : undefined;
};

/** Returns true if only the first arguments were given: options are for the originals. */
export const isPlain = (rest: readonly unknown[]): boolean =>
  rest.every((each) => each === undefined);

/** Returns a copy of an object with other functions in place of those that it has. */
export function withFunctions(
  original: Readonly<Record<string, unknown>>,
  functions: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const made: Record<string, unknown> = { ...original };
  for (const [name, replacement] of Object.entries(functions))
    if (Object.hasOwn(made, name)) made[name] = replacement;
  return Object.isFrozen(original) ? Object.freeze(made) : made;
}

/** Returns random bytes, of the generator that noble asks. */
export const randomBytes = (size: number): Uint8Array =>
  globalThis.crypto.getRandomValues(new Uint8Array(size));
