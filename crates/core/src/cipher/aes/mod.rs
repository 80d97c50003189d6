//! AES in counter mode: with wide AES instructions where the CPU has them, otherwise by AWS-LC.

pub(crate) mod siv;

use std::mem::MaybeUninit;

use super::contract::StreamKey;
use super::text::pointers;
use crate::Error;
use crate::cpu::kernels::aes::WideKey;
use crate::inputs::Text;
use crate::primitives::{Aes, Library, Primitives};
use crate::wipe::{Secret, wiped_on_drop};

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
    Wide(WideKey),
}

// SAFETY: all zero is the first variant, `repr(u8)` having its discriminant first.
wiped_on_drop!(unsafe AesCtrKey);

impl AesCtrKey {
    /// Returns the key of a kernel, if one is in use.
    pub(crate) fn wide(&self) -> Option<&WideKey> {
        match self {
            AesCtrKey::Wide(wide) => Some(wide),
            _ => None,
        }
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
}

impl StreamKey for AesCtrKey {
    #[inline]
    fn vacant() -> Self {
        AesCtrKey::Vacant
    }

    /// Expands `key`, which must have 16, 24 or 32 bytes.
    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        if let Some(vacant) = WideKey::vacant() {
            *self = AesCtrKey::Wide(vacant);
            let AesCtrKey::Wide(wide) = self else { return Err(Error::Engine) };
            return wide.prepare(key);
        }
        *self = AesCtrKey::Library(MaybeUninit::uninit());
        let AesCtrKey::Library(place) = self else { return Err(Error::Engine) };
        Aes::prepare(place, key)
    }

    /// Encrypts or decrypts under `iv`, the first value of a 128-bit big-endian counter.
    #[inline]
    fn apply(&self, iv: &[u8; 16], text: Text<'_>) -> Result<(), Error> {
        let text = pointers(text);
        // SAFETY: `prepare` has initialised the key (a state in which it failed becomes vacant);
        // source and target have `size` bytes and are equal or disjoint.
        unsafe {
            match self {
                AesCtrKey::Vacant => return Err(Error::Engine),
                AesCtrKey::Library(key) => key.assume_init_ref().counter_mode(iv, text),
                AesCtrKey::Wide(key) => key.apply(iv, text),
            }
        }
        Ok(())
    }

    #[inline]
    fn advanced(iv: &[u8; 16], blocks: u64) -> [u8; 16] {
        u128::from_be_bytes(*iv).wrapping_add(4 * u128::from(blocks)).to_be_bytes()
    }
}
