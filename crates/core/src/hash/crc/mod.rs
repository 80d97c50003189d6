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

#[allow(dead_code)] // in WebAssembly, which has no products
pub(crate) mod field;

use self::field::BLOCK;
use super::digest::Digest;
use super::state_format as state;
use crate::cpu::kernels::crc::absorb;
use crate::inputs::Params;

/// CRC-32 of ISO-HDLC, with the polynomial of IEEE 802.3.
pub(crate) type Crc32 = Crc<0xedb8_8320, 4>;
/// CRC-32C, with Castagnoli's polynomial.
pub(crate) type Crc32c = Crc<0x82f6_3b78, 4>;
/// CRC-64/NVME.
pub(crate) type Crc64Nvme = Crc<0x9a6c_9329_ac4b_c9b5, 8>;

/// A running CRC with the reflected polynomial `POLY` and `SIZE` bytes of digest.
#[derive(Clone)]
pub(crate) struct Crc<const POLY: u64, const SIZE: usize> {
    /// The remainder so far, not inverted.
    register: u64,
}

impl<const POLY: u64, const SIZE: usize> Crc<POLY, SIZE> {
    /// The register before the first byte, and what inverts it after the last.
    const ONES: u64 = u64::MAX >> (64 - 8 * SIZE);
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
        self.register = absorb::<POLY>(self.register, source);
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
