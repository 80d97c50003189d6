//! Argon2 in scalar code, that of [`block`](crate::kdf::argon2::fill::block).

use crate::kdf::argon2::fill::block::{Block, plain};
use crate::kdf::argon2::fill::segment::{Compression, Run};

/// Fills the blocks.
///
/// # Safety
/// As for [`Run::fill_with`].
pub(crate) unsafe fn fill(run: Run<'_>) {
    // SAFETY: the run is filled next; `Plain` needs no instructions.
    unsafe { run.fill_with(Plain) }
}

/// In scalar code.
#[derive(Copy, Clone)]
struct Plain;

impl Compression for Plain {
    #[inline(always)]
    // SAFETY: as in the trait.
    unsafe fn compress(
        self,
        before: *const Block,
        other: *const Block,
        target: *mut Block,
        mixes: bool,
        early: impl FnOnce(u64),
    ) {
        // SAFETY: the blocks are valid, and `target` is neither of the others, as `plain` needs it.
        unsafe { plain(before, other, target, mixes, early) }
    }
}
