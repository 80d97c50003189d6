//! Many messages under one algorithm.

use super::hasher::digest_paced;
use super::wipe::{Secret, Wiped};
use super::{Digest, hmac};
use crate::Error;
use crate::allocate::try_zeroed;
use crate::checkpoint::{DigestSink, Slicer};
use crate::inputs::Params;

/// The largest output that is put together on the stack, and the largest digest that has but one
/// size.
const ON_STACK: usize = 256;
const SIZE_MAX: usize = 64;

/// See [`Engine::digests`](crate::engines::Engine::digests).
pub(super) fn digests<D: Digest>(
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    mut sink: DigestSink<'_>,
) -> Result<(), Error> {
    with_room(size, |target| {
        if sources.len() >= D::min_batch(size) {
            return D::new(params).finish_batch(sources, target, sink);
        }
        in_sequence(0, sources, target, &mut sink, |source, target, slicer| match slicer {
            Some(slicer) => digest_paced::<D>(params, source, target, slicer),
            None => {
                D::digest(params, source, target);
                Ok(())
            }
        });
    })
}

/// Computes HMACs from the states after the key, whose wiping is the caller's.
pub(super) fn macs<D: Digest>(inner: &D, outer: &D, sources: &[&[u8]], mut sink: DigestSink<'_>) {
    let sink = &mut sink;
    match sources.len() {
        count if count < D::min_batch(D::SIZE) => one_by_one(inner, outer, 0, sources, sink),
        0..=FEW => mac_group::<D, FEW>(inner, outer, 0, sources, sink),
        _ => sources.chunks(MANY).enumerate().for_each(|(group, sources)| {
            mac_group::<D, MANY>(inner, outer, group * MANY, sources, sink);
        }),
    }
}

fn one_by_one<D: Digest>(
    inner: &D,
    outer: &D,
    first: usize,
    sources: &[&[u8]],
    sink: &mut DigestSink<'_>,
) {
    let mut target = Secret::<SIZE_MAX>::zeros();
    in_sequence(first, sources, &mut target.0[..D::SIZE], sink, |source, target, slicer| {
        match slicer {
            Some(slicer) => hmac::from_states_paced(inner, outer, source, target, slicer),
            None => {
                hmac::from_states(inner, outer, source, target);
                Ok(())
            }
        }
    });
}

/// Computes one message after the other, from number `first` on, each by way of `target`.
#[inline]
fn in_sequence(
    first: usize,
    sources: &[&[u8]],
    target: &mut [u8],
    sink: &mut DigestSink<'_>,
    mut compute: impl FnMut(&[u8], &mut [u8], Option<&mut Slicer<'_>>) -> Result<(), Error>,
) {
    for (index, source) in (first..).zip(sources) {
        if sink.cancelled(index) {
            continue;
        }
        let mut slicer = sink.slicer.as_mut().map(|slicer| slicer.from(index));
        if compute(source, target, slicer.as_mut()).is_ok() {
            sink.emit(index, target);
        }
        // Of a message in slices, the last one; and what its end takes.
        if let Some(slicer) = &mut sink.slicer {
            slicer.advance(source.len().min(slicer.slice()) + 64);
        }
    }
}

/// Messages of which the inner hashes are kept at a time, until the outer ones follow.
const FEW: usize = 16;
const MANY: usize = 128;

/// Computes the HMACs of at most `GROUP` messages, the first of which is number `first`.
fn mac_group<D: Digest, const GROUP: usize>(
    inner: &D,
    outer: &D,
    first: usize,
    sources: &[&[u8]],
    sink: &mut DigestSink<'_>,
) {
    const { assert!(D::SIZE <= SIZE_MAX) };
    if sources.len() < D::min_batch(D::SIZE) {
        return one_by_one(inner, outer, first, sources, sink);
    }
    let mut target = Secret::<SIZE_MAX>::zeros();
    let target = &mut target.0[..D::SIZE];
    let mut hashes = Wiped([[0; SIZE_MAX]; GROUP]);
    // Those that were not given up on the way.
    let mut hashed = [false; GROUP];
    let mut keep = |index: usize, hash: &[u8]| {
        hashes.0[index][..D::SIZE].copy_from_slice(hash);
        hashed[index] = true;
    };
    let slicer = sink.slicer.as_mut().map(|slicer| slicer.from(first));
    inner.finish_batch(sources, target, DigestSink::new(&mut keep, slicer));
    let hashes: [&[u8]; GROUP] = std::array::from_fn(|index| &hashes.0[index][..D::SIZE]);
    let mut emit = |index: usize, mac: &[u8]| {
        if hashed[index] {
            sink.emit(first + index, mac);
        }
    };
    outer.finish_batch(&hashes[..sources.len()], target, DigestSink::new(&mut emit, None));
    // About as long as it took, so that groups of short messages do not add up to a long time.
    sink.advance(64 * sources.len());
}

/// Lends room for a digest, wiped afterwards where it is on the stack.
#[inline]
fn with_room(size: usize, work: impl FnOnce(&mut [u8])) -> Result<(), Error> {
    if size <= SIZE_MAX {
        work(&mut Secret::<SIZE_MAX>::zeros().0[..size]);
    } else if size <= ON_STACK {
        work(&mut Secret::<ON_STACK>::zeros().0[..size]);
    } else {
        work(&mut try_zeroed(size)?);
    }
    Ok(())
}
