//! CRCs by carry-less products of 64-bit ARM (PMULL): [`field`](crate::hash::crc::field) has the
//! steps. Four blocks are folded independently of each other, because a product takes several
//! cycles and a new one can begin in each.

use std::arch::aarch64::*;

use crate::cpu::features::Pmull;
use crate::hash::crc::field::{BLOCK, Constants, Polynomial, by_tables};

/// Absorbs bytes with products if the CPU has them.
#[inline]
pub(crate) fn absorb<const POLY: u64>(register: u64, source: &[u8]) -> u64 {
    let tables = Polynomial::<POLY>::TABLES;
    let (blocks, rest) = source.as_chunks();
    match Pmull::detect() {
        Some(proof) if !blocks.is_empty() => {
            // SAFETY: the proof says that the CPU has the instructions.
            let register = unsafe { fold(Polynomial::<POLY>::CONSTANTS, register, blocks, proof) };
            by_tables(tables, register, rest)
        }
        _ => by_tables(tables, register, source),
    }
}

/// Calls `check` with the register after the blocks if the CPU has products.
#[cfg(test)]
pub(crate) fn each(
    constants: &Constants,
    register: u64,
    blocks: &[[u8; BLOCK]],
    check: impl Fn(u64),
) {
    use crate::cpu::features::OrSkip;

    if let Some(proof) = Pmull::detect().or_skip() {
        // SAFETY: the proof says that the CPU has the instructions.
        check(unsafe { fold(constants, register, blocks, proof) });
    }
}

/// Absorbs at least one block, four at once.
#[target_feature(enable = "neon,aes")]
fn fold(constants: &Constants, register: u64, blocks: &[[u8; BLOCK]], _proof: Pmull) -> u64 {
    let (groups, rest) = blocks.as_chunks::<4>();
    let Some((first, groups)) = groups.split_first() else {
        return tail(constants, begin(register, &rest[0]), &rest[1..]);
    };
    let [mut a, mut b, mut c, mut d] =
        [begin(register, &first[0]), load(&first[1]), load(&first[2]), load(&first[3])];
    let [one, two, four, ..] = constants.forward;
    for group in groups {
        a = forward(a, four, load(&group[0]));
        b = forward(b, four, load(&group[1]));
        c = forward(c, four, load(&group[2]));
        d = forward(d, four, load(&group[3]));
    }
    tail(constants, forward(forward(a, one, b), two, forward(c, one, d)), rest)
}

/// Absorbs the blocks after those in `sum` one by one and returns the register.
#[inline]
#[target_feature(enable = "neon,aes")]
fn tail(constants: &Constants, mut sum: uint64x2_t, rest: &[[u8; BLOCK]]) -> u64 {
    for block in rest {
        sum = forward(sum, constants.forward[0], load(block));
    }
    reduce(constants, vgetq_lane_u64::<0>(sum), vgetq_lane_u64::<1>(sum))
}

/// Returns the remainder of a block times x^64, after Barrett.
#[inline]
#[target_feature(enable = "neon,aes")]
fn reduce(constants: &Constants, first: u64, second: u64) -> u64 {
    // The first word times x^128, the second times x^64.
    let dividend = vmull_p64(first, constants.forward[0][1]);
    let (low, high) = (dividend as u64 ^ second, (dividend >> 64) as u64);
    let quotient = vmull_p64(low, constants.quotient) as u64;
    let multiple = (vmull_p64(quotient, constants.divisor) >> 64) as u64;
    high ^ multiple ^ quotient & constants.odd
}

/// Returns the block moved by the distance of the factors, plus the block there.
#[inline]
#[target_feature(enable = "neon,aes")]
fn forward(block: uint64x2_t, factors: [u64; 2], there: uint64x2_t) -> uint64x2_t {
    let first = vmull_p64(vgetq_lane_u64::<0>(block), factors[0]);
    let second = vmull_p64(vgetq_lane_u64::<1>(block), factors[1]);
    veorq_u64(veorq_u64(vreinterpretq_u64_p128(first), vreinterpretq_u64_p128(second)), there)
}

/// Returns the first block of the rest of a message, with the register added.
#[inline]
#[target_feature(enable = "neon,aes")]
fn begin(register: u64, block: &[u8; BLOCK]) -> uint64x2_t {
    veorq_u64(load(block), vcombine_u64(vcreate_u64(register), vcreate_u64(0)))
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn load(block: &[u8; BLOCK]) -> uint64x2_t {
    // SAFETY: reads the 16 bytes of the block, at any alignment.
    unsafe { vreinterpretq_u64_u8(vld1q_u8(block.as_ptr())) }
}
