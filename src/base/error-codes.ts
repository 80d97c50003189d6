/**
 * The codes of errors.
 */

/** The stable codes of all errors. */
export type ErrorCode =
  /** An argument, or the argument an option needs, is missing. TypeError. */
  | 'ERR_MISSING_ARGUMENT'
  /** An argument has the wrong type. TypeError. */
  | 'ERR_ARGUMENT_TYPE'
  /** An integer, range, offset, encoding or option is not among those accepted. RangeError. */
  | 'ERR_ARGUMENT_VALUE'
  /** No algorithm of that name; the message names the nearest. */
  | 'ERR_UNKNOWN_ALGORITHM'
  /** The key has the wrong number of bytes. RangeError. */
  | 'ERR_KEY_SIZE'
  /** The iv or nonce has the wrong number of bytes. RangeError. */
  | 'ERR_IV_SIZE'
  /** The tag has a number of bytes that is wrong or too weak. RangeError. */
  | 'ERR_TAG_SIZE'
  /** The output has the wrong number of bytes, or an output length must be given. RangeError. */
  | 'ERR_OUTPUT_SIZE'
  /** The source is longer than the algorithm allows, or too short to hold a tag. RangeError. */
  | 'ERR_SOURCE_SIZE'
  /**
   * Wrong key, nonce, aad, tag or `commit`, or changed ciphertext: nothing was decrypted. Or a
   * content, outboard or slice that does not have the digest.
   */
  | 'ERR_AUTHENTICATION'
  /** A sealed stream, a file of age, an outboard, a slice or a content is truncated. */
  | 'ERR_TRUNCATED'
  /** A stream or iterator was read before it was given, so that its bytes are lost. */
  | 'ERR_SOURCE_CONSUMED'
  /** Two outputs of one call overlap. RangeError. */
  | 'ERR_OVERLAP'
  /**
   * The memory of an argument was detached, transferred to another thread, or shrunk below its
   * offset. TypeError.
   */
  | 'ERR_DETACHED'
  /** A resizable ArrayBuffer cannot be lent to an asynchronous call. TypeError. */
  | 'ERR_RESIZABLE'
  /** The prepared key was disposed. */
  | 'ERR_KEY_DISPOSED'
  /** The prepared key belongs to another algorithm. TypeError. */
  | 'ERR_KEY_ALGORITHM'
  /** The bytes are not an asymmetric key in this encoding. */
  | 'ERR_KEY_ENCODING'
  /** The algorithm, curve or encryption of an asymmetric key is not supported. */
  | 'ERR_KEY_NOT_SUPPORTED'
  /**
   * The numbers of an asymmetric key contradict each other, its point is not on the curve, or it
   * leads to a shared secret of zeros.
   */
  | 'ERR_KEY_INVALID'
  /** The passphrase of a private key is missing or wrong. */
  | 'ERR_PASSPHRASE'
  /**
   * The prepared key has sealed 2^32 messages with random nonces of 12 bytes: use another key, or
   * xchacha20-poly1305. Or the context of HPKE has numbered 2^53 - 1 messages. RangeError.
   */
  | 'ERR_NONCE_LIMIT'
  /** The engine failed: a defect or an exhausted resource. */
  | 'ERR_ENGINE'
  /** The requested engine cannot do this; the message gives the reason and the remedy. */
  | 'ERR_ENGINE_UNAVAILABLE'
  /** The key cannot be kept in locked memory, as `configure({ secureMemory: 'required' })` demands. */
  | 'ERR_SECURE_MEMORY'
  /**
   * An allocation failed, for a copy, a result or a derivation's working memory. Nothing was
   * computed.
   */
  | 'ERR_OUT_OF_MEMORY'
  /**
   * An asynchronous operation of this hasher is in flight: wait for it, or make the next one
   * asynchronous.
   */
  | 'ERR_HASHER_BUSY'
  /** The hasher has returned its digest or begun to return output: reset it, or create another. */
  | 'ERR_HASHER_SPENT'
  /**
   * An asynchronous operation of this incremental cipher, or an open of this recipient of HPKE, is
   * in flight: wait for it, or make the next one asynchronous.
   */
  | 'ERR_CIPHER_BUSY'
  /** The message of this incremental cipher has not ended, so that there is no tag yet. */
  | 'ERR_CIPHER_OPEN'
  /** The incremental cipher has ended its message or was disposed: create another. */
  | 'ERR_CIPHER_SPENT'
  /**
   * A decipher holds no more plaintext before its tag is checked: use openStream. RangeError.
   */
  | 'ERR_HELD_LIMIT'
  /**
   * The bytes are not a state of this hasher: damaged, or of another algorithm, version, seed or
   * key. Or the hasher has no state to export, because its key could be computed from it. Or the
   * parts of an object are damaged or do not fit together. RangeError.
   */
  | 'ERR_STATE'
  /**
   * A derivation needs more memory than its limit, or the limit of all derivations; the message
   * gives the bytes. RangeError.
   */
  | 'ERR_MEMORY_LIMIT'
  /**
   * A password hash, or the header of a sealed message or a file of age, requires more work than
   * the limit.
   * RangeError.
   */
  | 'ERR_WORK_LIMIT'
  /**
   * The string is not a PHC or bcrypt hash of a supported algorithm, or its salt or hash has a size
   * that is not accepted. RangeError.
   */
  | 'ERR_PASSWORD_HASH'
  /**
   * The input is not a sealed file of the kind that the call opens, or not a file of age, an
   * outboard or a slice, or its header is damaged. RangeError.
   */
  | 'ERR_FORMAT'
  /** A file shrank while it was read. */
  | 'ERR_FILE_CHANGED'
  /** This platform lacks what the call needs; browsers have no Node.js streams. */
  | 'ERR_NOT_SUPPORTED'
  /** millrace/noble-*: this use of a function needs the package noble, which is not installed. */
  | 'ERR_NOBLE_MISSING'
  /** millrace/noble-*: the installed version of noble lacks what the call needs. */
  | 'ERR_NOBLE_VERSION'
  /** No native binary fits this platform, or it cannot be loaded. */
  | 'ERR_NO_BINARY';
