//! ChaCha20 with AVX-512.
//!
//! Two ways to lay out the 16 words of a block's state:
//! - in rows: a register holds a row (four words) of four blocks. Ready after the latency of one
//!   block, and 64 bytes cost no more than 256: for short texts and ends.
//! - in columns: a register holds one word of 16 blocks, so that rounds need no shuffles: for the
//!   bulk.
//!
//! ```text
//! columns, a pass of 1024 bytes:      as in `cipher::chacha::state`, in 16 lanes; VPROLD rotates
//!     transpose:                      VPUNPCK within quarters of registers, VSHUFI32X4 across them
//! rows, SETS of four blocks:          one, two or four sets side by side
//!     a, b, c, d = rows of the state, each in four quarters; the number in d counts the blocks
//!     ten times:  quarter(a, b, c, d)
//!                 turn words of a, c and d (VPSHUFD): diagonals become columns
//!                 quarter(a, b, c, d), turn back
//!     add the rows before, transpose quarters: a register for each block
//! text:  passes in columns; the rest, less than a pass, in rows, its last block masked
//! ```
//!
//! # Safety
//! Texts are pointers, as the head of [`text`](crate::cipher::text) says: source and target have
//! `size` bytes and are equal or disjoint. Each function passes on offsets within that size, and
//! [`mix`], which alone reads and writes, masks a block that is not whole. The functions have
//! features that [`Avx512`] proves: code without them needs such a proof to call them.

use std::arch::x86_64::*;

use crate::cipher::chacha::state::{BLOCK, State, advance};
use crate::cipher::text::Span;
use crate::cpu::features::Avx512;

/// Bytes of a pass over columns.
pub(crate) const COLUMNS: usize = 16 * BLOCK;

/// Encrypts or decrypts `size` bytes.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) unsafe fn apply(state: &mut State, text: Span, proof: Avx512) {
    let mut at = 0;
    // SAFETY: what is read and written lies within the `size` bytes.
    unsafe {
        while text.size - at >= COLUMNS {
            pass(state, text.part(at, COLUMNS), proof);
            at += COLUMNS;
        }
        tail(state, text.from(at), proof);
    }
}

/// Encrypts or decrypts [`COLUMNS`] bytes.
///
/// # Safety
/// Source and target have that many bytes and are equal or disjoint.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) unsafe fn pass(state: &mut State, text: Span, proof: Avx512) {
    let stream = columns(state, proof);
    // SAFETY: source and target have `COLUMNS` bytes.
    unsafe { mix_pass(text, stream, proof) };
    advance(state, 16);
}

/// Adds a pass of keystream.
///
/// # Safety
/// As for [`pass`].
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) unsafe fn mix_pass(text: Span, stream: [__m512i; 16], proof: Avx512) {
    for (index, block) in stream.into_iter().enumerate() {
        // SAFETY: `index` is less than 16, and source and target have 16 blocks.
        unsafe { mix(text.part(index * BLOCK, BLOCK), block, proof) };
    }
}

/// Encrypts or decrypts less than a pass over columns.
///
/// # Safety
/// As for [`apply`].
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) unsafe fn tail(state: &State, text: Span, proof: Avx512) {
    // SAFETY: `size` is less than `COLUMNS`, and at most the bytes of the rows of its range.
    unsafe {
        match text.size {
            0 => {}
            1..=256 => tail_rows::<1>(state, text, proof),
            257..=512 => tail_rows::<2>(state, text, proof),
            _ => tail_rows::<4>(state, text, proof),
        }
    }
}

/// # Safety
/// As for [`apply`]; the size is at most that of `SETS` times four blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
unsafe fn tail_rows<const SETS: usize>(state: &State, text: Span, proof: Avx512) {
    for (index, &block) in rows::<SETS>(state, proof).as_flattened().iter().enumerate() {
        let at = index * BLOCK;
        if at < text.size {
            // SAFETY: within the `size` bytes.
            unsafe { mix(text.part(at, (text.size - at).min(BLOCK)), block, proof) }
        }
    }
}

/// Adds a block of keystream to at most 64 bytes.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) unsafe fn mix(text: Span, stream: __m512i, _proof: Avx512) {
    let Span { source, target, size } = text;
    // SAFETY: source and target have `size` bytes; the mask keeps reads and writes within a size
    // below a block.
    unsafe {
        if size >= BLOCK {
            let text = _mm512_loadu_si512(source.cast());
            _mm512_storeu_si512(target.cast(), _mm512_xor_si512(text, stream));
        } else {
            let mask = (1 << size) - 1;
            let text = _mm512_maskz_loadu_epi8(mask, source.cast());
            _mm512_mask_storeu_epi8(target.cast(), mask, _mm512_xor_si512(text, stream));
        }
    }
}

