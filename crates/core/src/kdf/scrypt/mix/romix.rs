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
//!
//! ```text
//! X: 2r matrices of 16 words; V: N entries of the same size
//! fill:  for i in 0..N:   V[i] = X;  X = mixed(X)
//! mix:   N times:         j = the first word of X's last matrix, modulo N;  X = mixed(X ^ V[j])
//! mixed(B):               x = the last matrix of B
//!                         for i in 0..2r:  x = salsa(x ^ B[i]);  result[i / 2 + i % 2 * r] = x
//! salsa(a, b, c, d):      the rows are diagonals of a matrix, 128 bits each
//!     four times:   b ^= (a + d) <<< 7;  c ^= (b + a) <<< 9;  d ^= (c + b) <<< 13
//!                   a ^= (d + c) <<< 18
//!                   turn the words of b, c, d by 3, 2, 1: columns become rows
//!                   the same with b and d exchanged; turn by 1, 2, 3: back
//!     plus the rows before
//! ```
//!
//! `X` alternates between two buffers. A vector has the same row of one, two or four lanes; each
//! lane's table has its own matrices, which are joined to vectors as they are read. Of `V[j]` eight
//! matrices are prefetched ahead of their use.
//!
//! # Safety
//! A kernel reads and writes through the pointers of [`RomixBuffers`], without a check.
//! `scrypt::run` makes them of memory that it has to itself:
//!
//! - Each of `blocks` has 128r bytes for every lane of the kernel, and each of `tables` N times as
//!   many for one lane. All are aligned to 64 bytes, and none overlaps another, except that lanes
//!   without work use the table of the first lane; they write the same bytes to it, in the same
//!   thread.
//! - A kernel's matrix has 64 bytes a lane, and a block 2r of them; loops over matrices end there.
//!   The entry of a table is a number modulo N, whatever the words of a block are.
//! - A kernel is only chosen, from `kernels()`, where the CPU has its instructions. The generic
//!   functions have no features and are inlined: [`kernel`] calls them from functions with those of
//!   the rows.

use crate::cpu::kernels::prefetch::fetch;

/// The most lanes of any kernel.
pub(crate) const LANES_MAX: usize = 8;

/// The memory of the lanes that are computed at once.
pub(crate) struct RomixBuffers {
    /// Two buffers for the blocks of all lanes, aligned to 64 bytes.
    pub(crate) blocks: [*mut u8; 2],
    /// The table of each lane, aligned to 64 bytes. An unused lane has that of another.
    pub(crate) tables: [*mut u8; LANES_MAX],
    /// Pairs of Salsa20 matrices in a block.
    pub(crate) r: usize,
    /// Entries of a table, a power of two: at most 2^32.
    pub(crate) n: u64,
}

/// The functions of ROMix for a number of lanes. Both leave the block where they found it, after an
/// even number of steps.
#[derive(Copy, Clone)]
pub(crate) struct RomixKernel {
    /// The number of lanes.
    pub(crate) lanes: usize,
    /// The lanes that share a vector.
    pub(crate) shared: usize,
    /// Fills `count` entries of the tables, from the entry `from` on; an even number.
    pub(crate) fill: unsafe fn(&RomixBuffers, u64, u64),
    /// Mixes in `count` entries of the tables; an even number.
    pub(crate) mix: unsafe fn(&RomixBuffers, u64),
}

impl RomixKernel {
    /// Fills `count` entries of the tables, from the entry `from` on.
    ///
    /// # Safety
    /// The buffers are as the head of the module says, for this kernel; the CPU has its
    /// instructions.
    pub(crate) unsafe fn fill(&self, buffers: &RomixBuffers, from: u64, count: u64) {
        debug_assert!(count.is_multiple_of(2) && from + count <= buffers.n);
        // SAFETY: the buffers are as above; `count` is even, and so is N.
        unsafe { (self.fill)(buffers, from, count) }
    }

    /// Mixes in `count` entries of the tables.
    ///
    /// # Safety
    /// As for [`fill`](Self::fill); the tables are full.
    pub(crate) unsafe fn mix(&self, buffers: &RomixBuffers, count: u64) {
        debug_assert!(count.is_multiple_of(2));
        // SAFETY: the buffers are as above, and the tables are full.
        unsafe { (self.mix)(buffers, count) }
    }

