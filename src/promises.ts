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
  configure,
  createCipher,
  createDecipher,
  createHash,
  createHmac,
  createKey,
  Decipher,
  engines,
  getCiphers,
  getHashes,
  Hash,
  Hmac,
  Key,
  MillraceError,
  needsRehash,
  timingSafeEqual,
} from './index.js';
export * from './functions/promises/derivations.js';
export { hkdf } from './functions/promises/hkdf.js';
export type {
  Argon2Algorithm,
  Argon2CallParameters,
  Argon2Cost,
  Argon2Parameters,
  Bytes,
  CipherAlgorithm,
  CipherName,
  CipherOptions,
  CopyOptions,
  Cost,
  CreateCipherOptions,
  CreateDecipherOptions,
  CreateHashOptions,
  CreateHmacOptions,
  Data,
  DerivationCallOptions,
  DerivationProgress,
  Digest,
  DigestEncoding,
  Encoding,
  Engines,
  ErrorCode,
  FileDigest,
  FileError,
  FilesProgress,
  FilesSignalOptions,
  HashAlgorithm,
  HashFilesOptions,
  HashName,
  HashOptions,
  HashParameterOptions,
  HashPasswordOptions,
  Hasher,
  HmacOptions,
  Message,
  KeyAlgorithm,
  KeyInput,
  MacAlgorithm,
  ManyOptions,
  ManyOutput,
  OpenOptions,
  OpenWithPassphraseOptions,
  Output,
  PackedSources,
  Progress,
  RouteName,
  RouteOptions,
  ScryptOptions,
  SealOptions,
  SealWithPassphraseOptions,
  SecretInput,
  Settings,
  Sources,
  StreamOptions,
  TargetOptions,
  TextTargetOptions,
  UnwrapKeyOptions,
  VerifyHmacOptions,
  VerifyMacOptions,
  VerifyPasswordOptions,
  WrapAlgorithm,
  WrapKeyOptions,
} from './index.js';
export { cipher, open, seal } from './functions/promises/ciphers.js';
export {
  hash,
  hashFile,
  hashFiles,
  hashFilesIterator,
  hashMany,
  hashTransformStream,
  hmac,
  hmacMany,
} from './functions/promises/digests.js';
export { generateKey, randomBytes } from './functions/random.js';
export type { HashTransformStream } from './streams/hash-transform.js';
export { unwrapKey, wrapKey } from './functions/promises/key-wrap.js';
export { verifyHmac, verifyMac } from './functions/promises/verify-mac.js';
export {
  openRange,
  openStream,
  openStreamWithKey,
  openStreamWithPassphrase,
  openTransformStream,
  openTransformStreamWithKey,
  openTransformStreamWithPassphrase,
  openWithKey,
  openWithPassphrase,
  sealStream,
  sealStreamWithKey,
  sealStreamWithPassphrase,
  sealTransformStream,
  sealTransformStreamWithKey,
  sealTransformStreamWithPassphrase,
  sealWithKey,
  sealWithPassphrase,
} from './functions/promises/sealed.js';
export type { Items } from './base/iterables.js';
export type { CallOptions } from './scheduling/routes.js';
export type {
  OpenWithKeyOptions,
  PassphraseStreamOptions,
  SealWithKeyOptions,
} from './streams/passphrase/parameters.js';
export type { OpenRangeOptions, ReadRange } from './streams/open-range.js';
export type { SealedStreamOptions } from './streams/sealed-streams.js';
export type { StreamSource } from './streams/stream-source.js';
export type { HkdfPromises } from './calls/derivations.js';
export type { FileEntry } from './functions/files.js';
