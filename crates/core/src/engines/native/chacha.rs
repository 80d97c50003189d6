//! Raw ChaCha20, by AWS-LC, with the 16-byte iv of OpenSSL.

use aws_lc_sys as lc;

use super::pointers;
use super::wipe::{Plain, wipe_plain};
use crate::Error;
use crate::cipher::Text;

/// The key.
pub(crate) struct ChaCha20Key([u8; 32]);

// SAFETY: an array of integers.
unsafe impl Plain for ChaCha20Key {}

impl ChaCha20Key {
    /// Room for a key, to be prepared before use.
    #[inline]
    pub(super) fn vacant() -> Self {
        Self([0; 32])
    }

    /// Takes the key.
    #[inline]
    pub(super) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        if key.len() != self.0.len() {
            return Err(Error::KeySize);
        }
        self.0.copy_from_slice(key);
        Ok(())
    }

    /// Encrypts or decrypts under `iv`: the number of the first block (32 bits, little-endian), then
    /// the nonce (12 bytes).
    ///
    /// When the block number overflows, OpenSSL adds one to the first word of the nonce, as if the
    /// number had 64 bits. AWS-LC would start again at zero with the same nonce and so repeat its
    /// keystream, hence the pieces.
    #[inline]
    pub(super) fn apply(&self, iv: &[u8], text: Text<'_>) -> Result<(), Error> {
        let iv: &[u8; 16] = iv.try_into().map_err(|_| Error::IvSize)?;
        let mut block = u32::from_le_bytes([iv[0], iv[1], iv[2], iv[3]]);
        let mut nonce = [0; 12];
        nonce.copy_from_slice(&iv[4..]);

        let (mut source, mut target, mut size) = pointers(text);
        while size > 0 {
            let room = ((1 << 32) - u64::from(block)) * 64;
            let piece = usize::try_from(room).unwrap_or(usize::MAX).min(size);
            // SAFETY: source and target have `size` bytes left, of which `piece` are used and passed
            // over; they are equal or disjoint. Key and nonce have the sizes which the function reads.
            unsafe {
                lc::CRYPTO_chacha_20(target, source, piece, self.0.as_ptr(), nonce.as_ptr(), block);
                source = source.add(piece);
                target = target.add(piece);
            }
            size -= piece;
            block = 0;
            let word = u32::from_le_bytes([nonce[0], nonce[1], nonce[2], nonce[3]]);
            nonce[..4].copy_from_slice(&word.wrapping_add(1).to_le_bytes());
        }
        Ok(())
    }
}

impl Drop for ChaCha20Key {
    #[inline]
    fn drop(&mut self) {
        wipe_plain(self);
    }
}
