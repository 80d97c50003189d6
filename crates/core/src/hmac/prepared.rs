//! Prepared HMAC keys.

use super::computation::{Pads, SIZE_MAX, from_states};
use crate::Error;
use crate::allocate::try_box;
use crate::checkpoint::{DigestSink, Slicer};
use crate::hash::batch as many;
use crate::hash::digest::Digest;
use crate::hash::running::{absorb_slices, resume};
use crate::inputs::Params;
use crate::wipe::Secret;

/// A prepared key for any hash.
pub(crate) trait Prepared: Send + Sync {
    /// Computes an HMAC.
    fn mac(
        &self,
        source: &[u8],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error>;
    /// Computes the HMACs of many messages. Emits each once, with the index of its source.
    fn macs(&self, sources: &[&[u8]], sink: DigestSink<'_>);
    /// Absorbs more of a message, from a state of the inner hash (empty: not begun) to the next.
    fn update(
        &self,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error>;
    /// Absorbs the rest of a message and writes the HMAC.
    fn finish(&self, state: &[u8], rest: &[u8], target: &mut [u8]) -> Result<(), Error>;
}

/// The inner and the outer state after the key's block.
pub(crate) struct Midstates<D: Digest> {
    pub(crate) inner: D,
    pub(crate) outer: D,
}

impl<D: Digest> Midstates<D> {
    /// Prepares the states in place, so that no copy remains on the stack.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn boxed(key: &[u8]) -> Result<Box<Self>, Error> {
        let params = Params::default();
        let mut states = try_box(Self { inner: D::new(&params), outer: D::new(&params) })?;
        let mut pads = Pads::new::<D>(key);
        states.inner.update(pads.inner::<D>());
        states.outer.update(pads.outer::<D>());
        Ok(states)
    }

    /// Returns the inner hash in this state; an empty state has not begun.
    #[inline]
    fn begun(&self, state: &[u8]) -> Option<D> {
        if state.is_empty() { Some(self.inner.clone()) } else { D::load(&Params::default(), state) }
    }
}

impl<D: Digest> Prepared for Midstates<D> {
    fn mac(
        &self,
        source: &[u8],
        target: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        from_states(&self.inner, &self.outer, source, target, slicer)
    }

    fn macs(&self, sources: &[&[u8]], sink: DigestSink<'_>) {
        many::macs(&self.inner, &self.outer, sources, sink);
    }

    fn update(
        &self,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        mut slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        resume(
            || self.begun(state),
            |inner: &mut D| {
                let last = absorb_slices(inner, source, &mut slicer)?;
                inner.update(last);
                inner.save(next);
                Ok(())
            },
        )
    }

    fn finish(&self, state: &[u8], rest: &[u8], target: &mut [u8]) -> Result<(), Error> {
        let mut hash = Secret::<SIZE_MAX>::zeros();
        let hash = &mut hash.0[..D::SIZE];
        resume(
            || self.begun(state),
            |inner: &mut D| {
                inner.finish_with(rest, hash);
                Ok(())
            },
        )?;
        self.outer.finish_copy(hash, target);
        Ok(())
    }
}

impl<D: Digest> Drop for Midstates<D> {
    fn drop(&mut self) {
        self.inner.wipe();
        self.outer.wipe();
    }
}
