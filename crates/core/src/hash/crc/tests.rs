//! The products and the tables against the definition, bit by bit.

use super::*;

/// Divides bit by bit.
fn by_definition<const POLY: u64, const SIZE: usize>(source: &[u8]) -> u64 {
    let ones = Crc::<POLY, SIZE>::ONES;
    let mut register = ones;
    for byte in source {
        register ^= u64::from(*byte);
        for _ in 0..8 {
            register = register >> 1 ^ if register & 1 == 1 { POLY } else { 0 };
        }
    }
    register ^ ones
}

fn pattern(size: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..size).map(next).collect()
}

fn compare<const POLY: u64, const SIZE: usize>() {
    let source = pattern(2048 + 16);
    let constants = Crc::<POLY, SIZE>::CONSTANTS;
    let ones = Crc::<POLY, SIZE>::ONES;
    for size in (0..300).chain(500..540).chain([1000, 1023, 1024, 1025, 1300, 1700, 2047, 2048]) {
        for offset in [0, 1, 15] {
            let source = &source[offset..offset + size];
            let expected = by_definition::<POLY, SIZE>(source);
            assert_eq!(Crc::<POLY, SIZE>::absorb(ones, source) ^ ones, expected, "{size}");
            let tables = Crc::<POLY, SIZE>::TABLES;
            assert_eq!(by_tables(tables, ones, source) ^ ones, expected, "{size} by tables");
            assert_eq!(sliced::absorb::<POLY>(ones, source) ^ ones, expected, "{size} sliced");
            let (blocks, rest) = source.as_chunks();
            if blocks.is_empty() {
                continue;
            }
            let check = |register| {
                assert_eq!(by_tables(tables, register, rest) ^ ones, expected, "{size}");
            };
            #[cfg(target_arch = "x86_64")]
            {
                use crate::cpu::features::OrSkip;
                if let Some(proof) = Carryless::detect().or_skip() {
                    // SAFETY: the proof says that the CPU has the instructions.
                    check(unsafe { x86::fold_128(constants, ones, blocks, proof) });
                }
                if let Some(proof) = Fold256::detect().or_skip()
                    && blocks.len() >= x86::WIDE
                {
                    // SAFETY: the proof says that the CPU has the instructions.
                    check(unsafe { x86::fold_256(constants, ones, blocks, proof) });
                }
                if let Some(proof) = Fold512::detect().or_skip()
                    && blocks.len() >= x86::WIDE
                {
                    // SAFETY: the proof says that the CPU has the instructions.
                    check(unsafe { x86::fold_512(constants, ones, blocks, proof) });
                }
            }
            #[cfg(target_arch = "aarch64")]
            if let Some(proof) = Pmull::detect() {
                // SAFETY: the proof says that the CPU has the instructions.
                check(unsafe { arm::fold(constants, ones, blocks, proof) });
            }
        }
    }
}

#[test]
fn every_routine_divides_as_defined() {
    compare::<0xedb8_8320, 4>();
    compare::<0x82f6_3b78, 4>();
    compare::<0x9a6c_9329_ac4b_c9b5, 8>();
}
