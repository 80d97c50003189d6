//! Eight states with AVX-512 or four with AVX2.
//!
//! ns a permutation and message on Zen 5, where one by one takes 188: AVX-512 with eight lanes 24,
//! so that already two messages win; AVX2 with four 84.
//!
//! ns of Keccak-256 of 64 bytes, 1 KiB and 4 KiB, one by one and 64 at once: 216 and 32, 1670 and
//! 210, 6460 and 790; of lengths up to 2 KiB mixed 1690 and 230. Half of what a short message saves
//! comes of padding it and writing its digest in registers (54 and 33).
//!
//! A row of memory has a word of each state.
//!
//! ```text
//! for each block
//!     rows ^= the words of the block, of which as many as there are lanes are transposed at once
//!     25 vectors = the rows
//!     rounds: those of `cpu::any::keccak_p`, with parities computed anew; two at a time
//!     rows = the vectors
//! ```
//!
//! With AVX-512 the XOR of three and chi are a VPTERNLOGQ each, and rotations a VPROLQ.

use std::arch::x86_64::*;

use super::vectors::{U64x4, U64x8};
use super::{Batch, BlockHash, Columns, Edges, Kernels, LaneKernel, Multibuffer, run};
use crate::checkpoint::DigestSink;
use crate::cpu::features::{Avx2, Avx512};
use crate::hash::compression::constants::CONSTANTS_KECCAK;
use crate::hash::lanes::Sponge;

/// Returns how this family uses the kernels.
pub(crate) fn multibuffer(kernels: Kernels) -> Option<Multibuffer> {
    match kernels {
        Kernels { avx512: Some(_), .. } => Multibuffer::new(8, Avx512::NAMES, 2, &[]),
        Kernels { avx2: Some(_), .. } => Multibuffer::new(4, Avx2::NAMES, 2, &[]),
        _ => None,
    }
}

/// Hashes messages from a state, with the widest kernel until fewer are left than it takes. Digests
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
    // SAFETY: the proof says that the CPU has the instructions.
    unsafe {
        match (kernels.avx512, kernels.avx2) {
            (Some(proof), _) => Wide::run(batch, proof),
            (None, Some(proof)) => Narrow::run(batch, proof),
            (None, None) => {}
        }
    }
    batch.scalar();
}

/// One round from the words `$a` to the words `$e`, both in rows.
macro_rules! round {
    ($set:ident, $constant:expr,
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
        let c0 = $set::xor_3($set::xor_3($a00, $a10, $a20), $a30, $a40);
        let c1 = $set::xor_3($set::xor_3($a01, $a11, $a21), $a31, $a41);
        let c2 = $set::xor_3($set::xor_3($a02, $a12, $a22), $a32, $a42);
        let c3 = $set::xor_3($set::xor_3($a03, $a13, $a23), $a33, $a43);
        let c4 = $set::xor_3($set::xor_3($a04, $a14, $a24), $a34, $a44);
        let d0 = $set::xor(c4, $set::rotated_left::<1>(c1));
        let d1 = $set::xor(c0, $set::rotated_left::<1>(c2));
        let d2 = $set::xor(c1, $set::rotated_left::<1>(c3));
        let d3 = $set::xor(c2, $set::rotated_left::<1>(c4));
        let d4 = $set::xor(c3, $set::rotated_left::<1>(c0));
        round!(@row $set, $a00 d0 0, $a11 d1 44, $a22 d2 43, $a33 d3 21, $a44 d4 14 =>
            $e00 $e01 $e02 $e03 $e04);
        let $e00 = $set::xor($e00, $set::all($constant));
        round!(@row $set, $a03 d3 28, $a14 d4 20, $a20 d0 3, $a31 d1 45, $a42 d2 61 =>
            $e10 $e11 $e12 $e13 $e14);
        round!(@row $set, $a01 d1 1, $a12 d2 6, $a23 d3 25, $a34 d4 8, $a40 d0 18 =>
            $e20 $e21 $e22 $e23 $e24);
        round!(@row $set, $a04 d4 27, $a10 d0 36, $a21 d1 10, $a32 d2 15, $a43 d3 56 =>
            $e30 $e31 $e32 $e33 $e34);
        round!(@row $set, $a02 d2 62, $a13 d3 55, $a24 d4 39, $a30 d0 41, $a41 d1 2 =>
            $e40 $e41 $e42 $e43 $e44);
    };
    (@row $set:ident, $b0:ident $d0:ident $r0:literal, $b1:ident $d1:ident $r1:literal,
     $b2:ident $d2:ident $r2:literal, $b3:ident $d3:ident $r3:literal,
     $b4:ident $d4:ident $r4:literal => $e0:ident $e1:ident $e2:ident $e3:ident $e4:ident) => {
        let b0 = $set::rotated_left::<$r0>($set::xor($b0, $d0));
        let b1 = $set::rotated_left::<$r1>($set::xor($b1, $d1));
        let b2 = $set::rotated_left::<$r2>($set::xor($b2, $d2));
        let b3 = $set::rotated_left::<$r3>($set::xor($b3, $d3));
        let b4 = $set::rotated_left::<$r4>($set::xor($b4, $d4));
        let $e0 = $set::chi(b0, b1, b2);
        let $e1 = $set::chi(b1, b2, b3);
        let $e2 = $set::chi(b2, b3, b4);
        let $e3 = $set::chi(b3, b4, b0);
        let $e4 = $set::chi(b4, b0, b1);
    };
}

