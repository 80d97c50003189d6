/** Inputs of derivations in browsers. */
import { part } from '../base/intrinsics.js';
import { secretCopy, secretMemory, wipe, type Secret } from '../base/secret-memory.js';

/** A password or a salt; a string means its UTF-8 encoding. */
export type Input = string | Uint8Array;

/** Inputs as bytes, and the memory of those that are not the caller's. */
export interface Inputs {
  readonly bytes: readonly Uint8Array[];
  readonly own: readonly Secret[];
}

/** Returns the inputs as bytes. */
export function inputsOf(...given: readonly Input[]): Inputs {
  const own: Secret[] = [];
  const bytes = given.map((input) => {
    if (typeof input !== 'string') return input;
    // A UTF-16 unit becomes at most three bytes.
    const memory = secretMemory(3 * input.length);
    own.push(memory);
    return part(memory, 0, new TextEncoder().encodeInto(input, memory).written);
  });
  return { bytes, own };
}

/** Returns copies of inputs, which the caller may change meanwhile. */
export function copiesOf(inputs: Inputs): Inputs {
  const own = inputs.bytes.map(secretCopy);
  wipeInputs(inputs);
  return { bytes: own, own };
}

/** Wipes the memory of inputs that is not the caller's. */
export function wipeInputs({ own }: Inputs): void {
  for (const memory of own) wipe(memory);
}

declare const TextEncoder: new () => {
  encodeInto(text: string, target: Uint8Array): { readonly written: number };
};