    /// Puts a block of 128r bytes into a lane, each matrix by its diagonals.
    ///
    /// # Safety
    /// The buffers are as the head of the module says, for this kernel, of which `lane` is one. The
    /// block has 128r bytes.
    pub(crate) unsafe fn put(&self, buffers: &RomixBuffers, lane: usize, block: &[u8]) {
        for (index, matrix) in block.as_chunks::<64>().0.iter().enumerate() {
            for (word, &at) in DIAGONALS.iter().enumerate() {
                let bytes = [0, 1, 2, 3].map(|byte| matrix[4 * at + byte]);
                // SAFETY: an aligned word of this lane, in the first of the buffers for blocks.
                unsafe { self.word(buffers, lane, index, word).write(u32::from_le_bytes(bytes)) };
            }
        }
    }

    /// Takes the block of a lane out.
    ///
    /// # Safety
    /// The buffers are as the head of the module says, for this kernel, of which `lane` is one. The
    /// block has 128r bytes.
    pub(crate) unsafe fn get(&self, buffers: &RomixBuffers, lane: usize, block: &mut [u8]) {
        for (index, matrix) in block.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            for (word, &at) in DIAGONALS.iter().enumerate() {
                // SAFETY: an aligned word of this lane, in the first of the buffers for blocks.
                let value = unsafe { self.word(buffers, lane, index, word).read() };
                matrix[4 * at..][..4].copy_from_slice(&value.to_le_bytes());
            }
        }
    }

    /// Returns the address of a word of a matrix: rows of lanes that share a vector are side by
    /// side.
    fn word(&self, buffers: &RomixBuffers, lane: usize, index: usize, word: usize) -> *mut u32 {
        let vector = (index * (self.lanes / self.shared) + lane / self.shared) * 4 + word / 4;
        let row = buffers.blocks[0]
            .cast::<[u32; 4]>()
            .wrapping_add(vector * self.shared + lane % self.shared);
        row.cast::<u32>().wrapping_add(word % 4)
    }
}

/// Which word of a matrix comes at each place when its rows are diagonals, so that columns and rows
/// are alike.
const DIAGONALS: [usize; 16] = [0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11];

/// Returns the block to read and the block to write in a step; they alternate.
#[inline]
fn sides(buffers: &RomixBuffers, step: u64) -> [*mut u8; 2] {
    let [one, other] = buffers.blocks;
    if step.is_multiple_of(2) { [one, other] } else { [other, one] }
}

/// Returns the new index of the matrix `index`: even ones to the first half, odd ones to the
/// second.
#[inline]
fn shuffled(index: usize, r: usize) -> usize {
    index / 2 + index % 2 * r
}

/// One row of a Salsa20 matrix of each of `SHARED` lanes, 128 bits a lane.
///
/// # Safety
/// The type is registers of integers, `16 * SHARED` bytes. A caller's CPU has the instructions.
pub(crate) unsafe trait Rows<const SHARED: usize>: Copy {
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// Returns this XOR `other` rotated to the left by `BY`, with `BACK` to the whole.
    unsafe fn xor_rotated<const BY: i32, const BACK: i32>(self, other: Self) -> Self;
    /// Returns the words of each row, rotated by one, two or three.
    unsafe fn turned_1(self) -> Self;
    unsafe fn turned_2(self) -> Self;
    unsafe fn turned_3(self) -> Self;
    /// Joins rows of one lane each to rows of all lanes.
    // SAFETY: as above.
    unsafe fn in_rows(parts: [Self; 4]) -> [Self; 4] {
        parts
    }
    /// The inverse of [`in_rows`](Self::in_rows).
    unsafe fn in_lanes(rows: [Self; 4]) -> [Self; 4] {
        rows
    }
}

// SAFETY: 16 bytes of integers.
unsafe impl Rows<1> for [u32; 4] {
    #[inline]
    unsafe fn add(self, other: Self) -> Self {
        std::array::from_fn(|word| self[word].wrapping_add(other[word]))
    }

    #[inline]
    // SAFETY: as in the trait.
    unsafe fn xor(self, other: Self) -> Self {
        std::array::from_fn(|word| self[word] ^ other[word])
    }

    #[inline]
    unsafe fn xor_rotated<const BY: i32, const BACK: i32>(self, other: Self) -> Self {
        std::array::from_fn(|word| self[word] ^ other[word].rotate_left(BY as u32))
    }

