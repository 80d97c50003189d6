//! What the kernels share: blocks of several messages from rows to columns (a register for each word, with that
//! word of all messages), and small things that the instruction sets lack.
//!
//! Rows are loaded whole and shuffled. Loading quarters of rows to their places with masks saves half the
//! shuffles for as many loads: SHA-256 on Zen 5 3 % slower, or the same. The shuffles are hidden behind the rounds.

use std::arch::x86_64::*;

use super::super::features::Avx512;

/// The 16 words of a block of each of 16 messages, as they are in memory.
///
/// # Safety
/// 64 bytes can be read at each pointer, from `offset` on.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn words_16(at: &[*const u8; 16], offset: usize) -> [__m512i; 16] {
    // SAFETY: as promised by the caller.
    let blocks: [__m512i; 16] = unsafe { at.map(|block| _mm512_loadu_si512(block.wrapping_add(offset).cast())) };
    // rows[g][j] has words j, 4+j, 8+j and 12+j of blocks 4g..4g+4.
    let rows: [[__m512i; 4]; 4] =
        std::array::from_fn(|group| transpose_4(std::array::from_fn(|index| blocks[4 * group + index])));
    let mut words = [_mm512_setzero_si512(); 16];
    for index in 0..4 {
        let [a, b, c, d] = std::array::from_fn(|group| rows[group][index]);
        let [ab, cd] = [_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d)];
        let [ef, gh] = [_mm512_shuffle_i32x4::<0xee>(a, b), _mm512_shuffle_i32x4::<0xee>(c, d)];
        words[index] = _mm512_shuffle_i32x4::<0x88>(ab, cd);
        words[4 + index] = _mm512_shuffle_i32x4::<0xdd>(ab, cd);
        words[8 + index] = _mm512_shuffle_i32x4::<0x88>(ef, gh);
        words[12 + index] = _mm512_shuffle_i32x4::<0xdd>(ef, gh);
    }
    words
}

/// Each quarter of the registers by itself: four words of four rows become four rows of four words.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn transpose_4([x, y, z, w]: [__m512i; 4]) -> [__m512i; 4] {
    let [xy, zw] = [_mm512_unpacklo_epi32(x, y), _mm512_unpacklo_epi32(z, w)];
    let [uv, st] = [_mm512_unpackhi_epi32(x, y), _mm512_unpackhi_epi32(z, w)];
    [
        _mm512_unpacklo_epi64(xy, zw),
        _mm512_unpackhi_epi64(xy, zw),
        _mm512_unpacklo_epi64(uv, st),
        _mm512_unpackhi_epi64(uv, st),
    ]
}

/// The last bytes of a message, less than 64, with the end mark and `length` as it is to stand in memory: one
/// block of 64 bytes or two. All in registers, since writing the length into a block that is read
/// by the vector right after costs a wait.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn pad_64(tail: &mut [u8; 128], rest: &[u8], length: u64, _proof: Avx512) {
    debug_assert!(rest.len() < 64);
    let mark = 1 << rest.len();
    // SAFETY: reads the rest, as much as there is by the mask.
    let last = unsafe { _mm512_maskz_loadu_epi8(mark - 1, rest.as_ptr().cast()) };
    let last = _mm512_mask_set1_epi8(last, mark, 0x80_u8 as i8);
    let with_length = |block| _mm512_mask_set1_epi64(block, 0x80, length as i64);
    let blocks = if rest.len() >= 56 { [last, with_length(_mm512_setzero_si512())] } else { [with_length(last); 2] };
    // SAFETY: writes the tail.
    unsafe {
        _mm512_storeu_si512(tail.as_mut_ptr().cast(), blocks[0]);
        _mm512_storeu_si512(tail.as_mut_ptr().add(64).cast(), blocks[1]);
    }
}

/// The 16 words of a block of each of eight messages, as they are in memory.
///
/// # Safety
/// 64 bytes can be read at each pointer, from `offset` on.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn words_8(at: &[*const u8; 8], offset: usize) -> [__m256i; 16] {
    let mut words = [_mm256_setzero_si256(); 16];
    for (group, words) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        // Half a row of block j, and in the upper half one of block 4+j.
        let [x, y, z, w] = std::array::from_fn(|index| {
            let [low, high] = [index, 4 + index].map(|lane| at[lane].wrapping_add(offset + 16 * group));
            // SAFETY: as promised by the caller.
            unsafe { _mm256_loadu2_m128i(high.cast(), low.cast()) }
        });
        let [xy, zw] = [_mm256_unpacklo_epi32(x, y), _mm256_unpacklo_epi32(z, w)];
        let [uv, st] = [_mm256_unpackhi_epi32(x, y), _mm256_unpackhi_epi32(z, w)];
        *words = [
            _mm256_unpacklo_epi64(xy, zw),
            _mm256_unpackhi_epi64(xy, zw),
            _mm256_unpacklo_epi64(uv, st),
            _mm256_unpackhi_epi64(uv, st),
        ];
    }
    words
}

/// Eight words of eight rows, from rows to columns.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn transpose_8(rows: [__m512i; 8]) -> [__m512i; 8] {
    // pairs[p][i]: words i, 2+i, 4+i and 6+i of rows 2p and 2p+1.
    let pairs: [[__m512i; 2]; 4] = std::array::from_fn(|pair| {
        let [x, y] = [rows[2 * pair], rows[2 * pair + 1]];
        [_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y)]
    });
    let mut words = [_mm512_setzero_si512(); 8];
    for index in 0..2 {
        let [a, b, c, d] = std::array::from_fn(|pair| pairs[pair][index]);
        let [ab, cd] = [_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d)];
        let [ef, gh] = [_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d)];
        words[index] = _mm512_shuffle_i64x2::<0x88>(ab, cd);
        words[2 + index] = _mm512_shuffle_i64x2::<0x88>(ef, gh);
        words[4 + index] = _mm512_shuffle_i64x2::<0xdd>(ab, cd);
        words[6 + index] = _mm512_shuffle_i64x2::<0xdd>(ef, gh);
    }
    words
}

/// Four words of four rows, from rows to columns.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn transpose_4x4([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let [ab, cd] = [_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d)];
    let [ef, gh] = [_mm256_unpackhi_epi64(a, b), _mm256_unpackhi_epi64(c, d)];
    [
        _mm256_permute2x128_si256::<0x20>(ab, cd),
        _mm256_permute2x128_si256::<0x20>(ef, gh),
        _mm256_permute2x128_si256::<0x31>(ab, cd),
        _mm256_permute2x128_si256::<0x31>(ef, gh),
    ]
}

/// Ones in the lanes whose bits are set.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn lanes_4(set: u32) -> __m256i {
    let places = _mm256_set_epi64x(8, 4, 2, 1);
    _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(set.into()), places), places)
}

/// Ones in the lanes whose bits are set.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn lanes_8(set: u32) -> __m256i {
    let places = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(set as i32), places), places)
}

/// Words rotated to the right by `BY`; `BACK` is what lacks to all bits.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn rotated<const BY: i32, const BACK: i32>(words: __m256i) -> __m256i {
    const { assert!(BY + BACK == 32) };
    _mm256_or_si256(_mm256_srli_epi32::<BY>(words), _mm256_slli_epi32::<BACK>(words))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn xor_256(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_xor_si256(x, y), z)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn xor_512(x: __m512i, y: __m512i, z: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0x96>(x, y, z)
}
