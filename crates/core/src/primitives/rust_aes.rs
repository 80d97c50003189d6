//! Keys of AES by RustCrypto's crate. AES is bit-sliced where the CPU has no instructions for it:
//! no table is indexed by a secret.

use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};

use super::count;
use crate::Error;
use crate::wipe::Plain;

/// The name of the library.
pub(super) const LIBRARY: &str = "RustCrypto";

/// Defines AES in one direction, under a key of each size.
macro_rules! direction {
    ($(#[$doc:meta])* $name:ident, $function:ident, $small:ty, $middle:ty, $large:ty) => {
        $(#[$doc])*
        #[allow(clippy::large_enum_variant)] // at its caller's place
        pub(crate) enum $name {
            /// 16 bytes.
            Small($small),
            /// 24 bytes.
            Middle($middle),
            /// 32 bytes.
            Large($large),
        }

        // SAFETY: round keys, or an enum of them, of which all zero is the first variant with a key
        // of zeros.
        unsafe impl Plain for $name {}

        impl $name {
            pub(crate) const LIBRARY: &str = LIBRARY;

            pub(crate) fn new(key: &[u8]) -> Result<Self, Error> {
                match key.len() {
                    16 => <$small>::new_from_slice(key).map($name::Small),
                    24 => <$middle>::new_from_slice(key).map($name::Middle),
                    _ => <$large>::new_from_slice(key).map($name::Large),
                }
                .map_err(|_| Error::KeySize)
            }

            /// Encrypts or decrypts blocks.
            pub(crate) fn $function(&self, blocks: &mut [[u8; 16]]) {
                count(size_of_val(blocks));
                let blocks = Array::cast_slice_from_core_mut(blocks);
                match self {
                    $name::Small(key) => key.$function(blocks),
                    $name::Middle(key) => key.$function(blocks),
                    $name::Large(key) => key.$function(blocks),
                }
            }
        }
    };
}

direction!(
    /// A key for encryption.
    Encryption, encrypt_blocks, aes::Aes128Enc, aes::Aes192Enc, aes::Aes256Enc
);
direction!(
    /// A key for decryption.
    Decryption, decrypt_blocks, aes::Aes128Dec, aes::Aes192Dec, aes::Aes256Dec
);
