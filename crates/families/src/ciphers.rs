//! Ciphers. The text is encrypted and decrypted in place, in pieces of any size; GCM-SIV's are
//! whole blocks but the last. A message of an AEAD is bytes, which JavaScript may copy and bring
//! back.

#![allow(unsafe_code)] // of the names that are exported

use millrace_core::Error;
use millrace_core::cipher::Text;
use millrace_core::families::{self, AesGcm, AesGcmSiv, ChaChaPoly, Incremental};

use crate::memory::{Source, Target};

/// Returns 0 for a success. JavaScript has checked what could fail.
fn status(result: Result<(), Error>) -> u32 {
    u32::from(result.is_err())
}

/// Defines the function of a stream cipher.
macro_rules! stream {
    ($apply:ident, $cipher:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn $apply(
            key: Source,
            key_size: usize,
            iv: Source,
            offset: f64,
            text: Target,
            size: usize,
        ) -> u32 {
            let Some(iv) = iv.bytes(16).first_chunk() else { return 1 };
            status($cipher(key.bytes(key_size), iv, offset as u64, text.bytes(size)))
        }
    };
}

stream!(aes_ctr_apply, families::aes_ctr);
stream!(chacha20_apply, families::chacha20);

/// Defines the functions of an AEAD.
macro_rules! aead {
    ($message:ty, $size:ident, $begin:ident, $seal:ident, $open:ident, $tag:ident,
        $verify:ident) => {
        /// Returns the bytes of a message.
        #[unsafe(no_mangle)]
        extern "C" fn $size() -> usize {
            size_of::<$message>()
        }

        /// Writes the message to a place with room for it. Without a key it continues the message
        /// that is there with another under the same key.
        #[unsafe(no_mangle)]
        extern "C" fn $begin(
            message: Target,
            key: Source,
            key_size: usize,
            nonce: Source,
            nonce_size: usize,
            aad: Source,
            aad_size: usize,
        ) -> u32 {
            let (nonce, aad) = (nonce.bytes(nonce_size), aad.bytes(aad_size));
            if key_size > 0 {
                message.put(<$message>::vacant());
            }
            status(message.value::<$message>().begin(key.bytes(key_size), nonce, aad))
        }

        #[unsafe(no_mangle)]
        extern "C" fn $seal(message: &mut $message, text: Target, size: usize) -> u32 {
            status(message.seal(Text::InPlace(text.bytes(size))))
        }

        #[unsafe(no_mangle)]
        extern "C" fn $open(
            message: &mut $message,
            text: Target,
            size: usize,
            tag: Source,
            tag_size: usize,
        ) -> u32 {
            status(message.open(Text::InPlace(text.bytes(size)), tag.bytes(tag_size)))
        }

        #[unsafe(no_mangle)]
        extern "C" fn $tag(message: &mut $message, tag: Target, size: usize) -> u32 {
            status(message.tag(tag.bytes(size)))
        }

        /// Returns 0 if the tag is right.
        #[unsafe(no_mangle)]
        extern "C" fn $verify(message: &mut $message, tag: Source, size: usize) -> u32 {
            status(message.verify(tag.bytes(size)))
        }
    };
}

aead!(AesGcm, aes_gcm_size, aes_gcm_begin, aes_gcm_seal, aes_gcm_open, aes_gcm_tag, aes_gcm_verify);
aead!(
    AesGcmSiv,
    aes_gcm_siv_size,
    aes_gcm_siv_begin,
    aes_gcm_siv_seal,
    aes_gcm_siv_open,
    aes_gcm_siv_tag,
    aes_gcm_siv_verify
);
aead!(
    ChaChaPoly,
    chacha20_poly1305_size,
    chacha20_poly1305_begin,
    chacha20_poly1305_seal,
    chacha20_poly1305_open,
    chacha20_poly1305_tag,
    chacha20_poly1305_verify
);

/// Encrypts the piece of GCM-SIV at an offset, after all have been authenticated.
#[unsafe(no_mangle)]
extern "C" fn aes_gcm_siv_encrypt(
    message: &AesGcmSiv,
    offset: f64,
    text: Target,
    size: usize,
    tag: Source,
) -> u32 {
    status(message.encrypt(
        offset as u64,
        Text::InPlace(text.bytes(size)),
        tag.bytes(families::TAG),
    ))
}
