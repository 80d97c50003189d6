//! AES-128 and AES-256 with the counter of GCM-SIV (RFC 8452, section 4): the first 32 bits of the
//! block, little-endian, which begin again at zero when they overflow. By AES instructions on two
//! blocks at once, else by AWS-LC's ECB over such blocks.

use super::{AesCtrKey, BLOCK};
use crate::Error;
use crate::cipher::contract::StreamKey;
use crate::cipher::text::{Span, pointers, xor_with};
use crate::inputs::Text;
#[cfg(feature = "aws-lc")]
use crate::primitives::AesBlocks;
use crate::wipe::Secret;

/// A key, prepared for either.
pub(crate) struct SivKey {
    /// Encrypts the tag too.
    prepared: AesCtrKey,
    /// The key as it was given, for the library, and its size.
    #[cfg(feature = "aws-lc")]
    raw: (Secret<32>, usize),
}

impl SivKey {
    /// Returns room for a key, to be prepared before use.
    pub(crate) fn vacant() -> Self {
        Self {
            prepared: AesCtrKey::vacant(),
            #[cfg(feature = "aws-lc")]
            raw: (Secret::zeros(), 0),
        }
    }

    /// Takes the key of 16 or 32 bytes.
    pub(crate) fn prepare(&mut self, key: &[u8]) -> Result<(), Error> {
        if !matches!(key.len(), 16 | 32) {
            return Err(Error::KeySize);
        }
        #[cfg(feature = "aws-lc")]
        {
            self.raw.0.0[..key.len()].copy_from_slice(key);
            self.raw.1 = key.len();
        }
        self.prepared.prepare(key)
    }

    /// Returns the block, encrypted.
    pub(crate) fn block(&self, block: &[u8; BLOCK]) -> Result<Secret<BLOCK>, Error> {
        let mut stream = Secret::zeros();
        self.prepared.apply(block, Text::InPlace(&mut stream.0))?;
        Ok(stream)
    }

    /// Encrypts a few blocks, each by itself.
    pub(crate) fn encrypt(&self, blocks: &mut [[u8; BLOCK]]) -> Result<(), Error> {
        self.prepared.encrypt(blocks)
    }

    /// Encrypts or decrypts from the block with this counter on.
    pub(crate) fn apply(&self, counter: [u8; BLOCK], text: Text<'_>) -> Result<(), Error> {
        let text = pointers(text);
        // SAFETY: source and target have `size` bytes and are equal or disjoint; the key has
        // 16 or 32 bytes.
        unsafe {
            if let Some(wide) = self.prepared.wide() {
                wide.apply_siv(counter, text);
                return Ok(());
            }
            self.by_library(counter, text)
        }
    }

    /// Applies the mode with the library's AES. The library has no such counter mode, so the
    /// counters are encrypted one after the other.
    ///
    /// # Safety
    /// Source and target have `size` bytes and are equal or disjoint.
    unsafe fn by_library(&self, counter: [u8; BLOCK], text: Span) -> Result<(), Error> {
        #[cfg(feature = "aws-lc")]
        let mut key = AesBlocks::new(&self.raw.0.0[..self.raw.1])?;
        #[cfg(not(feature = "aws-lc"))]
        let key = &self.prepared;
        // SAFETY: source and target have `size` bytes and are equal or disjoint.
        unsafe { counted(counter, text, |blocks| key.encrypt(blocks)) }
    }
}

/// Encrypts or decrypts by a function that encrypts blocks.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
unsafe fn counted(
    counter: [u8; BLOCK],
    text: Span,
    mut encrypt: impl FnMut(&mut [[u8; BLOCK]]) -> Result<(), Error>,
) -> Result<(), Error> {
    const PIECE: usize = 1024;
    let Span { source, target, size } = text;
    let (number, rest) = counter.split_first_chunk::<4>().ok_or(Error::Engine)?;
    let mut number = u32::from_le_bytes(*number);
    let mut stream = Secret::<PIECE>::zeros();
    for at in (0..size).step_by(PIECE) {
        let piece = (size - at).min(PIECE);
        let blocks = &mut stream.0.as_chunks_mut().0[..piece.div_ceil(BLOCK)];
        for block in &mut *blocks {
            let (start, end) = block.split_first_chunk_mut::<4>().ok_or(Error::Engine)?;
            *start = number.to_le_bytes();
            end.copy_from_slice(rest);
            number = number.wrapping_add(1);
        }
        encrypt(blocks)?;
        // SAFETY: what is read and written of the text lies within the `size` bytes.
        unsafe { xor_with(source.add(at), target.add(at), &stream.0[..piece]) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Bytes, sizes, writes};

    /// Returns the result of the definition, block by block.
    fn expected(key: &SivKey, counter: [u8; BLOCK], source: &[u8]) -> Vec<u8> {
        let mut number = u32::from_le_bytes(*counter.first_chunk().expect("four bytes"));
        let mut target = source.to_vec();
        for text in target.chunks_mut(BLOCK) {
            let mut block = counter;
            block[..4].copy_from_slice(&number.to_le_bytes());
            let stream = key.block(&block).expect("prepared");
            text.iter_mut().zip(stream.0).for_each(|(byte, mask)| *byte ^= mask);
            number = number.wrapping_add(1);
        }
        target
    }

    #[test]
    fn counters_overflow_as_defined_at_every_size() {
        for key_size in [16, 32] {
            every_size(key_size);
        }
    }

    fn every_size(key_size: usize) {
        let mut bytes = Bytes(11);
        let mut key = SivKey::vacant();
        let raw = bytes.vec(key_size);
        key.prepare(&raw).expect("a key of the right size");
        for (turn, size) in sizes().filter(|&size| size < 20_000).enumerate() {
            let (source, mut counter) = (bytes.vec(size), bytes.array());
            if turn % 2 == 0 {
                counter[..4].copy_from_slice(&(u32::MAX - (turn % 70) as u32).to_le_bytes());
            }
            let answer = expected(&key, counter, &source);
            writes(&source, &answer, |text| key.apply(counter, text).expect("prepared"));
            let mut place = answer;
            let text = pointers(Text::InPlace(&mut place));
            // SAFETY: in place.
            unsafe { key.by_library(counter, text) }.expect("there is memory");
            assert!(place == source, "{size} by AWS-LC");
        }
    }
}
