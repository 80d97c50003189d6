//! Many messages under one algorithm: several at once on one core, where that is quicker.

use crate::Error;
use crate::catalog::Hash;
use crate::checkpoint::{Checkpoint, DigestSink, Slicer};
use crate::engines::{ByKernel, Chosen, Engine, MacState, Provider, with_kernel};
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

/// As [`digests`], by an engine of choice; paced if somebody is to be asked after every so many
/// bytes.
///
/// # Errors
/// As [`digests`]; [`Error::Unavailable`], after which some digests may have been handed on.
pub fn digests_by(
    provider: Provider,
    hash: Hash,
    params: &Params<'_>,
    sources: &[&[u8]],
    size: usize,
    paced: Option<(usize, &mut dyn Checkpoint)>,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    hash::check_target(hash.facts(), size)?;
    hash::check_params(hash.facts(), params)?;
    let sink =
        DigestSink::new(&mut each, paced.map(|(slice, checkpoint)| Slicer::new(slice, checkpoint)));
    match provider {
        Provider::Native => Chosen::digests(hash, params, sources, size, sink),
        _ => with_kernel!(provider, E => E::digests(hash, params, sources, size, sink)),
    }
}

/// Computes the HMAC of each of `sources` under one prepared key, as [`digests`] does.
///
/// # Errors
/// [`Error::Unavailable`] where the key was prepared for the kernel; some may have been handed on
/// then.
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
/// [`Error::Unavailable`] where the key was prepared for the kernel; some may have been handed on
/// then.
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
        MacState::Kernel(state) => ByKernel::macs(state, sources, sink),
    }
}

/// How many messages are hashed at once on this machine; 1 where that is no quicker than one by
/// one.
pub fn lanes(hash: Hash) -> usize {
    Chosen::serves_hash(hash).ok().and_then(|service| service.lanes).map_or(1, |(lanes, _)| lanes)
}
