//! SHA-3, SHAKE and the original Keccak of several messages: a register for each of the state's 25 words.

use std::arch::x86_64::*;

use super::super::features::{Avx2, Avx512};
use super::super::keccak::{self, ROUND_CONSTANTS};
use super::super::wipe::Wiped;
use super::vectors::{lanes_4, transpose_4x4, transpose_8, xor_512};
use super::{Chain, Columns, Kernel, Kernels, Widest, Work, run};

/// A sponge.
#[derive(Copy, Clone)]
pub(in super::super) struct Sponge {
    /// Bytes taken in at once.
    pub(in super::super) rate: usize,
    /// The byte that ends a message.
    pub(in super::super) mark: u8,
}

impl Chain for Sponge {
    type State = [u64; 25];
    type Tail = [u8; 192];
    type Digest = [u8; 192];
    const STATE: [u64; 25] = [0; 25];
    const TAIL: [u8; 192] = [0; 192];
    const DIGEST: [u8; 192] = [0; 192];

    #[inline]
    fn block(&self) -> usize {
        self.rate
    }

    #[inline]
    fn ends(&self, _rest: usize) -> usize {
        1
    }

    #[inline]
    fn pad(&self, tail: &mut [u8; 192], rest: &[u8], _length: u64) {
        *tail = [0; 192];
        tail[..rest.len()].copy_from_slice(rest);
        tail[rest.len()] = self.mark;
        tail[self.rate - 1] |= 0x80;
    }

    fn alone(&self, state: [u64; 25], _length: u64, rest: &[u8], target: &mut [u8]) {
        keccak::end(&mut Wiped(state).0, self.rate, self.mark, rest, target);
    }
}

/// The most lanes.
pub(in super::super) fn widest(kernels: Kernels) -> Widest {
    match kernels {
        Kernels { avx512: Some(_), .. } => Some((8, Avx512::NAMES)),
        Kernels { avx2: Some(_), .. } => Some((4, Avx2::NAMES)),
        _ => None,
    }
}

