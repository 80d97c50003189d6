/** createCipheriv, createDecipheriv, Cipheriv and Decipheriv of millrace/node-crypto. */
import { isUint8Array, sizeOf } from '../../base/intrinsics.js';
import { callLog, countCall } from './call-log.js';
import { callableClass } from './callable-class.js';
import { cipherClass, type CipherClass, type NodeCipher } from './cipher-object.js';
import { callNode, isPlain, original } from './original.js';
import { servedCiphers } from './served-ciphers.js';

/** The longest nonce that Node.js accepts for GCM. */
const NONCE_MAX = 128;
/** Node's tag lengths for GCM. */
const TAG_SIZES: readonly unknown[] = [4, 8, 12, 13, 14, 15, 16];

/** Returns a function that creates ciphers or deciphers, and the class of their objects. */
function kindOf(
  name: 'createCipheriv' | 'createDecipheriv',
  nodeClass: { readonly prototype: object },
  encrypt: boolean,
) {
  const theirs = original[name];
  const Class = cipherClass({
    prototype: nodeClass.prototype,
    encrypt,
    fresh: (...given) => callNode(theirs, given) as NodeCipher,
  });
  function make(cipher: unknown, key: unknown, iv: unknown, options: unknown): unknown {
    const own = create(Class, cipher, key, iv, options);
    if (callLog.on) countCall(name, cipher, own !== undefined);
    return own ?? callNode(theirs, [cipher, key, iv, options]);
  }
  return [make, callableClass(nodeClass, make, Class.prototype as object)] as const;
}

/** createCipheriv and crypto.Cipheriv. */
export const [createCipheriv, Cipheriv] = kindOf('createCipheriv', original.Cipheriv, true);
/** createDecipheriv and crypto.Decipheriv. */
export const [createDecipheriv, Decipheriv] = kindOf(
  'createDecipheriv',
  original.Decipheriv,
  false,
);

/** Returns a cipher, or undefined if Node.js has to decide on the arguments. */
function create(
  Class: CipherClass,
  name: unknown,
  key: unknown,
  iv: unknown,
  options: unknown,
): object | undefined {
  if (typeof name !== 'string') return undefined;
  const served = servedCiphers.find(name);
  if (served === undefined || !isUint8Array(iv)) return undefined;
  const tagSize = options === undefined || options === null ? 0 : tagSizeOf(options);
  if (tagSize < 0) return undefined;
  // From here on no code of the caller runs: the sizes are those of what is copied.
  const nonceSize = sizeOf(iv);
  const { facts, gcm } = served;
  if (gcm ? nonceSize === 0 || nonceSize > NONCE_MAX : nonceSize !== facts.ivSize) return undefined;
  if (!gcm && tagSize > 0 && tagSize !== facts.tagSize) return undefined;
  const size = isUint8Array(key)
    ? sizeOf(key)
    : typeof key === 'string' && key.length <= facts.keySize
      ? Buffer.byteLength(key)
      : -1;
  if (size !== facts.keySize) return undefined;
  return new Class(served, key as Uint8Array | string, iv, tagSize, options);
}

/**
 * Returns `authTagLength`, 0 without one, or -1 for Node.js to decide on the options. Options of
 * the stream change what its methods are given, so they are Node's.
 */
function tagSizeOf(options: unknown): number {
  if (typeof options !== 'object' || !isPlain(options, 'authTagLength')) return -1;
  for (const name in options)
    if (name !== 'authTagLength' && Object.hasOwn(options, name)) return -1;
  const { authTagLength } = options as { authTagLength?: unknown };
  if (authTagLength === undefined || authTagLength === null) return 0;
  return TAG_SIZES.includes(authTagLength) ? (authTagLength as number) : -1;
}
