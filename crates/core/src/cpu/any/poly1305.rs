//! Poly1305 without vectors.

use crate::cipher::poly1305::{BLOCK, Limbs, Poly1305};
use crate::wipe::Wiped;

/// There are none.
pub(crate) enum Powers {}

impl Powers {
    pub(crate) fn prepare(_place: &mut Option<Self>, _key: &Poly1305) {}

    pub(crate) fn absorb(
        &self,
        _poly: &mut Poly1305,
        _blocks: &[[u8; BLOCK]],
        _last: Option<&mut (u64, Wiped<Limbs>)>,
    ) {
        match *self {}
    }
}