    #[inline]
    // SAFETY: as in the trait.
    unsafe fn turned_1(self) -> Self {
        let [a, b, c, d] = self;
        [b, c, d, a]
    }

    #[inline]
    // SAFETY: as in the trait.
    unsafe fn turned_2(self) -> Self {
        let [a, b, c, d] = self;
        [c, d, a, b]
    }

    #[inline]
    // SAFETY: as in the trait.
    unsafe fn turned_3(self) -> Self {
        let [a, b, c, d] = self;
        [d, a, b, c]
    }
}

/// A matrix of every lane, in `TURNS` interleaved vectors of one kind.
type Matrices<V, const TURNS: usize> = [[V; 4]; TURNS];
/// Where lanes have their entries of the tables.
type Entries<const SHARED: usize, const TURNS: usize> = [[*mut u8; SHARED]; TURNS];

/// Matrices that are prefetched ahead of their use. 2 take 10 % more time, 4 and 16 the same.
const AHEAD: usize = 8;

/// Fills entries of the tables.
///
/// # Safety
/// The buffers are as the head of the module says, for these rows.
#[inline(always)]
pub(crate) unsafe fn fill<V: Rows<SHARED>, const SHARED: usize, const TURNS: usize>(
    buffers: &RomixBuffers,
    from: u64,
    count: u64,
) {
    let size = 128 * buffers.r;
    for entry in from..from + count {
        let [source, target] =
            sides(buffers, entry).map(|block| block.cast::<Matrices<V, TURNS>>());
        let at: Entries<SHARED, TURNS> = entries(buffers, |_| entry as usize * size);
        // SAFETY: a block has `2 * r` matrices of every lane, and each table has the entry. The two
        // blocks overlap neither each other nor the tables.
        unsafe {
            let mut x = source.add(2 * buffers.r - 1).read();
            for index in 0..2 * buffers.r {
                let block = source.add(index).read();
                for turn in 0..TURNS {
                    for (part, words) in V::in_lanes(block[turn]).into_iter().enumerate() {
                        place::<V, SHARED>(&at[turn], index, part).write(words);
                    }
                }
                x = salsa::<V, SHARED, TURNS>(xor(x, block));
                target.add(shuffled(index, buffers.r)).write(x);
            }
        }
    }
}

