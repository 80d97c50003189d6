/**
 * The codes of errors.
 */

/** The stable codes of every error Millrace raises. */
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
  /** Wrong key, nonce, aad or tag, or changed ciphertext: nothing was decrypted. */
  | 'ERR_AUTHENTICATION'
  /** A sealed stream ends where it cannot: its end is missing. */
  | 'ERR_TRUNCATED'
  /** Two outputs of one call lie over each other. RangeError. */
  | 'ERR_OVERLAP'
  /** A resizable ArrayBuffer cannot be lent to an asynchronous call. TypeError. */
  | 'ERR_RESIZABLE'
  /** The prepared key was disposed. */
  | 'ERR_KEY_DISPOSED'
  /** The prepared key belongs to another algorithm. TypeError. */
  | 'ERR_KEY_ALGORITHM'
  /** The engine refused; a defect or an exhausted resource. */
  | 'ERR_ENGINE'
  /**
   * The engine that was asked for cannot do this here; the message says why, and how to mend it.
   */
  | 'ERR_ENGINE_UNAVAILABLE'
  /**
   * Memory is short: there was none for a copy, for a result, or for a derivation to work in.
   * Nothing was computed.
   */
  | 'ERR_OUT_OF_MEMORY'
  /**
   * An asynchronous operation of this hasher is in flight: wait for it, or make the next one
   * asynchronous too.
   */
  | 'ERR_HASHER_BUSY'
  /** The hasher has given its digest (or begun to give output): reset it, or make another. */
  | 'ERR_HASHER_SPENT'
  /**
   * The bytes are not a hasher's state that can go on here: damaged, or of another algorithm,
   * version, seed or key. RangeError.
   */
  | 'ERR_STATE'
  /**
   * A derivation needs more memory than it, or all together, may take; the message says how many
   * bytes. RangeError.
   */
  | 'ERR_MEMORY_LIMIT'
  /**
   * A password hash, or the header of a sealed message, asks for more work than it may. RangeError.
   */
  | 'ERR_WORK_LIMIT'
  /** The text is not a password hash in a form that is known here. RangeError. */
  | 'ERR_PASSWORD_HASH'
  /**
   * What is to be opened with a passphrase is not in the format of `sealWithPassphrase`, or its
   * header is damaged. RangeError.
   */
  | 'ERR_FORMAT'
  /** A file became shorter while it was read. */
  | 'ERR_FILE_CHANGED'
  /** This platform does not have what the call needs: a browser has no streams of Node's. */
  | 'ERR_NOT_SUPPORTED'
  /** No native binary fits this platform, or it cannot be loaded. */
  | 'ERR_NO_BINARY';
