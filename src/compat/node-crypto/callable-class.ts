/** Classes of Node's that can be called without `new`, as crypto.Hash and crypto.Hmac. */

type Constructor = new (...given: unknown[]) => object;

/**
 * Returns a function to use in place of one of Node's classes. Classes derived from it are derived
 * from Node's. The first call goes to Node.js as well, which warns about it in some versions.
 */
export function callableClass(
  nodeClass: unknown,
  create: (...given: unknown[]) => unknown,
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
    return create(...given);
  }
  Object.defineProperty(callable, 'prototype', { value: theirs.prototype as object });
  return callable;
}

/**
 * Makes a function the constructor of objects that inherit from Node's class. Later versions
 * than Node.js 20 export a function that warns, with the class behind it as the constructor.
 */
export function setConstructor(objects: object, nodeClass: unknown, own: unknown): void {
  const { constructor } = (nodeClass as Constructor).prototype as object;
  const value = constructor === nodeClass ? own : constructor;
  Object.defineProperty(objects, 'constructor', { value, configurable: true });
}
