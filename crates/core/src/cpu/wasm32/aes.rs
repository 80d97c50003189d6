//! AES in vectors of WebAssembly: [`bitsliced`](crate::primitives::bitsliced) has the steps. Bytes
//! are arranged by `i8x16.swizzle`.

use std::arch::wasm32::*;
use std::ops::{BitAnd, BitXor};

use crate::Error;
pub(crate) use crate::cpu::any::aes::WideKey;
use crate::primitives::MILLRACE;
use crate::primitives::bitsliced::{BLOCK, Key, Vector};
use crate::wipe::Plain;

/// A key for encryption.
pub(crate) struct Encryption(Key<V128>);

impl Encryption {
    pub(crate) const LIBRARY: &str = MILLRACE;

    pub(crate) fn new(key: &[u8]) -> Result<Self, Error> {
        Key::new(key).map(Self)
    }

    pub(crate) fn encrypt_blocks(&self, blocks: &mut [[u8; BLOCK]]) {
        self.0.encrypt(blocks);
    }
}

// SAFETY: made of vectors of integers and a number.
unsafe impl Plain for Encryption {}

/// A vector.
#[derive(Copy, Clone)]
#[repr(transparent)]
struct V128(v128);

impl BitXor for V128 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }
}

impl BitAnd for V128 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0))
    }
}

impl Vector for V128 {
    #[inline(always)]
    fn load(bytes: &[u8; BLOCK]) -> Self {
        // SAFETY: 16 bytes are read.
        Self(unsafe { v128_load(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8; BLOCK]) {
        // SAFETY: 16 bytes are written.
        unsafe { v128_store(bytes.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn up<const BY: u32>(self) -> Self {
        Self(u64x2_shl(self.0, BY))
    }

    #[inline(always)]
    fn down<const BY: u32>(self) -> Self {
        Self(u64x2_shr(self.0, BY))
    }

    #[inline(always)]
    fn arranged(self, order: Self) -> Self {
        Self(u8x16_swizzle(self.0, order.0))
    }
}
