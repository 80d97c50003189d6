//! The hashes as code for all of them uses them: HMAC, states, batches and derivations.

use super::wipe::Secret;
use crate::checkpoint::DigestSink;
use crate::inputs::Params;

/// An incremental hash of a kind.
///
/// Every [`Digest`](super::digest::Digest) is one. Its kind is then nothing, since its type says
/// all, and these methods are those of `Digest` with the same names; its constants are `block` and
/// `size`. `AnyDigest` is all of them; its kind is the hash.
pub(crate) trait HashState: Clone + Send + Sync + 'static {
    type Kind: Copy + Send + Sync + 'static;

    fn block(kind: Self::Kind) -> usize;
    fn size(kind: Self::Kind) -> usize;
    fn min_batch(kind: Self::Kind, size: usize) -> usize;
    fn hmac_lanes(kind: Self::Kind) -> usize;
    fn iterate(kind: Self::Kind, outputs: &mut [OutputBlock<Self>], count: u32);
    fn new(kind: Self::Kind, params: &Params<'_>) -> Self;
    fn load(kind: Self::Kind, params: &Params<'_>, state: &[u8]) -> Option<Self>;
    fn digest(kind: Self::Kind, params: &Params<'_>, source: &[u8], target: &mut [u8]);
    fn update(&mut self, source: &[u8]);
    fn finish_with(&mut self, source: &[u8], target: &mut [u8]);
    fn finish_copy(&self, source: &[u8], target: &mut [u8]);
    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>);
    fn save(&self, state: &mut [u8]);
    fn end_message(&mut self, size: usize);
    fn squeeze(&mut self, target: &mut [u8]);
    fn squeezing(&self) -> bool;
    fn wipe(&mut self);
}

/// Bytes of the largest digest that HMAC is used with.
const DIGEST_MAX: usize = 64;

/// A block of PBKDF2's output in progress, wiped on drop.
pub(crate) struct OutputBlock<D: HashState> {
    /// The states of the inner and outer hash after the key's block.
    pub(super) inner: D,
    pub(super) outer: D,
    /// The last HMAC, and the XOR of all.
    pub(super) last: Secret<DIGEST_MAX>,
    pub(super) sum: Secret<DIGEST_MAX>,
}

impl<D: HashState> Drop for OutputBlock<D> {
    fn drop(&mut self) {
        self.inner.wipe();
        self.outer.wipe();
    }
}

/// Computes `count` HMAC iterations of each block, one block after the other.
pub(super) fn one_by_one<D: HashState>(kind: D::Kind, outputs: &mut [OutputBlock<D>], count: u32) {
    let mut hash = Secret::<DIGEST_MAX>::zeros();
    let hash = &mut hash.0[..D::size(kind)];
    for output in outputs {
        for _ in 0..count {
            let last = &mut output.last.0[..D::size(kind)];
            output.inner.finish_copy(last, hash);
            output.outer.finish_copy(hash, last);
            output.sum.0.iter_mut().zip(last).for_each(|(sum, last)| *sum ^= *last);
        }
    }
}
