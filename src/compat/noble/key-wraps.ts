/** AES key wrap with the interface of noble. */
import { isUint8Array } from '../../base/intrinsics.js';
import type { FreshBytes } from '../../base/platform-types.js';
import { unwrapKey, wrapKey } from '#platform/compat/noble/cipher-engine.js';
import { checkBytes } from './checks.js';
import type { Cipher } from './cipher-objects.js';
import { backed, original, type MajorVersion, type Maker } from './original.js';

/** A key wrap: a function of the wrapping key. */
export interface KeyWrapFunction {
  (key: Uint8Array): Cipher;
  /** Bytes of a block of the wrap. */
  readonly blockSize: number;
}

/** A key wrap of noble and the sizes that Millrace takes; noble serves or refuses the others. */
interface WrapSpec {
  readonly major: MajorVersion;
  readonly name: 'aeskw' | 'aeskwp';
  readonly padded: boolean;
}

const KEY_SIZES = [16, 24, 32];
/** The most bytes of a key that Millrace wraps. */
const SOURCE_MAX = 2 ** 16;

/** Returns the maker of a key wrap: AES-KW (RFC 3394) or, `padded`, AES-KWP (RFC 5649). */
export function keyWrap(name: WrapSpec['name'], padded: boolean): Maker<KeyWrapFunction> {
  return backed('aes', name, (major) => {
    const spec: WrapSpec = { major, name, padded };
    const wrap = (key: Uint8Array, ...more: unknown[]): Cipher =>
      isUint8Array(key) && KEY_SIZES.includes(key.length) && more.length === 0
        ? new Wrap(spec, key)
        : original(major, 'ciphers', 'aes', name)(key, ...more);
    return Object.assign(wrap, { blockSize: 8 });
  });
}

class Wrap implements Cipher {
  readonly #spec: WrapSpec;
  readonly #key: Uint8Array;
  #encrypted = false;

  constructor(spec: WrapSpec, key: Uint8Array) {
    this.#spec = spec;
    this.#key = key;
    // Programs take the methods apart from the object, as noble's allow.
    this.encrypt = this.encrypt.bind(this);
    this.decrypt = this.decrypt.bind(this);
  }

  encrypt(data: Uint8Array, output?: Uint8Array): FreshBytes {
    const { major, padded } = this.#spec;
    if (this.#encrypted) throw new Error('cannot encrypt() twice with same key + nonce');
    this.#encrypted = true;
    const { length } = checkBytes(major, data, 'data');
    const fits = padded ? length >= 1 : length >= 16 && length % 8 === 0;
    if (!fits || length > SOURCE_MAX || output !== undefined)
      return this.#original().encrypt(data, output);
    return wrapKey(padded, this.#key, data);
  }

  decrypt(data: Uint8Array, output?: Uint8Array): FreshBytes {
    const { major, padded } = this.#spec;
    const { length } = checkBytes(major, data, 'data');
    const fits = length >= (padded ? 16 : 24) && length % 8 === 0 && length <= SOURCE_MAX + 8;
    if (!fits || output !== undefined) return this.#original().decrypt(data, output);
    const found = unwrapKey(padded, this.#key, data);
    if (found instanceof Uint8Array) return found as FreshBytes;
    throw new Error('integrity check failed', { cause: found });
  }

  /** Returns the same wrap in noble. */
  #original(): Cipher {
    const { major, name } = this.#spec;
    return original(major, 'ciphers', 'aes', name)(this.#key);
  }
}
