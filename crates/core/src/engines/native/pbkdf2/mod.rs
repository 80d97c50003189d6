//! PBKDF2 (RFC 8018) over HMAC, whose states after the key are kept.

use super::Digest;
use super::hmac::Midstates;
use super::wipe::Secret;

/// Bytes of the largest digest that HMAC is used with.
const SIZE_MAX: usize = 64;

/// So many HMACs of a chain are computed between two pauses: 90 us to a millisecond.
const SLICE: u32 = 1024;

/// A block of output under way, wiped when it goes.
pub(crate) struct Chain<D: Digest> {
    /// The states after the key's blocks.
    pub(super) inner: D,
    pub(super) outer: D,
    /// The last HMAC, and the XOR of all.
    pub(super) last: Secret<SIZE_MAX>,
    pub(super) sum: Secret<SIZE_MAX>,
}

impl<D: Digest> Drop for Chain<D> {
    fn drop(&mut self) {
        self.inner.wipe();
        self.outer.wipe();
    }
}

/// Moves chains on, one after the other, for a hash that has nothing quicker.
pub(super) fn one_by_one<D: Digest>(chains: &mut [Chain<D>], count: u32) {
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let hash = &mut hash.0[..D::SIZE];
    for chain in chains {
        for _ in 0..count {
            let last = &mut chain.last.0[..D::SIZE];
            chain.inner.finish_copy(last, hash);
            chain.outer.finish_copy(hash, last);
            chain.sum.0.iter_mut().zip(last).for_each(|(sum, last)| *sum ^= *last);
        }
    }
}

/// The states of a job's key, and that after its salt, which may be long.
struct Salted<D: Digest> {
    states: Box<Midstates<D>>,
    salted: D,
}

impl<D: Digest> Salted<D> {
    fn new(password: &[u8], salt: &[u8]) -> Self {
        let states = Midstates::<D>::boxed(password);
        let mut salted = states.inner.clone();
        salted.update(salt);
        Self { states, salted }
    }

    /// The first HMAC of a block, counted from 0.
    fn first(&self, block: usize, target: &mut [u8]) {
        let mut hash = Secret::<SIZE_MAX>::zeros();
        let hash = &mut hash.0[..D::SIZE];
        self.salted.finish_copy(&(block as u32 + 1).to_be_bytes(), hash);
        self.states.outer.finish_copy(hash, target);
    }
}

impl<D: Digest> Drop for Salted<D> {
    fn drop(&mut self) {
        self.salted.wipe();
    }
}

/// PBKDF2 of one iteration, as scrypt wants it.
pub(super) fn once<D: Digest>(password: &[u8], salt: &[u8], target: &mut [u8]) {
    let states = Midstates::<D>::boxed(password);
    let mut salted = states.inner.clone();
    salted.update(salt);
    let mut hash = Secret::<SIZE_MAX>::zeros();
    let mut last = Secret::<SIZE_MAX>::zeros();
    let (hash, last) = (&mut hash.0[..D::SIZE], &mut last.0[..D::SIZE]);
    for (index, target) in target.chunks_mut(D::SIZE).enumerate() {
        salted.finish_copy(&(index as u32 + 1).to_be_bytes(), hash);
        states.outer.finish_copy(hash, last);
        target.copy_from_slice(&last[..target.len()]);
    }
    salted.wipe();
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
