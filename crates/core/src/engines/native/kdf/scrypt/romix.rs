//! ROMix (RFC 7914, section 5) of one lane or several: kernels that differ in the vectors they use.
//!
//! A lane is a block of 128r bytes with a table of N such blocks. Its Salsa20 core is one long
//! chain of which only four words go side by side, in 128 bits; so several lanes run in one thread,
//! two or four in a vector, and two such vectors interleaved. This also overlaps the memory
//! accesses of all lanes.
//!
//! ms a lane on Emerald Rapids, N=16384 r=8: one lane 28 in scalar code, 22 with AVX2, 15 with
//! AVX-512's rotation, which makes the chain shorter; of two 11.8 (AVX2) and 10 (AVX-512), of four
//! 8.0 and 4.6, of eight 3.5. On Zen 5 the same layouts took 20 alone, 7.3 and 6.4 of four, 4.6 of
//! eight.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::vectors::{Row1, Row1R, Row2, Row4};

/// The most lanes of any kernel.
pub(super) const LANES_MAX: usize = 8;

/// Where the lanes of one run work.
pub(super) struct Place {
    /// Two buffers for the blocks of all lanes, aligned to 64 bytes.
    pub(super) blocks: [*mut u8; 2],
    /// The table of each lane, aligned to 64 bytes. An unused lane has that of another.
    pub(super) tables: [*mut u8; LANES_MAX],
    /// Pairs of Salsa20 matrices in a block.
    pub(super) r: usize,
    /// Entries of a table, a power of two: at most 2^32.
    pub(super) n: u64,
}

/// A way of doing it. Both functions leave the block where they found it, after an even number of
/// steps.
#[derive(Copy, Clone)]
pub(super) struct Kernel {
    /// The number of lanes.
    pub(super) lanes: usize,
    /// The lanes that share a vector.
    pub(super) shared: usize,
    /// Fills `count` entries of the tables, from the entry `from` on; an even number.
    fill: unsafe fn(&Place, u64, u64),
    /// Mixes in `count` entries of the tables; an even number.
    mix: unsafe fn(&Place, u64),
}

impl Kernel {
    /// A kernel of these functions.
    pub(super) const fn new(
        lanes: usize,
        shared: usize,
        fill: unsafe fn(&Place, u64, u64),
        mix: unsafe fn(&Place, u64),
    ) -> Self {
        Self { lanes, shared, fill, mix }
    }

    /// Fills `count` entries of the tables, from the entry `from` on.
    ///
    /// # Safety
    /// The place is what it says, for this kernel; the CPU has its instructions.
    pub(super) unsafe fn fill(&self, place: &Place, from: u64, count: u64) {
        debug_assert!(count.is_multiple_of(2) && from + count <= place.n);
        // SAFETY: as promised by the caller.
        unsafe { (self.fill)(place, from, count) }
    }

    /// Mixes in `count` entries of the tables.
    ///
    /// # Safety
    /// As for [`fill`](Self::fill); the tables are full.
    pub(super) unsafe fn mix(&self, place: &Place, count: u64) {
        debug_assert!(count.is_multiple_of(2));
        // SAFETY: as promised by the caller.
        unsafe { (self.mix)(place, count) }
    }

    /// Puts a block of 128r bytes into a lane, each matrix by its diagonals.
    ///
    /// # Safety
    /// The place is what it says, for this kernel.
    pub(super) unsafe fn put(&self, place: &Place, lane: usize, block: &[u8]) {
        for (index, matrix) in block.as_chunks::<64>().0.iter().enumerate() {
            for (word, &at) in DIAGONALS.iter().enumerate() {
                let bytes = [0, 1, 2, 3].map(|byte| matrix[4 * at + byte]);
                // SAFETY: as promised by the caller.
                unsafe { self.word(place, lane, index, word).write(u32::from_le_bytes(bytes)) };
            }
        }
    }

    /// Takes the block of a lane out.
    ///
    /// # Safety
    /// The place is what it says, for this kernel.
    pub(super) unsafe fn get(&self, place: &Place, lane: usize, block: &mut [u8]) {
        for (index, matrix) in block.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            for (word, &at) in DIAGONALS.iter().enumerate() {
                // SAFETY: as promised by the caller.
                let value = unsafe { self.word(place, lane, index, word).read() };
                matrix[4 * at..][..4].copy_from_slice(&value.to_le_bytes());
            }
        }
    }

    /// Where a word of a matrix is: rows of lanes that share a vector stand side by side.
    fn word(&self, place: &Place, lane: usize, index: usize, word: usize) -> *mut u32 {
        let vector = (index * (self.lanes / self.shared) + lane / self.shared) * 4 + word / 4;
        let row = place.blocks[0]
            .cast::<[u32; 4]>()
            .wrapping_add(vector * self.shared + lane % self.shared);
        row.cast::<u32>().wrapping_add(word % 4)
    }
}

