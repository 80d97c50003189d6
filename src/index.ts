/**
 * Millrace: ciphers, AEAD, hashes, HMAC, key derivation, signatures and key agreement, native and
 * on every core.
 *
 * A call without a callback is synchronous. A call with a callback runs on Millrace's worker
 * threads, or during the call if that is cheaper. It calls back `(error)` or `(null, result)`,
 * always after it has returned. For promises see `millrace/promises`.
 *
 * @packageDocumentation
 */
export { getCiphers, getHashes } from './catalog/catalog.js';
export type {
  AeadAlgorithm,
  CipherAlgorithm,
  HashAlgorithm,
  KeyAlgorithm,
  MacAlgorithm,
} from './catalog/catalog.js';
export type { CipherName, HashName } from './catalog/catalog-table.js';
export { configure } from './functions/settings.js';
export type { EngineName, EngineOptions, Fallback } from './engines/engines.js';
export { engines } from './functions/engines.js';
export * from './functions/digests.js';
export * from './functions/checksums.js';
export * from './functions/verify-mac.js';
export * from './functions/ciphers.js';
export { Cipher, Decipher } from './ciphers/cipher.js';
export type { IncrementalCipher } from './ciphers/cipher.js';
export { createCipher, createDecipher } from './ciphers/create.js';
export type { CreateCipherOptions, CreateDecipherOptions } from './ciphers/options.js';
export {
  openStream,
  openTransformStream,
  sealStream,
  sealTransformStream,
} from './functions/promises/sealed.js';
export * from './functions/random.js';
export * from './functions/key-wrap.js';
export * from './functions/hpke.js';
export * from './functions/parts.js';
export * from './functions/public-keys.js';
export { createSign, createVerify } from './functions/running-signatures.js';
export type { Sign, Verify } from './functions/running-signatures.js';
export { createHash, createHmac } from './hashers/create.js';
export { Hash, Hmac } from './hashers/hasher.js';
export type { Hasher } from './hashers/hasher.js';
export type {
  CopyOptions,
  CreateHashOptions,
  CreateHmacOptions,
  DigestEncoding,
} from './hashers/options.js';
export * from './functions/derivations.js';
export type { Argon2Algorithm } from './base/kdf-costs.js';
export { hkdf } from './functions/hkdf.js';
export { timingSafeEqual } from './functions/timing-safe-equal.js';
export { createKey } from './operations/key.js';
export type { Bytes, Data } from './base/arguments.js';
export type { ErrorCode } from './base/error-codes.js';
export { MillraceError } from './base/errors.js';
export { Key } from './request/key.js';
export type { KeyInput, SecretInput } from './request/key-input.js';
export type { WrapAlgorithm } from './base/wrap-algorithms.js';
export type { Callback } from './scheduling/completions.js';
export type { RouteName, RouteOptions } from './scheduling/routes.js';
export type {
  OpenWithPassphraseOptions,
  SealWithPassphraseOptions,
} from './streams/passphrase/parameters.js';
export type {
  FileDigest,
  FileError,
  FilesProgress,
  FilesSignalOptions,
  HashFilesOptions,
} from './streams/hash-files-options.js';
export type { SealedStreamOptions } from './streams/sealed-streams.js';
export type { Progress, StreamOptions } from './streams/stream-source.js';
export type * from './calls/ciphers.js';
export type * from './calls/derivations.js';
export type * from './calls/digests.js';
export type * from './calls/parts.js';
export type * from './calls/public-keys.js';
export type { Hkdf, HkdfExpand, HkdfExtract } from './calls/hkdf.js';
export type * from './calls/reports.js';
export { createPrivateKey, createPublicKey } from './public-keys/keys.js';
export type { AsymmetricKeyOptions, PrivateKeyInput, PublicKeyInput } from './public-keys/keys.js';
export type { HpkeContext, HpkeRecipient, HpkeSender } from './operations/hpke-contexts.js';
export { PrivateKey, PublicKey } from './public-keys/key-objects.js';
export type {
  AsymmetricKeyDetails,
  ExportedKey,
  ExportPrivateKeyOptions,
  ExportPublicKeyOptions,
} from './public-keys/export.js';
export type { PublicKeyAlgorithmName } from './public-keys/algorithm-names.js';
export type { JsonWebKey } from './public-keys/jwk.js';
