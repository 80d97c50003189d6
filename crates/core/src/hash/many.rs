//! Many messages with one algorithm, several at once on one core where that is faster.

use super::digest::{DIGEST_MAX, Digest};
use super::digest_types::with_digest;
use super::running::digest;
use crate::Error;
use crate::allocate::try_zeroed;
use crate::catalog::Hash;
use crate::checkpoint::{DigestSink, Slicer};
use crate::cpu;
use crate::hash;
use crate::hmac::{MacKey, MacState};
use crate::inputs::Params;
use crate::wipe::Secret;

/// Hashes each of `sources` to `size` bytes, and calls `each` once per source with its index and
/// digest, in any order.
///
/// `size` is that of the digest, or for an extendable-output hash any number. The heap is used only
/// for outputs of more than 256 bytes. `slicer` runs its checkpoint after about one slice of each
/// of the messages that are hashed at once; `each` is not called for cancelled messages.
///
/// # Errors
/// As [`digest`](super::digest()); nothing was computed then.
pub fn digests(
    hash: Hash,
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    mut slicer: Option<Slicer<'_>>,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    hash::check_target(hash.facts(), params, size)?;
    hash::check_params(hash.facts(), params)?;
    let sink = DigestSink::new(&mut each, &mut slicer);
    with_digest!(hash, D => digests_of::<D>(params, sources, size, sink))
}

fn digests_of<D: Digest>(
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    mut sink: DigestSink<'_>,
) -> Result<(), Error> {
    with_buffer(size, |target| {
        if sources.len() >= D::min_batch(size) {
            return D::new(params).finish_batch(sources, target, sink);
        }
        sink.in_sequence(0, sources, target, |source, target, slicer| {
            digest::<D>(params, source, target, slicer)
        });
    })
}

/// Bytes of the largest output that is computed on the stack.
const ON_STACK: usize = 256;

/// Lends a buffer for a digest. A buffer on the stack is wiped afterwards.
#[inline]
fn with_buffer(size: usize, work: impl FnOnce(&mut [u8])) -> Result<(), Error> {
    if size <= DIGEST_MAX {
        work(&mut Secret::<DIGEST_MAX>::zeros().0[..size]);
    } else if size <= ON_STACK {
        work(&mut Secret::<ON_STACK>::zeros().0[..size]);
    } else {
        work(&mut try_zeroed(size)?);
    }
    Ok(())
}

/// Calls `compute` for each of `sources` in order, and `each` with its index and digest of `size`
/// bytes. For external engines, which compute one digest at a time.
///
/// # Errors
/// [`Error::OutputSize`] for a `size` above 64; the errors of `compute`, after some digests may
/// have been emitted.
pub fn one_by_one(
    sources: &[&[u8]],
    size: usize,
    mut slicer: Option<Slicer<'_>>,
    mut each: impl FnMut(usize, &[u8]),
    mut compute: impl FnMut(&[u8], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut sink = DigestSink::new(&mut each, &mut slicer);
    let mut target = [0; DIGEST_MAX];
    let target = target.get_mut(..size).ok_or(Error::OutputSize)?;
    for (index, source) in sources.iter().enumerate() {
        if !sink.cancelled(index) {
            compute(source, target)?;
            sink.emit(index, target);
            sink.advance(source.len());
        }
    }
    Ok(())
}

/// Computes the HMAC of each of `sources` under one prepared key, as [`digests`] does.
///
/// # Errors
/// [`Error::Unavailable`] from an external engine, after some digests may have been emitted.
pub fn macs(
    key: &MacKey,
    sources: &[&[u8]],
    mut slicer: Option<Slicer<'_>>,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    match key.state() {
        MacState::Native(state) => state.macs(sources, DigestSink::new(&mut each, &mut slicer)),
        MacState::External(state) => {
            let size = key.hash().facts().digest_size;
            return one_by_one(sources, size, slicer, each, |source, target| {
                state.mac(source, target, None)
            });
        }
    }
    Ok(())
}

/// Returns how many messages are hashed at once on this machine; 1 if one by one is fastest.
pub fn lanes(hash: Hash) -> usize {
    cpu::serves_hash(hash).lanes.map_or(1, |(lanes, _)| lanes)
}
