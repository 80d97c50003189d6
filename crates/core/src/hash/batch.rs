//! Many messages with one algorithm.

use super::digest::Digest;
use super::running::digest;
use crate::Error;
use crate::allocate::try_zeroed;
use crate::checkpoint::{DigestSink, Slicer};
use crate::hmac::computation::{SIZE_MAX, from_states};
use crate::inputs::Params;
use crate::wipe::{Secret, Wiped};

/// Bytes of the largest output that is computed on the stack.
const ON_STACK: usize = 256;

/// Hashes each of `sources` to `size` bytes. Emits each digest once, with the index of its source,
/// in any order.
pub(crate) fn digests<D: Digest>(
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    mut sink: DigestSink<'_>,
) -> Result<(), Error> {
    with_buffer(size, |target| {
        if sources.len() >= D::min_batch(size) {
            return D::new(params).finish_batch(sources, target, sink);
        }
        in_sequence(0, sources, target, &mut sink, |source, target, slicer| {
            digest::<D>(params, source, target, slicer)
        });
    })
}

/// Computes HMACs from the states after the key, which the caller wipes.
pub(crate) fn macs<D: Digest>(inner: &D, outer: &D, sources: &[&[u8]], mut sink: DigestSink<'_>) {
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
        from_states(inner, outer, source, target, slicer)
    });
}

/// Computes one message after the other into `target`. The first has the index `first`.
#[inline]
fn in_sequence(
    first: usize,
    sources: &[&[u8]],
    target: &mut [u8],
    sink: &mut DigestSink<'_>,
    mut compute: impl FnMut(&[u8], &mut [u8], Option<Slicer<'_>>) -> Result<(), Error>,
) {
    for (index, source) in (first..).zip(sources) {
        if sink.cancelled(index) {
            continue;
        }
        let slicer = sink.slicer.as_mut().map(|slicer| slicer.from(index));
        if compute(source, target, slicer).is_ok() {
            sink.emit(index, target);
        }
        // The last slice of the message and its padded end.
        if let Some(slicer) = &mut sink.slicer {
            slicer.advance(source.len().min(slicer.slice()) + 64);
        }
    }
}

/// Number of messages for which inner hashes are kept until the outer hashes follow.
const FEW: usize = 16;
const MANY: usize = 128;

/// Computes the HMACs of at most `GROUP` messages, the first of which has the index `first`.
fn mac_group<D: Digest, const GROUP: usize>(
    inner: &D,
    outer: &D,
    first: usize,
    sources: &[&[u8]],
    sink: &mut DigestSink<'_>,
) {
    if sources.len() < D::min_batch(D::SIZE) {
        return one_by_one(inner, outer, first, sources, sink);
    }
    let mut target = Secret::<SIZE_MAX>::zeros();
    let target = &mut target.0[..D::SIZE];
    let mut hashes = Wiped([[0; SIZE_MAX]; GROUP]);
    // Messages that were not cancelled.
    let mut hashed = [false; GROUP];
    let mut keep = |index: usize, hash: &[u8]| {
        hashes.0[index][..D::SIZE].copy_from_slice(hash);
        hashed[index] = true;
    };
    let slicer = &mut sink.slicer.as_mut().map(|slicer| slicer.from(first));
    inner.finish_batch(sources, target, DigestSink::new(&mut keep, slicer));
    let hashes: [&[u8]; GROUP] = std::array::from_fn(|index| &hashes.0[index][..D::SIZE]);
    let mut emit = |index: usize, mac: &[u8]| {
        if hashed[index] {
            sink.emit(first + index, mac);
        }
    };
    outer.finish_batch(&hashes[..sources.len()], target, DigestSink::new(&mut emit, &mut None));
    // The outer hashes, so that groups of short messages reach checkpoints too.
    sink.advance(64 * sources.len());
}

/// Lends a buffer for a digest. A buffer on the stack is wiped afterwards.
#[inline]
fn with_buffer(size: usize, work: impl FnOnce(&mut [u8])) -> Result<(), Error> {
    if size <= SIZE_MAX {
        work(&mut Secret::<SIZE_MAX>::zeros().0[..size]);
    } else if size <= ON_STACK {
        work(&mut Secret::<ON_STACK>::zeros().0[..size]);
    } else {
        work(&mut try_zeroed(size)?);
    }
    Ok(())
}