/// Hashes messages which all begin with a state. False, and nothing done, if there is no kernel, or if digests
/// are longer than the rate: those are squeezed out in several steps.
pub(in super::super) fn hash(
    kernels: Kernels,
    (sponge, start): (Sponge, [u64; 25]),
    sources: &[&[u8]],
    target: &mut [u8],
    each: &mut dyn FnMut(usize, &[u8]),
) -> bool {
    if widest(kernels).is_none() || target.len() > sponge.rate {
        return false;
    }
    let work = &mut Work::new(sponge, start, 0, sources, target, each);
    // SAFETY: there is the proof that the CPU has the instructions.
    unsafe {
        match (kernels.avx512, kernels.avx2) {
            (Some(proof), _) => run_8(work, proof),
            (None, Some(proof)) => run_4(work, proof),
            (None, None) => {}
        }
    }
    work.alone();
    true
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn run_8(work: &mut Work<'_, Sponge>, proof: Avx512) {
    run(Wide { words: work.chain.rate / 8, proof }, work);
}

#[target_feature(enable = "avx2")]
fn run_4(work: &mut Work<'_, Sponge>, proof: Avx2) {
    run(Narrow { words: work.chain.rate / 8, proof }, work);
}

/// One round from the words `$a` to the words `$e`, both in rows.
macro_rules! round {
    ($set:ident, $constant:expr,
     $a00:ident $a01:ident $a02:ident $a03:ident $a04:ident $a10:ident $a11:ident $a12:ident $a13:ident $a14:ident
     $a20:ident $a21:ident $a22:ident $a23:ident $a24:ident $a30:ident $a31:ident $a32:ident $a33:ident $a34:ident
     $a40:ident $a41:ident $a42:ident $a43:ident $a44:ident =>
     $e00:ident $e01:ident $e02:ident $e03:ident $e04:ident $e10:ident $e11:ident $e12:ident $e13:ident $e14:ident
     $e20:ident $e21:ident $e22:ident $e23:ident $e24:ident $e30:ident $e31:ident $e32:ident $e33:ident $e34:ident
     $e40:ident $e41:ident $e42:ident $e43:ident $e44:ident) => {
        let c0 = $set::xor_5([$a00, $a10, $a20, $a30, $a40]);
        let c1 = $set::xor_5([$a01, $a11, $a21, $a31, $a41]);
        let c2 = $set::xor_5([$a02, $a12, $a22, $a32, $a42]);
        let c3 = $set::xor_5([$a03, $a13, $a23, $a33, $a43]);
        let c4 = $set::xor_5([$a04, $a14, $a24, $a34, $a44]);
        let d0 = $set::xor(c4, $set::rol::<1, 63>(c1));
        let d1 = $set::xor(c0, $set::rol::<1, 63>(c2));
        let d2 = $set::xor(c1, $set::rol::<1, 63>(c3));
        let d3 = $set::xor(c2, $set::rol::<1, 63>(c4));
        let d4 = $set::xor(c3, $set::rol::<1, 63>(c0));
        round!(@row $set, $a00 d0 0 64, $a11 d1 44 20, $a22 d2 43 21, $a33 d3 21 43, $a44 d4 14 50 => $e00 $e01 $e02 $e03 $e04);
        let $e00 = $set::xor($e00, $set::all($constant));
        round!(@row $set, $a03 d3 28 36, $a14 d4 20 44, $a20 d0 3 61, $a31 d1 45 19, $a42 d2 61 3 => $e10 $e11 $e12 $e13 $e14);
        round!(@row $set, $a01 d1 1 63, $a12 d2 6 58, $a23 d3 25 39, $a34 d4 8 56, $a40 d0 18 46 => $e20 $e21 $e22 $e23 $e24);
        round!(@row $set, $a04 d4 27 37, $a10 d0 36 28, $a21 d1 10 54, $a32 d2 15 49, $a43 d3 56 8 => $e30 $e31 $e32 $e33 $e34);
        round!(@row $set, $a02 d2 62 2, $a13 d3 55 9, $a24 d4 39 25, $a30 d0 41 23, $a41 d1 2 62 => $e40 $e41 $e42 $e43 $e44);
    };
    (@row $set:ident, $b0:ident $d0:ident $r0:literal $l0:literal, $b1:ident $d1:ident $r1:literal $l1:literal,
     $b2:ident $d2:ident $r2:literal $l2:literal, $b3:ident $d3:ident $r3:literal $l3:literal,
     $b4:ident $d4:ident $r4:literal $l4:literal => $e0:ident $e1:ident $e2:ident $e3:ident $e4:ident) => {
        let b0 = $set::rol::<$r0, $l0>($set::xor($b0, $d0));
        let b1 = $set::rol::<$r1, $l1>($set::xor($b1, $d1));
        let b2 = $set::rol::<$r2, $l2>($set::xor($b2, $d2));
        let b3 = $set::rol::<$r3, $l3>($set::xor($b3, $d3));
        let b4 = $set::rol::<$r4, $l4>($set::xor($b4, $d4));
        let $e0 = $set::chi(b0, b1, b2);
        let $e1 = $set::chi(b1, b2, b3);
        let $e2 = $set::chi(b2, b3, b4);
        let $e3 = $set::chi(b3, b4, b0);
        let $e4 = $set::chi(b4, b0, b1);
    };
}

/// Makes a kernel of the operations which its type has.
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $lanes:literal, $pays:literal, $proof:ty, $features:literal, $vector:ty) => {
        $(#[$doc])*
        #[derive(Copy, Clone)]
        struct $name {
            /// Words of the rate.
            words: usize,
            #[allow(dead_code)]
            proof: $proof,
        }

        impl Kernel<Sponge, $lanes> for $name {
            type States = Columns<u64, 25, $lanes>;
            const STATES: Self::States = Columns([[0; $lanes]; 25]);
            const PAYS: usize = $pays;

            unsafe fn step(
                self,
                states: &mut Self::States,
                fresh: u32,
                start: &[u64; 25],
                at: &[*const u8; $lanes],
                count: usize,
            ) {
                // SAFETY: there is the proof that the CPU has the instructions; the rest is promised by the caller.
                unsafe { self.steps(&mut states.0, fresh, start, at, count) }
            }

            fn put(states: &mut Self::States, lane: usize, state: &[u64; 25]) {
                states.put(lane, state);
            }

            fn get(states: &Self::States, lane: usize) -> [u64; 25] {
                states.get(lane)
            }

            #[inline(always)]
            fn pad(self, chain: Sponge, tail: &mut [u8; 192], rest: &[u8], length: u64) {
                self.pad_tail(chain, tail, rest, length);
            }

            #[inline(always)]
            fn digests(self, states: &Self::States, _ended: u32, digests: &mut [[u8; 192]; $lanes], size: usize) {
                for (group, rows) in states.0.as_chunks().0.iter().enumerate().take(size.div_ceil(8 * $lanes)) {
                    // SAFETY: there is the proof that the CPU has the instructions.
                    let rows: [[u64; $lanes]; $lanes] = unsafe { Self::turned(rows) };
                    for (digest, row) in digests.iter_mut().zip(rows) {
                        let bytes = digest.as_chunks_mut().0[group * $lanes..].iter_mut();
                        bytes.zip(row).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
                    }
                }
            }
        }

        impl $name {
            /// # Safety
            /// `count` blocks can be read at each pointer.
            #[target_feature(enable = $features)]
            unsafe fn steps(
                self,
                states: &mut [[u64; $lanes]; 25],
                fresh: u32,
                start: &[u64; 25],
                at: &[*const u8; $lanes],
                count: usize,
            ) {
                if fresh != 0 {
                    for (row, &word) in states.iter_mut().zip(start) {
                        Self::store(row, Self::begin(Self::load(row), fresh, word));
                    }
                }
                for block in 0..count {
                    for group in (0..self.words).step_by($lanes) {
                        // SAFETY: as promised by the caller: so many words of the block at least.
                        let columns = unsafe {
                            Self::columns(at, 8 * (block * self.words + group), (self.words - group).min($lanes))
                        };
                        for (row, column) in states[group..group + $lanes].iter_mut().zip(columns) {
                            Self::store(row, Self::xor(Self::load(row), column));
                        }
                    }
                    Self::permute(states);
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            #[rustfmt::skip] // rows
            fn permute(states: &mut [[u64; $lanes]; 25]) {
                let [
                    mut a00, mut a01, mut a02, mut a03, mut a04,
                    mut a10, mut a11, mut a12, mut a13, mut a14,
                    mut a20, mut a21, mut a22, mut a23, mut a24,
                    mut a30, mut a31, mut a32, mut a33, mut a34,
                    mut a40, mut a41, mut a42, mut a43, mut a44,
                ]: [$vector; 25] = std::array::from_fn(|index| Self::load(&states[index]));
                for [first, second] in ROUND_CONSTANTS.as_chunks().0 {
                    round!($name, *first,
                        a00 a01 a02 a03 a04 a10 a11 a12 a13 a14 a20 a21 a22 a23 a24 a30 a31 a32 a33 a34 a40 a41 a42 a43 a44 =>
                        e00 e01 e02 e03 e04 e10 e11 e12 e13 e14 e20 e21 e22 e23 e24 e30 e31 e32 e33 e34 e40 e41 e42 e43 e44);
                    round!($name, *second,
                        e00 e01 e02 e03 e04 e10 e11 e12 e13 e14 e20 e21 e22 e23 e24 e30 e31 e32 e33 e34 e40 e41 e42 e43 e44 =>
                        f00 f01 f02 f03 f04 f10 f11 f12 f13 f14 f20 f21 f22 f23 f24 f30 f31 f32 f33 f34 f40 f41 f42 f43 f44);
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
                states.iter_mut().zip(words).for_each(|(row, word)| Self::store(row, word));
            }
        }
    };
}

kernel!(
    /// Eight lanes with AVX-512.
    Wide, 8, 3, Avx512, "avx512f,avx512vl,avx512bw", __m512i
);

kernel!(
    /// Four lanes with AVX2.
    Narrow, 4, 3, Avx2, "avx2", __m256i
);

impl Wide {
    /// [`Chain::pad`], in registers.
    #[inline(always)]
    fn pad_tail(self, chain: Sponge, tail: &mut [u8; 192], rest: &[u8], _length: u64) {
        // SAFETY: there is the proof that the CPU has the instructions.
        unsafe { Self::pad_all(chain, tail, rest) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn pad_all(chain: Sponge, tail: &mut [u8; 192], rest: &[u8]) {
        for (group, part) in tail.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            // The bit of a byte's place, if it is in this part.
            let place = |at: usize| if at / 64 == group { 1_u64 << (at % 64) } else { 0 };
            let mark = place(rest.len());
            let before = if rest.len() >= 64 * (group + 1) { u64::MAX } else { mark.wrapping_sub(1) };
            let before = if rest.len() < 64 * group { 0 } else { before };
            // SAFETY: reads as much of the rest as there is by the mask, and writes the part.
            unsafe {
                let bytes = _mm512_maskz_loadu_epi8(before, rest.as_ptr().wrapping_add(64 * group).cast());
                let bytes = _mm512_mask_set1_epi8(bytes, mark, chain.mark as i8);
                let last = _mm512_maskz_set1_epi8(place(chain.rate - 1), 0x80_u8 as i8);
                _mm512_storeu_si512(part.as_mut_ptr().cast(), _mm512_or_si512(bytes, last));
            }
        }
    }

    /// From columns to rows.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn turned(columns: &[[u64; 8]; 8]) -> [[u64; 8]; 8] {
        let rows = transpose_8(columns.each_ref().map(|column| Self::load(column)));
        let mut turned = [[0; 8]; 8];
        turned.iter_mut().zip(rows).for_each(|(turned, row)| Self::store(turned, row));
        turned
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(row: &[u64; 8]) -> __m512i {
        // SAFETY: reads the row.
        unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(row: &mut [u64; 8], words: __m512i) {
        // SAFETY: writes the row.
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), words) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn begin(words: __m512i, fresh: u32, word: u64) -> __m512i {
        _mm512_mask_set1_epi64(words, fresh as u8, word as i64)
    }

    /// At most eight words of each message, in columns; zeros after them.
    ///
    /// # Safety
    /// So many words can be read at each pointer, from `offset` on.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn columns(at: &[*const u8; 8], offset: usize, words: usize) -> [__m512i; 8] {
        let mask = 0xff_u8 >> (8 - words);
        // SAFETY: as promised by the caller.
        transpose_8(at.map(|row| unsafe { _mm512_maskz_loadu_epi64(mask, row.wrapping_add(offset).cast()) }))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn all(word: u64) -> __m512i {
        _mm512_set1_epi64(word as i64)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn xor(x: __m512i, y: __m512i) -> __m512i {
        _mm512_xor_si512(x, y)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn xor_5([x, y, z, v, w]: [__m512i; 5]) -> __m512i {
        xor_512(xor_512(x, y, z), v, w)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn rol<const BY: i32, const BACK: i32>(words: __m512i) -> __m512i {
        _mm512_rol_epi64::<BY>(words)
    }

    /// `x ^ (!y & z)`
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn chi(x: __m512i, y: __m512i, z: __m512i) -> __m512i {
        _mm512_ternarylogic_epi64::<0xd2>(x, y, z)
    }
}

impl Narrow {
    #[inline(always)]
    fn pad_tail(self, chain: Sponge, tail: &mut [u8; 192], rest: &[u8], length: u64) {
        chain.pad(tail, rest, length);
    }

    /// From columns to rows.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn turned(columns: &[[u64; 4]; 4]) -> [[u64; 4]; 4] {
        let rows = transpose_4x4(columns.each_ref().map(|column| Self::load(column)));
        let mut turned = [[0; 4]; 4];
        turned.iter_mut().zip(rows).for_each(|(turned, row)| Self::store(turned, row));
        turned
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(row: &[u64; 4]) -> __m256i {
        // SAFETY: reads the row.
        unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(row: &mut [u64; 4], words: __m256i) {
        // SAFETY: writes the row.
        unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), words) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn begin(words: __m256i, fresh: u32, word: u64) -> __m256i {
        _mm256_blendv_epi8(words, Self::all(word), lanes_4(fresh))
    }

    /// At most four words of each message, in columns; zeros after them.
    ///
    /// # Safety
    /// So many words can be read at each pointer, from `offset` on.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn columns(at: &[*const u8; 4], offset: usize, words: usize) -> [__m256i; 4] {
        let mask = lanes_4((1 << words) - 1);
        // SAFETY: as promised by the caller.
        transpose_4x4(at.map(|row| unsafe { _mm256_maskload_epi64(row.wrapping_add(offset).cast(), mask) }))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn all(word: u64) -> __m256i {
        _mm256_set1_epi64x(word as i64)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn xor(x: __m256i, y: __m256i) -> __m256i {
        _mm256_xor_si256(x, y)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn xor_5([x, y, z, v, w]: [__m256i; 5]) -> __m256i {
        Self::xor(Self::xor(Self::xor(x, y), Self::xor(z, v)), w)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn rol<const BY: i32, const BACK: i32>(words: __m256i) -> __m256i {
        _mm256_or_si256(_mm256_slli_epi64::<BY>(words), _mm256_srli_epi64::<BACK>(words))
    }

    /// `x ^ (!y & z)`
    #[inline]
    #[target_feature(enable = "avx2")]
    fn chi(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
        Self::xor(x, _mm256_andnot_si256(y, z))
    }
}
