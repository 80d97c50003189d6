//! AES-GCM-SIV in pieces, for WebAssembly.

use super::{BLOCK, GcmSivMessage};
use crate::Error;
use crate::cipher::contract::{Incremental, Parts};
use crate::inputs::Text;
use crate::wipe::Wiped;

/// AES-GCM-SIV. It is sealed in two passes: all pieces by [`Incremental::seal`], which
/// authenticates only, then [`Incremental::tag`], then all by [`AesGcmSiv::encrypt`]. Pieces but
/// the last are whole blocks.
pub struct AesGcmSiv {
    message: GcmSivMessage,
    aad_size: usize,
    size: u64,
    /// POLYVAL so far.
    sum: Wiped<u128>,
}

impl AesGcmSiv {
    /// Encrypts or decrypts the piece at `offset` of the message with this tag.
    ///
    /// # Errors
    /// [`Error::TagSize`].
    pub fn encrypt(&self, offset: u64, text: Text<'_>, tag: &[u8]) -> Result<(), Error> {
        self.message.xor(offset, text, tag)
    }

    fn add(&mut self, text: &[u8]) {
        self.sum.0 = self.message.extended(self.sum.0, text);
        self.size += text.len() as u64;
    }
}

impl Incremental for AesGcmSiv {
    fn vacant() -> Self {
        AesGcmSiv { message: GcmSivMessage::vacant(), aad_size: 0, size: 0, sum: Wiped(0) }
    }

    fn begin(&mut self, key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<(), Error> {
        self.message.prepare(key, nonce, &[])?;
        (self.aad_size, self.sum.0) = (aad.len(), 0);
        self.add(aad);
        self.size = 0;
        Ok(())
    }

    fn seal(&mut self, text: Text<'_>) -> Result<(), Error> {
        self.add(text.source());
        Ok(())
    }

    fn open(&mut self, text: Text<'_>, tag: &[u8]) -> Result<(), Error> {
        text.then_with(self, |this, text| this.encrypt(this.size, text, tag), Self::add)
    }

    fn full_tag(&mut self) -> Result<[u8; BLOCK], Error> {
        Ok(self.message.ended(self.sum.0, self.aad_size, self.size)?.0)
    }
}
