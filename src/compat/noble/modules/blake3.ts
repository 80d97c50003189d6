/** BLAKE3. */
import { givenOf, type Given } from '../../../catalog/parameters.js';
import { blake3 as facts } from '#platform/compat/noble/algorithms.js';
import { optionHash, type CHash, type HashXOF, type Spec } from '../hash-objects.js';
import { backed, type Maker } from '../original.js';
import { inputOf, isParameter, isPlain, sizeOption } from '../parameters.js';

/** Options of BLAKE3. */
export interface Blake3Opts {
  /** Bytes of the digest. */
  dkLen?: number;
  /** 32 bytes, which make the digest a MAC. */
  key?: Uint8Array;
  /** The context of a key derivation. */
  context?: Uint8Array;
}

export const blake3: Maker<CHash<Blake3Opts, HashXOF>> = /* @__PURE__ */ backed(
  'blake3',
  'blake3',
  (major) => {
    const spec: Spec = {
      major,
      kind: 'blake3',
      facts,
      outputLen: facts.digestSize,
      xof: true,
      encode: undefined,
    };
    const read = (options: Blake3Opts): Given | undefined => {
      if (!isPlain(options)) return undefined;
      const { dkLen, key, context } = options;
      const size = sizeOption(dkLen, facts.digestSize);
      if (size === undefined || (key !== undefined && context !== undefined)) return undefined;
      if (context === undefined)
        return key === undefined || isKey(key) ? givenOf(size, [], key) : undefined;
      // The context is text; noble also serves bytes that are none.
      const text = inputOf(major, context);
      return text === undefined || !isText(text) ? undefined : givenOf(size, [['context', text]]);
    };
    const isKey = (key: unknown): key is Uint8Array =>
      isParameter(key) && key.length === facts.parameters!.key![1];
    const family = { subpath: 'blake3', name: 'blake3', always: false, bare: false, read };
    return optionHash<Blake3Opts, HashXOF>(spec, family);
  },
);

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
