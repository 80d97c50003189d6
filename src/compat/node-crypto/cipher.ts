/** createCipheriv, createDecipheriv, Cipheriv and Decipheriv of millrace/node-crypto. */
import { isUint8Array, sizeOf } from '../../base/intrinsics.js';
import { callLog, countCall } from './call-log.js';
import { callableClass, setConstructor } from './callable-class.js';
import { cipherClass, type NodeCipher } from './cipher-object.js';
import { callNode, isPlain, original } from './original.js';
import { servedCipher } from './served-ciphers.js';

type NodeClass = { readonly prototype: object };
const { Cipheriv: NodeCipheriv, Decipheriv: NodeDecipheriv } = original as unknown as Readonly<
  Record<'Cipheriv' | 'Decipheriv', NodeClass>
>;

/** The longest nonce that Node.js accepts for GCM. */
const NONCE_MAX = 128;
/** Node's tag lengths for GCM. */
const TAG_SIZES: readonly unknown[] = [4, 8, 12, 13, 14, 15, 16];

const CipherObject = cipherClass({
  prototype: NodeCipheriv.prototype,
  encrypt: true,
  fresh: (...given) => callNode(original.createCipheriv, given) as NodeCipher,
});
const DecipherObject = cipherClass({
  prototype: NodeDecipheriv.prototype,
  encrypt: false,
  fresh: (...given) => callNode(original.createDecipheriv, given) as NodeCipher,
});

export function createCipheriv(cipher: unknown, key: unknown, iv: unknown, options: unknown) {
  const own = create(CipherObject, cipher, key, iv, options);
  if (callLog.on) countCall('createCipheriv', cipher, own === undefined ? 'Node.js' : 'Millrace');
  return (
    own ?? original.createCipheriv(cipher as never, key as never, iv as never, options as never)
  );
}

export function createDecipheriv(cipher: unknown, key: unknown, iv: unknown, options: unknown) {
  const own = create(DecipherObject, cipher, key, iv, options);
  if (callLog.on) countCall('createDecipheriv', cipher, own === undefined ? 'Node.js' : 'Millrace');
  return (
    own ?? original.createDecipheriv(cipher as never, key as never, iv as never, options as never)
  );
}

/** Returns a cipher, or undefined if Node.js has to decide on the arguments. */
function create(
  Class: typeof CipherObject,
  name: unknown,
  key: unknown,
  iv: unknown,
  options: unknown,
): object | undefined {
  if (typeof name !== 'string') return undefined;
  const served = servedCipher(name);
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

/** crypto.Cipheriv. */
export const Cipheriv = callableClass(NodeCipheriv, createCipheriv as never);
setConstructor(CipherObject.prototype as object, NodeCipheriv, Cipheriv);

/** crypto.Decipheriv. */
export const Decipheriv = callableClass(NodeDecipheriv, createDecipheriv as never);
setConstructor(DecipherObject.prototype as object, NodeDecipheriv, Decipheriv);