/// Mixes in entries of the tables.
///
/// # Safety
/// The buffers are as the head of the module says, for these rows.
#[inline(always)]
pub(crate) unsafe fn mix<V: Rows<SHARED>, const SHARED: usize, const TURNS: usize>(
    buffers: &RomixBuffers,
    count: u64,
) {
    let size = 128 * buffers.r;
    let last = 2 * buffers.r - 1;
    for step in 0..count {
        let [source, target] = sides(buffers, step).map(|block| block.cast::<Matrices<V, TURNS>>());
        // SAFETY: the first words of a last matrix are in the block, and an entry is in the table
        // whatever they are. The two blocks overlap neither each other nor the tables.
        unsafe {
            let words = source.add(last).cast::<u32>();
            let at: Entries<SHARED, TURNS> = entries(buffers, |lane| {
                let word = words.add(lane / SHARED * 16 * SHARED + lane % SHARED * 4).read();
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
                x = salsa::<V, SHARED, TURNS>(xor(x, mixed(source, &at, index)));
                target.add(shuffled(index, buffers.r)).write(x);
            }
        }
    }
}

/// Returns the address of an entry in each lane's table.
#[inline(always)]
fn entries<const SHARED: usize, const TURNS: usize>(
    buffers: &RomixBuffers,
    offset: impl Fn(usize) -> usize,
) -> Entries<SHARED, TURNS> {
    std::array::from_fn(|turn| {
        std::array::from_fn(|index| {
            let lane = turn * SHARED + index;
            buffers.tables[lane].wrapping_add(offset(lane))
        })
    })
}

/// Returns the address of one of the four vectors that are the matrices `index` of the entries,
/// each matrix in the place of its own lane.
#[inline(always)]
fn place<V, const SHARED: usize>(at: &[*mut u8; SHARED], index: usize, part: usize) -> *mut V {
    let parts = 4 / SHARED;
    at[part / parts].wrapping_add(64 * index).cast::<V>().wrapping_add(part % parts)
}

/// Asks for a matrix of each entry.
#[inline(always)]
fn ahead<const SHARED: usize, const TURNS: usize>(at: &Entries<SHARED, TURNS>, index: usize) {
    at.as_flattened().iter().for_each(|at| fetch(at.wrapping_add(64 * index)));
}

/// Returns a matrix of the block XOR that of the table's entry.
///
/// # Safety
/// The block has the matrix `index`, and the entry of each lane too.
#[inline(always)]
unsafe fn mixed<V: Rows<SHARED>, const SHARED: usize, const TURNS: usize>(
    block: *const Matrices<V, TURNS>,
    at: &Entries<SHARED, TURNS>,
    index: usize,
) -> Matrices<V, TURNS> {
    // SAFETY: there is a matrix of every lane at `index` of the block and 64 bytes at each entry.
    unsafe {
        let block = block.add(index).read();
        let mut entry = block;
        for (at, entry) in at.iter().zip(&mut entry) {
            *entry = V::in_rows([
                place::<V, SHARED>(at, index, 0).read(),
                place::<V, SHARED>(at, index, 1).read(),
                place::<V, SHARED>(at, index, 2).read(),
                place::<V, SHARED>(at, index, 3).read(),
            ]);
        }
        xor(block, entry)
    }
}

/// # Safety
/// As for [`Rows`].
#[inline(always)]
unsafe fn xor<V: Rows<SHARED>, const SHARED: usize, const TURNS: usize>(
    mut x: Matrices<V, TURNS>,
    y: Matrices<V, TURNS>,
) -> Matrices<V, TURNS> {
    for (x, &y) in x.as_flattened_mut().iter_mut().zip(y.as_flattened()) {
        // SAFETY: the CPU has the instructions.
        *x = unsafe { x.xor(y) };
    }
    x
}

/// Applies Salsa20/8 to matrices with diagonals as rows.
///
/// # Safety
/// As for [`Rows`].
#[inline(always)]
unsafe fn salsa<V: Rows<SHARED>, const SHARED: usize, const TURNS: usize>(
    matrices: Matrices<V, TURNS>,
) -> Matrices<V, TURNS> {
    let mut x = matrices;
    macro_rules! step {
        ($to:literal, $one:literal, $other:literal, $by:literal) => {
            for x in &mut x {
                // SAFETY: the CPU has the instructions, here and below.
                x[$to] = unsafe { x[$to].xor_rotated::<$by, { 32 - $by }>(x[$one].add(x[$other])) };
            }
        };
    }
    macro_rules! turn {
        ($one:ident, $two:ident, $three:ident) => {
            for [_, one, two, three] in &mut x {
                // SAFETY: as above.
                (*one, *two, *three) = unsafe { (one.$one(), two.$two(), three.$three()) };
            }
        };
    }
    for _ in 0..4 {
        step!(1, 0, 3, 7);
        step!(2, 1, 0, 9);
        step!(3, 2, 1, 13);
        step!(0, 3, 2, 18);
        turn!(turned_3, turned_2, turned_1);
        step!(3, 0, 1, 7);
        step!(2, 3, 0, 9);
        step!(1, 2, 3, 13);
        step!(0, 1, 2, 18);
        turn!(turned_1, turned_2, turned_3);
    }
    for (x, &begin) in x.as_flattened_mut().iter_mut().zip(matrices.as_flattened()) {
        // SAFETY: as above.
        *x = unsafe { x.add(begin) };
    }
    x
}

/// Returns the kernel of `$turns` interleaved vectors of `$rows`, of `$shared` lanes each.
macro_rules! kernel {
    ($rows:ty: $shared:literal * $turns:literal $(, $features:literal)?) => {{
        /// # Safety
        /// As for [`romix::fill`].
        $(#[target_feature(enable = $features)])?
        unsafe fn fill(buffers: &RomixBuffers, from: u64, count: u64) {
            // SAFETY: the buffers are for this kernel; this function has the instructions.
            unsafe { romix::fill::<$rows, $shared, $turns>(buffers, from, count) }
        }

        /// # Safety
        /// As for [`romix::mix`].
        $(#[target_feature(enable = $features)])?
        unsafe fn mix(buffers: &RomixBuffers, count: u64) {
            // SAFETY: as above.
            unsafe { romix::mix::<$rows, $shared, $turns>(buffers, count) }
        }

        RomixKernel { lanes: $shared * $turns, shared: $shared, fill, mix }
    }};
}

pub(crate) use kernel;
