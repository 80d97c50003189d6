//! HMAC (RFC 2104) over any [`Digest`].

use super::hasher::{resume, take_in, update_in_slices};
use super::wipe::Secret;
use super::{Digest, many};
use crate::Error;
use crate::checkpoint::{DigestSink, Slicer};
use crate::inputs::Params;

/// The largest block (SHA3-224) and the largest digest of a hash under HMAC.
const BLOCK_MAX: usize = 144;
const SIZE_MAX: usize = 64;

/// The one-shot: everything on the stack, wiped before it returns.
#[inline]
pub(super) fn hmac<D: Digest>(key: &[u8], source: &[u8], target: &mut [u8]) {
    let mut pads = Pads::new::<D>(key);
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];

    let mut inner = D::new(&Params::default());
    inner.update(pads.inner::<D>());
    inner.finish_with(source, hash);
    inner.wipe();

    let mut outer = D::new(&Params::default());
    outer.update(pads.outer::<D>());
    outer.finish_with(hash, target);
    outer.wipe();
}

/// A prepared key, whichever the hash.
pub(crate) trait Prepared: Send + Sync {
    /// Computes one HMAC.
    fn mac(&self, source: &[u8], target: &mut [u8]);
    /// Computes one each of many messages; see [`Engine::macs`](crate::engines::Engine::macs).
    fn macs(&self, sources: &[&[u8]], sink: DigestSink<'_>);
    /// [`Prepared::mac`], in slices.
    fn mac_paced(
        &self,
        source: &[u8],
        target: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error>;
    /// [`Prepared::update`], in slices.
    fn update_paced(
        &self,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error>;
    /// Takes in more of a message, from a state of the inner hash (empty: not begun) to the next.
    fn update(&self, state: &[u8], source: &[u8], next: &mut [u8]) -> Result<(), Error>;
    /// Takes in the rest of a message, and finishes.
    fn finish(&self, state: &[u8], rest: &[u8], target: &mut [u8]) -> Result<(), Error>;
}

/// The inner and the outer state after their first block.
pub(super) struct Midstates<D: Digest> {
    pub(super) inner: D,
    pub(super) outer: D,
}

impl<D: Digest> Midstates<D> {
    /// Prepares the states at the place where they stay, so that no copy is left on the stack.
    pub(super) fn boxed(key: &[u8]) -> Box<Self> {
        let params = Params::default();
        let mut states = Box::new(Self { inner: D::new(&params), outer: D::new(&params) });
        let mut pads = Pads::new::<D>(key);
        states.inner.update(pads.inner::<D>());
        states.outer.update(pads.outer::<D>());
        states
    }
}

impl<D: Digest> Prepared for Midstates<D> {
    fn mac(&self, source: &[u8], target: &mut [u8]) {
        from_states(&self.inner, &self.outer, source, target);
    }

    fn macs(&self, sources: &[&[u8]], sink: DigestSink<'_>) {
        many::macs(&self.inner, &self.outer, sources, sink);
    }

    fn mac_paced(
        &self,
        source: &[u8],
        target: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error> {
        from_states_paced(&self.inner, &self.outer, source, target, slicer)
    }

    fn update_paced(
        &self,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        slicer: &mut Slicer<'_>,
    ) -> Result<(), Error> {
        let mut result = Ok(());
        let slices = |inner: &mut D| result = update_in_slices(inner, source, next, slicer);
        resume(|| self.begun(state), slices)?;
        result
    }

    fn update(&self, state: &[u8], source: &[u8], next: &mut [u8]) -> Result<(), Error> {
        resume(
            || self.begun(state),
            |inner: &mut D| {
                inner.update(source);
                inner.save(next);
            },
        )
    }

    fn finish(&self, state: &[u8], rest: &[u8], target: &mut [u8]) -> Result<(), Error> {
        let mut hash = Secret::<SIZE_MAX>::zeros();
        let hash = &mut hash.0[..D::SIZE];
        resume(|| self.begun(state), |inner: &mut D| inner.finish_with(rest, hash))?;
        self.outer.finish_copy(hash, target);
        Ok(())
    }
}

impl<D: Digest> Midstates<D> {
    /// The inner hash in this state; an empty one stands for the beginning.
    #[inline]
    fn begun(&self, state: &[u8]) -> Option<D> {
        if state.is_empty() { Some(self.inner.clone()) } else { D::load(&Params::default(), state) }
    }
}

/// One HMAC, from the states after the key's blocks.
#[inline]
pub(super) fn from_states<D: Digest>(inner: &D, outer: &D, source: &[u8], target: &mut [u8]) {
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];

    inner.finish_copy(source, hash);
    outer.finish_copy(hash, target);
}

/// The same, in slices.
pub(super) fn from_states_paced<D: Digest>(
    inner: &D,
    outer: &D,
    source: &[u8],
    target: &mut [u8],
    slicer: &mut Slicer<'_>,
) -> Result<(), Error> {
    if source.len() <= slicer.slice() {
        from_states(inner, outer, source, target);
        return Ok(());
    }
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];
    let mut inner = inner.clone();
    let result = take_in(&mut inner, source, slicer).map(|last| inner.finish_with(last, hash));
    inner.wipe();
    result.map(|()| outer.finish_copy(hash, target))
}

impl<D: Digest> Drop for Midstates<D> {
    fn drop(&mut self) {
        self.inner.wipe();
        self.outer.wipe();
    }
}

/// The key as one block, first with the inner and then with the outer padding.
struct Pads(Secret<BLOCK_MAX>);

impl Pads {
    #[inline]
    fn new<D: Digest>(key: &[u8]) -> Pads {
        const { assert!(D::BLOCK <= BLOCK_MAX && D::SIZE <= SIZE_MAX && D::SIZE <= D::BLOCK) };
        let mut pads = Pads(Secret::zeros());
        let block = &mut pads.0.0;
        if key.len() <= D::BLOCK {
            block[..key.len()].copy_from_slice(key);
        } else {
            D::digest(&Params::default(), key, &mut block[..D::SIZE]);
        }
        pads
    }

    #[inline]
    fn inner<D: Digest>(&mut self) -> &[u8] {
        self.flip::<D>(0x36)
    }

    #[inline]
    fn outer<D: Digest>(&mut self) -> &[u8] {
        self.flip::<D>(0x36 ^ 0x5c)
    }

    #[inline]
    fn flip<D: Digest>(&mut self, mask: u8) -> &[u8] {
        let block = &mut self.0.0[..D::BLOCK];
        block.iter_mut().for_each(|byte| *byte ^= mask);
        block
    }
}
