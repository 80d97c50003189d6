//! CRCs by tables of sixteen bytes at once. The tables are made at first use: in a module of
//! WebAssembly they would be most of its bytes.
//!
//! ```text
//! tables[k][byte] = the remainder of the byte when k bytes follow it, k in 0..16
//! for each block b[0..16]
//!     b[0..8] ^= register
//!     register = the XOR of tables[15 - i][b[i]], i in 0..16
//! each byte of the rest: register = register >> 8 ^ tables[0][lowest byte of register ^ byte]
//! ```

use std::sync::OnceLock;

use crate::hash::crc::field::times_x;
#[cfg(test)]
use crate::hash::crc::field::{BLOCK, Constants};

/// Absorbs bytes. `POLY` is one of the three polynomials.
pub(crate) fn absorb<const POLY: u64>(register: u64, source: &[u8]) -> u64 {
    match POLY {
        ieee::POLY => ieee::absorb(register, source),
        castagnoli::POLY => castagnoli::absorb(register, source),
        nvme::POLY => nvme::absorb(register, source),
        _ => unreachable!("another polynomial"),
    }
}

/// Calls nothing: there are no other instructions for it.
#[cfg(test)]
pub(crate) fn each(_: &Constants, _: u64, _: &[[u8; BLOCK]], _: impl Fn(u64)) {}

/// Defines the routine of a polynomial with a register of `$word`.
macro_rules! sliced {
    ($name:ident, $word:ty, $poly:literal) => {
        mod $name {
            use super::*;

            pub(super) const POLY: u64 = $poly;
            /// For each byte, its remainder when 0 to 15 bytes follow it.
            type Tables = [[$word; 256]; 16];
            static TABLES: OnceLock<Tables> = OnceLock::new();

            #[cold]
            fn tables() -> Tables {
                let mut tables = [[0; 256]; 16];
                for byte in 0..256 {
                    let mut register = byte as u64;
                    for table in &mut tables {
                        register = (0..8).fold(register, |register, _| times_x(POLY, register));
                        table[byte] = register as $word;
                    }
                }
                tables
            }

            pub(super) fn absorb(register: u64, source: &[u8]) -> u64 {
                let tables = TABLES.get_or_init(tables);
                let [near, far] = tables.as_chunks::<8>().0 else { return register };
                let (blocks, rest) = source.as_chunks::<16>();
                let register = blocks.iter().fold(register as $word, |register, block| {
                    let number = u128::from_le_bytes(*block);
                    word(near, (number >> 64) as u64) ^ word(far, number as u64 ^ register as u64)
                });
                rest.iter().fold(register.into(), |register, byte| {
                    register >> 8 ^ u64::from(near[0][usize::from(register as u8 ^ byte)])
                })
            }

            /// Returns the remainder of eight bytes, the last of which has the first table.
            #[inline(always)]
            fn word(tables: &[[$word; 256]; 8], bytes: u64) -> $word {
                let [a, b, c, d, e, f, g, h] = bytes.to_le_bytes().map(usize::from);
                ((tables[7][a] ^ tables[6][b]) ^ (tables[5][c] ^ tables[4][d]))
                    ^ ((tables[3][e] ^ tables[2][f]) ^ (tables[1][g] ^ tables[0][h]))
            }
        }
    };
}

sliced!(ieee, u32, 0xedb8_8320);
sliced!(castagnoli, u32, 0x82f6_3b78);
sliced!(nvme, u64, 0x9a6c_9329_ac4b_c9b5);
