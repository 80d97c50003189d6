//! The inputs that operations pass to engines.

/// The text to encrypt or decrypt, and the target of the result.
///
/// Source and target are references, so they are either the same bytes or do not overlap.
#[derive(Debug)]
pub enum Text<'a> {
    /// The result replaces the source.
    InPlace(&'a mut [u8]),
    /// The result is written to `target`, which must be as long as `source`.
    Across {
        /// The bytes to read.
        source: &'a [u8],
        /// The bytes to write.
        target: &'a mut [u8],
    },
}

impl Text<'_> {
    /// Returns the length of the source in bytes.
    #[inline]
    pub fn size(&self) -> usize {
        match self {
            Text::InPlace(bytes) => bytes.len(),
            Text::Across { source, .. } => source.len(),
        }
    }

    /// Returns the source.
    #[inline]
    pub fn source(&self) -> &[u8] {
        match self {
            Text::InPlace(bytes) => bytes,
            Text::Across { source, .. } => source,
        }
    }
}

/// Parameters of some hashes. The default is no seed and no key.
#[derive(Copy, Clone, Debug, Default)]
pub struct Params<'a> {
    /// The seed of the xxh family. `xxh32` uses the low 32 bits. Must be 0 for all other hashes.
    pub seed: u64,
    /// The key of BLAKE3's keyed mode. Must be `None` for all other hashes.
    pub key: Option<&'a [u8; 32]>,
}
