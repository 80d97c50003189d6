/** BLAKE3. */
import { blake3 as facts } from '#platform/compat/noble/algorithms.js';
import { optionHash, type CHash, type HashXOF } from '../hash-objects.js';
import type { Maker } from '../original.js';
import { bytesReader, inputOf, type Reader } from '../parameters.js';

/** Options of BLAKE3. */
export interface Blake3Opts {
  /** Bytes of the digest. */
  dkLen?: number;
  /** 32 bytes, which make the digest a MAC. */
  key?: Uint8Array;
  /** The context of a key derivation. */
  context?: Uint8Array;
}

/** Reads the context, which is text; noble also serves bytes that are none. */
const readContext: Reader = (value, { major }, keyed) => {
  if (value === undefined) return null;
  const text = keyed ? undefined : inputOf(major, value);
  return text !== undefined && isText(text) ? ['context', text] : undefined;
};

export const blake3: Maker<CHash<Blake3Opts, HashXOF>> = /* @__PURE__ */ optionHash({
  subpath: 'blake3',
  name: 'blake3',
  kind: 'blake3',
  facts,
  readers: {
    pick: ({ dkLen, key, context }) => [dkLen, key, context],
    reads: [/* @__PURE__ */ bytesReader('key'), readContext],
  },
});

/** Returns true for valid UTF-8. */
function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

declare const TextDecoder: new (
  encoding: string,
  options: object,
) => { decode(bytes: Uint8Array): string };
