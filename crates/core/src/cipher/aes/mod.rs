//! AES in counter mode: with wide AES instructions where the CPU has them, otherwise by AWS-LC.

#[cfg(target_arch = "x86_64")]
pub(crate) mod expand;
pub(crate) mod siv;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(target_arch = "x86_64")]
pub(crate) mod vaes512;
#[cfg(target_arch = "x86_64")]
mod wide;

use std::mem::MaybeUninit;

#[cfg(target_arch = "x86_64")]
use self::wide::WideKey;
use super::text::pointers;
use crate::Error;
use crate::inputs::Text;
use crate::primitives::{Aes, Library, Primitives};
use crate::wipe::{Plain, Secret, WipedBox, copy_plain, wipe_plain};

/// Bytes of a block.
const BLOCK: usize = 16;

type LibraryKey = <Library as Primitives>::Aes;

/// The expanded key, in the layout of the routine that uses it.
#[repr(u8)]
#[allow(clippy::large_enum_variant)] // both have the room of AES-256
pub(crate) enum AesCtrKey {
    /// Not prepared.
    Vacant,
    /// AWS-LC's.
    Library(MaybeUninit<LibraryKey>),
    /// Ours.
    #[cfg(target_arch = "x86_64")]
    Wide(WideKey),
}

// SAFETY: all zero is the first variant, `repr(u8)` having its discriminant first.
unsafe impl Plain for AesCtrKey {}

impl AesCtrKey {
    /// Returns room for a key, to be prepared before use.
    #[inline]
    pub(crate) fn vacant() -> Self {
        AesCtrKey::Vacant
    }

    /// Expands `key`, which must have 16, 24 or 32 bytes.
    #[inline]
    pub(crate) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        #[cfg(target_arch = "x86_64")]
        if let Some(vacant) = WideKey::vacant() {
            *self = AesCtrKey::Wide(vacant);
            let AesCtrKey::Wide(wide) = self else { return Err(Error::Engine) };
            return wide.prepare(key);
        }
        *self = AesCtrKey::Library(MaybeUninit::uninit());
        let AesCtrKey::Library(place) = self else { return Err(Error::Engine) };
        Aes::prepare(place, key)
    }

    /// Returns the round keys and their number (less one), where ours are in use.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn round_keys(&self) -> Option<(&expand::RoundKeys, u8)> {
        match self {
            AesCtrKey::Wide(wide) => Some(wide.round_keys()),
            _ => None,
        }
    }

    /// Returns a copy of this key, on the heap.
    pub(crate) fn copied(&self) -> Result<WipedBox<Self>, Error> {
        let mut copy = WipedBox::new(Self::vacant())?;
        copy_plain(self, &mut copy);
        Ok(copy)
    }

    /// Returns a block, encrypted.
    pub(crate) fn encrypted(&self, block: u128) -> Result<u128, Error> {
        let mut stream = Secret::<BLOCK>::zeros();
        self.apply(&block.to_be_bytes(), Text::InPlace(&mut stream.0))?;
        Ok(u128::from_be_bytes(stream.0))
    }

    /// Encrypts a few blocks, each by itself.
    pub(crate) fn encrypt(&self, blocks: &mut [[u8; BLOCK]]) -> Result<(), Error> {
        if let AesCtrKey::Library(key) = self {
            // SAFETY: `prepare` has initialised the key, as in `apply`.
            unsafe { key.assume_init_ref() }.encrypt_all(blocks);
            return Ok(());
        }
        for block in blocks {
            let mut stream = Secret::<BLOCK>::zeros();
            self.apply(block, Text::InPlace(&mut stream.0))?;
            *block = stream.0;
        }
        Ok(())
    }

    /// Encrypts or decrypts under `iv`, the first value of a 128-bit big-endian counter.
    #[inline]
    pub(crate) fn apply(&self, iv: &[u8], text: Text<'_>) -> Result<(), Error> {
        let iv: &[u8; 16] = iv.try_into().map_err(|_| Error::IvSize)?;
        let (source, target, size) = pointers(text);
        // SAFETY: `prepare` has initialised the key (a state in which it failed becomes vacant);
        // source and target have `size` bytes and are equal or disjoint.
        unsafe {
            match self {
                AesCtrKey::Vacant => return Err(Error::Engine),
                AesCtrKey::Library(key) => {
                    key.assume_init_ref().counter_mode(iv, source, target, size);
                }
                #[cfg(target_arch = "x86_64")]
                AesCtrKey::Wide(key) => key.apply(iv, source, target, size),
            }
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
