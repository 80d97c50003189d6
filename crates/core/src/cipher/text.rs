//! Texts as pointers, for routines that read and write the same bytes or disjoint ones.
//!
//! # Safety
//! A routine on pointers reads `size` bytes at a source and writes as many at a target. Both must
//! be valid for that, and equal or disjoint: a routine reads the source at an offset before it
//! writes the target there.
//!
//! [`pointers`] returns such pointers. In place they are equal. Across, they are those of two
//! references, thus disjoint, and of equal lengths: [`cipher`](super) and
//! [`running_cipher`](super::running_cipher) compare the lengths of a text before a mode sees it,
//! and modes split texts at the same offset.

#[cfg(any(not(feature = "aws-lc"), test))]
use crate::Error;
use crate::inputs::Text;
#[cfg(any(not(feature = "aws-lc"), test))]
use crate::wipe::Secret;

/// A text as pointers.
#[derive(Copy, Clone)]
pub(crate) struct Span {
    pub(crate) source: *const u8,
    pub(crate) target: *mut u8,
    pub(crate) size: usize,
}

#[allow(dead_code)] // of kernels
impl Span {
    /// Returns the text from this offset on.
    ///
    /// # Safety
    /// The text has that many bytes.
    #[inline(always)]
    pub(crate) unsafe fn from(self, at: usize) -> Self {
        // SAFETY: within the text, or at its end.
        unsafe { self.part(at, self.size - at) }
    }

    /// Returns `size` bytes from this offset on.
    ///
    /// # Safety
    /// The text has that many bytes there.
    #[inline(always)]
    pub(crate) unsafe fn part(self, at: usize, size: usize) -> Self {
        // SAFETY: within the text, or at its end.
        unsafe { Self { source: self.source.add(at), target: self.target.add(at), size } }
    }
}

/// Returns where a text is read and written: the same pointer in place, else disjoint ranges.
#[inline]
pub(crate) fn pointers(text: Text<'_>) -> Span {
    match text {
        Text::InPlace(bytes) => {
            let target = bytes.as_mut_ptr();
            Span { source: target.cast_const(), target, size: bytes.len() }
        }
        Text::Across { source, target } => {
            Span { source: source.as_ptr(), target: target.as_mut_ptr(), size: source.len() }
        }
    }
}

/// Encrypts or decrypts `stream.len()` bytes with keystream.
///
/// # Safety
/// Source and target have that many bytes and are equal or disjoint.
#[inline]
pub(crate) unsafe fn xor_with(source: *const u8, target: *mut u8, stream: &[u8]) {
    let (whole, rest) = stream.as_chunks::<16>();
    // SAFETY: `index` stays below the length of the stream, and so do the 16 bytes of a whole
    // block. What is written at an offset has been read before.
    unsafe {
        for (index, stream) in whole.iter().enumerate() {
            let text = source.add(16 * index).cast::<u128>().read_unaligned();
            let place = target.add(16 * index).cast::<u128>();
            place.write_unaligned(text ^ u128::from_ne_bytes(*stream));
        }
        for (index, byte) in (stream.len() - rest.len()..).zip(rest) {
            *target.add(index) = *source.add(index) ^ byte;
        }
    }
}

/// Encrypts or decrypts a text with as many bytes of keystream.
#[inline]
pub(crate) fn mix(text: Text<'_>, stream: &[u8]) {
    let Span { source, target, size } = pointers(text);
    // SAFETY: source and target have `size` bytes and are equal or disjoint.
    unsafe { xor_with(source, target, &stream[..size]) };
}

/// Calls `apply`, which begins at the first byte of a block, for a text that may begin within one.
#[cfg(any(not(feature = "aws-lc"), test))]
pub(crate) fn within_blocks<const BLOCK: usize>(
    offset: u64,
    text: Text<'_>,
    mut apply: impl FnMut(u64, Text<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let begun = (offset % BLOCK as u64) as usize;
    if begun == 0 {
        return apply(offset, text);
    }
    let size = text.size().min(BLOCK - begun);
    let (head, rest) = text.split_at(size);
    let mut stream = Secret::<BLOCK>::zeros();
    apply(offset - begun as u64, Text::InPlace(&mut stream.0))?;
    mix(head, &stream.0[begun..][..size]);
    if rest.size() == 0 { Ok(()) } else { apply(offset + size as u64, rest) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Bytes, writes};

    #[test]
    fn a_text_is_mixed_with_its_keystream() {
        let mut bytes = Bytes(3);
        for size in 0..=320 {
            let (source, stream) = (bytes.vec(size), bytes.vec(size));
            let result: Vec<u8> = source.iter().zip(&stream).map(|(one, two)| one ^ two).collect();
            writes(&source, &result, |text| mix(text, &stream));
        }
    }

    #[test]
    fn a_text_may_begin_anywhere_in_a_block() {
        for (offset, size) in (0..13_u8).flat_map(|offset| (0..17).map(move |size| (offset, size)))
        {
            let mut text = vec![0; size];
            let apply = |at: u64, text: Text<'_>| {
                assert_eq!(at % 4, 0);
                let stream: Vec<u8> = (at as u8..).take(text.size()).collect();
                mix(text, &stream);
                Ok(())
            };
            within_blocks::<4>(offset.into(), Text::InPlace(&mut text), apply).expect("applied");
            assert!(text.iter().copied().eq((offset..).take(size)), "{size} at {offset}");
        }
    }
}
