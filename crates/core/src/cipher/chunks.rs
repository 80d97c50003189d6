//! Consecutive chunks of one long message, each sealed under its own nonce (C2SP chunked
//! encryption; TLS 1.3 derives its nonces the same way).

use super::{CipherKey, Text};
use crate::Error;
use crate::checkpoint::Slicer;
use std::iter;

/// Consecutive chunks of a message.
#[derive(Copy, Clone, Debug)]
pub struct Run<'a> {
    /// The nonce of a chunk is this value with the chunk's big-endian number XORed into its end.
    pub base_nonce: &'a [u8],
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
        let sealed_size = run.sealed_size(self, source.len(), target.len())?;
        let last_if_empty: &[u8] = &[];
        let texts = source.chunks(run.chunk_size).chain(iter::once(last_if_empty));
        let mut slices = Slices { slicer, last: 0 };
        let mut chunks = target.chunks_mut(sealed_size).zip(texts).enumerate();
        let result = chunks.try_for_each(|(index, (sealed, source))| {
            slices.before(sealed.len())?;
            let (target, tag) = sealed.split_at_mut(source.len());
            self.seal(
                run.nonce(index, &mut [0; NONCE_MAX])?,
                &[],
                Text::Across { source, target },
                tag,
            )
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
        let sealed_size = run.sealed_size(self, target.len(), source.len())?;
        let last_if_empty: &mut [u8] = &mut [];
        let texts = target.chunks_mut(run.chunk_size).chain(iter::once(last_if_empty));
        let mut slices = Slices { slicer, last: 0 };
        let mut chunks = source.chunks(sealed_size).zip(texts).enumerate();
        let result = chunks.try_for_each(|(index, (sealed, target))| {
            slices.before(sealed.len())?;
            let (source, tag) = sealed.split_at(target.len());
            self.open(
                run.nonce(index, &mut [0; NONCE_MAX])?,
                &[],
                Text::Across { source, target },
                tag,
            )
        });
        result.inspect_err(|_| target.fill(0))
    }
}

/// Runs checkpoints between chunks.
struct Slices<'a> {
    slicer: Option<Slicer<'a>>,
    /// Bytes of the last chunk.
    last: usize,
}

impl Slices<'_> {
    /// Runs before each chunk: reaches a checkpoint if the chunks before it complete a slice.
    fn before(&mut self, size: usize) -> Result<(), Error> {
        let last = std::mem::replace(&mut self.last, size);
        let cancelled =
            self.slicer.as_mut().is_some_and(|slicer| slicer.advance(last) && slicer.cancelled(0));
        if cancelled { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Bytes of the longest nonce (XChaCha20).
const NONCE_MAX: usize = 24;

impl Run<'_> {
    /// Checks the sizes of both sides, and returns the size of a sealed chunk.
    fn sealed_size(&self, key: &CipherKey, text: usize, sealed: usize) -> Result<usize, Error> {
        let facts = key.cipher().facts();
        if !facts.aead {
            return Err(Error::NotSupported);
        }
        if self.base_nonce.len() != facts.iv_size {
            return Err(Error::IvSize);
        }
        let fits = || {
            let most = self.count.checked_mul(self.chunk_size)?;
            let tags = self.count.checked_mul(facts.tag_size)?;
            let least = most.checked_sub(self.chunk_size)?;
            let chunks = self.count > 0 && self.chunk_size > 0 && (least..=most).contains(&text);
            (chunks && text.checked_add(tags)? == sealed)
                .then_some(self.chunk_size + facts.tag_size)
        };
        fits().ok_or(Error::OutputSize)
    }

    fn nonce<'a>(&self, index: usize, place: &'a mut [u8; NONCE_MAX]) -> Result<&'a [u8], Error> {
        let number = self.first.checked_add(index as u64).ok_or(Error::SourceTooLarge)?;
        let nonce = place.get_mut(..self.base_nonce.len()).ok_or(Error::IvSize)?;
        nonce.copy_from_slice(self.base_nonce);
        for (byte, digit) in nonce.iter_mut().rev().zip(number.to_le_bytes()) {
            *byte ^= digit;
        }
        Ok(nonce)
    }
}
