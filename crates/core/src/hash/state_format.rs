//! The format of a saved state: consecutive little-endian fields, the same on every machine.
//!
//! A state is a function of the message so far. Redundant fields are omitted (the length gives the
//! bytes in the buffer) and unused bytes are zero, so that a state has one form. Any other is an
//! error.

use std::fmt::Debug;
use std::ops::BitXorAssign;

use crate::wipe::Plain;

/// The longest message that has a state. No standard's limit is lower, and no counter overflows
/// before the memory of any machine ends.
pub(crate) const LENGTH_MAX: u64 = 1 << 60;

/// A word of a hash, of 32 or 64 bits.
pub(crate) trait Word:
    Plain + Copy + PartialEq + Debug + BitXorAssign + Send + Sync + 'static
{
    const ZERO: Self;

    /// Reads the next word of a state.
    fn field(reader: &mut Reader<'_>) -> Option<Self>;
    /// Writes the next word of a state.
    fn write_field<'a, 'b>(self, writer: &'a mut Writer<'b>) -> &'a mut Writer<'b>;
    /// Returns the words of big-endian bytes, followed by zeros.
    fn read<const N: usize>(bytes: &[u8]) -> [Self; N];
    /// Fills bytes with words, of the last as many bytes as fit.
    fn write(words: &[Self], target: &mut [u8], big_endian: bool);
}

macro_rules! words {
    ($($word:ty)*) => {$(
        impl Word for $word {
            const ZERO: $word = 0;

            #[inline]
            fn field(reader: &mut Reader<'_>) -> Option<$word> {
                reader.bytes().map(|&bytes| <$word>::from_le_bytes(bytes))
            }

            #[inline]
            fn write_field<'a, 'b>(self, writer: &'a mut Writer<'b>) -> &'a mut Writer<'b> {
                writer.bytes(&self.to_le_bytes())
            }

            fn read<const N: usize>(bytes: &[u8]) -> [$word; N] {
                let mut words = [0; N];
                for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                    *word = <$word>::from_be_bytes(*bytes);
                }
                words
            }

            #[inline]
            fn write(words: &[$word], target: &mut [u8], big_endian: bool) {
                let bytes =
                    |word: $word| if big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
                let (chunks, rest) = target.as_chunks_mut();
                for (chunk, &word) in chunks.iter_mut().zip(words) {
                    *chunk = bytes(word);
                }
                if !rest.is_empty() {
                    rest.copy_from_slice(&bytes(words[chunks.len()])[..rest.len()]);
                }
            }
        }
    )*};
}

words!(u32 u64);

/// Reads the fields of a state. `None` means that it is not one.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Returns a reader of a state of `size` bytes.
    #[inline]
    pub(crate) fn of(state: &'a [u8], size: usize) -> Option<Self> {
        (state.len() == size).then_some(Self(state))
    }

    /// Reads the next bytes.
    #[inline]
    pub(crate) fn bytes<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(bytes)
    }

    /// Reads the next integer of 64 bits.
    #[inline]
    pub(crate) fn integer(&mut self) -> Option<u64> {
        Word::field(self)
    }

    /// Reads the next words.
    #[inline]
    pub(crate) fn words<W: Word, const N: usize>(&mut self) -> Option<[W; N]> {
        let mut words = [W::ZERO; N];
        for word in &mut words {
            *word = W::field(self)?;
        }
        Some(words)
    }

    /// Reads the message's length.
    #[inline]
    pub(crate) fn length(&mut self) -> Option<u64> {
        self.integer().filter(|&length| length <= LENGTH_MAX)
    }

    /// Reads a buffer of which `used` bytes are in use; the others must be zero.
    #[inline]
    pub(crate) fn buffer<const N: usize>(&mut self, used: usize) -> Option<&'a [u8; N]> {
        let buffer = self.bytes::<N>()?;
        blank(buffer.get(used..)?).then_some(buffer)
    }
}

/// Returns true if all bytes are zero. Checks all of them without branches, which is faster.
#[inline]
fn blank(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |all, byte| all | byte) == 0
}

/// Writes the fields of a state.
pub(crate) struct Writer<'a>(&'a mut [u8]);

impl<'a> Writer<'a> {
    /// Returns a writer over a state of the right size.
    #[inline]
    pub(crate) fn over(state: &'a mut [u8]) -> Self {
        Self(state)
    }

    /// Writes the next bytes.
    #[inline]
    pub(crate) fn bytes(&mut self, source: &[u8]) -> &mut Self {
        let (bytes, rest) = std::mem::take(&mut self.0).split_at_mut(source.len());
        bytes.copy_from_slice(source);
        self.0 = rest;
        self
    }

    /// Writes the next integer of 64 bits.
    #[inline]
    pub(crate) fn integer(&mut self, integer: u64) -> &mut Self {
        integer.write_field(self)
    }

    /// Writes the next words.
    #[inline]
    pub(crate) fn words<W: Word>(&mut self, words: &[W]) -> &mut Self {
        words.iter().fold(self, |writer, word| word.write_field(writer))
    }

    /// Writes a buffer of `size` bytes of which only these are in use.
    #[inline]
    pub(crate) fn buffer(&mut self, used: &[u8], size: usize) -> &mut Self {
        self.bytes(used);
        let (unused, rest) = std::mem::take(&mut self.0).split_at_mut(size - used.len());
        unused.fill(0);
        self.0 = rest;
        self
    }

    /// Checks that the whole state has been written.
    #[inline]
    pub(crate) fn end(&self) {
        debug_assert!(self.0.is_empty());
    }
}
