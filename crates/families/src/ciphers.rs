//! Ciphers. The text is encrypted and decrypted in place, in windows of whole blocks of which the
//! last may be shorter. A message of an AEAD is on the heap from `_begin` to `_end`.

#![allow(unsafe_code)] // of the names that are exported, and for messages by their addresses

use millrace_core::Error;
use millrace_core::engines::families::{self, AeadMessage, AesGcm, AesGcmSiv, ChaChaPoly};

use crate::memory::{Source, Target};

/// Returns 0 for a success.
fn status(result: Result<(), Error>) -> u32 {
    u32::from(result.is_err())
}

#[unsafe(no_mangle)]
extern "C" fn aes_ctr_apply(
    key: Source,
    key_size: usize,
    iv: Source,
    block: u32,
    text: Target,
    size: usize,
) -> u32 {
    let Some(iv) = iv.bytes(16).first_chunk() else { return 1 };
    status(families::aes_ctr(key.bytes(key_size), iv, block.into(), text.bytes(size)))
}

#[unsafe(no_mangle)]
extern "C" fn chacha20_apply(
    key: Source,
    key_size: usize,
    iv: Source,
    block: u32,
    text: Target,
    size: usize,
) -> u32 {
    let Some(iv) = iv.bytes(16).first_chunk() else { return 1 };
    status(families::chacha20(key.bytes(key_size), iv, block.into(), text.bytes(size)))
}

/// Defines the functions of an AEAD.
macro_rules! aead {
    ($message:ty, $begin:ident, $seal:ident, $open:ident, $tag:ident, $verify:ident,
        $end:ident) => {
        /// Returns the address of the message, or 0.
        #[unsafe(no_mangle)]
        extern "C" fn $begin(
            key: Source,
            key_size: usize,
            nonce: Source,
            nonce_size: usize,
            aad: Source,
            aad_size: usize,
        ) -> *mut $message {
            let (key, nonce, aad) =
                (key.bytes(key_size), nonce.bytes(nonce_size), aad.bytes(aad_size));
            match <$message>::new(key, nonce, aad) {
                Ok(message) => Box::into_raw(Box::new(message)),
                Err(_) => std::ptr::null_mut(),
            }
        }

        #[unsafe(no_mangle)]
        extern "C" fn $seal(message: &mut $message, text: Target, size: usize) -> u32 {
            status(message.seal(text.bytes(size)))
        }

        #[unsafe(no_mangle)]
        extern "C" fn $open(
            message: &mut $message,
            text: Target,
            size: usize,
            tag: Source,
            tag_size: usize,
        ) -> u32 {
            status(message.open(text.bytes(size), tag.bytes(tag_size)))
        }

        #[unsafe(no_mangle)]
        extern "C" fn $tag(message: &mut $message, tag: Target, size: usize) -> u32 {
            status(message.tag(tag.bytes(size)))
        }

        /// Returns 0 if the tag is right.
        #[unsafe(no_mangle)]
        extern "C" fn $verify(message: &mut $message, tag: Source, size: usize) -> u32 {
            u32::from(!message.verify(tag.bytes(size)))
        }

        #[unsafe(no_mangle)]
        extern "C" fn $end(message: *mut $message) {
            // SAFETY: JavaScript passes what `begin` returned, once.
            drop(unsafe { Box::from_raw(message) });
        }
    };
}

aead!(AesGcm, aes_gcm_begin, aes_gcm_seal, aes_gcm_open, aes_gcm_tag, aes_gcm_verify, aes_gcm_end);
aead!(
    AesGcmSiv,
    aes_gcm_siv_begin,
    aes_gcm_siv_seal,
    aes_gcm_siv_open,
    aes_gcm_siv_tag,
    aes_gcm_siv_verify,
    aes_gcm_siv_end
);
aead!(
    ChaChaPoly,
    chacha20_poly1305_begin,
    chacha20_poly1305_seal,
    chacha20_poly1305_open,
    chacha20_poly1305_tag,
    chacha20_poly1305_verify,
    chacha20_poly1305_end
);

/// Encrypts the window of GCM-SIV at block `block`, after all have been authenticated.
#[unsafe(no_mangle)]
extern "C" fn aes_gcm_siv_encrypt(
    message: &AesGcmSiv,
    block: u32,
    text: Target,
    size: usize,
    tag: Source,
) -> u32 {
    status(message.encrypt(u64::from(block) * 16, text.bytes(size), tag.bytes(families::TAG)))
}
