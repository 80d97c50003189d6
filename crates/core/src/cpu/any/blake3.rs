//! BLAKE3's output by the library's reader.

use ::blake3::Hasher;
use ::blake3::hazmat::{HasherExt, Mode};

pub(crate) use ::blake3::OutputReader;
#[allow(unused_imports)] // where there is a reader of ours
pub(crate) use ::blake3::hazmat::merge_subtrees_root_xof as root_output;

/// False: the library's hashers have the reader.
pub(crate) const OWN_READER: bool = false;

/// Returns the output of a message of one chunk.
pub(crate) fn chunk_output(mode: Mode<'_>, chunk: &[u8]) -> OutputReader {
    hasher(mode).update(chunk).finalize_xof()
}

/// Returns the library's hasher.
#[inline]
pub(crate) fn hasher(mode: Mode<'_>) -> Hasher {
    match mode {
        Mode::KeyedHash(key) => Hasher::new_keyed(key),
        Mode::DeriveKeyMaterial(key) => Hasher::new_from_context_key(key),
        Mode::Hash => Hasher::new(),
    }
}
