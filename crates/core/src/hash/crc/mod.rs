//! Cyclic redundancy checks: CRC-32 (ISO-HDLC: zlib, gzip, PNG), CRC-32C (RFC 3720) and
//! CRC-64/NVME. Digests are big-endian, which is the number as `zlib.crc32` and S3 write it. None
//! is cryptographic: nothing here is secret or wiped.
//!
//! Millrace's own code: `crc32fast` computes CRC-32 only, and `crc-fast` has no products of 256
//! bits, so it takes twice as long on CPUs without AVX-512, and adds 784 KB to a binary.
//!
//! All three reflect their bits, begin with ones and invert the result, so that one routine serves
//! them: a CRC with a polynomial P of degree 32 is one of degree 64 with P·x^32 and a register with
//! the 32 bits below and zeros above. The constants of each polynomial are computed at compile
//! time.
//!
//! A saved state is the register, little-endian, in as many bytes as the digest. Each is the state
//! of some message.

#[cfg(target_arch = "aarch64")]
mod arm;
mod field;
#[cfg(any(target_arch = "wasm32", test))]
mod sliced;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::digest::Digest;
use super::state_format as state;
#[cfg(target_arch = "aarch64")]
use crate::cpu::features::Pmull;
#[cfg(target_arch = "x86_64")]
use crate::cpu::features::{Carryless, Fold256, Fold512};
use crate::inputs::Params;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use field::Constants;
#[cfg(not(target_arch = "wasm32"))]
use field::tables;

/// CRC-32 of ISO-HDLC, with the polynomial of IEEE 802.3.
pub(crate) type Crc32 = Crc<0xedb8_8320, 4>;
/// CRC-32C, with Castagnoli's polynomial.
pub(crate) type Crc32c = Crc<0x82f6_3b78, 4>;
/// CRC-64/NVME.
pub(crate) type Crc64Nvme = Crc<0x9a6c_9329_ac4b_c9b5, 8>;

/// Bytes of a block, which a carry-less product folds.
const BLOCK: usize = 16;

/// A running CRC with the reflected polynomial `POLY` and `SIZE` bytes of digest.
#[derive(Clone)]
pub(crate) struct Crc<const POLY: u64, const SIZE: usize> {
    /// The remainder so far, not inverted.
    register: u64,
}

impl<const POLY: u64, const SIZE: usize> Crc<POLY, SIZE> {
    /// The register before the first byte, and what inverts it after the last.
    const ONES: u64 = u64::MAX >> (64 - 8 * SIZE);
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    const CONSTANTS: &'static Constants = &Constants::of(POLY);
    #[cfg(not(target_arch = "wasm32"))]
    const TABLES: &'static [[u64; 256]; 8] = &tables(POLY);

    /// Returns the register after more of the message.
    #[inline]
    fn absorb(register: u64, source: &[u8]) -> u64 {
        #[cfg(target_arch = "wasm32")]
        return sliced::absorb::<POLY>(register, source);
        #[cfg(not(target_arch = "wasm32"))]
        {
            let (blocks, rest) = source.as_chunks();
            by_tables(Self::TABLES, absorb_blocks::<POLY, SIZE>(register, blocks), rest)
        }
    }
}

/// Absorbs whole blocks with the widest products that the CPU has.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn absorb_blocks<const POLY: u64, const SIZE: usize>(register: u64, blocks: &[[u8; BLOCK]]) -> u64 {
    if blocks.is_empty() {
        return register;
    }
    #[cfg(target_arch = "x86_64")]
    {
        let constants = Crc::<POLY, SIZE>::CONSTANTS;
        if blocks.len() >= x86::WIDE {
            if let Some(proof) = Fold512::detect() {
                // SAFETY: the proof says that the CPU has the instructions.
                return unsafe { x86::fold_512(constants, register, blocks, proof) };
            }
            if let Some(proof) = Fold256::detect() {
                // SAFETY: the proof says that the CPU has the instructions.
                return unsafe { x86::fold_256(constants, register, blocks, proof) };
            }
        }
        if let Some(proof) = Carryless::detect() {
            // SAFETY: the proof says that the CPU has the instructions.
            return unsafe { x86::fold_128(constants, register, blocks, proof) };
        }
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(proof) = Pmull::detect() {
        // SAFETY: the proof says that the CPU has the instructions.
        return unsafe { arm::fold(Crc::<POLY, SIZE>::CONSTANTS, register, blocks, proof) };
    }
    by_tables(Crc::<POLY, SIZE>::TABLES, register, blocks.as_flattened())
}

/// Absorbs eight bytes at once, then the rest, with tables.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn by_tables(tables: &[[u64; 256]; 8], mut register: u64, source: &[u8]) -> u64 {
    let (words, rest) = source.as_chunks();
    for word in words {
        let mixed = (register ^ u64::from_le_bytes(*word)).to_le_bytes();
        register = 0;
        for (table, byte) in tables.iter().rev().zip(mixed) {
            register ^= table[usize::from(byte)];
        }
    }
    for byte in rest {
        register = register >> 8 ^ tables[0][usize::from(register as u8 ^ byte)];
    }
    register
}

impl<const POLY: u64, const SIZE: usize> Digest for Crc<POLY, SIZE> {
    const BLOCK: usize = BLOCK;
    const SIZE: usize = SIZE;
    const STATE: usize = SIZE;
    // So short that the three steps of a state of any hash would cost a third more.
    #[inline]
    fn new(_params: &Params<'_>) -> Self {
        Self { register: Self::ONES }
    }

    #[inline]
    fn update(&mut self, source: &[u8]) {
        self.register = Self::absorb(self.register, source);
    }

    #[inline]
    fn finish(&mut self, target: &mut [u8]) {
        target.copy_from_slice(&(self.register ^ Self::ONES).to_be_bytes()[8 - SIZE..]);
    }

    #[inline]
    fn save(&self, state: &mut [u8]) {
        state::Writer::over(state).bytes(&self.register.to_le_bytes()[..SIZE]).end();
    }

    #[inline]
    fn load(_params: &Params<'_>, state: &[u8]) -> Option<Self> {
        let register = state::Reader::of(state, SIZE)?.bytes::<SIZE>()?;
        let mut bytes = [0; 8];
        bytes[..SIZE].copy_from_slice(register);
        Some(Self { register: u64::from_le_bytes(bytes) })
    }

    #[inline]
    fn wipe(&mut self) {}
}

#[cfg(test)]
mod tests;
