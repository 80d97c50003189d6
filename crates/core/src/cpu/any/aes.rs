//! AES without wide instructions.

use crate::Error;
use crate::cipher::text::Span;
#[cfg(any(feature = "rust-crypto", test))]
#[allow(unused_imports)] // with vectors of WebAssembly
pub(crate) use crate::primitives::rust_aes::Encryption;

/// There is none.
pub(crate) enum WideKey {}

impl WideKey {
    pub(crate) fn vacant() -> Option<Self> {
        None
    }

    pub(crate) fn prepare(&mut self, _key: &[u8]) -> Result<(), Error> {
        match *self {}
    }

    /// # Safety
    /// None is needed.
    pub(crate) unsafe fn apply(&self, _: &[u8; 16], _: Span) {
        match *self {}
    }

    /// # Safety
    /// None is needed.
    pub(crate) unsafe fn apply_siv(&self, _: [u8; 16], _: Span) {
        match *self {}
    }
}
