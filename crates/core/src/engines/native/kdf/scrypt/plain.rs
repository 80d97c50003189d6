//! ROMix of one lane in scalar code, from which compilers make vectors of 128 bits.

use super::romix::{Kernel, Place, shuffled, sides};

/// One lane.
pub(super) const PLAIN: Kernel = Kernel::new(1, 1, fill, mix);

type Matrix = [[u32; 4]; 4];

/// Fills entries of the table.
///
/// # Safety
/// The place is as it says.
unsafe fn fill(place: &Place, from: u64, count: u64) {
    let size = 2 * place.r;
    for entry in from..from + count {
        let [source, target] = sides(place, entry).map(|block| block.cast::<Matrix>());
        let table = place.tables[0].cast::<Matrix>().wrapping_add(entry as usize * size);
        // SAFETY: as promised by the caller; the blocks and the table do not overlap.
        unsafe {
            let mut x = source.add(size - 1).read();
            for index in 0..size {
                let block = source.add(index).read();
                table.add(index).write(block);
                x = salsa(xor(x, block));
                target.add(shuffled(index, place.r)).write(x);
            }
        }
    }
}

/// Mixes in entries of the table.
///
/// # Safety
/// The place is as it says.
unsafe fn mix(place: &Place, count: u64) {
    let size = 2 * place.r;
    for step in 0..count {
        let [source, target] = sides(place, step).map(|block| block.cast::<Matrix>());
        // SAFETY: as promised by the caller; an entry is in the table whatever the first word is.
        unsafe {
            let word = source.add(size - 1).cast::<u32>().read();
            let entry = (u64::from(word) & (place.n - 1)) as usize;
            let table = place.tables[0].cast::<Matrix>().add(entry * size);
            let mixed = |index: usize| xor(source.add(index).read(), table.add(index).read());
            let mut x = mixed(size - 1);
            for index in 0..size {
                x = salsa(xor(x, mixed(index)));
                target.add(shuffled(index, place.r)).write(x);
            }
        }
    }
}

#[inline]
fn xor(x: Matrix, y: Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|word| x[row][word] ^ y[row][word]))
}

/// Salsa20/8 on a matrix whose rows are diagonals.
#[inline]
fn salsa(matrix: Matrix) -> Matrix {
    let mut x = matrix;
    macro_rules! step {
        ($to:literal, $one:literal, $other:literal, $by:literal) => {
            for word in 0..4 {
                x[$to][word] ^= x[$one][word].wrapping_add(x[$other][word]).rotate_left($by);
            }
        };
    }
    for _ in 0..4 {
        step!(1, 0, 3, 7);
        step!(2, 1, 0, 9);
        step!(3, 2, 1, 13);
        step!(0, 3, 2, 18);
        x = [x[0], turned::<3>(x[1]), turned::<2>(x[2]), turned::<1>(x[3])];
        step!(3, 0, 1, 7);
        step!(2, 3, 0, 9);
        step!(1, 2, 3, 13);
        step!(0, 1, 2, 18);
        x = [x[0], turned::<1>(x[1]), turned::<2>(x[2]), turned::<3>(x[3])];
    }
    std::array::from_fn(|row| {
        std::array::from_fn(|word| x[row][word].wrapping_add(matrix[row][word]))
    })
}

/// Rotates the words of a row by `BY` places.
#[inline]
fn turned<const BY: usize>(row: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|word| row[(word + BY) % 4])
}
