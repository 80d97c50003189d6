//! The trait of the hash families.

use super::hash_state::{HashState, OutputBlock, one_by_one};
use crate::checkpoint::DigestSink;
use crate::inputs::Params;

/// An incremental hash.
///
/// The caller chooses where a state is stored (a one-shot uses the stack), and its type is known at
/// compile time, so that nothing is boxed or dispatched per call. Code for all hashes uses them as
/// [`HashState`].
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
    /// Returns the number of messages with digests of `size` bytes from which
    /// [`finish_batch`](Digest::finish_batch) is faster than one by one.
    #[inline]
    fn min_batch(size: usize) -> usize {
        let _ = size;
        usize::MAX
    }
    /// Hashes several messages at once, all from this state, which has absorbed whole blocks.
    /// `target` has a digest's size and serves as a buffer. Emits each digest once, with the index
    /// of its message.
    fn finish_batch(&self, sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>) {
        let _ = (sources, target, sink);
        unreachable!("min_batch is usize::MAX");
    }
    /// Returns how many blocks of PBKDF2's output [`iterate`](Digest::iterate) computes at once.
    fn hmac_lanes() -> usize {
        1
    }
    /// Computes `count` HMAC iterations of each block of output. `digest` returns the hash in a
    /// state of `kind`.
    fn iterate<S: HashState>(
        kind: S::Kind,
        outputs: &mut [OutputBlock<S>],
        digest: fn(&S) -> &Self,
        count: u32,
    ) {
        let _ = digest;
        one_by_one(kind, outputs, count);
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

/// Defines methods that call those of the same names.
macro_rules! delegate {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[inline(always)]
        fn $name((): (), $($argument: $type),*) $(-> $result)? {
            D::$name($($argument),*)
        }
    )*};
    (self $($name:ident($receiver:ty; $($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[inline(always)]
        fn $name(self: $receiver, $($argument: $type),*) $(-> $result)? {
            Digest::$name(self, $($argument),*)
        }
    )*};
}

impl<D: Digest> HashState for D {
    type Kind = ();

    #[inline(always)]
    fn block((): ()) -> usize {
        D::BLOCK
    }

    #[inline(always)]
    fn size((): ()) -> usize {
        D::SIZE
    }

    #[inline(always)]
    fn iterate(kind: (), outputs: &mut [OutputBlock<Self>], count: u32) {
        D::iterate(kind, outputs, |state| state, count);
    }

    delegate! {
        min_batch(size: usize) -> usize;
        hmac_lanes() -> usize;
        new(params: &Params<'_>) -> Self;
        load(params: &Params<'_>, state: &[u8]) -> Option<Self>;
        digest(params: &Params<'_>, source: &[u8], target: &mut [u8]);
    }

    delegate! { self
        update(&mut Self; source: &[u8]);
        finish_with(&mut Self; source: &[u8], target: &mut [u8]);
        finish_copy(&Self; source: &[u8], target: &mut [u8]);
        finish_batch(&Self; sources: &[&[u8]], target: &mut [u8], sink: DigestSink<'_>);
        save(&Self; state: &mut [u8]);
        end_message(&mut Self; size: usize);
        squeeze(&mut Self; target: &mut [u8]);
        squeezing(&Self;) -> bool;
        wipe(&mut Self;);
    }
}
