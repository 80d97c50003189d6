/**
 * True if two types are the same, not merely assignable: `Expect<Equal<A, B>>` compiles or does
 * not.
 */
export type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export type Expect<T extends true> = T;

/** Names the type of a value: `is<Buffer>()(hash('md5', ''))`. */
export function is<Wanted>() {
  return <Given,>(
    _value: Given,
    ..._same: Equal<Given, Wanted> extends true ? [] : [wanted: Wanted, given: Given]
  ): void => {};
}

export const isString = is<string>();
export const isNumber = is<number>();
export const isVoid = is<void>();
export const isBigint = is<bigint>();
export const isBoolean = is<boolean>();

// The tool itself must be able to fail.
is<string>()('text' as string);
// @ts-expect-error a string is not a number
is<number>()('text' as string);
// @ts-expect-error any is not a string
is<string>()(JSON.parse('""'));
// @ts-expect-error a union is not one of its members
is<string>()('text' as string | number);
