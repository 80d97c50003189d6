//! Many messages under one algorithm.

use super::wipe::{Secret, Wiped};
use super::{Digest, hmac};
use crate::inputs::Params;
use crate::pace::Pacing;

/// The largest output that is put together on the stack, and the largest digest that has but one size.
const ON_STACK: usize = 256;
const SIZE_MAX: usize = 64;

/// See [`Engine::digests`](crate::engines::Engine::digests).
pub(super) fn digests<D: Digest>(
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    each: &mut dyn FnMut(usize, &[u8]),
) {
    with_room(size, |target| {
        if sources.len() >= D::together_from(size) {
            return D::new(params).together(sources, target, each);
        }
        for (index, source) in sources.iter().enumerate() {
            D::digest(params, source, target);
            each(index, target);
        }
    });
}

/// Computes HMACs from the states after the key, whose wiping is the caller's.
pub(super) fn macs<D: Digest>(inner: &D, outer: &D, sources: &[&[u8]], each: &mut dyn FnMut(usize, &[u8])) {
    match sources.len() {
        count if count < D::together_from(D::SIZE) => one_by_one(inner, outer, sources, each),
        0..=FEW => together::<D, FEW>(inner, outer, sources, each),
        _ => sources.chunks(MANY).enumerate().for_each(|(group, sources)| {
            together::<D, MANY>(inner, outer, sources, &mut |index, mac| each(group * MANY + index, mac));
        }),
    }
}

fn one_by_one<D: Digest>(inner: &D, outer: &D, sources: &[&[u8]], each: &mut dyn FnMut(usize, &[u8])) {
    let mut target = Secret::<SIZE_MAX>::zeros();
    let target = &mut target.0[..D::SIZE];
    for (index, source) in sources.iter().enumerate() {
        hmac::from_states(inner, outer, source, target);
        each(index, target);
    }
}

/// See [`Engine::digests_paced`](crate::engines::Engine::digests_paced).
pub(super) fn digests_paced<D: Digest>(
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    pacing: &mut Pacing<'_>,
    each: &mut dyn FnMut(usize, &[u8]),
) {
    with_room(size, |target| {
        for (index, source) in sources.iter().enumerate() {
            if !pacing.abandoned(index) {
                D::digest(params, source, target);
                each(index, target);
            }
            pacing.pause();
        }
    });
}

/// See [`Engine::macs_paced`](crate::engines::Engine::macs_paced).
pub(super) fn macs_paced<D: Digest>(
    inner: &D,
    outer: &D,
    sources: &[&[u8]],
    pacing: &mut Pacing<'_>,
    each: &mut dyn FnMut(usize, &[u8]),
) {
    let mut target = Secret::<SIZE_MAX>::zeros();
    let target = &mut target.0[..D::SIZE];
    for (index, source) in sources.iter().enumerate() {
        if !pacing.abandoned(index) {
            hmac::from_states(inner, outer, source, target);
            each(index, target);
        }
        pacing.pause();
    }
}

/// Messages of which the inner hashes are kept at a time, until the outer ones follow.
const FEW: usize = 16;
const MANY: usize = 128;

/// Computes the HMACs of at most `GROUP` messages.
fn together<D: Digest, const GROUP: usize>(
    inner: &D,
    outer: &D,
    sources: &[&[u8]],
    each: &mut dyn FnMut(usize, &[u8]),
) {
    const { assert!(D::SIZE <= SIZE_MAX) };
    if sources.len() < D::together_from(D::SIZE) {
        return one_by_one(inner, outer, sources, each);
    }
    let mut target = Secret::<SIZE_MAX>::zeros();
    let target = &mut target.0[..D::SIZE];
    let mut hashes = Wiped([[0; SIZE_MAX]; GROUP]);
    inner.together(sources, target, &mut |index, hash| hashes.0[index][..D::SIZE].copy_from_slice(hash));
    let hashes: [&[u8]; GROUP] = std::array::from_fn(|index| &hashes.0[index][..D::SIZE]);
    outer.together(&hashes[..sources.len()], target, each);
}

/// Lends room for a digest, wiped afterwards where it is on the stack.
#[inline]
fn with_room(size: usize, work: impl FnOnce(&mut [u8])) {
    if size <= SIZE_MAX {
        work(&mut Secret::<SIZE_MAX>::zeros().0[..size]);
    } else if size <= ON_STACK {
        work(&mut Secret::<ON_STACK>::zeros().0[..size]);
    } else {
        work(&mut vec![0; size]);
    }
}
