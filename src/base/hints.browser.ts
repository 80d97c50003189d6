/** The parts of error messages that guess what was meant, which browsers do without. */

/** Returns the names that a call takes. */
export function optionHint(_name: string, _argument: string, names: readonly string[]): string {
  return `it takes ${names.join(', ')}`;
}

/** Returns nothing. */
export function typeHint(): string {
  return '';
}
