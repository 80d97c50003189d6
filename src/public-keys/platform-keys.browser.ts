/** Browsers have no KeyObject, and export a CryptoKey asynchronously only. */

/** Returns undefined. */
export function platformKey(_value: unknown): undefined {
  return undefined;
}
