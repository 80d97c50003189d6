/**
 * Bytes as a BigInt and back, without the engine: a bundle that needs only this stays small.
 */
import { numberOf, writeNumber } from '../portable/numbers.js';
import { hex } from '../base/runtime.browser.js';

export function numberLE(bytes: Uint8Array): bigint | undefined {
  return numberOf(bytes.slice().reverse(), hex);
}

export function numberBE(bytes: Uint8Array): bigint | undefined {
  return numberOf(bytes, hex);
}

export function writeLE(number: bigint, target: Uint8Array): boolean {
  writeNumber(number, target);
  target.reverse();
  return true;
}

export function writeBE(number: bigint, target: Uint8Array): boolean {
  writeNumber(number, target);
  return true;
}
