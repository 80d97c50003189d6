/** Classes of Node's that can be called without `new`, as crypto.Hash and crypto.Hmac. */

type Constructor = new (...given: unknown[]) => object;

/**
 * Returns a function to use in place of one of Node's classes, and makes it the constructor of
 * Millrace's objects. Classes derived from it are derived from Node's. The first call goes to
 * Node.js as well, which warns about it in some versions.
 */
export function callableClass(
  nodeClass: unknown,
  create: (...given: never[]) => unknown,
  objects: object,
): (...given: unknown[]) => unknown {
  const theirs = nodeClass as Constructor;
  let called = false;
  function callable(this: unknown, ...given: unknown[]): unknown {
    const derived = new.target as unknown;
    if (derived !== undefined && derived !== callable)
      return Reflect.construct(theirs, given, derived as Constructor);
    // A constructor in the style of util.inherits.
    if (derived === undefined && this instanceof theirs) {
      Reflect.apply(theirs as never, this, given);
      return undefined;
    }
    if (!called) {
      called = true;
      Reflect.construct(theirs, given);
    }
    return create(...(given as never[]));
  }
  Object.defineProperty(callable, 'prototype', { value: theirs.prototype as object });
  // Later versions than Node.js 20 export a function that warns, with the class behind it as the
  // constructor.
  const { constructor } = theirs.prototype as object;
  const value = constructor === nodeClass ? callable : constructor;
  Object.defineProperty(objects, 'constructor', { value, configurable: true });
  return callable;
}
