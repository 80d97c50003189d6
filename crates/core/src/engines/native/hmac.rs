//! HMAC (RFC 2104) over any hash.

use super::hash_state::HashState;
use super::hasher::absorb_slices;
use super::wipe::Secret;
use crate::Error;
use crate::catalog::{HASHES, HashFacts};
use crate::checkpoint::Slicer;
use crate::inputs::Params;

/// Bytes of the largest block (SHA3-224) and the largest digest of a hash under HMAC.
const BLOCK_MAX: usize = 144;
pub(super) const SIZE_MAX: usize = 64;

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
pub(super) fn hmac<D: HashState>(kind: D::Kind, key: &[u8], source: &[u8], target: &mut [u8]) {
    let mut pads = Pads::new::<D>(kind, key);
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::size(kind)];

    let mut inner = D::new(kind, &Params::default());
    inner.update(pads.inner::<D>(kind));
    inner.finish_with(source, hash);
    inner.wipe();

    let mut outer = D::new(kind, &Params::default());
    outer.update(pads.outer::<D>(kind));
    outer.finish_with(hash, target);
    outer.wipe();
}

/// Computes an HMAC from the states after the key's block.
#[inline]
pub(super) fn from_states<D: HashState>(
    kind: D::Kind,
    inner: &D,
    outer: &D,
    source: &[u8],
    target: &mut [u8],
    mut slicer: Option<Slicer<'_>>,
) -> Result<(), Error> {
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::size(kind)];
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
pub(super) struct Pads(Secret<BLOCK_MAX>);

impl Pads {
    #[inline]
    pub(super) fn new<D: HashState>(kind: D::Kind, key: &[u8]) -> Pads {
        let mut pads = Pads(Secret::zeros());
        let block = &mut pads.0.0;
        if key.len() <= D::block(kind) {
            block[..key.len()].copy_from_slice(key);
        } else {
            D::digest(kind, &Params::default(), key, &mut block[..D::size(kind)]);
        }
        pads
    }

    #[inline]
    pub(super) fn inner<D: HashState>(&mut self, kind: D::Kind) -> &[u8] {
        self.flip::<D>(kind, 0x36)
    }

    #[inline]
    pub(super) fn outer<D: HashState>(&mut self, kind: D::Kind) -> &[u8] {
        self.flip::<D>(kind, 0x36 ^ 0x5c)
    }

    #[inline]
    fn flip<D: HashState>(&mut self, kind: D::Kind, mask: u8) -> &[u8] {
        let block = &mut self.0.0[..D::block(kind)];
        block.iter_mut().for_each(|byte| *byte ^= mask);
        block
    }
}
