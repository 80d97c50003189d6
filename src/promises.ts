/**
 * Millrace with promises: the names and forms of `millrace`, with a promise instead of a callback.
 *
 * Every call accepts a signal, in its options or as a last argument `{ signal }`. An abort rejects
 * with the signal's reason: at once if the job has not started, otherwise within a few
 * milliseconds, when it has stopped. Lent memory is in use until then. A call that has completed
 * resolves. Invalid arguments reject too: only the functions that return a stream throw.
 *
 * @packageDocumentation
 */
export {
  Cipher,
  combineChecksums,
  configure,
  createCipher,
  createDecipher,
  createHash,
  createHmac,
  createKey,
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  Decipher,
  engines,
  generateKey,
  getCiphers,
  getHashes,
  Hash,
  Hmac,
  Key,
  MillraceError,
  multipartChecksum,
  needsRehash,
  openStream,
  openTransformStream,
  PrivateKey,
  PublicKey,
  randomBytes,
  sealStream,
  sealTransformStream,
  timingSafeEqual,
} from './index.js';
export * from './functions/promises/derivations.js';
export { hkdf } from './functions/promises/hkdf.js';
export type {
  Argon2Algorithm,
  AsymmetricKeyDetails,
  AsymmetricKeyOptions,
  Bytes,
  CipherAlgorithm,
  CipherName,
  CopyOptions,
  Cost,
  CreateCipherOptions,
  CreateDecipherOptions,
  CreateHashOptions,
  CreateHmacOptions,
  Data,
  DigestEncoding,
  Engines,
  ErrorCode,
  ExportedKey,
  ExportPrivateKeyOptions,
  ExportPublicKeyOptions,
  FileDigest,
  FileError,
  FilesProgress,
  FilesSignalOptions,
  HashAlgorithm,
  HashFilesOptions,
  HashName,
  Hasher,
  HpkeContext,
  HpkeRecipient,
  HpkeSender,
  JsonWebKey,
  KeyAlgorithm,
  KeyInput,
  MacAlgorithm,
  OpenWithPassphraseOptions,
  PrivateKeyInput,
  Progress,
  PublicKeyAlgorithmName,
  PublicKeyInput,
  RouteName,
  RouteOptions,
  SealWithPassphraseOptions,
  SecretInput,
  Settings,
  Sign,
  StreamOptions,
  Verify,
  WrapAlgorithm,
} from './index.js';
export * from './functions/promises/ciphers.js';
export * from './functions/promises/digests.js';
export type { HashTransformStream } from './streams/hash-transform.js';
export * from './functions/promises/key-wrap.js';
export * from './functions/promises/hpke.js';
export * from './functions/promises/outboards.js';
export * from './functions/promises/parts.js';
export * from './functions/promises/public-keys.js';
export * from './functions/promises/verify-mac.js';
export * from './functions/promises/sealed.js';
export type { Items } from './base/iterables.js';
export type { CallOptions } from './scheduling/routes.js';
export type {
  OpenWithKeyOptions,
  PassphraseStreamOptions,
  SealWithKeyOptions,
} from './streams/passphrase/parameters.js';
export type { OpenRangeOptions } from './streams/open-range.js';
export type { SealedStreamOptions } from './streams/sealed-streams.js';
export type { StreamSource } from './streams/stream-source.js';
export type * from './calls/ciphers.js';
export type * from './calls/derivations.js';
export type * from './calls/digests.js';
export type * from './calls/outboards.js';
export type * from './calls/parts.js';
export type * from './calls/public-keys.js';
export type { HkdfPromises } from './calls/hkdf.js';
export type { FileEntry } from './functions/files.js';
