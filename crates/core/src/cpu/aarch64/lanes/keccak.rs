//! Two states with the SHA-3 instructions of Armv8.2, which add and rotate, or add and select, in
//! one.
//!
//! 24 rounds are 1,900 instructions for two messages; in general registers they are 3,580 for each.
//! No machine with these instructions was at hand to measure. One state alone stays in general
//! registers: half of each vector would be idle.
//!
//! A vector has a word of each state, and the rounds are those of `cpu::any::keccak_p`:
//!
//! ```text
//! absorb:  words of both blocks are paired by TRN1 and TRN2, and XORed into the rows
//! theta:   c[x] = two EOR3
//!          d[x] = RAX1(c[x - 1], c[x + 1])            c[x - 1] ^ (c[x + 1] <<< 1)
//! rho:     b = XAR(a, d)                              (a ^ d) <<< offset
//! chi:     e[x] = BCAX(b[x], b[x + 2], b[x + 1])      b[x] ^ (b[x + 2] & !b[x + 1])
//! ```

use std::arch::aarch64::*;

use super::{Batch, Columns, Edges, Kernels, LaneKernel, Multibuffer, States, bits, run};
use crate::checkpoint::DigestSink;
use crate::cpu::features::Sha3;
use crate::hash::compression::constants::CONSTANTS_KECCAK;
use crate::hash::lanes::Sponge;

/// Returns how this family uses the kernels.
pub(crate) fn multibuffer(kernels: Kernels) -> Option<Multibuffer> {
    kernels.sha3.and_then(|_| Multibuffer::new(2, Sha3::NAMES, 2, &[]))
}

/// Hashes messages from a state, with the kernel until fewer are left than it takes. Digests
/// must not be longer than the rate.
pub(crate) fn hash<const ROUNDS: usize>(
    kernels: Kernels,
    (sponge, start): (Sponge<ROUNDS>, [u64; 25]),
    sources: &[&[u8]],
    target: &mut [u8],
    sink: DigestSink<'_>,
) {
    assert!(target.len() <= sponge.rate);
    let batch = &mut Batch::new(sponge, start, 0, sources, target, sink);
    if let Some(proof) = kernels.sha3 {
        // SAFETY: the proof says that the CPU has the instructions.
        unsafe { Pair::run(batch, proof) };
    }
    batch.scalar();
}