/// Defines a kernel of vectors (`$set`).
macro_rules! simd_kernel {
    ($(#[$doc:meta])* $name:ident, $set:ident, $lanes:literal, $proof:ident, $features:literal,
        $vector:ty, $pad:expr) => {
        $(#[$doc])*
        #[derive(Copy, Clone)]
        struct $name(#[allow(dead_code)] $proof);

        impl<const ROUNDS: usize> LaneKernel<Sponge<ROUNDS>, $lanes> for $name {
            type States = Columns<u64, 25, $lanes>;

            fn min_lanes(self) -> usize {
                2
            }

            // SAFETY: as in the trait.
            #[target_feature(enable = $features)]
            unsafe fn step(
                self,
                sponge: Sponge<ROUNDS>,
                Columns(states): &mut Self::States,
                Edges { fresh, .. }: Edges,
                start: &[u64; 25],
                at: &[*const u8; $lanes],
                count: usize,
            ) {
                let rate = sponge.rate / 8;
                if fresh != 0 {
                    for (row, &word) in states.iter_mut().zip(start) {
                        $set::store(row, $set::put($set::load(row), fresh, word));
                    }
                }
                for block in 0..count {
                    for part in (0..rate).step_by($lanes) {
                        // SAFETY: words of a block, which has `rate`; `block` is less than `count`.
                        let columns = unsafe { $set::columns(at, 8 * (block * rate + part),
                            (rate - part).min($lanes)) };
                        for (row, column) in states[part..part + $lanes].iter_mut().zip(columns) {
                            $set::store(row, $set::xor($set::load(row), column));
                        }
                    }
                    Self::permute::<ROUNDS>(states);
                }
            }

            #[inline(always)]
            fn pad(self, sponge: Sponge<ROUNDS>, tail: &mut [u8; 192], rest: &[u8], length: u64) {
                let pad: fn(Self, Sponge<ROUNDS>, &mut [u8; 192], &[u8], u64) = $pad;
                pad(self, sponge, tail, rest, length);
            }

            #[inline(always)]
            fn digests(self, states: &Self::States, _ended: u32, digests: &mut [[u8; 192]; $lanes],
                size: usize) {
                // SAFETY: the proof says that the CPU has the instructions.
                unsafe { Self::all_digests(&states.0, digests, size) }
            }
        }

        impl $name {
            /// Runs with the kernel.
            #[target_feature(enable = $features)]
            fn run<const ROUNDS: usize>(
                batch: &mut Batch<'_, '_, Sponge<ROUNDS>>,
                proof: $proof,
            ) {
                run(Self(proof), batch);
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn all_digests(states: &[[u64; $lanes]; 25], digests: &mut [[u8; 192]; $lanes],
                size: usize) {
                for (part,
                    rows) in states.as_chunks::<$lanes>().0.iter().enumerate().take(size.div_ceil(8
                    * $lanes)) {
                    $set::part(rows.each_ref().map(|row| $set::load(row)), digests,
                        8 * $lanes * part);
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            #[rustfmt::skip] // rows
            fn permute<const ROUNDS: usize>(states: &mut [[u64; $lanes]; 25]) {
                let [
                    mut a00, mut a01, mut a02, mut a03, mut a04,
                    mut a10, mut a11, mut a12, mut a13, mut a14,
                    mut a20, mut a21, mut a22, mut a23, mut a24,
                    mut a30, mut a31, mut a32, mut a33, mut a34,
                    mut a40, mut a41, mut a42, mut a43, mut a44,
                ]: [$vector; 25] = std::array::from_fn(|index| $set::load(&states[index]));
                for &[first, second] in CONSTANTS_KECCAK[24 - ROUNDS..].as_chunks().0 {
                    round!($set, first,
                        a00 a01 a02 a03 a04 a10 a11 a12 a13 a14 a20 a21 a22 a23 a24
                        a30 a31 a32 a33 a34 a40 a41 a42 a43 a44 =>
                        e00 e01 e02 e03 e04 e10 e11 e12 e13 e14 e20 e21 e22 e23 e24
                        e30 e31 e32 e33 e34 e40 e41 e42 e43 e44);
                    round!($set, second,
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
                states.iter_mut().zip(words).for_each(|(row, word)| $set::store(row, word));
            }
        }
    };
}

simd_kernel!(
    /// Eight lanes with AVX-512.
    Wide, U64x8, 8, Avx512, "avx512f,avx512vl,avx512bw", __m512i,
    // SAFETY: the kernel has the proof that the CPU has the instructions.
    |_, sponge, tail, rest, _| unsafe { pad_in_registers(sponge, tail, rest) }
);

simd_kernel!(
    /// Four lanes with AVX2.
    Narrow, U64x4, 4, Avx2, "avx2", __m256i,
    |_, sponge, tail, rest, length| sponge.pad(tail, rest, length)
);

/// Does the work of [`BlockHash::pad`]; see [`U32x16::pad`](super::vectors::U32x16::pad).
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn pad_in_registers<const ROUNDS: usize>(
    sponge: Sponge<ROUNDS>,
    tail: &mut [u8; 192],
    rest: &[u8],
) {
    let last = sponge.rate - 1;
    for (index, (part, bytes)) in tail
        .as_chunks_mut::<64>()
        .0
        .iter_mut()
        .zip(U64x8::marked::<3>(rest, sponge.mark))
        .enumerate()
    {
        let end = if last / 64 == index { 1 << (last % 64) } else { 0 };
        let bytes = _mm512_or_si512(bytes, _mm512_maskz_set1_epi8(end, 0x80_u8 as i8));
        // SAFETY: writes the part.
        unsafe { _mm512_storeu_si512(part.as_mut_ptr().cast(), bytes) };
    }
}
