//! ROMix of one lane in vectors of 128 bits: those of WebAssembly, or what compilers make of scalar
//! code.

use super::romix::{RomixBuffers, RomixKernel, shuffled, sides};

/// One lane.
pub(super) const PLAIN: RomixKernel = RomixKernel::new(1, 1, fill, mix);

type Matrix = [row::Row; 4];

/// Fills entries of the table.
///
/// # Safety
/// The buffers are as the head of `romix` says, for one lane.
unsafe fn fill(buffers: &RomixBuffers, from: u64, count: u64) {
    let size = 2 * buffers.r;
    for entry in from..from + count {
        let [source, target] = sides(buffers, entry).map(|block| block.cast::<Matrix>());
        let table = buffers.tables[0].cast::<Matrix>().wrapping_add(entry as usize * size);
        // SAFETY: a block has `size` matrices, and the table has this entry. The two blocks and the
        // table do not overlap.
        unsafe {
            let mut x = source.add(size - 1).read();
            for index in 0..size {
                let block = source.add(index).read();
                table.add(index).write(block);
                x = salsa(xor(x, block));
                target.add(shuffled(index, buffers.r)).write(x);
            }
        }
    }
}

/// Mixes in entries of the table.
///
/// # Safety
/// The buffers are as the head of `romix` says, for one lane.
unsafe fn mix(buffers: &RomixBuffers, count: u64) {
    let size = 2 * buffers.r;
    for step in 0..count {
        let [source, target] = sides(buffers, step).map(|block| block.cast::<Matrix>());
        // SAFETY: a block has `size` matrices, and the entry is one of the table's N whatever the
        // first word is. The two blocks and the table do not overlap.
        unsafe {
            let word = source.add(size - 1).cast::<u32>().read();
            let entry = (u64::from(word) & (buffers.n - 1)) as usize;
            let table = buffers.tables[0].cast::<Matrix>().add(entry * size);
            let mixed = |index: usize| xor(source.add(index).read(), table.add(index).read());
            let mut x = mixed(size - 1);
            for index in 0..size {
                x = salsa(xor(x, mixed(index)));
                target.add(shuffled(index, buffers.r)).write(x);
            }
        }
    }
}

#[inline]
fn xor(x: Matrix, y: Matrix) -> Matrix {
    std::array::from_fn(|row| row::xor(x[row], y[row]))
}

/// Applies Salsa20/8 to a matrix with diagonals as rows.
#[inline]
fn salsa(matrix: Matrix) -> Matrix {
    let mut x = matrix;
    macro_rules! step {
        ($to:literal, $one:literal, $other:literal, $by:literal) => {
            x[$to] = row::xor(x[$to], row::rotated::<$by>(row::add(x[$one], x[$other])));
        };
    }
    for _ in 0..4 {
        step!(1, 0, 3, 7);
        step!(2, 1, 0, 9);
        step!(3, 2, 1, 13);
        step!(0, 3, 2, 18);
        x = [x[0], row::turned_3(x[1]), row::turned_2(x[2]), row::turned_1(x[3])];
        step!(3, 0, 1, 7);
        step!(2, 3, 0, 9);
        step!(1, 2, 3, 13);
        step!(0, 1, 2, 18);
        x = [x[0], row::turned_1(x[1]), row::turned_2(x[2]), row::turned_3(x[3])];
    }
    std::array::from_fn(|row| row::add(x[row], matrix[row]))
}

/// A row of a matrix: four words.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod row {
    pub(super) type Row = [u32; 4];

    #[inline]
    pub(super) fn add(x: Row, y: Row) -> Row {
        std::array::from_fn(|word| x[word].wrapping_add(y[word]))
    }

    #[inline]
    pub(super) fn xor(x: Row, y: Row) -> Row {
        std::array::from_fn(|word| x[word] ^ y[word])
    }

    #[inline]
    pub(super) fn rotated<const BY: u32>(x: Row) -> Row {
        x.map(|word| word.rotate_left(BY))
    }

    #[inline]
    pub(super) fn turned_1([a, b, c, d]: Row) -> Row {
        [b, c, d, a]
    }

    #[inline]
    pub(super) fn turned_2([a, b, c, d]: Row) -> Row {
        [c, d, a, b]
    }

    #[inline]
    pub(super) fn turned_3([a, b, c, d]: Row) -> Row {
        [d, a, b, c]
    }
}

/// A row of a matrix: a vector of WebAssembly.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod row {
    use std::arch::wasm32::*;

    pub(super) type Row = v128;

    pub(super) use std::arch::wasm32::{u32x4_add as add, v128_xor as xor};

    #[inline]
    pub(super) fn rotated<const BY: u32>(x: Row) -> Row {
        v128_or(u32x4_shl(x, BY), u32x4_shr(x, 32 - BY))
    }

    #[inline]
    pub(super) fn turned_1(x: Row) -> Row {
        u32x4_shuffle::<1, 2, 3, 0>(x, x)
    }

    #[inline]
    pub(super) fn turned_2(x: Row) -> Row {
        u32x4_shuffle::<2, 3, 0, 1>(x, x)
    }

    #[inline]
    pub(super) fn turned_3(x: Row) -> Row {
        u32x4_shuffle::<3, 0, 1, 2>(x, x)
    }
}
