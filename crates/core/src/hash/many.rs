//! Many messages with one algorithm, several at once on one core where that is faster.

use super::{batch, digest_types::with_digest};
use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::{DigestSink, Slicer};
use crate::cpu;
use crate::hash;
use crate::hmac::MacKey;
use crate::hmac::MacState;
use crate::inputs::Params;

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
    with_digest!(hash, D => batch::digests::<D>(params, sources, size, sink))
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
    let mut target = [0; 64];
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
