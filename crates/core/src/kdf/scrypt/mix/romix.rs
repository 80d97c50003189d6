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
//! - A kernel is only chosen, from `kernels()`, where the CPU has its instructions.

/// The most lanes of any kernel.
pub(super) const LANES_MAX: usize = 8;

/// The memory of the lanes that are computed at once.
pub(super) struct RomixBuffers {
    /// Two buffers for the blocks of all lanes, aligned to 64 bytes.
    pub(super) blocks: [*mut u8; 2],
    /// The table of each lane, aligned to 64 bytes. An unused lane has that of another.
    pub(super) tables: [*mut u8; LANES_MAX],
    /// Pairs of Salsa20 matrices in a block.
    pub(super) r: usize,
    /// Entries of a table, a power of two: at most 2^32.
    pub(super) n: u64,
}

/// The functions of ROMix for a number of lanes. Both leave the block where they found it, after an
/// even number of steps.
#[derive(Copy, Clone)]
pub(super) struct RomixKernel {
    /// The number of lanes.
    pub(super) lanes: usize,
    /// The lanes that share a vector.
    pub(super) shared: usize,
    /// Fills `count` entries of the tables, from the entry `from` on; an even number.
    fill: unsafe fn(&RomixBuffers, u64, u64),
    /// Mixes in `count` entries of the tables; an even number.
    mix: unsafe fn(&RomixBuffers, u64),
}

impl RomixKernel {
    /// Returns a kernel of these functions.
    pub(super) const fn new(
        lanes: usize,
        shared: usize,
        fill: unsafe fn(&RomixBuffers, u64, u64),
        mix: unsafe fn(&RomixBuffers, u64),
    ) -> Self {
        Self { lanes, shared, fill, mix }
    }

    /// Fills `count` entries of the tables, from the entry `from` on.
    ///
    /// # Safety
    /// The buffers are as the head of the module says, for this kernel; the CPU has its
    /// instructions.
    pub(super) unsafe fn fill(&self, buffers: &RomixBuffers, from: u64, count: u64) {
        debug_assert!(count.is_multiple_of(2) && from + count <= buffers.n);
        // SAFETY: the buffers are as above; `count` is even, and so is N.
        unsafe { (self.fill)(buffers, from, count) }
    }

    /// Mixes in `count` entries of the tables.
    ///
    /// # Safety
    /// As for [`fill`](Self::fill); the tables are full.
    pub(super) unsafe fn mix(&self, buffers: &RomixBuffers, count: u64) {
        debug_assert!(count.is_multiple_of(2));
        // SAFETY: the buffers are as above, and the tables are full.
        unsafe { (self.mix)(buffers, count) }
    }

    /// Puts a block of 128r bytes into a lane, each matrix by its diagonals.
    ///
    /// # Safety
    /// The buffers are as the head of the module says, for this kernel, of which `lane` is one. The
    /// block has 128r bytes.
    pub(super) unsafe fn put(&self, buffers: &RomixBuffers, lane: usize, block: &[u8]) {
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
    pub(super) unsafe fn get(&self, buffers: &RomixBuffers, lane: usize, block: &mut [u8]) {
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
pub(super) fn sides(buffers: &RomixBuffers, step: u64) -> [*mut u8; 2] {
    let [one, other] = buffers.blocks;
    if step.is_multiple_of(2) { [one, other] } else { [other, one] }
}

/// Returns the new index of the matrix `index`: even ones to the first half, odd ones to the
/// second.
#[inline]
pub(super) fn shuffled(index: usize, r: usize) -> usize {
    index / 2 + index % 2 * r
}
