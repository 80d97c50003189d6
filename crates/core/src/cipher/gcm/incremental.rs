//! Incremental AES-GCM: in WebAssembly, and without AWS-LC.

use super::{BLOCK, GcmMessage};
use crate::Error;
use crate::cipher::contract::{Incremental, Parts};
use crate::cipher::text::within_blocks;
use crate::inputs::Text;
use crate::wipe::Wiped;

/// AES-GCM.
#[allow(unreachable_pub)] // of WebAssembly's modules
pub struct AesGcm {
    message: GcmMessage,
    aad_size: usize,
    size: u64,
    /// GHASH of the whole blocks so far.
    sum: Wiped<u128>,
    /// The block in which the text ends, and its bytes so far.
    last: Wiped<[u8; BLOCK]>,
    filled: usize,
}

impl AesGcm {
    /// Adds ciphertext to the sum.
    fn add(&mut self, mut text: &[u8]) {
        if self.filled > 0 {
            let (head, rest) = text.split_at(text.len().min(BLOCK - self.filled));
            self.last.0[self.filled..][..head.len()].copy_from_slice(head);
            self.filled += head.len();
            text = rest;
            if self.filled < BLOCK {
                return;
            }
            self.pad();
        }
        let (blocks, rest) = text.split_at(text.len() / BLOCK * BLOCK);
        self.sum.0 = self.message.extended(self.sum.0, blocks);
        self.last.0[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    /// Fills the last block up with zeros.
    fn pad(&mut self) {
        self.sum.0 = self.message.extended(self.sum.0, &self.last.0[..self.filled]);
        self.filled = 0;
    }

    fn mix(&mut self, text: Text<'_>) -> Result<(), Error> {
        let size = text.size() as u64;
        within_blocks::<BLOCK>(self.size, text, |offset, text| {
            self.message.xor(offset, text, &[])
        })?;
        self.size += size;
        Ok(())
    }
}

impl Incremental for AesGcm {
    fn vacant() -> Self {
        AesGcm {
            message: GcmMessage::vacant(),
            aad_size: 0,
            size: 0,
            sum: Wiped(0),
            last: Wiped([0; BLOCK]),
            filled: 0,
        }
    }

    fn begin(&mut self, key: &[u8], nonce: &[u8], aad: &[u8]) -> Result<(), Error> {
        self.message.prepare(key, None, nonce, &[])?;
        (self.size, self.sum.0, self.filled) = (0, 0, 0);
        self.aad_size = aad.len();
        self.add(aad);
        self.pad();
        Ok(())
    }

    fn seal(&mut self, text: Text<'_>) -> Result<(), Error> {
        text.then_with(self, Self::mix, Self::add)
    }

    fn open(&mut self, text: Text<'_>, _tag: &[u8]) -> Result<(), Error> {
        self.add(text.source());
        self.mix(text)
    }

    fn full_tag(&mut self) -> Result<[u8; BLOCK], Error> {
        self.pad();
        Ok(self.message.ended(self.sum.0, self.aad_size, self.size).0)
    }
}
