//! Consecutive chunks of one long message, each sealed under its own nonce (C2SP chunked
//! encryption, where TLS 1.3 derives its nonces the same way, and the STREAM of age).

use super::{CipherKey, Text};
use crate::Error;
use crate::checkpoint::Slicer;
use std::ops::Range;

/// Consecutive chunks of a message.
#[derive(Copy, Clone, Debug)]
pub struct Run<'a> {
    /// The nonce of a chunk is this value with the chunk's big-endian number XORed into its end,
    /// and `suffix`.
    pub base_nonce: &'a [u8],
    /// The last bytes of every nonce: one of age, none of C2SP chunked encryption.
    pub suffix: &'a [u8],
    /// The number of the first chunk.
    pub first: u64,
    /// The number of chunks.
    pub count: usize,
    /// Bytes of a chunk; the last may have fewer, or none.
    pub chunk_size: usize,
}

impl CipherKey {
    /// Seals the chunks in `source`. In `target` each chunk is followed by its tag.
    ///
    /// # Errors
    /// [`Error::OutputSize`] if the length of `source` or `target` does not fit the run; otherwise
    /// as [`CipherKey::seal`]; [`Error::Cancelled`] by the slicer's checkpoint. The target is then
    /// all zero or untouched.
    pub fn seal_chunks(
        &self,
        run: Run<'_>,
        source: &[u8],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        run.check(self, source.len(), target.len())?;
        let result = run.each(self, source.len(), slicer, |nonce, text, sealed| {
            let (target, tag) = target[sealed].split_at_mut(text.len());
            self.seal(nonce, &[], Text::Across { source: &source[text], target }, tag)
        });
        result.inspect_err(|_| target.fill(0))
    }

    /// Opens chunks that [`CipherKey::seal_chunks`] sealed: all of them or none.
    ///
    /// # Errors
    /// [`Error::Authentication`] if a tag does not match; otherwise as
    /// [`CipherKey::seal_chunks`]. The target is then all zero or untouched.
    pub fn open_chunks(
        &self,
        run: Run<'_>,
        source: &[u8],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        run.check(self, target.len(), source.len())?;
        let result = run.each(self, target.len(), slicer, |nonce, text, sealed| {
            let (source, tag) = source[sealed].split_at(text.len());
            self.open(nonce, &[], Text::Across { source, target: &mut target[text] }, tag)
        });
        result.inspect_err(|_| target.fill(0))
    }
}

/// Bytes of the longest nonce (XChaCha20).
const NONCE_MAX: usize = 24;

impl Run<'_> {
    /// Checks the sizes of both sides.
    fn check(&self, key: &CipherKey, text: usize, sealed: usize) -> Result<(), Error> {
        let facts = key.cipher().facts();
        if !facts.aead {
            return Err(Error::NotSupported);
        }
        if self.base_nonce.len() + self.suffix.len() != facts.iv_size {
            return Err(Error::IvSize);
        }
        let fits = || {
            let most = self.count.checked_mul(self.chunk_size)?;
            let tags = self.count.checked_mul(facts.tag_size)?;
            let least = most.checked_sub(self.chunk_size)?;
            let chunks = self.count > 0 && self.chunk_size > 0 && (least..=most).contains(&text);
            (chunks && text.checked_add(tags)? == sealed).then_some(())
        };
        fits().ok_or(Error::OutputSize)
    }

    /// Calls `work` for each chunk, with its nonce and the places of its text and of that and the
    /// tag among `size` bytes of text and what they become. Reaches a checkpoint before a chunk if
    /// those before it complete a slice.
    fn each(
        &self,
        key: &CipherKey,
        size: usize,
        mut slicer: Option<Slicer<'_>>,
        mut work: impl FnMut(&[u8], Range<usize>, Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let tag_size = key.cipher().facts().tag_size;
        let mut last = 0;
        for index in 0..self.count {
            if slicer.as_mut().is_some_and(|slicer| slicer.advance(last) && slicer.cancelled(0)) {
                return Err(Error::Cancelled);
            }
            let begin = index * self.chunk_size;
            let end = size.min(begin + self.chunk_size);
            let sealed = begin + index * tag_size..end + (index + 1) * tag_size;
            last = sealed.len();
            work(self.nonce(index, &mut [0; NONCE_MAX])?, begin..end, sealed)?;
        }
        Ok(())
    }

    fn nonce<'a>(&self, index: usize, place: &'a mut [u8; NONCE_MAX]) -> Result<&'a [u8], Error> {
        let number = self.first.checked_add(index as u64).ok_or(Error::SourceTooLarge)?;
        let size = self.base_nonce.len();
        let nonce = place.get_mut(..size + self.suffix.len()).ok_or(Error::IvSize)?;
        let (numbered, suffix) = nonce.split_at_mut(size);
        numbered.copy_from_slice(self.base_nonce);
        suffix.copy_from_slice(self.suffix);
        for (byte, digit) in numbered.iter_mut().rev().zip(number.to_le_bytes()) {
            *byte ^= digit;
        }
        Ok(nonce)
    }
}
