//! HMAC (RFC 2104) over any hash, one-shot and with prepared keys.

use crate::Error;
use crate::allocate::try_box;
use crate::catalog::{HASHES, HashFacts};
use crate::checkpoint::{DigestSink, Slicer};
use crate::hash::digest::{DIGEST_MAX, Digest};
use crate::hash::running::{absorb_slices, finish_from, update_from};
use crate::hmac::NativeMac;
use crate::inputs::Params;
use crate::wipe::{Secret, Wiped, WipedBox};

/// Bytes of the largest block of a hash under HMAC (SHA3-224).
const BLOCK_MAX: usize = 144;

const _: () = {
    let mut at = 0;
    while at < HASHES.len() {
        let HashFacts { hmac, block_size, digest_size, .. } = HASHES[at];
        assert!(!hmac || block_size <= BLOCK_MAX);
        assert!(!hmac || digest_size <= DIGEST_MAX && digest_size <= block_size);
        at += 1;
    }
};

/// Computes an HMAC on the stack, wiped before it returns.
#[inline]
pub(crate) fn hmac<D: Digest>(key: &[u8], source: &[u8], target: &mut [u8]) {
    let mut pads = Pads::new::<D>(key);
    let mut hash = Secret::<DIGEST_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];

    let mut inner = D::new(&Params::default());
    inner.update(pads.inner());
    inner.finish_with(source, hash);
    inner.wipe();

    let mut outer = D::new(&Params::default());
    outer.update(pads.outer());
    outer.finish_with(hash, target);
    outer.wipe();
}

/// The key as one block, first with the inner and then with the outer padding.
pub(crate) struct Pads {
    block: Secret<BLOCK_MAX>,
    size: usize,
}

impl Pads {
    #[inline]
    pub(crate) fn new<D: Digest>(key: &[u8]) -> Pads {
        let hash = |block: &mut [u8]| D::digest(&Params::NONE, key, &mut block[..D::SIZE]);
        Pads::of(D::BLOCK, key, hash)
    }

    /// Works like [`Pads::new`]; `hash` writes the digest of a key that is longer than a block.
    #[inline]
    pub(crate) fn of(block_size: usize, key: &[u8], hash: impl FnOnce(&mut [u8])) -> Pads {
        let mut pads = Pads { block: Secret::zeros(), size: block_size };
        let block = &mut pads.block.0;
        if key.len() <= block_size {
            block[..key.len()].copy_from_slice(key);
        } else {
            hash(block);
        }
        pads
    }

    #[inline]
    pub(crate) fn inner(&mut self) -> &[u8] {
        self.flip(0x36)
    }

    #[inline]
    pub(crate) fn outer(&mut self) -> &[u8] {
        self.flip(0x36 ^ 0x5c)
    }

    #[inline]
    fn flip(&mut self, mask: u8) -> &[u8] {
        let block = &mut self.block.0[..self.size];
        block.iter_mut().for_each(|byte| *byte ^= mask);
        block
    }
}

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
    /// Prepares the states on the heap, so that no copy remains on the stack.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn boxed(key: &[u8]) -> Result<Box<Self>, Error> {
        let mut states = try_box(Self::fresh())?;
        states.absorb(key);
        Ok(states)
    }

    /// Prepares the states in the memory of keys.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::SecureMemory`].
    pub(crate) fn kept(key: &[u8]) -> Result<NativeMac, Error> {
        let mut states = WipedBox::keep(Self::fresh())?;
        states.absorb(key);
        Ok(states.coerce(|states| states))
    }

    fn fresh() -> Self {
        let params = Params::default();
        Self { inner: D::new(&params), outer: D::new(&params) }
    }

    fn absorb(&mut self, key: &[u8]) {
        let mut pads = Pads::new::<D>(key);
        self.inner.update(pads.inner());
        self.outer.update(pads.outer());
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
        mut slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        let mut hash = Secret::<DIGEST_MAX>::zeros();
        let hash = &mut hash.0[..D::SIZE];
        if Slicer::cuts(&slicer, source.len()) {
            let mut inner = self.inner.clone();
            let result = absorb_slices(&mut inner, source, &mut slicer)
                .map(|last| inner.finish_with(last, hash));
            inner.wipe();
            result?;
        } else {
            self.inner.finish_copy(source, hash);
        }
        self.outer.finish_copy(hash, target);
        Ok(())
    }

    fn macs(&self, sources: &[&[u8]], mut sink: DigestSink<'_>) {
        if sources.len() <= FEW {
            return mac_group::<D, FEW>(self, 0, sources, &mut sink);
        }
        for (group, sources) in sources.chunks(MANY).enumerate() {
            mac_group::<D, MANY>(self, group * MANY, sources, &mut sink);
        }
    }

    fn update(
        &self,
        state: &[u8],
        source: &[u8],
        next: &mut [u8],
        slicer: Option<Slicer<'_>>,
    ) -> Result<(), Error> {
        update_from(|| self.begun(state), source, next, slicer)
    }

    fn finish(&self, state: &[u8], rest: &[u8], target: &mut [u8]) -> Result<(), Error> {
        let mut hash = Secret::<DIGEST_MAX>::zeros();
        let hash = &mut hash.0[..D::SIZE];
        finish_from(|| self.begun(state), rest, hash)?;
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

/// Number of messages for which inner hashes are kept until the outer hashes follow.
const FEW: usize = 16;
const MANY: usize = 128;

/// Computes the HMACs of at most `GROUP` messages, the first of which has the index `first`.
fn mac_group<D: Digest, const GROUP: usize>(
    states: &Midstates<D>,
    first: usize,
    sources: &[&[u8]],
    sink: &mut DigestSink<'_>,
) {
    let mut target = Secret::<DIGEST_MAX>::zeros();
    let target = &mut target.0[..D::SIZE];
    if sources.len() < D::min_batch(D::SIZE) {
        return sink.in_sequence(first, sources, target, |source, target, slicer| {
            states.mac(source, target, slicer)
        });
    }
    let mut hashes = Wiped([[0; DIGEST_MAX]; GROUP]);
    // Messages that were not cancelled.
    let mut hashed = [false; GROUP];
    let mut keep = |index: usize, hash: &[u8]| {
        hashes.0[index][..D::SIZE].copy_from_slice(hash);
        hashed[index] = true;
    };
    let slicer = &mut sink.slicer.as_mut().map(|slicer| slicer.from(first));
    states.inner.finish_batch(sources, target, DigestSink::new(&mut keep, slicer));
    let hashes: [&[u8]; GROUP] = std::array::from_fn(|index| &hashes.0[index][..D::SIZE]);
    let mut emit = |index: usize, mac: &[u8]| {
        if hashed[index] {
            sink.emit(first + index, mac);
        }
    };
    states.outer.finish_batch(
        &hashes[..sources.len()],
        target,
        DigestSink::new(&mut emit, &mut None),
    );
    // The outer hashes, so that groups of short messages reach checkpoints too.
    sink.advance(64 * sources.len());
}
