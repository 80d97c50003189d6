//! The kernels of x86-64: several lanes in a vector, and such vectors interleaved.

mod vectors;

use std::arch::x86_64::*;

use self::vectors::{Row1, Row1R, Row2, Row4};
use super::romix::{RomixBuffers, RomixKernel, shuffled, sides};
use crate::cpu::features::{Avx2, Avx512};

/// Returns the kernels that this CPU can run, from the fewest lanes to the most.
pub(super) fn kernels() -> Option<&'static [RomixKernel]> {
    if Avx512::detect().is_some() {
        return Some(&[ONE_ROTATED, TWO_ROTATED, FOUR_WIDE, EIGHT]);
    }
    Avx2::detect().map(|_| [ONE, TWO, FOUR].as_slice())
}

/// Defines a kernel of `$turns` interleaved vectors of one kind.
macro_rules! simd_kernel {
    ($(#[$doc:meta])* $kernel:ident, $module:ident, $set:ident, $vector:ty, $shared:literal,
        $turns:literal, $features:literal) => {
        $(#[$doc])*
        pub(super) const $kernel: RomixKernel =
            RomixKernel::new($shared * $turns, $shared, $module::fill, $module::mix);

        #[allow(clippy::modulo_one)] // lanes of a vector with one lane
        mod $module {
            use super::*;

            /// A matrix of every lane.
            type Matrices = [[$vector; 4]; $turns];
            /// Where lanes have their entries of the tables.
            type Entries = [[*mut u8; $shared]; $turns];
            const SIZE: usize = size_of::<Matrices>();

            /// Fills entries of the tables.
            ///
            /// # Safety
            /// The buffers are as the head of `romix` says, for this
            /// kernel.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn fill(buffers: &RomixBuffers, from: u64, count: u64) {
                let size = 128 * buffers.r;
                for entry in from..from + count {
                    let [source, target] = sides(buffers, entry);
                    let at = entries(buffers, |_| entry as usize * size);
                    // SAFETY: a block has `2 * r` matrices of every lane, and each table has the
                    // entry. The two blocks overlap neither each other nor the tables.
                    unsafe {
                        let mut x = load(source, 2 * buffers.r - 1);
                        for index in 0..2 * buffers.r {
                            let block = load(source, index);
                            for (at, rows) in at.iter().zip(block) {
                                $set::scatter(at, 64 * index, rows);
                            }
                            x = salsa(xor(x, block));
                            store(target, shuffled(index, buffers.r), x);
                        }
                    }
                }
            }

            /// Mixes in entries of the tables.
            ///
            /// # Safety
            /// The buffers are as the head of `romix` says, for this
            /// kernel.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn mix(buffers: &RomixBuffers, count: u64) {
                let size = 128 * buffers.r;
                let last = 2 * buffers.r - 1;
                for step in 0..count {
                    let [source, target] = sides(buffers, step);
                    // SAFETY: the first words of a last matrix are in the block, and an entry is in
                    // the table whatever they are. The two blocks overlap neither each other nor
                    // the tables.
                    unsafe {
                        let words: *const u32 = source.add(last * SIZE).cast();
                        let at = entries(buffers, |lane| {
                            let word = words.add(lane / $shared * (SIZE / $turns / 4)
                                + lane % $shared * 4).read();
                            (u64::from(word) & (buffers.n - 1)) as usize * size
                        });
                        ahead(&at, last);
                        for index in 0..AHEAD.min(last) {
                            ahead(&at, index);
                        }
                        let mut x = mixed(source, &at, last);
                        for index in 0..=last {
                            if index + AHEAD < last {
                                ahead(&at, index + AHEAD);
                            }
                            x = salsa(xor(x, mixed(source, &at, index)));
                            store(target, shuffled(index, buffers.r), x);
                        }
                    }
                }
            }

            /// Returns the address of an entry in each lane's table.
            #[inline]
            #[target_feature(enable = $features)]
            fn entries(buffers: &RomixBuffers, offset: impl Fn(usize) -> usize) -> Entries {
                std::array::from_fn(|turn| {
                    std::array::from_fn(|index| {
                        let lane = turn * $shared + index;
                        buffers.tables[lane].wrapping_add(offset(lane))
                    })
                })
            }

            /// Asks for a matrix of each entry.
            #[inline]
            #[target_feature(enable = $features)]
            fn ahead(at: &Entries, index: usize) {
                for at in at.as_flattened() {
                    // SAFETY: a hint; any address will do. (Newer compilers know.)
                    #[allow(unused_unsafe)]
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(64
                        * index).cast_const().cast()) };
                }
            }

            /// Returns a matrix of the block XOR that of the table's entry.
            ///
            /// # Safety
            /// The block has the matrix `index`, and the entry of each lane too.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn mixed(block: *const u8, at: &Entries, index: usize) -> Matrices {
                // SAFETY: there is a matrix of every lane at `index` of the block and 64 bytes at
                // each entry.
                unsafe {
                    let block = load(block, index);
                    let entry = std::array::from_fn(|turn| $set::gather(&at[turn], 64 * index));
                    xor(block, entry)
                }
            }

            /// # Safety
            /// The block has the matrix `index`, and is aligned to 64 bytes.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn load(block: *const u8, index: usize) -> Matrices {
                // SAFETY: the block has the matrix `index`, of `SIZE` bytes.
                std::array::from_fn(|turn| unsafe { $set::load(block.add((index * $turns + turn)
                    * (SIZE / $turns))) })
            }

            /// # Safety
            /// The block has the matrix `index`, and is aligned to 64 bytes.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn store(block: *mut u8, index: usize, matrices: Matrices) {
                for (turn, rows) in matrices.into_iter().enumerate() {
                    // SAFETY: the block has the matrix `index`, of `SIZE` bytes.
                    unsafe { $set::store(block.add((index * $turns + turn) * (SIZE / $turns)),
                        rows) };
                }
            }

            #[inline]
            #[target_feature(enable = $features)]
            fn xor(x: Matrices, y: Matrices) -> Matrices {
                std::array::from_fn(|turn| std::array::from_fn(|row| $set::xor(x[turn][row],
                    y[turn][row])))
            }

            /// Applies Salsa20/8 to matrices with diagonals as rows.
            #[inline]
            #[target_feature(enable = $features)]
            fn salsa(matrices: Matrices) -> Matrices {
                let mut x = matrices;
                macro_rules! step {
                    ($to:literal, $one:literal, $other:literal, $by:literal, $back:literal) => {
                        for x in &mut x {
                            x[$to] = $set::xor_rotated::<$by,
                                $back>(x[$to], $set::add(x[$one], x[$other]));
                        }
                    };
                }
                macro_rules! turn {
                    ($one:literal, $two:literal, $three:literal) => {
                        for x in &mut x {
                            x[1] = $set::turned::<$one>(x[1]);
                            x[2] = $set::turned::<$two>(x[2]);
                            x[3] = $set::turned::<$three>(x[3]);
                        }
                    };
                }
                for _ in 0..4 {
                    step!(1, 0, 3, 7, 25);
                    step!(2, 1, 0, 9, 23);
                    step!(3, 2, 1, 13, 19);
                    step!(0, 3, 2, 18, 14);
                    turn!(0x93, 0x4e, 0x39);
                    step!(3, 0, 1, 7, 25);
                    step!(2, 3, 0, 9, 23);
                    step!(1, 2, 3, 13, 19);
                    step!(0, 1, 2, 18, 14);
                    turn!(0x39, 0x4e, 0x93);
                }
                std::array::from_fn(|turn| std::array::from_fn(|row| $set::add(x[turn][row],
                    matrices[turn][row])))
            }
        }
    };
}

