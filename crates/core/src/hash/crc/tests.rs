//! The products and the tables against the definition, bit by bit.

use super::field::{Polynomial, by_tables};
use super::*;
use crate::cpu::{any, kernels};
use crate::tests::reads;

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
    let source = pattern(2048);
    let constants = Polynomial::<POLY>::CONSTANTS;
    let tables = Polynomial::<POLY>::TABLES;
    let ones = Crc::<POLY, SIZE>::ONES;
    for size in (0..1400).chain([1700, 2047, 2048]) {
        let expected = by_definition::<POLY, SIZE>(&source[..size]);
        reads(&source[..size], |source| {
            assert_eq!(absorb::<POLY>(ones, source) ^ ones, expected, "{size}");
            assert_eq!(by_tables(tables, ones, source) ^ ones, expected, "{size} by tables");
            assert_eq!(any::crc::absorb::<POLY>(ones, source) ^ ones, expected, "{size} sliced");
            let (blocks, rest) = source.as_chunks();
            if !blocks.is_empty() {
                kernels::crc::each(constants, ones, blocks, |register| {
                    assert_eq!(by_tables(tables, register, rest) ^ ones, expected, "{size}");
                });
            }
        });
    }
}

#[test]
fn every_routine_divides_as_defined() {
    compare::<0xedb8_8320, 4>();
    compare::<0x82f6_3b78, 4>();
    compare::<0x9a6c_9329_ac4b_c9b5, 8>();
}
