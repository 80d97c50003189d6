/** Checked numbers, with errors that name the argument. Small: it is in every bundle. */
import { makeError, wrongType } from './errors.js';

/** Checks an unsigned integer up to 2^53 - 1. */
export function unsigned(value: unknown, name: string): number {
  if (typeof value !== 'number') throw wrongType(name, 'an unsigned integer', value);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `${name} must be an unsigned integer below 2^53, not ${value}`,
    );
  }
  return value;
}

/** Checks an integer between two limits. */
export function between(value: unknown, min: number, max: number, name: string): number {
  const number = unsigned(value, name);
  if (number >= min && number <= max) return number;
  throw makeError('ERR_ARGUMENT_VALUE', `${name} must be between ${min} and ${max}, not ${number}`);
}
