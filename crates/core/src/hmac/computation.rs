//! HMAC (RFC 2104) over any hash.

use crate::Error;
use crate::catalog::{HASHES, HashFacts};
use crate::checkpoint::Slicer;
use crate::hash::digest::Digest;
use crate::hash::running::absorb_slices;
use crate::inputs::Params;
use crate::wipe::Secret;

/// Bytes of the largest block (SHA3-224) and the largest digest of a hash under HMAC.
const BLOCK_MAX: usize = 144;
pub(crate) const SIZE_MAX: usize = 64;

const _: () = {
    let mut at = 0;
    while at < HASHES.len() {
        let HashFacts { hmac, block_size, digest_size, .. } = HASHES[at];
        assert!(!hmac || block_size <= BLOCK_MAX);
        assert!(!hmac || digest_size <= SIZE_MAX && digest_size <= block_size);
        at += 1;
    }
};

/// Computes an HMAC on the stack, wiped before it returns.
#[inline]
pub(crate) fn hmac<D: Digest>(key: &[u8], source: &[u8], target: &mut [u8]) {
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

/// Computes an HMAC from the states after the key's block.
#[inline]
pub(crate) fn from_states<D: Digest>(
    inner: &D,
    outer: &D,
    source: &[u8],
    target: &mut [u8],
    mut slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];
    if Slicer::cuts(&slicer, source.len()) {
        let mut inner = inner.clone();
        let result = absorb_slices(&mut inner, source, &mut slicer)
            .map(|last| inner.finish_with(last, hash));
        inner.wipe();
        result?;
    } else {
        inner.finish_copy(source, hash);
    }
    outer.finish_copy(hash, target);
    Ok(())
}

/// The key as one block, first with the inner and then with the outer padding.
pub(crate) struct Pads(Secret<BLOCK_MAX>);

impl Pads {
    #[inline]
    pub(crate) fn new<D: Digest>(key: &[u8]) -> Pads {
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
    pub(crate) fn inner<D: Digest>(&mut self) -> &[u8] {
        self.flip::<D>(0x36)
    }

    #[inline]
    pub(crate) fn outer<D: Digest>(&mut self) -> &[u8] {
        self.flip::<D>(0x36 ^ 0x5c)
    }

    #[inline]
    fn flip<D: Digest>(&mut self, mask: u8) -> &[u8] {
        let block = &mut self.0.0[..D::BLOCK];
        block.iter_mut().for_each(|byte| *byte ^= mask);
        block
    }
}
