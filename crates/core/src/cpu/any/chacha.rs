//! ChaCha20 without vectors.

use crate::cipher::text::Span;
use crate::primitives::{Library, Primitives};

/// The library that computes what a kernel does not.
pub(crate) const LIBRARY: &str = Library::NAME;

/// Returns false.
///
/// # Safety
/// None is needed.
#[inline]
pub(crate) unsafe fn apply(_key: &[u8; 32], _iv: &[u8; 16], _text: Span) -> bool {
    false
}
