//! SHA-3, SHAKE, TurboSHAKE and the original Keccak of several messages: a register for each of the
//! state's 25 words.

pub(crate) use super::cpu::keccak::multibuffer;
use super::cpu::keccak::run_all;
pub(crate) use super::sponge::Sponge;
use super::{Batch, Kernels};
use crate::checkpoint::DigestSink;

/// Hashes messages from a state. Digests must not be longer than the rate.
pub(crate) fn hash<const ROUNDS: usize>(
    kernels: Kernels,
    (sponge, start): (Sponge<ROUNDS>, [u64; 25]),
    sources: &[&[u8]],
    target: &mut [u8],
    sink: DigestSink<'_>,
) {
    assert!(target.len() <= sponge.rate);
    let batch = &mut Batch::new(sponge, start, 0, sources, target, sink);
    run_all(kernels, batch);
    batch.scalar();
}
