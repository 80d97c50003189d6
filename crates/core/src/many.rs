//! Many messages under one algorithm: several at once on one core, where that is quicker.

use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::{Checkpoint, DigestSink, Slicer};
use crate::engines::{Chosen, Engine, MacState};
use crate::hash;
use crate::hmac::MacKey;
use crate::inputs::Params;

/// Hashes each of `sources` to `size` bytes, and calls `each` once a source with its index and
/// digest.
///
/// The order of the calls is not that of the sources: short messages overtake long ones. `size` is
/// the digest's, or for an extendable-output hash what the caller wants. The digest is gone when
/// `each` returns. Uses the heap only for outputs of more than 256 bytes.
///
/// # Errors
/// As [`digest`](crate::hash::digest()); nothing was computed then.
pub fn digests(
    hash: Hash,
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    hash::check_target(hash.facts(), size)?;
    hash::check_params(hash.facts(), params)?;
    Chosen::digests(hash, params, sources, size, DigestSink::new(&mut each, None))
}

/// As [`digests`], with a pause after about `slice` bytes of each of those hashed together.
/// Messages that were given up are passed over: they do not come to `each`.
///
/// # Errors
/// As [`digests`].
pub fn digests_paced(
    hash: Hash,
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    slice: usize,
    checkpoint: &mut dyn Checkpoint,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    hash::check_target(hash.facts(), size)?;
    hash::check_params(hash.facts(), params)?;
    Chosen::digests(
        hash,
        params,
        sources,
        size,
        DigestSink::new(&mut each, Some(Slicer::new(slice, checkpoint))),
    )
}

/// Calls `compute` for each of `sources` with its index in turn, and `each` with the digest of
/// `size` bytes. For external engines, which compute one digest at a time.
///
/// # Errors
/// [`Error::OutputSize`] for a `size` above 64; the errors of `compute`, after which some digests
/// may have been handed on.
pub fn one_by_one(
    sources: &[&[u8]],
    size: usize,
    mut slicer: Option<Slicer<'_>>,
    mut each: impl FnMut(usize, &[u8]),
    compute: impl FnMut(&[u8], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let slicer = slicer.as_mut().map(|slicer| slicer.from(0));
    in_turn(sources, size, DigestSink::new(&mut each, slicer), compute)
}

fn in_turn(
    sources: &[&[u8]],
    size: usize,
    mut sink: DigestSink<'_>,
    mut compute: impl FnMut(&[u8], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
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
/// [`Error::Unavailable`] from an external engine, after which some may have been handed on.
pub fn macs(
    key: &MacKey,
    sources: &[&[u8]],
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    macs_to(key, sources, DigestSink::new(&mut each, None))
}

/// As [`macs`], paced as [`digests_paced`] is.
///
/// # Errors
/// [`Error::Unavailable`] from an external engine, after which some may have been handed on.
pub fn macs_paced(
    key: &MacKey,
    sources: &[&[u8]],
    slice: usize,
    checkpoint: &mut dyn Checkpoint,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    macs_to(key, sources, DigestSink::new(&mut each, Some(Slicer::new(slice, checkpoint))))
}

fn macs_to(key: &MacKey, sources: &[&[u8]], sink: DigestSink<'_>) -> Result<(), Error> {
    match key.state() {
        MacState::Native(state) => Chosen::macs(state, sources, sink),
        MacState::External(state) => {
            let size = key.hash().facts().digest_size;
            in_turn(sources, size, sink, |source, target| state.mac(source, target, None))
        }
    }
}

/// How many messages are hashed at once on this machine; 1 where that is no quicker than one by
/// one.
pub fn lanes(hash: Hash) -> usize {
    Chosen::serves_hash(hash).ok().and_then(|service| service.lanes).map_or(1, |(lanes, _)| lanes)
}
