//! Many messages under one algorithm.

use super::Digest;
use super::wipe::Secret;
use crate::inputs::Params;

/// The largest digest that is put together on the stack.
const ON_STACK: usize = 256;

/// See [`Engine::digests`](crate::engines::Engine::digests).
pub(super) fn digests<D: Digest>(
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    each: &mut dyn FnMut(usize, &[u8]),
) {
    with_room(size, |target| {
        for (index, source) in sources.iter().enumerate() {
            D::digest(params, source, target);
            each(index, target);
        }
    });
}

/// Lends room for a digest, wiped afterwards where it is on the stack.
fn with_room(size: usize, work: impl FnOnce(&mut [u8])) {
    if size <= ON_STACK {
        work(&mut Secret::<ON_STACK>::zeros().0[..size]);
    } else {
        work(&mut vec![0; size]);
    }
}
