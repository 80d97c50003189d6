//! Many messages under one algorithm.

use super::wipe::{Secret, Wiped};
use super::{Digest, hmac};
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
        if sources.len() > 1 && D::new(params).together(sources, target, each) {
            return;
        }
        for (index, source) in sources.iter().enumerate() {
            D::digest(params, source, target);
            each(index, target);
        }
    });
}

/// Computes HMACs from the states after the key, whose wiping is the caller's.
pub(super) fn macs<D: Digest>(inner: &D, outer: &D, sources: &[&[u8]], each: &mut dyn FnMut(usize, &[u8])) {
    if sources.len() <= FEW {
        macs_by::<D, FEW>(inner, outer, sources, each);
    } else {
        macs_by::<D, MANY>(inner, outer, sources, each);
    }
}

/// Messages of which the inner hashes are kept at a time, until the outer ones follow.
const FEW: usize = 16;
const MANY: usize = 128;
/// The largest digest of a hash under HMAC.
const SIZE_MAX: usize = 64;

fn macs_by<D: Digest, const GROUP: usize>(inner: &D, outer: &D, sources: &[&[u8]], each: &mut dyn FnMut(usize, &[u8])) {
    const { assert!(D::SIZE <= SIZE_MAX) };
    let mut target = Secret::<SIZE_MAX>::zeros();
    let target = &mut target.0[..D::SIZE];
    let mut hashes = Wiped([[0; SIZE_MAX]; GROUP]);
    for (group, sources) in sources.chunks(GROUP).enumerate() {
        let first = group * GROUP;
        let keep = &mut |index: usize, hash: &[u8]| hashes.0[index][..D::SIZE].copy_from_slice(hash);
        if sources.len() > 1 && inner.together(sources, target, keep) {
            let hashes: [&[u8]; GROUP] = std::array::from_fn(|index| &hashes.0[index][..D::SIZE]);
            let done = outer.together(&hashes[..sources.len()], target, &mut |index, mac| each(first + index, mac));
            assert!(done, "what there was for the inner hashes is there for the outer ones");
            continue;
        }
        for (index, source) in sources.iter().enumerate() {
            hmac::from_states(inner, outer, source, target);
            each(first + index, target);
        }
    }
}

/// Lends room for a digest, wiped afterwards where it is on the stack.
fn with_room(size: usize, work: impl FnOnce(&mut [u8])) {
    if size <= ON_STACK {
        work(&mut Secret::<ON_STACK>::zeros().0[..size]);
    } else {
        work(&mut vec![0; size]);
    }
}
