//! AES in counter mode, by AWS-LC.

use std::mem::MaybeUninit;

use aws_lc_sys as lc;

use super::pointers;
use super::wipe::{Plain, Secret, wipe_plain};
use crate::Error;
use crate::cipher::Text;

/// The expanded key.
pub(crate) struct AesCtrKey(MaybeUninit<lc::AES_KEY>);

// SAFETY: zeros are a valid value of a `MaybeUninit`.
unsafe impl Plain for AesCtrKey {}

impl AesCtrKey {
    /// Room for a key, to be prepared before use.
    #[inline]
    pub(super) fn vacant() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// Expands `key`, whose length is one of AES's.
    #[inline]
    pub(super) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        // SAFETY: the key has as many bits as said, and the struct has room for the longest schedule.
        let failed = unsafe { lc::AES_set_encrypt_key(key.as_ptr(), key.len() as u32 * 8, self.0.as_mut_ptr()) };
        if failed == 0 { Ok(()) } else { Err(Error::Engine) }
    }

    /// Encrypts or decrypts under `iv`, the first value of a 128-bit big-endian counter.
    #[inline]
    pub(super) fn apply(&self, iv: &[u8], text: Text<'_>) -> Result<(), Error> {
        let mut counter: [u8; 16] = iv.try_into().map_err(|_| Error::IvSize)?;
        // When the text ends within a block, the rest of that block's keystream is left here.
        let mut keystream = Secret::<16>::zeros();
        let mut used = 0;
        let (source, target, size) = pointers(text);
        // SAFETY: `prepare` has initialised the key (a state in which it failed becomes vacant); source
        // and target have `size` bytes and are equal or disjoint. The length is a size_t, and
        // AWS-LC carries the counter over all 128 bits.
        unsafe {
            lc::AES_ctr128_encrypt(
                source,
                target,
                size,
                self.0.as_ptr(),
                counter.as_mut_ptr(),
                keystream.0.as_mut_ptr(),
                &mut used,
            );
        }
        Ok(())
    }
}

impl Drop for AesCtrKey {
    #[inline]
    fn drop(&mut self) {
        wipe_plain(self);
    }
}
