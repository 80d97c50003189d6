//! The trait of the hash families.

use crate::checkpoint::DigestSink;
use crate::engines::service::Names;
use crate::inputs::Params;
use crate::wipe::Secret;

/// An incremental hash.
///
/// The caller chooses where a state is stored (a one-shot uses the stack), and its type is known at
/// compile time, so that nothing is boxed or dispatched per call.
pub(crate) trait Digest: Clone + Send + Sync + 'static {
    /// Bytes of HMAC's block.
    const BLOCK: usize;
    /// Bytes of the digest; the default of an extendable-output hash.
    const SIZE: usize;

    /// Returns the state before the first byte. Only the xxh family reads the seed and BLAKE3 the
    /// key.
    fn new(params: &Params<'_>) -> Self;
    /// Absorbs more of the message.
    fn update(&mut self, source: &[u8]);
    /// Fills `target`, which has `SIZE` bytes (any number for an extendable-output hash). The state
    /// must not be used afterwards.
    fn finish(&mut self, target: &mut [u8]);
    /// Absorbs the rest of the message and finishes, which may be faster than in two steps.
    #[inline]
    fn finish_with(&mut self, source: &[u8], target: &mut [u8]) {
        self.update(source);
        self.finish(target);
    }
    /// Returns how the kernels for several messages are used; `None` without any.
    #[inline]
    fn multibuffer() -> Option<Multibuffer> {
        None
    }
    /// Returns the number of messages with digests of `size` bytes from which
    /// [`finish_batch`](Digest::finish_batch) is faster than one by one. Outputs longer than a
    /// block are squeezed out in several steps, which only one by one can.
    #[inline]
    fn min_batch(size: usize) -> usize {
        Self::multibuffer()
            .filter(|_| size <= Self::BLOCK)
            .map_or(usize::MAX, |multibuffer| multibuffer.min_messages)
    }
    /// Hashes several messages at once, all from this state, which has absorbed whole blocks.
    /// `target` has a digest's size and serves as a buffer. Emits each digest once, with the index
    /// of its message.
    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        let _ = (sources, target, sink);
        unreachable!("min_batch is usize::MAX");
    }
    /// True if there may be kernels for [`iterate`](Digest::iterate).
    const ITERATED: bool = false;
    /// Returns how many blocks of PBKDF2's output [`iterate`](Digest::iterate) computes at once.
    fn hmac_lanes() -> usize {
        Self::multibuffer().filter(|_| Self::ITERATED).map_or(1, |multibuffer| multibuffer.lanes)
    }
    /// Computes `count` HMAC iterations of each block of output.
    fn iterate(outputs: &mut [OutputBlock<Self>], count: u32) {
        one_by_one(outputs, count);
    }
    /// Bytes of a saved state.
    const STATE: usize;
    /// Writes the state to `state`, which has `STATE` bytes.
    fn save(&self, state: &mut [u8]);
    /// Returns the hash in a saved state; `None` for bytes that [`save`](Digest::save) does not
    /// write.
    fn load(params: &Params<'_>, state: &[u8]) -> Option<Self>;
    /// Ends a message with a digest of `size` bytes, more than `SIZE`, for
    /// [`squeeze`](Digest::squeeze) to return it in slices. The first squeeze ends the message of
    /// an output that does not depend on its size.
    #[inline]
    fn end_message(&mut self, size: usize) {
        let _ = size;
    }
    /// Fills `target` with the next bytes of an extendable output. The first call ends the message;
    /// nothing can be absorbed afterwards.
    #[inline]
    fn squeeze(&mut self, target: &mut [u8]) {
        let _ = target;
        unreachable!("the output has one size");
    }
    /// Returns true once [`squeeze`](Digest::squeeze) has been called.
    #[inline]
    fn squeezing(&self) -> bool {
        false
    }
    /// Calls [`finish_with`](Digest::finish_with) on a copy.
    #[inline]
    fn finish_copy(&self, source: &[u8], target: &mut [u8]) {
        let mut copy = self.clone();
        copy.finish_with(source, target);
        copy.wipe();
    }
    /// Overwrites what the state contains of the message. It must not be used afterwards.
    fn wipe(&mut self);

    /// Hashes a whole message.
    #[inline]
    fn digest(params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        let mut state = Self::new(params);
        state.finish_with(source, target);
        state.wipe();
    }
}

/// How one hash family uses the kernels for several messages.
#[derive(Copy, Clone, Debug)]
#[allow(dead_code)] // on a CPU without such kernels
pub(crate) struct Multibuffer {
    /// The lanes of the widest kernel, and its instructions.
    pub(crate) lanes: usize,
    pub(crate) instructions: Names,
    /// The number of messages from which the kernels are faster than scalar code.
    pub(crate) min_messages: usize,
    /// The instructions of a kernel that iterates a single block of PBKDF2's output; none without
    /// such a kernel.
    pub(crate) single: Names,
}

#[allow(dead_code)] // as above
impl Multibuffer {
    pub(crate) fn new(
        lanes: usize,
        instructions: Names,
        min_messages: usize,
        single: Names,
    ) -> Option<Self> {
        Some(Self { lanes, instructions, min_messages, single })
    }
}

/// Bytes of the largest digest that HMAC is used with.
pub(crate) const DIGEST_MAX: usize = 64;

/// A block of PBKDF2's output in progress, wiped on drop.
pub(crate) struct OutputBlock<D: Digest> {
    /// The states of the inner and outer hash after the key's block.
    pub(crate) inner: D,
    pub(crate) outer: D,
    /// The last HMAC, and the XOR of all.
    pub(crate) last: Secret<DIGEST_MAX>,
    pub(crate) sum: Secret<DIGEST_MAX>,
}

impl<D: Digest> Drop for OutputBlock<D> {
    fn drop(&mut self) {
        self.inner.wipe();
        self.outer.wipe();
    }
}

/// Computes `count` HMAC iterations of each block, one block after the other.
pub(crate) fn one_by_one<D: Digest>(outputs: &mut [OutputBlock<D>], count: u32) {
    let mut hash = Secret::<DIGEST_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];
    for output in outputs {
        for _ in 0..count {
            let last = &mut output.last.0[..D::SIZE];
            output.inner.finish_copy(last, hash);
            output.outer.finish_copy(hash, last);
            output.sum.0.iter_mut().zip(last).for_each(|(sum, last)| *sum ^= *last);
        }
    }
}
