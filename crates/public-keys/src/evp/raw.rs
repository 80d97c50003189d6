//! AWS-LC's functions that take the bytes of a key: for programs that pass them at each call.

use super::{failure, lc, succeeded};
use crate::error::Error;
use zeroize::Zeroize;

/// Writes an Ed25519 seed and its public key (RFC 8032) to the target.
pub fn ed25519_key_pair(seed: &[u8; 32], target: &mut [u8; 64]) {
    let mut public = [0; 32];
    // SAFETY: reads 32 bytes, writes 32 and 64.
    unsafe {
        lc::ED25519_keypair_from_seed(public.as_mut_ptr(), target.as_mut_ptr(), seed.as_ptr());
    }
}

/// Signs by Ed25519 with a seed and the public key after it, which is not checked.
///
/// # Errors
/// [`Error::Engine`].
pub fn ed25519_sign(message: &[u8], key: &[u8; 64], target: &mut [u8; 64]) -> Result<(), Error> {
    let target = target.as_mut_ptr();
    // SAFETY: reads the message and 64 bytes of the key, writes 64 bytes.
    succeeded(unsafe { lc::ED25519_sign(target, message.as_ptr(), message.len(), key.as_ptr()) })
}

/// Returns true if an Ed25519 signature is that of the message, by RFC 8032 without cofactor.
pub fn ed25519_verify(message: &[u8], signature: &[u8; 64], key: &[u8; 32]) -> bool {
    let (bytes, size) = (message.as_ptr(), message.len());
    // SAFETY: reads the message, 64 bytes of the signature and 32 of the key.
    succeeded(unsafe { lc::ED25519_verify(bytes, size, signature.as_ptr(), key.as_ptr()) }).is_ok()
}

/// Multiplies a point by a scalar by X25519 (RFC 7748).
///
/// # Errors
/// [`Error::SmallOrder`] if the product is zero. The target may have been written.
pub fn x25519(scalar: &[u8; 32], point: &[u8; 32], target: &mut [u8; 32]) -> Result<(), Error> {
    // SAFETY: reads 32 bytes of each, writes 32 bytes.
    match unsafe { lc::X25519(target.as_mut_ptr(), scalar.as_ptr(), point.as_ptr()) } {
        1 => Ok(()),
        _ => Err(failure(Error::SmallOrder)),
    }
}

/// Writes the X25519 public key of a scalar.
pub fn x25519_public(scalar: &[u8; 32], target: &mut [u8; 32]) {
    // SAFETY: reads 32 bytes, writes 32 bytes.
    unsafe { lc::X25519_public_from_private(target.as_mut_ptr(), scalar.as_ptr()) }
}

/// Returns the tag of a text under a one-time key (RFC 8439, section 2.5).
pub(crate) fn poly1305(key: &[u8; 32], text: &[u8]) -> [u8; 16] {
    let (mut state, mut tag): (lc::poly1305_state, _) = ([0; _], [0; 16]);
    let place = &raw mut state;
    // SAFETY: reads 32 bytes of the key and the text, writes 16 bytes. The state is aligned within
    // its memory by AWS-LC.
    unsafe {
        lc::CRYPTO_poly1305_init(place, key.as_ptr());
        lc::CRYPTO_poly1305_update(place, text.as_ptr(), text.len());
        lc::CRYPTO_poly1305_finish(place, tag.as_mut_ptr());
    }
    state.zeroize();
    tag
}
