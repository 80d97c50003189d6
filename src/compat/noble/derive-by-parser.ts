/** Derivations of the native engine as noble returns them. */
import type { FreshBytes } from '../../base/platform-types.js';
import { derivePromise, deriveSync, type DerivationParser } from '../../kdf/derive.js';

/** Derives at once. */
export function derived(parser: DerivationParser, given: readonly unknown[]): FreshBytes {
  return unpooled(deriveSync(parser, given, given.length) as FreshBytes);
}

/** Derives on the pool. */
export async function derivedLater(
  parser: DerivationParser,
  given: readonly unknown[],
): Promise<FreshBytes> {
  return unpooled((await derivePromise(parser, given)) as FreshBytes);
}

/** Returns a Uint8Array instead of a Buffer; a derived key has a separate ArrayBuffer. */
function unpooled({ buffer, byteOffset, length }: FreshBytes): FreshBytes {
  return new Uint8Array(buffer, byteOffset, length);
}
