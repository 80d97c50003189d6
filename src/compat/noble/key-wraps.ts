/** AES key wrap with the interface of noble. */
import { isUint8Array } from '../../base/intrinsics.js';
import { unwrapKey, wrapKey } from '#platform/compat/noble/cipher-engine.js';
import { MessageCipher, type Cipher, type MessageSpec } from './cipher-objects.js';
import { backed, original, type Maker } from './original.js';

/** A key wrap: a function of the wrapping key. */
export interface KeyWrapFunction {
  (key: Uint8Array): Cipher;
  /** Bytes of a block of the wrap. */
  readonly blockSize: number;
}

const KEY_SIZES = [16, 24, 32];
/** The most bytes of a key that Millrace wraps. */
const SOURCE_MAX = 2 ** 16;

/** Returns the maker of a key wrap: AES-KW (RFC 3394) or, `padded`, AES-KWP (RFC 5649). */
export function keyWrap(name: 'aeskw' | 'aeskwp', padded: boolean): Maker<KeyWrapFunction> {
  return backed('aes', name, (major) => {
    const spec: MessageSpec = {
      major,
      subpath: 'aes',
      name,
      invalid: 'integrity check failed',
      encrypt([key], data, output) {
        const { length } = data;
        const fits = padded ? length >= 1 : length >= 16 && length % 8 === 0;
        return fits && length <= SOURCE_MAX && output === undefined
          ? wrapKey(padded, key!, data)
          : undefined;
      },
      decrypt([key], data, output) {
        const { length } = data;
        const fits = length >= (padded ? 16 : 24) && length % 8 === 0 && length <= SOURCE_MAX + 8;
        return fits && output === undefined ? unwrapKey(padded, key!, data) : undefined;
      },
    };
    const wrap = (key: Uint8Array, ...more: unknown[]): Cipher =>
      isUint8Array(key) && KEY_SIZES.includes(key.length) && more.length === 0
        ? new MessageCipher(spec, [key])
        : original(major, 'ciphers', 'aes', name)(key, ...more);
    return Object.assign(wrap, { blockSize: 8 });
  });
}
