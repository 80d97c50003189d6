/** The algorithms of AES key wrap, which the main entry points and millrace/portable read alike. */
import { shownName } from './nearest.js';
import { makeError, wrongType } from './errors.js';

/** KW (RFC 3394) or KWP, with padding (RFC 5649). */
export type WrapName = `aes-${128 | 192 | 256}-kw${'' | 'p'}`;

/** The name of a key wrap, in any case, or OpenSSL's: `id-aes256-wrap`, `aes256-wrap-pad`. */
export type WrapAlgorithm = WrapName | (string & {});

/** The properties of a key wrap. */
export interface WrapFacts {
  readonly name: WrapName;
  /** Bytes of the wrapping key. */
  readonly keySize: 16 | 24 | 32;
  readonly padded: boolean;
}

/** The most bytes of a key to wrap. */
const KEY_MAX = 0x1_0000;
/** The bytes by which a wrapped key is longer than its padded key. */
export const WRAP_OVERHEAD = 8;

const sizes = { 128: 16, 192: 24, 256: 32 } as const;
const names = ['kw', 'kwp'].flatMap((kind) => Object.keys(sizes).map((n) => `aes-${n}-${kind}`));

/** Returns the key wrap of that name. */
export function wrapFacts(name: unknown): WrapFacts {
  if (typeof name !== 'string') throw wrongType('algorithm', 'a string', name);
  const found =
    /^aes-(128|192|256)-kw(p?)$/i.exec(name) ??
    /^(?:id-)?aes(128|192|256)-wrap((?:-pad)?)$/i.exec(name);
  if (found === null)
    throw makeError(
      'ERR_UNKNOWN_ALGORITHM',
      `algorithm must be ${names.join(', ')}, not ${shownName(name, names)}`,
    );
  const bits = Number(found[1]) as keyof typeof sizes;
  const padded = found[2] !== '';
  return { name: `aes-${bits}-kw${padded ? 'p' : ''}`, keySize: sizes[bits], padded };
}

/** Checks the size of the wrapping key. */
export function checkWrappingKey({ name, keySize }: WrapFacts, size: number): void {
  if (size !== keySize)
    throw makeError('ERR_KEY_SIZE', `${name} takes a key of ${keySize} bytes, not ${size}`);
}

/** Checks the size of a key to wrap. Returns that of the result. */
export function wrappedSize({ name, padded }: WrapFacts, size: number): number {
  const fits = padded ? size >= 1 : size >= 16 && size % 8 === 0;
  if (!fits || size > KEY_MAX)
    throw makeError(
      'ERR_SOURCE_SIZE',
      `${name} wraps keys of ${padded ? '1' : '16'} to ${KEY_MAX} bytes` +
        `${padded ? '' : ', a multiple of 8'}; options.source has ${size}`,
    );
  return Math.ceil(size / 8) * 8 + WRAP_OVERHEAD;
}

/** Checks the size of a wrapped key. Returns that of its key with padding. */
export function unwrappedSize({ name, padded }: WrapFacts, size: number): number {
  const least = padded ? 16 : 24;
  if (size < least || size % 8 !== 0 || size > KEY_MAX + WRAP_OVERHEAD)
    throw makeError(
      'ERR_SOURCE_SIZE',
      `a key wrapped by ${name} has ${least} to ${KEY_MAX + WRAP_OVERHEAD} bytes, a multiple ` +
        `of 8; options.source has ${size}`,
    );
  return size - WRAP_OVERHEAD;
}
