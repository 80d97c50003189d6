//! AES-CTR with AES instructions on two blocks at once: for CPUs without AVX-512, and everywhere
//! with GCM-SIV's counter. The loop is in [`aes`](super).
//!
//! Round keys are broadcast from memory as they are used.
//!
//! ```text
//! ctr:  passes of eight registers, then one of four and one of two if they are left
//!       the last 1 to 63 bytes: two registers, in a copy
//!       next registers, i in 0..COUNT:
//!           if the lower half overflows     make each lane from the number
//!           else                            add 2i to the lower halves (VPADDQ), reverse bytes
//! siv:  passes of eight registers; the last 1 to 255 bytes in a copy of a pass
//!       next registers:                     add 2i to the first words (VPADDD), which wrap around;
//!                                           bytes are in order
//! ```

use std::arch::x86_64::*;

use super::expand::RoundKeys;
use super::words;
use crate::cipher::text::Span;
use crate::cpu::features::Vaes256;
use crate::wipe::Secret;

/// Bytes of a register: two blocks.
const WIDE: usize = 32;
/// Registers in a pass. With eight, one's latency hides behind the others.
const PASS: usize = 8;

/// Encrypts or decrypts `size` bytes.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint. The key is of as many rounds.
#[target_feature(enable = "avx2,vaes")]
pub(super) unsafe fn ctr<const ROUNDS: usize>(
    keys: &RoundKeys,
    mut counter: u128,
    text: Span,
    _proof: Vaes256,
) {
    let Span { source, target, size } = text;
    let mut at = 0;
    // SAFETY: what is read and written lies within the `size` bytes, or within the copy of the
    // last.
    unsafe {
        while size - at >= PASS * WIDE {
            mix::<PASS, ROUNDS>(keys, next(&mut counter), source.add(at), target.add(at));
            at += PASS * WIDE;
        }
        if size - at >= 4 * WIDE {
            mix::<4, ROUNDS>(keys, next(&mut counter), source.add(at), target.add(at));
            at += 4 * WIDE;
        }
        if size - at >= 2 * WIDE {
            mix::<2, ROUNDS>(keys, next(&mut counter), source.add(at), target.add(at));
            at += 2 * WIDE;
        }
        if at < size {
            let rest = size - at;
            let mut last = Secret::<{ 2 * WIDE }>::zeros();
            let bytes = last.0.as_mut_ptr();
            source.add(at).copy_to_nonoverlapping(bytes, rest);
            mix::<2, ROUNDS>(keys, next(&mut counter), bytes, bytes);
            bytes.copy_to_nonoverlapping(target.add(at), rest);
        }
    }
}

/// Applies AES with a counter in the first 32 bits, little-endian, that begins again at zero when
/// it overflows.
///
/// # Safety
/// Source and target have `size` bytes and are equal or disjoint. The key is of `ROUNDS` rounds.
#[target_feature(enable = "avx2,vaes")]
pub(super) unsafe fn siv<const ROUNDS: usize>(
    keys: &RoundKeys,
    counter: [u8; 16],
    text: Span,
    _proof: Vaes256,
) {
    let Span { source, target, size } = text;
    const BYTES: usize = PASS * WIDE;
    let both = _mm256_broadcastsi128_si256(words(u128::from_le_bytes(counter)));
    let mut begin = _mm256_add_epi32(both, _mm256_set_epi64x(0, 1, 0, 0));
    for at in (0..size).step_by(BYTES) {
        let number = |index: usize| _mm256_set_epi64x(0, 2 * index as i64, 0, 2 * index as i64);
        let blocks: [__m256i; PASS] =
            std::array::from_fn(|index| _mm256_add_epi32(begin, number(index)));
        begin = _mm256_add_epi32(begin, number(PASS));
        // SAFETY: what is read and written lies within the `size` bytes, or within the copy of the
        // last.
        unsafe {
            if size - at >= BYTES {
                mix::<PASS, ROUNDS>(keys, blocks, source.add(at), target.add(at));
            } else {
                let mut last = Secret::<BYTES>::zeros();
                let bytes = last.0.as_mut_ptr();
                source.add(at).copy_to_nonoverlapping(bytes, size - at);
                mix::<PASS, ROUNDS>(keys, blocks, bytes, bytes);
                bytes.copy_to_nonoverlapping(target.add(at), size - at);
            }
        }
    }
}

/// Encrypts or decrypts `COUNT` registers.
///
/// # Safety
/// Source and target have that many bytes and are equal or disjoint.
#[inline]
#[target_feature(enable = "avx2,vaes")]
unsafe fn mix<const COUNT: usize, const ROUNDS: usize>(
    keys: &RoundKeys,
    blocks: [__m256i; COUNT],
    source: *const u8,
    target: *mut u8,
) {
    let key = |round: usize| _mm256_broadcastsi128_si256(words(u128::from_ne_bytes(keys[round])));
    let first = key(0);
    let mut blocks = blocks.map(|block| _mm256_xor_si256(block, first));
    for round in 1..ROUNDS {
        let key = key(round);
        for block in &mut blocks {
            *block = _mm256_aesenc_epi128(*block, key);
        }
    }
    let last = key(ROUNDS);
    for (index, block) in blocks.into_iter().enumerate() {
        let at = index * WIDE;
        let stream = _mm256_aesenclast_epi128(block, last);
        // SAFETY: within the `COUNT` registers.
        unsafe {
            let text = _mm256_loadu_si256(source.add(at).cast());
            _mm256_storeu_si256(target.add(at).cast(), _mm256_xor_si256(text, stream));
        }
    }
}

/// Returns the next blocks to encrypt.
#[inline]
#[target_feature(enable = "avx2")]
fn next<const COUNT: usize>(counter: &mut u128) -> [__m256i; COUNT] {
    let first = *counter;
    let steps = 2 * COUNT as u64;
    *counter = first.wrapping_add(steps.into());
    // The vectors add to the lower half only. Where that overflows, which is seldom, the blocks
    // are made one by one.
    let blocks: [__m256i; COUNT] = if (first as u64).checked_add(steps).is_some() {
        let begin = _mm256_broadcastsi128_si256(words(first));
        std::array::from_fn(|index| {
            let at = 2 * index as i64;
            _mm256_add_epi64(begin, _mm256_set_epi64x(0, at + 1, 0, at))
        })
    } else {
        std::array::from_fn(|index| {
            let number = |offset: usize| words(first.wrapping_add((2 * index + offset) as u128));
            _mm256_set_m128i(number(1), number(0))
        })
    };
    let reverse = _mm256_broadcastsi128_si256(words(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f));
    blocks.map(|block| _mm256_shuffle_epi8(block, reverse))
}
