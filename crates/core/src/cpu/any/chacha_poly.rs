//! ChaCha20-Poly1305 without kernels: one after the other.

use crate::cipher::chacha::state::State;
use crate::cipher::poly1305::{Limbs, Poly1305};
use crate::cpu::any::gcm::GcmKey;
use crate::inputs::Text;

/// There are none.
pub(crate) type ChaChaPolyKey = GcmKey;

/// There are none.
#[derive(Copy, Clone)]
pub(crate) enum PartsKernel {}

impl PartsKernel {
    pub(crate) fn detect() -> Option<Self> {
        None
    }

    pub(crate) fn process<const OPEN: bool>(
        self,
        _: &mut State,
        _: Poly1305,
        _: Text<'_>,
    ) -> Limbs {
        match self {}
    }
}
