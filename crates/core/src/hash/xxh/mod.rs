//! The xxHash family: XXH32, XXH64, and XXH3 with 64 and with 128 bits. Digests are in the
//! canonical, big-endian form. None is cryptographic: nothing here is secret or wiped.
//!
//! Millrace's own code, because `twox-hash` does not expose states that are portable between
//! machines. The tests compare with it.
//!
//! A saved state is a function of the seed and the bytes absorbed. It does not depend on how the
//! message was divided or on the instructions in use. All numbers are little-endian:
//!
//! | field  | XXH32 | XXH64 | XXH3 | |
//! |--------|-------|-------|------|------------------------------------------------------------|
//! | seed   | 8     | 8     | 8    | must be that of the parameters when the state is loaded     |
//! | length | 8     | 8     | 8    | bytes absorbed                                              |
//! | lanes  | 4 × 4 | 4 × 8 | 8 × 8| the accumulators                                  |
//! | buffer | 16    | 32    | 256  | what the lanes lack; XXH3: the message's last 256 bytes,    |
//! |        |       |       |      | byte `i` at `i % 256`. Zero where nothing has been written  |

mod four_lanes;
pub(crate) mod rounds;
pub(crate) mod xxh3;
mod xxh32;
mod xxh64;

pub(crate) use xxh3::{Xxh3_64, Xxh3_128};
pub(crate) use xxh32::Xxh32;
pub(crate) use xxh64::Xxh64;

pub(crate) const PRIME32_1: u32 = 0x9e37_79b1;
pub(crate) const PRIME32_2: u32 = 0x85eb_ca77;
pub(crate) const PRIME32_3: u32 = 0xc2b2_ae3d;
pub(crate) const PRIME32_4: u32 = 0x27d4_eb2f;
pub(crate) const PRIME32_5: u32 = 0x1656_67b1;
pub(crate) const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
pub(crate) const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
pub(crate) const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;
pub(crate) const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
pub(crate) const PRIME64_5: u64 = 0x27d4_eb2f_1656_67c5;

/// The longest message, so that a loaded state cannot overflow its count.
pub(crate) const LENGTH_LIMIT: u64 = 1 << 62;

/// Bytes from which one function for the whole message is faster, in XXH32 with vectors.
pub(crate) const LONG: usize = 1024;

/// Returns the four bytes at `at`.
#[inline(always)]
pub(crate) fn word32(source: &[u8], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&source[at..at + 4]);
    u32::from_le_bytes(bytes)
}

/// Returns the eight bytes at `at`.
#[inline(always)]
pub(crate) fn word64(source: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&source[at..at + 8]);
    u64::from_le_bytes(bytes)
}
