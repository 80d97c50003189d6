//! NaCl's boxes: X25519, XSalsa20 and Poly1305 (Bernstein, "Cryptography in NaCl", sections 5 and
//! 7 to 10).

use salsa20::cipher::consts::U10;
use salsa20::cipher::{KeyIvInit, StreamCipher};
use salsa20::{XSalsa20, hsalsa};
use zeroize::{Zeroize, Zeroizing};

use crate::error::Error;
use crate::evp::raw;

/// Bytes of the tag before the ciphertext of a box.
pub const TAG: usize = 16;

/// Writes the key that two key pairs share: HSalsa20 of their X25519 secret.
///
/// # Errors
/// [`Error::SmallOrder`].
pub fn shared_key(
    public: &[u8; 32],
    secret: &[u8; 32],
    target: &mut [u8; 32],
) -> Result<(), Error> {
    let mut product = Zeroizing::new([0; 32]);
    raw::x25519(secret, public, &mut product)?;
    let mut key = hsalsa::<U10>((&*product).into(), &[0; 16].into());
    target.copy_from_slice(&key);
    key.as_mut_slice().zeroize();
    Ok(())
}

/// Writes the tag of a message and then its ciphertext.
///
/// # Errors
/// [`Error::OutputSize`] unless the target has [`TAG`] bytes more than the message.
pub fn seal(
    message: &[u8],
    nonce: &[u8; 24],
    key: &[u8; 32],
    target: &mut [u8],
) -> Result<(), Error> {
    let (tag, text) = target.split_first_chunk_mut::<TAG>().ok_or(Error::OutputSize)?;
    let (mut stream, one_time) = begin(nonce, key);
    // Fails for texts of another size, and of 2^70 bytes.
    stream.try_apply_keystream_b2b(message, text).map_err(|_| Error::OutputSize)?;
    *tag = raw::poly1305(&one_time, text);
    Ok(())
}

/// Writes the message in a box.
///
/// # Errors
/// [`Error::Decryption`] if the box is not authentic; [`Error::OutputSize`] unless the target has
/// [`TAG`] bytes less than the box. The target was not written.
pub fn open(
    sealed: &[u8],
    nonce: &[u8; 24],
    key: &[u8; 32],
    target: &mut [u8],
) -> Result<(), Error> {
    let (tag, text) = sealed.split_first_chunk::<TAG>().ok_or(Error::Decryption)?;
    if text.len() != target.len() {
        return Err(Error::OutputSize);
    }
    let (mut stream, one_time) = begin(nonce, key);
    if !millrace_core::kdf::equal(tag, &raw::poly1305(&one_time, text)) {
        return Err(Error::Decryption);
    }
    stream.try_apply_keystream_b2b(text, target).map_err(|_| Error::OutputSize)
}

/// Returns the keystream behind the one-time key of Poly1305, and that key.
fn begin(nonce: &[u8; 24], key: &[u8; 32]) -> (XSalsa20, Zeroizing<[u8; 32]>) {
    let mut stream = XSalsa20::new(key.into(), nonce.into());
    let mut one_time = Zeroizing::new([0; 32]);
    stream.apply_keystream(&mut one_time[..]);
    (stream, one_time)
}
