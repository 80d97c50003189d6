//! ChaCha20 with WebAssembly's vectors: four blocks at once, a word of each in a vector.
//!
//! The layout is that of [`state`](mod@crate::cipher::chacha::state), in four lanes.
//!
//! ```text
//! size <= 64:   one block by `state::rounds`
//! while 256 bytes are left
//!     four blocks in columns; each four words are transposed as four rows of four
//!     rotate by 16: a shuffle; by 12, 8, 7: two shifts
//! the rest:     the same with zeros for text, in a buffer of keystream; XOR as much as there is
//! ```

use std::arch::wasm32::*;

use crate::cipher::chacha::state::{BLOCK, State, advance, rounds, state};
use crate::cipher::text::{Span, xor_with};
use crate::primitives::MILLRACE;
use crate::wipe::{Secret, wipe_plain};

/// The library that computes it.
pub(crate) const LIBRARY: &str = MILLRACE;

/// Bytes of four blocks.
const STEP: usize = 4 * BLOCK;

/// Encrypts or decrypts, and returns true.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[inline(always)] // so that the library is left out
pub(crate) unsafe fn apply(key: &[u8; 32], iv: &[u8; 16], text: Span) -> bool {
    let Span { source, target, size } = text;
    let mut state = state(key, iv);
    // SAFETY: source and target have `size` bytes and are equal or disjoint.
    unsafe {
        if size > BLOCK {
            steps(&mut state, source, target, size);
        } else {
            one_block(&state, source, target, size);
        }
    }
    wipe_plain(&mut state);
    true
}

/// Encrypts or decrypts at most a block.
///
/// # Safety
/// Source and target have `size` bytes, at most a block, and are equal or disjoint.
unsafe fn one_block(state: &State, source: *const u8, target: *mut u8, size: usize) {
    let mut words = *state;
    rounds(&mut words);
    let mut stream = Secret::<BLOCK>::zeros();
    for ((bytes, word), first) in stream.0.as_chunks_mut().0.iter_mut().zip(&words).zip(state) {
        *bytes = word.wrapping_add(*first).to_le_bytes();
    }
    wipe_plain(&mut words);
    // SAFETY: source and target have `size` bytes, at most a block, and are equal or disjoint.
    unsafe { xor_with(source, target, &stream.0[..size]) };
}

/// Encrypts or decrypts from the state's block on, and leaves the number of the next.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
unsafe fn steps(state: &mut State, source: *const u8, target: *mut u8, size: usize) {
    let whole = size / STEP * STEP;
    for at in (0..whole).step_by(STEP) {
        // SAFETY: there are `STEP` bytes from here on.
        unsafe { step(state, source.add(at), target.add(at)) };
    }
    if whole < size {
        let zeros = [0; STEP];
        let mut stream = Secret::<STEP>::zeros();
        // SAFETY: both have `STEP` bytes, and what is read and written of the text lies within.
        unsafe {
            step(state, zeros.as_ptr(), stream.0.as_mut_ptr());
            xor_with(source.add(whole), target.add(whole), &stream.0[..size - whole]);
        }
    }
}

/// Encrypts or decrypts four blocks.
///
/// # Safety
/// Source and target have `STEP` bytes and are equal or disjoint.
// One copy, for whole steps and the last.
#[inline(never)]
unsafe fn step(state: &mut State, source: *const u8, target: *mut u8) {
    let mut begin = state.map(|word| u32x4_splat(word));
    for (index, word) in [12, 13].into_iter().enumerate() {
        begin[word] = numbers(state, index);
    }
    let mut x = begin;
    for _ in 0..10 {
        quarters(&mut x, [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]);
        quarters(&mut x, [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]]);
    }
    for (index, rows) in x.as_chunks::<4>().0.iter().enumerate() {
        let rows = std::array::from_fn(|row| u32x4_add(rows[row], begin[4 * index + row]));
        for (block, words) in columns(rows).into_iter().enumerate() {
            let at = BLOCK * block + 16 * index;
            // SAFETY: four blocks of 64 bytes are `STEP`; these 16 bytes are read before they are
            // written.
            unsafe {
                let text = v128_load(source.add(at).cast());
                v128_store(target.add(at).cast(), v128_xor(text, words));
            }
        }
    }
    advance(state, 4);
}

/// Returns a word of the numbers of the four blocks.
#[inline(always)]
fn numbers(state: &State, index: usize) -> v128 {
    let word = |blocks: u64| {
        let mut number = *state;
        advance(&mut number, blocks);
        number[12 + index]
    };
    u32x4(word(0), word(1), word(2), word(3))
}

/// Applies four quarter rounds to these words.
#[inline(always)]
fn quarters(x: &mut [v128; 16], words: [[usize; 4]; 4]) {
    macro_rules! half {
        ($first:literal, $second:literal) => {
            for [a, b, _, d] in words {
                x[a] = u32x4_add(x[a], x[b]);
                x[d] = rotated::<$first>(v128_xor(x[d], x[a]));
            }
            for [_, b, c, d] in words {
                x[c] = u32x4_add(x[c], x[d]);
                x[b] = rotated::<$second>(v128_xor(x[b], x[c]));
            }
        };
    }
    half!(16, 12);
    half!(8, 7);
}

#[inline(always)]
fn rotated<const BY: u32>(x: v128) -> v128 {
    match BY {
        16 => i16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(x, x),
        _ => v128_or(u32x4_shl(x, BY), u32x4_shr(x, 32 - BY)),
    }
}

/// Rows of words to columns.
#[inline(always)]
fn columns([a, b, c, d]: [v128; 4]) -> [v128; 4] {
    let lower = [i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<0, 4, 1, 5>(c, d)];
    let upper = [i32x4_shuffle::<2, 6, 3, 7>(a, b), i32x4_shuffle::<2, 6, 3, 7>(c, d)];
    [
        i64x2_shuffle::<0, 2>(lower[0], lower[1]),
        i64x2_shuffle::<1, 3>(lower[0], lower[1]),
        i64x2_shuffle::<0, 2>(upper[0], upper[1]),
        i64x2_shuffle::<1, 3>(upper[0], upper[1]),
    ]
}
