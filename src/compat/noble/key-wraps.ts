/** AES key wrap with the interface of noble. */
import { isUint8Array } from '../../base/intrinsics.js';
import { deriveSync } from '../../kdf/derive.js';
import { unwrapKeyParser, wrapKeyParser } from '../../kdf/key-wrap.js';
import { checkBytes } from './checks.js';
import type { Cipher } from './cipher-objects.js';
import { original, type Line } from './original.js';

/** A key wrap: a function of the wrapping key. */
export interface KeyWrapFunction {
  (key: Uint8Array): Cipher;
  /** Bytes of a block of the wrap. */
  readonly blockSize: number;
}

/** A key wrap of noble and the sizes that Millrace takes; noble serves or refuses the others. */
interface WrapSpec {
  readonly line: Line;
  readonly name: 'aeskw' | 'aeskwp';
  readonly padded: boolean;
}

const KEY_SIZES = [16, 24, 32];
/** The most bytes of a key that Millrace wraps. */
const SOURCE_MAX = 2 ** 16;

/** AES-KW (RFC 3394) and AES-KWP (RFC 5649). */
export function keyWraps(line: Line) {
  return {
    aeskw: keyWrap({ line, name: 'aeskw', padded: false }),
    aeskwp: keyWrap({ line, name: 'aeskwp', padded: true }),
  };
}

function keyWrap(spec: WrapSpec): KeyWrapFunction {
  const { line, name } = spec;
  const wrap = (key: Uint8Array, ...more: unknown[]): Cipher =>
    isUint8Array(key) && KEY_SIZES.includes(key.length) && more.length === 0
      ? new Wrap(spec, key)
      : original(line, 'ciphers', 'aes', name)(key, ...more);
  return Object.assign(wrap, { blockSize: 8 });
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

  encrypt(data: Uint8Array, output?: Uint8Array): Uint8Array {
    const { line, padded } = this.#spec;
    if (this.#encrypted) throw new Error('cannot encrypt() twice with same key + nonce');
    this.#encrypted = true;
    const { length } = checkBytes(line, data, 'data');
    const fits = padded ? length >= 1 : length >= 16 && length % 8 === 0;
    if (!fits || length > SOURCE_MAX || output !== undefined)
      return this.#original().encrypt(data, output);
    return owned(deriveSync(wrapKeyParser, this.#given(data), 2));
  }

  decrypt(data: Uint8Array, output?: Uint8Array): Uint8Array {
    const { line, padded } = this.#spec;
    const { length } = checkBytes(line, data, 'data');
    const fits = length >= (padded ? 16 : 24) && length % 8 === 0 && length <= SOURCE_MAX + 8;
    if (!fits || output !== undefined) return this.#original().decrypt(data, output);
    try {
      return owned(deriveSync(unwrapKeyParser, this.#given(data), 2));
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_AUTHENTICATION') throw error;
      throw new Error('integrity check failed', { cause: error });
    }
  }

  #given(source: Uint8Array): readonly unknown[] {
    const { padded } = this.#spec;
    const algorithm = `aes-${8 * this.#key.length}-kw${padded ? 'p' : ''}`;
    return [algorithm, { key: this.#key, source }];
  }

  /** The same wrap in noble. */
  #original(): Cipher {
    const { line, name } = this.#spec;
    return original(line, 'ciphers', 'aes', name)(this.#key);
  }
}

/** Returns a Uint8Array instead of a Buffer; secret results have memory of their own. */
function owned(result: unknown): Uint8Array {
  const { buffer, byteOffset, length } = result as Uint8Array;
  return new Uint8Array(buffer, byteOffset, length);
}