/// Matrices that are prefetched ahead of their use. 2 take 10 % more time, 4 and 16 the same.
const AHEAD: usize = 8;

simd_kernel!(
    /// One lane, with AVX2's encoding.
    ONE, one, Row1, __m128i, 1, 1, "avx2"
);
simd_kernel!(
    /// One lane, with AVX-512's rotation.
    ONE_ROTATED, one_rotated, Row1R, __m128i, 1, 1, "avx512f,avx512vl,avx512bw"
);
simd_kernel!(
    /// Two lanes interleaved, with AVX-512's rotation.
    TWO_ROTATED, two_rotated, Row1R, __m128i, 1, 2, "avx512f,avx512vl,avx512bw"
);
simd_kernel!(
    /// Two lanes with AVX2.
    TWO, two, Row2, __m256i, 2, 1, "avx2"
);
simd_kernel!(
    /// Two times two lanes interleaved, with AVX2.
    FOUR, four, Row2, __m256i, 2, 2, "avx2"
);
simd_kernel!(
    /// Four lanes with AVX-512.
    FOUR_WIDE, four_wide, Row4, __m512i, 4, 1, "avx512f,avx512vl,avx512bw"
);
simd_kernel!(
    /// Two times four lanes interleaved, with AVX-512.
    EIGHT, eight, Row4, __m512i, 4, 2, "avx512f,avx512vl,avx512bw"
);