/// Defines a kernel of `$turns` interleaved vectors of one kind.
#[cfg(target_arch = "x86_64")]
macro_rules! simd_kernel {
    ($(#[$doc:meta])* $kernel:ident, $module:ident, $set:ident, $vector:ty, $shared:literal,
        $turns:literal, $features:literal) => {
        $(#[$doc])*
        pub(super) const $kernel: Kernel =
            Kernel::new($shared * $turns, $shared, $module::fill, $module::mix);

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
            /// The place is as it says.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn fill(place: &Place, from: u64, count: u64) {
                let size = 128 * place.r;
                for entry in from..from + count {
                    let [source, target] = sides(place, entry);
                    let at = entries(place, |_| entry as usize * size);
                    // SAFETY: as promised by the caller; blocks do not overlap, nor do they overlap
                    // the tables.
                    unsafe {
                        let mut x = load(source, 2 * place.r - 1);
                        for index in 0..2 * place.r {
                            let block = load(source, index);
                            for (at, rows) in at.iter().zip(block) {
                                $set::scatter(at, 64 * index, rows);
                            }
                            x = salsa(xor(x, block));
                            store(target, shuffled(index, place.r), x);
                        }
                    }
                }
            }

            /// Mixes in entries of the tables.
            ///
            /// # Safety
            /// The place is as it says.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn mix(place: &Place, count: u64) {
                let size = 128 * place.r;
                let last = 2 * place.r - 1;
                for step in 0..count {
                    let [source, target] = sides(place, step);
                    // SAFETY: as promised by the caller; the first words of a last matrix are in
                    // the block, and an entry is in the table whatever they are.
                    unsafe {
                        let words: *const u32 = source.add(last * SIZE).cast();
                        let at = entries(place, |lane| {
                            let word = words.add(lane / $shared * (SIZE / $turns / 4)
                                + lane % $shared * 4).read();
                            (u64::from(word) & (place.n - 1)) as usize * size
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
                            store(target, shuffled(index, place.r), x);
                        }
                    }
                }
            }

            /// Where each lane has an entry of its table.
            #[inline]
            #[target_feature(enable = $features)]
            fn entries(place: &Place, offset: impl Fn(usize) -> usize) -> Entries {
                std::array::from_fn(|turn| {
                    std::array::from_fn(|index| {
                        let lane = turn * $shared + index;
                        place.tables[lane].wrapping_add(offset(lane))
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

            /// A matrix of the block, with that of the entry of the table.
            ///
            /// # Safety
            /// Both are there.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn mixed(block: *const u8, at: &Entries, index: usize) -> Matrices {
                // SAFETY: as promised by the caller.
                unsafe {
                    let block = load(block, index);
                    let entry = std::array::from_fn(|turn| $set::gather(&at[turn], 64 * index));
                    xor(block, entry)
                }
            }

            /// # Safety
            /// There is such a matrix.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn load(block: *const u8, index: usize) -> Matrices {
                // SAFETY: as promised by the caller.
                std::array::from_fn(|turn| unsafe { $set::load(block.add((index * $turns + turn)
                    * (SIZE / $turns))) })
            }

            /// # Safety
            /// There is such a matrix.
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn store(block: *mut u8, index: usize, matrices: Matrices) {
                for (turn, rows) in matrices.into_iter().enumerate() {
                    // SAFETY: as promised by the caller.
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

            /// Salsa20/8 on matrices whose rows are diagonals.
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

/// Which word of a matrix comes at each place when its rows are diagonals, so that columns and rows
/// are alike.
const DIAGONALS: [usize; 16] = [0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11];

/// The block to read and that to write in a step, by turns.
#[inline]
pub(super) fn sides(place: &Place, step: u64) -> [*mut u8; 2] {
    let [one, other] = place.blocks;
    if step.is_multiple_of(2) { [one, other] } else { [other, one] }
}

/// Where the matrix `index` goes: even ones to the first half, odd ones to the second.
#[inline]
pub(super) fn shuffled(index: usize, r: usize) -> usize {
    index / 2 + index % 2 * r
}

/// Matrices that are prefetched ahead of their use. 2 take 10 % more time, 4 and 16 the same.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 8;

#[cfg(target_arch = "x86_64")]
simd_kernel!(
    /// One lane, with AVX2's encoding.
    ONE, one, Row1, __m128i, 1, 1, "avx2"
);
#[cfg(target_arch = "x86_64")]
simd_kernel!(
    /// One lane, with AVX-512's rotation.
    ONE_ROTATED, one_rotated, Row1R, __m128i, 1, 1, "avx512f,avx512vl,avx512bw"
);
#[cfg(target_arch = "x86_64")]
simd_kernel!(
    /// Two lanes interleaved, with AVX-512's rotation.
    TWO_ROTATED, two_rotated, Row1R, __m128i, 1, 2, "avx512f,avx512vl,avx512bw"
);
#[cfg(target_arch = "x86_64")]
simd_kernel!(
    /// Two lanes with AVX2.
    TWO, two, Row2, __m256i, 2, 1, "avx2"
);
#[cfg(target_arch = "x86_64")]
simd_kernel!(
    /// Two times two lanes interleaved, with AVX2.
    FOUR, four, Row2, __m256i, 2, 2, "avx2"
);
#[cfg(target_arch = "x86_64")]
simd_kernel!(
    /// Four lanes with AVX-512.
    FOUR_WIDE, four_wide, Row4, __m512i, 4, 1, "avx512f,avx512vl,avx512bw"
);
#[cfg(target_arch = "x86_64")]
simd_kernel!(
    /// Two times four lanes interleaved, with AVX-512.
    EIGHT, eight, Row4, __m512i, 4, 2, "avx512f,avx512vl,avx512bw"
);
