/** The modules `crypto` of version 1. */

/** Returns WebCrypto, which is also the property `web` of @noble/hashes 1.1 and 1.2. */
export const crypto = (): object | undefined => {
  const { crypto: found } = globalThis as { crypto?: { [name: string]: any } };
  if (found === undefined) return undefined;
  return {
    web: found,
    subtle: found.subtle,
    getRandomValues: found.getRandomValues.bind(found),
    randomUUID: found.randomUUID?.bind(found),
  };
};

/** Returns WebCrypto as @noble/ciphers has it. */
export const webCrypto = (): unknown => (globalThis as { crypto?: unknown }).crypto;
