//! ROMix of one lane, in what compilers make of scalar code: [`romix`] has the steps.

use crate::kdf::scrypt::mix::romix;
use crate::kdf::scrypt::mix::romix::{RomixBuffers, RomixKernel, kernel};

/// One lane.
pub(crate) const PLAIN: RomixKernel = kernel!([u32; 4]: 1 * 1);

/// Returns the kernels that this CPU can run, from the fewest lanes to the most.
pub(crate) fn kernels() -> &'static [RomixKernel] {
    &[PLAIN]
}

/// Returns all kernels that this CPU can run.
#[cfg(test)]
pub(crate) fn all_kernels() -> Vec<(&'static str, RomixKernel)> {
    vec![("plain", PLAIN)]
}
