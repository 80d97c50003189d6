//! What operations and engines are given besides bytes: the ground both stand on.

/// The text to transform, and where the result goes.
///
/// Being made of references, source and target are either one and the same or do not overlap.
#[derive(Debug)]
pub enum Text<'a> {
    /// The result replaces the source.
    InPlace(&'a mut [u8]),
    /// The result goes to `target`, which must be as long as `source`.
    Across {
        /// What is read.
        source: &'a [u8],
        /// What is written.
        target: &'a mut [u8],
    },
}

impl Text<'_> {
    /// The length of the source in bytes.
    #[inline]
    pub fn size(&self) -> usize {
        match self {
            Text::InPlace(bytes) => bytes.len(),
            Text::Across { source, .. } => source.len(),
        }
    }

    /// What is read.
    #[inline]
    pub fn source(&self) -> &[u8] {
        match self {
            Text::InPlace(bytes) => bytes,
            Text::Across { source, .. } => source,
        }
    }
}

/// What some hashes take besides the source. The default is no seed and no key.
#[derive(Copy, Clone, Debug, Default)]
pub struct Params<'a> {
    /// The seed of the xxh family. `xxh32` uses the low 32 bits. Must be 0 for all other hashes.
    pub seed: u64,
    /// The key of BLAKE3's keyed mode. Must be `None` for all other hashes.
    pub key: Option<&'a [u8; 32]>,
}
