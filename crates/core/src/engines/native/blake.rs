//! BLAKE2 and BLAKE3.

use super::Digest;
use super::wipe::wipe_replace;
use crate::hash::Params;

/// BLAKE2b with 64 bytes of digest.
#[derive(Clone)]
pub(crate) struct Blake2b512(blake2b_simd::State);

impl Digest for Blake2b512 {
    const BLOCK: usize = 128;
    const SIZE: usize = 64;

    #[inline]
    fn new(_params: &Params<'_>) -> Self {
        Self(blake2b_simd::State::new())
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.0.update(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        target.copy_from_slice(self.0.finalize().as_bytes());
    }

    fn wipe(&mut self) {
        wipe_replace(&mut self.0, blake2b_simd::State::new());
    }

    #[inline]
    fn digest(_params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        target.copy_from_slice(blake2b_simd::blake2b(source).as_bytes());
    }
}

/// BLAKE2s with 32 bytes of digest.
#[derive(Clone)]
pub(crate) struct Blake2s256(blake2s_simd::State);

impl Digest for Blake2s256 {
    const BLOCK: usize = 64;
    const SIZE: usize = 32;

    #[inline]
    fn new(_params: &Params<'_>) -> Self {
        Self(blake2s_simd::State::new())
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.0.update(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        target.copy_from_slice(self.0.finalize().as_bytes());
    }

    fn wipe(&mut self) {
        wipe_replace(&mut self.0, blake2s_simd::State::new());
    }

    #[inline]
    fn digest(_params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        target.copy_from_slice(blake2s_simd::blake2s(source).as_bytes());
    }
}

/// BLAKE3, with or without key, with any length of output.
#[derive(Clone)]
pub(crate) struct Blake3(blake3::Hasher);

impl Digest for Blake3 {
    const BLOCK: usize = 64;
    const SIZE: usize = 32;

    #[inline]
    fn new(params: &Params<'_>) -> Self {
        Self(match params.key {
            None => blake3::Hasher::new(),
            Some(key) => blake3::Hasher::new_keyed(key),
        })
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.0.update(source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        if target.len() == Self::SIZE {
            target.copy_from_slice(self.0.finalize().as_bytes());
        } else {
            self.0.finalize_xof().fill(target);
        }
    }

    fn wipe(&mut self) {
        wipe_replace(&mut self.0, blake3::Hasher::new());
    }

    // The library's own one-shot needs no hasher, which has room for 54 subtrees (1.9 KB).
    #[inline]
    fn digest(params: &Params<'_>, source: &[u8], target: &mut [u8]) {
        if target.len() == Self::SIZE {
            let digest = match params.key {
                None => blake3::hash(source),
                Some(key) => blake3::keyed_hash(key, source),
            };
            target.copy_from_slice(digest.as_bytes());
            return;
        }
        let mut state = Self::new(params);
        state.update(source);
        state.finish(target);
        state.wipe();
    }
}