/// Returns the next four blocks of keystream for each of `SETS` sets.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) fn rows<const SETS: usize>(state: &State, _proof: Avx512) -> [[__m512i; 4]; SETS] {
    let row = |index: usize| {
        let [x, y, z, w] = [0, 1, 2, 3].map(|column| state[4 * index + column] as i32);
        _mm512_broadcast_i32x4(_mm_set_epi32(w, z, y, x))
    };
    let first = [row(0), row(1), row(2), row(3)];
    let numbers = |set: usize| {
        let at = 4 * set as i64;
        _mm512_add_epi64(first[3], _mm512_set_epi64(0, at + 3, 0, at + 2, 0, at + 1, 0, at))
    };
    let begin: [[__m512i; 4]; SETS] =
        std::array::from_fn(|set| [first[0], first[1], first[2], numbers(set)]);
    let mut sets = begin;
    for _ in 0..10 {
        for [a, b, c, d] in &mut sets {
            quarters(a, b, c, d);
            // The diagonals into columns. Row b, which is ready last, stays where it is.
            *a = _mm512_shuffle_epi32::<0b10_01_00_11>(*a);
            *c = _mm512_shuffle_epi32::<0b00_11_10_01>(*c);
            *d = _mm512_shuffle_epi32::<0b01_00_11_10>(*d);
        }
        for [a, b, c, d] in &mut sets {
            quarters(a, b, c, d);
            *a = _mm512_shuffle_epi32::<0b00_11_10_01>(*a);
            *c = _mm512_shuffle_epi32::<0b10_01_00_11>(*c);
            *d = _mm512_shuffle_epi32::<0b01_00_11_10>(*d);
        }
    }
    std::array::from_fn(|set| {
        across(std::array::from_fn(|row| _mm512_add_epi32(sets[set][row], begin[set][row])))
    })
}

/// Transposes four registers of four lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn across([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let [ab, cd] = [_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d)];
    let [ef, gh] = [_mm512_shuffle_i32x4::<0xee>(a, b), _mm512_shuffle_i32x4::<0xee>(c, d)];
    [
        _mm512_shuffle_i32x4::<0x88>(ab, cd),
        _mm512_shuffle_i32x4::<0xdd>(ab, cd),
        _mm512_shuffle_i32x4::<0x88>(ef, gh),
        _mm512_shuffle_i32x4::<0xdd>(ef, gh),
    ]
}

/// Returns the next 16 blocks of keystream.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) fn columns(state: &State, proof: Avx512) -> [__m512i; 16] {
    let begin = spread(state, proof);
    let mut words = begin;
    for _ in 0..10 {
        double_round(&mut words, proof);
    }
    finish(words, begin)
}

/// Adds the state after the rounds.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn finish(mut words: [__m512i; 16], begin: [__m512i; 16]) -> [__m512i; 16] {
    for (word, begin) in words.iter_mut().zip(begin) {
        *word = _mm512_add_epi32(*word, begin);
    }
    transpose(words)
}

/// Returns the states of 16 blocks, a word each register.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) fn spread(state: &State, _proof: Avx512) -> [__m512i; 16] {
    let mut words = state.map(|word| _mm512_set1_epi32(word as i32));
    let lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    let low = _mm512_add_epi32(words[12], lanes);
    // The number overflows into the nonce's first word, as OpenSSL's does.
    let carry = _mm512_cmplt_epu32_mask(low, lanes);
    words[13] = _mm512_mask_add_epi32(words[13], carry, words[13], _mm512_set1_epi32(1));
    words[12] = low;
    words
}

/// Applies a round over columns and one over diagonals.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) fn double_round(words: &mut [__m512i; 16], _proof: Avx512) {
    let [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3] = words;
    four_quarters([a0, a1, a2, a3], [b0, b1, b2, b3], [c0, c1, c2, c3], [d0, d1, d2, d3]);
    four_quarters([a0, a1, a2, a3], [b1, b2, b3, b0], [c2, c3, c0, c1], [d3, d0, d1, d2]);
}

/// Applies four quarter rounds side by side.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn four_quarters(
    a: [&mut __m512i; 4],
    b: [&mut __m512i; 4],
    c: [&mut __m512i; 4],
    d: [&mut __m512i; 4],
) {
    for (((a, b), c), d) in a.into_iter().zip(b).zip(c).zip(d) {
        quarters(a, b, c, d);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn quarters(a: &mut __m512i, b: &mut __m512i, c: &mut __m512i, d: &mut __m512i) {
    *a = _mm512_add_epi32(*a, *b);
    *d = _mm512_rol_epi32::<16>(_mm512_xor_si512(*d, *a));
    *c = _mm512_add_epi32(*c, *d);
    *b = _mm512_rol_epi32::<12>(_mm512_xor_si512(*b, *c));
    *a = _mm512_add_epi32(*a, *b);
    *d = _mm512_rol_epi32::<8>(_mm512_xor_si512(*d, *a));
    *c = _mm512_add_epi32(*c, *d);
    *b = _mm512_rol_epi32::<7>(_mm512_xor_si512(*b, *c));
}

/// Converts registers of one word each to registers of one block each.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(words: [__m512i; 16]) -> [__m512i; 16] {
    // Within lanes of four words: rows[g][j] has words 4g..4g+4 of blocks j, 4+j, 8+j and 12+j.
    let rows: [[__m512i; 4]; 4] = std::array::from_fn(|group| {
        let [x, y, z, w] = std::array::from_fn(|index| words[4 * group + index]);
        let [xy, zw] = [_mm512_unpacklo_epi32(x, y), _mm512_unpacklo_epi32(z, w)];
        let [uv, st] = [_mm512_unpackhi_epi32(x, y), _mm512_unpackhi_epi32(z, w)];
        [
            _mm512_unpacklo_epi64(xy, zw),
            _mm512_unpackhi_epi64(xy, zw),
            _mm512_unpacklo_epi64(uv, st),
            _mm512_unpackhi_epi64(uv, st),
        ]
    });
    let mut blocks = [_mm512_setzero_si512(); 16];
    for index in 0..4 {
        let four = across(std::array::from_fn(|group| rows[group][index]));
        for (at, block) in four.into_iter().enumerate() {
            blocks[4 * at + index] = block;
        }
    }
    blocks
}
