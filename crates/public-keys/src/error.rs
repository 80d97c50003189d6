//! The error type of this crate.

/// Why an operation failed. Nothing was written to the target.
///
/// A signature that does not match is no error; see
/// [`PublicKey::verify`](crate::PublicKey::verify).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a key in this encoding: not DER, incomplete, or followed by other bytes.
    Encoding,
    /// The key belongs to an algorithm, curve or parameters that this crate does not support.
    UnsupportedAlgorithm,
    /// A key of this algorithm has no such operation, encoding or scheme.
    KeyType,
    /// The two keys of an agreement belong to different algorithms.
    KeyMismatch,
    /// A raw key or a component has the wrong size.
    KeySize,
    /// The RSA modulus is shorter or longer than this operation takes.
    ModulusSize,
    /// The RSA exponent is even, less than 3 or longer than 33 bits (32 in a new key).
    Exponent,
    /// The bytes are not a point on the curve, or are the point at infinity.
    Point,
    /// The parts of the key contradict each other or are out of range.
    InvalidKey,
    /// The password is wrong, or the encrypted bytes were changed.
    Password,
    /// The private key is encrypted with a scheme that this crate does not support.
    EncryptionScheme,
    /// Decrypting the private key demands more iterations or memory than this crate allows.
    Work,
    /// This scheme or this key does not take this hash or this MGF1 hash.
    Hash,
    /// The salt does not fit in the modulus, or the key does not allow this length.
    SaltLength,
    /// The context is longer than 255 bytes.
    ContextSize,
    /// The digest has a size other than the hash's.
    DigestSize,
    /// The message is longer than this key can encrypt, or the key is too short for the hash.
    MessageTooLong,
    /// The ciphertext has the wrong size for this key.
    CiphertextSize,
    /// The ciphertext does not decrypt under this key, hash and label.
    Decryption,
    /// The peer's X25519 key has a small order: the shared secret would be all zero.
    SmallOrder,
    /// A pre-shared key has less than 32 bytes or no identifier.
    PreSharedKey,
    /// This HPKE suite exports secrets only.
    ExportOnly,
    /// The target is smaller than the result, or the result longer than can be derived.
    OutputSize,
    /// The caller cancelled the generation of a key.
    Cancelled,
    /// Memory could not be allocated.
    Memory,
    /// AWS-LC failed unexpectedly.
    Engine,
}

impl From<millrace_core::Error> for Error {
    fn from(error: millrace_core::Error) -> Error {
        match error {
            millrace_core::Error::Authentication => Error::Decryption,
            millrace_core::Error::Memory { .. } => Error::Memory,
            millrace_core::Error::OutputSize => Error::OutputSize,
            millrace_core::Error::SourceTooLarge | millrace_core::Error::AadTooLarge => {
                Error::MessageTooLong
            }
            _ => Error::Engine,
        }
    }
}