/// Two lanes.
#[derive(Copy, Clone)]
struct Pair(#[allow(dead_code)] Sha3); // a proof

impl<const ROUNDS: usize> LaneKernel<Sponge<ROUNDS>, 2> for Pair {
    type States = Columns<u64, 25, 2>;

    fn min_lanes(self) -> usize {
        2
    }

    // SAFETY: as in the trait.
    #[target_feature(enable = "neon,sha3")]
    unsafe fn step(
        self,
        sponge: Sponge<ROUNDS>,
        states: &mut Self::States,
        Edges { fresh, .. }: Edges,
        start: &[u64; 25],
        at: &[*const u8; 2],
        count: usize,
    ) {
        for lane in bits(fresh) {
            states.put(lane, start);
        }
        let (Columns(states), rate) = (states, sponge.rate / 8);
        for block in 0..count {
            let (one, other) =
                (at[0].wrapping_add(8 * block * rate), at[1].wrapping_add(8 * block * rate));
            let (pairs, last) = states[..rate].as_chunks_mut::<2>();
            for (pair, rows) in pairs.iter_mut().enumerate() {
                // SAFETY: reads two words of each block.
                unsafe {
                    let one = vreinterpretq_u64_u8(vld1q_u8(one.add(16 * pair)));
                    let other = vreinterpretq_u64_u8(vld1q_u8(other.add(16 * pair)));
                    add(&mut rows[0], vtrn1q_u64(one, other));
                    add(&mut rows[1], vtrn2q_u64(one, other));
                }
            }
            for row in last {
                // SAFETY: reads the last word of each block.
                unsafe {
                    let one = vreinterpret_u64_u8(vld1_u8(one.add(8 * (rate - 1))));
                    let other = vreinterpret_u64_u8(vld1_u8(other.add(8 * (rate - 1))));
                    add(row, vcombine_u64(one, other));
                }
            }
            permute::<ROUNDS>(states);
        }
    }

    #[inline(always)]
    fn digests(self, states: &Self::States, ended: u32, digests: &mut [[u8; 192]; 2], size: usize) {
        for lane in bits(ended) {
            let words = digests[lane].as_chunks_mut().0.iter_mut().zip(&states.0);
            words.take(size.div_ceil(8)).for_each(|(bytes, row)| *bytes = row[lane].to_le_bytes());
        }
    }
}

impl Pair {
    /// Runs with the kernel.
    #[target_feature(enable = "neon,sha3")]
    fn run<const ROUNDS: usize>(batch: &mut Batch<'_, '_, Sponge<ROUNDS>>, proof: Sha3) {
        run(Self(proof), batch);
    }
}

/// Adds words to a row.
#[inline]
#[target_feature(enable = "neon,sha3")]
fn add(row: &mut [u64; 2], words: uint64x2_t) {
    // SAFETY: reads and writes the row.
    unsafe { vst1q_u64(row.as_mut_ptr(), veorq_u64(vld1q_u64(row.as_ptr()), words)) };
}

/// One round from the words `$a` to the words `$e`, both in rows.
macro_rules! round {
    ($constant:expr,
     $a00:ident $a01:ident $a02:ident $a03:ident $a04:ident
     $a10:ident $a11:ident $a12:ident $a13:ident $a14:ident
     $a20:ident $a21:ident $a22:ident $a23:ident $a24:ident
     $a30:ident $a31:ident $a32:ident $a33:ident $a34:ident
     $a40:ident $a41:ident $a42:ident $a43:ident $a44:ident =>
     $e00:ident $e01:ident $e02:ident $e03:ident $e04:ident
     $e10:ident $e11:ident $e12:ident $e13:ident $e14:ident
     $e20:ident $e21:ident $e22:ident $e23:ident $e24:ident
     $e30:ident $e31:ident $e32:ident $e33:ident $e34:ident
     $e40:ident $e41:ident $e42:ident $e43:ident $e44:ident) => {
        let c0 = veor3q_u64(veor3q_u64($a00, $a10, $a20), $a30, $a40);
        let c1 = veor3q_u64(veor3q_u64($a01, $a11, $a21), $a31, $a41);
        let c2 = veor3q_u64(veor3q_u64($a02, $a12, $a22), $a32, $a42);
        let c3 = veor3q_u64(veor3q_u64($a03, $a13, $a23), $a33, $a43);
        let c4 = veor3q_u64(veor3q_u64($a04, $a14, $a24), $a34, $a44);
        let (d0, d1, d2) = (vrax1q_u64(c4, c1), vrax1q_u64(c0, c2), vrax1q_u64(c1, c3));
        let (d3, d4) = (vrax1q_u64(c2, c4), vrax1q_u64(c3, c0));
        round!(@row $a00 d0 0, $a11 d1 44, $a22 d2 43, $a33 d3 21, $a44 d4 14 =>
            $e00 $e01 $e02 $e03 $e04);
        let $e00 = veorq_u64($e00, vdupq_n_u64($constant));
        round!(@row $a03 d3 28, $a14 d4 20, $a20 d0 3, $a31 d1 45, $a42 d2 61 =>
            $e10 $e11 $e12 $e13 $e14);
        round!(@row $a01 d1 1, $a12 d2 6, $a23 d3 25, $a34 d4 8, $a40 d0 18 =>
            $e20 $e21 $e22 $e23 $e24);
        round!(@row $a04 d4 27, $a10 d0 36, $a21 d1 10, $a32 d2 15, $a43 d3 56 =>
            $e30 $e31 $e32 $e33 $e34);
        round!(@row $a02 d2 62, $a13 d3 55, $a24 d4 39, $a30 d0 41, $a41 d1 2 =>
            $e40 $e41 $e42 $e43 $e44);
    };
    (@row $b0:ident $d0:ident $r0:tt, $b1:ident $d1:ident $r1:tt, $b2:ident $d2:ident $r2:tt,
     $b3:ident $d3:ident $r3:tt, $b4:ident $d4:ident $r4:tt =>
     $e0:ident $e1:ident $e2:ident $e3:ident $e4:ident) => {
        let b0 = round!(@rotated $b0 $d0 $r0);
        let b1 = round!(@rotated $b1 $d1 $r1);
        let b2 = round!(@rotated $b2 $d2 $r2);
        let b3 = round!(@rotated $b3 $d3 $r3);
        let b4 = round!(@rotated $b4 $d4 $r4);
        let $e0 = vbcaxq_u64(b0, b2, b1);
        let $e1 = vbcaxq_u64(b1, b3, b2);
        let $e2 = vbcaxq_u64(b2, b4, b3);
        let $e3 = vbcaxq_u64(b3, b0, b4);
        let $e4 = vbcaxq_u64(b4, b1, b0);
    };
    (@rotated $b:ident $d:ident 0) => {
        veorq_u64($b, $d)
    };
    // The instruction rotates to the right.
    (@rotated $b:ident $d:ident $left:tt) => {
        vxarq_u64::<{ 64 - $left }>($b, $d)
    };
}

#[inline]
#[target_feature(enable = "neon,sha3")]
#[rustfmt::skip] // rows
fn permute<const ROUNDS: usize>(states: &mut [[u64; 2]; 25]) {
    // SAFETY: a row of two words is as large as a vector of them.
    let words = unsafe { (&raw const *states).cast::<[uint64x2_t; 25]>().read_unaligned() };
    let [
        mut a00, mut a01, mut a02, mut a03, mut a04,
        mut a10, mut a11, mut a12, mut a13, mut a14,
        mut a20, mut a21, mut a22, mut a23, mut a24,
        mut a30, mut a31, mut a32, mut a33, mut a34,
        mut a40, mut a41, mut a42, mut a43, mut a44,
    ] = words;
    for &[first, second] in CONSTANTS_KECCAK[24 - ROUNDS..].as_chunks().0 {
        round!(first,
            a00 a01 a02 a03 a04 a10 a11 a12 a13 a14 a20 a21 a22 a23 a24
            a30 a31 a32 a33 a34 a40 a41 a42 a43 a44 =>
            e00 e01 e02 e03 e04 e10 e11 e12 e13 e14 e20 e21 e22 e23 e24
            e30 e31 e32 e33 e34 e40 e41 e42 e43 e44);
        round!(second,
            e00 e01 e02 e03 e04 e10 e11 e12 e13 e14 e20 e21 e22 e23 e24
            e30 e31 e32 e33 e34 e40 e41 e42 e43 e44 =>
            f00 f01 f02 f03 f04 f10 f11 f12 f13 f14 f20 f21 f22 f23 f24
            f30 f31 f32 f33 f34 f40 f41 f42 f43 f44);
        [a00, a01, a02, a03, a04, a10, a11, a12, a13, a14, a20, a21, a22] =
            [f00, f01, f02, f03, f04, f10, f11, f12, f13, f14, f20, f21, f22];
        [a23, a24, a30, a31, a32, a33, a34, a40, a41, a42, a43, a44] =
            [f23, f24, f30, f31, f32, f33, f34, f40, f41, f42, f43, f44];
    }
    let words = [
        a00, a01, a02, a03, a04,
        a10, a11, a12, a13, a14,
        a20, a21, a22, a23, a24,
        a30, a31, a32, a33, a34,
        a40, a41, a42, a43, a44,
    ];
    // SAFETY: as above.
    unsafe { (&raw mut *states).cast::<[uint64x2_t; 25]>().write_unaligned(words) };
}
